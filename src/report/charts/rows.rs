//! The rows of the forest plot: what stands in each, how much room they need, which part of the
//! numbers they show, and what its legend explains.

use crate::journal::Label;
use crate::report::model::Model;
use crate::report::numbers::{interval, percent, plain_percent};
use crate::report::ranking::{Estimate, Ranking, Row, Verdict};
use crate::report::text::clean;

use super::legend::{Entry, Sign};
use super::marks::Mark;
use super::typeface::Type;
use super::{ChartError, Width};

/// Room for a label behind a name.
pub(super) const BADGE: f64 = 26.0;
/// More rows than this stand closer, and have the axis above them, too.
pub(super) const MANY: usize = 40;
/// Names are shortened to this.
const LONGEST_NAME: f64 = 320.0;
/// Intervals that allow too much are cut this far beyond the rest of the chart.
const BEYOND: f64 = 0.35;

/// What a layout is made of.
#[derive(Debug, Clone, Copy)]
pub(super) struct Measures {
    pub width: f64,
    pub margin: f64,
    pub row: f64,
    pub name: Type,
    pub value: Type,
    /// Names stand above their intervals instead of left of them.
    pub stacked: bool,
}

impl Measures {
    /// Those of a plot with so many rows.
    pub fn of(width: Width, rows: usize) -> Self {
        match width {
            Width::Wide => {
                let (row, em) = if rows > MANY { (20.0, 12.5) } else { (27.0, 14.0) };
                let (name, value) = (Type::regular(em), Type::regular(em - 0.5));
                Self { width: 1000.0, margin: 24.0, row, name, value, stacked: false }
            }
            Width::Narrow => {
                let (name, value) = (Type::regular(12.5), Type::regular(11.5));
                Self { width: 360.0, margin: 8.0, row: 42.0, name, value, stacked: true }
            }
        }
    }
}

/// A row with a name and, where there is one, an estimate.
pub(super) struct Line {
    pub mark: Mark,
    pub name: String,
    pub label: Label,
    pub estimate: Option<Estimate>,
    /// The effect in figures, or why there is none.
    pub effect: String,
    pub interval: String,
}

impl Line {
    fn of(row: &Row) -> Self {
        let effect = match row.throughput {
            Some(estimate) => percent(estimate.value),
            None => row.verdict.as_str().to_owned(),
        };
        Self {
            mark: Mark::of(row.verdict),
            name: clean(&row.name),
            label: row.label,
            estimate: row.throughput,
            effect,
            interval: row.throughput.map_or_else(String::new, |e| interval(e.interval)),
        }
    }
}

/// What stands below each other.
pub(super) enum Item {
    /// Divides the rows.
    Caption(&'static str),
    Line(Line),
}

/// Where the columns of a wide plot are.
#[derive(Debug, Clone, Copy)]
pub(super) struct Columns {
    /// Left and right end of the axis.
    pub plot: (f64, f64),
    /// Right end of the effects in figures.
    pub effect: f64,
    /// Left end of their intervals.
    pub interval: f64,
}

/// All rows, in order.
pub(super) struct Rows(Vec<Item>);

impl Rows {
    /// The findings, what could not be told, and the A/A arms.
    pub fn of(model: &Model, ranking: &Ranking) -> Self {
        let lines = |rows: &[Row]| -> Vec<Item> {
            rows.iter().map(|row| Item::Line(Line::of(row))).collect()
        };
        let mut items = lines(&ranking.findings);
        if !ranking.undecided.is_empty() {
            items.push(Item::Caption("Could not be told"));
            items.extend(lines(&ranking.undecided));
        }
        if !model.calibration.is_empty() {
            items.push(Item::Caption("Nothing changed: identical servers (A/A)"));
            items.extend(model.calibration.iter().map(|arm| {
                let estimate = Estimate::new(arm.effect_pct, arm.ci_low_pct, arm.ci_high_pct);
                Item::Line(Line {
                    mark: Mark::Calibration,
                    name: clean(&arm.name),
                    label: Label::None,
                    estimate,
                    effect: percent(arm.effect_pct),
                    interval: interval(estimate.and_then(|e| e.interval)),
                })
            }));
        }
        Self(items)
    }

    /// Captions and lines.
    pub fn items(&self) -> &[Item] {
        &self.0
    }

