//! The whole report as the templates see it.

use serde::Serialize;

use crate::journal::{Label, Redaction, Status};
use crate::report::difference::DiffLine;
use crate::report::headline::{LABELS, circumstances, of, server, timeline_title};
use crate::report::model::{ADAPTIVE, Gate, Model};
use crate::report::numbers::{between, count, counted, interval, percent, plain_percent};
use crate::report::ranking::{Estimate, Ranking, Row, Verdict};
use crate::report::text::clean;

use super::facts::{Fact, command, environment, method, notes};
use super::phrase::{Phrase, phrases};
use super::rows::{LeftOut, Lost, Measured, Unmeasured};

#[derive(Debug, Serialize)]
pub(in crate::report) struct Calibration {
    name: String,
    effect: String,
    interval: String,
    pairs: String,
}

#[derive(Debug, Serialize)]
pub(in crate::report) struct DiffText {
    class: &'static str,
    text: String,
}

#[derive(Debug, Serialize)]
pub(in crate::report) struct Difference {
    toggle: String,
    lines: Vec<DiffText>,
}

/// What a template is filled with.
#[derive(Debug, Serialize)]
pub(in crate::report) struct Page {
    id: String,
    bench: String,
    server: String,
    operations: String,
    about: String,
    headline: Vec<Phrase>,
    lede: String,
    circumstances: String,
    gate_failed: Option<String>,
    interrupted: Option<String>,
    delta: String,
    rows: Vec<Measured>,
    /// So many of them are findings; the others follow.
    ranked: usize,
    with_p: bool,
    with_cpu: bool,
    with_p99: bool,
    with_notes: bool,
    with_null: bool,
    labels: Option<&'static str>,
    notes: Vec<Fact>,
    calibration: Vec<Calibration>,
    noise: Option<String>,
    no_ops: Vec<Unmeasured>,
    refused: Vec<Unmeasured>,
    left_out: Vec<LeftOut>,
    left_out_lines: usize,
    differences: Vec<Difference>,
    scaled: Vec<Vec<Phrase>>,
    changed_in_both_arms: Vec<Vec<Phrase>>,
    redacted: Vec<String>,
    lost: Vec<Lost>,
    timeline: String,
    method: Vec<String>,
    environment: Vec<Fact>,
    /// What is wrong with the machine.
    unfit: Vec<String>,
    warnings: Vec<String>,
    command: String,
    image: String,
    seed: String,
    version: String,
}

impl Page {
    /// Puts a model into words.
    pub fn of(model: &Model) -> Self {
        let ranking = Ranking::of(model);
        let sweep = &model.sweep;
        let any = |test: fn(&Row) -> bool| ranking.rows().any(test);
        let unmeasured = |status| model.with_status(status).map(Unmeasured::of).collect();
        let left_out = LeftOut::grouped(model.with_status(Status::LeftOut));
        Self {
            id: clean(&sweep.id),
            bench: clean(&sweep.bench),
            server: server(sweep),
            operations: model.operations.clone(),
            about: clean(&model.about),
            headline: of(model, &ranking).pieces().iter().map(Phrase::from).collect(),
            lede: lede(model, &ranking),
            circumstances: circumstances(model),
            gate_failed: match &model.gate {
                Gate::Passed => None,
                Gate::Failed(reason) => Some(clean(reason)),
            },
            interrupted: model.interrupted.then(|| interrupted(model)),
            delta: plain_percent(sweep.design.delta * 100.0),
            rows: ranking.rows().map(|row| Measured::of(row, model)).collect(),
            ranked: ranking.findings.len(),
            with_p: any(|row| row.p_adjusted.is_some()),
            with_cpu: any(|row| row.server_cpu.is_some()),
            with_p99: any(|row| row.p99.is_some()),
            with_notes: any(|row| !row.note.is_empty()),
            with_null: any(|row| row.verdict == Verdict::NoDifference),
            labels: any(|row| row.label != Label::None).then_some(LABELS),
            notes: notes(&ranking),
            calibration: calibration(model),
            noise: model.noise.map(|noise| between(noise.low_pct, noise.high_pct)),
            no_ops: unmeasured(Status::NoOp),
            refused: unmeasured(Status::Refused),
            left_out_lines: left_out.iter().map(|group| group.options.len()).sum(),
            left_out,
            differences: differences(model, &ranking),
            scaled: cleaned(&sweep.base.scaled).iter().map(|line| phrases(line)).collect(),
            changed_in_both_arms: cleaned(&sweep.base.changed_in_both_arms)
                .iter()
                .map(|line| phrases(line))
                .collect(),
            redacted: sweep
                .base
                .redacted
                .iter()
                .map(|Redaction { option, included, line }| match included {
                    None => format!("{} (line {line})", clean(option)),
                    Some(file) => format!("{} ({}:{line})", clean(option), clean(file)),
                })
                .collect(),
            lost: model.failures.iter().map(Lost::of).collect(),
            timeline: timeline_title(model),
            method: method(model),
            environment: environment(model),
            unfit: cleaned(&sweep.host.warnings),
            warnings: cleaned(&sweep.server.warnings),
            command: command(&sweep.command_line),
            image: clean(&sweep.image.digest),
            seed: sweep.design.seed.to_string(),
            version: clean(&sweep.cnfsweep),
        }
    }
}

