//! Trigamma, its inverse, and what they need; digamma comes from `statrs`.
//! The moderation of variances is fitted with them, nothing else uses them.

pub use statrs::function::gamma::digamma;

/// From here on the asymptotic series are good to the last digits.
const ASYMPTOTIC: f64 = 15.0;

/// ψ′(x), the second derivative of ln Γ, for x > 0; NaN elsewhere.
///
/// Recurrence ψ′(x) = ψ′(x+1) + 1/x² up to 15, then the asymptotic series
/// (Abramowitz & Stegun 6.4.6, 6.4.12).
#[must_use]
pub fn trigamma(x: f64) -> f64 {
    if x.is_nan() || x <= 0.0 {
        return f64::NAN;
    }
    let (mut z, mut sum) = (x, 0.0);
    while z < ASYMPTOTIC {
        sum += 1.0 / (z * z);
        z += 1.0;
    }
    let r = 1.0 / z;
    let w = r * r;
    let series =
        1.0 / 6.0 - w * (1.0 / 30.0 - w * (1.0 / 42.0 - w * (1.0 / 30.0 - w * (5.0 / 66.0))));
    sum + r + w / 2.0 + r * w * series
}

/// ψ″(x), the derivative of [`trigamma`], for x > 0; NaN elsewhere (A&S 6.4.6, 6.4.13).
#[must_use]
pub fn tetragamma(x: f64) -> f64 {
    if x.is_nan() || x <= 0.0 {
        return f64::NAN;
    }
    let (mut z, mut sum) = (x, 0.0);
    while z < ASYMPTOTIC {
        sum -= 2.0 / (z * z * z);
        z += 1.0;
    }
    let r = 1.0 / z;
    let w = r * r;
    let series = 0.5 - w * (1.0 / 6.0 - w * (1.0 / 6.0 - w * (0.3 - w * (5.0 / 6.0))));
    sum - w - r * w - w * w * series
}

/// The x > 0 with ψ′(x) = y, for y > 0; ∞ for 0, NaN elsewhere.
///
/// Newton's method on 1/ψ′, which is nearly linear and convex, so that it converges from below
/// without overshooting (Smyth 2004, appendix; limma's `trigammaInverse`).
#[must_use]
pub fn trigamma_inverse(y: f64) -> f64 {
    if y.is_nan() || y < 0.0 {
        return f64::NAN;
    }
    if y > 1e7 {
        return 1.0 / y.sqrt();
    }
    if y < 1e-6 {
        // ψ′(x) = 1/x + 1/(2x²) + …
        return 1.0 / y + 0.5;
    }
    let mut x = 0.5 + 1.0 / y;
    for _ in 0..50 {
        let here = trigamma(x);
        let step = here * (1.0 - here / y) / tetragamma(x);
        x += step;
        if step.abs() <= 1e-14 * x {
            break;
        }
    }
    x
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_answers_8() {
        assert!((trigamma(0.5) - 4.934_802_20).abs() < 5e-9);
        assert!((trigamma(2.5) - 0.490_357_76).abs() < 5e-9);
        assert!((trigamma_inverse(0.5) - 2.459_952_95).abs() < 5e-9);
    }

    #[test]
    fn trigamma_and_tetragamma_agree_with_closed_forms() {
        let pi2 = std::f64::consts::PI.powi(2);
        assert!((trigamma(1.0) - pi2 / 6.0).abs() < 1e-14);
        assert!((trigamma(0.5) - pi2 / 2.0).abs() < 1e-14);
        // ψ″(1) = −2ζ(3), ψ″(½) = −14ζ(3)
        let zeta3 = 1.202_056_903_159_594_3;
        assert!((tetragamma(1.0) + 2.0 * zeta3).abs() < 1e-14);
        assert!((tetragamma(0.5) + 14.0 * zeta3).abs() < 1e-13);
    }

    #[test]
    fn the_inverse_undoes_trigamma_over_all_magnitudes() {
        for exponent in -40..=40 {
            let x = 10_f64.powf(f64::from(exponent) / 5.0);
            let back = trigamma_inverse(trigamma(x));
            assert!((back / x - 1.0).abs() < 1e-6, "{x} came back as {back}");
        }
    }

    #[test]
    fn nothing_outside_the_domain() {
        for x in [0.0, -1.0, -0.5, f64::NAN] {
            assert!(trigamma(x).is_nan() && tetragamma(x).is_nan());
        }
        assert!(trigamma_inverse(-1.0).is_nan());
        assert_eq!(trigamma_inverse(0.0), f64::INFINITY);
    }
}
