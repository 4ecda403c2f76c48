//! What a sweep tells its listeners: progress bar, plain log, tests.

use std::time::Duration;

use crate::journal::Outcome;
use crate::toggle::Status;

/// Something happened.
#[derive(Debug, Clone, PartialEq)]
pub enum Event<'a> {
    /// A phase began.
    Phase(&'a str),
    /// Rows of the data set that are loaded.
    Rows {
        /// So far.
        done: u64,
        /// Of how many.
        all: u64,
    },
    /// Each toggle's server is going to be started once.
    Probing {
        /// How many.
        all: usize,
        /// How long that takes, by what the unchanged server took.
        left: Duration,
    },
    /// A toggle's server was started once, or not at all where it said before that it would not.
    Probed {
        /// So far.
        done: usize,
        /// Of how many.
        all: usize,
        /// The toggle.
        toggle: &'a str,
        /// What became of it.
        status: Status,
        /// In words.
        detail: &'a str,
    },
    /// A pair was started.
    Pair {
        /// Its number, from 1.
        pair: u32,
        /// Pairs in all, at most.
        of: u64,
        /// Its round.
        round: u32,
        /// The toggle, or the A/A arm.
        toggle: &'a str,
        /// What is left, by the pairs so far.
        left: Option<Duration>,
    },
    /// Slices of the running pair.
    Slices {
        /// So far.
        done: u32,
        /// Of how many.
        all: u32,
    },
    /// A pair ended.
    PairEnded {
        /// Its number.
        pair: u32,
        /// The toggle, or the A/A arm.
        toggle: &'a str,
        /// Rate of the unchanged server.
        base_ops_per_s: Option<f64>,
        /// ln(toggle/base).
        log_ratio: Option<f64>,
        /// How.
        outcome: Outcome,
        /// Why not well.
        message: &'a str,
    },
    /// Something that the user should know.
    Warning(&'a str),
}

/// Whoever listens.
pub type Listener<'l> = dyn FnMut(Event<'_>) + 'l;
