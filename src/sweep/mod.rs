//! The loop: plan × engine × load → journal. Brings together what doesn't know each other (engine
//! and load) and tells listeners what goes on; prints nothing and decides no verdict.

mod beside;
mod catalogue;
mod check;
mod event;
mod goldens;
mod judge;
mod measure;
mod numbers;
mod probe;
mod ready;
mod rows;
mod run;

use crate::engine::EngineError;
use crate::journal::JournalError;
use crate::load::LoadError;
use crate::optionfile::EditError;

pub use catalogue::catalog;
pub use check::{RefusedLine, Subject, check, mentions};
pub use event::Event;
pub use goldens::{Goldens, golden, goldens};
pub use measure::Bench;
pub use probe::{BaseServer, Probe, Probed, Room, probe};
pub use ready::{NotReady, READY, Ready, wait};
pub use run::{Arms, Course, Deadline, Finished, ToggleArm, run};

/// Why a sweep could not be carried out. The text says what and what to do.
#[derive(Debug, thiserror::Error)]
pub enum SweepError {
    /// The place where servers run.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// A question to a server of the harness, or the data set.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// The results directory.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// The option file.
    #[error(transparent)]
    Edit(#[from] EditError),
    /// The schedule.
    #[error(transparent)]
    Schedule(#[from] crate::stats::screen::ScheduleError),
    /// The unchanged server does not start.
    #[error("the server does not start with the base file: {message}")]
    BaseRefused {
        /// The server's own words.
        message: String,
        /// Whether it was killed for its memory.
        oom: bool,
        /// The lines that it refuses, as far as they are known.
        lines: Vec<RefusedLine>,
    },
    /// Something that was needed did not get ready.
    #[error("{what} did not get ready: {message}")]
    NotReady {
        /// Which server.
        what: &'static str,
        /// Why.
        message: String,
    },
    /// Nothing is left to measure.
    #[error("no toggle can be measured: {0}")]
    NothingToMeasure(String),
}
