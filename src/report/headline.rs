//! The finding in one sentence, and the sentences that charts and tables share. A toggle that
//! trades away security or durability is never named without saying so.

use crate::journal::{Label, Outcome, SweepFile};

use super::model::{ADAPTIVE, Gate, Model};
use super::numbers::{counted, more_or_fewer, percent, plain_percent, rate};
use super::ranking::{Ranking, Row, Verdict};
use super::text::{clean, shorten_middle};

/// A part of a sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// Words.
    Text(String),
    /// A toggle's id, to be set in type of fixed width.
    Toggle(String),
}

/// A sentence that names toggles.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Sentence(Vec<Piece>);

impl Sentence {
    /// Its parts, in order.
    pub fn pieces(&self) -> &[Piece] {
        &self.0
    }

    fn text(mut self, words: impl Into<String>) -> Self {
        self.0.push(Piece::Text(words.into()));
        self
    }

    fn toggle(mut self, id: &str) -> Self {
        let short = shorten_middle(&clean(id), |t| t.chars().count() <= LONGEST_NAMED);
        self.0.push(Piece::Toggle(short));
        self
    }
}

impl std::fmt::Display for Sentence {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.iter().try_for_each(|piece| match piece {
            Piece::Text(text) | Piece::Toggle(text) => f.write_str(text),
        })
    }
}

/// Longer ids lose their middle in a sentence; tables show them whole.
const LONGEST_NAMED: usize = 56;
/// At most this many toggles that trade something away are named one by one.
const MOST_NAMED: usize = 2;

/// What the sweep found, in one sentence.
pub fn headline(model: &Model) -> Sentence {
    of(model, &Ranking::of(model))
}

pub(super) fn of(model: &Model, ranking: &Ranking) -> Sentence {
    let sentence = Sentence::default();
    if let Gate::Failed(_) = model.gate {
        return sentence.text(
            "Calibration failed: identical servers differed too much, so this sweep says nothing \
             about any option.",
        );
    }
    if ranking.measured() == 0 {
        return sentence.text(if model.interrupted {
            "Nothing can be said yet: no toggle has a pair that counts."
        } else {
            "No toggle of this file could be measured."
        });
    }
    let (free, traded) = changes(ranking);
    let Some(lead) = free.first().or(traded.first()) else {
        return nothing_matters(sentence, model, ranking);
    };
    let mut sentence = sentence
        .text("With ")
        .toggle(&lead.name)
        .text(format!(" this server handles {} per second", more(lead, &model.operations)));
    if lead.label != Label::None {
        sentence = sentence.text(format!(
            ", at the price of {}: a diagnostic, never free speed",
            traded_away(lead)
        ));
    }
    let others: Vec<&&Row> = traded.iter().filter(|row| row.name != lead.name).collect();
    if !others.is_empty() {
        sentence = with_diagnostics(sentence.text("; "), &others);
    }
    let bench = clean(&model.sweep.bench);
    sentence.text(format!("; {} under {bench}.", how_many(model, ranking, "measured toggles")))
}

/// The finding as a chart's title.
pub(super) fn chart_title(model: &Model, ranking: &Ranking) -> String {
    if let Gate::Failed(_) = model.gate {
        return "Calibration failed: measurements without verdicts".to_owned();
    }
    if ranking.measured() == 0 {
        return "No toggle was measured".to_owned();
    }
    let (free, traded) = changes(ranking);
    let Some(lead) = free.first().or(traded.first()) else {
        return nothing_matters(Sentence::default(), model, ranking).to_string();
    };
    let name = shorten_middle(&clean(&lead.name), |t| t.chars().count() <= LONGEST_NAMED);
    let price = match (lead.label, traded.first()) {
        (Label::None, Some(row)) if gain(row) > gain(lead) && gain(lead) > 0.0 => {
            format!(" (more only at the price of {})", price(row.label))
        }
        (Label::None, _) => String::new(),
        _ => format!(", at the price of {}", traded_away(lead)),
    };
    let more = more(lead, &model.operations);
    format!("{name}: {more} per second{price}; {}", how_many(model, ranking, "toggles"))
}

/// The baseline over time, as a chart's title. A pair that was disturbed says nothing about drift.
pub(super) fn timeline_title(model: &Model) -> String {
    let counted = model.timeline.iter().filter(|point| point.outcome == Outcome::Ok);
    let rates: Vec<f64> = counted.filter_map(|point| point.base_ops_per_s).collect();
    let low = rates.iter().copied().reduce(f64::min);
    let high = rates.iter().copied().reduce(f64::max);
    let what = &model.operations;
    match (low, high) {
        (Some(low), Some(high)) if rates.len() > 1 => format!(
            "The same unchanged server, measured {} times: {} to {} {what}/s",
            rates.len(),
            rate(low),
            rate(high)
        ),
        (Some(only), _) => {
            format!("The unchanged server, measured once: {} {what}/s", rate(only))
        }
        _ => "The unchanged server was not measured".to_owned(),
    }
}

/// `MySQL 9.7.4`, from the product and what VERSION() said.
pub(super) fn server(sweep: &SweepFile) -> String {
    let product = sweep.server.product.split('-').next().unwrap_or_default();
    let name = match product {
        "mysql" => "MySQL",
        "mariadb" => "MariaDB",
        "percona" => "Percona Server",
        other => other,
    };
    let version = sweep.server.version.split('-').next().unwrap_or_default();
    clean(&format!("{name} {version}"))
}

