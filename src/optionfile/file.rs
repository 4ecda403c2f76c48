//! The file as it is on disk: bytes and lines, nothing lost. Reads each line the way
//! all servers do; where they differ (`logical.rs`, `arguments.rs`) a product is asked
//! for. Does not edit (`edit.rs`).

use super::Product;
use super::grammar::{self, DirectiveText, Shape};
use super::product::IncludeArgument;

/// The byte order mark of UTF-8, which every server chokes on.
pub(super) const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// An option file, byte for byte.
///
/// Parsing never fails and [`OptionFile::render`] gives the input back; whether a
/// server would accept the file is asked with [`OptionFile::check`].
///
/// ```
/// use cnfsweep::optionfile::{LineKind, OptionFile, Product};
///
/// let file = OptionFile::parse(b"[mysqld]\nport = 3306 # usual\n#skip-networking\n");
/// let line = file.line(2).expect("three lines");
/// assert_eq!(line.group, Some(&b"mysqld"[..]));
/// assert_eq!(
///     line.kind,
///     LineKind::Option { name: b"port", value: Some(b"3306".to_vec()) }
/// );
/// assert!(file.has_server_group(&Product::mysql(9, 7)));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OptionFile {
    path: Vec<u8>,
    bytes: Vec<u8>,
    /// Where each line begins.
    starts: Vec<usize>,
    /// The well-formed headers, in file order.
    headers: Vec<Header>,
    /// Bytes in the longest line.
    longest_line: usize,
    has_nul: bool,
}

/// A group header: its line (0-based) and the name in it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Header {
    line: usize,
    name: std::ops::Range<usize>,
}

/// One physical line of an [`OptionFile`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line<'a> {
    /// Counted from 1.
    pub number: usize,
    /// The bytes, with the line end (`\n`, `\r\n`, or none on the last line).
    pub raw: &'a [u8],
    /// The group that this line belongs to; a header belongs to the group it opens.
    pub group: Option<&'a [u8]>,
    /// What the line is.
    pub kind: LineKind<'a>,
}

/// What a line is, for all servers alike.
///
/// A NUL or more than 4094 bytes make servers disagree about where lines end; such a
/// line is described up to its first NUL and in full length here, and
/// [`OptionFile::arguments`] knows what a certain server makes of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LineKind<'a> {
    /// Nothing but white space.
    Blank,
    /// Prose behind `#` or `;`.
    Comment,
    /// A comment that is exactly an option: `#name=value`, `# name`, `;name = value`.
    /// The name looks like one; whether a server knows it is another question.
    CommentedOption {
        /// As written.
        name: &'a [u8],
        /// As the server would get it, were the line active. `None`: no `=`.
        value: Option<Vec<u8>>,
    },
    /// `[name]`.
    GroupHeader {
        /// The text between the brackets; blanks at its end dropped, at its start kept.
        name: &'a [u8],
    },
    /// A line that begins with `!`.
    Directive(Directive<'a>),
    /// An active option.
    Option {
        /// As written.
        name: &'a [u8],
        /// As the server gets it: unquoted, escapes replaced. `None`: no `=`.
        value: Option<Vec<u8>>,
    },
    /// A line that stops a server from starting.
    Malformed(Malformed),
}

/// A line that begins with `!`, or `?include`, `?includedir` of newer MariaDB servers
/// ([`Product::has_question_mark_includes`]).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Directive<'a> {
    /// `!include PATH`, `?include PATH`.
    Include {
        /// As written; no quotes, no escapes.
        path: &'a [u8],
    },
    /// `!includedir PATH`, `?includedir PATH`.
    IncludeDir {
        /// As written.
        path: &'a [u8],
    },
    /// Any other word; servers ignore it without a message.
    Unknown {
        /// What is behind the `!`.
        text: &'a [u8],
    },
}

/// Why a line stops a server from starting.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Malformed {
    /// The file begins with the byte order mark of UTF-8, whatever follows it.
    ByteOrderMark,
    /// An option before the first `[group]` of the file.
    OptionBeforeGroup,
    /// `[` without `]`.
    UnclosedHeader,
    /// `!include` or `!includedir` with nothing behind it. (With a comment behind it
    /// only to MySQL 9: to others the comment is the path.)
    IncludeWithoutArgument,
}

