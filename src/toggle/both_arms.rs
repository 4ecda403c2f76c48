//! What is changed in both arms: lines that are dropped, options that are set, and the lines that a
//! sweep owns, neutralised or remapped.

use std::collections::BTreeMap;

use super::ToggleError;
use super::active::{Active, Stranger, append, left_out};
use super::build::{Draft, Scene};
use super::error::similar;
use super::fate::{Fate, fate};
use super::fresh::argument;
use super::place::Place;
use crate::optionfile::{Edit, holds_secret, normalise, redacted_line};

impl Scene<'_> {
    /// `--drop`, `--drop-unknown`, and what the sweep never lets through even if it is unknown.
    /// Gives the names of the options that are dropped.
    pub(super) fn drop(
        &self,
        active: &BTreeMap<String, Active>,
        strangers: &[Stranger],
        draft: &mut Draft,
    ) -> Result<Vec<String>, ToggleError> {
        let mut dropped = Vec::new();
        let wanted: Vec<String> = self.wishes.drop.iter().map(|name| self.option(name)).collect();
        let mut met = vec![false; wanted.len()];
        for Stranger { place, written, is_loose } in strangers {
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
                (None, _) if *is_loose => {
                    let why = "unknown to this server; `loose` makes it ignore the line";
                    draft.out.list.push(left_out(&name, Some(place.clone()), None, why));
                    continue;
                }
                (None, _) => {
                    let name = String::from_utf8_lossy(&redacted_line(written)).into_owned();
                    draft.out.unknown.push((place.clone(), name));
                    continue;
                }
            };
            draft.edits.push(Edit::CommentOut { line: place.at });
            draft.changed(place, &format!("`{name}` commented out: {why}"));
            draft.out.list.push(left_out(&name, Some(place.clone()), None, why));
        }
        for (index, name) in wanted.iter().enumerate() {
            match active.get(name) {
                Some(_) if dropped.contains(name) => {}
                Some(option) => {
                    draft.edits.extend(option.comment_out());
                    let why = "left out by --drop";
                    draft.changed(&option.place, &format!("`{name}` commented out: {why}"));
                    draft.out.list.push(option.left_out(why));
                    dropped.push(name.clone());
                }
                None if met[index] => {}
                None => {
                    let written = strangers.iter().map(|s| normalise(self.product, &s.written));
                    let known: Vec<String> = active.keys().cloned().chain(written).collect();
                    return Err(ToggleError::NothingToDrop {
                        name: self.wishes.drop[index].clone(),
                        similar: similar(name, known.iter().map(String::as_str)),
                    });
                }
            }
        }
        Ok(dropped)
    }

    /// `--both`. Gives the names of the options that are set, with their values.
    pub(super) fn both(
        &self,
        active: &BTreeMap<String, Active>,
        draft: &mut Draft,
    ) -> Result<BTreeMap<String, Option<String>>, ToggleError> {
        let mut set = BTreeMap::new();
        for (written, value) in &self.wishes.both {
            let wish = self.known("--both", written, value.as_deref())?;
            match fate(&wish.option) {
                Some(Fate::Drop(why) | Fate::Remap(_, why)) => {
                    return Err(ToggleError::Never { flag: "--both", name: written.clone(), why });
                }
                Some(Fate::Initialise(_)) => {
                    draft.out.initialise.push(argument(&wish.spelled, value.as_deref()));
                }
                Some(Fate::Keep(_)) | None => {}
            }
            if let Some(option) = active.get(&wish.option)
                && !set.contains_key(&wish.option)
                && !self.wishes.drop.iter().any(|name| self.option(name) == wish.option)
            {
                draft.edits.extend(option.comment_out());
                draft.out.list.push(option.left_out("set in both arms by --both"));
            }
            let shown = match value {
                Some(text) if holds_secret(wish.option.as_bytes(), Some(text.as_bytes())) => {
                    format!("{}=********", wish.spelled)
                }
                _ => wish.id(value.as_deref()),
            };
            draft.out.changed_in_both_arms.push(format!("`{shown}` in both arms: --both"));
            draft.out.appended.push(append(&wish.spelled, value.as_deref()));
            set.insert(wish.option, wish.value);
        }
        Ok(set)
    }

    /// A line that is never toggled.
    pub(super) fn never(&self, option: &Active, fate: Fate, draft: &mut Draft) {
        let Active { name, place, .. } = option;
        match fate {
            Fate::Keep(_) => {}
            Fate::Drop(why) => {
                draft.edits.extend(option.comment_out());
                draft.changed(place, &format!("`{name}` commented out: {why}"));
            }
            Fate::Remap(to, why) => draft.remap(name, place, to, why),
            Fate::Initialise(_) => {
                draft.out.initialise.push(argument(name, option.value_text().as_deref()))
            }
        }
        draft.out.list.push(option.left_out(fate.why()));
    }
}

impl Draft {
    /// Another value on a line of both arms.
    pub(super) fn remap(&mut self, name: &str, place: &Place, to: &str, why: &str) {
        self.edits.push(Edit::Set { line: place.at, value: Some(to.into()) });
        self.changed(place, &format!("`{name}` now `{to}`: {why}"));
    }
}
