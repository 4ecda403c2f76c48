//! How often verdicts are wrong: whole sweeps over simulated toggles whose effects are known, through
//! the same schedule and statistics as real ones, on several kinds of noise; and the usual ways of
//! benchmarking on the same noise.
//!
//! `cargo run --release --example error_rates [SWEEPS]` (default 200 of each kind). Seeded: it prints
//! the same numbers everywhere.

#![expect(clippy::print_stdout, clippy::expect_used, reason = "a table for people")]

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use cnfsweep::stats::percent::log_ratio;
use cnfsweep::stats::screen::{ArmId, Mode, Outcome, Schedule, Settings, State, Step};
use cnfsweep::stats::student::two_sided;
use cnfsweep::stats::verdict::{Better, Evidence, Verdict, judge};

/// Standard deviation of the log-ratio of a pair of identical servers.
const PAIR_SD: f64 = 0.03;
/// Standard deviation of the machine's drift, which both servers of a pair have alike.
const DRIFT_SD: f64 = 0.03;
/// How long the drift remembers, in measurements.
const MEMORY: f64 = 40.0;
/// A slowed measurement loses this much …
const SPIKE: f64 = 0.10;
/// … and as many are slowed.
const SPIKES: f64 = 0.05;
/// The true effects that are not zero, percent.
const EFFECTS: [f64; 10] = [1.0, -2.0, 3.0, -4.0, 6.0, -6.0, 10.0, -15.0, 20.0, 30.0];

/// What disturbs measurements.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    /// Starts of one server differ, normally.
    Normal,
    /// One measurement in twenty is slowed by a tenth.
    Spikes,
    /// A tenth of the machine's drift gets into the ratio of a pair.
    Drift,
    /// The noise of each toggle has a size of its own, half to twice the usual.
    Uneven,
}

const KINDS: [(Kind, &str); 4] = [
    (Kind::Normal, "normal"),
    (Kind::Spikes, "5 % spikes"),
    (Kind::Drift, "drift"),
    (Kind::Uneven, "uneven"),
];

/// A machine, its time going on with every measurement.
struct Machine {
    kind: Kind,
    random: ChaCha8Rng,
    drift: f64,
    /// By toggle: how much larger its noise is than usual.
    sizes: Vec<f64>,
}

impl Machine {
    fn new(kind: Kind, toggles: usize, seed: u64) -> Self {
        let mut machine =
            Self { kind, random: ChaCha8Rng::seed_from_u64(seed), drift: 0.0, sizes: Vec::new() };
        machine.drift = DRIFT_SD * machine.normal();
        for _ in 0..toggles {
            let uneven = 2_f64.powf(2.0 * machine.random.random::<f64>() - 1.0);
            machine.sizes.push(if kind == Kind::Uneven { uneven } else { 1.0 });
        }
        machine
    }

    fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.random.random::<f64>()).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.random.random::<f64>()).cos()
    }

    /// An Ornstein-Uhlenbeck step.
    fn passes(&mut self) {
        let keep = (-1.0 / MEMORY).exp();
        self.drift = keep * self.drift + (1.0 - keep * keep).sqrt() * DRIFT_SD * self.normal();
    }

    fn spike(&mut self) -> f64 {
        let hit = self.kind == Kind::Spikes && self.random.random::<f64>() < SPIKES;
        if hit { -SPIKE } else { 0.0 }
    }

    /// The log-ratio of a pair: what both have alike is gone.
    fn pair(&mut self, toggle: Option<usize>, effect: f64) -> f64 {
        self.passes();
        let leak = if self.kind == Kind::Drift { 0.1 * self.drift } else { 0.0 };
        let size = toggle.map_or(1.0, |n| self.sizes[n]);
        effect + leak + size * PAIR_SD * self.normal() + self.spike() - self.spike()
    }

    /// The log of a rate, measured alone.
    fn alone(&mut self, toggle: Option<usize>, effect: f64) -> f64 {
        self.passes();
        let size = toggle.map_or(1.0, |n| self.sizes[n]);
        effect + self.drift + size * PAIR_SD / 2_f64.sqrt() * self.normal() + self.spike()
    }
}

