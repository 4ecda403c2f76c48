//! The marks of the forest plot. A verdict has a colour and a shape of its own, so that a reader
//! who sees no colours, or a black-and-white print, loses nothing.

use plotters::prelude::{DrawingBackend, RGBColor};

use crate::journal::Label;
use crate::report::ranking::{Estimate, Verdict};

use super::ChartError;
use super::axis::EffectAxis;
use super::canvas::{Align, Canvas, ink};
use super::typeface::Type;

/// Half the size of a mark.
const SIZE: f64 = 5.5;

/// What a mark stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mark {
    Verdict(Verdict),
    /// An arm that changes nothing.
    Calibration,
}

impl Mark {
    pub const fn of(verdict: Verdict) -> Self {
        Self::Verdict(verdict)
    }

    /// Whether it is one of those that are ranked.
    pub const fn is_finding(self) -> bool {
        matches!(self, Self::Verdict(verdict) if verdict.is_finding())
    }

    fn ink(self) -> RGBColor {
        match self {
            Self::Verdict(Verdict::Faster) => ink::BLUE,
            Self::Verdict(Verdict::Slower) => ink::VERMILLION,
            Self::Verdict(Verdict::NoDifference) => ink::TEXT,
            Self::Verdict(Verdict::Withheld) => ink::MUTED,
            Self::Verdict(_) | Self::Calibration => ink::GREY,
        }
    }

    /// Draws the mark by itself.
    pub fn paint<DB: DrawingBackend>(
        self,
        canvas: &Canvas<'_, DB>,
        (x, y): (f64, f64),
    ) -> Result<(), ChartError> {
        let ink = self.ink();
        let Self::Verdict(verdict) = self else { return canvas.disc((x, y), 3.5, ink) };
        match verdict {
            Verdict::Faster => canvas.polygon(&triangle(x, y, 1.0), ink),
            Verdict::Slower => canvas.polygon(&triangle(x, y, -1.0), ink),
            Verdict::NoDifference => {
                let half = SIZE - 1.0;
                canvas.rect((x - half, x + half), (y - half, y + half), ink)
            }
            Verdict::Withheld => canvas.disc((x, y), SIZE - 1.0, ink),
            Verdict::NotExercised => {
                canvas.polygon(&diamond(x, y, SIZE + 0.5), ink)?;
                canvas.polygon(&diamond(x, y, SIZE - 2.5), ink::WHITE)
            }
            Verdict::Failed | Verdict::NotMeasured => {
                let half = SIZE - 1.5;
                canvas.path(&[(x - half, y - half), (x + half, y + half)], 2.0, ink)?;
                canvas.path(&[(x - half, y + half), (x + half, y - half)], 2.0, ink)
            }
            Verdict::Inconclusive | Verdict::Unknown => {
                canvas.disc((x, y), SIZE - 0.5, ink)?;
                canvas.disc((x, y), SIZE - 2.5, ink::WHITE)
            }
        }
    }
}

/// An estimate: its interval as a line with ends, cut with an arrow where the axis ends, and its
/// mark.
pub(super) fn interval<DB: DrawingBackend>(
    canvas: &Canvas<'_, DB>,
    mark: Mark,
    estimate: Estimate,
    axis: &EffectAxis,
    y: f64,
) -> Result<(), ChartError> {
    let ink = mark.ink();
    let width = if mark.is_finding() { 2.0 } else { 1.0 };
    if let Some((low, high)) = estimate.interval {
        let (left, right) = (axis.at(low), axis.at(high));
        canvas.across((left, right), y, width, ink)?;
        for (end, x, outwards) in [(low, left, -1.0), (high, right, 1.0)] {
            if axis.shows(end) {
                canvas.down(x, (y - 3.0, y + 3.0), width, ink)?;
            } else {
                let tip = x + outwards * 7.0;
                canvas.polygon(&[(tip, y), (x, y - 4.0), (x, y + 4.0)], ink)?;
            }
        }
    }
    mark.paint(canvas, (axis.at(estimate.value), y))
}

/// The letter of what a toggle trades away, on a patch of colour; nothing without a label.
pub(super) fn badge<DB: DrawingBackend>(
    canvas: &Canvas<'_, DB>,
    label: Label,
    (x, baseline): (f64, f64),
) -> Result<(), ChartError> {
    let patch = match label {
        Label::None => return Ok(()),
        Label::Security => ink::PURPLE,
        Label::Durability => ink::ORANGE,
    };
    canvas.rect((x, x + 17.0), (baseline - 12.0, baseline + 3.0), patch)?;
    let at = (x + 8.5, baseline - 0.2);
    canvas.text(label.as_str(), at, Align::Centre, Type::bold(11.5), ink::BLACK)
}

fn triangle(x: f64, y: f64, towards: f64) -> [(f64, f64); 3] {
    let (back, tip) = (x - towards * (SIZE - 1.0), x + towards * (SIZE + 1.5));
    [(back, y - SIZE - 0.5), (tip, y), (back, y + SIZE + 0.5)]
}

fn diamond(x: f64, y: f64, half: f64) -> [(f64, f64); 4] {
    [(x - half, y), (x, y - half), (x + half, y), (x, y + half)]
}