fn cleaned(lines: &[String]) -> Vec<String> {
    lines.iter().map(|line| clean(line)).collect()
}

fn interrupted(model: &Model) -> String {
    let rounds = |n: u32| counted(n as usize, "round", "rounds");
    let measured = if model.sweep.design.mode == ADAPTIVE {
        format!("{} were begun", rounds(model.rounds_done))
    } else {
        format!("{} of {} were measured", model.rounds_done, rounds(model.sweep.design.rounds))
    };
    format!("{measured}. What is said rests on those; resume the sweep to go on.")
}

/// The numbers behind the headline, and what else was found.
fn lede(model: &Model, ranking: &Ranking) -> String {
    let mut parts: Vec<String> = Vec::new();
    let mut tell = |n: usize, one: &str, many: &str| {
        if n > 0 {
            parts.push(counted(n, one, many));
        }
    };
    let with = |verdict| ranking.with(verdict);
    let delta = plain_percent(model.sweep.design.delta * 100.0);
    tell(with(Verdict::Faster), "toggle faster", "toggles faster");
    tell(with(Verdict::Slower), "slower", "slower");
    let same = format!("without a difference (within ±{delta})");
    tell(with(Verdict::NoDifference), &same, &same);
    tell(with(Verdict::Withheld), "measured, without a verdict", "measured, without verdicts");
    tell(with(Verdict::Inconclusive), "inconclusive", "inconclusive");
    tell(with(Verdict::NotExercised), "not exercised by this load", "not exercised by this load");
    tell(with(Verdict::Failed), "failed", "failed");
    tell(with(Verdict::NotMeasured), "not measured", "not measured");
    let status = |status| model.with_status(status).count();
    tell(status(Status::NoOp), "line that changes nothing", "lines that change nothing");
    tell(status(Status::Refused), "refused by the server", "refused by the server");
    tell(status(Status::LeftOut), "left out", "left out");
    parts.join(" · ")
}

fn calibration(model: &Model) -> Vec<Calibration> {
    let arms = model.calibration.iter();
    arms.map(|arm| Calibration {
        name: clean(&arm.name),
        effect: percent(arm.effect_pct),
        interval: interval(
            Estimate::new(arm.effect_pct, arm.ci_low_pct, arm.ci_high_pct).and_then(|e| e.interval),
        ),
        pairs: count(u64::from(arm.pairs)),
    })
    .collect()
}

/// Of the toggles that were measured, in the order of the ranking, and of the refused ones.
fn differences(model: &Model, ranking: &Ranking) -> Vec<Difference> {
    let mut order: Vec<&str> = Vec::new();
    let ranked = ranking.rows().map(|row| row.toggle.as_str());
    let refused = model.with_status(Status::Refused).map(|row| row.toggle.as_str());
    for toggle in ranked.chain(refused) {
        // Under several settings of the load a toggle is ranked more than once.
        if !order.contains(&toggle) {
            order.push(toggle);
        }
    }
    let lines = |lines: &[DiffLine]| {
        lines
            .iter()
            .map(|line| DiffText {
                class: match line {
                    DiffLine::At(_) => "at",
                    DiffLine::Removed(_) => "removed",
                    DiffLine::Added(_) => "added",
                },
                text: line.to_string(),
            })
            .collect::<Vec<_>>()
    };
    order
        .into_iter()
        .filter_map(|toggle| {
            let difference = model.differences.get(toggle)?;
            Some(Difference { toggle: clean(toggle), lines: lines(difference) })
        })
        .collect()
}
