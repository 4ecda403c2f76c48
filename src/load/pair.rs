//! Loading a pair: warm-up, calibration of the slices' length, then slices in turn, in the order
//! B T T B B T T B … or its mirror image.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use super::counter::used_us;
use super::record::{ALL, STATEMENTS, summary};
use super::session::Admin;
use super::thread::Threads;
use super::{Address, ArmLoad, ErrorCount, Job, LoadError, PairLoad, SliceLoad, scripted};
use crate::profile::{Lifetime, Operation};

/// How much longer than its slice an operation may take before the server counts as hung.
const GRACE: Duration = Duration::from_secs(30);
/// Part of the operations that may fail before a pair is no measurement.
const FAILED: f64 = 0.01;

/// Loads a pair from the warm-up to the last slice; `progress` is told the slices done and all.
///
/// # Errors
/// When a server hangs, fails more than one operation in a hundred, or the generator can't run.
pub async fn run(job: &Job, mut progress: impl FnMut(u32, u32)) -> Result<PairLoad, LoadError> {
    let sockets = match [&job.targets[0].address, &job.targets[1].address] {
        [Address::Socket(base), Address::Socket(toggled)] => [base.clone(), toggled.clone()],
        [Address::Scripted(base), Address::Scripted(toggled)] => {
            return scripted::run(job, [base, toggled], progress).await;
        }
        _ => return Err(LoadError::Generator("one server is real, one is not".to_owned())),
    };
    let mut pair = Pair::start(job, &sockets)?;
    let length = pair.warm_up().await?;
    let counters = Counters::start(job).await?;
    let all = job.load.slices * 2;
    let mut slices = Vec::with_capacity(all as usize);
    for number in 0..all {
        let arm = arm_of(number, job.first);
        slices.push(pair.slice(arm, length).await?);
        let (ops, errors) = totals(&slices, arm);
        if failed_too_often(errors, ops) {
            return Err(pair.too_many_errors(arm, errors, ops).await?);
        }
        progress(number + 1, all);
    }
    let [base, toggled] = counters.end().await?.try_into().map_err(|_| {
        LoadError::Generator("there are counters of other than two servers".to_owned())
    })?;
    let arms = [pair.arm(0, base).await?, pair.arm(1, toggled).await?];
    Ok(PairLoad { slices, arms, slice: length })
}

/// Which server the slice with that number (from 0) loads: A B B A A B B A …, where A is `first`.
pub(super) fn arm_of(number: u32, first: usize) -> usize {
    let other = 1 - first;
    if matches!(number % 4, 1 | 2) { other } else { first }
}

struct Pair<'a> {
    job: &'a Job,
    threads: Threads,
}

impl<'a> Pair<'a> {
    fn start(job: &'a Job, sockets: &[PathBuf; 2]) -> Result<Self, LoadError> {
        let threads = Threads::start(sockets, &job.load, job.threads, job.seed, &job.cpus)?;
        Ok(Self { job, threads })
    }

    /// Warms both servers up, the one that is loaded first last, and finds out how long a slice
    /// has to be: 20 times the base's median operation, at least what the profile says.
    async fn warm_up(&mut self) -> Result<Duration, LoadError> {
        let warmup = self.job.load.warmup;
        for arm in [1 - self.job.first, self.job.first] {
            let counted = self.threads.slice(arm, warmup, GRACE).await?;
            if failed_too_often(counted.errors, counted.ops) {
                return Err(self.too_many_errors(arm, counted.errors, counted.ops).await?);
            }
        }
        let (latencies, _) = self.threads.report(0).await?;
        let median = latencies
            .get(self.operation_kind())
            .filter(|h| !h.is_empty())
            .map_or(Duration::ZERO, |h| Duration::from_nanos(h.value_at_quantile(0.5)));
        self.threads.reset()?;
        Ok(self.job.load.slice.max(median * 20))
    }

    /// The histogram that has the latency of what is counted.
    fn operation_kind(&self) -> usize {
        match (self.job.load.operation, self.job.load.connection) {
            (Operation::Connection, _) | (_, Lifetime::Kept) => ALL,
            (Operation::Statement, Lifetime::Statements(_)) => STATEMENTS,
        }
    }

    async fn slice(&mut self, arm: usize, length: Duration) -> Result<SliceLoad, LoadError> {
        let read = |which: usize| self.job.targets[which].cpu.as_ref().and_then(|c| c.read());
        let before = [read(arm), read(1 - arm)];
        let counted = self.threads.slice(arm, length, GRACE).await?;
        let after = [read(arm), read(1 - arm)];
        Ok(SliceLoad {
            arm,
            ops: counted.ops,
            errors: counted.errors,
            seconds: counted.seconds,
            server_cpu_us: used_us(before[0], after[0]),
            idle_cpu_us: used_us(before[1], after[1]),
            client_cpu_us: Some(counted.cpu.as_secs_f64() * 1e6),
        })
    }

