//! Everything that a report shows, in one value. [`Model::gather`] makes it from the rows of the
//! journal and the findings of the statistics; it reads no files itself.

use std::collections::{BTreeMap, BTreeSet};

use crate::journal::{
    Arm, EffectRow, Outcome, Status, SweepFile, ToggleRow, TrialRow, is_calibration_arm,
};
use crate::stats::verdict::FAILURES;

use super::difference::{DiffLine, difference};

/// The statement kind that stands for the operation itself.
pub(super) const WHOLE: &str = "all";

/// The mode in which toggles are screened first and confirmed then.
pub(super) const ADAPTIVE: &str = "adaptive";

/// What a report shows.
#[derive(Debug, Clone, PartialEq)]
pub struct Model {
    /// What was measured, with what and where.
    pub sweep: SweepFile,
    /// Every line of the base file and what became of it.
    pub toggles: Vec<ToggleRow>,
    /// Estimates and verdicts, as in `effects.csv`.
    pub effects: Vec<EffectRow>,
    /// What the arms that change nothing came out at.
    pub calibration: Vec<CalibrationArm>,
    /// How far apart identical servers are; none without A/A arms.
    pub noise: Option<NoiseFloor>,
    /// Whether the A/A arms allow verdicts at all.
    pub gate: Gate,
    /// What an operation is called, many of them: `connections`, `statements`, `operations`.
    pub operations: String,
    /// Why the benchmark exists, in the profile's own words; may be empty.
    pub about: String,
    /// The unchanged servers, in the order in which they were measured.
    pub timeline: Vec<TimelinePoint>,
    /// By toggle: the lines in which its file differs from the base file.
    pub differences: BTreeMap<String, Vec<DiffLine>>,
    /// Pairs that do not count, in the order in which they were measured.
    pub failures: Vec<Failure>,
    /// Rounds in which every toggle that could still be measured was; in an adaptive sweep, where
    /// toggles leave as soon as their case is clear, rounds that were begun.
    pub rounds_done: u32,
    /// Pairs that were started, those that do not count included.
    pub pairs_done: u32,
    /// Whether it ended before its time. [`Model::gather`] sees it where the number of rounds is
    /// fixed; of an adaptive sweep only whoever replays its schedule knows.
    pub interrupted: bool,
}

/// What the directory of a sweep holds, as the journal reads it back.
#[derive(Debug, Clone, PartialEq)]
pub struct Records {
    /// `sweep.toml`.
    pub sweep: SweepFile,
    /// `toggles.csv`.
    pub toggles: Vec<ToggleRow>,
    /// `trials.csv`.
    pub trials: Vec<TrialRow>,
    /// The option files: `base.cnf` under the empty name, the others under their toggle's id.
    pub cnfs: BTreeMap<String, Vec<u8>>,
}

/// What the statistics made of the rows.
#[derive(Debug, Clone, PartialEq)]
pub struct Findings {
    /// Estimates and verdicts of the toggles; rows of A/A arms are ignored.
    pub effects: Vec<EffectRow>,
    /// The A/A arms.
    pub calibration: Vec<CalibrationArm>,
    /// The noise floor, where there are A/A arms.
    pub noise: Option<NoiseFloor>,
    /// Whether the A/A arms allow verdicts.
    pub gate: Gate,
}

/// The throughput effect of an arm that changes nothing.
#[derive(Debug, Clone, PartialEq)]
pub struct CalibrationArm {
    /// `aa-1` …
    pub name: String,
    /// Pairs that count.
    pub pairs: u32,
    /// The estimate, in percent.
    pub effect_pct: f64,
    /// Lower end of its 95 % interval, in percent.
    pub ci_low_pct: f64,
    /// Upper end of its 95 % interval, in percent.
    pub ci_high_pct: f64,
}

/// The band in which the estimate of a toggle that changes nothing falls 95 times in 100, with as
/// many pairs as a toggle had, judged by the A/A arms.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NoiseFloor {
    /// Lower end, in percent.
    pub low_pct: f64,
    /// Upper end, in percent.
    pub high_pct: f64,
    /// Standard deviation of a single A/A pair, in percent.
    pub pair_sd_pct: f64,
    /// A/A pairs that it rests on.
    pub pairs: u32,
}