    /// The lines alone.
    pub fn lines(&self) -> impl Iterator<Item = &Line> {
        self.0.iter().filter_map(|item| match item {
            Item::Line(line) => Some(line),
            Item::Caption(_) => None,
        })
    }

    /// Whether there are more than fit on a page.
    pub fn are_many(&self) -> bool {
        self.lines().count() > MANY
    }

    /// Room for labels, where there are any.
    pub fn badges(&self) -> f64 {
        if self.lines().any(|line| line.label != Label::None) { BADGE } else { 0.0 }
    }

    /// Where the columns are.
    pub fn columns(&self, measures: &Measures) -> Result<Columns, ChartError> {
        let Measures { width, margin, name, value, stacked, .. } = *measures;
        if stacked {
            let plot = (margin + 12.0, width - margin - 12.0);
            return Ok(Columns { plot, effect: plot.1, interval: plot.1 });
        }
        let (mut names, mut effects, mut intervals) = (90.0_f64, 0.0_f64, 0.0_f64);
        for line in self.lines() {
            names = names.max(name.room(&line.name)?.min(LONGEST_NAME));
            if line.estimate.is_some() {
                effects = effects.max(value.room(&line.effect)?);
                intervals = intervals.max(value.room(&line.interval)?);
            } else {
                intervals = intervals.max(value.room(&line.effect)?);
            }
        }
        let left = margin + names + self.badges() + 12.0;
        let interval = width - margin - intervals;
        let effect = interval - 10.0;
        Ok(Columns { plot: (left, effect - effects - 14.0), effect, interval })
    }

    /// The percentages that the axis shows: all of the findings, every point, the noise floor,
    /// and of the intervals that allow too much as much as does not squash the rest.
    pub fn extent(&self, noise: Option<(f64, f64)>, delta: f64) -> (f64, f64) {
        let log = |percent: f64| (1.0 + percent.max(-99.9) / 100.0).ln();
        let estimates = || self.lines().filter_map(|line| Some((line.mark, line.estimate?)));
        let ends = |e: Estimate| [log(e.ends().0), log(e.ends().1)];
        let any_finding = estimates().any(|(mark, _)| mark.is_finding());
        let leads = |mark: Mark| mark.is_finding() || !any_finding;

        let least = 1.3 * (1.0 + delta.abs().clamp(0.001, 1.0)).ln();
        let mut core = vec![-least, least];
        core.extend(noise.iter().flat_map(|(low, high)| [log(*low), log(*high)]));
        core.extend(estimates().map(|(_, e)| log(e.value)));
        core.extend(estimates().filter(|(mark, _)| leads(*mark)).flat_map(|(_, e)| ends(e)));
        core.retain(|value| value.is_finite());
        let low = core.iter().copied().fold(0.0, f64::min);
        let high = core.iter().copied().fold(0.0, f64::max);

        let margin = (high - low) * BEYOND;
        let all = || estimates().flat_map(|(_, e)| ends(e));
        let low = all().fold(low, f64::min).max(low - margin);
        let high = all().fold(high, f64::max).min(high + margin);
        (100.0 * low.exp_m1(), 100.0 * high.exp_m1())
    }

    /// What the legend explains: the marks that occur, and what lies behind them.
    pub fn entries(&self, noise: Option<(f64, f64)>, delta: f64) -> Vec<Entry> {
        let present =
            |mark: Mark| self.lines().any(|line| line.mark == mark && line.estimate.is_some());
        let words = |verdict: Verdict| match verdict {
            Verdict::NotExercised => "not exercised by this load",
            Verdict::Withheld => "measured, no verdict",
            other => other.as_str(),
        };
        let mut entries: Vec<Entry> = Verdict::ALL
            .into_iter()
            .filter(|verdict| present(Mark::of(*verdict)))
            .map(|verdict| Entry::new(Sign::Mark(Mark::of(verdict)), words(verdict).to_owned()))
            .collect();
        if let Some((low, high)) = noise {
            let words = format!("noise floor {} to {}", percent(low), percent(high));
            entries.push(Entry::new(Sign::Band, words));
        }
        if self.lines().next().is_some() {
            let delta = plain_percent(delta * 100.0);
            let words = format!("±{delta}, smallest difference of interest");
            entries.push(Entry::new(Sign::Dashes, words));
        }
        entries
    }
}