impl OptionFile {
    /// Takes the bytes apart. Loses nothing and can't fail.
    pub fn parse(bytes: impl Into<Vec<u8>>) -> OptionFile {
        let bytes = bytes.into();
        let mut starts = Vec::new();
        let mut headers = Vec::new();
        let mut longest_line = 0;
        let mut start = 0;
        while start < bytes.len() {
            let line = line_at(&bytes, start);
            if let Some(name) = header_name(line) {
                headers.push(Header {
                    line: starts.len(),
                    name: start + name.start..start + name.end,
                });
            }
            starts.push(start);
            longest_line = longest_line.max(line.len());
            start += line.len();
        }
        let has_nul = bytes.contains(&0);
        let path = b"my.cnf".to_vec();
        OptionFile { path, bytes, starts, headers, longest_line, has_nul }
    }

    /// Says where the file comes from: shown in messages and origins, and the place
    /// from which relative includes are found. Default `my.cnf`.
    #[must_use]
    pub fn with_path(mut self, path: impl Into<Vec<u8>>) -> OptionFile {
        self.path = path.into();
        self
    }

    /// Where the file comes from.
    pub fn path(&self) -> &[u8] {
        &self.path
    }

    /// The bytes of the file: those given to [`OptionFile::parse`], or, after an edit,
    /// those with the edit.
    pub fn render(&self) -> Vec<u8> {
        self.bytes.clone()
    }

    /// Like [`OptionFile::render`], without a copy.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// How many lines there are. A line end at the end of the file opens no new line.
    pub fn line_count(&self) -> usize {
        self.starts.len()
    }

    /// The line with this number, counted from 1.
    pub fn line(&self, number: usize) -> Option<Line<'_>> {
        let index = number.checked_sub(1)?;
        let raw = self.raw(index)?;
        // The last header at or above the line.
        let headers = self.headers.partition_point(|h| h.line <= index);
        Some(self.describe(index, raw, headers))
    }

    /// All lines, in file order.
    pub fn lines(&self) -> impl Iterator<Item = Line<'_>> {
        let mut headers = 0;
        (0..self.starts.len()).filter_map(move |index| {
            if self.headers.get(headers).is_some_and(|h| h.line == index) {
                headers += 1;
            }
            Some(self.describe(index, self.raw(index)?, headers))
        })
    }

    /// Whether the file has a group that the server reads, even an empty one. Groups
    /// of included files don't count: ask the flattened file.
    pub fn has_server_group(&self, product: &Product) -> bool {
        self.group_names().any(|name| product.reads(name))
    }

    /// The names in the headers, in file order.
    pub fn group_names(&self) -> impl Iterator<Item = &[u8]> {
        self.headers.iter().map(|h| &self.bytes[h.name.clone()])
    }

    /// Index (counted from 0) and name of each well-formed header, in file order.
    pub(super) fn headers(&self) -> impl DoubleEndedIterator<Item = (usize, &[u8])> {
        self.headers.iter().map(|h| (h.line, &self.bytes[h.name.clone()]))
    }

    /// The bytes of all lines, in file order.
    pub(super) fn raw_lines(&self) -> impl Iterator<Item = &[u8]> {
        (0..self.starts.len()).filter_map(|index| self.raw(index))
    }

    /// Whether the product takes exactly the lines of this file for lines: none is too
    /// long for it, none has a NUL.
    pub(super) fn is_regular(&self, product: &Product) -> bool {
        !self.has_nul && product.line_limit().is_none_or(|limit| self.longest_line <= limit)
    }

    /// The bytes of the line with this index, counted from 0.
    fn raw(&self, index: usize) -> Option<&[u8]> {
        let start = *self.starts.get(index)?;
        let end = self.starts.get(index + 1).copied();
        self.bytes.get(start..end.unwrap_or(self.bytes.len()))
    }

    /// Describes a line that has `headers` headers at or above it.
    fn describe<'a>(&'a self, index: usize, raw: &'a [u8], headers: usize) -> Line<'a> {
        let group = headers.checked_sub(1).map(|at| &self.bytes[self.headers[at].name.clone()]);
        Line { number: index + 1, raw, group, kind: kind_of(raw, group.is_some(), index == 0) }
    }
}

