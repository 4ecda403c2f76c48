//! What STAT answers: the known answers of `statistics.md`, section 5, and the edges.

use super::*;

fn close(got: f64, expected: f64, tolerance: f64) {
    assert!((got - expected).abs() < tolerance, "{got}, not {expected}");
}

fn estimate(arm: &Arm) -> Estimate {
    *arm.estimate().unwrap()
}

/// The variances of known answer 9, three degrees of freedom each.
const S2: [f64; 8] = [1e-4, 2.5e-4, 0.4e-4, 9e-4, 1.2e-4, 0.7e-4, 3.1e-4, 0.15e-4];

fn known_9() -> Frozen {
    let spreads = S2.map(|s2| Spread { s2, f: 3.0 });
    let (s0_sq, d0) = squeeze(&spreads);
    Frozen { s_pool: 0.0, s0_sq, d0 }
}

#[test]
fn known_answer_2_plain_t() {
    let d = vec![0.021, 0.034, 0.018, 0.041, 0.029, 0.025];
    let stat = stat(&[d], None).unwrap();
    assert_eq!(stat.frozen, Frozen::PLAIN);
    let e = estimate(&stat.arms[0]);
    close(e.effect, 0.028, 1e-15);
    close(e.s2.sqrt(), 0.008_532_29, 5e-9);
    close(e.t(), 8.038_369_52, 5e-9);
    close(e.p, 4.819_69e-4, 5e-10);
    let (low, high) = e.ci(0.95);
    close(low, 0.019_045_91, 5e-9);
    close(high, 0.036_954_09, 5e-9);
}

#[test]
fn known_answer_7_clipping() {
    let arms = [
        [0.010, 0.014, 0.008, 0.012, -0.090, 0.011],
        [0.002, -0.003, 0.001, 0.004, -0.001, 0.0],
        [-0.020, -0.016, -0.024, -0.019, -0.021, -0.018],
    ];
    let s_pool = pooled_sd(&arms);
    close(s_pool, 0.002_436_16, 5e-9);
    close(super::super::sample::robust_sd(&arms[0]).unwrap(), 0.003_248_21, 5e-9);
    let clipped = arms.each_ref().map(|a| Clipped::new(a, s_pool));
    close(clipped[0].values[4], 0.000_755_36, 5e-9);
    assert_eq!(clipped.each_ref().map(|c| c.count), [1, 0, 0]);
    let means = clipped.map(|c| mean(&c.values).unwrap());
    close(means[0], 0.009_292_56, 5e-9);
    close(means[1], 0.0005, 1e-15);
    close(means[2], -0.019_666_67, 5e-9);
}

#[test]
fn known_answer_9_shrinking() {
    let common = known_9();
    close(common.d0, 3.806_501_89, 5e-9);
    close(common.s0_sq, 1.272_488_15e-4, 5e-13);
    let expected = [1.152_387_62e-4, 1.813_520_18e-4, 8.879_346e-5, 4.678_427_93e-4];
    for (s2, expected) in S2.into_iter().zip(expected) {
        close(common.posterior(s2, 3.0), expected, 5e-13);
    }
}

#[test]
fn known_answer_10_moderated_t() {
    let common = known_9();
    let t = [5.5892, 1.2649, -4.2449, 3.3333];
    let p = [9.0904e-4, 0.247_487, 0.004_067_7, 0.013_059_4];
    let tolerance = [5e-9, 5e-7, 5e-8, 5e-8];
    for (i, effect) in [0.03, 0.01, -0.02, 0.05].into_iter().enumerate() {
        let e = Estimate::new(4, effect, S2[i], 0, &common);
        close(e.t(), t[i], 5e-5);
        close(e.p, p[i], tolerance[i]);
    }
    assert!(Estimate::new(4, 0.0, S2[3], 0, &common).unstable, "9e-4 > 4·1.27e-4");
    assert!(!Estimate::new(4, 0.0, S2[6], 0, &common).unstable);
}

