//! From the lines of a file and what a server knows to the list of toggles.

use std::collections::BTreeMap;

use super::fate::{Fate, fate};
use super::label::label;
use super::words::{Action, Label, Status};
use super::{Toggle, Toggles, Wishes};
use crate::catalog::{Catalog, Kind};
use crate::optionfile::{
    Argument, Edit, EditError, LineKind, MemoryLoader, Names, OptionFile, Prefix, Product,
    ReadError, Resolved, effective, is_secret, normalise, resolve,
};

/// Why a file and the user's wishes give no list of toggles.
#[derive(Debug, thiserror::Error)]
pub enum ToggleError {
    /// The server would not read the file.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// A line can't be changed as it would have to be.
    #[error(transparent)]
    Edit(#[from] EditError),
    /// A wish names an option that the server does not have.
    #[error("{flag} {name}: this server has no such option{}", similar_words(similar))]
    Unknown {
        /// The flag.
        flag: &'static str,
        /// The name, as given.
        name: String,
        /// Names that look like it.
        similar: Vec<String>,
    },
    /// `--drop` names an option that the file does not have.
    #[error("--drop {0}: no active line of the file sets it")]
    NothingToDrop(String),
    /// A wish is for an option that is never toggled.
    #[error("{flag} {name}: never toggled: {why}")]
    Never {
        /// The flag.
        flag: &'static str,
        /// The name, as given.
        name: String,
        /// The reason.
        why: &'static str,
    },
}

fn similar_words(similar: &[String]) -> String {
    match similar {
        [] => String::new(),
        names => format!("; did you mean {}?", names.join(", ")),
    }
}

/// An option that active lines of the file set.
struct Active {
    name: String,
    /// Every line that sets it; the last one counts unless the option keeps the first.
    lines: Vec<usize>,
    /// The line that counts.
    line: usize,
    /// As the counting line resolves.
    resolved: Resolved,
    /// Value as written on the counting line.
    written: Option<Vec<u8>>,
}

/// An active line whose option the server does not know.
struct Stranger {
    line: usize,
    written: Vec<u8>,
    /// `loose-`: the server only warns.
    is_loose: bool,
}

/// What everything here looks at.
struct Scene<'a> {
    product: &'a Product,
    catalog: &'a Catalog,
    names: Names,
    wishes: &'a Wishes,
}

/// Makes the list. `file` has its includes in place already.
///
/// # Errors
/// When the server would not read the file, a wish can't be met, or a line can't be changed.
pub fn build(
    file: &OptionFile,
    product: &Product,
    catalog: &Catalog,
    wishes: &Wishes,
) -> Result<Toggles, ToggleError> {
    let scene = Scene { product, catalog, names: catalog.names(), wishes };
    let arguments = file.arguments(product, &MemoryLoader::default())?.list;
    let (active, strangers) = scene.active(&arguments);
    let mut out = Toggles {
        file: file.clone(),
        appended: Vec::new(),
        changed_in_both_arms: Vec::new(),
        initialise: Vec::new(),
        unknown: Vec::new(),
        list: Vec::new(),
    };
    let mut edits = Vec::new();
    let dropped = scene.drop(&active, &strangers, &mut edits, &mut out)?;
    scene.both(&active, &mut edits, &mut out)?;
    let changed = |name: &str| dropped.iter().any(|d| d == name) || scene.is_set_in_both_arms(name);
    for option in active.values().filter(|a| !changed(&a.name)) {
        match fate(&option.name) {
            Some(fate) => scene.never(option, fate, &mut edits, &mut out),
            None => scene.toggle(option, &mut edits, &mut out),
        }
    }
    out.file = file.apply(product, &edits)?;
    scene.commented(file, &active, &mut out);
    scene.wished(&active, &mut out)?;
    scene.filter(&mut out.list);
    out.list.sort_by_key(|t| t.line.unwrap_or(usize::MAX));
    unique(&mut out.list);
    Ok(out)
}

