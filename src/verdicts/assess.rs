//! Estimates and verdicts of every metric, and what the A/A arms say of the noise.

use std::collections::{BTreeMap, BTreeSet};

use super::note::{cpus_in, from_slices};
use super::replay::{Pair, Replayed, replay};
use super::witness::{acts_through_write_back, witnesses};
use crate::journal::{
    Arm, EffectRow, Metric, Outcome, SliceRow, StatusRow, SweepFile, ToggleRow, TrialRow,
};
use crate::stats::environment::{Rejection, STEAL};
use crate::stats::equivalence::mde;
use crate::stats::moderated;
use crate::stats::pair::{P99_OPERATIONS, PairNumbers, Slice};
use crate::stats::percent::percent;
use crate::stats::screen::{Finding, Findings, ScheduleError, State, Step};
use crate::stats::student::quantile;
use crate::stats::verdict::{Better, Evidence, Verdict, Witness, hides_stalls, judge};

/// A counter has to move by this part of the operations to be a witness.
const MOVED: f64 = 0.001;

/// The rows of a sweep that verdicts rest on.
#[derive(Debug, Clone, Copy)]
pub struct Records<'a> {
    /// `sweep.toml`.
    pub sweep: &'a SweepFile,
    /// `toggles.csv`.
    pub toggles: &'a [ToggleRow],
    /// `trials.csv`.
    pub trials: &'a [TrialRow],
    /// `slices.csv`.
    pub slices: &'a [SliceRow],
    /// `status.csv`.
    pub status: &'a [StatusRow],
}

/// What the numbers of a sweep come to.
#[derive(Debug, Clone, PartialEq)]
pub struct Assessment {
    /// Rows of `effects.csv`.
    pub effects: Vec<EffectRow>,
    /// The A/A arms of the stage that verdicts come from.
    pub calibration: Vec<CalibrationEstimate>,
    /// The noise floor, where there are A/A pairs enough.
    pub noise: Option<Noise>,
    /// Why verdicts are withheld, where they are.
    pub gate_failed: Option<String>,
    /// Whether the schedule was carried out to its end.
    pub finished: bool,
    /// Whole rounds.
    pub rounds: u32,
}

/// An A/A arm.
#[derive(Debug, Clone, PartialEq)]
pub struct CalibrationEstimate {
    /// `aa-1` …
    pub name: String,
    /// Pairs that count.
    pub pairs: u32,
    /// Effect and its 95 % interval, in percent; none with fewer than two pairs.
    pub effect_pct: Option<[f64; 3]>,
}

/// How far apart identical servers are.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Noise {
    /// Standard deviation of a single A/A pair, percent.
    pub pair_sd_pct: f64,
    /// A/A pairs.
    pub pairs: u32,
    /// Where the estimate of a toggle that does nothing falls 95 times in 100, percent.
    pub band_pct: [f64; 2],
}

/// Assesses a sweep, finished or not.
///
/// # Errors
/// When the rows hold numbers that are none.
pub fn assess(records: &Records<'_>) -> Result<Assessment, ScheduleError> {
    let replayed = replay(records.sweep, records.toggles, records.trials)?;
    let throughput = replayed.schedule.findings()?;
    let gate_failed = gate_words(&throughput);
    let judge_all = Judge { records, replayed: &replayed, withheld: gate_failed.is_some() };
    let mut effects = judge_all.metric(Metric::Throughput, &throughput)?;
    let enough = |pair: &Pair<'_>| {
        [pair.base, pair.toggle].iter().all(|r| r.ops.is_some_and(|n| n >= P99_OPERATIONS))
    };
    let ratio = |of: fn(&TrialRow) -> Option<f64>| {
        move |pair: &Pair<'_>| Some((of(pair.toggle)? / of(pair.base)?).ln())
    };
    let p99 = ratio(|row| row.p99_us);
    let cpu = ratio(|row| row.server_cpu_us_per_op);
    for (metric, samples) in [
        (Metric::P99, replayed.samples(|pair| p99(pair).filter(|_| enough(pair)))),
        (Metric::ServerCpuPerOp, replayed.samples(cpu)),
    ] {
        if samples.iter().all(|s| s.toggles.iter().all(Vec::is_empty)) {
            continue;
        }
        let findings = replayed.schedule.findings_of(&samples[0], &samples[1])?;
        effects.extend(judge_all.metric(metric, &findings)?);
    }
    Ok(Assessment {
        effects,
        calibration: calibration(&throughput),
        noise: noise(&throughput),
        gate_failed,
        finished: replayed.schedule.step() == Step::Done,
        rounds: u32::try_from(replayed.rounds.len()).unwrap_or(u32::MAX),
    })
}

