//! The toggles of the lines of a file: active ones commented out and flipped, commented-out ones
//! enabled.

use super::active::{Active, append, as_bool, left_out, on_off, value_words};
use super::build::{Draft, Scene, Standing};
use super::fate::{Fate, fate};
use super::label::label;
use super::place::Place;
use super::words::{Action, Label, Status};
use super::{Toggle, Toggles};
use crate::catalog::{Argument, Kind};
use crate::optionfile::{
    Edit, Flattened, LineKind, Prefix, Resolved, holds_secret, normalise, resolve,
};

/// What a binary log is called whose line only names a directory.
const BINLOG: &str = "binlog";

impl Scene<'_> {
    /// An active line: commented out, and flipped if it is a boolean.
    pub(super) fn toggle(&self, option: &Active, draft: &mut Draft) {
        let name = option.name.as_str();
        if holds_secret(name.as_bytes(), option.resolved.value.as_deref()) {
            draft.out.list.push(option.left_out("a secret"));
            return;
        }
        if name == "log_bin" {
            return self.log_bin(option, draft);
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
        draft.out.list.push(Toggle {
            id: format!("{name}=default"),
            option: name.to_owned(),
            place: Some(option.place.clone()),
            action: Action::CommentOut,
            from: from.clone().or(effective.clone()),
            to: default.clone(),
            label: label(name, effective.as_deref(), default.as_deref()),
            status: Status::Planned,
            detail: String::new(),
            edits: option.comment_out().collect(),
            data_dir: None,
        });
        // Where the default is the other value, flipping is what commenting out does already.
        if let Some(now) = now
            && usual != Some(!now)
        {
            let to = on_off(!now);
            draft.out.list.push(Toggle {
                id: format!("{name}={to}"),
                option: name.to_owned(),
                place: Some(option.place.clone()),
                action: Action::Set,
                from: from.or(effective.clone()),
                to: Some(to.to_owned()),
                label: label(name, effective.as_deref(), Some(to)),
                status: Status::Planned,
                detail: String::new(),
                edits: self.flip(option, !now),
                data_dir: None,
            });
        }
    }

    /// The edits that give a boolean the value `on`.
    fn flip(&self, option: &Active, on: bool) -> Vec<Edit> {
        let plain = option.resolved.prefix.is_none() && !option.resolved.is_abbreviated;
        let variable = self.catalog.get(&option.name).is_some_and(|i| i.variable);
        if plain && variable {
            let value = Some(on_off(on).as_bytes().to_vec());
            return vec![Edit::Set { line: option.place.at, value }];
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
    fn log_bin(&self, option: &Active, draft: &mut Draft) {
        if is_switch(&option.resolved) {
            // `skip-log-bin` in the file: commenting it out brings the binary log back.
            draft.out.list.push(Toggle {
                id: "log_bin=default".to_owned(),
                option: option.name.clone(),
                place: Some(option.place.clone()),
                action: Action::CommentOut,
                from: option.value_text(),
                to: self.catalog.get("log_bin").and_then(|i| i.default.clone()),
                label: Label::None,
                status: Status::Planned,
                detail: String::new(),
                edits: option.comment_out().collect(),
                data_dir: None,
            });
            return;
        }
        if let Some(base) = option.value_text().as_deref().and_then(without_directory) {
            let why = "its directory is not in the container";
            draft.remap("log_bin", &option.place, base, why);
        }
        // The line stays: `skip-log-bin` behind it wins, and the line may be edited in both arms.
        let edits = vec![append("skip_log_bin", None)];
        draft.out.list.push(Toggle {
            id: "skip_log_bin".to_owned(),
            option: option.name.clone(),
            place: Some(option.place.clone()),
            action: Action::Append,
            from: option.value_text().or_else(|| Some("ON".to_owned())),
            to: Some("OFF".to_owned()),
            label: label("log_bin", Some("ON"), Some("OFF")),
            status: Status::Planned,
            detail: String::new(),
            edits,
            data_dir: None,
        });
    }

    /// Commented-out options: enabled, or another value of an active line.
    pub(super) fn commented(&self, file: &Flattened, standing: &Standing<'_>, out: &mut Toggles) {
        for line in file.file.lines() {
            let LineKind::CommentedOption { name, value } = &line.kind else { continue };
            if !line.group.is_some_and(|group| self.product.reads(group)) {
                continue;
            }
            let Ok(resolved) = resolve(self.product, name, value.as_deref(), &self.names) else {
                continue;
            };
            let info = self.catalog.get(&resolved.name);
            let needs_value = info.is_some_and(|i| i.argument == Argument::Required);
            // `# sort_buffer_size` is a heading, not an option.
            let is_heading = value.is_none() && needs_value && !is_switch(&resolved);
            if resolved.is_abbreviated || is_heading {
                continue;
            }
            let written = normalise(self.product, name);
            let place = Place::of(file, line.number);
            out.list.push(self.enabled(&resolved, &written, value.as_deref(), place, standing));
        }
    }

    fn enabled(
        &self,
        resolved: &Resolved,
        written: &str,
        value: Option<&[u8]>,
        place: Place,
        standing: &Standing<'_>,
    ) -> Toggle {
        let option = resolved.name.as_str();
        let plain = match resolved.prefix {
            None | Some(Prefix::Loose) => option.to_owned(),
            Some(_) => written.to_owned(),
        };
        let mut text = value.map(|v| String::from_utf8_lossy(v).into_owned());
        let mut to = value_words(resolved);
        let mut enable = Edit::Enable { line: place.at };
        if option == "log_bin"
            && !is_switch(resolved)
            && let Some(base) = text.as_deref().and_then(without_directory)
        {
            let base = base.to_owned();
            enable = Edit::EnableWith { line: place.at, value: Some(base.clone().into_bytes()) };
            to = Some(base.clone());
            text = Some(base);
        }
        let id = text.as_deref().map_or(plain.clone(), |v| format!("{plain}={v}"));
        let current = standing.get(option);
        let from = self.now(standing, option);
        let only_a_name = option == "log_bin"
            && !is_switch(resolved)
            && match current {
                Some(current) => !is_switch(&current.resolved),
                None => from.as_deref().and_then(as_bool) == Some(true),
            };
        let secret = holds_secret(option.as_bytes(), value);
        let why_not = if secret {
            Some("a secret")
        } else if standing.both.contains_key(option) {
            Some("set in both arms by --both")
        } else if only_a_name {
            Some("the binary log is on without it: the line would only name its file")
        } else {
            fate(option).map(Fate::why)
        };
        if let Some(why) = why_not {
            return Toggle {
                action: Action::Enable,
                id: if secret { plain } else { id },
                to: to.filter(|_| !secret),
                ..left_out(option, Some(place), None, why)
            };
        }
        let mut edits: Vec<Edit> = current.map(|c| c.comment_out().collect()).unwrap_or_default();
        edits.push(enable);
        Toggle {
            id,
            option: option.to_owned(),
            place: Some(place),
            action: Action::Enable,
            label: label(option, from.as_deref(), Some(to.as_deref().unwrap_or(""))),
            from,
            to: to.or_else(|| Some("ON".to_owned())),
            status: Status::Planned,
            detail: String::new(),
            edits,
            data_dir: None,
        }
    }
}

/// `skip-`, `disable-` or `enable-`: the line switches, and names no value.
fn is_switch(resolved: &Resolved) -> bool {
    matches!(resolved.prefix, Some(Prefix::Skip | Prefix::Disable | Prefix::Enable))
}

/// The file's name in a path; none where there is no directory to take away.
fn without_directory(path: &str) -> Option<&str> {
    let (_, name) = path.rsplit_once('/')?;
    Some(if name.is_empty() { BINLOG } else { name })
}
