//! One file per subcommand: what was typed, turned into what is meant, carried out, printed. The
//! only place that prints, and that decides exit codes.

mod args;
mod catalog;
mod clean;
mod doctor;

mod failure;
mod fit;
mod host;
mod lock;
mod machine;
mod output;
mod plan;
mod profile;
mod progress;
mod record;
mod refusal;
mod report;
mod request;
mod signals;
mod sweep;

use std::process::ExitCode;

use clap::{CommandFactory as _, Parser as _};

use crate::cli::{Cli, Command, ProfileCommand};
use failure::Failure;

/// Runs what the arguments say.
pub fn run() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(e) => {
            // Help and version are no errors; a closed pipe is nobody's fault.
            let _ = e.print();
            return if e.use_stderr() { ExitCode::from(2) } else { ExitCode::SUCCESS };
        }
    };
    match carry_out(cli) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}

fn carry_out(cli: Cli) -> Result<(), Failure> {
    match cli.command {
        None if cli.sweep.dry_run => plan::run(&cli.sweep, crate::cli::Format::Table),
        None => sweep::run(&cli.sweep),
        Some(Command::Plan(args)) => plan::run(&args.sweep, args.format),
        Some(Command::Report { dir, quiet, no_color }) => report::run(&dir, quiet, no_color),
        Some(Command::Options { image, format }) => catalog::run(&image, format),
        Some(Command::Args { base, product, show }) => args::run(&base, &product, show),
        Some(Command::Profile(ProfileCommand::List)) => profile::list(),
        Some(Command::Profile(ProfileCommand::Show { name })) => profile::show(&name),
        Some(Command::Profile(ProfileCommand::Check { file })) => profile::check(&file),
        Some(Command::Profile(ProfileCommand::New(_))) => Err(later("profile new")),
        Some(Command::Profile(ProfileCommand::Set(_))) => Err(later("profile set")),
        Some(Command::Clean { golden }) => clean::run(golden),
        Some(Command::Completions { shell }) => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Cli::command(), "cnfsweep", &mut script);
            output::bytes(&script)
        }
        Some(Command::Man) => {
            let mut page = Vec::new();
            clap_mangen::Man::new(Cli::command())
                .render(&mut page)
                .map_err(|e| Failure::carrying_out(format!("could not make the man page: {e}")))?;
            output::bytes(&page)
        }
        Some(Command::Bench(_)) => Err(later("bench")),
        Some(Command::Doctor(args)) => doctor::run(&args),
    }
}

fn later(what: &str) -> Failure {
    Failure::usage(format!("`cnfsweep {what}` is not there yet in this version"))
}
