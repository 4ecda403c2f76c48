//! The evidence on one toggle → one word of the contract, by the order of rules in
//! `statistics.md`, section 3. Also whether trimming hid stalls. Decides; words nothing else.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use super::moderated::Estimate;

/// As many failed measurements of a toggle are its result.
pub const FAILURES: u32 = 2;

/// What a sweep says of a toggle. Displayed and parsed as in `effects.csv`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Verdict {
    /// The toggled server is better: more operations per second, or less time or CPU for each.
    Faster,
    /// The toggled server is worse.
    Slower,
    /// The effect lies within ±δ.
    NoDifference,
    /// Neither an effect nor its absence could be shown.
    Inconclusive,
    /// The load never touched what the option governs.
    NotExercised,
    /// The toggled server could not be measured.
    Failed,
}

impl Verdict {
    /// All of them, in the order of the contract.
    pub const ALL: [Self; 6] = [
        Self::Faster,
        Self::Slower,
        Self::NoDifference,
        Self::Inconclusive,
        Self::NotExercised,
        Self::Failed,
    ];

    /// The contract's words.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Faster => "faster",
            Self::Slower => "slower",
            Self::NoDifference => "no difference",
            Self::Inconclusive => "inconclusive",
            Self::NotExercised => "not exercised",
            Self::Failed => "failed",
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// A word that is no verdict.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error(
    "`{0}` is not a verdict: \
     faster, slower, no difference, inconclusive, not exercised or failed"
)]
pub struct ParseVerdictError(String);

impl FromStr for Verdict {
    type Err = ParseVerdictError;

    fn from_str(word: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|verdict| verdict.as_str() == word)
            .ok_or_else(|| ParseVerdictError(word.to_owned()))
    }
}

/// Which way a metric is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Better {
    /// Operations per second.
    More,
    /// Latency, CPU per operation.
    Less,
}

/// Did the load touch what the option governs? (`options.md`, section 6)
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Witness {
    /// A witness counter of the option moved in at least one arm.
    Moved,
    /// The option has witnesses, and none moved in either arm.
    NotMoved,
    /// No witness is known: the numbers alone decide.
    Unknown,
}

/// What a verdict is given on: one toggle, one metric.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Evidence<'a> {
    /// The estimate, from fresh pairs where the toggle was confirmed; `None` below two pairs.
    pub estimate: Option<&'a Estimate>,
    /// p after Holm, of a toggle whose claim may rest on the estimate: a confirmed candidate, or
    /// any toggle of a sweep of one stage. `None` for those that screening left behind.
    pub p_adjusted: Option<f64>,
    /// Measurements of the toggled server that failed, in all stages.
    pub failed: u32,
    /// Screening ended with the effect shown to lie within ±δ (this metric only).
    pub null: bool,
    /// Whether the load touched what the option governs.
    pub witness: Witness,
    /// Label W: the option acts through write-back …
    pub write_back: bool,
    /// … about which only a settled server says anything.
    pub settled: bool,
    /// Which way the metric is better.
    pub better: Better,
}

/// What it takes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rules {
    /// α: the probability of any false claim in a family. Intervals are of 1 − α.
    pub alpha: f64,
    /// δ: the smallest difference of interest, log points > 0.
    pub delta: f64,
}

impl Default for Rules {
    /// α = .05, δ = ln 1.05.
    fn default() -> Self {
        Self { alpha: 0.05, delta: 1.05_f64.ln() }
    }
}

/// The verdict, by the first rule that holds. Whether the sweep's calibration allows any verdict
/// ([`Gate::passed`](super::gate::Gate::passed)) is for the caller to ask first.
#[must_use]
pub fn judge(evidence: &Evidence<'_>, rules: &Rules) -> Verdict {
    if evidence.failed >= FAILURES {
        return Verdict::Failed;
    }
    // A large effect of an option that the load never touched speaks against the list of witnesses,
    // and is told; one within ±δ is what is left of the noise.
    let untouched = evidence.witness == Witness::NotMoved;
    let large = evidence.estimate.is_some_and(|e| e.effect.abs() >= rules.delta);
    if let Some(claim) = claim(evidence, rules)
        && (large || !untouched)
    {
        return claim;
    }
    if untouched {
        return Verdict::NotExercised;
    }
    let small = evidence.null
        || evidence.estimate.is_some_and(|e| e.within(1.0 - rules.alpha, rules.delta));
    if small && (evidence.settled || !evidence.write_back) {
        return Verdict::NoDifference;
    }
    Verdict::Inconclusive
}

