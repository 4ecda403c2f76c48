//! Numbers in, estimates and verdicts out; no IO, no clock, no CSV, no randomness.
//!
//! In the order in which numbers flow:
//!
//! | module | turns | into |
//! |---|---|---|
//! | [`pair`] | the slices of one pair of servers | one log-ratio, and what trimming hid |
//! | [`sequential`] | runs one after another | log-ratios to the interpolated baselines |
//! | [`environment`] | what else the machine did meanwhile | keep or measure again |
//! | [`moderated`] | log-ratios of all arms | an estimate per arm |
//! | [`multiplicity`] | p values of a family | adjusted p values |
//! | [`mod@gate`] | the A/A arms | is the instrument to be believed? |
//! | [`equivalence`] | an estimate | is it small? how big would it have had to be? |
//! | [`screen`] | outcomes so far | what to measure next, and the findings in the end |
//! | [`verdict`] | the evidence on one toggle | one word |
//!
//! Beneath them: [`sample`] (means, medians), [`student`] (the t distribution), [`special`]
//! (trigamma) and [`mod@percent`]. Effects are natural logarithms of ratios, toggled over
//! baseline, everywhere but where a person reads; the formulas are those of `statistics.md`.

pub mod environment;
pub mod equivalence;
pub mod gate;
pub mod moderated;
pub mod multiplicity;
pub mod pair;
pub mod percent;
pub mod sample;
pub mod screen;
pub mod sequential;
pub mod special;
pub mod student;
pub mod verdict;

#[cfg(test)]
mod properties;
#[cfg(test)]
mod simulation;

pub use equivalence::{mde, tost};
pub use gate::{Gate, gate};
pub use moderated::{Arm, Estimate, Frozen, Stat, stat};
pub use multiplicity::{benjamini_hochberg, holm};
pub use percent::percent;
pub use verdict::Verdict;
