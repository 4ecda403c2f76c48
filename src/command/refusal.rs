//! Why there is nothing to measure: the server refuses the base file, or nothing can be toggled. In
//! the server's own words, with the lines concerned and what to do.

use super::failure::Failure;
use super::output::counted;
use super::request::Request;
use crate::journal::Status;
use crate::sweep::SweepError;
use crate::toggle::{Action, Toggle, Toggles};

/// No line of the file is to be tried.
///
/// # Errors
/// When that is what the command line says.
pub(super) fn nothing_planned(request: &Request, toggles: &Toggles) -> Result<Failure, Failure> {
    let list = |patterns: &[glob::Pattern]| {
        patterns.iter().map(glob::Pattern::as_str).collect::<Vec<_>>().join(",")
    };
    let wishes = &request.wishes;
    if !wishes.only.is_empty() {
        return Err(Failure::usage(format!(
            "--only {} matches no option that can be toggled\nhint: `cnfsweep plan` without --only \
             lists them",
            list(&wishes.only)
        )));
    }
    let skipped = toggles.list.iter().any(|t| t.detail.contains("--skip"));
    if skipped {
        return Err(Failure::usage(format!(
            "--skip {} leaves no option to toggle\nhint: `cnfsweep plan` without --skip lists them",
            list(&wishes.skip)
        )));
    }
    Ok(Failure::carrying_out(format!(
        "{}: nothing in it can be toggled ({} left out)\nhint: `--also NAME[=VALUE]` adds toggles \
         that are not in the file",
        request.base_path.display(),
        counted(toggles.list.len() as u64, "line"),
    )))
}

/// The probe left nothing over.
pub(super) fn nothing_left(list: &[Toggle]) -> Failure {
    let count = |status| list.iter().filter(|t| t.status == status).count();
    Failure::carrying_out(format!(
        "nothing to measure: {} no-op, {} refused by the server, {} left out\nhint: `cnfsweep plan` \
         says why; `--also NAME[=VALUE]` and `--set NAME=VALUE` add toggles",
        count(Status::NoOp),
        count(Status::Refused),
        count(Status::LeftOut),
    ))
}

/// The server's own words, the lines concerned, and how to leave them out.
pub(super) fn of_base(error: SweepError, request: &Request, toggles: &Toggles) -> Failure {
    let SweepError::BaseRefused { message, oom } = &error else { return error.into() };
    let mut text = error.to_string();
    let base = request.base_path.display();
    if *oom {
        text.push_str(&super::fit::hint(request));
        return Failure::carrying_out(text);
    }
    if !toggles.unknown.is_empty() {
        text.push_str("\nlines that this server does not know:");
        let mut names = Vec::new();
        for (place, name) in &toggles.unknown {
            text.push_str(&format!("\n  {}: {name}", place.in_full(&base)));
            let name = name.replace('-', "_");
            if !names.contains(&name) {
                names.push(name);
            }
        }
        text.push_str(&format!(
            "\nhint: leave them out of both servers with `--drop {}`, or with `--drop-unknown`",
            names.join(",")
        ));
        return Failure::carrying_out(text);
    }
    // The lines whose option the server names.
    let mut lines: Vec<String> = Vec::new();
    let mut name = None;
    for toggle in toggles.list.iter().filter(|t| t.action != Action::Enable) {
        let Some(place) = &toggle.place else { continue };
        if mentions(message, &toggle.option) {
            let line = format!("\n  {}: {}", place.in_full(&base), toggle.option);
            if !lines.contains(&line) {
                lines.push(line);
            }
            name.get_or_insert(&toggle.option);
        }
    }
    text.push_str(&lines.concat());
    let name = name.map_or("NAME", String::as_str);
    text.push_str(&format!("\nhint: leave the line out of both servers with `--drop {name}`"));
    Failure::carrying_out(text)
}

/// Whether the server's message names an option, in either spelling, as a word of its own.
fn mentions(message: &str, option: &str) -> bool {
    let message = message.replace('-', "_").to_ascii_lowercase();
    let in_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    message.match_indices(option).any(|(at, found)| {
        let before = message[..at].chars().next_back();
        let after = message[at + found.len()..].chars().next();
        // Servers write options as `--name`, too.
        let starts = before.is_none_or(|c| !in_word(c)) || message[..at].ends_with("__");
        starts && after.is_none_or(|c| !in_word(c))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_option_is_mentioned_as_a_word_not_as_a_part_of_one() {
        assert!(mentions("unknown variable 'port=1'", "port"));
        assert!(mentions("option --sync-binlog: bad", "sync_binlog"));
        assert!(!mentions("unsupported redo log", "port"));
        assert!(!mentions("innodb_log_file_size is too big", "log_file_size"));
    }
}
