//! Whether the server reads from the edited file what was asked for, and from all other
//! lines what it read before.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::change::{Change, Meaning};
use super::place::Place;
use super::request::EditError;
use crate::optionfile::reader::{self, Says};
use crate::optionfile::{OptionFile, Product};

/// A line that says something, to this server.
#[derive(PartialEq, Eq)]
struct Statement {
    group: Option<Arc<[u8]>>,
    meaning: Meaning,
}

impl OptionFile {
    /// Compares what the server reads from `edited` with what it must read: what it
    /// reads from this file, but for the changed lines.
    pub(super) fn prove(
        &self,
        product: &Product,
        edited: &OptionFile,
        changes: &BTreeMap<usize, Change>,
        appended: &[Change],
        place: Option<&Place>,
    ) -> Result<(), EditError> {
        // An addition behind a last line without newline gives that line one.
        let ends_well = place.is_none() || self.as_bytes().ends_with(b"\n");
        if ends_well && self.is_regular(product) && edited.is_regular(product) {
            self.prove_lines(product, changes, appended, place)
        } else {
            self.prove_file(product, edited, changes, appended, place)
        }
    }

    /// The proof where each line is read by itself: the new lines will do.
    fn prove_lines(
        &self,
        product: &Product,
        changes: &BTreeMap<usize, Change>,
        appended: &[Change],
        place: Option<&Place>,
    ) -> Result<(), EditError> {
        for (&number, change) in changes {
            let group = self.line(number).and_then(|line| line.group);
            if !is_read_as_meant(product, group, change) {
                return Err(differs(product, Some(number)));
            }
        }
        let group = place.map(|place| &*place.group);
        if appended.iter().all(|change| is_read_as_meant(product, group, change)) {
            Ok(())
        } else {
            Err(differs(product, None))
        }
    }

    /// The proof for all files: the statements of both, side by side.
    fn prove_file(
        &self,
        product: &Product,
        edited: &OptionFile,
        changes: &BTreeMap<usize, Change>,
        appended: &[Change],
        place: Option<&Place>,
    ) -> Result<(), EditError> {
        let mut wanted = Vec::new();
        let mut additions = place.map(|place| {
            let statements = appended.iter().filter_map(|change| {
                Some(Statement {
                    group: Some(place.group.clone()),
                    meaning: change.meaning.clone()?,
                })
            });
            (place.index, statements.collect::<Vec<_>>())
        });
        let mut missing: Vec<usize> = changes.keys().rev().copied().collect();
        for line in reader::server_lines(self.as_bytes(), product) {
            let number = line.line.number;
            if let Some((_, statements)) = additions.take_if(|(index, _)| number > *index) {
                wanted.extend(statements);
            }
            match changes.get(&number) {
                None => wanted.extend(statement(&line)),
                Some(_) if !line.line.is_plain => return Err(differs(product, Some(number))),
                Some(change) => {
                    // Lines in front that are glued to others never come up here.
                    if missing.pop() != Some(number) {
                        return Err(differs(product, Some(number)));
                    }
                    wanted.extend(
                        change
                            .meaning
                            .clone()
                            .map(|meaning| Statement { group: line.group.clone(), meaning }),
                    );
                }
            }
        }
        wanted.extend(additions.into_iter().flat_map(|(_, statements)| statements));
        if let Some(number) = missing.pop() {
            return Err(differs(product, Some(number)));
        }
        let mut read = reader::server_lines(edited.as_bytes(), product)
            .filter_map(|line| Some((line.line.number, statement(&line)?)));
        for want in wanted {
            match read.next() {
                Some((_, got)) if got == want => {}
                got => return Err(differs(product, got.map(|(number, _)| number))),
            }
        }
        match read.next() {
            None => Ok(()),
            Some((number, _)) => Err(differs(product, Some(number))),
        }
    }
}

fn differs(product: &Product, line: Option<usize>) -> EditError {
    EditError::ReadsDifferently { product: *product, line }
}

/// Whether a server reads the new line, in its group, as it must.
fn is_read_as_meant(product: &Product, group: Option<&[u8]>, change: &Change) -> bool {
    let text = match group {
        Some(group) => [b"[", group, b"]\n", &change.raw].concat(),
        None => change.raw.clone(),
    };
    let mut read = reader::server_lines(&text, product).filter_map(|line| statement(&line));
    read.next().map(|statement| statement.meaning) == change.meaning && read.next().is_none()
}

fn statement(line: &reader::ServerLine) -> Option<Statement> {
    let meaning = match &line.says {
        Says::Nothing | Says::Header => return None,
        Says::Option { name, value } => {
            Meaning::Option { name: name.clone(), value: value.clone() }
        }
        Says::Directive(include) => Meaning::Include(include.clone()),
        Says::Fault { why, .. } => Meaning::Fault(*why),
    };
    Some(Statement { group: line.group.clone(), meaning })
}
