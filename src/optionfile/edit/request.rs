//! What can be asked of a file, and the way from the request to the edited file.

use std::collections::BTreeMap;

use thiserror::Error;

use crate::optionfile::{OptionFile, Product};

/// One change. Lines are those of the file that [`OptionFile::apply`] is called on,
/// counted from 1, whatever the other edits of the same call do.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Edit {
    /// Puts a `#` before an option, or before an `!include`.
    CommentOut {
        /// The line.
        line: usize,
    },
    /// Gives an active option another value.
    Set {
        /// The line.
        line: usize,
        /// What the server shall get; quotes and escapes are seen to. `None`: no `=`.
        value: Option<Vec<u8>>,
    },
    /// Takes the `#` from a commented-out option.
    Enable {
        /// The line.
        line: usize,
    },
    /// The same, with another value.
    EnableWith {
        /// The line.
        line: usize,
        /// As in [`Edit::Set`].
        value: Option<Vec<u8>>,
    },
    /// Writes another text in place of an option, a comment or an empty line.
    Replace {
        /// The line.
        line: usize,
        /// The text, without line end. No group header, no directive.
        text: Vec<u8>,
    },
    /// Adds an option that the server reads behind all others of the file: at the end
    /// of the last group that it reads, or, if the file has none or an include stands
    /// behind that group, in a new group `[mysqld]` at the end of the file.
    Append {
        /// The option's name.
        name: Vec<u8>,
        /// As in [`Edit::Set`].
        value: Option<Vec<u8>>,
    },
}

impl Edit {
    /// The line that it changes; none for one that is added.
    pub fn line(&self) -> Option<usize> {
        match self {
            Self::CommentOut { line }
            | Self::Set { line, .. }
            | Self::Enable { line }
            | Self::EnableWith { line, .. }
            | Self::Replace { line, .. } => Some(*line),
            Self::Append { .. } => None,
        }
    }
}

/// Why an edit was not made. Nothing has changed then.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum EditError {
    /// The file has no such line.
    #[error("there is no line {line}, the file has {count}")]
    NoSuchLine {
        /// The line asked for.
        line: usize,
        /// How many there are.
        count: usize,
    },
    /// The line is not of the kind that the edit is for.
    #[error("line {line} can't be {action}: it is {kind}")]
    WrongKind {
        /// The line.
        line: usize,
        /// What was to be done, as a participle.
        action: &'static str,
        /// What the line is.
        kind: &'static str,
    },
    /// Two edits of one call change the same line.
    #[error("line {line} is changed twice")]
    Twice {
        /// The line.
        line: usize,
    },
    /// No option can have this name.
    #[error(
        "`{}` is no option name: a letter, then letters, digits, `_`, `-`, `.`",
        String::from_utf8_lossy(name)
    )]
    BadName {
        /// The name.
        name: Vec<u8>,
    },
    /// The line can't hold this value. (It is not shown: it may be a secret.)
    #[error(
        "the value can't be written so that a server reads it back: it has a NUL byte, or the name has quotes"
    )]
    Unwritable {
        /// The value.
        value: Vec<u8>,
    },
    /// A line is to be replaced by something that is not one option or comment.
    #[error("line {line} can only be replaced by one line: an option, a comment, or nothing")]
    NotALine {
        /// The line.
        line: usize,
    },
    /// The server would read something else than was asked: the line is longer than it
    /// takes at once, a NUL glues lines together, no group is in force there.
    #[error("{product} would not read the edited file as meant{}", at(*line))]
    ReadsDifferently {
        /// The server.
        product: Product,
        /// The line that is read otherwise, if one can be told.
        line: Option<usize>,
    },
}

fn at(line: Option<usize>) -> String {
    line.map(|line| format!(" (line {line})")).unwrap_or_default()
}

impl OptionFile {
    /// The file with all `edits` made.
    ///
    /// # Errors
    /// The first edit that can't be made; also one that `product` would read
    /// differently from what was asked.
    pub fn apply(&self, product: &Product, edits: &[Edit]) -> Result<OptionFile, EditError> {
        let mut changes = BTreeMap::new();
        let mut appended = Vec::new();
        for edit in edits {
            let (line, change) = match edit {
                Edit::Append { name, value } => {
                    appended.push(self.addition(name, value.as_deref())?);
                    continue;
                }
                Edit::CommentOut { line } => (*line, self.comment_out_line(*line)?),
                Edit::Set { line, value } => (*line, self.set_line(*line, value.as_deref())?),
                Edit::Enable { line } => (*line, self.enable_line(*line, None)?),
                Edit::EnableWith { line, value } => {
                    (*line, self.enable_line(*line, Some(value.as_deref()))?)
                }
                Edit::Replace { line, text } => (*line, self.replace_line_by(*line, text)?),
            };
            if changes.insert(line, change).is_some() {
                return Err(EditError::Twice { line });
            }
        }
        let place = (!appended.is_empty()).then(|| self.place_for_addition(product));
        let edited = self.rebuilt(&changes, &appended, place.as_ref());
        self.prove(product, &edited, &changes, &appended, place.as_ref())?;
        Ok(edited)
    }

    /// [`Edit::CommentOut`] alone.
    ///
    /// # Errors
    /// See [`OptionFile::apply`].
    pub fn comment_out(&self, product: &Product, line: usize) -> Result<OptionFile, EditError> {
        self.apply(product, &[Edit::CommentOut { line }])
    }

    /// [`Edit::Set`] alone.
    ///
    /// # Errors
    /// See [`OptionFile::apply`].
    pub fn set_value(
        &self,
        product: &Product,
        line: usize,
        value: Option<&[u8]>,
    ) -> Result<OptionFile, EditError> {
        let value = value.map(<[u8]>::to_vec);
        self.apply(product, &[Edit::Set { line, value }])
    }

    /// [`Edit::Enable`] alone.
    ///
    /// # Errors
    /// See [`OptionFile::apply`].
    pub fn enable(&self, product: &Product, line: usize) -> Result<OptionFile, EditError> {
        self.apply(product, &[Edit::Enable { line }])
    }

    /// [`Edit::Replace`] alone.
    ///
    /// # Errors
    /// See [`OptionFile::apply`].
    pub fn replace_line(
        &self,
        product: &Product,
        line: usize,
        text: &[u8],
    ) -> Result<OptionFile, EditError> {
        let text = text.to_vec();
        self.apply(product, &[Edit::Replace { line, text }])
    }

    /// [`Edit::Append`] alone.
    ///
    /// # Errors
    /// See [`OptionFile::apply`].
    pub fn append(
        &self,
        product: &Product,
        name: &[u8],
        value: Option<&[u8]>,
    ) -> Result<OptionFile, EditError> {
        let (name, value) = (name.to_vec(), value.map(<[u8]>::to_vec));
        self.apply(product, &[Edit::Append { name, value }])
    }
}
