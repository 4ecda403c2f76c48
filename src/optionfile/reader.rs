//! A file as one server reads it: its lines in order, includes followed. What to do
//! with the lines is a [`Visitor`]'s business (`arguments.rs`, `flatten.rs`).

use std::sync::Arc;

use super::check::{ReadError, SyntaxError};
use super::file::BYTE_ORDER_MARK;
use super::grammar::{self, DirectiveText, Shape};
use super::loader::{LoadError, Loader};
use super::logical::{LogicalLine, LogicalLines};
use super::message::{Message, MessageKind};
use super::{Malformed, OptionFile, Product};

/// Includes inside includes are followed this deep; deeper ones are skipped.
const DEEPEST_INCLUDE: usize = 10;

/// Files read for one base file before we call it a loop. A server has no such limit:
/// it would read on for hours.
const MOST_FILES: usize = 10_000;

/// The bytes that servers with short lines take at once.
const LONGEST_PIECE: usize = 4094;

/// Paths of this many bytes and more are ignored without a message (`FN_REFLEN` − 3).
const LONGEST_PATH: usize = 509;

/// A line together with what the server takes it for.
#[derive(Debug, Clone)]
pub(super) struct ServerLine<'a> {
    pub line: LogicalLine<'a>,
    /// The group in force; for a header the one it opens.
    pub group: Option<Arc<[u8]>>,
    /// Whether the server reads that group.
    pub in_server_group: bool,
    pub says: Says,
}

impl ServerLine<'_> {
    /// Where its first byte that is no white space stands in the physical line, from 1.
    fn column(&self) -> usize {
        let text = &self.line.text;
        self.line.indent + text.len() - grammar::trim_start(text).len() + 1
    }
}

/// What a line tells a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Says {
    /// Blank or comment.
    Nothing,
    /// A group begins.
    Header,
    /// An option.
    Option { name: Vec<u8>, value: Option<Vec<u8>> },
    /// A directive.
    Directive(Include),
    /// The server stops here; `column` counts from 1 in the physical line.
    Fault { why: Malformed, column: usize },
}

/// A directive and its argument.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Include {
    File(Vec<u8>),
    /// `may_be_denied`: a directory without read permission is passed over.
    Dir {
        path: Vec<u8>,
        may_be_denied: bool,
    },
    Unknown(Vec<u8>),
}

/// The lines of one file, includes not followed. Goes on after a fault, which a server
/// would not; whoever cares stops there.
pub(super) fn server_lines<'a>(
    bytes: &'a [u8],
    product: &Product,
) -> impl Iterator<Item = ServerLine<'a>> {
    let product = *product;
    let mut group: Option<Arc<[u8]>> = None;
    let mut in_server_group = false;
    LogicalLines::new(bytes, &product).map(move |line| {
        let (says, opened) = say(&line, group.is_some(), &product);
        if let Some(name) = opened {
            in_server_group = product.reads(&name);
            group = Some(name);
        }
        ServerLine { line, group: group.clone(), in_server_group, says }
    })
}

/// What a line says, and the group it opens.
fn say(line: &LogicalLine, in_group: bool, product: &Product) -> (Says, Option<Arc<[u8]>>) {
    let text: &[u8] = &line.text;
    let fault = |why, at| {
        let column = line.indent + at + 1;
        (Says::Fault { why, column }, None)
    };
    match grammar::shape(text, product.has_question_mark_includes()) {
        Shape::Blank | Shape::Comment { .. } => (Says::Nothing, None),
        Shape::Header { at, name: None } => fault(Malformed::UnclosedHeader, at),
        Shape::Header { name: Some(name), .. } => (Says::Header, Some(Arc::from(&text[name]))),
        Shape::Directive { at } => {
            let rule = product.include_argument();
            let include = match grammar::directive(&text[at + 1..], rule) {
                DirectiveText::Include(Some(path)) => Include::File(path.to_vec()),
                DirectiveText::IncludeDir(Some(path)) => {
                    Include::Dir { path: path.to_vec(), may_be_denied: text[at] == b'?' }
                }
                DirectiveText::Unknown(text) => Include::Unknown(text.to_vec()),
                DirectiveText::Include(None) | DirectiveText::IncludeDir(None) => {
                    return fault(Malformed::IncludeWithoutArgument, at);
                }
            };
            (Says::Directive(include), None)
        }
        Shape::Option(span) if !in_group => {
            let has_mark = line.start == 0 && text.starts_with(BYTE_ORDER_MARK);
            let why =
                if has_mark { Malformed::ByteOrderMark } else { Malformed::OptionBeforeGroup };
            fault(why, span.name.start)
        }
        Shape::Option(span) => {
            let name = if span.name.is_empty() && span.name.start > 0 {
                // Looking for the end of the empty name, servers run backwards over the
                // indentation and then copy everything up to the comment
                // (seen in 9.7.4 and 11.8.9: `  =5` gives `--=5⏎=5`). That overruns a
                // buffer: `my_print_defaults` of 9.7.4 crashed on about half of such
                // lines, in groups that it doesn't read too, and MariaDB's on long ones.
                text[span.name.start..span.text_end].to_vec()
            } else {
                text[span.name].to_vec()
            };
            let value = span.value.map(|v| grammar::value_of(&text[v.raw]));
            (Says::Option { name, value }, None)
        }
    }
}