/// What one sweep claims: per toggle a sign, or none; intervals that hold the truth, of how many;
/// measurements that it took.
struct Claims {
    signs: Vec<f64>,
    covered: (usize, usize),
    pairs: usize,
    calibrated: bool,
}

/// A way to benchmark.
type Way = fn(&mut Machine, &[f64]) -> Claims;

const WAYS: [(&str, Way); 6] = [
    ("cnfsweep", adaptive),
    ("cnfsweep, 8 rounds", eight_rounds),
    ("mean of 3, 3 % counts", mean_of_three),
    ("mean of 3, Welch's t", welch_of_three),
    ("8 runs, Welch's t, Holm", welch_of_eight),
    ("median of 5, 5 % counts", median_of_five),
];

fn adaptive(machine: &mut Machine, effects: &[f64]) -> Claims {
    cnfsweep(Mode::Adaptive, machine, effects)
}

fn eight_rounds(machine: &mut Machine, effects: &[f64]) -> Claims {
    cnfsweep(Mode::Rounds(8), machine, effects)
}

fn cnfsweep(mode: Mode, machine: &mut Machine, effects: &[f64]) -> Claims {
    let settings = Settings { mode, ..Settings::new(effects.len()) };
    let mut schedule = Schedule::new(settings).expect("a schedule");
    let mut pairs = 0;
    while let Step::Round { arms, .. } = schedule.step() {
        let outcomes: Vec<(ArmId, Outcome)> = arms
            .into_iter()
            .map(|arm| match arm {
                ArmId::Toggle(n) => (arm, Outcome::Measured(machine.pair(Some(n), effects[n]))),
                ArmId::Aa(_) => (arm, Outcome::Measured(machine.pair(None, 0.0))),
            })
            .collect();
        pairs += outcomes.len();
        schedule.record(&outcomes).expect("outcomes");
    }
    let findings = schedule.findings().expect("findings");
    let calibrated = findings.calibrated();
    let mut claims = Claims { signs: Vec::new(), covered: (0, 0), pairs, calibrated };
    for (n, finding) in findings.toggles.iter().enumerate() {
        let null = schedule.states()[n] == State::Null;
        let evidence = Evidence { null, ..finding.evidence(Better::More) };
        claims.signs.push(match judge(&evidence, &settings.rules) {
            Verdict::Faster if calibrated => 1.0,
            Verdict::Slower if calibrated => -1.0,
            _ => 0.0,
        });
        // Toggles that may be claimed: those of the last stage.
        if let Some(estimate) = finding.arm.estimate().filter(|_| finding.p_adjusted.is_some()) {
            let (low, high) = estimate.ci(0.95);
            claims.covered.1 += 1;
            claims.covered.0 += usize::from((low..=high).contains(&effects[n]));
        }
    }
    claims
}

