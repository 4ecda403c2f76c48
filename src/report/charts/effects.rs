//! The forest plot: one row per toggle with its effect and 95 % interval, findings first, then
//! what could not be told, then the identical servers. This file says what stands where; how the
//! marks look is `marks.rs`.

use plotters::prelude::DrawingBackend;

use crate::journal::Label;
use crate::report::headline::{LABELS, chart_title, circumstances};
use crate::report::model::Model;
use crate::report::numbers::tick_percent;
use crate::report::ranking::Ranking;

use super::axis::EffectAxis;
use super::canvas::{Align, Canvas, ink};
use super::heading::Heading;
use super::legend::Legend;
use super::marks;
use super::rows::{BADGE, Columns, Item, Line, Measures, Rows};
use super::typeface::Type;
use super::{ChartError, Width};

const CAPTION: Type = Type::bold(12.0);
const TICK: Type = Type::regular(12.0);
const CAPTION_HEIGHT: f64 = 30.0;

/// The plot, laid out.
pub(super) struct Forest {
    measures: Measures,
    heading: Heading,
    legend: Legend,
    rows: Rows,
    axis: EffectAxis,
    noise: Option<(f64, f64)>,
    delta: f64,
    axis_title: Vec<String>,
    footer: Vec<String>,
    columns: Columns,
    top: f64,
    bottom: f64,
    height: f64,
}

impl Forest {
    /// Finds a place for everything.
    pub fn new(model: &Model, width: Width) -> Result<Self, ChartError> {
        let ranking = Ranking::of(model);
        let rows = Rows::of(model, &ranking);
        let measures = Measures::of(width, rows.lines().count());
        let text_width = measures.width - 2.0 * measures.margin;
        let heading = Heading::new(
            &chart_title(model, &ranking),
            &circumstances(model),
            (measures.margin, text_width),
            width,
        )?;
        let noise = model.noise.map(|n| (n.low_pct, n.high_pct));
        let delta = model.sweep.design.delta;
        let legend = Legend::new(
            rows.entries(noise, delta),
            (measures.margin, heading.bottom() + 8.0),
            text_width,
        )?;
        let columns = rows.columns(&measures)?;
        let axis = EffectAxis::new(rows.extent(noise, delta), columns.plot);

        let above = if rows.are_many() { 24.0 } else { 4.0 };
        let top = legend.bottom() + 6.0 + above;
        let tall = |item: &Item| match item {
            Item::Caption(_) => CAPTION_HEIGHT,
            Item::Line(_) => measures.row,
        };
        let bottom = top + rows.items().iter().map(tall).sum::<f64>().max(CAPTION_HEIGHT) + 4.0;
        let ratio = if axis.is_ratio() { "; equal ratios are equal lengths" } else { "" };
        let axis_title = format!(
            "{} per second against the unchanged server, with 95{}% interval{ratio}",
            capitalised(&model.operations),
            '\u{a0}'
        );
        let axis_title =
            if rows.items().is_empty() { Vec::new() } else { TICK.wrap(&axis_title, text_width)? };
        let labelled = ranking.rows().any(|row| row.label != Label::None);
        let footer = if labelled { TICK.wrap(LABELS, text_width)? } else { Vec::new() };
        let lines_below = (axis_title.len() + footer.len()) as f64;
        let height = bottom + 26.0 + 18.0 * lines_below + 14.0;
        Ok(Self {
            measures,
            heading,
            legend,
            rows,
            axis,
            noise,
            delta,
            axis_title,
            footer,
            columns,
            top,
            bottom,
            height,
        })
    }

    /// Width and height.
    pub fn size(&self) -> (f64, f64) {
        (self.measures.width, self.height)
    }

    /// What it says, in words.
    pub fn title(&self) -> &str {
        self.heading.title()
    }

    /// Draws it.
    pub fn paint<DB: DrawingBackend>(&self, canvas: &Canvas<'_, DB>) -> Result<(), ChartError> {
        self.heading.paint(canvas)?;
        self.legend.paint(canvas)?;
        self.paint_ground(canvas)?;
        let mut y = self.top;
        for item in self.rows.items() {
            match item {
                Item::Caption(caption) => {
                    let ends = (self.measures.margin, self.measures.width - self.measures.margin);
                    // The rule stands on white, so that the caption is not crossed by the grid.
                    let to_names = if self.measures.stacked { 0.0 } else { 2.0 };
                    canvas.rect(ends, (y, y + CAPTION_HEIGHT - to_names), ink::WHITE)?;
                    canvas.across(ends, y + 7.0, 1.0, ink::RULE)?;
                    let at = (self.measures.margin, y + 23.0);
                    canvas.text(caption, at, Align::Left, CAPTION, ink::MUTED)?;
                    y += CAPTION_HEIGHT;
                }
                Item::Line(line) => {
                    self.paint_line(canvas, line, y)?;
                    y += self.measures.row;
                }
            }
        }
        if self.rows.items().is_empty() {
            let at = (self.measures.width / 2.0, self.top + 20.0);
            let words = "There is no measurement to show.";
            canvas.text(words, at, Align::Centre, Type::regular(13.0), ink::MUTED)?;
        }
        let mut y = self.bottom + 26.0;
        let centre = (self.columns.plot.0 + self.columns.plot.1) / 2.0;
        for line in &self.axis_title {
            y += 18.0;
            // Centred below the plot, but never over the edge of the sheet.
            let half = TICK.room(line)? / 2.0;
            let (least, most) = (self.measures.margin, self.measures.width - self.measures.margin);
            let x = centre.clamp((least + half).min(self.measures.width / 2.0), {
                (most - half).max(self.measures.width / 2.0)
            });
            canvas.text(line, (x, y - 4.0), Align::Centre, TICK, ink::MUTED)?;
        }
        for line in &self.footer {
            y += 18.0;
            let at = (self.measures.margin, y);
            canvas.text(line, at, Align::Left, TICK, ink::MUTED)?;
        }
        Ok(())
    }

