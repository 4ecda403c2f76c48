//! How a sweep goes: which arms are due when, and what it comes to. Numbers without noise or with
//! a given pattern; simulated noise is in `stats::simulation`.

use super::*;
use crate::stats::moderated::Estimate;
use crate::stats::verdict::{Rules, Verdict, judge};
use rules::{SCREEN_ROUNDS, look};

/// Plays rounds until `until` says stop or the sweep is over; returns the rounds as
/// (stage, toggles due).
fn play(
    schedule: &mut Schedule,
    mut outcome: impl FnMut(Stage, u32, ArmId) -> Outcome,
    until: impl Fn(&Schedule, u32) -> bool,
) -> Vec<(Stage, Vec<usize>)> {
    let mut rounds = Vec::new();
    while let Step::Round { stage, round, in_stage, arms } = schedule.step() {
        if until(schedule, round) {
            break;
        }
        let outcomes: Vec<_> = arms.iter().map(|&a| (a, outcome(stage, in_stage, a))).collect();
        schedule.record(&outcomes).unwrap();
        let toggles = arms.iter().filter_map(|a| match a {
            ArmId::Toggle(i) => Some(*i),
            ArmId::Aa(_) => None,
        });
        rounds.push((stage, toggles.collect()));
    }
    rounds
}

fn never(_: &Schedule, _: u32) -> bool {
    false
}

/// A fixed wobble with mean near 0 and SD near `sd` over any four rounds, different per arm.
fn wobble(sd: f64, round: u32, arm: ArmId) -> f64 {
    const PATTERN: [f64; 4] = [1.1, -0.9, 0.6, -0.8];
    let shift = match arm {
        ArmId::Toggle(i) => i,
        ArmId::Aa(i) => 2 * i + 1,
    };
    let sign = if shift % 2 == 0 { 1.0 } else { -1.0 };
    sign * sd * PATTERN[(round as usize + shift / 2) % 4]
}

/// Four toggles: nothing, +10 %, vaguely nothing (SD 20 %), and one that wobbles round +3 %.
fn four(_: Stage, round: u32, arm: ArmId) -> Outcome {
    Outcome::Measured(match arm {
        ArmId::Toggle(1) => 0.1 + wobble(0.01, round, arm),
        ArmId::Toggle(2) => wobble(0.2, round, arm),
        ArmId::Toggle(3) => 0.03 + wobble(0.04, round, arm),
        _ => wobble(0.01, round, arm),
    })
}

fn verdicts(schedule: &Schedule, findings: &Findings) -> Vec<Verdict> {
    let rules = schedule.settings().rules;
    let each = findings.toggles.iter().zip(schedule.states()).zip(schedule.failed());
    each.map(|((finding, state), &failed)| {
        let evidence = finding.evidence(crate::stats::verdict::Better::More);
        let null = *state == State::Null;
        judge(&crate::stats::verdict::Evidence { failed, null, ..evidence }, &rules)
    })
    .collect()
}

#[test]
fn a_twentieth_of_the_toggles_and_four_at_least_are_aa_arms() {
    assert_eq!([0, 1, 60, 80, 81, 100, 200].map(aa_arms), [4, 4, 4, 4, 5, 5, 10]);
}

#[test]
fn a_sweep_screens_stops_early_and_confirms_on_fresh_pairs() {
    let mut schedule = Schedule::new(Settings::new(4)).unwrap();
    let rounds = play(&mut schedule, four, never);
    let (screen, confirm): (Vec<_>, Vec<_>) =
        rounds.iter().partition(|(stage, _)| *stage == Stage::Screen);
    assert!(screen[..4].iter().all(|(_, due)| *due == [0, 1, 2, 3]));
    assert_eq!(schedule.states()[..3], [State::Null, State::Candidate, State::Parked]);
    assert!(screen[4..].iter().all(|(_, due)| *due == [3]));
    assert_eq!(confirm.len(), CONFIRM_ROUNDS as usize);

    let findings = schedule.findings().unwrap();
    assert!(findings.calibrated());
    let stages: Vec<Stage> = findings.stages.iter().map(|s| s.stage).collect();
    assert_eq!(stages, [Stage::Screen, Stage::Confirm]);
    assert_eq!(findings.stages[0].frozen, findings.stages[1].frozen);
    assert_eq!(findings.toggles[0].stage, Stage::Screen);
    assert_eq!(findings.toggles[0].p_adjusted, None);
    assert_eq!(findings.toggles[1].stage, Stage::Confirm);
    assert_eq!(findings.toggles[1].arm.n(), 8);
    let verdicts = verdicts(&schedule, &findings);
    assert_eq!(verdicts[..3], [Verdict::NoDifference, Verdict::Faster, Verdict::Inconclusive]);
}

