//! One file out of many: includes replaced by what they name, so that a container
//! without the include directories reads the same arguments.

use std::sync::Arc;

use super::check::ReadError;
use super::loader::Loader;
use super::message::Message;
use super::reader::{self, Says, ServerLine, Visitor};
use super::{OptionFile, Product};

/// A file without includes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Flattened {
    /// The file; its path is that of the base file.
    pub file: OptionFile,
    /// Where each of its lines comes from, in order: see [`Flattened::origin`].
    pub origins: Vec<LineOrigin>,
    /// Includes that lead nowhere and the like.
    pub messages: Vec<Message>,
}

/// Where a line of a flattened file comes from.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct LineOrigin {
    /// The file that has the line.
    pub file: Arc<[u8]>,
    /// Its line there, counted from 1.
    pub line: usize,
}

impl Flattened {
    /// Where the line with this number, counted from 1, comes from.
    pub fn origin(&self, line: usize) -> Option<&LineOrigin> {
        self.origins.get(line.checked_sub(1)?)
    }
}

impl OptionFile {
    /// The same file with its includes replaced by the lines of the files they name,
    /// for `product`: [`OptionFile::arguments`] of the result are those of the
    /// original.
    ///
    /// A directive stays as a comment. Behind an included file the header of the
    /// including one is repeated, because groups don't reach across files. A file
    /// without includes comes back byte for byte, unless a NUL or an overlong line
    /// makes the server see other lines than an editor does: then the lines are those
    /// the server sees. (An indented line that begins with `=` and lacks a newline is the
    /// one that doesn't come out the same; no server accepts it.)
    ///
    /// # Errors
    /// What makes the server give up.
    pub fn flatten(&self, product: &Product, loader: &dyn Loader) -> Result<Flattened, ReadError> {
        let mut flattener = Flattener {
            limit: product.line_limit().unwrap_or(usize::MAX),
            bytes: Vec::with_capacity(self.as_bytes().len()),
            owes_newline: false,
            origins: Vec::with_capacity(self.line_count()),
            messages: Vec::new(),
            lines_before: Vec::new(),
        };
        reader::walk(self, product, loader, &mut flattener)?;
        let file = OptionFile::parse(flattener.bytes).with_path(self.path());
        debug_assert_eq!(file.line_count(), flattener.origins.len());
        Ok(Flattened { file, origins: flattener.origins, messages: flattener.messages })
    }
}

struct Flattener {
    limit: usize,
    bytes: Vec<u8>,
    /// The last line has no newline; it gets one as soon as another line follows.
    owes_newline: bool,
    origins: Vec<LineOrigin>,
    messages: Vec<Message>,
    /// For each open include, how many lines there were before it.
    lines_before: Vec<usize>,
}

impl Flattener {
    /// Adds one line made of `parts`.
    fn push(&mut self, file: &Arc<[u8]>, line: usize, parts: &[&[u8]]) {
        if self.owes_newline {
            self.bytes.push(b'\n');
        }
        let start = self.bytes.len();
        for part in parts {
            self.bytes.extend_from_slice(part);
        }
        if self.bytes.len() == start {
            self.bytes.push(b'\n');
        }
        self.owes_newline = !self.bytes.ends_with(b"\n");
        self.origins.push(LineOrigin { file: file.clone(), line });
    }
}

impl Visitor for Flattener {
    fn line(&mut self, file: &Arc<[u8]>, line: &mut ServerLine) {
        let text: &[u8] = &line.line.text;
        let number = line.line.number;
        match &line.says {
            Says::Nothing | Says::Header | Says::Option { .. } => {
                self.push(file, number, &[text]);
            }
            // A comment that grows beyond the limit would end in a line of its own.
            Says::Directive(_) | Says::Fault { .. } if text.len() < self.limit => {
                self.push(file, number, &[b"#", text]);
            }
            Says::Directive(_) | Says::Fault { .. } => {}
        }
    }

    fn include_begins(&mut self) {
        self.lines_before.push(self.origins.len());
    }

    fn include_ended(&mut self, file: &Arc<[u8]>, line: &ServerLine) {
        let before = self.lines_before.pop();
        if let Some(group) = &line.group
            && before != Some(self.origins.len())
        {
            self.push(file, line.line.number, &[b"[", group, b"]\n"]);
        }
    }

    fn message(&mut self, message: Message) {
        self.messages.push(message);
    }
}
