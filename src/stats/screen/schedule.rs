//! The schedule as a state machine: told the outcomes of a round, it says which arms the next
//! one has. What a round costs, and in which order its arms run, is for others to say.

use thiserror::Error;

use super::findings::{Findings, Samples, Stage, Staging, findings};
use super::rules::{CONFIRM_ROUNDS, LOOKS, SCREEN_ROUNDS, State, aa_arms, look};
use crate::stats::moderated::{Arm, StatError};
use crate::stats::multiplicity::benjamini_hochberg;
use crate::stats::verdict::{FAILURES, Rules};

/// An arm of a round, by its number in the sweep (from 0).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ArmId {
    /// A toggle.
    Toggle(usize),
    /// An A/A arm: two unchanged servers.
    Aa(usize),
}

/// What came of one arm in one round.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Outcome {
    /// The pair's log-ratio.
    Measured(f64),
    /// The toggled server failed; twice, and the toggle leaves the rounds.
    Failed,
    /// No number, through no fault of the toggle (rejected once too often, baseline lost).
    Missing,
}

/// How many rounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Screen with early stopping, then confirm.
    Adaptive,
    /// As many rounds for all toggles, one stage (`--rounds`).
    Rounds(u32),
}

/// What a schedule is made from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Settings {
    /// How many toggles are measured.
    pub toggles: usize,
    /// How many A/A arms go with them (`--aa`).
    pub aa: usize,
    /// α and δ.
    pub rules: Rules,
    /// How many rounds.
    pub mode: Mode,
}

impl Settings {
    /// The usual: A/A arms by number of toggles, α = .05, δ = ln 1.05, adaptive.
    #[must_use]
    pub fn new(toggles: usize) -> Self {
        Self { toggles, aa: aa_arms(toggles), rules: Rules::default(), mode: Mode::Adaptive }
    }
}

/// What cannot be scheduled, or does not fit the schedule.
#[derive(Debug, Clone, Copy, PartialEq, Error)]
pub enum ScheduleError {
    /// α must lie between 0 and 1.
    #[error("alpha is {0}, must lie between 0 and 1")]
    Alpha(f64),
    /// δ must be positive.
    #[error("delta is {0}, must be a positive log-ratio")]
    Delta(f64),
    /// A sweep of no rounds.
    #[error("no rounds")]
    NoRounds,
    /// The sweep is over, no outcome is expected.
    #[error("no round is due")]
    Finished,
    /// The round does not have this arm, or had it already.
    #[error("{0:?} is not due in this round")]
    NotDue(ArmId),
    /// The round has an arm without an outcome.
    #[error("{0:?} has no outcome in this round")]
    NoOutcome(ArmId),
    /// A number that is no log-ratio.
    #[error("the numbers can't be estimated from")]
    Stat(#[from] StatError),
}

/// What to do next.
#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    /// Measure each of these arms once, in an order drawn afresh, then [`Schedule::record`].
    Round {
        /// Which stage it belongs to.
        stage: Stage,
        /// Its number in the sweep, from 1.
        round: u32,
        /// Its number in the stage, from 1.
        in_stage: u32,
        /// Toggles, then A/A arms, ascending.
        arms: Vec<ArmId>,
    },
    /// The sweep is over; see [`Schedule::findings`].
    Done,
}

/// A sweep's schedule and the numbers so far.
#[derive(Debug, Clone, PartialEq)]
pub struct Schedule {
    settings: Settings,
    states: Vec<State>,
    failed: Vec<u32>,
    first: Samples,
    first_rounds: u32,
    confirm: Option<Confirm>,
    over: bool,
}

/// The second stage.
#[derive(Debug, Clone, PartialEq)]
struct Confirm {
    candidates: Vec<usize>,
    samples: Samples,
    rounds: u32,
}

impl Schedule {
    /// A sweep of which nothing was measured yet.
    ///
    /// # Errors
    ///
    /// [`ScheduleError::Alpha`], [`ScheduleError::Delta`], [`ScheduleError::NoRounds`].
    pub fn new(settings: Settings) -> Result<Self, ScheduleError> {
        let Settings { toggles, aa, rules: Rules { alpha, delta }, mode } = settings;
        if !(alpha > 0.0 && alpha < 1.0) {
            return Err(ScheduleError::Alpha(alpha));
        }
        if !(delta > 0.0 && delta.is_finite()) {
            return Err(ScheduleError::Delta(delta));
        }
        if mode == Mode::Rounds(0) {
            return Err(ScheduleError::NoRounds);
        }
        Ok(Self {
            settings,
            states: vec![State::Open; toggles],
            failed: vec![0; toggles],
            first: Samples::empty(toggles, aa),
            first_rounds: 0,
            confirm: None,
            over: toggles == 0 && mode == Mode::Adaptive,
        })
    }

