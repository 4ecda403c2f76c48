//! `profiles/*.toml` → a validated benchmark. Owns the profile format and the benchmarks that are
//! shipped; does no load and knows no server.

mod builtin;
mod wire;

use std::ops::RangeInclusive;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

pub use builtin::{BUILTIN, builtin_names};

/// Why a profile can't be used. The text names the file, line and column where known.
#[derive(Debug, thiserror::Error)]
#[error("profile `{origin}`{}: {message}", place.map(|(l, c)| format!(":{l}:{c}")).unwrap_or_default())]
pub struct ProfileError {
    /// File name, or name of a shipped profile.
    pub origin: String,
    /// Line and column, from 1.
    pub place: Option<(usize, usize)>,
    /// What is wrong, and what to do.
    pub message: String,
}

/// A benchmark.
#[derive(Debug, Clone, PartialEq)]
pub struct Profile {
    /// Name, as in `--bench`.
    pub name: String,
    /// What it answers, in prose.
    pub about: String,
    /// The TOML text it was read from.
    pub text: String,
    /// How it loads a server.
    pub load: Load,
    /// Tables, filled before the measurement.
    pub tables: Vec<Table>,
}

/// How a benchmark loads a server: everything that the load generator needs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Load {
    /// Connections; the first is the default.
    pub threads: Vec<u32>,
    /// How long a connection lives.
    pub connection: Lifetime,
    /// What is counted.
    pub operation: Operation,
    /// Load on each server before anything counts.
    pub warmup: Duration,
    /// Shortest slice.
    pub slice: Duration,
    /// Slices per server and pair.
    pub slices: u32,
    /// What is sent, by weight.
    pub statements: Vec<Statement>,
}

/// How long a connection lives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Lifetime {
    /// That many statements, then it is closed and another opened.
    Statements(u32),
    /// As long as the pair.
    Kept,
}

/// What is counted as an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Operation {
    /// Connect, all statements of the connection, disconnect.
    Connection,
    /// One statement.
    Statement,
}

/// A statement of the load.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Statement {
    /// Its kind, as it stands in `trials.csv`.
    pub name: String,
    /// SQL, cut at its `?`: one piece more than parameters.
    pub pieces: Vec<String>,
    /// How it is sent.
    pub protocol: Protocol,
    /// How often, relative to the others.
    pub weight: u32,
    /// What stands for each `?`.
    pub parameters: Vec<Fill>,
}

/// How a statement is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Protocol {
    /// COM_QUERY with the values in the text.
    Text,
    /// COM_STMT_EXECUTE, prepared once a connection.
    Prepared,
}

/// A table of the data set.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Table {
    /// Its name.
    pub name: String,
    /// CREATE TABLE.
    pub create: String,
    /// Rows.
    pub rows: u64,
    /// How each column is filled.
    pub columns: Vec<Column>,
}

/// A column of a table.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// Its values.
    pub fill: Fill,
}

/// Where a value comes from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Fill {
    /// 1, 2, 3 … by row.
    Sequence,
    /// A whole number, each equally likely.
    Uniform(RangeInclusive<i64>),
    /// Lower-case letters and digits.
    Text {
        /// How many.
        length: u32,
    },
}

impl Profile {
    /// Reads a profile. `name` is what `--bench` calls it, `origin` where it was found.
    ///
    /// # Errors
    /// When the text is not TOML, has an unknown or missing field or a value out of range; the
    /// error has line and column.
    pub fn parse(name: &str, origin: &str, text: &str) -> Result<Self, ProfileError> {
        wire::parse(name, origin, text)
    }

    /// SHA-256 over what decides the contents of the golden data directory, in hex.
    ///
    /// # Errors
    /// Never in practice: the data set is plain data.
    pub fn data_fingerprint(&self) -> Result<String, serde_json::Error> {
        Ok(hex(&Sha256::digest(serde_json::to_vec(&self.tables)?)))
    }

    /// Rows over all tables.
    pub fn rows(&self) -> u64 {
        self.tables.iter().map(|t| t.rows).sum()
    }
}

/// Bytes as lower-case hex.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}
