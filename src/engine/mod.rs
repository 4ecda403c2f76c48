//! Where servers run: golden data directories, servers cloned from them, their end. Knows nothing
//! of the load; whether a server answers is for its user to find out.

pub mod docker;
pub mod fake;

use std::collections::BTreeMap;
use std::future::Future;
use std::path::PathBuf;
use std::time::Duration;

use crate::catalog::Catalog;
use crate::stats::environment::Disturbance;

/// What a sweep needs of the place where servers run.
pub trait Engine {
    /// A server that was started.
    type Server: Server;

    /// What is known of image and machine before any server runs.
    fn facts(&self) -> &Facts;

    /// The catalogue of the image's options, where it is known without asking a server.
    fn known_catalog(&self) -> Option<Catalog>;

    /// What the server prints for `--verbose --help` without any option file.
    fn help(&self) -> impl Future<Output = Result<String, EngineError>>;

    /// Asks the server about option files without starting it, all of them in one go. None where
    /// this server can't be asked.
    fn ask(
        &self,
        inquiries: &[Inquiry],
    ) -> impl Future<Output = Result<Option<Vec<Answer>>, EngineError>>;

    /// Starts a server on a data directory that is made on the spot and thrown away with it.
    fn start_scratch(&self) -> impl Future<Output = Result<Self::Server, EngineError>>;

    /// The golden data directory with that key: there, or to be filled through a server that runs.
    fn golden(
        &self,
        recipe: &GoldenRecipe,
    ) -> impl Future<Output = Result<GoldenState<Self::Server>, EngineError>>;

    /// Waits until the builder, told to shut down, has ended, and checks what it left.
    fn seal(&self, builder: Self::Server) -> impl Future<Output = Result<Golden, EngineError>>;

    /// Starts a server on a clone of the golden data directory.
    fn start(
        &self,
        request: &StartRequest<'_>,
    ) -> impl Future<Output = Result<Self::Server, EngineError>>;

    /// Waits until what the clones wrote is on disk, so that it isn't flushed under load.
    fn settle(&self) -> impl Future<Output = Result<(), EngineError>>;

    /// What went on beside the pair with that number, where the engine makes it up. None where it is
    /// the machine's own doing, which others look at.
    fn made_up_disturbance(&self, pair: u32) -> Option<Disturbance>;

    /// Ends a server and removes everything that it had. In the background: what is returned can
    /// be awaited later, and ends in bounded time.
    fn remove(&self, server: Self::Server) -> Removal;

    /// Removes everything that this sweep started.
    fn clean_up(&self) -> impl Future<Output = Result<(), EngineError>>;
}

/// A server that was started.
pub trait Server {
    /// How to reach it.
    fn endpoint(&self) -> &Endpoint;

    /// Waits for its end. Ends at once when it has ended already.
    fn ended(&self) -> impl Future<Output = Ended>;

    /// Everything that it said so far.
    fn log(&self) -> impl Future<Output = String>;
}

/// A question about an option file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Inquiry {
    /// The file.
    pub cnf: Vec<u8>,
    /// What is asked.
    pub question: Question,
}

/// What a server can be asked about an option file without being started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Question {
    /// Whether it would take the file. What needs a data directory to be found out is not.
    Takes,
    /// The values that come out for these options, by canonical name.
    Values(Vec<String>),
}

/// The answer to an [`Inquiry`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Answer {
    /// The server's words, where it refuses the file; asked for values, also where it takes the
    /// file without some line of it.
    pub refused: Option<String>,
    /// The values that were asked for, by canonical name; without those that it does not print.
    pub values: BTreeMap<String, String>,
}

/// How to reach a server, and where its CPU time is counted.
#[derive(Debug, Clone, PartialEq)]
pub struct Endpoint {
    /// Where it listens.
    pub address: Address,
    /// Its CPU counter, where there is one.
    pub cpu: Option<CpuFile>,
    /// Its first process, as this machine numbers it.
    pub process: Option<u32>,
}

/// Where a server listens.
#[derive(Debug, Clone, PartialEq)]
pub enum Address {
    /// A unix socket.
    Socket(PathBuf),
    /// Nowhere: a script says what it would do.
    Script(Box<fake::Behaviour>),
}

/// The file that counts a container's CPU time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CpuFile {
    /// cgroup v1: `cpuacct.usage`.
    V1(PathBuf),
    /// cgroup v2: `cpu.stat`.
    V2(PathBuf),
}

/// How a server ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ended {
    /// Exit code of its first process.
    pub code: i64,
    /// Killed for the memory it used.
    pub oom: bool,
    /// The line of its log that says why: the last error before it gave up.
    pub reason: String,
}

/// What decides the contents of a golden data directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GoldenRecipe {
    /// Fingerprint of the data set.
    pub data: String,
    /// Options that act when a data directory is made, as arguments.
    pub initialise: Vec<String>,
}

/// A golden data directory that is ready to be cloned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Golden {
    /// Name of its volume.
    pub volume: String,
}

/// Whether a golden data directory is there.
#[derive(Debug)]
pub enum GoldenState<S> {
    /// It is.
    Ready(Golden),
    /// It is not: this server waits to be filled, told to shut down, and sealed.
    Building(S),
}

/// A server to be started.
#[derive(Debug, Clone, Copy)]
pub struct StartRequest<'a> {
    /// What it is for, in the container's name: `p12-base`.
    pub role: &'a str,
    /// The option file it reads.
    pub cnf: &'a [u8],
    /// What its data directory is cloned from.
    pub golden: &'a Golden,
}

/// What is known of image and machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Facts {
    /// Docker's image id.
    pub image_digest: String,
    /// What the server says to `--version`.
    pub version_line: String,
    /// The engine's version.
    pub engine_version: String,
    /// The engine's storage driver.
    pub storage_driver: String,
    /// cgroup version.
    pub cgroup: String,
}

/// How servers are placed and bounded; the same for both of a pair.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// CPUs, by number; none: any.
    pub cpus: Vec<usize>,
    /// Memory of each server, bytes.
    pub memory: u64,
    /// Data directories in memory instead of a volume.
    pub tmpfs: bool,
}

/// A removal that goes on in the background.
#[derive(Debug)]
#[must_use = "a removal that is not awaited may outlive the sweep"]
pub struct Removal(Option<tokio::task::JoinHandle<()>>);

impl Removal {
    /// Nothing to wait for.
    pub fn done() -> Self {
        Self(None)
    }

    /// Waits until it is done. Failures are no matter here: `clean_up` finds what is left.
    pub async fn wait(self) {
        if let Some(task) = self.0 {
            let _ = task.await;
        }
    }
}

/// Why the engine could not do what it was asked for. The text says what and what to do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EngineError {
    /// The engine can't be reached, or is of a kind that is not supported.
    #[error("{0}")]
    Unreachable(String),
    /// There is no such image and it can't be had.
    #[error("{0}")]
    NoImage(String),
    /// The engine refused a request.
    #[error("{what}: {message}")]
    Refused {
        /// What was asked for.
        what: String,
        /// The engine's words.
        message: String,
    },
    /// The engine did not answer in time.
    #[error("{what} did not end within {} s", limit.as_secs())]
    Timeout {
        /// What was asked for.
        what: String,
        /// How long it was waited for.
        limit: Duration,
    },
    /// A file of the harness could not be written or read.
    #[error("{0}")]
    File(String),
    /// A server that was needed for the sweep itself ended.
    #[error("{what}: {reason}")]
    Ended {
        /// Which one.
        what: String,
        /// Its own words.
        reason: String,
    },
}