fn claim(evidence: &Evidence<'_>, rules: &Rules) -> Option<Verdict> {
    let effect = evidence.estimate?.effect;
    let significant = evidence.p_adjusted.is_some_and(|p| p <= rules.alpha);
    if !significant || effect == 0.0 {
        return None;
    }
    let better = match evidence.better {
        Better::More => effect > 0.0,
        Better::Less => effect < 0.0,
    };
    Some(if better { Verdict::Faster } else { Verdict::Slower })
}

/// Whether trimming hid stalls, so that the note `stalls` is due, with both numbers: the arms'
/// stall fractions differ (`stalls_p`, adjusted over the toggles, ≤ α), or the trimmed mean and
/// the ratio of totals lie outside of each other's interval of 1 − α.
#[must_use]
pub fn hides_stalls(
    trimmed: &Estimate,
    totals: &Estimate,
    stalls_p: Option<f64>,
    rules: &Rules,
) -> bool {
    let misses = |of: &Estimate, value: f64| {
        let (low, high) = of.ci(1.0 - rules.alpha);
        value < low || value > high
    };
    stalls_p.is_some_and(|p| p <= rules.alpha)
        || (misses(trimmed, totals.effect) && misses(totals, trimmed.effect))
}

#[cfg(test)]
mod tests {
    use super::super::moderated::stat;
    use super::*;

    fn estimate(values: &[f64]) -> Estimate {
        *stat(&[values], None).unwrap().arms[0].estimate().unwrap()
    }

    /// Up by 10 log points, ±1 or so.
    fn up() -> Estimate {
        estimate(&[0.10, 0.11, 0.09, 0.10, 0.105, 0.095])
    }

    fn tiny() -> Estimate {
        estimate(&[0.001, -0.002, 0.003, 0.0, -0.001, 0.002])
    }

    fn vague() -> Estimate {
        estimate(&[0.1, -0.2, 0.3, 0.0, -0.1, 0.2])
    }

