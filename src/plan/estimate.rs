//! How long a sweep takes, and how much disk.

use std::time::Duration;

use crate::profile::Load;

/// What a sweep needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Estimate {
    /// Pairs.
    pub pairs: u64,
    /// One pair.
    pub pair: Duration,
    /// All of it, with the probes.
    pub time: Duration,
    /// Disk at its fullest: the golden directories, and two clones beside a pair that is being
    /// removed, or the servers of the probe.
    pub disk_bytes: u64,
}

/// Start of two servers, flushing, counters: measured on two shared cores with MySQL 9.7, see
/// README. Part of every pair beside warm-up and slices.
const BETWEEN_SLICES: Duration = Duration::from_millis(2_600);
/// One start of the probe.
const PROBE: Duration = Duration::from_millis(1_900);
/// A data directory without a data set: redo log, system tables, undo.
const EMPTY_BYTES: u64 = 220 << 20;
/// A row of a data set with its index entries, roughly.
const ROW_BYTES: u64 = 200;

/// Bytes of a data directory with that many rows, roughly.
pub fn data_dir_bytes(rows: u64) -> u64 {
    EMPTY_BYTES + rows.saturating_mul(ROW_BYTES)
}

/// What the probe found out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Starts {
    /// How many were made.
    pub all: u64,
    /// Of which at the same time.
    pub at_once: u64,
    /// Golden data directories.
    pub goldens: u64,
}

/// Estimates a sweep of that many pairs after those starts. `slice` is how long slices really are,
/// where that is known already; else the profile's shortest.
pub fn estimate(
    load: &Load,
    rows: u64,
    pairs: u64,
    starts: Starts,
    slice: Option<Duration>,
) -> Estimate {
    let slice = slice.unwrap_or(load.slice);
    let pair = BETWEEN_SLICES + load.warmup * 2 + slice * load.slices * 2;
    let times = |d: Duration, n: u64| d.saturating_mul(u32::try_from(n).unwrap_or(u32::MAX));
    Estimate {
        pairs,
        pair,
        time: times(pair, pairs).saturating_add(times(PROBE, starts.all)),
        disk_bytes: (starts.goldens + starts.at_once.max(4)) * data_dir_bytes(rows),
    }
}