/// What stands below every chart's title: server, load, amount of measuring, machine.
pub(super) fn circumstances(model: &Model) -> String {
    let sweep = &model.sweep;
    let rounds = if model.interrupted && sweep.design.mode != ADAPTIVE {
        format!(
            "{} of {}",
            model.rounds_done,
            counted(sweep.design.rounds as usize, "round", "rounds")
        )
    } else {
        counted(model.rounds_done as usize, "round", "rounds")
    };
    clean(&format!(
        "{} · {}, {} · {rounds}, {} · {}, {}",
        server(sweep),
        sweep.bench,
        counted(sweep.design.threads as usize, "connection", "connections"),
        counted(model.pairs_done as usize, "pair", "pairs"),
        processor(&sweep.host.cpu),
        counted(sweep.host.cpus as usize, "CPU", "CPUs"),
    ))
}

/// `Intel Xeon Gold 6338 @ 2.00GHz`: what the kernel says, without what lawyers say.
fn processor(model: &str) -> String {
    let words = model.replace("(R)", "").replace("(TM)", "").replace("(tm)", "");
    words
        .split_whitespace()
        .filter(|w| !matches!(*w, "CPU" | "Processor"))
        .collect::<Vec<_>>()
        .join(" ")
}

/// Explains the badges.
pub(super) const LABELS: &str = "S trades security, D durability: a diagnostic, never free speed.";

/// What a label trades away.
pub(super) fn price(label: Label) -> &'static str {
    match label {
        Label::None => "",
        Label::Durability => "durability",
        Label::Security => "security",
    }
}

/// The toggles that matter, without and with a price, each from the strongest down.
fn changes(ranking: &Ranking) -> (Vec<&Row>, Vec<&Row>) {
    let mut rows: Vec<&Row> = ranking.rows().filter(|row| row.verdict.matters()).collect();
    rows.sort_by(|a, b| gain(b).abs().total_cmp(&gain(a).abs()));
    rows.into_iter().partition(|row| row.label == Label::None)
}

/// In log points.
fn gain(row: &Row) -> f64 {
    row.throughput.map_or(0.0, |e| (1.0 + e.value.max(-99.99) / 100.0).ln())
}

fn more(row: &Row, operations: &str) -> String {
    let value = row.throughput.map_or(0.0, |e| e.value);
    format!("{} {operations}", more_or_fewer(value))
}

fn traded_away(row: &Row) -> String {
    format!("{} ({})", price(row.label), row.label)
}

fn with_diagnostics(mut sentence: Sentence, rows: &[&&Row]) -> Sentence {
    let named = if rows.len() <= MOST_NAMED { rows } else { &rows[..MOST_NAMED - 1] };
    for (i, row) in named.iter().enumerate() {
        let effect = row.throughput.map_or_else(String::new, |e| percent(e.value));
        let joint = if i == 0 { "" } else { " and " };
        sentence = sentence
            .text(joint)
            .toggle(&row.name)
            .text(format!(" ({effect}) trades away {}", traded_away(row)));
    }
    if named.len() < rows.len() {
        let more = rows.len() - named.len();
        sentence = sentence.text(format!(", {more} more trade away security or durability"));
    }
    let end = if rows.len() == 1 {
        ", a diagnostic and never free speed"
    } else {
        ", diagnostics and never free speed"
    };
    sentence.text(end)
}

/// `3 of 5 toggles matter`; and how many of them by less than the smallest difference of interest.
fn how_many(model: &Model, ranking: &Ranking, toggles: &str) -> String {
    let delta = model.sweep.design.delta;
    let matter: Vec<&Row> = ranking.rows().filter(|row| row.verdict.matters()).collect();
    let small = matter.iter().filter(|row| gain(row).abs() < delta.ln_1p()).count();
    let verb = if matter.len() == 1 { "matters" } else { "matter" };
    let measured = counted(ranking.measured(), toggles.trim_end_matches('s'), toggles);
    let mut words = format!("{} of\u{a0}{measured} {verb}", matter.len());
    if small > 0 {
        let which = match (small, matter.len()) {
            (1, 1) => String::new(),
            (all, of) if all == of => "all of them ".to_owned(),
            (some, _) => format!("{some} of them "),
        };
        words.push_str(&format!(", {which}by less than {}", plain_percent(delta * 100.0)));
    }
    words
}

fn nothing_matters(sentence: Sentence, model: &Model, ranking: &Ranking) -> Sentence {
    let delta = plain_percent(model.sweep.design.delta * 100.0);
    let parts: Vec<String> = [
        (Verdict::NoDifference, format!("no difference within ±{delta}")),
        (Verdict::Inconclusive, "inconclusive".to_owned()),
        (Verdict::NotExercised, "not exercised by this load".to_owned()),
        (Verdict::Failed, "failed".to_owned()),
    ]
    .into_iter()
    .filter(|(verdict, _)| ranking.with(*verdict) > 0)
    .map(|(verdict, words)| format!("{} {words}", ranking.with(verdict)))
    .collect();
    let measured = counted(ranking.measured(), "measured toggle", "measured toggles");
    let bench = clean(&model.sweep.bench);
    sentence.text(format!(
        "None of {measured} was shown to matter under {bench}: {}.",
        parts.join(", ")
    ))
}