#[test]
fn rounds_are_numbered_over_the_sweep_and_within_the_stage() {
    let mut schedule = Schedule::new(Settings::new(4)).unwrap();
    let mut numbers = Vec::new();
    while let Step::Round { stage, round, in_stage, arms } = schedule.step() {
        numbers.push((round, in_stage));
        let outcomes: Vec<_> = arms.iter().map(|&a| (a, four(stage, in_stage, a))).collect();
        schedule.record(&outcomes).unwrap();
    }
    assert!(numbers.iter().enumerate().all(|(i, (round, _))| *round as usize == i + 1));
    assert_eq!(
        numbers[numbers.len() - 8..].iter().map(|n| n.1).collect::<Vec<_>>(),
        [1, 2, 3, 4, 5, 6, 7, 8]
    );
}

/// "The schedule is a function of the seed and the outcomes so far."
#[test]
fn the_same_outcomes_give_the_same_schedule_in_whatever_order_they_are_told() {
    let mut one = Schedule::new(Settings::new(4)).unwrap();
    let mut other = one.clone();
    while let Step::Round { stage, in_stage, arms, .. } = one.step() {
        assert_eq!(one.step(), other.step());
        let mut outcomes: Vec<_> = arms.iter().map(|&a| (a, four(stage, in_stage, a))).collect();
        one.record(&outcomes).unwrap();
        outcomes.reverse();
        other.record(&outcomes).unwrap();
    }
    assert_eq!(one, other);
}

#[test]
fn what_looked_like_an_effect_and_was_none_is_not_claimed() {
    let mut schedule = Schedule::new(Settings::new(4)).unwrap();
    play(
        &mut schedule,
        |stage, round, arm| match (stage, arm) {
            (Stage::Confirm, ArmId::Toggle(1)) => Outcome::Measured(wobble(0.01, round, arm)),
            _ => four(stage, round, arm),
        },
        never,
    );
    assert_eq!(schedule.states()[1], State::Candidate);
    let findings = schedule.findings().unwrap();
    assert_eq!(verdicts(&schedule, &findings)[1], Verdict::NoDifference);
}

#[test]
fn a_fixed_number_of_rounds_is_one_stage_with_holm_over_all() {
    let settings = Settings { mode: Mode::Rounds(5), ..Settings::new(4) };
    let mut schedule = Schedule::new(settings).unwrap();
    let rounds = play(&mut schedule, four, never);
    assert_eq!(rounds, vec![(Stage::Fixed, vec![0, 1, 2, 3]); 5]);
    let findings = schedule.findings().unwrap();
    assert_eq!(findings.stages.len(), 1);
    let p: Vec<f64> = findings.toggles.iter().map(|f| f.arm.p().unwrap()).collect();
    let adjusted: Vec<f64> = findings.toggles.iter().map(|f| f.p_adjusted.unwrap()).collect();
    assert_eq!(adjusted, crate::stats::holm(&p));
    assert_eq!(verdicts(&schedule, &findings)[1], Verdict::Faster);
}