/// Whether the A/A arms behaved like what they are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Gate {
    /// They did: verdicts are drawn.
    Passed,
    /// They did not, for this reason: measurements are shown, verdicts are not.
    Failed(String),
}

/// The unchanged server of one pair.
#[derive(Debug, Clone, PartialEq)]
pub struct TimelinePoint {
    /// Since the first pair was started.
    pub minutes: f64,
    /// Number of the pair.
    pub pair: u32,
    /// The toggle that it was compared with.
    pub toggle: String,
    /// Its rate; none where there is no measurement.
    pub base_ops_per_s: Option<f64>,
    /// How the pair ended.
    pub outcome: Outcome,
}

/// A pair that does not count.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// The toggle's id, or the name of an A/A arm.
    pub toggle: String,
    /// Number of the pair.
    pub pair: u32,
    /// How it ended.
    pub outcome: Outcome,
    /// The server's or the machine's words.
    pub message: String,
}

impl Model {
    /// Puts together what a report shows.
    pub fn gather(records: Records, findings: Findings) -> Self {
        let Records { sweep, toggles, trials, cnfs } = records;
        let Findings { mut effects, calibration, noise, gate } = findings;
        effects.retain(|row| !is_calibration_arm(&row.toggle));
        let pairs = pairs(&trials);
        let rounds_done = rounds_done(&toggles, &sweep, &pairs);
        Self {
            operations: operations(&sweep.profile),
            about: profile_text(&sweep.profile, &["about"]).unwrap_or_default(),
            timeline: timeline(&pairs),
            differences: differences(&cnfs),
            failures: failures(&pairs),
            rounds_done,
            pairs_done: u32::try_from(pairs.len()).unwrap_or(u32::MAX),
            interrupted: sweep.design.mode != ADAPTIVE && rounds_done < sweep.design.rounds,
            sweep,
            toggles,
            effects,
            calibration,
            noise,
            gate,
        }
    }

    /// The row of `toggles.csv` of a toggle.
    pub fn toggle(&self, id: &str) -> Option<&ToggleRow> {
        self.toggles.iter().find(|row| row.toggle == id)
    }

    /// The toggles that ended so before any load.
    pub fn with_status(&self, status: Status) -> impl Iterator<Item = &ToggleRow> {
        self.toggles.iter().filter(move |row| row.status == status)
    }
}

/// Both arms of a pair, for the operation itself.
struct Pair<'a> {
    number: u32,
    round: u32,
    toggle: &'a str,
    base: Option<&'a TrialRow>,
    toggled: Option<&'a TrialRow>,
}

impl Pair<'_> {
    fn rows(&self) -> impl Iterator<Item = &TrialRow> {
        // The toggled server's words first: it is the one that tends to fail.
        self.toggled.iter().chain(&self.base).copied()
    }

    fn outcome(&self) -> Outcome {
        let bad = self.rows().map(|row| row.outcome).find(|outcome| *outcome != Outcome::Ok);
        bad.unwrap_or(Outcome::Ok)
    }

    fn message(&self) -> &str {
        self.rows().map(|row| row.message.as_str()).find(|m| !m.is_empty()).unwrap_or("")
    }

    fn started_at(&self) -> Option<jiff::Timestamp> {
        self.rows().find_map(|row| row.started_at.parse().ok())
    }
}

fn pairs(trials: &[TrialRow]) -> Vec<Pair<'_>> {
    let mut pairs: BTreeMap<u32, Pair<'_>> = BTreeMap::new();
    for row in trials.iter().filter(|row| row.statement == WHOLE) {
        let pair = pairs.entry(row.pair).or_insert(Pair {
            number: row.pair,
            round: row.round,
            toggle: &row.toggle,
            base: None,
            toggled: None,
        });
        match row.arm {
            Arm::Base => pair.base = Some(row),
            Arm::Toggle => pair.toggled = Some(row),
        }
    }
    pairs.into_values().collect()
}

