//! Error rates on simulated noise, small enough for every test run; seeded, so that it fails or
//! passes the same way everywhere. The big tables come from an example.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::screen::{ArmId, Mode, Outcome, Schedule, Settings, State, Step};
use super::verdict::{Better, Evidence, Verdict, judge};

/// Normal noise by Box and Muller.
struct Noise(ChaCha8Rng);

impl Noise {
    fn seeded(seed: u64) -> Self {
        Self(ChaCha8Rng::seed_from_u64(seed))
    }

    fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.0.random::<f64>()).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.0.random::<f64>()).cos()
    }
}

/// What a simulated sweep came to.
struct Swept {
    schedule: Schedule,
    calibrated: bool,
    verdicts: Vec<Verdict>,
    /// Of the 95 % intervals of all toggles, how many hold the true effect, and how many there are.
    covered: (usize, usize),
    pairs: usize,
}

/// Runs a sweep over toggles with these true effects, pairs having normal noise of `sd`.
fn sweep(mode: Mode, effects: &[f64], sd: f64, noise: &mut Noise) -> Swept {
    let settings = Settings { mode, ..Settings::new(effects.len()) };
    let mut schedule = Schedule::new(settings).unwrap();
    let mut pairs = 0;
    while let Step::Round { arms, .. } = schedule.step() {
        let outcome = |arm| {
            let effect = if let ArmId::Toggle(i) = arm { effects[i] } else { 0.0 };
            (arm, Outcome::Measured(effect + sd * noise.normal()))
        };
        let outcomes: Vec<_> = arms.into_iter().map(outcome).collect();
        pairs += outcomes.len();
        schedule.record(&outcomes).unwrap();
    }
    let findings = schedule.findings().unwrap();
    let mut covered = (0, 0);
    let mut verdicts = Vec::new();
    for (i, finding) in findings.toggles.iter().enumerate() {
        let null = schedule.states()[i] == State::Null;
        let evidence = Evidence { null, ..finding.evidence(Better::More) };
        verdicts.push(judge(&evidence, &settings.rules));
        if let Some(estimate) = finding.arm.estimate() {
            let (low, high) = estimate.ci(0.95);
            covered.1 += 1;
            covered.0 += usize::from(low <= effects[i] && effects[i] <= high);
        }
    }
    Swept { calibrated: findings.calibrated(), schedule, verdicts, covered, pairs }
}

fn claims(verdicts: &[Verdict]) -> usize {
    verdicts.iter().filter(|v| matches!(v, Verdict::Faster | Verdict::Slower)).count()
}

/// 40 toggles that do nothing, SD 3 %, one stage of 8 rounds.
///
/// Holm promises a false verdict in at most 5 % of the sweeps; over 200 sweeps the count of them
/// is then within .05 ± 3·√(.05·.95/200) = .05 ± .046 of a sweep.
#[test]
fn nothing_is_claimed_where_nothing_is_and_intervals_cover() {
    let mut noise = Noise::seeded(1);
    let (mut claimed, mut covered, mut intervals, mut failed) = (0, 0, 0, 0);
    let sweeps = 200;
    for _ in 0..sweeps {
        let swept = sweep(Mode::Rounds(8), &[0.0; 40], 0.03, &mut noise);
        claimed += claims(&swept.verdicts);
        covered += swept.covered.0;
        intervals += swept.covered.1;
        failed += usize::from(!swept.calibrated);
        assert_eq!(swept.pairs, 44 * 8);
    }
    let per_sweep = claimed as f64 / f64::from(sweeps);
    assert!(per_sweep <= 0.096, "{per_sweep} false verdicts a sweep");
    let coverage = covered as f64 / intervals as f64;
    assert!((0.93..=0.98).contains(&coverage), "coverage {coverage}");
    // The gate gives a false alarm with 1 + 1.4 % at most: 4.8 expected, 11 at three SDs.
    assert!(failed <= 11, "calibration failed {failed} times");
}

/// Screening and confirmation over 40 toggles, of which 8 have effects, SD 3 %: few false
/// verdicts, large effects found, null effects shown, in fewer pairs than twelve rounds need.
#[test]
fn screening_finds_large_effects_and_claims_no_others() {
    let mut effects = vec![0.0; 40];
    for (i, percent) in [8.0, -8.0, 12.0, -12.0, 20.0, -20.0, 30.0, -30.0].iter().enumerate() {
        effects[5 * i] = super::percent::log_ratio(*percent).unwrap();
    }
    let mut noise = Noise::seeded(2);
    let (mut right, mut wrong, mut shown, mut pairs) = (0, 0, 0, 0);
    let sweeps = 25;
    for _ in 0..sweeps {
        let swept = sweep(Mode::Adaptive, &effects, 0.03, &mut noise);
        assert_eq!(swept.schedule.step(), Step::Done);
        pairs += swept.pairs;
        for (verdict, effect) in swept.verdicts.iter().zip(&effects) {
            match verdict {
                Verdict::Faster if *effect > 0.0 => right += 1,
                Verdict::Slower if *effect < 0.0 => right += 1,
                Verdict::Faster | Verdict::Slower => wrong += 1,
                Verdict::NoDifference if *effect == 0.0 => shown += 1,
                _ => {}
            }
        }
    }
    assert!(wrong <= 5, "{wrong} false verdicts in {sweeps} sweeps");
    let found = f64::from(right) / f64::from(8 * sweeps);
    assert!(found >= 0.9, "found {found}");
    let shown = f64::from(shown) / f64::from(32 * sweeps);
    assert!(shown >= 0.6, "shown to be null: {shown}");
    let twelve_rounds = 44 * 12 * sweeps as usize;
    assert!(pairs < twelve_rounds, "{pairs} pairs, not below {twelve_rounds}");
}
