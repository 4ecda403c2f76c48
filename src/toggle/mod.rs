//! Base file + catalogue → toggles, each with its edits and label, or why it is left out; and what
//! is changed in both arms so that the file can be read in a container. Pure: no server is asked
//! whether a toggle does anything, that is the probe's part.

mod active;
mod alternatives;
mod both_arms;
mod build;
mod company;
mod error;
mod fate;
mod fresh;
mod known_values;
mod label;
mod lines;
mod place;
mod scale;
mod wished;
mod words;

use crate::optionfile::{Edit, EditError, OptionFile, Product};

pub use alternatives::Machine;
pub use build::build;
pub use error::ToggleError;
pub use fate::never;
pub use label::label;
pub use place::Place;
pub use scale::{Big, Scale};
pub use words::{Action, Label, Status, Values};

/// What the user asks for beside the file.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Wishes {
    /// Only options whose name one of these matches; empty: all.
    pub only: Vec<glob::Pattern>,
    /// No options whose name one of these matches.
    pub skip: Vec<glob::Pattern>,
    /// Values to try, by option, in the file or not.
    pub set: Vec<(String, Vec<String>)>,
    /// Toggles for options that the file does not have; without a value: bare.
    pub also: Vec<(String, Option<String>)>,
    /// Changed in both arms.
    pub both: Vec<(String, Option<String>)>,
    /// Left out of both arms.
    pub drop: Vec<String>,
    /// Everything that the server does not know is left out of both arms.
    pub drop_unknown: bool,
    /// How many values of an option are tried.
    pub values: Values,
    /// Whether sizes of a bigger machine are fitted to this one.
    pub scale: Scale,
    /// What values depend on beside the server.
    pub machine: Machine,
}

/// One change of one option, measured against the unchanged file.
#[derive(Debug, Clone, PartialEq)]
pub struct Toggle {
    /// Reads like an option line: `performance_schema=OFF`.
    pub id: String,
    /// Canonical name; of the first option where it changes several.
    pub option: String,
    /// The other options that it changes: it would do nothing or be refused without them.
    pub with: Vec<Companion>,
    /// Where it stands in the file; none for a toggle that the file does not have.
    pub place: Option<Place>,
    /// What is done.
    pub action: Action,
    /// Value in the file.
    pub from: Option<String>,
    /// Value that is tried; the server's default where the line is commented out.
    pub to: Option<String>,
    /// What it trades away.
    pub label: Label,
    /// Planned or left out, until the probe knows better.
    pub status: Status,
    /// Why it is left out, or what the probe found.
    pub detail: String,
    /// The change, on the lines of [`Toggles::file`].
    pub edits: Vec<Edit>,
    /// The arguments that its data directory is made with, where it needs one of its own instead
    /// of [`Toggles::initialise`]'s: options that act on what is created afterwards.
    pub data_dir: Option<Vec<String>>,
}

/// An option that a toggle changes along with its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Companion {
    /// Canonical name.
    pub option: String,
    /// The value that it gets; none where its lines are commented out.
    pub value: Option<String>,
}

impl Toggle {
    /// One that is to be measured and changes nothing yet.
    fn of(id: String, option: &str, action: Action) -> Self {
        Self {
            id,
            option: option.to_owned(),
            with: Vec::new(),
            place: None,
            action,
            from: None,
            to: None,
            label: Label::None,
            status: Status::Planned,
            detail: String::new(),
            edits: Vec::new(),
            data_dir: None,
        }
    }

    /// Adds to what is to be known of it.
    pub fn remark(&mut self, words: &str) {
        if !self.detail.is_empty() {
            self.detail.push_str("; ");
        }
        self.detail.push_str(words);
    }

    /// Whether it changes the line of an edit already.
    fn touches(&self, edit: &Edit) -> bool {
        edit.line().is_some_and(|line| self.edits.iter().any(|e| e.line() == Some(line)))
    }
}

/// What becomes of a base file.
#[derive(Debug, Clone, PartialEq)]
pub struct Toggles {
    /// The base file with its includes in place and its paths neutralised or remapped. It has as
    /// many lines as without the latter: [`Place::at`] counts them.
    pub file: OptionFile,
    /// Lines that both arms get in addition.
    pub appended: Vec<Edit>,
    /// What was changed in both arms, a line each, for people.
    pub changed_in_both_arms: Vec<String>,
    /// Sizes that were fitted to this machine in both arms, a line each, for people.
    pub scaled: Vec<String>,
    /// Options that act when a data directory is made, as arguments (`--innodb-page-size=8k`).
    pub initialise: Vec<String>,
    /// Options of the file that this server does not know: place and name as written.
    pub unknown: Vec<(Place, String)>,
    /// Toggles, in the order of the file; left-out ones among them.
    pub list: Vec<Toggle>,
}

impl Toggles {
    /// The file of the unchanged server.
    ///
    /// # Errors
    /// When a change of both arms can't be written.
    pub fn base_cnf(&self, product: &Product) -> Result<Vec<u8>, EditError> {
        Ok(self.file.apply(product, &self.appended)?.render())
    }

    /// The file of the server with this toggle.
    ///
    /// # Errors
    /// When the change can't be written.
    pub fn toggled_cnf(&self, product: &Product, toggle: &Toggle) -> Result<Vec<u8>, EditError> {
        let edits: Vec<Edit> = self.appended.iter().chain(&toggle.edits).cloned().collect();
        Ok(self.file.apply(product, &edits)?.render())
    }

    /// The toggles that are to be measured.
    pub fn planned(&self) -> impl Iterator<Item = &Toggle> {
        self.list.iter().filter(|t| t.status == Status::Planned)
    }
}
