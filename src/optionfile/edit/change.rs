//! One line as it will be, and what a server must read from it.

use super::request::EditError;
use super::spelling;
use crate::optionfile::grammar::{self, Shape};
use crate::optionfile::reader::Include;
use crate::optionfile::{Line, LineKind, Malformed, OptionFile};

/// A line as it will be, and what the server must read from it.
pub(super) struct Change {
    /// With its line end.
    pub raw: Vec<u8>,
    pub meaning: Option<Meaning>,
}

/// What a server reads from a line that says something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Meaning {
    Option { name: Vec<u8>, value: Option<Vec<u8>> },
    Include(Include),
    Fault(Malformed),
}

impl OptionFile {
    /// The line, without NUL; one with NUL is no line to edit.
    fn editable(&self, number: usize) -> Result<Line<'_>, EditError> {
        let line = self
            .line(number)
            .ok_or(EditError::NoSuchLine { line: number, count: self.line_count() })?;
        if line.raw.contains(&0) {
            return Err(EditError::WrongKind {
                line: number,
                action: "edited",
                kind: "a line with a NUL byte",
            });
        }
        Ok(line)
    }

    pub(super) fn comment_out_line(&self, number: usize) -> Result<Change, EditError> {
        let line = self.editable(number)?;
        match line.kind {
            LineKind::Option { .. }
            | LineKind::Directive(_)
            | LineKind::Malformed(
                Malformed::OptionBeforeGroup | Malformed::IncludeWithoutArgument,
            ) => {}
            _ => return Err(wrong_kind(&line, "commented out")),
        }
        let text = grammar::trim_start(line.raw);
        let indent = &line.raw[..line.raw.len() - text.len()];
        Ok(Change { raw: [indent, b"#", text].concat(), meaning: None })
    }

    pub(super) fn set_line(
        &self,
        number: usize,
        value: Option<&[u8]>,
    ) -> Result<Change, EditError> {
        let line = self.editable(number)?;
        let LineKind::Option { name, .. } = line.kind else {
            return Err(wrong_kind(&line, "set"));
        };
        Ok(Change {
            raw: written(spelling::with_value(line.raw, value), value)?,
            meaning: Some(Meaning::option(name, value)),
        })
    }

    pub(super) fn enable_line(
        &self,
        number: usize,
        value: Option<Option<&[u8]>>,
    ) -> Result<Change, EditError> {
        let line = self.editable(number)?;
        let LineKind::CommentedOption { name, value: own } = &line.kind else {
            return Err(wrong_kind(&line, "enabled"));
        };
        let text = grammar::trim_start(line.raw);
        let indent = &line.raw[..line.raw.len() - text.len()];
        // Behind the `#` and the blanks that follow it.
        let option = grammar::trim_start(&text[1..]);
        let active = [indent, option].concat();
        let (raw, value) = match value {
            None => (active, own.as_deref()),
            Some(value) => (written(spelling::with_value(&active, value), value)?, value),
        };
        Ok(Change { raw, meaning: Some(Meaning::option(name, value)) })
    }

    pub(super) fn replace_line_by(&self, number: usize, text: &[u8]) -> Result<Change, EditError> {
        let line = self.editable(number)?;
        if matches!(line.kind, LineKind::GroupHeader { .. }) {
            return Err(wrong_kind(&line, "replaced"));
        }
        let meaning = match grammar::shape(text, true) {
            _ if text.contains(&0) || text.contains(&b'\n') => None,
            Shape::Blank | Shape::Comment { .. } => Some(None),
            Shape::Option(span) => Some(Some(Meaning::Option {
                name: text[span.name].to_vec(),
                value: span.value.map(|v| grammar::value_of(&text[v.raw])),
            })),
            Shape::Header { .. } | Shape::Directive { .. } => None,
        };
        let meaning = meaning.ok_or(EditError::NotALine { line: number })?;
        Ok(Change { raw: [text, line_end(line.raw)].concat(), meaning })
    }

    pub(super) fn addition(&self, name: &[u8], value: Option<&[u8]>) -> Result<Change, EditError> {
        if !grammar::looks_like_option_name(name) {
            return Err(EditError::BadName { name: name.to_vec() });
        }
        Ok(Change {
            raw: written(spelling::option_line(name, value), value)?,
            meaning: Some(Meaning::option(name, value)),
        })
    }
}

impl Meaning {
    fn option(name: &[u8], value: Option<&[u8]>) -> Meaning {
        Meaning::Option { name: name.to_vec(), value: value.map(<[u8]>::to_vec) }
    }
}

fn written(line: Option<Vec<u8>>, value: Option<&[u8]>) -> Result<Vec<u8>, EditError> {
    line.ok_or_else(|| EditError::Unwritable { value: value.unwrap_or_default().to_vec() })
}

fn wrong_kind(line: &Line, action: &'static str) -> EditError {
    EditError::WrongKind {
        line: line.number,
        action,
        kind: match &line.kind {
            LineKind::Blank => "empty",
            LineKind::Comment => "a comment",
            LineKind::CommentedOption { .. } => "a commented-out option",
            LineKind::GroupHeader { .. } => "a group header",
            LineKind::Directive(_) => "a directive",
            LineKind::Option { .. } => "an active option",
            LineKind::Malformed(_) => "malformed",
        },
    }
}

/// The line end of a line: `\r\n`, `\n` or nothing.
pub(super) fn line_end(raw: &[u8]) -> &[u8] {
    if raw.ends_with(b"\r\n") {
        b"\r\n"
    } else if raw.ends_with(b"\n") {
        b"\n"
    } else {
        b""
    }
}
