//! One struct per CSV file of `results/<id>/`, columns in the order of the contract. Numbers are
//! unrounded; a measurement that failed is a row with empty numbers.

use serde::{Deserialize, Serialize};

use crate::toggle::{Action, Label, Place, Status, Toggle};
use crate::words::words;

/// The prefix of the names of A/A arms, which change nothing and show the noise floor.
const CALIBRATION_PREFIX: &str = "aa-";

/// Whether a name in a `toggle` column is that of an A/A arm (`aa-1`, `aa-2` …).
pub fn is_calibration_arm(toggle: &str) -> bool {
    toggle
        .strip_prefix(CALIBRATION_PREFIX)
        .is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
}

words! {
    /// Which of the two servers of a pair.
    Arm {
        /// The unchanged server.
        Base = "base",
        /// The server with the toggle.
        Toggle = "toggle",
    }
}

words! {
    /// How the measurement of a pair ended.
    Outcome {
        /// Measured.
        Ok = "ok",
        /// Measured, but the machine was disturbed: does not count.
        Rejected = "rejected",
        /// The server did not start.
        Refused = "refused",
        /// The server died under load.
        Crashed = "crashed",
        /// The server was not ready, or did not answer, in time.
        Timeout = "timeout",
        /// The server was killed for the memory it used.
        Oom = "oom",
        /// More than one operation in a hundred failed.
        Errors = "errors",
    }
}

words! {
    /// What an effect is an effect on.
    Metric {
        /// Operations per second; more is better.
        Throughput = "throughput",
        /// The 99th percentile of the latency; less is better.
        P99 = "p99",
        /// CPU time of the server per operation; less is better.
        ServerCpuPerOp = "server_cpu_per_op",
    }
}

/// A row of `toggles.csv`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToggleRow {
    /// The toggle's id, which reads like an option line: `performance_schema=OFF`.
    pub toggle: String,
    /// The option's canonical name.
    pub option: String,
    /// Where it stands in the base file; empty where it doesn't.
    pub line: Option<usize>,
    /// What is done to the file.
    pub action: Action,
    /// The value in the base file; empty where there is none.
    pub from: Option<String>,
    /// The value that is tried; empty where the line goes.
    pub to: Option<String>,
    /// What it trades away.
    pub label: Label,
    /// What became of it.
    pub status: Status,
    /// The reason, the server's own words, or side effects.
    pub detail: String,
}

impl From<&Toggle> for ToggleRow {
    fn from(toggle: &Toggle) -> Self {
        Self {
            toggle: toggle.id.clone(),
            option: toggle.option.clone(),
            line: toggle.place.as_ref().and_then(Place::line_of_base),
            action: toggle.action,
            from: toggle.from.clone(),
            to: toggle.to.clone(),
            label: toggle.label,
            status: toggle.status,
            detail: detail(toggle),
        }
    }
}

/// The detail; of a line that is not in the base file it begins with where that is.
fn detail(toggle: &Toggle) -> String {
    match &toggle.place {
        Some(place @ Place { included: Some(_), .. }) if toggle.detail.is_empty() => {
            place.to_string()
        }
        Some(place @ Place { included: Some(_), .. }) => format!("{place}: {}", toggle.detail),
        _ => toggle.detail.clone(),
    }
}

/// A row of `trials.csv`: one arm of a pair, for one statement kind (`all` first).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TrialRow {
    /// Round, from 1.
    pub round: u32,
    /// Pair, from 1, unique in the sweep.
    pub pair: u32,
    /// Who started first and how the load went: `BT:TBBT`.
    pub order: String,
    /// The toggle's id, or `aa-1` … for A/A arms.
    pub toggle: String,
    /// Which of the two servers.
    pub arm: Arm,
    /// Connections.
    pub threads: u32,
    /// Storage engine of the data set; empty where the profile has none.
    pub engine: String,
    /// Statement kind; `all` is the operation itself.
    pub statement: String,
    /// Slices that were measured.
    pub slices: u32,
    /// Operations that succeeded.
    pub ops: Option<u64>,
    /// Operations that failed.
    pub errors: Option<u64>,
    /// Time under load, in seconds.
    pub seconds: Option<f64>,
    /// Operations per second.
    pub ops_per_s: Option<f64>,
    /// Mean latency, µs.
    pub mean_us: Option<f64>,
    /// Median latency, µs.
    pub p50_us: Option<f64>,
    /// 95th percentile of the latency, µs.
    pub p95_us: Option<f64>,
    /// 99th percentile of the latency, µs.
    pub p99_us: Option<f64>,
    /// Longest latency, µs.
    pub max_us: Option<f64>,
    /// CPU of the server per operation, µs.
    pub server_cpu_us_per_op: Option<f64>,
    /// CPU of the load generator per operation, µs.
    pub client_cpu_us_per_op: Option<f64>,
    /// The pair's number, on the `toggle` arm's row: trimmed mean of ln(toggle/base).
    pub log_ratio: Option<f64>,
    /// Slices below half of the arm's median rate.
    pub stalls: Option<u32>,
    /// How it ended.
    pub outcome: Outcome,
    /// The server's or the machine's words where it did not end well.
    pub message: String,
    /// UTC, when the pair was started.
    pub started_at: String,
}

