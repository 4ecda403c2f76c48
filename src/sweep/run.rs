//! Round after round until the schedule is done, the time is up, or someone says stop.

use std::time::{Duration, Instant};

use super::SweepError;
use super::beside::Watch;
use super::event::{Event, Listener};
use super::measure::{Bench, PairDone, PairRequest, gone, measure};
use super::rows::Head;
use crate::engine::{Engine, Golden, Removal};
use crate::journal::{Arm, Journal, Outcome, clock};
use crate::plan::{Draw, draw};
use crate::stats::environment::RERUNS;
use crate::stats::screen::{ArmId, Outcome as RoundOutcome, Schedule, Step};

/// When no further round may begin.
#[derive(Debug, Clone, Copy)]
pub struct Deadline {
    /// The sweep's own time, from its first pair.
    pub at: Instant,
}

/// How a sweep ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Finished {
    /// Pairs that were measured or failed.
    pub pairs: u32,
    /// Whether the time was up before the schedule was done.
    pub out_of_time: bool,
}

/// The files of the arms of a sweep, by toggle.
pub struct Arms {
    /// The unchanged server's.
    pub base_cnf: Vec<u8>,
    /// Of the toggles.
    pub toggles: Vec<ToggleArm>,
}

/// What a toggle's server is started with.
pub struct ToggleArm {
    /// The toggle's id.
    pub id: String,
    /// The file.
    pub cnf: Vec<u8>,
    /// What its data directory is cloned from.
    pub golden: Golden,
}

/// What a sweep goes by, beside its schedule.
#[derive(Clone, Copy)]
pub struct Course<'a> {
    /// What every pair is measured with.
    pub bench: &'a Bench,
    /// The files.
    pub arms: &'a Arms,
    /// Seed of every draw.
    pub seed: u64,
    /// When no further round may begin.
    pub deadline: Option<Deadline>,
}

/// Carries a schedule out, appending to the journal pair by pair.
///
/// # Errors
/// When the engine fails or the journal can't be written. What was measured is in the journal.
pub async fn run<E: Engine>(
    engine: &E,
    course: &Course<'_>,
    schedule: &mut Schedule,
    journal: &mut Journal,
    listen: &mut Listener<'_>,
) -> Result<Finished, SweepError> {
    let watch = Watch::new(&course.bench.server_cpus, &course.bench.client_cpus);
    let mut running =
        Running { course, watch, leaving: Vec::new(), pair: 0, spent: Duration::ZERO };
    let mut out_of_time = false;
    let result = async {
        while let Step::Round { round, arms: due, .. } = schedule.step() {
            if !running.fits(due.len()) {
                out_of_time = true;
                break;
            }
            let mut outcomes = Vec::with_capacity(due.len());
            let mut due = due;
            for attempt in 0..=RERUNS {
                let mut disturbed = Vec::new();
                for drawn in draw(course.seed, round, attempt, &due) {
                    let of = u64::from(running.pair) + schedule.pairs_at_most() as u64
                        - outcomes.len() as u64;
                    let place = Place { drawn: &drawn, round, of };
                    let done = running.pair(engine, &place, journal, listen).await?;
                    let kept = if done.disturbed { &mut disturbed } else { &mut outcomes };
                    kept.push((drawn.arm, done.outcome));
                }
                due = disturbed.iter().map(|(arm, _)| *arm).collect();
                if due.is_empty() || attempt == RERUNS || !running.fits(due.len()) {
                    outcomes.extend(disturbed);
                    break;
                }
            }
            schedule.record(&outcomes)?;
        }
        Ok(())
    }
    .await;
    gone(std::mem::take(&mut running.leaving)).await;
    result.map(|()| Finished { pairs: running.pair, out_of_time })
}

/// A pair's place in the sweep.
struct Place<'a> {
    drawn: &'a Draw<ArmId>,
    round: u32,
    of: u64,
}

/// A pair, as the rest of the sweep sees it.
struct Measured {
    outcome: RoundOutcome,
    /// Something else on the machine disturbed it: another try may do better.
    disturbed: bool,
}

struct Running<'a> {
    course: &'a Course<'a>,
    watch: Watch,
    leaving: Vec<Removal>,
    pair: u32,
    spent: Duration,
}

impl Running<'_> {
    /// Whether a round of that many pairs is over before the deadline, by the pairs so far.
    fn fits(&self, pairs: usize) -> bool {
        let Some(Deadline { at }) = self.course.deadline else { return true };
        let round = self.mean().map_or(Duration::ZERO, |m| m.saturating_mul(pairs as u32));
        Instant::now() + round < at
    }

    fn mean(&self) -> Option<Duration> {
        (self.pair > 0).then(|| self.spent / self.pair)
    }

    /// Measures a pair.
    async fn pair<E: Engine>(
        &mut self,
        engine: &E,
        place: &Place<'_>,
        journal: &mut Journal,
        listen: &mut Listener<'_>,
    ) -> Result<Measured, SweepError> {
        let Course { bench, arms, .. } = *self.course;
        let Place { drawn, round, of } = *place;
        let began = Instant::now();
        let (toggle, toggle_cnf, toggle_golden) = match drawn.arm {
            ArmId::Toggle(n) => {
                let ToggleArm { id, cnf, golden } = &arms.toggles[n];
                (id.clone(), cnf.as_slice(), golden)
            }
            ArmId::Aa(n) => (format!("aa-{}", n + 1), arms.base_cnf.as_slice(), &bench.golden),
        };
        let number = self.pair + 1;
        let left = self.mean().map(|m| {
            m.saturating_mul(u32::try_from(of.saturating_sub(u64::from(self.pair))).unwrap_or(0))
        });
        listen(Event::Pair { pair: number, of, round, toggle: &toggle, left });
        let request = PairRequest {
            head: Head {
                round,
                pair: number,
                order: drawn.order(),
                toggle: toggle.clone(),
                threads: bench.threads,
                started_at: clock::stamp(),
            },
            base_cnf: &arms.base_cnf,
            toggle_cnf,
            toggle_golden,
            started_first: drawn.started_first,
            loaded_first: drawn.loaded_first,
            seed: drawn.seed,
        };
        let leaving = std::mem::take(&mut self.leaving);
        let PairDone { rows, outcome, failing, disturbed, message, removals } =
            measure(engine, bench, &request, &mut self.watch, leaving, listen).await?;
        self.leaving = removals;
        journal.append_pair(&rows.trials, &rows.slices, &rows.histograms, &rows.status)?;
        self.pair = number;
        self.spent += began.elapsed();
        let of_arm = |arm| rows.trials.iter().find(move |r| r.arm == arm && r.statement == "all");
        let log_ratio = of_arm(Arm::Toggle).and_then(|r| r.log_ratio);
        listen(Event::PairEnded {
            pair: number,
            toggle: &toggle,
            base_ops_per_s: of_arm(Arm::Base).and_then(|r| r.ops_per_s),
            log_ratio,
            outcome,
            message: &message,
        });
        Ok(Measured { outcome: round_outcome(outcome, failing, log_ratio), disturbed })
    }
}

/// What a pair's end means for the schedule.
pub(crate) fn round_outcome(
    outcome: Outcome,
    failing: Option<Arm>,
    log_ratio: Option<f64>,
) -> RoundOutcome {
    match (outcome, log_ratio, failing) {
        (Outcome::Ok, Some(d), _) => RoundOutcome::Measured(d),
        (Outcome::Ok | Outcome::Rejected, ..) | (_, _, Some(Arm::Base)) => RoundOutcome::Missing,
        _ => RoundOutcome::Failed,
    }
}