/// The line that begins at `start`, with its newline.
fn line_at(bytes: &[u8], start: usize) -> &[u8] {
    let rest = &bytes[start..];
    let len = rest.iter().position(|&b| b == b'\n').map(|at| at + 1);
    &rest[..len.unwrap_or(rest.len())]
}

/// The place of the name, if the line is a well-formed header.
fn header_name(line: &[u8]) -> Option<std::ops::Range<usize>> {
    // Most lines are settled by their first byte; only then look for NUL and `]`.
    let first = line.iter().copied().find(|&b| !grammar::is_space(b));
    if first != Some(b'[') {
        return None;
    }
    match grammar::shape(grammar::c_string(line), false) {
        Shape::Header { name, .. } => name,
        _ => None,
    }
}

/// What a line is; `in_group`: a header stands at or above it.
fn kind_of(raw: &[u8], in_group: bool, is_first: bool) -> LineKind<'_> {
    let text = grammar::c_string(raw);
    if is_first && text.starts_with(BYTE_ORDER_MARK) {
        return LineKind::Malformed(Malformed::ByteOrderMark);
    }
    match grammar::shape(text, is_question_mark_include(text)) {
        Shape::Blank => LineKind::Blank,
        Shape::Comment { at } => match commented_option(text, at) {
            Some((name, value)) => LineKind::CommentedOption { name, value },
            None => LineKind::Comment,
        },
        Shape::Header { name: None, .. } => LineKind::Malformed(Malformed::UnclosedHeader),
        Shape::Header { name: Some(name), .. } => LineKind::GroupHeader { name: &text[name] },
        Shape::Directive { at } => {
            match grammar::directive(&text[at + 1..], IncludeArgument::Clean) {
                DirectiveText::Include(Some(path)) => {
                    LineKind::Directive(Directive::Include { path })
                }
                DirectiveText::IncludeDir(Some(path)) => {
                    LineKind::Directive(Directive::IncludeDir { path })
                }
                DirectiveText::Unknown(text) => LineKind::Directive(Directive::Unknown { text }),
                DirectiveText::Include(None) | DirectiveText::IncludeDir(None) => {
                    LineKind::Malformed(Malformed::IncludeWithoutArgument)
                }
            }
        }
        Shape::Option(_) if !in_group => LineKind::Malformed(Malformed::OptionBeforeGroup),
        Shape::Option(span) => LineKind::Option {
            name: &text[span.name],
            value: span.value.map(|v| grammar::value_of(&text[v.raw])),
        },
    }
}

/// Whether the line is a `?include` or `?includedir`; other lines that begin with `?`
/// are options to most servers.
fn is_question_mark_include(text: &[u8]) -> bool {
    grammar::trim_start(text).strip_prefix(b"?").is_some_and(|behind| {
        !matches!(grammar::directive(behind, IncludeArgument::Clean), DirectiveText::Unknown(_))
    })
}

/// Name and value of a comment that is exactly an option; `at` is the place of its `#`.
pub(super) fn commented_option(text: &[u8], at: usize) -> Option<(&[u8], Option<Vec<u8>>)> {
    let behind = text.get(at + 1..)?;
    let Shape::Option(span) = grammar::shape(behind, false) else {
        return None;
    };
    let name = &behind[span.name];
    let is_heading = span.value.is_none() && is_ruled(&behind[span.text_end..]);
    (grammar::looks_like_option_name(name) && !is_heading).then(|| {
        let value = span.value.map(|v| grammar::value_of(&behind[v.raw]));
        (name, value)
    })
}

