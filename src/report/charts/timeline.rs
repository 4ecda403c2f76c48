//! The unchanged servers over the time of the sweep: how much the machine itself drifted, which
//! is why toggles are compared inside pairs only.

use plotters::prelude::DrawingBackend;

use crate::journal::Outcome;
use crate::report::headline::{circumstances, timeline_title};
use crate::report::model::Model;
use crate::report::numbers::rate;

use super::axis::linear_ticks;
use super::canvas::{Align, Canvas, ink};
use super::heading::Heading;
use super::legend::{Entry, Legend, Sign};
use super::typeface::Type;
use super::{ChartError, Width};

const TICK: Type = Type::regular(12.0);

/// How a pair ended, as a mark.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PairMark {
    Counted,
    Rejected,
    Failed,
}

impl PairMark {
    fn of(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Ok => Self::Counted,
            Outcome::Rejected => Self::Rejected,
            _ => Self::Failed,
        }
    }

    fn words(self) -> &'static str {
        match self {
            Self::Counted => "unchanged server of one pair",
            Self::Rejected => "pair rejected: the machine was disturbed",
            Self::Failed => "pair failed",
        }
    }

    /// Draws the mark.
    pub fn paint<DB: DrawingBackend>(
        self,
        canvas: &Canvas<'_, DB>,
        (x, y): (f64, f64),
    ) -> Result<(), ChartError> {
        match self {
            Self::Counted => canvas.disc((x, y), 4.0, ink::BLUE),
            Self::Rejected => {
                canvas.disc((x, y), 5.0, ink::ORANGE)?;
                canvas.disc((x, y), 3.0, ink::WHITE)
            }
            Self::Failed => {
                canvas.path(&[(x - 4.5, y - 4.5), (x + 4.5, y + 4.5)], 2.0, ink::VERMILLION)?;
                canvas.path(&[(x - 4.5, y + 4.5), (x + 4.5, y - 4.5)], 2.0, ink::VERMILLION)
            }
        }
    }
}

struct Dot {
    minutes: f64,
    /// None where the pair gave no rate: such a mark stands on the time axis.
    rate: Option<f64>,
    mark: PairMark,
}

/// The chart, laid out.
pub(super) struct Timeline {
    width: f64,
    height: f64,
    margin: f64,
    heading: Heading,
    legend: Legend,
    dots: Vec<Dot>,
    median: Option<f64>,
    unit: String,
    plot: (f64, f64),
    top: f64,
    bottom: f64,
    most: f64,
    rates: Vec<f64>,
    minutes: (f64, Vec<f64>),
}

impl Timeline {
    /// Finds a place for everything.
    pub fn new(model: &Model, page: Width) -> Result<Self, ChartError> {
        let (width, margin, tall) = match page {
            Width::Wide => (1000.0, 24.0, 240.0),
            Width::Narrow => (360.0, 8.0, 170.0),
        };
        let text_width = width - 2.0 * margin;
        let title = timeline_title(model);
        let heading = Heading::new(&title, &circumstances(model), (margin, text_width), page)?;
        let dots: Vec<Dot> = model
            .timeline
            .iter()
            .map(|point| Dot {
                minutes: point.minutes.max(0.0),
                rate: point.base_ops_per_s.filter(|rate| rate.is_finite()),
                mark: PairMark::of(point.outcome),
            })
            .collect();
        let counted = dots.iter().filter(|dot| dot.mark == PairMark::Counted);
        let median = median(counted.filter_map(|dot| dot.rate).collect());
        let legend_top = heading.bottom() + 8.0;
        let legend = Legend::new(entries(&dots, median), (margin, legend_top), text_width)?;

        let highest = dots.iter().filter_map(|dot| dot.rate).fold(0.0, f64::max);
        let rates = round_axis(if highest > 0.0 { highest } else { 1.0 }, tall / 44.0);
        let most = rates.last().copied().unwrap_or(1.0);
        let mut labels = 0.0_f64;
        for tick in &rates {
            labels = labels.max(TICK.room(&tick_rate(*tick))?);
        }
        let plot = (margin + labels + 8.0, width - margin - 10.0);
        let end = dots.iter().map(|dot| dot.minutes).fold(0.0, f64::max);
        let end = if end > 0.0 { end } else { 1.0 };
        let ticks = linear_ticks(0.0, end, ((plot.1 - plot.0) / 80.0).floor());
        // Room above the plot for the unit.
        let top = legend.bottom() + 28.0;
        let bottom = top + tall;
        Ok(Self {
            width,
            height: bottom + 52.0,
            margin,
            heading,
            legend,
            dots,
            median,
            unit: format!("{} per second", model.operations),
            plot,
            top,
            bottom,
            most,
            rates,
            minutes: (end, ticks),
        })
    }

