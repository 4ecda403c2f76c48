//! The schedule of a sweep, told the outcomes that stand in `trials.csv`: the same states as while
//! it ran, and the numbers of every metric staged as the schedule went.

use std::collections::BTreeMap;

use crate::journal::{Arm, Outcome, Status, SweepFile, ToggleRow, TrialRow};
use crate::stats::screen::{
    ArmId, Mode, Outcome as RoundOutcome, Samples, Schedule, ScheduleError, Settings, Stage, Step,
};
use crate::stats::verdict::Rules;

/// Statement kind of the operation itself.
pub(super) const WHOLE: &str = "all";

/// Both arms of a pair, for the operation itself.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pair<'a> {
    pub(super) base: &'a TrialRow,
    pub(super) toggle: &'a TrialRow,
}

impl Pair<'_> {
    /// What it was for the schedule.
    fn outcome(&self) -> RoundOutcome {
        let failing = match (self.base.message.is_empty(), self.toggle.message.is_empty()) {
            (false, true) => Arm::Base,
            _ => Arm::Toggle,
        };
        match (self.toggle.outcome, self.toggle.log_ratio) {
            (Outcome::Ok, Some(d)) => RoundOutcome::Measured(d),
            (Outcome::Ok | Outcome::Rejected, _) => RoundOutcome::Missing,
            _ if failing == Arm::Base => RoundOutcome::Missing,
            _ => RoundOutcome::Failed,
        }
    }
}

/// A sweep as far as it got, in whole rounds.
pub(super) struct Replayed<'a> {
    pub(super) schedule: Schedule,
    /// Ids of the measured toggles, in the order of [`ArmId::Toggle`].
    pub(super) toggles: Vec<&'a ToggleRow>,
    /// The pairs of each whole round, with their stage.
    pub(super) rounds: Vec<(Stage, BTreeMap<ArmId, Pair<'a>>)>,
    pub(super) rules: Rules,
}

/// The schedule that a sweep was started with.
pub(super) fn settings(sweep: &SweepFile, toggles: usize) -> Settings {
    let design = &sweep.design;
    let mode = match design.mode.as_str() {
        "adaptive" => Mode::Adaptive,
        _ => Mode::Rounds(design.rounds),
    };
    let rules = Rules { delta: design.delta.ln_1p(), ..Rules::default() };
    Settings { toggles, aa: design.aa as usize, rules, mode }
}

/// Replays a sweep. A round that lacks a pair ends it: that is where it was interrupted.
pub(super) fn replay<'a>(
    sweep: &SweepFile,
    toggles: &'a [ToggleRow],
    trials: &'a [TrialRow],
) -> Result<Replayed<'a>, ScheduleError> {
    let measured: Vec<&ToggleRow> =
        toggles.iter().filter(|t| t.status == Status::Planned).collect();
    let settings = settings(sweep, measured.len());
    let mut schedule = Schedule::new(settings)?;
    let mut by_round = pairs_by_round(trials, &measured);
    let mut rounds = Vec::new();
    while let Step::Round { round, stage, arms, .. } = schedule.step() {
        let pairs = by_round.remove(&round).unwrap_or_default();
        let outcomes: Option<Vec<(ArmId, RoundOutcome)>> =
            arms.iter().map(|arm| Some((*arm, pairs.get(arm)?.outcome()))).collect();
        let Some(outcomes) = outcomes else { break };
        schedule.record(&outcomes)?;
        rounds.push((stage, pairs));
    }
    Ok(Replayed { schedule, toggles: measured, rounds, rules: settings.rules })
}

fn pairs_by_round<'a>(
    trials: &'a [TrialRow],
    toggles: &[&ToggleRow],
) -> BTreeMap<u32, BTreeMap<ArmId, Pair<'a>>> {
    let arm_of = |name: &str| -> Option<ArmId> {
        match toggles.iter().position(|t| t.toggle == name) {
            Some(n) => Some(ArmId::Toggle(n)),
            None => name.strip_prefix("aa-")?.parse::<usize>().ok()?.checked_sub(1).map(ArmId::Aa),
        }
    };
    let whole = |arm| trials.iter().filter(move |r| r.statement == WHOLE && r.arm == arm);
    let toggled: BTreeMap<u32, &TrialRow> = whole(Arm::Toggle).map(|r| (r.pair, r)).collect();
    let mut rounds: BTreeMap<u32, BTreeMap<ArmId, Pair<'a>>> = BTreeMap::new();
    for base in whole(Arm::Base) {
        if let (Some(toggle), Some(arm)) = (toggled.get(&base.pair), arm_of(&base.toggle)) {
            // A pair that was measured again replaces the one that was rejected.
            rounds.entry(base.round).or_default().insert(arm, Pair { base, toggle });
        }
    }
    rounds
}

impl Replayed<'_> {
    /// One number per pair that counts, by `number`, for the first stage and the confirmation.
    pub(super) fn samples(&self, number: impl Fn(&Pair<'_>) -> Option<f64>) -> [Samples; 2] {
        let toggles = self.toggles.len();
        let aa = self.schedule.settings().aa;
        let mut stages = [Samples::empty(toggles, aa), Samples::empty(toggles, aa)];
        for (stage, pairs) in &self.rounds {
            let into = &mut stages[usize::from(*stage == Stage::Confirm)];
            for (arm, pair) in pairs {
                let counts = matches!(pair.outcome(), RoundOutcome::Measured(_));
                let Some(number) = number(pair).filter(|n| counts && n.is_finite()) else {
                    continue;
                };
                let list = match arm {
                    ArmId::Toggle(n) => into.toggles.get_mut(*n),
                    ArmId::Aa(n) => into.aa.get_mut(*n),
                };
                if let Some(list) = list {
                    list.push(number);
                }
            }
        }
        stages
    }

    /// All pairs that count of one toggle.
    pub(super) fn pairs_of(&self, toggle: usize) -> impl Iterator<Item = &Pair<'_>> {
        self.rounds
            .iter()
            .filter_map(move |(_, pairs)| pairs.get(&ArmId::Toggle(toggle)))
            .filter(|pair| matches!(pair.outcome(), RoundOutcome::Measured(_)))
    }
}