/// Whether an in-line comment is there but says nothing, as in `# INNODB #`.
fn is_ruled(comment: &[u8]) -> bool {
    !comment.is_empty()
        && comment.iter().all(|&b| grammar::is_space(b) || matches!(b, b'#' | b'-' | b'=' | b'*'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<String> {
        OptionFile::parse(text.as_bytes())
            .lines()
            .map(|line| format!("{:?}", short(&line.kind)))
            .collect()
    }

    fn short(kind: &LineKind) -> String {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let pair = |name: &[u8], value: &Option<Vec<u8>>| match value {
            Some(value) => format!("{}={}", text(name), text(value)),
            None => text(name),
        };
        match kind {
            LineKind::Blank => "blank".into(),
            LineKind::Comment => "comment".into(),
            LineKind::CommentedOption { name, value } => format!("off {}", pair(name, value)),
            LineKind::GroupHeader { name } => format!("[{}]", text(name)),
            LineKind::Directive(directive) => match directive {
                Directive::Include { path } => format!("include {}", text(path)),
                Directive::IncludeDir { path } => format!("includedir {}", text(path)),
                Directive::Unknown { text: word } => format!("! {}", text(word)),
            },
            LineKind::Option { name, value } => format!("on {}", pair(name, value)),
            LineKind::Malformed(why) => format!("bad {why:?}"),
        }
    }

    #[test]
    fn only_a_comment_that_is_exactly_an_option_counts_as_one() {
        for (line, want) in [
            ("#port=3306", "off port=3306"),
            ("# port = 3306 # usual", "off port=3306"),
            (";port=3306", "off port=3306"),
            ("  #  skip-networking  ", "off skip-networking"),
            ("#loose-validate_password.policy=LOW", "off loose-validate_password.policy=LOW"),
            ("#name=", "off name="),
            ("# max_connections is the limit", "comment"),
            ("# Set port = 3306 for tests", "comment"),
            ("# see http://example.org/?a=b", "comment"),
            ("## port=3306", "comment"),
            ("#[mysqld]", "comment"),
            ("#!include /x", "comment"),
            ("#skip-networking # sockets only", "off skip-networking"),
            ("# INNODB #", "comment"),
            ("# InnoDB #####", "comment"),
            ("# * Fine Tuning", "comment"),
            ("#", "comment"),
            ("# 3306", "comment"),
        ] {
            assert_eq!(kinds(line), [format!("{want:?}")], "{line:?}");
        }
    }

    #[test]
    fn every_line_has_its_number_bytes_group_and_kind() {
        let text = "# top\n\n!include /a\n[mysqld]\nport=1\r\n[client]\nuser=x\n[open";
        let file = OptionFile::parse(text.as_bytes());
        let seen: Vec<_> = file
            .lines()
            .map(|line| {
                let group = line.group.map(String::from_utf8_lossy);
                format!("{} {} {}", line.number, group.unwrap_or_default(), short(&line.kind))
            })
            .collect();
        assert_eq!(
            seen,
            [
                "1  off top",
                "2  blank",
                "3  include /a",
                "4 mysqld [mysqld]",
                "5 mysqld on port=1",
                "6 client [client]",
                "7 client on user=x",
                "8 client bad UnclosedHeader",
            ]
        );
        assert_eq!(file.line(5).unwrap().raw, b"port=1\r\n");
        let one_by_one = (1..=file.line_count()).filter_map(|n| file.line(n));
        assert!(one_by_one.eq(file.lines()));
        assert_eq!((file.line(0), file.line(9)), (None, None));
        assert_eq!(file.render(), text.as_bytes());
    }

    #[test]
    fn malformed_lines_say_why() {
        assert_eq!(kinds("port=1"), ["\"bad OptionBeforeGroup\""]);
        assert_eq!(kinds("\u{feff}# hello"), ["\"bad ByteOrderMark\""]);
        assert_eq!(kinds("!include \n"), ["\"bad IncludeWithoutArgument\""]);
        assert_eq!(kinds("!require /x"), ["\"! require /x\""]);
    }

    #[test]
    fn empty_files_have_no_line_and_cr_alone_ends_none() {
        assert_eq!(OptionFile::parse("").line_count(), 0);
        let file = OptionFile::parse("[mysqld]\rport=1\ruser=x\r");
        assert_eq!(file.line_count(), 1);
        assert!(file.has_server_group(&Product::mysql(9, 7)));
    }
}
