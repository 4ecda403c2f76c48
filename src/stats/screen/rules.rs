//! What a look at the numbers makes of a toggle that is still open.
//! One toggle at a time; the family's adjustment is handed in.

use crate::stats::moderated::Estimate;

/// After these rounds of screening the numbers are looked at; the last one ends it.
pub const LOOKS: [u32; 4] = [4, 6, 8, 12];

/// Screening has no more rounds than this.
pub const SCREEN_ROUNDS: u32 = LOOKS[LOOKS.len() - 1];

/// Fresh rounds for the candidates.
pub const CONFIRM_ROUNDS: u32 = 8;

/// Where a toggle stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum State {
    /// Not decided: still in the rounds, or left over when they ended.
    Open,
    /// Shown to lie within ±δ.
    Null,
    /// Looks like an effect: to be confirmed on fresh pairs.
    Candidate,
    /// Not worth more pairs. A state of the schedule, not a verdict.
    Parked,
    /// Failed twice: out of the rounds.
    Failed,
}

/// How many A/A arms go with `toggles` toggles: one in twenty, four at least.
#[must_use]
pub fn aa_arms(toggles: usize) -> usize {
    toggles.div_ceil(20).max(4)
}

/// What the look after round `n` makes of an open toggle, by the first rule that holds.
///
/// `q` is its Benjamini–Hochberg p among all toggles; `last` says that no further look comes,
/// where the threshold for candidates is .20 instead of .05 and nothing is parked. Without an
/// estimate it stays open.
#[must_use]
pub fn look(
    n: u32,
    last: bool,
    estimate: Option<&Estimate>,
    q: f64,
    alpha: f64,
    delta: f64,
) -> State {
    let Some(estimate) = estimate else {
        return State::Open;
    };
    let sure = 1.0 - 2.0 * alpha / LOOKS.len() as f64;
    if estimate.within(sure, delta) {
        State::Null
    } else if q <= if last { 0.20 } else { 0.05 } {
        State::Candidate
    } else if !last && parked_above(n).is_some_and(|level| estimate.p > level) {
        State::Parked
    } else {
        State::Open
    }
}

/// The p above which a look after `n` rounds parks a toggle.
fn parked_above(n: u32) -> Option<f64> {
    match n {
        4 => Some(0.32),
        6 | 8 => Some(0.20),
        _ => None,
    }
}
