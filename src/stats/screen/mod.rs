//! Rounds: screen all toggles, stop early with those that are clear, confirm the candidates on
//! fresh pairs (`statistics.md`, section 3). A function of the outcomes so far: no clock, no
//! randomness, no IO, so that a resumed sweep goes the same way.
//!
//! - [`rules`]: what a look at the numbers makes of a toggle
//! - [`schedule`]: what to measure next
//! - [`mod@findings`]: what the numbers of both stages come to, for any metric

pub mod findings;
pub mod rules;
pub mod schedule;

#[cfg(test)]
mod tests;

pub use findings::{Finding, Findings, Samples, Stage, StageNumbers, Staging, findings};
pub use rules::{CONFIRM_ROUNDS, LOOKS, State, aa_arms};
pub use schedule::{ArmId, Mode, Outcome, Schedule, ScheduleError, Settings, Step};
