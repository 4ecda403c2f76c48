//! What the user asks for beside the file: `--set`, `--also`, `--only`, `--skip`.

use super::active::{Active, append, value_words};
use super::build::{Scene, Standing};
use super::error::similar_in;
use super::fate::{Fate, fate};
use super::label::label;
use super::place::Place;
use super::words::{Action, Status};
use super::{Toggle, ToggleError, Toggles, Wishes};
use crate::optionfile::{Edit, holds_secret, normalise, resolve};

/// An option as a flag names it.
pub(super) struct Wish {
    /// As it is written into the file: canonical spelling, prefix kept (`skip_log_bin`).
    pub(super) spelled: String,
    /// The option that it means (`log_bin`).
    pub(super) option: String,
    /// The value that takes effect; none where it is bare.
    pub(super) value: Option<String>,
}

impl Wish {
    /// Reads like an option line.
    pub(super) fn id(&self, value: Option<&str>) -> String {
        value.map_or_else(|| self.spelled.clone(), |v| format!("{}={v}", self.spelled))
    }
}

impl Wishes {
    /// The patterns of `--only` and `--skip` that match none of these, with their flags: most
    /// likely misspelt.
    pub fn unmatched(&self, list: &[Toggle]) -> Vec<String> {
        let of = |flag: &'static str, patterns: &[glob::Pattern]| -> Vec<String> {
            let met = |p: &glob::Pattern| list.iter().any(|toggle| matches(p, toggle));
            patterns.iter().filter(|p| !met(p)).map(|p| format!("{flag} {p}")).collect()
        };
        [of("--only", &self.only), of("--skip", &self.skip)].concat()
    }
}

fn matches(pattern: &glob::Pattern, toggle: &Toggle) -> bool {
    let mut names = toggle.with.iter().map(|c| &c.option).chain([&toggle.option]);
    names.any(|name| pattern.matches(name)) || pattern.matches(&toggle.id.replace('-', "_"))
}

impl Scene<'_> {
    /// `--set` and `--also`.
    pub(super) fn wished(
        &self,
        standing: &Standing<'_>,
        out: &mut Toggles,
    ) -> Result<(), ToggleError> {
        for (written, values) in &self.wishes.set {
            for value in values {
                let wish = self.toggled("--set", written, Some(value))?;
                let current = standing.get(&wish.option);
                let action = current.map_or(Action::Append, |_| Action::Set);
                let place = current.map(|option| option.place.clone());
                let edits = self.value_edits(current, &wish.spelled, value);
                out.list.push(self.wish(&wish, standing, Some(value), action, place, edits));
            }
        }
        for (written, value) in &self.wishes.also {
            let value = value.as_deref();
            let wish = self.toggled("--also", written, value)?;
            let edits = vec![append(&wish.spelled, value)];
            out.list.push(self.wish(&wish, standing, value, Action::Append, None, edits));
        }
        Ok(())
    }

    fn wish(
        &self,
        wish: &Wish,
        standing: &Standing<'_>,
        value: Option<&str>,
        action: Action,
        place: Option<Place>,
        edits: Vec<Edit>,
    ) -> Toggle {
        let from = self.now(standing, &wish.option);
        Toggle {
            place,
            label: label(&wish.option, from.as_deref(), Some(wish.value.as_deref().unwrap_or(""))),
            from,
            to: Some(wish.value.clone().unwrap_or_else(|| "ON".to_owned())),
            edits,
            ..Toggle::of(wish.id(value), &wish.option, action)
        }
    }

    /// The value of the unchanged server, as far as the file and the defaults tell.
    pub(super) fn now(&self, standing: &Standing<'_>, option: &str) -> Option<String> {
        if let Some(value) = standing.both.get(option) {
            return value.clone().or_else(|| Some("ON".to_owned()));
        }
        match standing.get(option) {
            Some(active) => active.value_text(),
            None => self.default_of(option, None),
        }
    }

    /// `--only` and `--skip`.
    pub(super) fn filter(&self, list: &mut [Toggle]) {
        let any = |patterns: &[glob::Pattern], t: &Toggle| patterns.iter().any(|p| matches(p, t));
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

    /// The option that a name means, whatever its prefix; the name itself where the server does
    /// not know it.
    pub(super) fn option(&self, written: &str) -> String {
        let name = normalise(self.product, written.trim().as_bytes());
        resolve(self.product, name.as_bytes(), None, &self.names).map_or(name, |r| r.name)
    }

    /// An option that a flag names, which is to be toggled.
    fn toggled(
        &self,
        flag: &'static str,
        written: &str,
        value: Option<&str>,
    ) -> Result<Wish, ToggleError> {
        let wish = self.known(flag, written, value)?;
        let why = match fate(&wish.option).map(Fate::why) {
            None if holds_secret(wish.option.as_bytes(), value.map(str::as_bytes)) => {
                Some("a secret")
            }
            why => why,
        };
        match why {
            None => Ok(wish),
            Some(why) => Err(ToggleError::Never { flag, name: written.to_owned(), why }),
        }
    }

    /// An option that a flag names; the server has to know it.
    pub(super) fn known(
        &self,
        flag: &'static str,
        written: &str,
        value: Option<&str>,
    ) -> Result<Wish, ToggleError> {
        let name = normalise(self.product, written.trim().as_bytes());
        let value = value.map(str::as_bytes);
        match resolve(self.product, name.as_bytes(), value, &self.names) {
            Ok(resolved) => Ok(Wish {
                spelled: match resolved.prefix {
                    Some(_) => name,
                    None => resolved.name.clone(),
                },
                value: value_words(&resolved),
                option: resolved.name,
            }),
            Err(_) => Err(ToggleError::Unknown {
                flag,
                name: written.to_owned(),
                similar: similar_in(self.catalog, &name),
            }),
        }
    }
}

impl Standing<'_> {
    /// The active line of an option, unless both arms go without it.
    pub(super) fn get(&self, option: &str) -> Option<&Active> {
        self.active.get(option).filter(|_| !self.is_changed(option))
    }

    /// Whether `--drop` or `--both` decides about the option in both arms.
    pub(super) fn is_changed(&self, option: &str) -> bool {
        self.dropped.iter().any(|name| name == option) || self.both.contains_key(option)
    }
}
