//! Adjusted p values: Holm for claims, Benjamini–Hochberg for candidates.
//! Knows p values only, neither estimates nor toggles.

/// Holm's step-down p values, in the order of the input (Holm 1979): claiming what is ≤ α makes
/// at least one false claim with probability at most α, whatever the dependence.
///
/// A p that is NaN counts as 1 and the rest is clamped to 0..1, so that what could not be computed
/// takes its place in the family without ever being claimed. Each result is ≥ its p and ≤ 1.
#[must_use]
pub fn holm(p: &[f64]) -> Vec<f64> {
    let mut adjusted = vec![1.0; p.len()];
    let mut floor = 0.0_f64;
    for (rank, index) in ascending(p).into_iter().enumerate() {
        floor = floor.max((p.len() - rank) as f64 * proper(p[index])).min(1.0);
        adjusted[index] = floor;
    }
    adjusted
}

/// The Benjamini–Hochberg step-up p values ("q"), in the order of the input (1995): of what is
/// ≤ q, a fraction q at most is expected to be false, for independent or positively dependent
/// tests (Benjamini & Yekutieli 2001), which comparisons with a common noise are.
///
/// NaN counts as 1, as in [`holm`]. Each result is ≥ its p and ≤ 1.
#[must_use]
pub fn benjamini_hochberg(p: &[f64]) -> Vec<f64> {
    let mut adjusted = vec![1.0; p.len()];
    let mut ceiling = 1.0_f64;
    for (rank, index) in ascending(p).into_iter().enumerate().rev() {
        // Divided first, the factor is exactly 1 for the largest p and never below.
        let factor = p.len() as f64 / (rank + 1) as f64;
        ceiling = ceiling.min(factor * proper(p[index]));
        adjusted[index] = ceiling;
    }
    adjusted
}

fn proper(p: f64) -> f64 {
    if p.is_nan() { 1.0 } else { p.clamp(0.0, 1.0) }
}

/// Indices from the smallest p to the largest, equal ones in the order of the input.
fn ascending(p: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..p.len()).collect();
    order.sort_by(|&a, &b| proper(p[a]).total_cmp(&proper(p[b])));
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    const P: [f64; 8] = [0.0004, 0.003, 0.012, 0.021, 0.04, 0.2, 0.51, 0.8];

    fn close(got: &[f64], expected: &[f64]) {
        assert_eq!(got.len(), expected.len());
        for (g, e) in got.iter().zip(expected) {
            assert!((g - e).abs() < 5e-9, "{got:?}, not {expected:?}");
        }
    }

    #[test]
    fn known_answer_5_benjamini_hochberg() {
        let expected = [0.0032, 0.012, 0.032, 0.042, 0.064, 0.266_666_67, 0.582_857_14, 0.8];
        close(&benjamini_hochberg(&P), &expected);
    }

    #[test]
    fn known_answer_6_holm() {
        close(&holm(&P), &[0.0032, 0.021, 0.072, 0.105, 0.16, 0.6, 1.0, 1.0]);
    }

    #[test]
    fn results_keep_the_order_of_the_input() {
        let backwards: Vec<f64> = P.iter().rev().copied().collect();
        let mut adjusted = holm(&backwards);
        adjusted.reverse();
        assert_eq!(adjusted, holm(&P));
    }

    #[test]
    fn an_undefined_p_fills_its_place_and_is_never_claimed() {
        assert_eq!(holm(&[f64::NAN, 0.01]), [1.0, 0.02]);
        assert_eq!(benjamini_hochberg(&[f64::NAN, 0.01]), [1.0, 0.02]);
    }

    #[test]
    fn a_family_of_none_is_fine() {
        assert!(holm(&[]).is_empty() && benjamini_hochberg(&[]).is_empty());
    }
}
