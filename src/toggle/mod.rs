//! Base file + catalogue → toggles, each with its edits and label, or why it is left out; and what
//! is changed in both arms so that the file can be read in a container. Pure: no server is asked
//! whether a toggle does anything, that is the probe's part.

mod active;
mod both_arms;
mod build;
mod error;
mod fate;
mod label;
mod lines;
mod place;
mod wished;
mod words;

use crate::optionfile::{Edit, EditError, OptionFile, Product};

pub use build::build;
pub use error::ToggleError;
pub use fate::never;
pub use label::label;
pub use place::Place;
pub use words::{Action, Label, Status};

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
}

/// One change of one option, measured against the unchanged file.
#[derive(Debug, Clone, PartialEq)]
pub struct Toggle {
    /// Reads like an option line: `performance_schema=OFF`.
    pub id: String,
    /// Canonical name.
    pub option: String,
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
