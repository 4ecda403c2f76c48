//! What must hold whatever the numbers: invariances of the pair's number and of STAT, and the
//! order of adjusted p values.

use proptest::collection::vec;
use proptest::prelude::*;

use super::pair::{PairNumbers, Slice};
use super::*;

fn slices(of: &[(u64, f64)], scale: f64) -> Vec<Slice> {
    of.iter().map(|&(ops, seconds)| Slice::new(ops, seconds * scale).unwrap()).collect()
}

fn finite() -> impl Strategy<Value = f64> {
    // Exact zeros and repeated values are where variances vanish.
    prop_oneof![
        4 => -0.5..0.5_f64,
        1 => Just(0.0),
        1 => Just(0.1),
        1 => -1e-14..1e-14_f64,
        1 => -700.0..700.0_f64,
    ]
}

fn noisy() -> impl Strategy<Value = Vec<Vec<f64>>> {
    vec(vec(-0.2..0.2_f64, 2..9), 4..12)
}

fn near(a: f64, b: f64) -> bool {
    a == b || (a - b).abs() <= 1e-7 * (a.abs() + b.abs())
}

proptest! {
    #[test]
    fn scaling_all_rates_of_both_arms_changes_no_number(
        arms in vec(((1..100_000u64, 0.1..3.0_f64), (1..100_000u64, 0.1..3.0_f64)), 1..40),
        scale in 1e-3..1e3_f64,
    ) {
        let (base, toggled): (Vec<_>, Vec<_>) = arms.into_iter().unzip();
        let before = PairNumbers::new(&slices(&base, 1.0), &slices(&toggled, 1.0)).unwrap();
        let after = PairNumbers::new(&slices(&base, scale), &slices(&toggled, scale)).unwrap();
        prop_assert!((before.trimmed - after.trimmed).abs() < 1e-12);
        prop_assert!((before.totals - after.totals).abs() < 1e-12);
    }

    #[test]
    fn exchanging_the_arms_changes_the_sign_only(
        arms in vec(((1..100_000u64, 0.1..3.0_f64), (1..100_000u64, 0.1..3.0_f64)), 1..40),
    ) {
        let (base, toggled): (Vec<_>, Vec<_>) = arms.into_iter().unzip();
        let (base, toggled) = (slices(&base, 1.0), slices(&toggled, 1.0));
        let there = PairNumbers::new(&base, &toggled).unwrap();
        let back = PairNumbers::new(&toggled, &base).unwrap();
        prop_assert!((there.trimmed + back.trimmed).abs() < 1e-12);
        prop_assert!((there.totals + back.totals).abs() < 1e-12);
        prop_assert_eq!(there.stall_difference(), -back.stall_difference());
    }

    #[test]
    fn stat_is_never_nan(arms in vec(vec(finite(), 0..9), 0..10)) {
        let free = stat(&arms, None).unwrap();
        for outcome in [stat(&arms, Some(&free.frozen)).unwrap(), free] {
            prop_assert!(!outcome.frozen.d0.is_nan() && outcome.frozen.s0_sq.is_finite());
            prop_assert_eq!(outcome.arms.len(), arms.len());
            for (arm, values) in outcome.arms.iter().zip(&arms) {
                prop_assert_eq!(arm.n(), values.len());
                prop_assert_eq!(arm.estimate().is_some(), values.len() >= 2);
                let Some(e) = arm.estimate() else { continue };
                prop_assert!(e.effect.is_finite() && e.se.is_finite() && e.se > 0.0);
                prop_assert!(e.s2.is_finite() && e.post.is_finite() && e.t().is_finite());
                prop_assert!((0.0..=1.0).contains(&e.p) && (1.0..=200.0).contains(&e.df));
                let (low, high) = e.ci(0.95);
                prop_assert!(low.is_finite() && high.is_finite() && low < high);
                prop_assert!((0.0..=1.0).contains(&tost(e, 0.05)));
                prop_assert!(mde(e, 0.05).is_finite());
                if e.p > 1e-6 {
                    // The interval of 1 − p ends at 0.
                    let (low, high) = e.ci(1.0 - e.p);
                    prop_assert!(low.abs().min(high.abs()) <= 1e-6 * e.effect.abs() + 1e-9);
                }
            }
        }
    }

    #[test]
    fn permuting_arms_permutes_estimates(arms in noisy(), by in 1..12usize) {
        let mut rotated = arms.clone();
        rotated.rotate_left(by % arms.len());
        let mut outcome = stat(&rotated, None).unwrap().arms;
        outcome.rotate_right(by % arms.len());
        for (a, b) in outcome.iter().zip(&stat(&arms, None).unwrap().arms) {
            let (a, b) = (a.estimate().unwrap(), b.estimate().unwrap());
            prop_assert_eq!((a.effect, a.s2, a.n), (b.effect, b.s2, b.n));
            prop_assert!(near(a.se, b.se) && near(a.df, b.df) && near(a.p, b.p));
        }
    }

    #[test]
    fn changing_all_signs_changes_the_effects_signs_only(arms in noisy()) {
        let negative: Vec<Vec<f64>> =
            arms.iter().map(|a| a.iter().map(|d| -d).collect()).collect();
        let (there, back) = (stat(&arms, None).unwrap(), stat(&negative, None).unwrap());
        for (a, b) in there.arms.iter().zip(&back.arms) {
            let (a, b) = (a.estimate().unwrap(), b.estimate().unwrap());
            prop_assert!((a.effect + b.effect).abs() < 1e-12);
            prop_assert!(near(a.p, b.p) && near(a.se, b.se));
        }
    }

    #[test]
    fn no_arm_is_taken_to_be_calmer_than_it_was(arms in noisy()) {
        for arm in stat(&arms, None).unwrap().arms {
            let e = arm.estimate().unwrap();
            prop_assert!(e.se >= (e.s2 / e.n as f64).sqrt());
        }
    }

    #[test]
    fn adjusted_p_values_keep_the_order_and_lie_between_p_and_1(
        p in vec(prop_oneof![0.0..=1.0_f64, 0.0..1e-6_f64, Just(0.05)], 0..40),
    ) {
        let (holm, bh) = (holm(&p), benjamini_hochberg(&p));
        for i in 0..p.len() {
            prop_assert!(p[i] <= bh[i] && bh[i] <= holm[i] && holm[i] <= 1.0);
            for j in 0..p.len() {
                if p[i] <= p[j] {
                    prop_assert!(holm[i] <= holm[j] && bh[i] <= bh[j]);
                }
            }
        }
    }

    #[test]
    fn the_gate_never_passes_what_it_failed_with_one_more_significant_arm(
        arms in 1..40usize, k in 0..40usize,
    ) {
        let k = k.min(arms - 1);
        let p = |k: usize| -> Vec<f64> {
            (0..arms).map(|i| if i < k { 0.01 } else { 0.5 }).collect()
        };
        let (fewer, more) = (gate(&p(k), &[]), gate(&p(k + 1), &[]));
        prop_assert!(more.p_significant <= fewer.p_significant);
        prop_assert_eq!(fewer.passed(), gate::fails_at(arms).is_none_or(|limit| k < limit));
    }
}