#[test]
fn stat_of_many_arms_pools_them_and_a_frozen_one_repeats_it() {
    // Two arms calm, two wild: the calm ones are not taken to be as calm as they look.
    let arms: Vec<Vec<f64>> = [0.001, 0.002, 0.02, 0.03]
        .iter()
        .map(|s| [-1.2, -0.3, 0.1, 1.4, 0.6].map(|x| x * s).to_vec())
        .collect();
    let free = stat(&arms, None).unwrap();
    assert!(free.frozen.d0 > 0.0 && free.frozen.d0.is_finite());
    let calm = estimate(&free.arms[0]);
    assert!(calm.post > calm.s2 && calm.df > 4.0);
    let wild = estimate(&free.arms[3]);
    assert!(wild.post < wild.s2);
    close(wild.se, (wild.s2 / 5.0).sqrt(), 1e-15);
    assert_eq!(stat(&arms, Some(&free.frozen)).unwrap(), free);
    // Frozen numbers apply however few the arms.
    let alone = stat(&arms[..1], Some(&free.frozen)).unwrap();
    assert_eq!(alone.arms[0], free.arms[0]);
}

#[test]
fn arms_that_vary_alike_have_one_known_variance() {
    let arms: Vec<Vec<f64>> =
        (0..6).map(|i| [-0.01, 0.0, 0.01].map(|x| x + 0.1 * f64::from(i)).to_vec()).collect();
    let stat = stat(&arms, None).unwrap();
    assert_eq!(stat.frozen.d0, f64::INFINITY);
    close(stat.frozen.s0_sq, 1e-4, 1e-15);
    for arm in &stat.arms {
        let e = estimate(arm);
        assert_eq!((e.post, e.df), (stat.frozen.s0_sq, 200.0));
        assert!(e.p.is_finite());
    }
}

#[test]
fn too_few_values_have_no_interval_and_disturb_nobody() {
    let mut arms: Vec<Vec<f64>> = (0..5)
        .map(|i| [-0.01, 0.003, 0.02, 0.0].map(|x| x * (1.0 + f64::from(i))).to_vec())
        .collect();
    let without = stat(&arms, None).unwrap();
    arms.push(vec![]);
    arms.push(vec![0.3]);
    let with = stat(&arms, None).unwrap();
    assert_eq!(with.arms[..5], without.arms);
    assert_eq!(with.arms[5..], [Arm::Nothing, Arm::Single(0.3)]);
    assert_eq!((with.arms[5].n(), with.arms[6].n()), (0, 1));
    assert_eq!((with.arms[5].effect(), with.arms[6].effect()), (None, Some(0.3)));
    assert_eq!((with.arms[6].p(), with.arms[6].estimate()), (None, None));
}

#[test]
fn three_arms_and_one_single_value_are_not_enough_to_pool() {
    let arms = [vec![0.1, 0.2], vec![0.1, 0.3], vec![0.0, 0.1], vec![0.5]];
    assert_eq!(stat(&arms, None).unwrap().frozen, Frozen::PLAIN);
}

#[test]
fn no_arms_no_estimates() {
    let none: [Vec<f64>; 0] = [];
    assert!(stat(&none, None).unwrap().arms.is_empty());
}

#[test]
fn without_any_noise_an_effect_is_certain_and_no_effect_is_none() {
    let arms: Vec<Vec<f64>> = [0.0, 0.1, 0.0, -0.2].iter().map(|&d| vec![d; 4]).collect();
    let stat = stat(&arms, None).unwrap();
    assert_eq!(stat.frozen.d0, 0.0);
    let p: Vec<f64> = stat.arms.iter().map(|a| a.p().unwrap()).collect();
    assert_eq!((p[0], p[2]), (1.0, 1.0));
    assert!(p[1] < 1e-20 && p[3] < 1e-20);
    let (low, high) = estimate(&stat.arms[1]).ci(0.95);
    assert!(low < 0.1 && 0.1 < high && high - low < 1e-10);
}

#[test]
fn noise_of_rounding_is_no_effect() {
    let arms: Vec<Vec<f64>> = (1..6).map(|i| vec![2e-16 * f64::from(i); 4]).collect();
    let stat = stat(&arms, None).unwrap();
    assert!(stat.arms.iter().all(|a| a.p().unwrap() > 0.99));
}

#[test]
fn an_arm_that_never_varies_borrows_the_common_variance() {
    let mut arms: Vec<Vec<f64>> =
        (1..6).map(|i| [-0.01, 0.0, 0.012].map(|x| x * f64::from(i)).to_vec()).collect();
    arms.push(vec![0.02; 3]);
    let stat = stat(&arms, None).unwrap();
    let still = estimate(&stat.arms[5]);
    assert_eq!(still.s2, 0.0);
    assert!(still.se > 1e-3 && still.p > 0.0);
}