    /// What the schedule was made from.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Where each toggle stands.
    #[must_use]
    pub fn states(&self) -> &[State] {
        &self.states
    }

    /// Failed measurements of each toggle, in all stages.
    #[must_use]
    pub fn failed(&self) -> &[u32] {
        &self.failed
    }

    /// The candidates that went into confirmation, if it came to that.
    #[must_use]
    pub fn candidates(&self) -> Option<&[usize]> {
        self.confirm.as_ref().map(|confirm| confirm.candidates.as_slice())
    }

    /// What to do next. Asking changes nothing.
    #[must_use]
    pub fn step(&self) -> Step {
        if self.over {
            return Step::Done;
        }
        let (stage, in_stage, round) = match &self.confirm {
            Some(confirm) => {
                (Stage::Confirm, confirm.rounds + 1, self.first_rounds + confirm.rounds + 1)
            }
            None => (self.first_stage(), self.first_rounds + 1, self.first_rounds + 1),
        };
        Step::Round { stage, round, in_stage, arms: self.due() }
    }

    /// Takes the outcomes of the round that [`Schedule::step`] asked for, in any order, every arm
    /// once, and moves on.
    ///
    /// # Errors
    ///
    /// [`ScheduleError::Finished`], [`ScheduleError::NotDue`], [`ScheduleError::NoOutcome`];
    /// [`ScheduleError::Stat`] for a number that is no log-ratio. The schedule is as before then.
    pub fn record(&mut self, outcomes: &[(ArmId, Outcome)]) -> Result<(), ScheduleError> {
        if self.over {
            return Err(ScheduleError::Finished);
        }
        let mut due = self.due();
        for (arm, outcome) in outcomes {
            let Some(place) = due.iter().position(|d| d == arm) else {
                return Err(ScheduleError::NotDue(*arm));
            };
            due.swap_remove(place);
            if let Outcome::Measured(value) = outcome {
                // Refuse what STAT would refuse, before anything has changed.
                crate::stats::moderated::stat(&[[*value]], None)?;
            }
        }
        if let Some(&arm) = due.iter().min() {
            return Err(ScheduleError::NoOutcome(arm));
        }
        for &(arm, outcome) in outcomes {
            self.take(arm, outcome);
        }
        match &mut self.confirm {
            Some(confirm) => {
                confirm.rounds += 1;
                let failed = |&i: &usize| self.states[i] == State::Failed;
                self.over =
                    confirm.rounds >= CONFIRM_ROUNDS || confirm.candidates.iter().all(failed);
            }
            None => self.end_of_first_round()?,
        }
        Ok(())
    }

    /// Ends screening now, as if this look were the last one, and goes on to confirmation: for a
    /// budget that has room for that and no more. Claims rest on fresh pairs alone, so this can't
    /// inflate them. Nothing happens outside of screening, or before its first round.
    ///
    /// # Errors
    ///
    /// [`ScheduleError::Stat`], which what was recorded can't cause.
    pub fn cut_screen(&mut self) -> Result<(), ScheduleError> {
        let screening = self.first_stage() == Stage::Screen && self.confirm.is_none();
        if self.over || !screening || self.first_rounds == 0 {
            return Ok(());
        }
        self.look(true)?;
        self.end_screen()
    }

    /// Pairs still to be measured at most: every open toggle until screening ends, and all that
    /// could be candidates after it.
    #[must_use]
    pub fn pairs_at_most(&self) -> usize {
        if self.over {
            return 0;
        }
        let due = self.due().len();
        let times = |rounds: u32, arms: usize| rounds as usize * arms;
        match (&self.confirm, self.settings.mode) {
            (Some(confirm), _) => times(CONFIRM_ROUNDS - confirm.rounds, due),
            (None, Mode::Rounds(rounds)) => times(rounds - self.first_rounds, due),
            (None, Mode::Adaptive) => {
                let candidates = self.states.iter().filter(|s| **s == State::Candidate).count();
                times(SCREEN_ROUNDS - self.first_rounds, due)
                    + times(CONFIRM_ROUNDS, due + candidates)
            }
        }
    }

    /// What the numbers so far come to. Before the end, too: what was not confirmed when the time
    /// was up is claimed no more than what never will be. A confirmation that was cut short
    /// counts with the rounds it had, from the second one on.
    ///
    /// # Errors
    ///
    /// [`ScheduleError::Stat`], which what was recorded can't cause.
    pub fn findings(&self) -> Result<Findings, ScheduleError> {
        let none = Samples::default();
        let confirm = self.confirm.as_ref().map_or(&none, |confirm| &confirm.samples);
        self.findings_of(&self.first, confirm)
    }