    fn evidence(estimate: &Estimate) -> Evidence<'_> {
        Evidence {
            estimate: Some(estimate),
            p_adjusted: None,
            failed: 0,
            null: false,
            witness: Witness::Unknown,
            write_back: false,
            settled: true,
            better: Better::More,
        }
    }

    fn verdict(evidence: Evidence<'_>) -> Verdict {
        judge(&evidence, &Rules::default())
    }

    #[test]
    fn verdicts_are_written_and_read_in_the_words_of_the_contract() {
        let words = Verdict::ALL.map(|v| v.to_string());
        let contract =
            ["faster", "slower", "no difference", "inconclusive", "not exercised", "failed"];
        assert_eq!(words, contract);
        for verdict in Verdict::ALL {
            assert_eq!(verdict.to_string().parse(), Ok(verdict));
        }
        assert!("Faster".parse::<Verdict>().is_err());
        assert_eq!(format!("{:>8}|", Verdict::Faster), "  faster|");
    }

    #[test]
    fn a_confirmed_effect_has_the_direction_of_its_metric() {
        let e = up();
        let more = Evidence { p_adjusted: Some(0.05), ..evidence(&e) };
        assert_eq!(verdict(more), Verdict::Faster);
        assert_eq!(verdict(Evidence { better: Better::Less, ..more }), Verdict::Slower);
        let down = estimate(&[-0.10, -0.11, -0.09]);
        let less = Evidence { estimate: Some(&down), ..more };
        assert_eq!(verdict(less), Verdict::Slower);
        assert_eq!(verdict(Evidence { better: Better::Less, ..less }), Verdict::Faster);
    }

    #[test]
    fn an_effect_that_was_not_confirmed_is_no_claim() {
        let e = up();
        assert!(e.p < 1e-4);
        assert_eq!(verdict(evidence(&e)), Verdict::Inconclusive);
        let above = Evidence { p_adjusted: Some(0.051), ..evidence(&e) };
        assert_eq!(verdict(above), Verdict::Inconclusive);
    }

    #[test]
    fn two_failed_measurements_outweigh_everything_one_does_not() {
        let e = up();
        let one = Evidence { p_adjusted: Some(0.001), failed: 1, ..evidence(&e) };
        assert_eq!(verdict(one), Verdict::Faster);
        assert_eq!(verdict(Evidence { failed: 2, ..one }), Verdict::Failed);
        let never = Evidence { estimate: None, p_adjusted: None, failed: 2, ..one };
        assert_eq!(verdict(never), Verdict::Failed);
    }

    #[test]
    fn no_difference_is_shown_by_screening_or_by_the_interval() {
        let (tiny, vague) = (tiny(), vague());
        assert_eq!(verdict(evidence(&tiny)), Verdict::NoDifference);
        assert_eq!(verdict(evidence(&vague)), Verdict::Inconclusive);
        assert_eq!(verdict(Evidence { null: true, ..evidence(&vague) }), Verdict::NoDifference);
    }

    #[test]
    fn an_effect_may_be_sure_and_small_at_once() {
        let e = estimate(&[0.010, 0.011, 0.009, 0.010]);
        let sure = Evidence { p_adjusted: Some(0.01), ..evidence(&e) };
        assert_eq!(verdict(sure), Verdict::Faster);
        assert_eq!(verdict(evidence(&e)), Verdict::NoDifference);
    }

    #[test]
    fn a_load_that_never_touches_an_option_proves_nothing_but_a_large_claim_stands() {
        let (tiny, up) = (tiny(), up());
        let untouched = Evidence { witness: Witness::NotMoved, ..evidence(&tiny) };
        assert_eq!(verdict(untouched), Verdict::NotExercised);
        assert_eq!(verdict(Evidence { null: true, ..untouched }), Verdict::NotExercised);
        assert_eq!(verdict(Evidence { estimate: None, ..untouched }), Verdict::NotExercised);
        let claimed = Evidence { estimate: Some(&up), p_adjusted: Some(0.01), ..untouched };
        assert_eq!(verdict(claimed), Verdict::Faster);
        // … unless it is small.
        let small = Evidence { p_adjusted: Some(0.01), ..untouched };
        assert_eq!(verdict(small), Verdict::NotExercised);
        let moved = Evidence { witness: Witness::Moved, ..untouched };
        assert_eq!(verdict(moved), Verdict::NoDifference);
    }

    #[test]
    fn write_back_on_an_unsettled_server_is_never_no_difference() {
        let (tiny, up) = (tiny(), up());
        let young = Evidence { write_back: true, settled: false, null: true, ..evidence(&tiny) };
        assert_eq!(verdict(young), Verdict::Inconclusive);
        assert_eq!(verdict(Evidence { settled: true, ..young }), Verdict::NoDifference);
        assert_eq!(verdict(Evidence { write_back: false, ..young }), Verdict::NoDifference);
        let claimed = Evidence { estimate: Some(&up), p_adjusted: Some(0.01), ..young };
        assert_eq!(verdict(claimed), Verdict::Faster);
    }

    #[test]
    fn without_an_estimate_nothing_is_shown() {
        let e = up();
        let none = Evidence { estimate: None, p_adjusted: Some(0.001), ..evidence(&e) };
        assert_eq!(verdict(none), Verdict::Inconclusive);
    }

    #[test]
    fn the_smallest_difference_of_interest_decides_what_is_none() {
        let e = estimate(&[0.030, 0.031, 0.029, 0.030]);
        let strict = Rules { delta: 1.02_f64.ln(), ..Rules::default() };
        assert_eq!(judge(&evidence(&e), &strict), Verdict::Inconclusive);
        assert_eq!(judge(&evidence(&e), &Rules::default()), Verdict::NoDifference);
    }

    #[test]
    fn stalls_are_noted_where_trimming_hides_them() {
        let rules = Rules::default();
        let (trimmed, stalled) = (tiny(), estimate(&[-0.10, -0.11, -0.09]));
        assert!(!hides_stalls(&trimmed, &trimmed, None, &rules));
        assert!(!hides_stalls(&trimmed, &trimmed, Some(0.2), &rules));
        assert!(hides_stalls(&trimmed, &trimmed, Some(0.01), &rules));
        assert!(hides_stalls(&trimmed, &stalled, None, &rules));
        assert!(!hides_stalls(&trimmed, &vague(), None, &rules));
    }
}
