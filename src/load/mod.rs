//! The load generator: a fixed number of connections in a closed loop, over two servers in turn.
//! Takes one serialisable description ([`Job`]) and gives one serialisable result ([`PairLoad`]), so
//! that it can one day run beside the server. Knows servers only by how to reach them; starts none.

mod counter;
mod dataset;
mod gate;
mod pair;
mod record;
mod scripted;
mod session;
mod stream;
mod thread;
mod worker;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::profile::Load;

pub use dataset::fill;
pub use pair::run;
pub use record::decode_histogram;
pub use scripted::{Failure, Script};
pub use session::{Admin, BENCH_DATABASE, BENCH_USER, ping};

/// How to reach a server, and how to read what it uses.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Target {
    /// Where it listens.
    pub address: Address,
    /// Where its CPU time is counted; none where that can't be read.
    pub cpu: Option<CpuCounter>,
}

/// Where a server listens.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Address {
    /// A unix socket.
    Socket(PathBuf),
    /// No server at all: rates out of a script, for tests.
    Scripted(Box<Script>),
}

/// A cgroup's CPU counter.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum CpuCounter {
    /// cgroup v1: `cpuacct.usage`, nanoseconds.
    V1(PathBuf),
    /// cgroup v2: `usage_usec` in `cpu.stat`.
    V2(PathBuf),
}

/// One pair to be loaded. Index 0 is the base, 1 the toggled server, everywhere in this module.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Job {
    /// The two servers.
    pub targets: [Target; 2],
    /// What is sent.
    pub load: Load,
    /// Connections.
    pub threads: u32,
    /// Which server is loaded first.
    pub first: usize,
    /// Seed of the statements and their parameters; both servers get the same.
    pub seed: u64,
    /// CPUs of the load; none: anywhere.
    pub cpus: Vec<usize>,
}

/// What a pair gave.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PairLoad {
    /// Every slice, in the order in which they were loaded.
    pub slices: Vec<SliceLoad>,
    /// Per server.
    pub arms: [ArmLoad; 2],
    /// Length that the slices were given.
    pub slice: Duration,
}

/// What a slice gave.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SliceLoad {
    /// The server that was loaded.
    pub arm: usize,
    /// Operations that succeeded.
    pub ops: u64,
    /// Operations that failed.
    pub errors: u64,
    /// From the slice's start to its last completion, in seconds.
    pub seconds: f64,
    /// CPU of the loaded server, µs.
    pub server_cpu_us: Option<f64>,
    /// CPU of the other server, µs.
    pub idle_cpu_us: Option<f64>,
    /// CPU of the load generator, µs.
    pub client_cpu_us: Option<f64>,
}

/// What one server of a pair gave.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ArmLoad {
    /// Latencies per statement kind, `all` first.
    pub kinds: Vec<KindLoad>,
    /// Failures, by the server's error code or the kind of network error.
    pub errors: BTreeMap<String, ErrorCount>,
    /// Server counters that moved between the end of the warm-up and the last slice.
    pub status: BTreeMap<String, f64>,
}

/// Latencies of one statement kind on one server.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct KindLoad {
    /// `all`, `connect`, or the statement's name.
    pub name: String,
    /// How many.
    pub count: u64,
    /// Mean, µs.
    pub mean_us: f64,
    /// Median, µs.
    pub p50_us: f64,
    /// 95th percentile, µs.
    pub p95_us: f64,
    /// 99th percentile, µs.
    pub p99_us: f64,
    /// Longest, µs.
    pub max_us: f64,
    /// The histogram in ns, HDR V2 encoding, base64.
    pub hdr: String,
}

/// How often a failure was seen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ErrorCount {
    /// How often.
    pub count: u64,
    /// The first one's text.
    pub message: String,
}

/// Why a pair could not be loaded to its end.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LoadError {
    /// A server did not answer in time.
    #[error("{what} did not end within {} s", limit.as_secs())]
    Timeout {
        /// What was waited for.
        what: String,
        /// How long.
        limit: Duration,
    },
    /// More than one operation in a hundred failed.
    #[error("{errors} of {all} operations failed, most often: {message}")]
    Errors {
        /// Which server, 0 the base.
        arm: usize,
        /// Operations that failed.
        errors: u64,
        /// All operations.
        all: u64,
        /// The most frequent failure.
        message: String,
    },
    /// A statement of the harness failed.
    #[error("{what}: {message}")]
    Statement {
        /// What was tried.
        what: String,
        /// The server's or the network's words.
        message: String,
    },
    /// The load generator itself could not run.
    #[error("the load generator stopped: {0}")]
    Generator(String),
}
