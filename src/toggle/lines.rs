//! The toggles of the lines of a file: active ones commented out and flipped, commented-out ones
//! enabled.

use super::active::{Active, append, as_bool, left_out, on_off, value_words};
use super::build::{Draft, Scene, Standing};
use super::fate::{Fate, fate};
use super::label::label;
use super::place::Place;
use super::words::{Action, Values};
use super::{Toggle, Toggles};
use crate::catalog::{Argument, Kind};
use crate::optionfile::{
    Edit, Flattened, LineKind, Prefix, Resolved, holds_secret, normalise, resolve,
};

/// What a binary log is called whose line only names a directory.
const BINLOG: &str = "binlog";

impl Scene<'_> {
    /// An active line: commented out, and flipped if it is a boolean.
    pub(super) fn toggle(&self, option: &Active, standing: &Standing<'_>, draft: &mut Draft) {
        let name = option.name.as_str();
        if holds_secret(name.as_bytes(), option.resolved.value.as_deref()) {
            draft.out.list.push(option.left_out("a secret"));
            return;
        }
        if name == "log_bin" {
            return self.log_bin(option, draft);
        }
        let info = self.catalog.get(name);
        let from = option.value_text();
        let default = self.default_of(name, from.as_deref());
        let now = match info.map(|i| i.kind) {
            Some(Kind::Boolean) => from.as_deref().map_or(Some(true), as_bool),
            _ => None,
        };
        let effective = now.map_or(from.clone(), |on| Some(on_off(on).to_owned()));
        let usual = default.as_deref().and_then(as_bool);
        let toggled = |id: String, action, to: Option<String>, edits| Toggle {
            place: Some(option.place.clone()),
            from: from.clone().or(effective.clone()),
            label: label(name, effective.as_deref(), to.as_deref()),
            to,
            edits,
            ..Toggle::of(id, name, action)
        };
        let default_id = format!("{name}=default");
        let edits = option.comment_out().collect();
        draft.out.list.push(toggled(default_id, Action::CommentOut, default.clone(), edits));
        // Where the default is the other value, flipping is what commenting out does already.
        if let Some(now) = now
            && usual != Some(!now)
        {
            let to = on_off(!now);
            let edits = self.flip(option, !now);
            let id = format!("{name}={to}");
            draft.out.list.push(toggled(id, Action::Set, Some(to.to_owned()), edits));
        }
        for value in self.alternatives(option, standing) {
            let edits = self.value_edits(Some(option), name, &value);
            let id = format!("{name}={value}");
            draft.out.list.push(toggled(id, Action::Set, Some(value), edits));
        }
        if info.is_some_and(|i| i.kind == Kind::FlagSet) {
            for (flag, value) in self.flags(option) {
                // Flag sets merge: what comes behind changes the flags that it names.
                let text = format!("{flag}={value}");
                let edits = vec![append(name, Some(&text))];
                let id = format!("{name}={text}");
                draft.out.list.push(toggled(id, Action::Append, Some(text), edits));
            }
        }
    }

    /// The flags that the line names, each at its default; none where there is but one, which
    /// commenting the line out sets back already.
    fn flags(&self, option: &Active) -> Vec<(String, String)> {
        if self.wishes.values == Values::Default {
            return Vec::new();
        }
        let pairs = |text: &str| -> Vec<(String, String)> {
            let pair = |p: &str| p.split_once('=').map(|(f, v)| (f.trim().into(), v.trim().into()));
            text.split(',').filter_map(pair).collect()
        };
        let info = self.catalog.get(&option.name);
        let defaults = info.and_then(|i| i.default.as_deref()).map(pairs).unwrap_or_default();
        let named = option.value_text().map(|text| pairs(&text)).unwrap_or_default();
        if named.len() < 2 {
            return Vec::new();
        }
        defaults
            .into_iter()
            .filter(|(flag, usual)| named.iter().any(|(f, v)| f == flag && v != usual))
            .collect()
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
                place: Some(option.place.clone()),
                from: option.value_text(),
                to: self.catalog.get("log_bin").and_then(|i| i.default.clone()),
                edits: option.comment_out().collect(),
                ..Toggle::of("log_bin=default".to_owned(), &option.name, Action::CommentOut)
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
            place: Some(option.place.clone()),
            from: option.value_text().or_else(|| Some("ON".to_owned())),
            to: Some("OFF".to_owned()),
            label: label("log_bin", Some("ON"), Some("OFF")),
            edits,
            ..Toggle::of("skip_log_bin".to_owned(), &option.name, Action::Append)
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
        let current = standing.get(option);
        let from = match current {
            Some(_) => self.now(standing, option),
            None if standing.both.contains_key(option) => self.now(standing, option),
            None => self.default_of(option, text.as_deref()),
        };
        let mut shrunk = None;
        let mut too_big = false;
        if let Some(size) = text.clone() {
            match self.fitted(&standing.room, option, from.as_deref(), &size) {
                Some(new) if new == size => {}
                Some(new) => {
                    let value = Some(new.clone().into_bytes());
                    enable = Edit::EnableWith { line: place.at, value };
                    to = Some(new.clone());
                    text = Some(new);
                    shrunk = Some(size);
                }
                None => too_big = true,
            }
        }
        let id = text.as_deref().map_or(plain.clone(), |v| format!("{plain}={v}"));
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
        } else if too_big {
            Some("two servers with it don't fit into memory")
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
        let mut toggle = Toggle {
            place: Some(place),
            label: label(option, from.as_deref(), Some(to.as_deref().unwrap_or(""))),
            from,
            to: to.or_else(|| Some("ON".to_owned())),
            edits,
            ..Toggle::of(id, option, Action::Enable)
        };
        if let Some(text) = shrunk {
            toggle.remark(&format!("the line says {text}, which does not fit"));
        }
        toggle
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