impl Scene<'_> {
    /// Options of the file by name, and the arguments that this server does not know.
    fn active(&self, arguments: &[Argument]) -> (BTreeMap<String, Active>, Vec<Stranger>) {
        let (options, unresolved) = effective(self.product, arguments, &self.names);
        let mut active: BTreeMap<String, Active> = BTreeMap::new();
        for option in options {
            let mut all: Vec<usize> = option.counting.clone();
            all.extend(&option.superseded);
            all.sort_unstable();
            let Some(counting) = option.counting.last().and_then(|i| arguments.get(*i)) else {
                continue;
            };
            let value = counting.value.as_deref();
            let Ok(resolved) = resolve(self.product, &counting.name, value, &self.names) else {
                continue;
            };
            let lines = all.iter().filter_map(|i| Some(arguments.get(*i)?.origin.line)).collect();
            active.insert(
                option.name.clone(),
                Active {
                    name: option.name,
                    lines,
                    line: counting.origin.line,
                    resolved,
                    written: counting.value.clone(),
                },
            );
        }
        let strangers = unresolved
            .into_iter()
            .filter_map(|(index, error)| {
                let argument = arguments.get(index)?;
                let is_loose =
                    matches!(error, crate::optionfile::NameError::Unknown { is_loose: true, .. });
                let (line, written) = (argument.origin.line, argument.name.clone());
                Some(Stranger { line, written, is_loose })
            })
            .collect();
        (active, strangers)
    }

    /// `--drop`, `--drop-unknown`, and what the sweep never lets through even if it is unknown.
    fn drop(
        &self,
        active: &BTreeMap<String, Active>,
        strangers: &[Stranger],
        edits: &mut Vec<Edit>,
        out: &mut Toggles,
    ) -> Result<Vec<String>, ToggleError> {
        let mut dropped = Vec::new();
        let wanted: Vec<String> =
            self.wishes.drop.iter().map(|name| self.canonical(name)).collect();
        let mut met = vec![false; wanted.len()];
        for Stranger { line, written, is_loose } in strangers {
            let name = normalise(self.product, written);
            let bare = name.trim_start_matches("loose_");
            let wish = wanted.iter().position(|w| *w == name || w == bare);
            let why = match (wish, fate(bare)) {
                (Some(index), _) => {
                    met[index] = true;
                    "left out by --drop"
                }
                (None, Some(Fate::Drop(why))) => why,
                (None, _) if self.wishes.drop_unknown && !is_loose => {
                    "unknown to this server, left out by --drop-unknown"
                }
                (None, _) => {
                    if !is_loose {
                        out.unknown.push((*line, String::from_utf8_lossy(written).into_owned()));
                    }
                    let why = "unknown to this server; `loose` makes it ignore the line";
                    if *is_loose {
                        out.list.push(left_out(&name, Some(*line), None, why));
                    }
                    continue;
                }
            };
            edits.push(Edit::CommentOut { line: *line });
            out.changed_in_both_arms.push(format!("line {line}: `{name}` commented out: {why}"));
            out.list.push(left_out(&name, Some(*line), None, why));
        }
        for (index, name) in wanted.iter().enumerate() {
            match active.get(name) {
                Some(option) => {
                    edits.extend(option.comment_out());
                    let why = "left out by --drop";
                    out.changed_in_both_arms
                        .push(format!("line {}: `{name}` commented out: {why}", option.line));
                    out.list.push(option.left_out(why));
                    dropped.push(name.clone());
                }
                None if met[index] => {}
                None => return Err(ToggleError::NothingToDrop(self.wishes.drop[index].clone())),
            }
        }
        Ok(dropped)
    }

    /// `--both`.
    fn both(
        &self,
        active: &BTreeMap<String, Active>,
        edits: &mut Vec<Edit>,
        out: &mut Toggles,
    ) -> Result<(), ToggleError> {
        for (written, value) in &self.wishes.both {
            let name = self.known("--both", written)?;
            if let Some(option) = active.get(&name) {
                edits.extend(option.comment_out());
                out.list.push(option.left_out("set in both arms by --both"));
            }
            let to = value.as_deref().map_or_else(|| name.clone(), |v| format!("{name}={v}"));
            out.changed_in_both_arms.push(format!("`{to}` in both arms: --both"));
            out.appended.push(append(&name, value.as_deref()));
        }
        Ok(())
    }

    fn is_set_in_both_arms(&self, name: &str) -> bool {
        self.wishes.both.iter().any(|(written, _)| self.canonical(written) == name)
    }

    /// A line that is never toggled.
    fn never(&self, option: &Active, fate: Fate, edits: &mut Vec<Edit>, out: &mut Toggles) {
        let line = option.line;
        let name = &option.name;
        let why = match fate {
            Fate::Keep(why) => why,
            Fate::Drop(why) => {
                edits.extend(option.comment_out());
                out.changed_in_both_arms
                    .push(format!("line {line}: `{name}` commented out: {why}"));
                why
            }
            Fate::Remap(to, why) => {
                edits.push(Edit::Set { line, value: Some(to.into()) });
                out.changed_in_both_arms.push(format!("line {line}: `{name}` now `{to}`: {why}"));
                why
            }
            Fate::Initialise(why) => {
                let value = option.value_text().unwrap_or_default();
                out.initialise.push(format!("--{}={value}", name.replace('_', "-")));
                why
            }
        };
        out.list.push(option.left_out(why));
    }

    /// An active line: commented out, and flipped if it is a boolean.
    fn toggle(&self, option: &Active, edits: &mut Vec<Edit>, out: &mut Toggles) {
        let name = option.name.as_str();
        if is_secret(name.as_bytes()) {
            out.list.push(option.left_out("a secret"));
            return;
        }
        if name == "log_bin" {
            return self.log_bin(option, edits, out);
        }
        let info = self.catalog.get(name);
        let default = info.and_then(|i| i.default.clone());
        let from = option.value_text();
        let now = match info.map(|i| i.kind) {
            Some(Kind::Boolean) => from.as_deref().map_or(Some(true), as_bool),
            _ => None,
        };
        let effective = now.map_or(from.clone(), |on| Some(on_off(on).to_owned()));
        let usual = default.as_deref().and_then(as_bool);
        out.list.push(Toggle {
            id: format!("{name}=default"),
            option: name.to_owned(),
            line: Some(option.line),
            action: Action::CommentOut,
            from: from.clone().or(effective.clone()),
            to: default.clone(),
            label: label(name, effective.as_deref(), default.as_deref()),
            status: Status::Planned,
            detail: String::new(),
            edits: option.comment_out().collect(),
        });
        // Where the default is the other value, flipping is what commenting out does already.
        if let Some(now) = now
            && usual != Some(!now)
        {
            let to = on_off(!now);
            out.list.push(Toggle {
                id: format!("{name}={to}"),
                option: name.to_owned(),
                line: Some(option.line),
                action: Action::Set,
                from: from.or(effective.clone()),
                to: Some(to.to_owned()),
                label: label(name, effective.as_deref(), Some(to)),
                status: Status::Planned,
                detail: String::new(),
                edits: self.flip(option, !now),
            });
        }
    }

    /// The edits that give a boolean the value `on`.
    fn flip(&self, option: &Active, on: bool) -> Vec<Edit> {
        let plain = option.resolved.prefix.is_none() && !option.resolved.is_abbreviated;
        let variable = self.catalog.get(&option.name).is_some_and(|i| i.variable);
        if plain && variable {
            let value = Some(on_off(on).as_bytes().to_vec());
            return vec![Edit::Set { line: option.line, value }];
        }
        // `skip-x=OFF` would still switch x off: the line goes, another one comes.
        let mut edits: Vec<Edit> = option.comment_out().collect();
        edits.push(match (variable, on) {
            (true, _) => append(&option.name, Some(on_off(on))),
            (false, true) => append(&option.name, None),
            (false, false) => append(&format!("skip_{}", option.name), None),
        });
        edits
    }

    /// `log_bin` takes a file name, and commenting it out only changes that name where binary
    /// logging is on by default: it is switched off with `skip-log-bin`.
    fn log_bin(&self, option: &Active, edits: &mut Vec<Edit>, out: &mut Toggles) {
        let Some(value) = option.value_text() else {
            return self.switch_off_log_bin(option, out);
        };
        if option.resolved.prefix.is_some() {
            // `skip-log-bin` in the file: commenting it out brings the binary log back.
            out.list.push(Toggle {
                id: "log_bin=default".to_owned(),
                option: option.name.clone(),
                line: Some(option.line),
                action: Action::CommentOut,
                from: Some("OFF".to_owned()),
                to: self.catalog.get("log_bin").and_then(|i| i.default.clone()),
                label: Label::None,
                status: Status::Planned,
                detail: String::new(),
                edits: option.comment_out().collect(),
            });
            return;
        }
        let base = value.rsplit('/').next().unwrap_or_default();
        if value.contains('/') && !base.is_empty() {
            edits.push(Edit::Set { line: option.line, value: Some(base.into()) });
            out.changed_in_both_arms.push(format!(
                "line {}: `log_bin` now `{base}`: its directory is not in the container",
                option.line
            ));
        }
        self.switch_off_log_bin(option, out);
    }

    fn switch_off_log_bin(&self, option: &Active, out: &mut Toggles) {
        // The line stays: `skip-log-bin` behind it wins, and the line may be edited in both arms.
        let edits = vec![append("skip_log_bin", None)];
        out.list.push(Toggle {
            id: "skip_log_bin".to_owned(),
            option: option.name.clone(),
            line: Some(option.line),
            action: Action::Append,
            from: option.value_text().or_else(|| Some("ON".to_owned())),
            to: Some("OFF".to_owned()),
            label: label("log_bin", Some("ON"), Some("OFF")),
            status: Status::Planned,
            detail: String::new(),
            edits,
        });
    }

    /// Commented-out options: enabled, or another value of an active line.
    fn commented(&self, file: &OptionFile, active: &BTreeMap<String, Active>, out: &mut Toggles) {
        for line in file.lines() {
            let LineKind::CommentedOption { name, value } = &line.kind else { continue };
            if !line.group.is_some_and(|group| self.product.reads(group)) {
                continue;
            }
            let Ok(resolved) = resolve(self.product, name, value.as_deref(), &self.names) else {
                continue;
            };
            if resolved.is_abbreviated {
                continue;
            }
            let option = resolved.name.as_str();
            let text = value.as_deref().map(|v| String::from_utf8_lossy(v).into_owned());
            let info = self.catalog.get(option);
            let needs_value =
                info.is_some_and(|i| i.argument == crate::catalog::Argument::Required);
            if text.is_none() && needs_value {
                // `# sort_buffer_size` is a heading, not an option.
                continue;
            }
            let plain = match resolved.prefix {
                None | Some(Prefix::Loose) => option.to_owned(),
                Some(_) => normalise(self.product, name),
            };
            let id = text.as_deref().map_or(plain.clone(), |v| format!("{plain}={v}"));
            let why_not = if is_secret(option.as_bytes()) {
                Some("a secret")
            } else if self.is_set_in_both_arms(option) {
                Some("set in both arms by --both")
            } else {
                fate(option).map(Fate::why)
            };
            if let Some(why) = why_not {
                let shown = text.filter(|_| !is_secret(option.as_bytes()));
                let mut row = left_out(option, Some(line.number), None, why);
                row.action = Action::Enable;
                row.id = shown.as_deref().map_or(plain.clone(), |v| format!("{plain}={v}"));
                row.to = shown;
                out.list.push(row);
                continue;
            }
            let to = resolved.value.as_deref().map(|v| String::from_utf8_lossy(v).into_owned());
            let current = active.get(option);
            let from = match current {
                Some(current) => current.value_text(),
                None => info.and_then(|i| i.default.clone()),
            };
            let mut edits: Vec<Edit> =
                current.map(|c| c.comment_out().collect()).unwrap_or_default();
            edits.push(Edit::Enable { line: line.number });
            out.list.push(Toggle {
                id,
                option: option.to_owned(),
                line: Some(line.number),
                action: Action::Enable,
                label: label(option, from.as_deref(), Some(to.as_deref().unwrap_or(""))),
                from,
                to: to.or_else(|| Some("ON".to_owned())),
                status: Status::Planned,
                detail: String::new(),
                edits,
            });
        }
    }

    /// `--set` and `--also`.
    fn wished(
        &self,
        active: &BTreeMap<String, Active>,
        out: &mut Toggles,
    ) -> Result<(), ToggleError> {
        for (written, values) in &self.wishes.set {
            let name = self.known("--set", written)?;
            if let Some(fate) = fate(&name) {
                let name = written.clone();
                return Err(ToggleError::Never { flag: "--set", name, why: fate.why() });
            }
            let current = active.get(&name);
            for value in values {
                let (action, line, edits) = match current {
                    Some(option) if option.resolved.prefix.is_none() => {
                        let value = Some(value.as_bytes().to_vec());
                        let edit = Edit::Set { line: option.line, value };
                        (Action::Set, Some(option.line), vec![edit])
                    }
                    Some(option) => {
                        let mut edits: Vec<Edit> = option.comment_out().collect();
                        edits.push(append(&name, Some(value)));
                        (Action::Set, Some(option.line), edits)
                    }
                    None => (Action::Append, None, vec![append(&name, Some(value))]),
                };
                out.list.push(self.wish(&name, current, Some(value), action, line, edits));
            }
        }
        for (written, value) in &self.wishes.also {
            let name = self.known("--also", written)?;
            if let Some(fate) = fate(&name) {
                let name = written.clone();
                return Err(ToggleError::Never { flag: "--also", name, why: fate.why() });
            }
            let current = active.get(&name);
            let edits = vec![append(&name, value.as_deref())];
            out.list.push(self.wish(&name, current, value.as_deref(), Action::Append, None, edits));
        }
        Ok(())
    }

    fn wish(
        &self,
        name: &str,
        current: Option<&Active>,
        value: Option<&str>,
        action: Action,
        line: Option<usize>,
        edits: Vec<Edit>,
    ) -> Toggle {
        let from = match current {
            Some(option) => option.value_text(),
            None => self.catalog.get(name).and_then(|i| i.default.clone()),
        };
        Toggle {
            id: value.map_or_else(|| name.to_owned(), |v| format!("{name}={v}")),
            option: name.to_owned(),
            line,
            action,
            label: label(name, from.as_deref(), Some(value.unwrap_or(""))),
            from,
            to: Some(value.unwrap_or("ON").to_owned()),
            status: Status::Planned,
            detail: String::new(),
            edits,
        }
    }

    /// `--only` and `--skip`.
    fn filter(&self, list: &mut [Toggle]) {
        let any = |patterns: &[glob::Pattern], t: &Toggle| {
            patterns.iter().any(|p| p.matches(&t.option) || p.matches(&t.id))
        };
        for toggle in list.iter_mut().filter(|t| t.status == Status::Planned) {
            let why = if any(&self.wishes.skip, toggle) {
                "not asked for (--skip)"
            } else if !self.wishes.only.is_empty() && !any(&self.wishes.only, toggle) {
                "not asked for (--only)"
            } else {
                continue;
            };
            toggle.status = Status::LeftOut;
            why.clone_into(&mut toggle.detail);
        }
    }

    fn canonical(&self, written: &str) -> String {
        normalise(self.product, written.trim().as_bytes())
    }

    /// The canonical name of an option that a flag names; `skip_x` and its like stay as written.
    fn known(&self, flag: &'static str, written: &str) -> Result<String, ToggleError> {
        let name = self.canonical(written);
        match resolve(self.product, name.as_bytes(), None, &self.names) {
            Ok(resolved) if resolved.prefix.is_some() => Ok(name),
            Ok(resolved) => Ok(resolved.name),
            Err(_) => Err(ToggleError::Unknown {
                flag,
                name: written.to_owned(),
                similar: self.similar(&name),
            }),
        }
    }

    fn similar(&self, name: &str) -> Vec<String> {
        const SHOWN: usize = 3;
        let mut near: Vec<(usize, &String)> = self
            .catalog
            .options
            .keys()
            .map(|known| (distance(name, known), known))
            .filter(|(distance, _)| *distance <= 1 + name.len() / 5)
            .collect();
        near.sort();
        near.into_iter().take(SHOWN).map(|(_, known)| known.clone()).collect()
    }
}