struct Judge<'a> {
    records: &'a Records<'a>,
    replayed: &'a Replayed<'a>,
    withheld: bool,
}

impl Judge<'_> {
    fn metric(&self, metric: Metric, findings: &Findings) -> Result<Vec<EffectRow>, ScheduleError> {
        // Stalls are a matter of throughput alone.
        let beside = (metric == Metric::Throughput).then(|| self.totals()).transpose()?;
        let rows = findings.toggles.iter().enumerate().map(|(n, finding)| {
            let stalls = beside.as_ref().is_some_and(|beside| self.stalls(n, finding, beside));
            self.row(n, metric, finding, stalls)
        });
        Ok(rows.collect())
    }

    fn row(&self, n: usize, metric: Metric, finding: &Finding, stalls: bool) -> EffectRow {
        let Replayed { schedule, toggles, rules, .. } = self.replayed;
        let toggle = toggles[n];
        let better = match metric {
            Metric::Throughput => Better::More,
            Metric::P99 | Metric::ServerCpuPerOp => Better::Less,
        };
        let failed = schedule.failed().get(n).copied().unwrap_or(0);
        let null = metric == Metric::Throughput && schedule.states().get(n) == Some(&State::Null);
        let verdict = judge(
            &Evidence {
                failed,
                null,
                witness: self.witness(n),
                write_back: acts_through_write_back(&toggle.option),
                // No profile settles its servers yet.
                settled: false,
                ..finding.evidence(better)
            },
            rules,
        );
        let withheld = self.withheld && verdict != Verdict::Failed;
        let verdict = if withheld { Verdict::Inconclusive } else { verdict };
        let estimate = finding.arm.estimate();
        let ci = estimate.map(|e| e.ci(1.0 - rules.alpha));
        let first = self.replayed.pairs_of(n).next().map(|p| p.toggle);
        EffectRow {
            toggle: toggle.toggle.clone(),
            option: toggle.option.clone(),
            from: toggle.from.clone(),
            to: toggle.to.clone(),
            label: toggle.label,
            threads: first.map_or(self.records.sweep.design.threads, |r| r.threads),
            engine: first.map(|r| r.engine.clone()).unwrap_or_default(),
            statement: "all".to_owned(),
            metric,
            n: u32::try_from(finding.arm.n()).unwrap_or(u32::MAX),
            effect_pct: finding.arm.effect().map(percent),
            ci_low_pct: ci.map(|(low, _)| percent(low)),
            ci_high_pct: ci.map(|(_, high)| percent(high)),
            p: finding.arm.p(),
            p_adjusted: finding.p_adjusted,
            mde_pct: estimate.map(|e| percent(mde(e, rules.alpha))),
            verdict: verdict.to_string(),
            note: self.notes(n, finding, stalls).join("; "),
        }
    }

    fn notes(&self, n: usize, finding: &Finding, stalls: bool) -> Vec<&'static str> {
        let pairs: BTreeSet<u32> = self.replayed.pairs_of(n).map(|p| p.base.pair).collect();
        let placement = &self.records.sweep.placement;
        let client_threads = cpus_in(&placement.client_cpus).max(1);
        let server_cpus = match cpus_in(&placement.server_cpus) {
            0 => self.records.sweep.host.cpus as usize,
            some => some,
        };
        let mut notes = Vec::new();
        if stalls {
            notes.push("stalls");
        }
        if finding.arm.estimate().is_some_and(|e| e.unstable) {
            notes.push("unstable");
        }
        notes.extend(from_slices(self.records.slices, &pairs, client_threads, server_cpus));
        if self.shared(&self.replayed.toggles[n].toggle) {
            notes.push("shared machine");
        }
        notes
    }

    /// Whether others used the machine: all the time, or beside pairs of this toggle.
    fn shared(&self, toggle: &str) -> bool {
        let stolen = self.records.sweep.host.steal_pct.is_some_and(|s| s > 100.0 * STEAL);
        stolen
            || self.records.trials.iter().any(|row| {
                row.toggle == toggle
                    && row.outcome == Outcome::Rejected
                    && Rejection::is_of_others(&row.message)
            })
    }

    /// Whether a witness of the option moved in either arm of any pair.
    fn witness(&self, n: usize) -> Witness {
        let Some(counters) = witnesses(&self.replayed.toggles[n].option) else {
            return Witness::Unknown;
        };
        let ops: BTreeMap<(u32, Arm), f64> = self
            .replayed
            .pairs_of(n)
            .flat_map(|p| [p.base, p.toggle])
            .map(|r| ((r.pair, r.arm), r.ops.unwrap_or(0) as f64))
            .collect();
        let moved = self.records.status.iter().any(|row| {
            counters.contains(&row.counter.as_str())
                && ops.get(&(row.pair, row.arm)).is_some_and(|ops| row.delta > MOVED * ops)
        });
        if moved { Witness::Moved } else { Witness::NotMoved }
    }

    /// The ratio of totals of every pair, and the difference of stall fractions, as families of
    /// their own.
    fn totals(&self) -> Result<Beside, ScheduleError> {
        let numbers = |pair: &Pair<'_>| self.pair_numbers(pair.base.pair);
        let schedule = &self.replayed.schedule;
        let totals = self.replayed.samples(|p| numbers(p).map(|n| n.totals));
        let stalls = self.replayed.samples(|p| numbers(p).map(|n| n.stall_difference()));
        Ok(Beside {
            totals: schedule.findings_of(&totals[0], &totals[1])?,
            stalls: schedule.findings_of(&stalls[0], &stalls[1])?,
        })
    }

    fn pair_numbers(&self, pair: u32) -> Option<PairNumbers> {
        let arm = |arm| -> Option<Vec<Slice>> {
            let of = |s: &&SliceRow| s.pair == pair && s.arm == arm;
            let rows = self.records.slices.iter().filter(of);
            rows.map(|s| Slice::new(s.ops, s.seconds).ok()).collect()
        };
        PairNumbers::new(&arm(Arm::Base)?, &arm(Arm::Toggle)?).ok()
    }

    fn stalls(&self, n: usize, finding: &Finding, beside: &Beside) -> bool {
        let totals = beside.totals.toggles.get(n).and_then(|f| f.arm.estimate());
        let stalls_p = beside.stalls.toggles.get(n).and_then(|f| f.p_adjusted);
        match (finding.arm.estimate(), totals) {
            (Some(trimmed), Some(totals)) => {
                hides_stalls(trimmed, totals, stalls_p, &self.replayed.rules)
            }
            _ => false,
        }
    }
}

