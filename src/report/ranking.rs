//! Which toggle stands where: findings sorted by their effect, and apart from them what could
//! not be told. Charts, table, HTML and Markdown all show this order.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use crate::journal::{EffectRow, Label, Metric, Status};

use super::model::{Gate, Model, WHOLE};

/// What a report says of a toggle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Verdict {
    /// More operations per second, beyond doubt.
    Faster,
    /// Fewer operations per second, beyond doubt.
    Slower,
    /// Any difference is smaller than the smallest one of interest.
    NoDifference,
    /// The interval allows too much.
    Inconclusive,
    /// The load never touched the option.
    NotExercised,
    /// Too many of its measurements failed.
    Failed,
    /// Planned, but no pair counts so far.
    NotMeasured,
    /// Measured, but calibration failed: nothing is claimed.
    Withheld,
    /// A word that this version does not know.
    Unknown,
}

impl Verdict {
    /// Every verdict, in the order of legends.
    pub const ALL: [Self; 9] = [
        Self::Faster,
        Self::Slower,
        Self::NoDifference,
        Self::Withheld,
        Self::Inconclusive,
        Self::NotExercised,
        Self::Failed,
        Self::NotMeasured,
        Self::Unknown,
    ];

    /// The word for it, the contract's own where it has one.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Faster => "faster",
            Self::Slower => "slower",
            Self::NoDifference => "no difference",
            Self::Inconclusive => "inconclusive",
            Self::NotExercised => "not exercised",
            Self::Failed => "failed",
            Self::NotMeasured => "not measured",
            Self::Withheld => "no verdict",
            Self::Unknown => "other",
        }
    }

    /// Whether it says that the option matters.
    pub const fn matters(self) -> bool {
        matches!(self, Self::Faster | Self::Slower)
    }

    /// Whether it is ranked among the findings.
    pub const fn is_finding(self) -> bool {
        matches!(self, Self::Faster | Self::Slower | Self::NoDifference | Self::Withheld)
    }

    fn of(word: &str) -> Self {
        match word {
            "faster" => Self::Faster,
            "slower" => Self::Slower,
            "no difference" => Self::NoDifference,
            "inconclusive" => Self::Inconclusive,
            "not exercised" => Self::NotExercised,
            "failed" => Self::Failed,
            _ => Self::Unknown,
        }
    }
}

/// An effect in percent; all numbers are finite.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// The effect.
    pub value: f64,
    /// Its 95 % interval, low then high; a single pair has none.
    pub interval: Option<(f64, f64)>,
}

impl Estimate {
    /// The effect, if it is a number, with its interval, if that is one.
    pub fn new(value: f64, low: f64, high: f64) -> Option<Self> {
        let interval = (low.is_finite() && high.is_finite()).then_some((low, high));
        value.is_finite().then_some(Self { value, interval })
    }

    /// The ends of the interval, or the effect twice.
    pub fn ends(self) -> (f64, f64) {
        self.interval.unwrap_or((self.value, self.value))
    }

    fn of(row: &EffectRow) -> Option<Self> {
        let end = |value: Option<f64>| value.unwrap_or(f64::NAN);
        Self::new(row.effect_pct?, end(row.ci_low_pct), end(row.ci_high_pct))
    }
}

/// A toggle in a ranking.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// Its id.
    pub toggle: String,
    /// Its id, and the setting where the sweep has several (`… · 16 threads`).
    pub name: String,
    /// What it trades away.
    pub label: Label,
    /// What is said of it.
    pub verdict: Verdict,
    /// On operations per second.
    pub throughput: Option<Estimate>,
    /// On the server's CPU time per operation.
    pub server_cpu: Option<Estimate>,
    /// On the 99th percentile of the latency.
    pub p99: Option<Estimate>,
    /// Pairs that count.
    pub pairs: u32,
    /// p value, adjusted for the number of toggles.
    pub p_adjusted: Option<f64>,
    /// The smallest effect that would have been found four times in five, in percent.
    pub mde: Option<f64>,
    /// Notes of the contract, joined by `; `.
    pub note: String,
    /// What else its server does otherwise (`clamped: …`), from `toggles.csv`.
    pub detail: String,
}

/// The order of the toggles.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Ranking {
    /// What can be said, from the greatest gain to the greatest loss.
    pub findings: Vec<Row>,
    /// What can't: inconclusive, not exercised, failed, not measured.
    pub undecided: Vec<Row>,
}