fn rounds_done(toggles: &[ToggleRow], sweep: &SweepFile, pairs: &[Pair<'_>]) -> u32 {
    let rounds: BTreeSet<u32> = pairs.iter().map(|p| p.round).collect();
    let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    if sweep.design.mode == ADAPTIVE {
        return number(rounds.len());
    }
    let failed = |toggle: &str| {
        let lost = |p: &&Pair<'_>| {
            p.toggle == toggle && !matches!(p.outcome(), Outcome::Ok | Outcome::Rejected)
        };
        // No longer measured, so that it holds up no round.
        pairs.iter().filter(lost).count() >= FAILURES as usize
    };
    let planned = toggles.iter().filter(|row| row.status == Status::Planned);
    let mut due: Vec<String> = planned.map(|row| row.toggle.clone()).collect();
    due.retain(|toggle| !failed(toggle));
    due.extend((1..=sweep.design.aa).map(|k| format!("aa-{k}")));

    let measured: BTreeSet<(u32, &str)> = pairs.iter().map(|p| (p.round, p.toggle)).collect();
    let whole = |round: &&u32| due.iter().all(|t| measured.contains(&(**round, t.as_str())));
    number(rounds.iter().filter(whole).count())
}

/// With a ladder of connections or several storage engines the rates differ by design: only the
/// setting with most pairs shows how the machine drifted.
fn timeline(pairs: &[Pair<'_>]) -> Vec<TimelinePoint> {
    let setting = |pair: &Pair<'_>| pair.rows().next().map(|row| (row.threads, row.engine.clone()));
    let mut sizes: BTreeMap<_, usize> = BTreeMap::new();
    for pair in pairs {
        *sizes.entry(setting(pair)).or_default() += 1;
    }
    let commonest = sizes.into_iter().max_by_key(|(_, n)| *n).map(|(setting, _)| setting);
    let first = pairs.iter().filter_map(Pair::started_at).min();
    let kept = pairs.iter().filter(|pair| Some(setting(pair)) == commonest);
    kept.filter_map(|pair| {
        let since = pair.started_at()?.duration_since(first?);
        Some(TimelinePoint {
            minutes: since.as_secs_f64() / 60.0,
            pair: pair.number,
            toggle: pair.toggle.to_owned(),
            base_ops_per_s: pair.base.and_then(|row| row.ops_per_s).filter(|r| r.is_finite()),
            outcome: pair.outcome(),
        })
    })
    .collect()
}

fn failures(pairs: &[Pair<'_>]) -> Vec<Failure> {
    let bad = pairs.iter().filter(|pair| pair.outcome() != Outcome::Ok);
    bad.map(|pair| Failure {
        toggle: pair.toggle.to_owned(),
        pair: pair.number,
        outcome: pair.outcome(),
        message: pair.message().to_owned(),
    })
    .collect()
}

fn differences(cnfs: &BTreeMap<String, Vec<u8>>) -> BTreeMap<String, Vec<DiffLine>> {
    let Some(base) = cnfs.get("") else { return BTreeMap::new() };
    let toggled = cnfs.iter().filter(|(toggle, _)| !toggle.is_empty());
    toggled.map(|(toggle, bytes)| (toggle.clone(), difference(base, bytes))).collect()
}

/// The name of many operations, from the profile. An old or foreign profile may lack it: then
/// they are just `operations`.
fn operations(profile: &str) -> String {
    profile_text(profile, &["load", "operation"])
        .filter(|word| !word.is_empty() && word.bytes().all(|b| b.is_ascii_lowercase()))
        .map_or_else(|| "operations".to_owned(), |word| format!("{word}s"))
}

fn profile_text(profile: &str, path: &[&str]) -> Option<String> {
    let document: toml_edit::DocumentMut = profile.parse().ok()?;
    let mut item = document.as_item();
    for key in path {
        item = item.get(key)?;
    }
    Some(item.as_str()?.trim().to_owned())
}