/// Gets every line that the server reads, in its order.
pub(super) trait Visitor {
    /// The next line of `file`. An option's name and value may be taken out of it.
    fn line(&mut self, file: &Arc<[u8]>, line: &mut ServerLine);

    /// The line before names an include, which is read now.
    fn include_begins(&mut self);

    /// An include of `file` has been read, and the group of the line that named it
    /// goes on.
    fn include_ended(&mut self, file: &Arc<[u8]>, line: &ServerLine);

    /// Something worth telling.
    fn message(&mut self, message: Message);
}

/// Reads `file` as `product` does.
///
/// # Errors
/// What makes the server give up. Errors in included files don't: they end that file
/// and become messages.
pub(super) fn walk(
    file: &OptionFile,
    product: &Product,
    loader: &dyn Loader,
    visitor: &mut dyn Visitor,
) -> Result<(), ReadError> {
    let mut walker =
        Walker { product, loader, base_dir: directory(file.path()), files: 0, visitor };
    walker.file(&Arc::from(file.path()), file.as_bytes(), 0)
}

struct Walker<'w> {
    product: &'w Product,
    loader: &'w dyn Loader,
    /// Stands for the server's working directory, ends with a slash or is empty.
    base_dir: &'w [u8],
    files: usize,
    visitor: &'w mut dyn Visitor,
}

