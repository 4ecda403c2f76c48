//! What a pair gave → rows of the journal.

use crate::journal::{Arm, HistogramRow, Outcome, SliceRow, StatusRow, TrialRow};
use crate::load::{PairLoad, SliceLoad};
use crate::stats::environment::Rejection;
use crate::stats::pair::{PairError, PairNumbers, Slice, enough_operations};

/// What all rows of a pair have in common.
#[derive(Debug, Clone)]
pub(super) struct Head {
    pub(super) round: u32,
    pub(super) pair: u32,
    pub(super) order: String,
    pub(super) toggle: String,
    pub(super) threads: u32,
    pub(super) started_at: String,
}

/// All rows of a pair.
#[derive(Debug, Clone, Default)]
pub(super) struct Rows {
    pub(super) trials: Vec<TrialRow>,
    pub(super) slices: Vec<SliceRow>,
    pub(super) histograms: Vec<HistogramRow>,
    pub(super) status: Vec<StatusRow>,
}

const ARMS: [Arm; 2] = [Arm::Base, Arm::Toggle];

/// Rows of a pair that was loaded to its end, on a machine that was quiet enough or was not.
pub(super) fn measured(
    head: &Head,
    load: &PairLoad,
    rejection: Option<Rejection>,
) -> Result<Rows, PairError> {
    let of = |arm: usize| load.slices.iter().filter(move |s| s.arm == arm);
    let slices = |arm| of(arm).map(|s| Slice::new(s.ops, s.seconds)).collect::<Result<Vec<_>, _>>();
    let numbers = PairNumbers::new(&slices(0)?, &slices(1)?)?;
    let threads = u64::from(head.threads);
    let (outcome, message) = match (too_few(load, threads), rejection) {
        (None, None) => (Outcome::Ok, String::new()),
        (None, Some(rejection)) => (Outcome::Rejected, rejection.to_string()),
        (Some(ops), _) => (
            Outcome::Rejected,
            format!(
                "half of a server's slices had {ops} operations or fewer on {threads} connections, \
                 less than 10 each: the profile needs longer slices"
            ),
        ),
    };
    let mut rows = Rows::default();
    for (index, arm) in ARMS.into_iter().enumerate() {
        let stalls = [numbers.stalls_base, numbers.stalls_toggled][index] * numbers.slices as f64;
        let totals = Totals::of(of(index));
        for kind in &load.arms[index].kinds {
            let whole = kind.name == "all";
            let ops = if whole { totals.ops } else { kind.count };
            rows.trials.push(TrialRow {
                slices: u32::try_from(numbers.slices).unwrap_or(u32::MAX),
                ops: Some(ops),
                errors: Some(totals.errors),
                seconds: Some(totals.seconds),
                ops_per_s: Some(ops as f64 / totals.seconds),
                mean_us: Some(kind.mean_us),
                p50_us: Some(kind.p50_us),
                p95_us: Some(kind.p95_us),
                p99_us: Some(kind.p99_us),
                max_us: Some(kind.max_us),
                server_cpu_us_per_op: totals
                    .server_cpu_us
                    .filter(|_| whole)
                    .map(|t| t / ops as f64),
                client_cpu_us_per_op: totals
                    .client_cpu_us
                    .filter(|_| whole)
                    .map(|t| t / ops as f64),
                log_ratio: (whole && arm == Arm::Toggle).then_some(numbers.trimmed),
                stalls: whole.then_some(stalls.round() as u32),
                message: message.clone(),
                ..empty(head, arm, &kind.name, outcome)
            });
            rows.histograms.push(HistogramRow {
                pair: head.pair,
                arm,
                statement: kind.name.clone(),
                hdr: kind.hdr.clone(),
            });
        }
        rows.status.extend(load.arms[index].status.iter().map(|(counter, delta)| StatusRow {
            pair: head.pair,
            arm,
            counter: counter.clone(),
            delta: *delta,
        }));
    }
    rows.slices = load.slices.iter().enumerate().map(|(n, s)| slice_row(head, n, s)).collect();
    Ok(rows)
}

