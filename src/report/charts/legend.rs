//! What the marks of a chart mean: a row of signs with words, broken where it does not fit.

use plotters::prelude::DrawingBackend;

use super::ChartError;
use super::canvas::{Align, Canvas, ink};
use super::marks::Mark;
use super::timeline::PairMark;
use super::typeface::Type;

const WORDS: Type = Type::regular(12.5);
const LINE: f64 = 21.0;
const SIGN: f64 = 24.0;
const APART: f64 = 14.0;

/// What a legend explains.
#[derive(Debug, Clone, Copy)]
pub(super) enum Sign {
    Mark(Mark),
    Pair(PairMark),
    Band,
    Dashes,
    Line,
}

/// A sign and its words.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    sign: Sign,
    words: String,
}

impl Entry {
    pub const fn new(sign: Sign, words: String) -> Self {
        Self { sign, words }
    }
}

/// A legend, laid out.
pub(super) struct Legend {
    placed: Vec<(Entry, f64, f64)>,
    bottom: f64,
}

impl Legend {
    /// Places the entries from `(left, top)` on in lines of `width`.
    pub fn new(
        entries: Vec<Entry>,
        (left, top): (f64, f64),
        width: f64,
    ) -> Result<Self, ChartError> {
        let (mut x, mut y) = (left, top);
        let mut placed = Vec::new();
        for mut entry in entries {
            entry.words = WORDS.shorten(&entry.words, width - SIGN)?;
            let wide = SIGN + WORDS.room(&entry.words)?;
            if x > left && x + wide > left + width {
                (x, y) = (left, y + LINE);
            }
            placed.push((entry, x, y));
            x += wide + APART;
        }
        let bottom = if placed.is_empty() { top } else { y + LINE };
        Ok(Self { placed, bottom })
    }

    /// Where it ends.
    pub fn bottom(&self) -> f64 {
        self.bottom
    }

    /// Draws it.
    pub fn paint<DB: DrawingBackend>(&self, canvas: &Canvas<'_, DB>) -> Result<(), ChartError> {
        for (entry, x, y) in &self.placed {
            let middle = y + LINE / 2.0;
            let centre = (x + 9.0, middle);
            match entry.sign {
                Sign::Mark(mark) => mark.paint(canvas, centre)?,
                Sign::Pair(mark) => mark.paint(canvas, centre)?,
                Sign::Band => {
                    canvas.rect((*x, x + 18.0), (middle - 6.0, middle + 6.0), ink::BAND)?
                }
                Sign::Dashes => canvas.dashes(x + 9.0, (middle - 8.0, middle + 8.0), ink::GREY)?,
                Sign::Line => canvas.across((*x, x + 18.0), middle, 2.0, ink::TEXT)?,
            }
            let at = (x + SIGN, middle + 4.5);
            canvas.text(&entry.words, at, Align::Left, WORDS, ink::TEXT)?;
        }
        Ok(())
    }
}
