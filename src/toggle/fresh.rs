//! Options that act on what is created while they hold: tables, data files, schemas. On a data
//! directory that was made without them they say little, so theirs is made with them.

use std::collections::BTreeMap;

use super::build::{Scene, Standing};
use super::words::{Action, Status};
use super::{Toggle, Toggles};

const FRESH: &[&str] = &[
    "innodb_file_per_table",
    "innodb_default_row_format",
    "innodb_checksum_algorithm",
    "character_set_server",
    "collation_server",
];

/// Whether an option acts on what is created while it holds.
fn acts_on_creation(option: &str) -> bool {
    FRESH.contains(&option)
}

/// As the server takes it on its command line.
pub(super) fn argument(name: &str, value: Option<&str>) -> String {
    let name = name.replace('_', "-");
    value.map_or_else(|| format!("--{name}"), |value| format!("--{name}={value}"))
}

impl Scene<'_> {
    /// The arguments that data directories are made with: those of both arms, and of toggles that
    /// need another one.
    pub(super) fn data_dirs(&self, standing: &Standing<'_>, out: &mut Toggles) {
        let fixed = out.initialise.clone();
        let in_file = standing.active.values().filter(|a| !standing.is_changed(&a.name));
        let in_base: BTreeMap<String, Option<String>> = in_file
            .map(|option| (option.name.clone(), option.value_text()))
            .chain(standing.both.clone())
            .filter(|(name, _)| acts_on_creation(name))
            .collect();
        let with = |values: &BTreeMap<String, Option<String>>| -> Vec<String> {
            let differing = values.iter().filter(|(name, v)| !self.is_default(name, v.as_deref()));
            let made = differing.map(|(name, value)| argument(name, value.as_deref()));
            fixed.iter().cloned().chain(made).collect()
        };
        let base = with(&in_base);
        for toggle in out.list.iter_mut().filter(|t| t.status == Status::Planned) {
            let mut values = in_base.clone();
            for (option, value) in changes(toggle) {
                if acts_on_creation(&option) {
                    match value {
                        Some(value) => values.insert(option, Some(value)),
                        None => values.remove(&option),
                    };
                }
            }
            let made_with = with(&values);
            if made_with != base {
                toggle.remark("on a data directory of its own");
                toggle.data_dir = Some(made_with);
            }
        }
        out.initialise = base;
    }

    /// Whether a server that was given nothing has that value.
    fn is_default(&self, name: &str, value: Option<&str>) -> bool {
        let Some(info) = self.catalog.get(name) else { return false };
        let Some(default) = info.default.as_deref() else { return false };
        self.meaning(info, value.unwrap_or("ON")) == self.meaning(info, default)
    }
}

/// Options that a toggle changes, with their values; none where the default holds.
fn changes(toggle: &Toggle) -> Vec<(String, Option<String>)> {
    let first = match toggle.action {
        Action::CommentOut | Action::Keep => None,
        // A toggle of several options shows all their values.
        _ => toggle.to.as_deref().map(|to| to.split(" + ").next().unwrap_or(to).to_owned()),
    };
    let others = toggle.with.iter().map(|c| (c.option.clone(), c.value.clone()));
    std::iter::once((toggle.option.clone(), first)).chain(others).collect()
}