struct Beside {
    totals: Findings,
    stalls: Findings,
}

fn gate_words(findings: &Findings) -> Option<String> {
    let stage = findings.stages.iter().find(|s| !s.gate.passed())?;
    let gate = &stage.gate;
    let mut words = format!(
        "identical servers did not come out alike: {} of {} A/A arms differ at p < 0.05",
        gate.significant, gate.arms
    );
    if let Some(p) = gate.p_mean {
        words.push_str(&format!(", and their mean is {:+.1} % (p = {p:.3})", percent(gate.mean)));
    }
    Some(words)
}

fn calibration(findings: &Findings) -> Vec<CalibrationEstimate> {
    let Some(stage) = findings.stages.last() else { return Vec::new() };
    let arm = |(n, arm): (usize, &moderated::Arm)| CalibrationEstimate {
        name: format!("aa-{}", n + 1),
        pairs: u32::try_from(arm.n()).unwrap_or(u32::MAX),
        effect_pct: arm.estimate().map(|e| {
            let (low, high) = e.ci(0.95);
            [percent(e.effect), percent(low), percent(high)]
        }),
    };
    stage.aa.iter().enumerate().map(arm).collect()
}

fn noise(findings: &Findings) -> Option<Noise> {
    let gate = &findings.stages.last()?.gate;
    let sd = gate.sd?;
    let mut pairs: Vec<usize> =
        findings.toggles.iter().map(|f| f.arm.n()).filter(|n| *n > 0).collect();
    pairs.sort_unstable();
    let typical = pairs.get(pairs.len() / 2).copied().unwrap_or(gate.pairs.max(1));
    let half = quantile(0.975, (gate.pairs - 1) as f64) * sd / (typical as f64).sqrt();
    Some(Noise {
        pair_sd_pct: percent(sd),
        pairs: u32::try_from(gate.pairs).unwrap_or(u32::MAX),
        band_pct: [percent(-half), percent(half)],
    })
}
