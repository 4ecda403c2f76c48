//! What an estimate says about smallness: the equivalence test, and the smallest effect that
//! would have been found. Reads estimates, decides nothing.

use super::moderated::Estimate;
use super::student;

/// The power at which [`mde`] is quoted.
pub const POWER: f64 = 0.8;

/// TOST: the p of the effect being outside ±`delta` (log points), the larger of two one-sided
/// ones (Schuirmann 1987). Small means: no difference of interest. p ≤ .05 is the same as the
/// 90 % interval lying within ±`delta`.
#[must_use]
pub fn tost(estimate: &Estimate, delta: f64) -> f64 {
    let above_low = student::upper_tail((estimate.effect + delta) / estimate.se, estimate.df);
    let below_high = student::upper_tail((delta - estimate.effect) / estimate.se, estimate.df);
    above_low.max(below_high)
}

/// The smallest effect (log points, > 0) that numbers like these find with probability .8 at
/// level `alpha`, two-sided and unadjusted: (t_{1−α/2,ν} + t_{.8,ν})·se.
#[must_use]
pub fn mde(estimate: &Estimate, alpha: f64) -> f64 {
    let level = student::quantile(1.0 - alpha / 2.0, estimate.df);
    (level + student::quantile(POWER, estimate.df)) * estimate.se
}

#[cfg(test)]
mod tests {
    use super::super::moderated::stat;
    use super::*;

    fn of(values: &[f64]) -> Estimate {
        *stat(&[values], None).unwrap().arms[0].estimate().unwrap()
    }

    #[test]
    fn known_answer_4_tost() {
        let e = of(&[0.004, -0.006, 0.002, 0.007, -0.003, 0.001, -0.002, 0.005]);
        assert!((tost(&e, 0.02) - 2.857_56e-6).abs() < 5e-12);
        let (low, high) = e.ci(0.90);
        assert!((low + 0.001_952_49).abs() < 5e-9);
        assert!((high - 0.003_952_49).abs() < 5e-9);
    }

    #[test]
    fn tost_and_the_90_percent_interval_agree() {
        let e = of(&[0.01, 0.02, -0.005, 0.011]);
        for delta in [0.005, 0.01, 0.015, 0.02, 0.03, 0.05] {
            assert_eq!(tost(&e, delta) < 0.05, e.within(0.90, delta), "at {delta}");
        }
    }

    /// (t_{.975,7} + t_{.8,7})·s/√8 with t_{.975,7} of known answer 12 and t_{.8,7} = .89602964.
    #[test]
    fn the_smallest_effect_that_would_have_been_found() {
        let e = of(&[0.004, -0.006, 0.002, 0.007, -0.003, 0.001, -0.002, 0.005]);
        let expected = (2.364_624_25 + 0.896_029_64) * e.s2.sqrt() / 8_f64.sqrt();
        assert!((mde(&e, 0.05) - expected).abs() < 1e-10);
    }
}
