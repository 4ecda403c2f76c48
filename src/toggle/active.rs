//! What the active lines of a file come to: one [`Active`] per option, and the strangers that the
//! server does not know.

use std::collections::BTreeMap;

use super::Toggle;
use super::build::Scene;
use super::place::Place;
use super::words::{Action, Status};
use crate::optionfile::{
    Argument, Edit, Flattened, NameError, Prefix, Resolved, effective, holds_secret, resolve,
};

/// An option that active lines of the file set.
pub(super) struct Active {
    /// Canonical; with its instance (`hot.key_buffer_size`) or `maximum_` where it has one.
    pub(super) name: String,
    /// Every line that sets it.
    lines: Vec<usize>,
    /// The line that counts.
    pub(super) place: Place,
    /// As the counting line resolves.
    pub(super) resolved: Resolved,
}

/// An active line whose option the server does not know.
pub(super) struct Stranger {
    pub(super) place: Place,
    pub(super) written: Vec<u8>,
    /// `loose-`: the server only warns.
    pub(super) is_loose: bool,
}

impl Scene<'_> {
    /// Options of the file by name, and the arguments that this server does not know.
    pub(super) fn active(
        &self,
        file: &Flattened,
        arguments: &[Argument],
    ) -> (BTreeMap<String, Active>, Vec<Stranger>) {
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
                    place: Place::of(file, counting.origin.line),
                    resolved,
                },
            );
        }
        let strangers = unresolved
            .into_iter()
            .filter_map(|(index, error)| {
                let argument = arguments.get(index)?;
                let is_loose = matches!(error, NameError::Unknown { is_loose: true, .. });
                let place = Place::of(file, argument.origin.line);
                Some(Stranger { place, written: argument.name.clone(), is_loose })
            })
            .collect();
        (active, strangers)
    }
}

impl Active {
    pub(super) fn comment_out(&self) -> impl Iterator<Item = Edit> {
        self.lines.iter().map(|line| Edit::CommentOut { line: *line })
    }

    /// The value that takes effect; none for a bare option.
    pub(super) fn value_text(&self) -> Option<String> {
        value_words(&self.resolved)
    }

    pub(super) fn left_out(&self, why: &str) -> Toggle {
        let secret = holds_secret(self.name.as_bytes(), self.resolved.value.as_deref());
        let from = self.value_text().filter(|_| !secret);
        left_out(&self.name, Some(self.place.clone()), from, why)
    }
}

/// The value that takes effect, as people write it: ON and OFF where a prefix such as `skip-`
/// switches.
pub(super) fn value_words(resolved: &Resolved) -> Option<String> {
    let value = String::from_utf8_lossy(resolved.value.as_deref()?).into_owned();
    let switches = [Prefix::Skip, Prefix::Disable, Prefix::Enable].map(Some);
    Some(if switches.contains(&resolved.prefix) { on_off(value != "0").to_owned() } else { value })
}

/// A row of something that is not measured.
pub(super) fn left_out(
    option: &str,
    place: Option<Place>,
    from: Option<String>,
    why: &str,
) -> Toggle {
    let id = from.as_deref().map_or_else(|| option.to_owned(), |v| format!("{option}={v}"));
    Toggle {
        place,
        from,
        status: Status::LeftOut,
        detail: why.to_owned(),
        ..Toggle::of(id, option, Action::Keep)
    }
}

pub(super) fn append(name: &str, value: Option<&str>) -> Edit {
    Edit::Append { name: name.into(), value: value.map(|v| v.as_bytes().to_vec()) }
}

pub(super) fn on_off(on: bool) -> &'static str {
    if on { "ON" } else { "OFF" }
}

/// A boolean's text, as servers read it; anything that is neither counts as off there.
pub(super) fn as_bool(text: &str) -> Option<bool> {
    match text.trim().to_ascii_lowercase().as_str() {
        "on" | "true" | "1" => Some(true),
        "off" | "false" | "0" => Some(false),
        _ => None,
    }
}
