//! The file layer of a server (my-cnf-syntax.md, sections 2–4): from option files to
//! the list of arguments that `my_print_defaults` prints. What the arguments mean is
//! no business of this file (`names.rs`, `value`).

use std::fmt;
use std::sync::Arc;

use super::check::ReadError;
use super::loader::Loader;
use super::message::Message;
use super::reader::{self, Says, ServerLine, Visitor};
use super::{OptionFile, Product, Vendor};

/// One argument that a server gets from its option files.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Argument {
    /// The name as written.
    pub name: Vec<u8>,
    /// The value, unquoted and with its escapes replaced. `None`: no `=`, which is not
    /// the same as an empty value.
    pub value: Option<Vec<u8>>,
    /// Where it comes from.
    pub origin: Origin,
}

/// Where an argument comes from.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Origin {
    /// The file.
    pub file: Arc<[u8]>,
    /// The line, counted from 1.
    pub line: usize,
    /// The group, as its header has it.
    pub group: Arc<[u8]>,
}

/// The arguments in the order in which the server gets them, and remarks.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Arguments {
    /// Later ones win, with the exceptions that [`super::repeat_rule`] knows.
    pub list: Vec<Argument>,
    /// Includes that lead nowhere and the like.
    pub messages: Vec<Message>,
}

impl Argument {
    /// The bytes that the server gets: `--name` or `--name=value`.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        self.write_to(&mut bytes);
        bytes
    }

    fn write_to(&self, bytes: &mut Vec<u8>) {
        bytes.extend_from_slice(b"--");
        bytes.extend_from_slice(&self.name);
        if let Some(value) = &self.value {
            bytes.push(b'=');
            bytes.extend_from_slice(value);
        }
    }
}

impl Arguments {
    /// What `my_print_defaults` prints: one argument per line (`mysql`'s needs `--show`
    /// to print passwords).
    pub fn printed(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        for argument in &self.list {
            argument.write_to(&mut bytes);
            bytes.push(b'\n');
        }
        bytes
    }

    /// As `my_print_defaults` of that server prints them without `--show`: MySQL's hides the value
    /// of `password`, and that alone; MariaDB's hides nothing.
    pub fn as_printed_by(&self, product: &Product) -> Vec<u8> {
        let mut bytes = Vec::new();
        for argument in &self.list {
            match product.vendor {
                Vendor::MySql if argument.name == b"password" && argument.value.is_some() => {
                    bytes.extend_from_slice(b"--password=*****");
                }
                _ => argument.write_to(&mut bytes),
            }
            bytes.push(b'\n');
        }
        bytes
    }

    /// The same with its secrets replaced by `********`.
    pub fn redacted(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        for argument in &self.list {
            bytes.extend_from_slice(&argument.redacted());
            bytes.push(b'\n');
        }
        bytes
    }
}

impl fmt::Display for Argument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&String::from_utf8_lossy(&self.to_bytes()))
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", String::from_utf8_lossy(&self.file), self.line)
    }
}

impl OptionFile {
    /// The arguments that `product` gets from this file and those it includes, as if
    /// it were started with `--defaults-file` on it.
    ///
    /// A relative include is looked for beside this file ([`OptionFile::with_path`]).
    /// A server looks in its working directory, usually its data directory, where
    /// nobody puts option files on purpose. `~/` is [`Loader::home`].
    ///
    /// # Errors
    /// What makes the server give up; it then gets nothing at all.
    pub fn arguments(
        &self,
        product: &Product,
        loader: &dyn Loader,
    ) -> Result<Arguments, ReadError> {
        let mut collector = Arguments::default();
        reader::walk(self, product, loader, &mut collector)?;
        Ok(collector)
    }
}

impl Visitor for Arguments {
    fn line(&mut self, file: &Arc<[u8]>, line: &mut ServerLine) {
        let (Says::Option { name, value }, Some(group)) = (&mut line.says, &line.group) else {
            return;
        };
        if line.in_server_group {
            self.list.push(Argument {
                name: std::mem::take(name),
                value: value.take(),
                origin: Origin { file: file.clone(), line: line.line.number, group: group.clone() },
            });
        }
    }

    fn include_begins(&mut self) {}

    fn include_ended(&mut self, _: &Arc<[u8]>, _: &ServerLine) {}

    fn message(&mut self, message: Message) {
        self.messages.push(message);
    }
}