impl Walker<'_> {
    fn file(&mut self, name: &Arc<[u8]>, bytes: &[u8], depth: usize) -> Result<(), ReadError> {
        for mut line in server_lines(bytes, self.product) {
            let is_too_deep = depth >= DEEPEST_INCLUDE;
            if let Some(oddity) = oddity(&line) {
                self.tell(name, &line, oddity);
            }
            match &line.says {
                Says::Fault { why, .. }
                    if is_too_deep && *why == Malformed::IncludeWithoutArgument =>
                {
                    self.visitor.line(name, &mut line);
                    self.tell(name, &line, MessageKind::TooDeep);
                }
                Says::Fault { why, column } => {
                    return Err(ReadError::Syntax(SyntaxError {
                        file: name.to_vec(),
                        line: line.line.number,
                        column: *column,
                        kind: *why,
                    }));
                }
                Says::Directive(include) => {
                    let include = include.clone();
                    self.visitor.line(name, &mut line);
                    if is_too_deep {
                        self.tell(name, &line, MessageKind::TooDeep);
                    } else {
                        self.include(name, &line, &include, depth)?;
                    }
                }
                Says::Nothing | Says::Header | Says::Option { .. } => {
                    self.visitor.line(name, &mut line);
                }
            }
        }
        Ok(())
    }

    fn include(
        &mut self,
        name: &Arc<[u8]>,
        line: &ServerLine,
        include: &Include,
        depth: usize,
    ) -> Result<(), ReadError> {
        match include {
            Include::Unknown(text) => {
                let text = text.clone();
                self.tell(name, line, MessageKind::UnknownDirective { text });
            }
            Include::File(path) => {
                self.visitor.include_begins();
                self.included_file(name, line, path, depth)?;
                self.visitor.include_ended(name, line);
            }
            Include::Dir { path, may_be_denied } => {
                let entries = self.directory_entries(name, line, path, *may_be_denied)?;
                self.visitor.include_begins();
                for entry in entries {
                    let mut full = path.clone();
                    if !full.ends_with(b"/") {
                        full.push(b'/');
                    }
                    full.extend_from_slice(&entry);
                    self.included_file(name, line, &full, depth)?;
                }
                self.visitor.include_ended(name, line);
            }
        }
        Ok(())
    }

    /// The names in the directory that count, in byte order: whatever is behind the
    /// last dot must be exactly `cnf`.
    fn directory_entries(
        &mut self,
        name: &Arc<[u8]>,
        line: &ServerLine,
        path: &[u8],
        may_be_denied: bool,
    ) -> Result<Vec<Vec<u8>>, ReadError> {
        // A leading `~` means nothing here, other than in the path of a file.
        let mut entries = match self.loader.list_dir(&self.absolute(path)) {
            Ok(entries) => entries,
            Err(reason @ LoadError::PermissionDenied) if may_be_denied => {
                let path = path.to_vec();
                self.tell(name, line, MessageKind::NotIncluded { path, reason });
                Vec::new()
            }
            Err(reason) => {
                return Err(ReadError::IncludeDir {
                    file: name.to_vec(),
                    line: line.line.number,
                    column: line.column(),
                    path: path.to_vec(),
                    reason,
                });
            }
        };
        entries.retain(|entry| entry.ends_with(b".cnf"));
        entries.sort_unstable();
        Ok(entries)
    }

    /// Reads an included file; what is wrong with it ends that file only.
    fn included_file(
        &mut self,
        name: &Arc<[u8]>,
        line: &ServerLine,
        path: &[u8],
        depth: usize,
    ) -> Result<(), ReadError> {
        if path.len() >= LONGEST_PATH {
            let path = path.to_vec();
            self.tell(name, line, MessageKind::PathTooLong { path });
            return Ok(());
        }
        self.files += 1;
        if self.files > MOST_FILES {
            return Err(ReadError::TooManyIncludes {
                file: name.to_vec(),
                line: line.line.number,
                column: line.column(),
            });
        }
        let full = match self.expanded(path) {
            Some(full) => full,
            None => {
                let path = path.to_vec();
                self.tell(name, line, MessageKind::HomeUnknown { path });
                return Ok(());
            }
        };
        let content = match self.loader.read(&full) {
            Ok(content) => content,
            Err(reason) => {
                let kind = MessageKind::NotIncluded { path: full, reason };
                self.tell(name, line, kind);
                return Ok(());
            }
        };
        match self.file(&Arc::from(full), &content, depth + 1) {
            Err(error @ ReadError::TooManyIncludes { .. }) => Err(error),
            Err(error) => {
                self.tell(name, line, MessageKind::RestDropped(Box::new(error)));
                Ok(())
            }
            Ok(()) => Ok(()),
        }
    }

    /// The path to open, or `None` when it is in a home directory that nobody knows.
    fn expanded(&self, path: &[u8]) -> Option<Vec<u8>> {
        match path {
            [b'~', rest @ ..] if path.contains(&b'/') => {
                let below = rest.strip_prefix(b"/")?;
                let mut full = self.loader.home()?;
                full.push(b'/');
                full.extend_from_slice(below);
                Some(full)
            }
            _ => Some(self.absolute(path)),
        }
    }

    /// A relative path, put behind the directory of the base file. The server takes
    /// its own working directory, which nobody knows beforehand.
    fn absolute(&self, path: &[u8]) -> Vec<u8> {
        if path.starts_with(b"/") { path.to_vec() } else { [self.base_dir, path].concat() }
    }

    fn tell(&mut self, file: &Arc<[u8]>, line: &ServerLine, kind: MessageKind) {
        self.visitor.message(Message { file: file.to_vec(), line: line.line.number, kind });
    }
}

/// What is worth a remark about the bytes of a line.
fn oddity(line: &ServerLine) -> Option<MessageKind> {
    let LogicalLine { start, end, indent, is_plain, text, .. } = &line.line;
    let is_second_piece = (1..=LONGEST_PIECE).contains(indent);
    if is_second_piece && text.as_ref() != b"\n" {
        return Some(MessageKind::CutLine);
    }
    if !is_plain && text.len() < end - start {
        return Some(MessageKind::NulByte);
    }
    let swallows = line.says == Says::Header
        && text.split(|&b| b == b'\r').skip(1).any(|behind| !grammar::trim_end(behind).is_empty());
    swallows.then_some(MessageKind::LoneCarriageReturn)
}

/// Everything up to and with the last slash.
fn directory(path: &[u8]) -> &[u8] {
    let slash = path.iter().rposition(|&b| b == b'/');
    &path[..slash.map_or(0, |at| at + 1)]
}