#[test]
fn a_toggle_that_fails_twice_leaves_the_rounds() {
    for mode in [Mode::Adaptive, Mode::Rounds(6)] {
        let mut schedule = Schedule::new(Settings { mode, ..Settings::new(4) }).unwrap();
        let rounds = play(
            &mut schedule,
            |stage, round, arm| match arm {
                ArmId::Toggle(2) if round >= 2 => Outcome::Failed,
                _ => four(stage, round, arm),
            },
            never,
        );
        assert_eq!(rounds[2].1, [0, 1, 2, 3]);
        assert_eq!(rounds[3].1, [0, 1, 3]);
        assert_eq!((schedule.states()[2], schedule.failed()[2]), (State::Failed, 2));
        let findings = schedule.findings().unwrap();
        assert_eq!(findings.toggles[2].arm, crate::stats::Arm::Nothing);
        assert_eq!(verdicts(&schedule, &findings)[2], Verdict::Failed);
    }
}

#[test]
fn when_every_toggle_has_failed_the_sweep_is_over() {
    for mode in [Mode::Adaptive, Mode::Rounds(6)] {
        let mut schedule = Schedule::new(Settings { mode, ..Settings::new(2) }).unwrap();
        let rounds = play(&mut schedule, |_, _, _| Outcome::Failed, never);
        assert_eq!(rounds.len(), 2);
        let findings = schedule.findings().unwrap();
        assert_eq!(verdicts(&schedule, &findings), [Verdict::Failed; 2]);
    }
}

#[test]
fn a_candidate_that_fails_in_confirmation_keeps_its_place_in_the_family() {
    let two_effects = |_, round, arm| {
        let effect = if let ArmId::Toggle(0 | 1) = arm { 0.1 } else { 0.0 };
        Outcome::Measured(effect + wobble(0.01, round, arm))
    };
    let mut whole = Schedule::new(Settings::new(4)).unwrap();
    play(&mut whole, two_effects, never);
    let mut failing = Schedule::new(Settings::new(4)).unwrap();
    let rounds = play(
        &mut failing,
        |stage, round, arm| match (stage, arm) {
            (Stage::Confirm, ArmId::Toggle(1)) => Outcome::Failed,
            _ => two_effects(stage, round, arm),
        },
        never,
    );
    assert_eq!(rounds.last().unwrap().1, [0]);
    let (whole, findings) = (whole.findings().unwrap(), failing.findings().unwrap());
    assert_eq!(verdicts(&failing, &findings)[1], Verdict::Failed);
    assert_eq!(findings.stages[1].frozen, whole.stages[1].frozen);
    let p = findings.toggles[0].arm.p().unwrap();
    assert_eq!(findings.toggles[0].p_adjusted, Some(2.0 * p));
}

#[test]
fn missing_numbers_fail_nobody() {
    let mut schedule = Schedule::new(Settings::new(4)).unwrap();
    play(
        &mut schedule,
        |stage, round, arm| match arm {
            ArmId::Toggle(1) if round % 2 == 0 => Outcome::Missing,
            ArmId::Toggle(2) => Outcome::Missing,
            _ => four(stage, round, arm),
        },
        never,
    );
    assert_eq!(schedule.failed(), [0; 4]);
    let findings = schedule.findings().unwrap();
    assert_eq!(findings.toggles[1].arm.n(), 4, "half of the confirmation's rounds");
    let verdicts = verdicts(&schedule, &findings);
    assert_eq!(verdicts[1..3], [Verdict::Faster, Verdict::Inconclusive]);
}

#[test]
fn a_biased_instrument_ends_the_sweep_after_screening_without_verdicts() {
    let mut schedule = Schedule::new(Settings::new(4)).unwrap();
    let rounds = play(
        &mut schedule,
        |stage, round, arm| match (four(stage, round, arm), arm) {
            (Outcome::Measured(d), ArmId::Aa(_)) => Outcome::Measured(d + 0.05),
            (outcome, _) => outcome,
        },
        never,
    );
    assert!(rounds.iter().all(|(stage, _)| *stage == Stage::Screen));
    assert!(schedule.states().contains(&State::Candidate));
    assert!(!schedule.findings().unwrap().calibrated());
}