    /// Width and height.
    pub fn size(&self) -> (f64, f64) {
        (self.width, self.height)
    }

    /// What it says, in words.
    pub fn title(&self) -> &str {
        self.heading.title()
    }

    /// Draws it.
    pub fn paint<DB: DrawingBackend>(&self, canvas: &Canvas<'_, DB>) -> Result<(), ChartError> {
        self.heading.paint(canvas)?;
        self.legend.paint(canvas)?;
        let unit_at = (self.margin, self.top - 12.0);
        canvas.text(&self.unit, unit_at, Align::Left, TICK, ink::MUTED)?;
        for tick in &self.rates {
            let y = self.y(*tick);
            canvas.across(self.plot, y, 1.0, if *tick == 0.0 { ink::GREY } else { ink::GRID })?;
            let at = (self.plot.0 - 8.0, y + 4.0);
            canvas.text(&tick_rate(*tick), at, Align::Right, TICK, ink::TEXT)?;
        }
        for tick in &self.minutes.1 {
            let x = self.x(*tick);
            canvas.down(x, (self.bottom, self.bottom + 5.0), 1.0, ink::GREY)?;
            let words = tick_minutes(*tick, &self.minutes.1);
            canvas.text(&words, (x, self.bottom + 19.0), Align::Centre, TICK, ink::TEXT)?;
        }
        let at = ((self.plot.0 + self.plot.1) / 2.0, self.bottom + 40.0);
        canvas.text("minutes since the first pair", at, Align::Centre, TICK, ink::MUTED)?;
        let counted = self.dots.iter().filter(|dot| dot.mark == PairMark::Counted);
        let line: Vec<(f64, f64)> =
            counted.filter_map(|dot| Some((self.x(dot.minutes), self.y(dot.rate?)))).collect();
        if line.len() > 1 {
            canvas.path(&line, 1.0, ink::RULE)?;
        }
        if let Some(median) = self.median {
            canvas.across(self.plot, self.y(median), 2.0, ink::TEXT)?;
        }
        for dot in &self.dots {
            dot.mark.paint(canvas, (self.x(dot.minutes), self.y(dot.rate.unwrap_or(0.0))))?;
        }
        if self.dots.is_empty() {
            let at = ((self.plot.0 + self.plot.1) / 2.0, (self.top + self.bottom) / 2.0);
            let words = "There is no measurement to show.";
            canvas.text(words, at, Align::Centre, Type::regular(13.0), ink::MUTED)?;
        }
        Ok(())
    }

    fn x(&self, minutes: f64) -> f64 {
        // Marks at either end stand a little inside.
        let (left, right) = (self.plot.0 + 10.0, self.plot.1 - 10.0);
        left + minutes / self.minutes.0 * (right - left)
    }

    fn y(&self, rate: f64) -> f64 {
        self.bottom - rate / self.most * (self.bottom - self.top)
    }
}

fn entries(dots: &[Dot], median: Option<f64>) -> Vec<Entry> {
    let mut entries: Vec<Entry> = [PairMark::Counted, PairMark::Rejected, PairMark::Failed]
        .into_iter()
        .filter(|mark| dots.iter().any(|dot| dot.mark == *mark))
        .map(|mark| Entry::new(Sign::Pair(mark), mark.words().to_owned()))
        .collect();
    if let Some(median) = median {
        entries.push(Entry::new(Sign::Line, format!("median {}", rate(median))));
    }
    entries
}

/// Ticks from 0 to the first one that is not below `highest`.
fn round_axis(highest: f64, about: f64) -> Vec<f64> {
    let mut ticks = linear_ticks(0.0, highest, about.max(2.0));
    if let [.., before, last] = ticks[..]
        && last < highest
    {
        ticks.push(last + (last - before));
    }
    ticks
}

fn tick_rate(tick: f64) -> String {
    if tick == 0.0 { "0".to_owned() } else { rate(tick) }
}

/// As many decimals as the distance of the ticks needs.
fn tick_minutes(tick: f64, ticks: &[f64]) -> String {
    let step = match ticks {
        [a, b, ..] => b - a,
        _ => 1.0,
    };
    let digits = if step >= 1.0 { 0 } else { (-step.log10()).ceil().max(0.0) as usize };
    format!("{tick:.digits$}")
}

fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let upper = *values.get(values.len() / 2)?;
    let lower = values[(values.len() - 1) / 2];
    Some((lower + upper) / 2.0)
}
