//! Location and spread of a handful of numbers: mean, variance, median, robust SD.
//! Nothing here judges; what is undefined for so few numbers is `None`, never NaN.

/// The finest difference between log-ratios that means anything, in log points.
///
/// A ratio of two 53-bit rates is good to about 2e-16, so what differs by less than 1e-12 differs
/// by rounding. Spreads at or below it count as none, and no standard error is smaller: identical
/// numbers get a narrow interval, never a division by zero.
pub const RESOLUTION: f64 = 1e-12;

/// Consistency of the median absolute deviation with the SD of normal data: 1/Φ⁻¹(¾).
pub const MAD_TO_SD: f64 = 1.4826;

/// The arithmetic mean; `None` of nothing. Exact where all values are equal.
#[must_use]
pub fn mean(values: &[f64]) -> Option<f64> {
    let first = *values.first()?;
    let beyond: f64 = values.iter().map(|v| v - first).sum();
    Some(first + beyond / values.len() as f64)
}

/// The variance with `n − 1` in the denominator; `None` for fewer than two values.
/// A spread within [`RESOLUTION`] is 0.
#[must_use]
pub fn variance(values: &[f64]) -> Option<f64> {
    if values.len() < 2 {
        return None;
    }
    let centre = mean(values)?;
    let squares: f64 = values.iter().map(|v| (v - centre).powi(2)).sum();
    let variance = squares / (values.len() - 1) as f64;
    Some(if variance <= RESOLUTION * RESOLUTION { 0.0 } else { variance })
}

/// The median, the mean of the middle two where the count is even; `None` of nothing.
#[must_use]
pub fn median(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let upper = *sorted.get(sorted.len() / 2)?;
    if sorted.len() % 2 == 1 {
        return Some(upper);
    }
    let lower = sorted[sorted.len() / 2 - 1];
    Some(lower + (upper - lower) / 2.0)
}

/// Distances of all values from their median; empty of nothing.
#[must_use]
pub fn deviations(values: &[f64]) -> Vec<f64> {
    median(values)
        .map_or_else(Vec::new, |centre| values.iter().map(|v| (v - centre).abs()).collect())
}

/// `1.4826·√(n/(n−1))`: makes absolute deviations from the median of `n` values comparable with
/// an SD, small samples included (`statistics.md`, section 2). `None` for fewer than two.
#[must_use]
pub fn robust_factor(n: usize) -> Option<f64> {
    (n >= 2).then(|| MAD_TO_SD * (n as f64 / (n - 1) as f64).sqrt())
}

/// The robust SD, [`robust_factor`] times the median absolute deviation from the median.
/// `None` for fewer than two values; 0 where more than half of them are equal.
#[must_use]
pub fn robust_sd(values: &[f64]) -> Option<f64> {
    Some(robust_factor(values.len())? * median(&deviations(values))?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn too_few_values_have_no_location_or_spread() {
        assert_eq!(mean(&[]), None);
        assert_eq!(median(&[]), None);
        assert_eq!(variance(&[1.0]), None);
        assert_eq!(robust_sd(&[1.0]), None);
        assert!(deviations(&[]).is_empty());
    }

    #[test]
    fn equal_values_have_exactly_their_mean_and_no_variance() {
        let values = [0.1; 7];
        assert_eq!(mean(&values), Some(0.1));
        assert_eq!(variance(&values), Some(0.0));
        assert_eq!(robust_sd(&values), Some(0.0));
    }

    #[test]
    fn values_that_differ_by_rounding_have_no_variance() {
        assert_eq!(variance(&[0.3, 0.1 + 0.2, 0.3]), Some(0.0));
    }

    #[test]
    fn the_median_of_an_even_count_lies_between_the_middle_two() {
        assert_eq!(median(&[4.0, 1.0, 3.0, 2.0]), Some(2.5));
        assert_eq!(median(&[4.0, 1.0, 3.0]), Some(3.0));
    }

    #[test]
    fn the_robust_sd_does_not_see_one_wild_value() {
        let calm = robust_sd(&[1.0, 2.0, 3.0, 4.0, 5.0]).unwrap();
        let wild = robust_sd(&[1.0, 2.0, 3.0, 4.0, 500.0]).unwrap();
        assert_eq!(calm, wild);
        assert!((calm - MAD_TO_SD * 1.25_f64.sqrt()).abs() < 1e-15);
    }
}
