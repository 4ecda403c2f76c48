//! Pairs without servers: rates with noise and stalls out of a script, in no time at all, so that
//! everything behind the load can be tested with known effects.

use std::collections::BTreeMap;
use std::time::Duration;

use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use super::pair::arm_of;
use super::record::{new_histogram, summary};
use super::{ArmLoad, Job, LoadError, PairLoad, SliceLoad};

/// A server that is none.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Script {
    /// What VERSION() answers.
    pub version: String,
    /// What SHOW GLOBAL VARIABLES answers.
    pub variables: BTreeMap<String, String>,
    /// Operations per second.
    pub rate: f64,
    /// Standard deviation of ln(rate) over slices.
    pub slice_noise: f64,
    /// CPU per operation, µs.
    pub cpu_us_per_op: f64,
    /// Seed of its noise.
    pub seed: u64,
    /// After how many slices of the pair it fails, and how.
    pub fails: Option<(u32, Failure)>,
    /// Real time that each slice takes, so that there is something to interrupt.
    pub pace: Duration,
}

/// How a scripted server fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Failure {
    /// It dies under load.
    Crash,
    /// It answers with errors only.
    Errors,
    /// It stops answering.
    Hang,
}

pub(super) async fn run(
    job: &Job,
    scripts: [&Script; 2],
    mut progress: impl FnMut(u32, u32),
) -> Result<PairLoad, LoadError> {
    let mut noise = [0, 1].map(|n: usize| ChaCha8Rng::seed_from_u64(scripts[n].seed));
    let length = job.load.slice.as_secs_f64();
    let mut histograms = [new_histogram()?, new_histogram()?];
    let all = job.load.slices * 2;
    let mut slices = Vec::with_capacity(all as usize);
    for number in 0..all {
        let arm = arm_of(number, job.first);
        let script = scripts[arm];
        if let Some((after, failure)) = script.fails
            && number >= after
        {
            return Err(fail(arm, failure));
        }
        if !script.pace.is_zero() {
            tokio::time::sleep(script.pace).await;
        }
        let rate = script.rate * (script.slice_noise * normal(&mut noise[arm])).exp();
        let ops = (rate * length).max(1.0).round();
        let mean_ns = f64::from(job.threads) * 1e9 / rate;
        histograms[arm].saturating_record_n(mean_ns as u64, (ops * 0.98) as u64);
        histograms[arm].saturating_record_n((mean_ns * 3.0) as u64, (ops * 0.02) as u64);
        slices.push(SliceLoad {
            arm,
            ops: ops as u64,
            errors: 0,
            seconds: ops / rate,
            server_cpu_us: Some(ops * script.cpu_us_per_op),
            idle_cpu_us: Some(0.0),
            client_cpu_us: Some(ops * script.cpu_us_per_op / 2.0),
        });
        progress(number + 1, all);
    }
    let arm = |n: usize| -> Result<ArmLoad, LoadError> {
        Ok(ArmLoad {
            kinds: vec![summary("all", &histograms[n])?],
            errors: BTreeMap::new(),
            status: BTreeMap::new(),
        })
    };
    Ok(PairLoad { arms: [arm(0)?, arm(1)?], slices, slice: job.load.slice })
}

fn fail(arm: usize, failure: Failure) -> LoadError {
    match failure {
        // What a connection to a dead server says; the engine knows that it is dead.
        Failure::Crash | Failure::Errors => LoadError::Errors {
            arm,
            errors: 100,
            all: 100,
            message: "Lost connection to server (scripted)".to_owned(),
        },
        Failure::Hang => LoadError::Timeout {
            what: "an operation under load (scripted)".to_owned(),
            limit: Duration::from_secs(30),
        },
    }
}

/// A standard normal draw, by Box and Muller.
pub(crate) fn normal(rng: &mut ChaCha8Rng) -> f64 {
    // 1 − u lies in (0, 1], where the logarithm is finite.
    let u: f64 = 1.0 - rng.random::<f64>();
    let v: f64 = rng.random();
    (-2.0 * u.ln()).sqrt() * (std::f64::consts::TAU * v).cos()
}