    /// The same of another metric or statement kind, with its numbers from the pairs of this
    /// schedule: a family of its own, staged as the schedule went.
    ///
    /// # Errors
    ///
    /// [`ScheduleError::Stat`] for a number that is no log-ratio.
    pub fn findings_of(
        &self,
        first: &Samples,
        confirm: &Samples,
    ) -> Result<Findings, ScheduleError> {
        let first = self.without_failed(first, Stage::Screen);
        let confirm = self.without_failed(confirm, Stage::Confirm);
        let staging = match &self.confirm {
            // With one round at most there is nothing yet to replace the screen's numbers.
            Some(Confirm { candidates, rounds: 2.., .. }) => {
                Staging::Confirmed { candidates, confirm: &confirm }
            }
            _ if self.first_stage() == Stage::Fixed => Staging::Fixed,
            _ => Staging::Screened,
        };
        Ok(findings(&first, staging)?)
    }

    fn first_stage(&self) -> Stage {
        match self.settings.mode {
            Mode::Adaptive => Stage::Screen,
            Mode::Rounds(_) => Stage::Fixed,
        }
    }

    /// The arms of the round to come.
    fn due(&self) -> Vec<ArmId> {
        let wanted = match self.confirm {
            Some(_) => State::Candidate,
            None => State::Open,
        };
        let toggles = (0..self.states.len()).filter(|&i| self.states[i] == wanted);
        toggles.map(ArmId::Toggle).chain((0..self.settings.aa).map(ArmId::Aa)).collect()
    }

    fn take(&mut self, arm: ArmId, outcome: Outcome) {
        let samples = match &mut self.confirm {
            Some(confirm) => &mut confirm.samples,
            None => &mut self.first,
        };
        match (arm, outcome) {
            (ArmId::Toggle(i), Outcome::Measured(value)) => samples.toggles[i].push(value),
            (ArmId::Aa(i), Outcome::Measured(value)) => samples.aa[i].push(value),
            (ArmId::Toggle(i), Outcome::Failed) => {
                self.failed[i] += 1;
                if self.failed[i] >= FAILURES {
                    self.states[i] = State::Failed;
                }
            }
            (ArmId::Aa(_), Outcome::Failed) | (_, Outcome::Missing) => {}
        }
    }

    fn end_of_first_round(&mut self) -> Result<(), ScheduleError> {
        self.first_rounds += 1;
        let open = |states: &[State]| states.contains(&State::Open);
        match self.settings.mode {
            Mode::Rounds(rounds) => {
                let all_failed = !self.states.is_empty() && !open(&self.states);
                self.over = self.first_rounds >= rounds || all_failed;
            }
            Mode::Adaptive => {
                let last = self.first_rounds >= SCREEN_ROUNDS;
                if LOOKS.contains(&self.first_rounds) {
                    self.look(last)?;
                }
                if last || !open(&self.states) {
                    self.end_screen()?;
                }
            }
        }
        Ok(())
    }

    /// Looks at all numbers so far and moves the open toggles on.
    fn look(&mut self, last: bool) -> Result<(), ScheduleError> {
        let stat = self.without_failed(&self.first, Stage::Screen).stat(None)?;
        let arms = &stat.arms[..self.states.len()];
        let p: Vec<f64> = arms.iter().map(|arm| arm.p().unwrap_or(1.0)).collect();
        let q = benjamini_hochberg(&p);
        let Rules { alpha, delta } = self.settings.rules;
        for (i, state) in self.states.iter_mut().enumerate() {
            if *state == State::Open {
                let estimate = arms.get(i).and_then(Arm::estimate);
                *state = look(self.first_rounds, last, estimate, q[i], alpha, delta);
            }
        }
        Ok(())
    }

    /// On to the candidates, if there are any and the gate lets them pass.
    fn end_screen(&mut self) -> Result<(), ScheduleError> {
        let candidates: Vec<usize> =
            (0..self.states.len()).filter(|&i| self.states[i] == State::Candidate).collect();
        if candidates.is_empty() || !self.findings()?.calibrated() {
            self.over = true;
            return Ok(());
        }
        let samples = Samples::empty(self.states.len(), self.settings.aa);
        self.confirm = Some(Confirm { candidates, samples, rounds: 0 });
        Ok(())
    }

    /// What a failing server measured before it failed is not pooled with the others. A candidate
    /// that fails only in confirmation stays in the screen, whose common numbers are frozen.
    fn without_failed(&self, samples: &Samples, stage: Stage) -> Samples {
        let mut samples = samples.clone();
        let candidates = self.candidates().unwrap_or_default();
        for (i, values) in samples.toggles.iter_mut().enumerate() {
            let failed = self.states.get(i) == Some(&State::Failed);
            if failed && (stage == Stage::Confirm || !candidates.contains(&i)) {
                values.clear();
            }
        }
        samples
    }
}