#[test]
fn when_time_is_up_what_is_not_confirmed_is_not_claimed() {
    let mut schedule = Schedule::new(Settings::new(4)).unwrap();
    play(&mut schedule, four, |_, round| round > 5);
    let early = schedule.findings().unwrap();
    assert!(early.toggles.iter().all(|f| f.p_adjusted.is_none()));
    let expected = [Verdict::NoDifference, Verdict::Inconclusive, Verdict::Inconclusive];
    assert_eq!(verdicts(&schedule, &early)[..3], expected);
}

#[test]
fn a_cut_screen_goes_on_to_confirm_and_a_cut_confirmation_counts() {
    let mut schedule = Schedule::new(Settings::new(4)).unwrap();
    play(&mut schedule, four, |_, round| round > 3);
    schedule.cut_screen().unwrap();
    assert_eq!(schedule.states()[1], State::Candidate);
    assert!(matches!(
        schedule.step(),
        Step::Round { stage: Stage::Confirm, round: 4, in_stage: 1, .. }
    ));
    // One fresh round is no spread: the screen's numbers still, and no claim.
    play(&mut schedule, four, |_, round| round > 4);
    let one = schedule.findings().unwrap();
    assert_eq!((one.toggles[1].stage, one.toggles[1].p_adjusted), (Stage::Screen, None));
    play(&mut schedule, four, |_, round| round > 8);
    let five = schedule.findings().unwrap();
    assert_eq!((five.toggles[1].stage, five.toggles[1].arm.n()), (Stage::Confirm, 5));
    assert_eq!(verdicts(&schedule, &five)[1], Verdict::Faster);
    // Cutting is for screening only.
    let before = schedule.clone();
    schedule.cut_screen().unwrap();
    assert_eq!(schedule, before);
}

#[test]
fn other_metrics_follow_the_stages_as_families_of_their_own() {
    let mut schedule = Schedule::new(Settings::new(4)).unwrap();
    play(&mut schedule, four, never);
    let sample = |toggle: usize, n: u32| -> Vec<f64> {
        let arm = ArmId::Toggle(toggle);
        let effect = if toggle == 1 { -0.3 } else { 0.0 };
        (0..n).map(|round| effect + wobble(0.01, round, arm)).collect()
    };
    let aa = |n| (0..4).map(|i| sample(2 * i + 4, n)).collect();
    let first = Samples { toggles: (0..4).map(|i| sample(i, 4)).collect(), aa: aa(12) };
    let mut confirm = Samples { aa: aa(8), ..Samples::empty(4, 0) };
    confirm.toggles[1] = sample(1, 8);
    let p99 = schedule.findings_of(&first, &confirm).unwrap();
    assert_eq!(p99.toggles[1].stage, Stage::Confirm);
    let evidence = p99.toggles[1].evidence(crate::stats::verdict::Better::Less);
    assert_eq!(judge(&evidence, &Rules::default()), Verdict::Faster);
    assert_eq!(p99.toggles[0].p_adjusted, None);
}

#[test]
fn what_is_left_to_measure_is_bounded_from_above() {
    let mut schedule = Schedule::new(Settings::new(4)).unwrap();
    let mut bounds = vec![(0, schedule.pairs_at_most())];
    assert_eq!(bounds[0].1, (12 + 8) * 8);
    let mut measured = 0;
    while let Step::Round { stage, in_stage, arms, .. } = schedule.step() {
        let outcomes: Vec<_> = arms.iter().map(|&a| (a, four(stage, in_stage, a))).collect();
        schedule.record(&outcomes).unwrap();
        measured += arms.len();
        bounds.push((measured, schedule.pairs_at_most()));
    }
    assert_eq!(schedule.pairs_at_most(), 0);
    assert!(bounds.iter().all(|(so_far, left)| so_far + left >= measured));
}

