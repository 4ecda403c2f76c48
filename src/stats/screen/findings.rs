//! What the numbers of one metric come to, over both stages: estimates, adjusted p values, gates.
//! The same for throughput, whose numbers drive the schedule, and for every other metric and
//! statement kind, which follow it; each call is a family of its own.

use crate::stats::gate::{Gate, gate};
use crate::stats::moderated::{Arm, Frozen, Stat, StatError, stat};
use crate::stats::multiplicity::holm;
use crate::stats::verdict::{Better, Evidence, Witness};

/// A part of a sweep with numbers of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Stage {
    /// Looks for candidates among all toggles.
    Screen,
    /// Tests the candidates on fresh pairs.
    Confirm,
    /// A given number of rounds for all toggles; the only stage then.
    Fixed,
}

/// One stage's numbers of one metric, log-ratios (or differences of fractions).
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Samples {
    /// One list per toggle of the sweep; empty for those that took no part, or failed.
    pub toggles: Vec<Vec<f64>>,
    /// One list per A/A arm.
    pub aa: Vec<Vec<f64>>,
}

impl Samples {
    /// For `toggles` toggles and `aa` A/A arms, without any number yet.
    #[must_use]
    pub fn empty(toggles: usize, aa: usize) -> Self {
        Self { toggles: vec![Vec::new(); toggles], aa: vec![Vec::new(); aa] }
    }

    /// STAT over all arms; the toggles come first.
    pub(super) fn stat(&self, frozen: Option<&Frozen>) -> Result<Stat, StatError> {
        let arms: Vec<&[f64]> = self.toggles.iter().chain(&self.aa).map(Vec::as_slice).collect();
        stat(&arms, frozen)
    }

    /// The gate over the A/A arms, whose part of `stat` it picks.
    pub(super) fn gate(&self, stat: &Stat) -> Gate {
        let p: Vec<f64> = stat.arms.iter().skip(self.toggles.len()).filter_map(Arm::p).collect();
        gate(&p, &self.aa.concat())
    }
}

/// How a sweep was staged.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Staging<'a> {
    /// One stage: every toggle may be claimed, Holm over all of them.
    Fixed,
    /// Screening only, so far or for good: nothing may be claimed.
    Screened,
    /// Screening, then these candidates (indices of toggles) on fresh pairs: Holm over them.
    Confirmed {
        /// All that went into the stage, also those that failed in it.
        candidates: &'a [usize],
        /// The fresh numbers.
        confirm: &'a Samples,
    },
}

/// What the numbers say of one toggle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Finding {
    /// Whose stage's numbers these are: a candidate's screening numbers are discarded as soon as
    /// there are fresh ones to come.
    pub stage: Stage,
    /// The estimate.
    pub arm: Arm,
    /// p after Holm, where a claim may rest on the estimate.
    pub p_adjusted: Option<f64>,
}

impl Finding {
    /// The evidence of these numbers for [`judge`](crate::stats::verdict::judge), with nothing
    /// known beside them; the caller adds what it knows: `Evidence { failed, null, witness,
    /// write_back, settled, ..finding.evidence(better) }`.
    #[must_use]
    pub fn evidence(&self, better: Better) -> Evidence<'_> {
        Evidence {
            estimate: self.arm.estimate(),
            p_adjusted: self.p_adjusted,
            failed: 0,
            null: false,
            witness: Witness::Unknown,
            write_back: false,
            settled: true,
            better,
        }
    }
}

/// What the numbers say of one stage as a whole.
#[derive(Debug, Clone, PartialEq)]
pub struct StageNumbers {
    /// Which one.
    pub stage: Stage,
    /// The A/A arms.
    pub aa: Vec<Arm>,
    /// The gate over them.
    pub gate: Gate,
    /// What was pooled, or taken over from the screen.
    pub frozen: Frozen,
}

/// All findings of one metric.
#[derive(Debug, Clone, PartialEq)]
pub struct Findings {
    /// One per toggle.
    pub toggles: Vec<Finding>,
    /// One or two, in the order of time.
    pub stages: Vec<StageNumbers>,
}

impl Findings {
    /// Whether every stage's gate was passed. If not, verdicts are withheld.
    #[must_use]
    pub fn calibrated(&self) -> bool {
        self.stages.iter().all(|stage| stage.gate.passed())
    }
}

/// Estimates and adjusted p values of one metric: of all toggles from the `first` stage, of
/// candidates from the confirmation alone, with the variances frozen in the screen. A candidate
/// without enough fresh numbers takes its place in the family with p = 1.
///
/// # Errors
///
/// [`StatError`], where a number is not finite.
pub fn findings(first: &Samples, staging: Staging<'_>) -> Result<Findings, StatError> {
    let stat = first.stat(None)?;
    let stage = match staging {
        Staging::Fixed => Stage::Fixed,
        Staging::Screened | Staging::Confirmed { .. } => Stage::Screen,
    };
    let (toggles, _) = split(first, &stat);
    let mut toggles: Vec<Finding> =
        toggles.iter().map(|&arm| Finding { stage, arm, p_adjusted: None }).collect();
    if staging == Staging::Fixed {
        let all: Vec<usize> = (0..toggles.len()).collect();
        adjust(&mut toggles, &all);
    }
    let mut stages = vec![stage_numbers(stage, first, &stat)];
    if let Staging::Confirmed { candidates, confirm } = staging {
        let fresh = confirm.stat(Some(&stat.frozen))?;
        let (arms, _) = split(confirm, &fresh);
        for &candidate in candidates {
            if let Some(finding) = toggles.get_mut(candidate) {
                finding.stage = Stage::Confirm;
                finding.arm = arms.get(candidate).copied().unwrap_or(Arm::Nothing);
            }
        }
        adjust(&mut toggles, candidates);
        stages.push(stage_numbers(Stage::Confirm, confirm, &fresh));
    }
    Ok(Findings { toggles, stages })
}

/// The toggles' and the A/A arms' parts of a STAT over both.
fn split<'a>(samples: &Samples, stat: &'a Stat) -> (&'a [Arm], &'a [Arm]) {
    stat.arms.split_at(samples.toggles.len().min(stat.arms.len()))
}

/// Holm over the family of toggles with these indices. What has no p stays without a claim.
fn adjust(toggles: &mut [Finding], family: &[usize]) {
    let members: Vec<usize> = family.iter().copied().filter(|&i| i < toggles.len()).collect();
    let p: Vec<f64> = members.iter().map(|&i| toggles[i].arm.p().unwrap_or(1.0)).collect();
    for (i, adjusted) in members.into_iter().zip(holm(&p)) {
        toggles[i].p_adjusted = toggles[i].arm.p().map(|_| adjusted);
    }
}

fn stage_numbers(stage: Stage, samples: &Samples, stat: &Stat) -> StageNumbers {
    let (_, aa) = split(samples, stat);
    StageNumbers { stage, aa: aa.to_vec(), gate: samples.gate(stat), frozen: stat.frozen }
}
