//! A sheet to draw on, in the same units whether it becomes an SVG or a bitmap: it hides that the
//! two backends place and size text differently, and knows how wide a text is.

use plotters::coord::Shift;
use plotters::prelude::{
    Circle, Color as _, DrawingArea, DrawingBackend, FontDesc, FontFamily, PathElement, Polygon,
    RGBColor, Rectangle, Text,
};
use plotters::style::TextStyle;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::ChartError;
use super::typeface::Type;

/// Whose text an SVG is set in: the embedded font where the reader has it, else what there is.
const FAMILY: &str = "Noto Sans, Segoe UI, Helvetica Neue, Arial, DejaVu Sans, sans-serif";
/// The SVG backend divides the size by this to get em.
const SVG_SIZE_PER_EM: f64 = 1.24;
/// From the anchor "top" to the base line, in em, as the SVG backend has it.
const SVG_TOP_TO_BASELINE: f64 = 0.76;

/// Colours: those of Okabe and Ito for what has a meaning, greys for the rest.
pub(super) mod ink {
    use plotters::style::RGBColor;

    pub const TEXT: RGBColor = RGBColor(0x1c, 0x1c, 0x1c);
    pub const MUTED: RGBColor = RGBColor(0x5e, 0x5e, 0x5e);
    pub const GREY: RGBColor = RGBColor(0x8a, 0x8a, 0x8a);
    pub const GRID: RGBColor = RGBColor(0xe6, 0xe6, 0xe6);
    pub const BAND: RGBColor = RGBColor(0xe9, 0xe9, 0xe9);
    pub const RULE: RGBColor = RGBColor(0xc8, 0xc8, 0xc8);
    pub const WHITE: RGBColor = RGBColor(0xff, 0xff, 0xff);
    pub const BLUE: RGBColor = RGBColor(0x00, 0x72, 0xb2);
    pub const VERMILLION: RGBColor = RGBColor(0xd5, 0x5e, 0x00);
    pub const ORANGE: RGBColor = RGBColor(0xe6, 0x9f, 0x00);
    pub const PURPLE: RGBColor = RGBColor(0xcc, 0x79, 0xa7);
    pub const BLACK: RGBColor = RGBColor(0x00, 0x00, 0x00);
}

/// What a canvas becomes.
#[derive(Debug, Clone, Copy)]
pub(super) enum Surface {
    Svg,
    /// So many pixels per unit.
    Bitmap {
        scale: f64,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Align {
    Left,
    Centre,
    Right,
}

/// The sheet. Positions and sizes are in units of the drawing, y grows downwards.
pub(super) struct Canvas<'a, DB: DrawingBackend> {
    area: &'a DrawingArea<DB, Shift>,
    surface: Surface,
}

impl<'a, DB: DrawingBackend> Canvas<'a, DB> {
    /// A white sheet.
    pub fn new(area: &'a DrawingArea<DB, Shift>, surface: Surface) -> Result<Self, ChartError> {
        area.fill(&ink::WHITE).map_err(|e| ChartError(e.to_string()))?;
        Ok(Self { area, surface })
    }

    /// A filled rectangle.
    pub fn rect(&self, x: (f64, f64), y: (f64, f64), ink: RGBColor) -> Result<(), ChartError> {
        let ((x0, y0), (x1, y1)) = (self.at(x.0, y.0), self.at(x.1, y.1));
        // The bitmap backend draws the last row and column, too.
        let last = i32::from(matches!(self.surface, Surface::Bitmap { .. }));
        let corners = [(x0, y0), ((x1 - last).max(x0), (y1 - last).max(y0))];
        self.draw(&Rectangle::new(corners, ink.filled()))
    }

    /// A horizontal line, as a rectangle: sharp on both surfaces.
    pub fn across(
        &self,
        x: (f64, f64),
        y: f64,
        width: f64,
        ink: RGBColor,
    ) -> Result<(), ChartError> {
        self.rect(x, (y - width / 2.0, y - width / 2.0 + width), ink)
    }

    /// A vertical line.
    pub fn down(&self, x: f64, y: (f64, f64), width: f64, ink: RGBColor) -> Result<(), ChartError> {
        self.rect((x - width / 2.0, x - width / 2.0 + width), y, ink)
    }

    /// A vertical line of dashes.
    pub fn dashes(&self, x: f64, y: (f64, f64), ink: RGBColor) -> Result<(), ChartError> {
        const DASH: f64 = 4.0;
        let mut top = y.0;
        while top < y.1 {
            self.down(x, (top, (top + DASH).min(y.1)), 1.0, ink)?;
            top += 2.0 * DASH;
        }
        Ok(())
    }

    /// A filled polygon.
    pub fn polygon(&self, points: &[(f64, f64)], ink: RGBColor) -> Result<(), ChartError> {
        let points: Vec<(i32, i32)> = points.iter().map(|&(x, y)| self.at(x, y)).collect();
        self.draw(&Polygon::new(points, ink.filled()))
    }

    /// A line through points.
    pub fn path(&self, points: &[(f64, f64)], width: f64, ink: RGBColor) -> Result<(), ChartError> {
        let points: Vec<(i32, i32)> = points.iter().map(|&(x, y)| self.at(x, y)).collect();
        let width = (width * self.scale()).round().max(1.0) as u32;
        self.draw(&PathElement::new(points, ink.stroke_width(width)))
    }

    /// A filled circle.
    pub fn disc(&self, (x, y): (f64, f64), radius: f64, ink: RGBColor) -> Result<(), ChartError> {
        let radius = (radius * self.scale()).round() as i32;
        self.draw(&Circle::new(self.at(x, y), radius, ink.filled()))
    }

    /// A line of text that stands on `baseline`.
    pub fn text(
        &self,
        text: &str,
        (x, baseline): (f64, f64),
        align: Align,
        kind: Type,
        ink: RGBColor,
    ) -> Result<(), ChartError> {
        let Surface::Bitmap { scale } = self.surface else {
            let size = kind.em * SVG_SIZE_PER_EM;
            let font = FontDesc::new(FontFamily::Name(FAMILY), size, kind.style());
            let h_pos = match align {
                Align::Left => HPos::Left,
                Align::Centre => HPos::Center,
                Align::Right => HPos::Right,
            };
            let style = TextStyle::from(font).color(&ink).pos(Pos::new(h_pos, VPos::Top));
            let top = self.at(x, baseline - SVG_TOP_TO_BASELINE * kind.em);
            return self.draw(&Text::new(text.to_owned(), top, style));
        };
        let start = match align {
            Align::Left => x,
            Align::Centre => x - kind.width(text)? / 2.0,
            Align::Right => x - kind.width(text)?,
        };
        let pixels = kind.pixels(text, (start * scale, (baseline * scale).round()), scale)?;
        for (x, y, coverage) in pixels {
            self.area
                .draw_pixel((x, y), &ink.mix(f64::from(coverage)))
                .map_err(|e| ChartError(e.to_string()))?;
        }
        Ok(())
    }

    fn scale(&self) -> f64 {
        match self.surface {
            Surface::Svg => 1.0,
            Surface::Bitmap { scale } => scale,
        }
    }

    fn at(&self, x: f64, y: f64) -> (i32, i32) {
        ((x * self.scale()).round() as i32, (y * self.scale()).round() as i32)
    }

    fn draw<E>(&self, element: &E) -> Result<(), ChartError>
    where
        for<'b> &'b E: plotters::element::PointCollection<'b, (i32, i32)>,
        E: plotters::element::Drawable<DB>,
    {
        self.area.draw(element).map_err(|e| ChartError(e.to_string()))
    }
}
