//! Student's t distribution: tails and quantiles, defined for every input.
//! Tails come from the incomplete beta function directly, so that small ones keep their digits.

use statrs::function::beta::checked_beta_reg;

/// P(|T| > |t|) for `df` > 0 degrees of freedom (Abramowitz & Stegun 26.7.1, 26.5.27).
///
/// 1 where there is nothing to compute (NaN, `df` not positive and finite): what is undefined
/// must never look significant.
#[must_use]
pub fn two_sided(t: f64, df: f64) -> f64 {
    if t.is_nan() || !df.is_finite() || df <= 0.0 {
        return 1.0;
    }
    checked_beta_reg(df / 2.0, 0.5, df / (df + t * t)).map_or(1.0, |p| p.clamp(0.0, 1.0))
}

/// P(T > t) for `df` > 0 degrees of freedom; 1 where undefined, as [`two_sided`].
#[must_use]
pub fn upper_tail(t: f64, df: f64) -> f64 {
    if t.is_nan() || !df.is_finite() || df <= 0.0 {
        return 1.0;
    }
    let half = two_sided(t, df) / 2.0;
    if t >= 0.0 { half } else { 1.0 - half }
}

/// The t below which a T of `df` > 0 degrees of freedom lies with probability `p`.
///
/// −∞ and ∞ at `p` ≤ 0 and ≥ 1; ±∞ also where `df` is not positive and finite, so that an
/// interval is too wide rather than too narrow. By bisection: it always ends, which the Newton
/// iteration of AS 109 does not promise.
#[must_use]
pub fn quantile(p: f64, df: f64) -> f64 {
    if p < 0.5 {
        return -quantile(1.0 - p, df);
    }
    if p == 0.5 {
        return 0.0;
    }
    if p.is_nan() || p >= 1.0 || !df.is_finite() || df <= 0.0 {
        return f64::INFINITY;
    }
    let tail = 1.0 - p;
    let (mut low, mut high) = (0.0, 1.0);
    while upper_tail(high, df) > tail {
        low = high;
        high *= 2.0;
        if high > 1e150 {
            return f64::INFINITY;
        }
    }
    for _ in 0..200 {
        let middle = low + (high - low) / 2.0;
        if middle <= low || middle >= high {
            break;
        }
        if upper_tail(middle, df) > tail {
            low = middle;
        } else {
            high = middle;
        }
    }
    high
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_answers_12() {
        assert!((quantile(0.975, 3.0) - 3.182_446_31).abs() < 5e-9);
        assert!((quantile(0.975, 7.0) - 2.364_624_25).abs() < 5e-9);
        assert!((quantile(0.95, 7.0) - 1.894_578_61).abs() < 5e-9);
        assert!((two_sided(40.0, 7.0) - 1.5902e-9).abs() < 5e-14);
    }

    /// ν = 1 is the Cauchy distribution: P(|T| > t) = 1 − (2/π)·atan t.
    #[test]
    fn one_degree_of_freedom_is_cauchy() {
        for t in [0.01_f64, 0.5, 1.0, 3.0, 100.0] {
            let exact = 1.0 - 2.0 / std::f64::consts::PI * t.atan();
            assert!((two_sided(t, 1.0) - exact).abs() < 1e-13);
        }
        assert!((quantile(0.75, 1.0) - 1.0).abs() < 1e-13);
    }

    #[test]
    fn quantiles_undo_tails() {
        for df in [1.0, 2.5, 7.0, 30.0, 200.0] {
            for p in [1e-9, 0.001, 0.2, 0.49, 0.51, 0.9, 0.9999] {
                let back = 1.0 - upper_tail(quantile(p, df), df);
                assert!((back - p).abs() < 1e-12, "df {df}: {p} came back as {back}");
            }
        }
    }

    #[test]
    fn the_tails_are_symmetric_and_end_in_0_and_1() {
        assert_eq!(two_sided(0.0, 5.0), 1.0);
        assert_eq!(two_sided(f64::INFINITY, 5.0), 0.0);
        assert_eq!(two_sided(-3.0, 5.0), two_sided(3.0, 5.0));
        assert_eq!(upper_tail(f64::NEG_INFINITY, 5.0), 1.0);
        assert_eq!(quantile(1.0, 5.0), f64::INFINITY);
        assert_eq!(quantile(0.0, 5.0), f64::NEG_INFINITY);
    }

    #[test]
    fn what_is_undefined_is_never_significant() {
        for (t, df) in [(f64::NAN, 5.0), (9.0, 0.0), (9.0, -1.0), (9.0, f64::NAN)] {
            assert_eq!(two_sided(t, df), 1.0);
            assert_eq!(upper_tail(t, df), 1.0);
        }
        assert_eq!(quantile(0.9, 0.0), f64::INFINITY);
    }
}