/// Stall fractions are mostly 0: the robust SD is 0, which must not clip the rest away.
#[test]
fn a_robust_sd_of_nothing_clips_nothing() {
    let mut arms = vec![vec![0.0, 0.0, 0.0, 0.0]; 5];
    arms.push(vec![0.05, 0.05, 0.05, 0.0]);
    let stat = stat(&arms, None).unwrap();
    let some = estimate(&stat.arms[5]);
    assert_eq!(some.clipped, 0);
    close(some.effect, 0.0375, 1e-15);
    assert!(some.p > 0.05, "plain t on the arm's own variance");
    assert_eq!(stat.arms[0].p(), Some(1.0));
}

#[test]
fn what_is_no_log_ratio_is_refused() {
    for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e9] {
        let error = stat(&[vec![0.0], vec![0.0, value]], None).unwrap_err();
        assert!(matches!(error, StatError::Value { arm: 1, index: 1, .. }));
    }
    for frozen in [
        Frozen { d0: -1.0, ..Frozen::PLAIN },
        Frozen { s0_sq: f64::INFINITY, ..Frozen::PLAIN },
        Frozen { s_pool: f64::NAN, ..Frozen::PLAIN },
    ] {
        assert!(matches!(stat(&[vec![0.0]], Some(&frozen)), Err(StatError::Frozen(_))));
    }
}

#[test]
fn intervals_widen_with_their_probability() {
    let stat = stat(&[vec![0.01, 0.02, 0.04]], None).unwrap();
    let e = estimate(&stat.arms[0]);
    assert_eq!(e.ci(0.0), (e.effect, e.effect));
    assert!(e.ci(0.9).0 > e.ci(0.99).0);
    assert_eq!(e.ci(1.0), (f64::NEG_INFINITY, f64::INFINITY));
    assert!(e.within(0.95, 0.2) && !e.within(0.95, 0.03));
}

/// All of STAT at once, arms of unequal n, one value clipped; expected numbers from an independent
/// implementation of `statistics.md`, section 2, on scipy.
#[test]
fn the_whole_of_stat_agrees_with_scipy() {
    let arms = [
        vec![0.012, -0.021, 0.030, 0.005, 0.011, -0.008],
        vec![0.041, 0.062, 0.055, 0.048],
        vec![-0.001, 0.002, 0.150, 0.004, -0.003],
        vec![-0.051, -0.020, -0.034],
        vec![0.02, 0.05],
        vec![0.003, -0.004, 0.001, 0.002, -0.002, 0.0035, -0.0015],
    ];
    let stat = stat(&arms, None).unwrap();
    close(stat.frozen.s_pool, 0.005_991_856_563_7, 1e-14);
    close(stat.frozen.s0_sq, 1.034_762_161_55e-4, 1e-14);
    close(stat.frozen.d0, 2.103_163_270_94, 1e-9);
    // effect, se, df, p, low end of the 95 % interval
    let expected = [
        [0.004833333333, 0.007199151185, 7.103163270936, 0.5232079170817, -0.012139962379],
        [0.0515, 0.004760646535, 5.103163270936, 1.034967278894e-4, 0.039336404891],
        [0.004395113938, 0.004245655561, 6.103163270936, 0.3398388318167, -0.00595121233],
        [-0.035, 0.00896288644, 4.103163270936, 0.01663885161900, -0.059640143066],
        [0.035, 0.015, 3.103163270936, 0.09893051471819, -0.011851341657],
        [0.000285714286, 0.002163723203, 8.103163270936, 0.8981667229257, -0.004692804901],
    ];
    for (arm, [effect, se, df, p, low]) in stat.arms.iter().zip(expected) {
        let e = estimate(arm);
        close(e.effect, effect, 1e-11);
        close(e.se, se, 1e-11);
        close(e.df, df, 1e-9);
        close(e.p, p, 1e-10);
        close(e.ci(0.95).0, low, 1e-10);
    }
    assert_eq!(stat.arms.iter().map(|a| estimate(a).clipped).sum::<usize>(), 1);
    let unstable = stat.arms.iter().map(|a| estimate(a).unstable);
    assert_eq!(unstable.collect::<Vec<_>>(), [false, false, false, false, true, false]);
}
