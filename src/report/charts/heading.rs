//! Title and subtitle of a chart, broken into lines that fit.

use plotters::prelude::{DrawingBackend, RGBColor};

use super::canvas::{Align, Canvas, ink};
use super::typeface::Type;
use super::{ChartError, Width};

struct Line {
    text: String,
    kind: Type,
    ink: RGBColor,
    baseline: f64,
}

/// Title and subtitle, laid out.
pub(super) struct Heading {
    title: String,
    left: f64,
    lines: Vec<Line>,
    bottom: f64,
}

impl Heading {
    /// Breaks both texts into lines of `width`, from `left` on.
    pub fn new(
        title: &str,
        subtitle: &str,
        (left, width): (f64, f64),
        page: Width,
    ) -> Result<Self, ChartError> {
        let (title_em, subtitle_em) = match page {
            Width::Wide => (17.0, 13.0),
            Width::Narrow => (15.0, 12.0),
        };
        let mut y = if page == Width::Wide { 16.0 } else { 6.0 };
        let mut lines = Vec::new();
        for (text, kind, ink) in [
            (title, Type::bold(title_em), ink::TEXT),
            (subtitle, Type::regular(subtitle_em), ink::MUTED),
        ] {
            for text in kind.wrap(text, width)? {
                y += (kind.em * 1.36).round();
                lines.push(Line { text, kind, ink, baseline: y - kind.em * 0.3 });
            }
            y += 2.0;
        }
        Ok(Self { title: title.to_owned(), left, lines, bottom: y })
    }

    /// The title in one line.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// Where it ends.
    pub fn bottom(&self) -> f64 {
        self.bottom
    }

    /// Draws it.
    pub fn paint<DB: DrawingBackend>(&self, canvas: &Canvas<'_, DB>) -> Result<(), ChartError> {
        for Line { text, kind, ink, baseline } in &self.lines {
            canvas.text(text, (self.left, *baseline), Align::Left, *kind, *ink)?;
        }
        Ok(())
    }
}
