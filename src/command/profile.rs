//! `cnfsweep profile`: the benchmarks.

use std::path::Path;

use super::failure::Failure;
use super::output;
use super::request::find_profile;
use crate::profile::{BUILTIN, Profile};

pub(super) fn list() -> Result<(), Failure> {
    let mut text = String::new();
    for (name, toml) in BUILTIN {
        let profile = Profile::parse(name, name, toml)?;
        let first = profile.about.split(". ").next().unwrap_or_default().replace('\n', " ");
        let first = first.split(':').next().unwrap_or_default();
        text.push_str(&format!("{name:<14} {}\n", first.trim_end_matches('.')));
    }
    output::text(&text)
}

pub(super) fn show(name: &str) -> Result<(), Failure> {
    output::text(&find_profile(name)?.text)
}

pub(super) fn check(file: &Path) -> Result<(), Failure> {
    let profile = find_profile(&file.to_string_lossy())?;
    output::note(&format!(
        "{}: fine; {} statement(s), {} table(s), {} rows",
        file.display(),
        profile.load.statements.len(),
        profile.tables.len(),
        profile.rows()
    ));
    Ok(())
}
