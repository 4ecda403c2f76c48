//! The gate: pairs of identical servers must look identical, or no verdict is given.
//! Judges the instrument by its A/A arms; knows nothing of toggles.

use super::sample::{RESOLUTION, mean, variance};
use super::student;

/// An A/A arm with a smaller p speaks against the instrument …
pub const ARM_LEVEL: f64 = 0.05;

/// … and the gate fails where chance alone would be this rare.
pub const FAIL_LEVEL: f64 = 0.01;

/// What the A/A arms of one stage say.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Gate {
    /// A/A arms with a p (two pairs and more). With none, nothing could be checked.
    pub arms: usize,
    /// How many of them have p < .05.
    pub significant: usize,
    /// P(Binomial(arms, .05) ≥ significant).
    pub p_significant: f64,
    /// A/A pairs in all.
    pub pairs: usize,
    /// Mean log-ratio of all A/A pairs; 0 of none.
    pub mean: f64,
    /// SD of all A/A pairs, the noise floor in log points; `None` below two pairs.
    pub sd: Option<f64>,
    /// p of the mean being 0 (t over pairs); `None` below two pairs.
    pub p_mean: Option<f64>,
}

impl Gate {
    /// Whether verdicts may be given. A gate that could check nothing passes: without pairs there
    /// are no verdicts to withhold.
    #[must_use]
    pub fn passed(&self) -> bool {
        self.p_significant >= FAIL_LEVEL && self.p_mean.is_none_or(|p| p >= FAIL_LEVEL)
    }
}

/// Judges one stage: `p` of each A/A arm in the stage's STAT, `pairs` the log-ratios of all A/A
/// pairs of the stage (finite).
#[must_use]
pub fn gate(p: &[f64], pairs: &[f64]) -> Gate {
    let significant = p.iter().filter(|&&p| p < ARM_LEVEL).count();
    let mean = mean(pairs).unwrap_or(0.0);
    let variance = variance(pairs);
    let n = pairs.len() as f64;
    let p_mean = variance.map(|variance| {
        let se = (variance / n).sqrt().max(RESOLUTION);
        student::two_sided(mean / se, n - 1.0)
    });
    Gate {
        arms: p.len(),
        significant,
        p_significant: binomial_tail(p.len(), ARM_LEVEL, significant),
        pairs: pairs.len(),
        mean,
        sd: variance.map(f64::sqrt),
        p_mean,
    }
}

/// The smallest number of significant A/A arms, of `arms`, that fails the gate; `None` where not
/// even all of them would.
#[must_use]
pub fn fails_at(arms: usize) -> Option<usize> {
    (0..=arms).find(|&k| binomial_tail(arms, ARM_LEVEL, k) < FAIL_LEVEL)
}

/// P(Binomial(n, p) ≥ k), for 0 < p < 1.
fn binomial_tail(n: usize, p: f64, k: usize) -> f64 {
    if k == 0 {
        return 1.0;
    }
    let odds = p / (1.0 - p);
    let mut term = (1.0 - p).powf(n as f64);
    let mut sum = 0.0;
    for i in 1..=n {
        term *= odds * (n + 1 - i) as f64 / i as f64;
        if i >= k {
            sum += term;
        }
    }
    sum.min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_answer_18() {
        assert_eq!([4, 6, 8, 10].map(|a| fails_at(a).unwrap()), [3, 3, 3, 4]);
    }

    #[test]
    fn the_binomial_tail_is_a_sum_of_terms() {
        assert_eq!(binomial_tail(0, 0.05, 0), 1.0);
        assert!((binomial_tail(4, 0.05, 4) - 0.05_f64.powi(4)).abs() < 1e-18);
        assert!((binomial_tail(4, 0.05, 1) - (1.0 - 0.95_f64.powi(4))).abs() < 1e-15);
        assert_eq!(binomial_tail(3, 0.05, 4), 0.0);
    }

    #[test]
    fn quiet_arms_pass() {
        let gate = gate(&[0.3, 0.04, 0.9, 0.02], &[0.01, -0.012, 0.003, -0.001]);
        assert_eq!((gate.arms, gate.significant, gate.pairs), (4, 2, 4));
        assert!(gate.passed());
    }

    #[test]
    fn three_significant_arms_of_four_fail() {
        let gate = gate(&[0.01, 0.04, 0.9, 0.02], &[0.01, -0.01]);
        assert!(gate.p_significant < FAIL_LEVEL && !gate.passed());
    }

    #[test]
    fn a_bias_of_all_pairs_fails_though_no_arm_shows_it() {
        let gate = gate(&[0.3, 0.4], &[0.010, 0.012, 0.009, 0.011, 0.013, 0.008]);
        assert!(gate.p_mean.unwrap() < FAIL_LEVEL && !gate.passed());
    }

    #[test]
    fn identical_pairs_without_any_noise_pass_and_biased_ones_fail() {
        assert!(gate(&[1.0; 4], &[0.0; 8]).passed());
        assert!(!gate(&[1.0; 4], &[0.01; 8]).passed());
    }

    #[test]
    fn without_pairs_there_is_nothing_to_withhold() {
        let gate = gate(&[], &[0.2]);
        assert!(gate.passed() && gate.arms == 0 && gate.p_mean.is_none() && gate.sd.is_none());
    }
}
