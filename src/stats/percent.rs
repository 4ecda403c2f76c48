//! Between logarithms of ratios, which are computed with, and percent, which people read.
//! Nothing else in `stats` knows percent.

/// `100·(e^log − 1)`: the change in percent that a log-ratio stands for.
///
/// `percent(ln 1.05)` is 5; a log-ratio of −∞ is −100 %.
#[must_use]
pub fn percent(log: f64) -> f64 {
    100.0 * log.exp_m1()
}

/// The log-ratio that a change in percent stands for: `ln(1 + percent/100)`, the inverse of
/// [`percent()`]. `None` at −100 % and below, where there is no ratio, and for what is not finite.
#[must_use]
pub fn log_ratio(percent: f64) -> Option<f64> {
    let ratio_less_one = percent / 100.0;
    (ratio_less_one.is_finite() && ratio_less_one > -1.0).then(|| ratio_less_one.ln_1p())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percent_is_what_the_known_answer_2_says() {
        assert!((percent(0.028) - 2.8396).abs() < 5e-5);
        assert!((percent(0.019_045_91) - 1.9228).abs() < 5e-5);
        assert!((percent(0.036_954_09) - 3.7645).abs() < 5e-5);
    }

    #[test]
    fn percent_and_log_ratio_undo_each_other() {
        for p in [-99.0, -50.0, -1e-9, 0.0, 1e-9, 5.0, 400.0] {
            let log = log_ratio(p).unwrap();
            assert!((percent(log) - p).abs() <= 1e-12 * (1.0 + p.abs()));
        }
    }

    #[test]
    fn what_is_no_ratio_has_no_logarithm() {
        for p in [-100.0, -250.0, f64::NAN, f64::INFINITY] {
            assert_eq!(log_ratio(p), None);
        }
    }
}
