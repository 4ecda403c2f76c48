//! Which charts there are, and how one becomes an SVG or a PNG.

use std::path::Path;

use plotters::prelude::{BitMapBackend, IntoDrawingArea as _, SVGBackend};

use crate::report::model::Model;
use crate::report::text::clean;

use super::canvas::{Canvas, Surface};
use super::{effects, timeline};

/// A chart can't be drawn.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("could not draw the chart: {0}")]
pub struct ChartError(pub(super) String);

/// Which picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Chart {
    /// Forest plot of the effects on throughput.
    Effects,
    /// The unchanged servers over the time of the sweep.
    Timeline,
}

/// For what width a chart is laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Width {
    /// A page, a slide, a screen.
    Wide,
    /// A telephone: names stand above the intervals.
    Narrow,
}

/// Bitmaps have twice the resolution, up to this height of the drawing; above it a picture of two
/// hundred toggles would need too much memory.
const TALLEST_DOUBLED: f64 = 2400.0;

impl Chart {
    /// Every chart.
    pub const ALL: [Self; 2] = [Self::Effects, Self::Timeline];

    /// Name of its files, without the ending.
    pub const fn file_stem(self) -> &'static str {
        match self {
            Self::Effects => "effects",
            Self::Timeline => "timeline",
        }
    }

    /// The chart as SVG. Text is text, in the reader's own sans-serif font.
    ///
    /// # Errors
    /// When the font or the drawing library fails.
    pub fn svg(self, model: &Model, width: Width) -> Result<String, ChartError> {
        let drawing = self.lay_out(model, width)?;
        let mut svg = String::new();
        {
            let backend = SVGBackend::with_string(&mut svg, drawing.pixels(1.0));
            let area = backend.into_drawing_area();
            drawing.paint(&Canvas::new(&area, Surface::Svg)?)?;
            area.present().map_err(|e| ChartError(e.to_string()))?;
        }
        Ok(titled(svg, drawing.title()))
    }

    /// Writes the chart as PNG: the drawing library encodes only into a file, whose name must end
    /// in `.png`.
    ///
    /// # Errors
    /// When the font or the drawing library fails, or the file can't be written.
    pub(in crate::report) fn write_png(self, model: &Model, path: &Path) -> Result<(), ChartError> {
        let drawing = self.lay_out(model, Width::Wide)?;
        let scale = if drawing.height() <= TALLEST_DOUBLED { 2.0 } else { 1.0 };
        let backend = BitMapBackend::new(path, drawing.pixels(scale));
        let area = backend.into_drawing_area();
        drawing.paint(&Canvas::new(&area, Surface::Bitmap { scale })?)?;
        area.present().map_err(|e| ChartError(e.to_string()))
    }

    fn lay_out(self, model: &Model, width: Width) -> Result<Drawing, ChartError> {
        Ok(match self {
            Self::Effects => Drawing::Effects(effects::Forest::new(model, width)?),
            Self::Timeline => Drawing::Timeline(timeline::Timeline::new(model, width)?),
        })
    }
}

/// A chart with every position known.
enum Drawing {
    Effects(effects::Forest),
    Timeline(timeline::Timeline),
}

impl Drawing {
    fn size(&self) -> (f64, f64) {
        match self {
            Self::Effects(forest) => forest.size(),
            Self::Timeline(timeline) => timeline.size(),
        }
    }

    fn height(&self) -> f64 {
        self.size().1
    }

    fn title(&self) -> &str {
        match self {
            Self::Effects(forest) => forest.title(),
            Self::Timeline(timeline) => timeline.title(),
        }
    }

    fn pixels(&self, scale: f64) -> (u32, u32) {
        let (width, height) = self.size();
        ((width * scale).ceil() as u32, (height * scale).ceil() as u32)
    }

    fn paint<DB: plotters::prelude::DrawingBackend>(
        &self,
        canvas: &Canvas<'_, DB>,
    ) -> Result<(), ChartError> {
        match self {
            Self::Effects(forest) => forest.paint(canvas),
            Self::Timeline(timeline) => timeline.paint(canvas),
        }
    }
}

/// Gives an SVG the title that screen readers read out.
fn titled(svg: String, title: &str) -> String {
    let escaped: String = clean(title)
        .chars()
        .map(|c| match c {
            '<' => "&lt;".to_owned(),
            '>' => "&gt;".to_owned(),
            '&' => "&amp;".to_owned(),
            c => c.to_string(),
        })
        .collect();
    let svg = svg.replacen("<svg ", "<svg role=\"img\" ", 1);
    match svg.split_once(">\n") {
        Some((open, rest)) => format!("{open}>\n<title>{escaped}</title>\n{rest}"),
        None => svg,
    }
}