/// One run after the other, the unchanged server first, then each toggle in the order of the file.
fn in_file_order(
    runs: usize,
    machine: &mut Machine,
    effects: &[f64],
    claim: impl Fn(&[f64], &[f64]) -> f64,
) -> Claims {
    let base: Vec<f64> = (0..runs).map(|_| machine.alone(None, 0.0)).collect();
    let signs = (0..effects.len())
        .map(|n| {
            let with: Vec<f64> = (0..runs).map(|_| machine.alone(Some(n), effects[n])).collect();
            claim(&base, &with)
        })
        .collect();
    // Two servers measured alone take as long as a pair.
    let pairs = runs * (1 + effects.len()) / 2;
    Claims { signs, covered: (0, 0), pairs, calibrated: true }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

fn sign_beyond(difference: f64, percent: f64) -> f64 {
    let limit = log_ratio(percent).expect("a percentage");
    if difference.abs() > limit { difference.signum() } else { 0.0 }
}

fn mean_of_three(machine: &mut Machine, effects: &[f64]) -> Claims {
    in_file_order(3, machine, effects, |base, with| sign_beyond(mean(with) - mean(base), 3.0))
}

fn median_of_five(machine: &mut Machine, effects: &[f64]) -> Claims {
    let median = |values: &[f64]| {
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        sorted[sorted.len() / 2]
    };
    in_file_order(5, machine, effects, |base, with| sign_beyond(median(with) - median(base), 5.0))
}

fn welch_of_three(machine: &mut Machine, effects: &[f64]) -> Claims {
    in_file_order(3, machine, effects, |base, with| {
        if welch(base, with) < 0.05 { (mean(with) - mean(base)).signum() } else { 0.0 }
    })
}

fn welch_of_eight(machine: &mut Machine, effects: &[f64]) -> Claims {
    // Holm's first step already: nothing above α / K is claimed.
    let limit = 0.05 / effects.len() as f64;
    in_file_order(8, machine, effects, move |base, with| {
        if welch(base, with) < limit { (mean(with) - mean(base)).signum() } else { 0.0 }
    })
}

/// Two-sided p of Welch's t.
fn welch(a: &[f64], b: &[f64]) -> f64 {
    let square = |values: &[f64]| {
        let m = mean(values);
        let n = values.len() as f64;
        values.iter().map(|v| (v - m).powi(2)).sum::<f64>() / (n - 1.0) / n
    };
    let (va, vb) = (square(a), square(b));
    let df = (va + vb).powi(2)
        / (va.powi(2) / (a.len() as f64 - 1.0) + vb.powi(2) / (b.len() as f64 - 1.0));
    two_sided((mean(a) - mean(b)) / (va + vb).sqrt(), df)
}

/// What many sweeps came to.
#[derive(Default)]
struct Tally {
    sweeps: usize,
    wrong: usize,
    covered: (usize, usize),
    pairs: usize,
    uncalibrated: usize,
    /// Right claims about ±6 % and ±3 % or less, and how many there could be.
    six: (usize, usize),
    small: (usize, usize),
}

fn main() {
    let sweeps = std::env::args().nth(1).map_or(200, |n| n.parse().expect("a number of sweeps"));
    println!(
        "noise       toggles  effects  way                       false/sweep  coverage  ±6 % found  \
         ≤4 % found  pairs  withheld"
    );
    for (kind, noise) in KINDS {
        for toggles in [20, 60, 100] {
            for real in [false, true] {
                let mut effects = vec![0.0; toggles];
                let step = toggles / EFFECTS.len();
                for (i, effect) in EFFECTS.iter().enumerate().filter(|_| real) {
                    effects[i * step] = log_ratio(*effect).expect("a percentage");
                }
                for (name, way) in WAYS {
                    let tally = tally(kind, &effects, sweeps, way);
                    let effects = if real { "ten" } else { "none" };
                    print(noise, toggles, effects, name, &tally);
                }
            }
        }
    }
}

fn tally(kind: Kind, effects: &[f64], sweeps: usize, way: Way) -> Tally {
    let mut tally = Tally { sweeps, ..Tally::default() };
    for seed in 0..sweeps {
        let mut machine = Machine::new(kind, effects.len(), seed as u64);
        let claims = way(&mut machine, effects);
        tally.pairs += claims.pairs;
        tally.covered.0 += claims.covered.0;
        tally.covered.1 += claims.covered.1;
        tally.uncalibrated += usize::from(!claims.calibrated);
        for (sign, effect) in claims.signs.iter().zip(effects) {
            let is_right = sign * effect > 0.0;
            tally.wrong += usize::from(*sign != 0.0 && !is_right);
            let percent = 100.0 * effect.abs().exp_m1();
            let of = match percent {
                p if p > 5.5 && p < 7.0 => &mut tally.six,
                p if p > 0.0 && p < 4.5 => &mut tally.small,
                _ => continue,
            };
            of.0 += usize::from(is_right);
            of.1 += 1;
        }
    }
    tally
}

fn print(noise: &str, toggles: usize, effects: &str, way: &str, tally: &Tally) {
    let share = |(some, all): (usize, usize)| match all {
        0 => "–".to_owned(),
        _ => format!("{:.1} %", 100.0 * some as f64 / all as f64),
    };
    println!(
        "{noise:<11} {toggles:>7}  {effects:<7}  {way:<24}  {:>11.3}  {:>8}  {:>10}  {:>10}  {:>5}  {:>8}",
        tally.wrong as f64 / tally.sweeps as f64,
        share(tally.covered),
        share(tally.six),
        share(tally.small),
        tally.pairs / tally.sweeps,
        share((tally.uncalibrated, tally.sweeps)),
    );
}
