//! Why there is nothing to measure: the server refuses the base file, or nothing can be toggled. In
//! the server's own words, with the lines concerned and what to do.

use super::failure::Failure;
use super::output::counted;
use super::request::Request;
use crate::catalog::{Catalog, instead};
use crate::journal::Status;
use crate::optionfile::Product;
use crate::sweep::{RefusedLine, SweepError, mentions};
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

/// The server's own words, the lines concerned, what took their place, and how to leave them out.
pub(super) fn of_base(
    error: SweepError,
    request: &Request,
    product: &Product,
    catalog: &Catalog,
    toggles: &Toggles,
) -> Failure {
    let SweepError::BaseRefused { message, oom, lines } = &error else { return error.into() };
    let base = request.base_path.display();
    if *oom {
        return Failure::carrying_out(format!("{error}{}", super::fit::hint(request)));
    }
    if !lines.is_empty() {
        return Failure::carrying_out(refused_lines(lines, &base, |name| {
            instead(product.vendor, catalog, name)
        }));
    }
    // The lines whose option the server names.
    let mut text = error.to_string();
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

/// One message about all lines that the server refuses.
fn refused_lines(
    lines: &[RefusedLine],
    base: &impl std::fmt::Display,
    instead: impl Fn(&str) -> Option<String>,
) -> String {
    let mut text = format!(
        "the server does not start with the base file: it refuses {}",
        counted(lines.len() as u64, "line")
    );
    let mut names: Vec<&str> = Vec::new();
    for RefusedLine { place, option, is_known, words } in lines {
        let why = match (is_known, instead(option)) {
            (true, _) => words.clone(),
            // The beginning of several names.
            (false, None) if words.contains("ambiguous") => words.clone(),
            (false, None) => "not known to this server".to_owned(),
            (false, Some(instead)) => format!("not known to this server; {instead}"),
        };
        text.push_str(&format!("\n  {}: {option}: {why}", place.in_full(base)));
        if !names.contains(&option.as_str()) {
            names.push(option);
        }
    }
    let these = if names.len() == 1 { "the line" } else { "them" };
    text.push_str(&format!(
        "\nhint: leave {these} out of both servers with `--drop {}`",
        names.join(",")
    ));
    let unknown = lines.iter().filter(|l| !l.is_known).count();
    if unknown == lines.len() {
        text.push_str(", or with `--drop-unknown`");
    } else if unknown > 0 {
        let bad: Vec<&str> =
            lines.iter().filter(|l| l.is_known).map(|l| l.option.as_str()).collect();
        text.push_str(&format!(", or with `--drop-unknown --drop {}`", bad.join(",")));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::toggle::Place;

    #[test]
    fn all_refused_lines_are_in_one_message() {
        let line = |line, option: &str, is_known, words: &str| RefusedLine {
            place: Place { at: line, included: None, line },
            option: option.to_owned(),
            is_known,
            words: words.to_owned(),
        };
        let lines = [
            line(3, "table_cache", false, "[ERROR] unknown variable 'table_cache=1'"),
            line(7, "sql_mode", true, "[ERROR] Error while setting value 'X' to 'sql_mode'."),
        ];
        let instead =
            |name: &str| (name == "table_cache").then(|| "now `table_open_cache`".to_owned());
        assert_eq!(
            refused_lines(&lines, &"my.cnf", instead),
            "the server does not start with the base file: it refuses 2 lines\n  \
             my.cnf:3: table_cache: not known to this server; now `table_open_cache`\n  \
             my.cnf:7: sql_mode: [ERROR] Error while setting value 'X' to 'sql_mode'.\n\
             hint: leave them out of both servers with `--drop table_cache,sql_mode`, or with \
             `--drop-unknown --drop sql_mode`"
        );
    }
}
