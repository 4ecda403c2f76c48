//! What makes a server refuse a file, in plain words and with a way out
//! (my-cnf-syntax.md, sections 2–4).

use std::fmt;

use thiserror::Error;

use super::loader::LoadError;
use super::message::shown;
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
        "{}:{line}:{column}: `!includedir` needs a directory that can be read, `{}` can't: {reason}",
        String::from_utf8_lossy(file),
        shown(path)
    )]
    IncludeDir {
        /// The file with the directive.
        file: Vec<u8>,
        /// Its line.
        line: usize,
        /// The byte of the line at which it begins, counted from 1.
        column: usize,
        /// The directory, as written.
        path: Vec<u8>,
        /// Why it can't be listed.
        reason: LoadError,
    },
    /// Files that include each other, more than once each. A server would read on.
    #[error(
        "{}:{line}:{column}: more than 10,000 included files: they include each other",
        String::from_utf8_lossy(file)
    )]
    TooManyIncludes {
        /// The file with the directive.
        file: Vec<u8>,
        /// Its line.
        line: usize,
        /// The byte of the line at which it begins, counted from 1.
        column: usize,
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
    use super::super::MemoryLoader;
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

    /// Every rule that stops a server: place, rule and remedy.
    #[test]
    fn whatever_stops_a_server_is_told_with_place_rule_and_remedy() {
        let circle = "[mysqld]\n".to_owned() + &"!include /etc/my.cnf\n".repeat(5);
        for (text, told, remedy) in [
            ("\n  port=1\n", "2:3: an option must stand below a group header", "`[mysqld]`"),
            ("# c\n\t[mysqld\n", "2:2: a line that begins with `[` must have a `]`", "close"),
            ("\u{feff}[mysqld]\n", "1:1: the file begins with a byte order mark", "without BOM"),
            ("[mysqld]\n !include\n", "2:2: `!include` and `!includedir` need a path", "name the"),
            ("!includedir \t\n", "1:1: `!include` and `!includedir` need a path", "name the"),
            (
                "[mysqld]\n\n  !includedir /none\n",
                "3:3: `!includedir` needs a directory that can be read, `/none` can't: no such",
                "create the directory",
            ),
            (&circle, "3:1: more than 10,000 included files", "remove one"),
        ] {
            let loader = MemoryLoader::new().with_file("/etc/my.cnf", text);
            let file = OptionFile::parse(text).with_path("/etc/my.cnf");
            for product in &BOTH {
                let error = file.arguments(product, &loader).unwrap_err();
                let message = error.to_string();
                let want = format!("/etc/my.cnf:{told}");
                assert!(message.starts_with(&want), "{product}: {message} is not {want}");
                assert!(error.hint().contains(remedy), "{product}: {}", error.hint());
            }
        }
    }

    #[test]
    fn what_ends_an_included_file_is_told_with_both_places() {
        let loader = MemoryLoader::new()
            .with_file("/x/a.cnf", "[mysqld]\nport=1\n  [broken\n")
            .with_file("/x/b.cnf", "\n!includedir /none\n");
        let text = "[mysqld]\n!include /x/a.cnf\n!include /x/b.cnf\n!include /x/c.cnf\n";
        let file = OptionFile::parse(text).with_path("/etc/my.cnf");
        for product in &BOTH {
            let messages = file.arguments(product, &loader).unwrap().messages;
            let told: Vec<_> = messages.iter().map(ToString::to_string).collect();
            assert_eq!(
                told,
                [
                    "/etc/my.cnf:2: the rest of an included file is not read: /x/a.cnf:3:3: a line \
                     that begins with `[` must have a `]`",
                    "/etc/my.cnf:3: the rest of an included file is not read: /x/b.cnf:2:1: \
                     `!includedir` needs a directory that can be read, `/none` can't: no such file \
                     or directory",
                    "/etc/my.cnf:4: `/x/c.cnf` is not included: no such file or directory",
                ]
            );
        }
    }

    #[test]
    fn messages_hide_secrets() {
        let text = "[mysqld]\n!include /x/password=hush\n!require password=hush\n";
        let file = OptionFile::parse(text);
        let read = file.arguments(&BOTH[0], &MemoryLoader::new()).unwrap();
        assert_eq!(read.messages.len(), 2);
        for message in read.messages {
            assert!(!message.to_string().contains("hush"), "{message}");
        }
    }
}
