//! What a reader has to say about a file beside its arguments. Includes that lead
//! nowhere, mostly: servers pass over them, often without a word.

use std::fmt;

use super::check::ReadError;
use super::loader::LoadError;
use super::secret::redacted_line;

/// A remark about a line. None of them stops a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// The file with the line.
    pub file: Vec<u8>,
    /// The line, counted from 1.
    pub line: usize,
    /// What there is to say.
    pub kind: MessageKind,
}

/// What a [`Message`] says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MessageKind {
    /// An included file was not read.
    NotIncluded {
        /// The file that was asked for.
        path: Vec<u8>,
        /// Why it was not read.
        reason: LoadError,
    },
    /// An included file has an error: what it says from there on is not read.
    RestDropped(Box<ReadError>),
    /// The directive stands in a file that is itself included ten levels deep.
    TooDeep,
    /// The path has 509 bytes or more, and servers ignore such includes.
    PathTooLong {
        /// The path.
        path: Vec<u8>,
    },
    /// The path begins with `~`, and the server's home directory isn't known.
    HomeUnknown {
        /// The path.
        path: Vec<u8>,
    },
    /// The line is longer than the server takes at once: what is behind byte 4094 was
    /// read as a line of its own.
    CutLine,
    /// A NUL hides the rest of the line. In MySQL 8 and later the next line is glued on;
    /// a line that begins with a NUL ends the file there, without a remark.
    NulByte,
    /// A carriage return alone ends no line: what follows the header on its line is not
    /// read. Such files come from old Macs.
    LoneCarriageReturn,
    /// A line begins with `!` but is no `include` or `includedir`; nobody reads it.
    UnknownDirective {
        /// What is behind the `!`.
        text: Vec<u8>,
    },
}

/// Bytes of a file as text. Whatever a line is, there may be a secret in it.
pub(super) fn shown(text: &[u8]) -> String {
    String::from_utf8_lossy(&redacted_line(text)).into_owned()
}

impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: ", String::from_utf8_lossy(&self.file), self.line)?;
        match &self.kind {
            MessageKind::NotIncluded { path, reason } => {
                write!(f, "`{}` is not included: {reason}", shown(path))
            }
            MessageKind::RestDropped(error) => {
                write!(f, "the rest of an included file is not read: {error}")
            }
            MessageKind::TooDeep => f.write_str("includes are followed ten levels deep, not here"),
            MessageKind::PathTooLong { path } => write!(
                f,
                "the path of this include has {} bytes, servers ignore those of 509 and more",
                path.len()
            ),
            MessageKind::HomeUnknown { path } => write!(
                f,
                "`{}` is not included: servers look in their own home directory, write the path in full",
                shown(path)
            ),
            MessageKind::CutLine => f.write_str(
                "the line is longer than 4094 bytes: the server reads the rest as a new line",
            ),
            MessageKind::NulByte => f.write_str("a NUL byte hides the rest of the line"),
            MessageKind::LoneCarriageReturn => f.write_str(
                "a carriage return ends no line: what follows this group header is not read; \
                 save the file with Unix or Windows line ends",
            ),
            MessageKind::UnknownDirective { text } => {
                write!(f, "`!{}` is no directive, servers ignore it", shown(text))
            }
        }
    }
}