impl Ranking {
    /// Ranks the toggles of a model by their effect on the throughput of the whole operation.
    pub fn of(model: &Model) -> Self {
        let withheld = matches!(model.gate, Gate::Failed(_));
        let rows = rows(model, withheld);
        let (mut findings, mut undecided): (Vec<Row>, Vec<Row>) =
            rows.into_iter().partition(|row| row.verdict.is_finding());
        let value = |row: &Row| row.throughput.map_or(f64::NEG_INFINITY, |e| e.value);
        let falling = |a: &Row, b: &Row| value(b).partial_cmp(&value(a)).unwrap_or(Ordering::Equal);
        findings.sort_by(falling);
        undecided.sort_by(|a, b| a.verdict.cmp(&b.verdict).then_with(|| falling(a, b)));
        Self { findings, undecided }
    }

    /// All rows, findings first.
    pub fn rows(&self) -> impl Iterator<Item = &Row> {
        self.findings.iter().chain(&self.undecided)
    }

    /// How many were measured at all.
    pub fn measured(&self) -> usize {
        self.rows().filter(|row| row.verdict != Verdict::NotMeasured).count()
    }

    /// How many have this verdict.
    pub fn with(&self, verdict: Verdict) -> usize {
        self.rows().filter(|row| row.verdict == verdict).count()
    }
}

/// A toggle under one setting of the load.
type Setting<'a> = (&'a str, u32, &'a str);

fn setting(row: &EffectRow) -> Setting<'_> {
    (&row.toggle, row.threads, &row.engine)
}

fn rows(model: &Model, withheld: bool) -> Vec<Row> {
    let whole = || model.effects.iter().filter(|row| row.statement == WHOLE);
    let of = |metric| whole().filter(move |row: &&EffectRow| row.metric == metric);
    let by_setting = |metric| -> BTreeMap<Setting<'_>, Estimate> {
        of(metric).filter_map(|row| Some((setting(row), Estimate::of(row)?))).collect()
    };
    let server_cpu = by_setting(Metric::ServerCpuPerOp);
    let p99 = by_setting(Metric::P99);
    let threads: BTreeSet<u32> = of(Metric::Throughput).map(|row| row.threads).collect();
    let engines: BTreeSet<&str> = of(Metric::Throughput).map(|row| row.engine.as_str()).collect();

    let name = |row: &EffectRow| {
        let mut name = row.toggle.clone();
        if threads.len() > 1 {
            name.push_str(&format!(" · {} threads", row.threads));
        }
        if engines.len() > 1 && !row.engine.is_empty() {
            name.push_str(&format!(" · {}", row.engine));
        }
        name
    };
    let detail = |toggle: &str| model.toggle(toggle).map_or("", |t| t.detail.as_str()).to_owned();
    let measured = of(Metric::Throughput).map(|row| {
        let throughput = Estimate::of(row);
        let verdict = match Verdict::of(&row.verdict) {
            Verdict::Failed => Verdict::Failed,
            _ if throughput.is_none() && row.n == 0 => Verdict::NotMeasured,
            _ if withheld && throughput.is_some() => Verdict::Withheld,
            // A claim without its numbers can't be shown.
            verdict if throughput.is_none() && verdict.is_finding() => Verdict::Unknown,
            verdict => verdict,
        };
        Row {
            toggle: row.toggle.clone(),
            name: name(row),
            label: row.label,
            verdict,
            throughput,
            server_cpu: server_cpu.get(&setting(row)).copied(),
            p99: p99.get(&setting(row)).copied(),
            pairs: row.n,
            p_adjusted: row.p_adjusted.filter(|_| !withheld),
            mde: row.mde_pct.filter(|mde| mde.is_finite()),
            note: row.note.clone(),
            detail: detail(&row.toggle),
        }
    });
    let mut rows: Vec<Row> = measured.collect();
    let known: BTreeSet<String> = rows.iter().map(|row| row.toggle.clone()).collect();
    let missing = model.with_status(Status::Planned).filter(|t| !known.contains(&t.toggle));
    rows.extend(missing.map(|toggle| Row {
        toggle: toggle.toggle.clone(),
        name: toggle.toggle.clone(),
        label: toggle.label,
        verdict: Verdict::NotMeasured,
        throughput: None,
        server_cpu: None,
        p99: None,
        pairs: 0,
        p_adjusted: None,
        mde: None,
        note: String::new(),
        detail: toggle.detail.clone(),
    }));
    rows
}
