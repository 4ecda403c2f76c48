//! From the lines of a file and what a server knows to the list of toggles: the order of the steps.

use std::collections::BTreeMap;

use super::active::Active;
use super::fate::fate;
use super::place::Place;
use super::scale::Room;
use super::words::Status;
use super::{Toggle, ToggleError, Toggles, Wishes};
use crate::catalog::Catalog;
use crate::optionfile::{Edit, Flattened, MemoryLoader, Names, Product};

/// What every step looks at.
pub(super) struct Scene<'a> {
    pub(super) product: &'a Product,
    pub(super) catalog: &'a Catalog,
    pub(super) names: Names,
    pub(super) wishes: &'a Wishes,
}

/// What stands in both arms.
pub(super) struct Standing<'a> {
    /// The options of active lines.
    pub(super) active: &'a BTreeMap<String, Active>,
    /// Names of the options that are dropped.
    pub(super) dropped: Vec<String>,
    /// Names and values of the options that `--both` sets.
    pub(super) both: BTreeMap<String, Option<String>>,
    /// How much memory is left.
    pub(super) room: Room,
}

/// What comes out, as far as it is made.
pub(super) struct Draft {
    /// The toggles; its file is still the user's.
    pub(super) out: Toggles,
    /// Changes of both arms.
    pub(super) edits: Vec<Edit>,
    /// The same in words, each with the line it is about.
    changes: Vec<(usize, String)>,
}

impl Draft {
    /// Notes a change of a line of both arms.
    pub(super) fn changed(&mut self, place: &Place, words: &str) {
        self.changes.push((place.at, format!("{place}: {words}")));
    }
}

/// Makes the list. `file` has its includes in place already.
///
/// # Errors
/// When the server would not read the file, a wish can't be met, or a line can't be changed.
pub fn build(
    file: &Flattened,
    product: &Product,
    catalog: &Catalog,
    wishes: &Wishes,
) -> Result<Toggles, ToggleError> {
    let scene = Scene { product, catalog, names: catalog.names(), wishes };
    let arguments = file.file.arguments(product, &MemoryLoader::default())?.list;
    let (mut active, strangers) = scene.active(file, &arguments);
    let out = Toggles {
        file: file.file.clone(),
        appended: Vec::new(),
        changed_in_both_arms: Vec::new(),
        scaled: Vec::new(),
        initialise: Vec::new(),
        unknown: Vec::new(),
        list: Vec::new(),
    };
    let mut draft = Draft { out, edits: Vec::new(), changes: Vec::new() };
    let dropped = scene.drop(&active, &strangers, &mut draft)?;
    let both = scene.both(&active, &mut draft)?;
    let is_changed = |name: &str| dropped.iter().any(|d| d == name) || both.contains_key(name);
    let room = scene.scale(&mut active, is_changed, &both, &mut draft)?;
    let standing = Standing { active: &active, dropped, both, room };
    for option in active.values().filter(|a| !standing.is_changed(&a.name)) {
        match fate(&option.name) {
            Some(fate) => scene.never(option, fate, &mut draft),
            None => scene.toggle(option, &standing, &mut draft),
        }
    }
    let Draft { mut out, edits, mut changes } = draft;
    // What `--both` says is there already, and comes last.
    changes.sort_by_key(|(line, _)| *line);
    out.changed_in_both_arms.splice(0..0, changes.into_iter().map(|(_, words)| words));
    out.file = file.file.apply(product, &edits)?;
    scene.commented(file, &standing, &mut out);
    scene.wished(&standing, &mut out)?;
    scene.unite(&mut out.list);
    for toggle in out.list.iter_mut().filter(|t| t.status == Status::Planned) {
        scene.accompany(toggle, &standing);
    }
    scene.data_dirs(&standing, &mut out);
    scene.filter(&mut out.list);
    out.list.sort_by_key(|t| t.place.as_ref().map_or(usize::MAX, |place| place.at));
    unique(&mut out.list);
    Ok(out)
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
