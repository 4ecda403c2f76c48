//! Rows of the report's tables, in words.

use serde::Serialize;

use crate::journal::{Action, Outcome, ToggleRow};
use crate::report::headline::price;
use crate::report::model::{Failure, Model};
use crate::report::numbers::{NOTHING, between, count, counted, interval, p_value, percent};
use crate::report::ranking::{Estimate, Row, Verdict};
use crate::report::text::clean;

use super::phrase::{Phrase, phrases};

/// A toggle that was measured.
#[derive(Debug, Serialize)]
pub(in crate::report) struct Measured {
    pub toggle: String,
    /// Not ranked among the findings.
    pub undecided: bool,
    /// `S`, `D` or nothing, and what it stands for.
    pub badge: &'static str,
    pub price: &'static str,
    pub verdict: &'static str,
    /// The bare word, as a class of the style sheet.
    pub class: String,
    pub sign: &'static str,
    pub effect: String,
    pub interval: String,
    pub p: String,
    pub pairs: String,
    pub cpu: String,
    pub cpu_interval: String,
    pub p99: String,
    pub p99_interval: String,
    pub note: String,
    /// What is changed, in a few words.
    pub change: String,
    /// What else its server does otherwise.
    pub detail: Vec<Phrase>,
    /// Why there is no verdict, and what is known all the same.
    pub why: String,
}

impl Measured {
    pub fn of(row: &Row, model: &Model) -> Self {
        let value =
            |e: Option<Estimate>| e.map_or_else(|| NOTHING.to_owned(), |e| percent(e.value));
        let range = |e: Option<Estimate>| e.map_or_else(String::new, |e| interval(e.interval));
        Self {
            toggle: clean(&row.name),
            undecided: !row.verdict.is_finding(),
            badge: row.label.as_str(),
            price: price(row.label),
            verdict: row.verdict.as_str(),
            class: row.verdict.as_str().replace(' ', "-"),
            sign: sign(row.verdict),
            effect: value(row.throughput),
            interval: range(row.throughput),
            p: p_value(row.p_adjusted),
            pairs: count(u64::from(row.pairs)),
            cpu: value(row.server_cpu),
            cpu_interval: range(row.server_cpu),
            p99: value(row.p99),
            p99_interval: range(row.p99),
            note: clean(&row.note),
            change: model.toggle(&row.toggle).map_or_else(String::new, change),
            detail: phrases(&clean(&row.detail)),
            why: why(row, &model.failures),
        }
    }
}

/// `line 24: 64 → 9, the default`, `line 31 enabled`, `added`.
fn change(row: &ToggleRow) -> String {
    let line = row.line.map(|line| format!("line {line}"));
    let at = |words: String| match &line {
        Some(line) => format!("{line}: {words}"),
        None => words,
    };
    let line_is = |words: &str| line.as_ref().map_or(words.to_owned(), |l| format!("{l} {words}"));
    let values = row.from.as_deref().zip(row.to.as_deref()).filter(|(from, to)| from != to);
    let text = match (row.action, values) {
        (Action::CommentOut, Some((from, to))) => at(format!("{from} → {to}, the default")),
        (Action::CommentOut, None) => line_is("commented out"),
        (Action::Set, Some((from, to))) => at(format!("{from} → {to}")),
        (Action::Set, None) => line_is("changed"),
        (Action::Enable, _) => line_is("enabled"),
        (Action::Append, _) => "line added".to_owned(),
        (Action::Keep, _) => String::new(),
    };
    clean(&text)
}

/// A mark of the charts, as a character that no font turns into an emoji.
const fn sign(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Faster => "▸",
        Verdict::Slower => "◂",
        Verdict::NoDifference => "■",
        Verdict::Withheld => "●",
        Verdict::NotExercised => "◇",
        Verdict::Failed | Verdict::NotMeasured => "×",
        Verdict::Inconclusive | Verdict::Unknown => "○",
    }
}

fn why(row: &Row, failures: &[Failure]) -> String {
    let interval = row.throughput.and_then(|e| e.interval);
    match row.verdict {
        Verdict::Inconclusive => {
            let lies = interval.map_or_else(
                || "a single pair gives no interval".to_owned(),
                |(low, high)| format!("the effect lies {}", between(low, high)),
            );
            let found = row.mde.map(|mde| {
                let pairs = counted(row.pairs as usize, "pair", "pairs");
                let size = percent(mde.abs());
                let size = size.trim_start_matches('+');
                format!("; with {pairs} an effect of {size} would have been found 4 times in 5")
            });
            lies + &found.unwrap_or_default()
        }
        Verdict::NotExercised => {
            "the load never touched it: the server's counters for it moved in \
                                  neither arm, so this says nothing about other loads"
                .to_owned()
        }
        Verdict::Failed => {
            let mine: Vec<&Failure> = failures
                .iter()
                .filter(|f| f.toggle == row.toggle && f.outcome != Outcome::Rejected)
                .collect();
            let pairs = counted(mine.len(), "pair", "pairs");
            match mine.last() {
                Some(f) if f.message.is_empty() => format!("{pairs} lost ({})", f.outcome),
                Some(f) => format!("{pairs} lost ({}): {}", f.outcome, clean(&f.message)),
                None => "too many measurements were lost".to_owned(),
            }
        }
        Verdict::NotMeasured => "no pair of it counts".to_owned(),
        _ => String::new(),
    }
}

/// A toggle that was not measured.
#[derive(Debug, Serialize)]
pub(in crate::report) struct Unmeasured {
    pub toggle: String,
    /// `line 12`, or nothing.
    pub line: String,
    /// Why, or what to do about it.
    pub detail: Vec<Phrase>,
    /// The same as it is: what a server said has no literals of ours in it.
    pub words: String,
}

impl Unmeasured {
    pub fn of(row: &ToggleRow) -> Self {
        let line = row.line.map_or_else(String::new, |line| format!("line {line}"));
        let words = clean(&row.detail);
        Self { toggle: clean(&row.toggle), line, detail: phrases(&words), words }
    }
}

/// Lines that were left out for one reason.
#[derive(Debug, Serialize)]
pub(in crate::report) struct LeftOut {
    pub options: Vec<Unmeasured>,
    pub reason: Vec<Phrase>,
}

impl LeftOut {
    /// Puts the lines with the same reason together, in the order of the file.
    pub fn grouped<'a>(rows: impl Iterator<Item = &'a ToggleRow>) -> Vec<Self> {
        let mut groups: Vec<Self> = Vec::new();
        for row in rows {
            let reason = phrases(&clean(&row.detail));
            let mut option = Unmeasured::of(row);
            option.toggle = clean(if row.option.is_empty() { &row.toggle } else { &row.option });
            match groups.iter_mut().find(|group| group.reason == reason) {
                Some(group) => group.options.push(option),
                None => groups.push(Self { options: vec![option], reason }),
            }
        }
        groups
    }
}

/// A pair that does not count.
#[derive(Debug, Serialize)]
pub(in crate::report) struct Lost {
    pub pair: String,
    pub toggle: String,
    pub outcome: &'static str,
    pub message: String,
}

impl Lost {
    pub fn of(failure: &Failure) -> Self {
        Self {
            pair: count(u64::from(failure.pair)),
            toggle: clean(&failure.toggle),
            outcome: failure.outcome.as_str(),
            message: clean(&failure.message),
        }
    }
}