impl Active {
    fn comment_out(&self) -> impl Iterator<Item = Edit> {
        self.lines.iter().map(|line| Edit::CommentOut { line: *line })
    }

    /// The value that takes effect, or what is written; none for a bare option.
    fn value_text(&self) -> Option<String> {
        let value = self.resolved.value.as_deref().or(self.written.as_deref())?;
        Some(String::from_utf8_lossy(value).into_owned())
    }

    fn left_out(&self, why: &str) -> Toggle {
        let from = self.value_text().filter(|_| !is_secret(self.name.as_bytes()));
        left_out(&self.name, Some(self.line), from, why)
    }
}

fn left_out(option: &str, line: Option<usize>, from: Option<String>, why: &str) -> Toggle {
    Toggle {
        id: from.as_deref().map_or_else(|| option.to_owned(), |v| format!("{option}={v}")),
        option: option.to_owned(),
        line,
        action: Action::Keep,
        from,
        to: None,
        label: Label::None,
        status: Status::LeftOut,
        detail: why.to_owned(),
        edits: Vec::new(),
    }
}

fn append(name: &str, value: Option<&str>) -> Edit {
    Edit::Append { name: name.into(), value: value.map(|v| v.as_bytes().to_vec()) }
}

fn on_off(on: bool) -> &'static str {
    if on { "ON" } else { "OFF" }
}

/// A boolean's text, as servers read it; anything that is neither counts as off there.
fn as_bool(text: &str) -> Option<bool> {
    match text.trim().to_ascii_lowercase().as_str() {
        "on" | "true" | "1" => Some(true),
        "off" | "false" | "0" => Some(false),
        _ => None,
    }
}

/// Two toggles of one id would overwrite each other's files: the first stays, as the one asked for
/// by the file; the other is the same change.
fn unique(list: &mut Vec<Toggle>) {
    let mut seen: Vec<String> = Vec::new();
    list.retain(|toggle| {
        if toggle.status != Status::Planned {
            return true;
        }
        let new = !seen.contains(&toggle.id);
        if new {
            seen.push(toggle.id.clone());
        }
        new
    });
}

/// Edits between two names (Levenshtein).
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, ca) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, cb) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(ca != *cb);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}
