//! What makes a server refuse a file, in plain words and with a way out
//! (my-cnf-syntax.md, sections 2–4).

use std::fmt;

use thiserror::Error;

use super::loader::LoadError;
use super::reader::{self, Says};
use super::{Malformed, OptionFile, Product};

/// A line that a server refuses. In the base file it keeps the server from starting,
/// in an included file it drops the rest of that file.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub struct SyntaxError {
    /// The file.
    pub file: Vec<u8>,
    /// The line, counted from 1.
    pub line: usize,
    /// The byte in the line, counted from 1.
    pub column: usize,
    /// What is wrong.
    pub kind: Malformed,
}

impl SyntaxError {
    /// The server's rule, as a sentence without a stop.
    pub fn rule(&self) -> &'static str {
        match self.kind {
            Malformed::ByteOrderMark => {
                "the file begins with a byte order mark (EF BB BF), which servers take for \
                 an option before the first group"
            }
            Malformed::OptionBeforeGroup => {
                "an option must stand below a group header such as `[mysqld]`"
            }
            Malformed::UnclosedHeader => "a line that begins with `[` must have a `]`",
            Malformed::IncludeWithoutArgument => {
                "`!include` and `!includedir` need a path behind them"
            }
        }
    }

    /// What to change.
    pub fn hint(&self) -> &'static str {
        match self.kind {
            Malformed::ByteOrderMark => "save the file as UTF-8 without BOM",
            Malformed::OptionBeforeGroup => {
                "put `[mysqld]` on a line above it, or a `#` in front of it"
            }
            Malformed::UnclosedHeader => "close the bracket, or put a `#` in front of the line",
            Malformed::IncludeWithoutArgument => {
                "name the file or directory and end the line with a newline, or remove the line"
            }
        }
    }
}

impl fmt::Display for SyntaxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let file = String::from_utf8_lossy(&self.file);
        write!(f, "{file}:{}:{}: {}", self.line, self.column, self.rule())
    }
}

/// Why a server gives up on its option files, and with them on starting.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ReadError {
    /// A malformed line.
    #[error(transparent)]
    Syntax(#[from] SyntaxError),
    /// A directory of `!includedir` can't be listed.
    #[error(
        "{}:{line}: `!includedir {}` names a directory that can't be read: {reason}",
        String::from_utf8_lossy(file),
        String::from_utf8_lossy(path)
    )]
    IncludeDir {
        /// The file with the directive.
        file: Vec<u8>,
        /// Its line.
        line: usize,
        /// The directory, as written.
        path: Vec<u8>,
        /// Why it can't be listed.
        reason: LoadError,
    },
    /// Files that include each other, more than once each. A server would read on.
    #[error(
        "{}:{line}: more than 10,000 included files: they include each other",
        String::from_utf8_lossy(file)
    )]
    TooManyIncludes {
        /// The file with the directive.
        file: Vec<u8>,
        /// Its line.
        line: usize,
    },
}

impl ReadError {
    /// What to change.
    pub fn hint(&self) -> &'static str {
        match self {
            ReadError::Syntax(error) => error.hint(),
            ReadError::IncludeDir { .. } => {
                "create the directory (it may be empty), or remove the line"
            }
            ReadError::TooManyIncludes { .. } => "remove one of the includes from the circle",
        }
    }
}

impl OptionFile {
    /// Whether the product accepts the file, its includes aside.
    ///
    /// # Errors
    /// All lines that it refuses, in file order. The server itself tells only the
    /// first; also lines of groups that it doesn't read count.
    pub fn check(&self, product: &Product) -> Result<(), Vec<SyntaxError>> {
        let errors: Vec<SyntaxError> = reader::server_lines(self.as_bytes(), product)
            .filter_map(|line| match line.says {
                Says::Fault { why, column } => Some(SyntaxError {
                    file: self.path().to_vec(),
                    line: line.line.number,
                    column,
                    kind: why,
                }),
                _ => None,
            })
            .collect();
        if errors.is_empty() { Ok(()) } else { Err(errors) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOTH: [Product; 2] = [Product::mysql(9, 7), Product::mariadb(11, 8)];

    fn check(text: &[u8], product: &Product) -> Vec<(usize, usize, Malformed)> {
        let found = OptionFile::parse(text).check(product);
        let errors = found.err().unwrap_or_default();
        errors.iter().map(|e| (e.line, e.column, e.kind)).collect()
    }

    #[test]
    fn every_refused_line_is_told_with_its_place() {
        for product in &BOTH {
            let text = b"\n  port=1\n[mysqld]\nuser=x\n\t[mysqld\n[client\n!include \n";
            assert_eq!(
                check(text, product),
                [
                    (2, 3, Malformed::OptionBeforeGroup),
                    (5, 2, Malformed::UnclosedHeader),
                    (6, 1, Malformed::UnclosedHeader),
                    (7, 1, Malformed::IncludeWithoutArgument),
                ]
            );
            assert_eq!(check(b"[mysqld]\nport=1\n[client]\n=x\n", product), []);
        }
    }

    #[test]
    fn a_byte_order_mark_is_told_as_such() {
        for product in &BOTH {
            for text in [&b"\xEF\xBB\xBF[mysqld]\n"[..], b"\xEF\xBB\xBF# hello\n[mysqld]\n"] {
                assert_eq!(check(text, product), [(1, 1, Malformed::ByteOrderMark)]);
            }
        }
    }

    #[test]
    fn the_end_of_a_long_comment_can_be_an_option_before_any_group() {
        let text = format!("{}port=1\n[mysqld]\n", "#".repeat(4094));
        let [mysql, maria] = BOTH;
        assert_eq!(check(text.as_bytes(), &mysql), []);
        let fault = (1, 4095, Malformed::OptionBeforeGroup);
        assert_eq!(check(text.as_bytes(), &maria), [fault]);
    }

    #[test]
    fn messages_say_where_what_and_how_to_mend_it() {
        let file = OptionFile::parse("[mysqld\n").with_path("/etc/my.cnf");
        let errors = file.check(&BOTH[0]).unwrap_err();
        assert_eq!(
            errors[0].to_string(),
            "/etc/my.cnf:1:1: a line that begins with `[` must have a `]`"
        );
        assert!(errors[0].hint().contains("close the bracket"));
    }
}
