//! `cnfsweep doctor`: whether this machine is fit to measure on.

use std::path::Path;

use super::failure::Failure;
use super::host::Cpus;
use super::machine::{Check, Placed, checks, look};
use super::output::{self, Look, counted};
use super::progress::Progress;
use super::sweep::runtime;
use crate::cli::DoctorArgs;
use crate::engine::docker::{self, Daemon, Image};
use crate::report::listing;

pub(super) fn run(args: &DoctorArgs) -> Result<(), Failure> {
    let cpus = Cpus::assign(args.server_cpus.as_deref(), args.client_cpus.as_deref())
        .map_err(Failure::usage)?;
    let mut progress = Progress::new(false, false);
    let (daemon, image) = runtime()?.block_on(ask(args.image.as_deref(), &mut progress))?;
    progress.phase("looking at CPUs, memory and disk");
    let facts = look(&Placed {
        cpus: &cpus,
        data: Path::new(&daemon.root),
        docker: [&daemon.version, &daemon.storage_driver, &daemon.cgroup],
        times: true,
    });
    progress.finish();
    let mut checks = checks(&facts, &cpus);
    if let Some(found) = image {
        checks.push(Check { name: "image", found, warning: None });
    }
    let look = Look::of_stdout(args.no_color);
    let rows: Vec<_> = checks.iter().map(row).collect();
    output::text(&listing(&rows, look.width, look.charset))?;
    let warnings = checks.iter().filter(|c| c.warning.is_some()).count();
    match warnings {
        0 => output::text("\nNothing here speaks against measuring.\n"),
        n if args.strict => {
            Err(Failure::carrying_out(format!("{} (--strict)", counted(n as u64, "warning"))))
        }
        n => output::text(&format!(
            "\n{}: sweeps work, and take more rounds to find what is small.\n",
            counted(n as u64, "warning")
        )),
    }
}

/// Mark, name, what was found, and what that means.
fn row(check: &Check) -> (&'static str, &str, &str, Option<String>) {
    let warning = check.warning.as_ref();
    let words = warning.map(|w| format!("{}; {}", w.means, w.mend));
    (if warning.is_some() { "!" } else { " " }, check.name, &check.found, words)
}

async fn ask(
    image: Option<&str>,
    progress: &mut Progress,
) -> Result<(Daemon, Option<String>), Failure> {
    let docker = docker::connect().await?;
    let daemon = Daemon::of(&docker).await?;
    let Some(reference) = image else { return Ok((daemon, None)) };
    let image = Image::find(&docker, reference, |step| progress.phase(step)).await?;
    Ok((daemon, Some(format!("{reference}: {}", image.version_line))))
}