    /// What lies below the rows: noise floor, grid, zero, ticks.
    fn paint_ground<DB: DrawingBackend>(&self, canvas: &Canvas<'_, DB>) -> Result<(), ChartError> {
        if self.rows.items().is_empty() {
            return Ok(());
        }
        let span = (self.top, self.bottom);
        if let Some((low, high)) = self.noise {
            canvas.rect((self.axis.at(low), self.axis.at(high)), span, ink::BAND)?;
        }
        let ticks = self.axis.ticks(if self.measures.stacked { 48.0 } else { 56.0 });
        for tick in &ticks {
            let x = self.axis.at(*tick);
            canvas.down(x, span, 1.0, ink::GRID)?;
            let label = tick_percent(*tick);
            canvas.text(&label, (x, self.bottom + 18.0), Align::Centre, TICK, ink::TEXT)?;
            if self.rows.are_many() {
                canvas.text(&label, (x, self.top - 8.0), Align::Centre, TICK, ink::TEXT)?;
            }
        }
        for percent in smallest_of_interest(self.delta) {
            if self.axis.shows(percent) {
                canvas.dashes(self.axis.at(percent), span, ink::GREY)?;
            }
        }
        canvas.down(self.axis.at(0.0), span, 1.0, ink::TEXT)?;
        canvas.across(self.columns.plot, self.bottom, 1.0, ink::GREY)
    }

    fn paint_line<DB: DrawingBackend>(
        &self,
        canvas: &Canvas<'_, DB>,
        line: &Line,
        y: f64,
    ) -> Result<(), ChartError> {
        let Measures { margin, width, name, value, stacked, row } = self.measures;
        let (baseline, middle) = if stacked {
            (y + 15.0, y + 29.0)
        } else {
            (y + row / 2.0 + name.em * 0.36, y + row / 2.0)
        };
        let text_ink = if line.mark.is_finding() { ink::TEXT } else { ink::MUTED };
        let badge_width = if line.label == Label::None { 0.0 } else { BADGE };
        if stacked {
            let right = width - margin;
            // Names stand on white: lines through them would make them hard to read.
            canvas.rect((0.0, width), (y, baseline + 4.0), ink::WHITE)?;
            let values = format!("{}  {}", line.effect, line.interval);
            let values = values.trim_end();
            canvas.text(values, (right, baseline), Align::Right, value, text_ink)?;
            let room = right - margin - value.room(values)? - badge_width - 10.0;
            let short = name.shorten(&line.name, room)?;
            canvas.text(&short, (margin, baseline), Align::Left, name, text_ink)?;
            let x = margin + name.room(&short)? + 6.0;
            marks::badge(canvas, line.label, (x, baseline))?;
        } else {
            let right = self.columns.plot.0 - 12.0 - self.rows.badges();
            let short = name.shorten(&line.name, right - margin + 1.0)?;
            canvas.text(&short, (right, baseline), Align::Right, name, text_ink)?;
            marks::badge(canvas, line.label, (right + 7.0, baseline))?;
            let Columns { effect, interval, .. } = self.columns;
            if line.estimate.is_some() {
                canvas.text(&line.effect, (effect, baseline), Align::Right, value, text_ink)?;
                canvas.text(&line.interval, (interval, baseline), Align::Left, value, text_ink)?;
            } else {
                canvas.text(&line.effect, (interval, baseline), Align::Left, value, text_ink)?;
            }
        }
        match line.estimate {
            Some(estimate) => marks::interval(canvas, line.mark, estimate, &self.axis, middle),
            None => Ok(()),
        }
    }
}

/// The smallest difference of interest, downwards and upwards, in percent.
fn smallest_of_interest(delta: f64) -> [f64; 2] {
    let up = delta.abs();
    [100.0 * (1.0 / (1.0 + up) - 1.0), 100.0 * up]
}

fn capitalised(word: &str) -> String {
    let mut chars = word.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}