/// The operations of the slice in the middle, if they are too few on one of the servers. Single
/// slices that are short of operations are stalls: a toggle may cause them, and they have a column
/// of their own.
fn too_few(load: &PairLoad, threads: u64) -> Option<u64> {
    let middle = |arm: usize| {
        let mut ops: Vec<u64> =
            load.slices.iter().filter(|s| s.arm == arm).map(|s| s.ops).collect();
        ops.sort_unstable();
        ops.get(ops.len().saturating_sub(1) / 2).copied()
    };
    [0, 1].into_iter().filter_map(middle).find(|ops| !enough_operations(*ops, threads))
}

/// Rows of a pair that gave no number: both arms, the message on the one that failed.
pub(super) fn failed(head: &Head, failing: Arm, outcome: Outcome, message: &str) -> Rows {
    let trials = ARMS
        .into_iter()
        .map(|arm| TrialRow {
            message: if arm == failing { message.to_owned() } else { String::new() },
            ..empty(head, arm, "all", outcome)
        })
        .collect();
    Rows { trials, ..Rows::default() }
}

fn empty(head: &Head, arm: Arm, statement: &str, outcome: Outcome) -> TrialRow {
    TrialRow {
        round: head.round,
        pair: head.pair,
        order: head.order.clone(),
        toggle: head.toggle.clone(),
        arm,
        threads: head.threads,
        engine: String::new(),
        statement: statement.to_owned(),
        slices: 0,
        ops: None,
        errors: None,
        seconds: None,
        ops_per_s: None,
        mean_us: None,
        p50_us: None,
        p95_us: None,
        p99_us: None,
        max_us: None,
        server_cpu_us_per_op: None,
        client_cpu_us_per_op: None,
        log_ratio: None,
        stalls: None,
        outcome,
        message: String::new(),
        started_at: head.started_at.clone(),
    }
}

fn slice_row(head: &Head, number: usize, slice: &SliceLoad) -> SliceRow {
    SliceRow {
        pair: head.pair,
        arm: ARMS[slice.arm.min(1)],
        sequence: u32::try_from(number + 1).unwrap_or(u32::MAX),
        ops: slice.ops,
        errors: slice.errors,
        seconds: slice.seconds,
        server_cpu_us: slice.server_cpu_us,
        idle_cpu_us: slice.idle_cpu_us,
        client_cpu_us: slice.client_cpu_us,
    }
}

/// Sums over the slices of an arm; CPU only where every slice has it.
struct Totals {
    ops: u64,
    errors: u64,
    seconds: f64,
    server_cpu_us: Option<f64>,
    client_cpu_us: Option<f64>,
}

impl Totals {
    fn of<'a>(slices: impl Iterator<Item = &'a SliceLoad>) -> Self {
        let none = Self {
            ops: 0,
            errors: 0,
            seconds: 0.0,
            server_cpu_us: Some(0.0),
            client_cpu_us: Some(0.0),
        };
        slices.fold(none, |sum, s| Self {
            ops: sum.ops + s.ops,
            errors: sum.errors + s.errors,
            seconds: sum.seconds + s.seconds,
            server_cpu_us: sum.server_cpu_us.zip(s.server_cpu_us).map(|(a, b)| a + b),
            client_cpu_us: sum.client_cpu_us.zip(s.client_cpu_us).map(|(a, b)| a + b),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::ArmLoad;

    fn load(ops: [u64; 8]) -> PairLoad {
        let slice = |(n, ops): (usize, u64)| SliceLoad {
            arm: n % 2,
            ops,
            errors: 0,
            seconds: 0.2,
            server_cpu_us: None,
            idle_cpu_us: None,
            client_cpu_us: None,
        };
        let arm = || ArmLoad {
            kinds: Vec::new(),
            errors: std::collections::BTreeMap::new(),
            status: std::collections::BTreeMap::new(),
        };
        PairLoad {
            slices: ops.into_iter().enumerate().map(slice).collect(),
            arms: [arm(), arm()],
            slice: std::time::Duration::from_millis(200),
        }
    }

    #[test]
    fn one_stalled_slice_does_not_reject_a_pair_but_short_slices_do() {
        assert_eq!(too_few(&load([100, 100, 25, 100, 100, 100, 100, 100]), 8), None);
        assert_eq!(too_few(&load([79, 100, 79, 100, 79, 100, 100, 100]), 8), Some(79));
        assert_eq!(too_few(&load([100, 60, 100, 60, 100, 60, 100, 100]), 8), Some(60));
    }
}