#[test]
fn a_round_takes_every_due_arm_once_and_numbers_only() {
    let mut schedule = Schedule::new(Settings::new(1)).unwrap();
    let before = schedule.clone();
    let good: Vec<_> = std::iter::once(ArmId::Toggle(0))
        .chain((0..4).map(ArmId::Aa))
        .map(|arm| (arm, Outcome::Measured(0.0)))
        .collect();
    let mut twice = good.clone();
    twice.push(good[0]);
    assert_eq!(schedule.record(&twice), Err(ScheduleError::NotDue(ArmId::Toggle(0))));
    assert_eq!(schedule.record(&good[..3]), Err(ScheduleError::NoOutcome(ArmId::Aa(2))));
    let mut unknown = good.clone();
    unknown[4].0 = ArmId::Aa(9);
    assert_eq!(schedule.record(&unknown), Err(ScheduleError::NotDue(ArmId::Aa(9))));
    let mut nan = good.clone();
    nan[4].1 = Outcome::Measured(f64::NAN);
    assert!(matches!(schedule.record(&nan), Err(ScheduleError::Stat(_))));
    assert_eq!(schedule, before);
    schedule.record(&good).unwrap();
}

#[test]
fn nonsense_is_not_scheduled_and_nothing_is_over_at_once() {
    let with = |alpha, delta, mode| {
        Schedule::new(Settings { rules: Rules { alpha, delta }, mode, ..Settings::new(3) })
    };
    assert_eq!(with(0.0, 0.05, Mode::Adaptive), Err(ScheduleError::Alpha(0.0)));
    assert_eq!(with(0.05, 0.0, Mode::Adaptive), Err(ScheduleError::Delta(0.0)));
    assert_eq!(with(0.05, 0.05, Mode::Rounds(0)), Err(ScheduleError::NoRounds));
    let mut nothing = Schedule::new(Settings::new(0)).unwrap();
    assert_eq!(nothing.step(), Step::Done);
    assert_eq!(nothing.record(&[]), Err(ScheduleError::Finished));
    // A/A arms alone can be asked for.
    let calibration = Settings { mode: Mode::Rounds(3), ..Settings::new(0) };
    let mut calibration = Schedule::new(calibration).unwrap();
    assert_eq!(play(&mut calibration, four, never).len(), 3);
    assert!(calibration.findings().unwrap().calibrated());
}

/// An estimate with the given effect, standard error and p, at 200 degrees of freedom.
fn estimate(effect: f64, se: f64, p: f64) -> Estimate {
    let s2 = se * se * 4.0;
    Estimate { n: 4, effect, s2, post: s2, se, df: 200.0, p, unstable: false, clipped: 0 }
}

#[test]
fn a_look_goes_by_the_first_rule_that_holds() {
    let delta = 1.05_f64.ln();
    let look = |n, last, e: &Estimate, q| look(n, last, Some(e), q, 0.05, delta);
    // Small for sure, though significant.
    assert_eq!(look(4, false, &estimate(0.02, 0.002, 1e-6), 1e-5), State::Null);
    let effect = |p| estimate(0.08, 0.02, p);
    assert_eq!(look(4, false, &effect(0.001), 0.05), State::Candidate);
    assert_eq!(look(4, false, &effect(0.01), 0.051), State::Open);
    // The last look is more generous, and parks nobody.
    assert_eq!(look(12, true, &effect(0.01), 0.20), State::Candidate);
    assert_eq!(look(12, true, &effect(0.5), 0.21), State::Open);
    for (n, level) in [(4, 0.32), (6, 0.20), (8, 0.20)] {
        assert_eq!(look(n, false, &effect(level), 0.9), State::Open);
        assert_eq!(look(n, false, &effect(level + 0.01), 0.9), State::Parked);
    }
    assert_eq!(rules::look(8, false, None, 0.0, 0.05, delta), State::Open);
    assert_eq!(SCREEN_ROUNDS, 12);
}

/// The interval that shows a null early is of 1 − 2α/4 = 97.5 %, stricter than the 95 % one.
#[test]
fn a_null_needs_the_stricter_interval() {
    let delta = 1.05_f64.ln();
    let e = estimate(0.0, delta / 2.1, 1.0);
    assert!(e.within(0.95, delta) && !e.within(0.975, delta));
    assert_eq!(look(6, false, Some(&e), 1.0, 0.05, delta), State::Parked);
}