/// A row of `slices.csv`: one slice of load on one arm.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SliceRow {
    /// The pair.
    pub pair: u32,
    /// The arm that was loaded.
    pub arm: Arm,
    /// Position in the pair, from 1, over both arms.
    pub sequence: u32,
    /// Operations that succeeded.
    pub ops: u64,
    /// Operations that failed.
    pub errors: u64,
    /// From the slice's start to its last completion, in seconds.
    pub seconds: f64,
    /// CPU of the loaded server in the slice, µs; empty where it can't be read.
    pub server_cpu_us: Option<f64>,
    /// CPU of the other, idle server in the slice, µs.
    pub idle_cpu_us: Option<f64>,
    /// CPU of the load generator in the slice, µs.
    pub client_cpu_us: Option<f64>,
}

/// A row of `histograms.csv`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HistogramRow {
    /// The pair.
    pub pair: u32,
    /// The arm.
    pub arm: Arm,
    /// Statement kind.
    pub statement: String,
    /// Latencies in ns, HDR histogram V2 encoding, base64.
    pub hdr: String,
}

/// A row of `status.csv`: a server counter that moved under load.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StatusRow {
    /// The pair.
    pub pair: u32,
    /// The arm.
    pub arm: Arm,
    /// Name in SHOW GLOBAL STATUS.
    pub counter: String,
    /// By how much it moved between the end of the warm-up and the last slice.
    pub delta: f64,
}

/// A row of `effects.csv`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EffectRow {
    /// The toggle's id.
    pub toggle: String,
    /// The option's canonical name.
    pub option: String,
    /// The value in the base file.
    pub from: Option<String>,
    /// The value that was tried.
    pub to: Option<String>,
    /// What it trades away.
    pub label: Label,
    /// Connections.
    pub threads: u32,
    /// Storage engine of the data set.
    pub engine: String,
    /// Statement kind.
    pub statement: String,
    /// Effect on what.
    pub metric: Metric,
    /// Pairs that count.
    pub n: u32,
    /// The effect, in percent.
    pub effect_pct: Option<f64>,
    /// Lower end of the 95 % interval, in percent.
    pub ci_low_pct: Option<f64>,
    /// Upper end of the 95 % interval, in percent.
    pub ci_high_pct: Option<f64>,
    /// The p value by itself.
    pub p: Option<f64>,
    /// The p value, adjusted for the number of toggles.
    pub p_adjusted: Option<f64>,
    /// The smallest effect that would have been found four times in five, in percent.
    pub mde_pct: Option<f64>,
    /// The verdict, in the contract's words.
    pub verdict: String,
    /// Any of `stalls, unstable, client-bound, leak, burst, shared machine`, joined by `; `.
    pub note: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_aa_and_a_number_is_a_calibration_arm() {
        assert!(is_calibration_arm("aa-1"));
        assert!(!is_calibration_arm("aa-"));
        assert!(!is_calibration_arm("aa-x=1"));
        assert!(!is_calibration_arm("performance_schema=OFF"));
    }

    #[test]
    fn words_read_back_as_what_they_were() {
        for status in Status::ALL {
            assert_eq!(status.as_str().parse::<Status>(), Ok(*status));
        }
        for outcome in Outcome::ALL {
            assert_eq!(outcome.as_str().parse::<Outcome>(), Ok(*outcome));
        }
        assert!("fast".parse::<Outcome>().is_err());
    }
}