    async fn arm(
        &mut self,
        arm: usize,
        status: BTreeMap<String, f64>,
    ) -> Result<ArmLoad, LoadError> {
        let (latencies, failed) = self.threads.report(arm).await?;
        let names = ["all", "connect"]
            .into_iter()
            .chain(self.job.load.statements.iter().map(|s| s.name.as_str()));
        let kinds = names
            .zip(&latencies)
            .filter(|(name, histogram)| *name == "all" || !histogram.is_empty())
            .map(|(name, histogram)| summary(name, histogram))
            .collect::<Result<_, _>>()?;
        Ok(ArmLoad { kinds, errors: merge(failed), status })
    }

    async fn too_many_errors(
        &mut self,
        arm: usize,
        errors: u64,
        ops: u64,
    ) -> Result<LoadError, LoadError> {
        let (_, failed) = self.threads.report(arm).await?;
        let message = merge(failed)
            .into_values()
            .max_by_key(|e| e.count)
            .map_or_else(|| "no message".to_owned(), |e| e.message);
        Ok(LoadError::Errors { arm, errors, all: ops + errors, message })
    }
}

fn merge(failed: Vec<(String, ErrorCount)>) -> BTreeMap<String, ErrorCount> {
    let mut errors: BTreeMap<String, ErrorCount> = BTreeMap::new();
    for (code, e) in failed {
        errors.entry(code).or_insert(ErrorCount { count: 0, message: e.message }).count += e.count;
    }
    errors
}

/// Operations that succeeded and that failed on one server so far.
pub(super) fn totals(slices: &[SliceLoad], arm: usize) -> (u64, u64) {
    slices
        .iter()
        .filter(|s| s.arm == arm)
        .fold((0, 0), |(ops, errors), s| (ops + s.ops, errors + s.errors))
}

pub(super) fn failed_too_often(errors: u64, ops: u64) -> bool {
    errors as f64 > FAILED * (ops + errors) as f64
}

/// The counters of both servers, read over connections that stay open, so that what the questions
/// themselves move can be taken out again.
struct Counters {
    admins: Vec<Admin>,
    before: Vec<BTreeMap<String, f64>>,
    /// What one question moves.
    own: Vec<BTreeMap<String, f64>>,
}

impl Counters {
    async fn start(job: &Job) -> Result<Self, LoadError> {
        let (mut admins, mut before, mut own) = (Vec::new(), Vec::new(), Vec::new());
        for target in &job.targets {
            let mut admin = Admin::connect(target).await?;
            let first = admin.status().await?;
            let second = admin.status().await?;
            own.push(difference(&first, &second));
            before.push(second);
            admins.push(admin);
        }
        Ok(Self { admins, before, own })
    }

    /// What moved since the start on each server.
    async fn end(self) -> Result<Vec<BTreeMap<String, f64>>, LoadError> {
        let mut moved = Vec::with_capacity(self.admins.len());
        for ((mut admin, before), own) in self.admins.into_iter().zip(self.before).zip(self.own) {
            let after = admin.status().await?;
            admin.close().await;
            moved.push(difference(&own, &difference(&before, &after)));
        }
        Ok(moved)
    }
}

/// What is more in `after`, by name; what did not move is left out.
fn difference(
    before: &BTreeMap<String, f64>,
    after: &BTreeMap<String, f64>,
) -> BTreeMap<String, f64> {
    let moved = |(name, after): (&String, &f64)| {
        let delta = after - before.get(name).copied().unwrap_or(0.0);
        (delta != 0.0).then(|| (name.clone(), delta))
    };
    after.iter().filter_map(moved).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slices_go_b_t_t_b_or_its_mirror_image_and_are_balanced() {
        let order = |first| (0..8).map(|n| arm_of(n, first)).collect::<Vec<_>>();
        assert_eq!(order(0), [0, 1, 1, 0, 0, 1, 1, 0]);
        assert_eq!(order(1), [1, 0, 0, 1, 1, 0, 0, 1]);
        // Neighbours 2k, 2k + 1 are always one of each.
        for pair in order(0).chunks(2) {
            assert_eq!(pair[0] + pair[1], 1);
        }
    }

    #[test]
    fn one_failure_in_a_hundred_is_still_a_measurement() {
        assert!(!failed_too_often(0, 0));
        assert!(!failed_too_often(1, 99));
        assert!(failed_too_often(2, 98));
        assert!(failed_too_often(1, 0));
    }
}
