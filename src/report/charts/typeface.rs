//! The embedded font: how wide a text is, where to break it, and which pixels it covers. The
//! drawing library could set text into bitmaps, too, but it ignores the side bearings of letters
//! and rounds each one's place to whole pixels, which reads badly.

use ab_glyph::{Font as _, FontRef, GlyphId, PxScale, ScaleFont as _, point};
use plotters::prelude::FontStyle;

use super::ChartError;
use crate::report::text::shorten_middle;

/// Room for readers whose sans-serif is wider than the embedded font (DejaVu Sans: 14 %).
const SLACK: f64 = 1.16;

/// Size and weight of a text.
#[derive(Debug, Clone, Copy)]
pub(super) struct Type {
    /// Size, in units of the drawing.
    pub em: f64,
    bold: bool,
}

impl Type {
    pub const fn regular(em: f64) -> Self {
        Self { em, bold: false }
    }

    pub const fn bold(em: f64) -> Self {
        Self { em, bold: true }
    }

    /// How wide a text is in the embedded font.
    pub fn width(self, text: &str) -> Result<f64, ChartError> {
        let font = self.font()?;
        Ok(f64::from(Line::new(&font, self.em, text).end))
    }

    /// How much room to leave for a text, whatever the reader's font.
    pub fn room(self, text: &str) -> Result<f64, ChartError> {
        Ok(self.width(text)? * SLACK)
    }

    /// Lines of at most that width, broken at blanks.
    pub fn wrap(self, text: &str, width: f64) -> Result<Vec<String>, ChartError> {
        let mut lines: Vec<String> = Vec::new();
        for word in text.split(' ').filter(|word| !word.is_empty()) {
            let longer = lines.last().map(|line| format!("{line} {word}"));
            match (longer, lines.last_mut()) {
                (Some(longer), Some(line)) if self.room(&longer)? <= width => *line = longer,
                _ => lines.push(self.shorten(word, width)?),
            }
        }
        Ok(lines)
    }

    /// The text, or its beginning and end, so that it fits.
    pub fn shorten(self, text: &str, width: f64) -> Result<String, ChartError> {
        self.width(text)?;
        Ok(shorten_middle(text, |t| self.room(t).is_ok_and(|room| room <= width)))
    }

    /// The pixels that a line of text covers, and how much of each, where it starts on its base
    /// line at `(x, y)` and a unit is `scale` pixels.
    pub fn pixels(
        self,
        text: &str,
        (x, y): (f64, f64),
        scale: f64,
    ) -> Result<Vec<(i32, i32, f32)>, ChartError> {
        let font = self.font()?;
        let line = Line::new(&font, self.em * scale, text);
        let mut pixels = Vec::new();
        for (glyph, offset) in line.glyphs {
            let at = point(x as f32 + offset, y as f32);
            let Some(outline) = font.outline_glyph(glyph.with_scale_and_position(line.scale, at))
            else {
                continue;
            };
            let corner = outline.px_bounds().min;
            let (left, top) = (corner.x as i32, corner.y as i32);
            outline.draw(|x, y, coverage| {
                if coverage > 0.0 {
                    pixels.push((left + x as i32, top + y as i32, coverage.min(1.0)));
                }
            });
        }
        Ok(pixels)
    }

    /// For the SVG, whose reader picks the font.
    pub const fn style(self) -> FontStyle {
        if self.bold { FontStyle::Bold } else { FontStyle::Normal }
    }

    fn font(self) -> Result<FontRef<'static>, ChartError> {
        let bytes = if self.bold { notosans::BOLD_TTF } else { notosans::REGULAR_TTF };
        FontRef::try_from_slice(bytes).map_err(|e| ChartError(format!("the embedded font: {e}")))
    }
}

/// The glyphs of a text, each with its place from the start, in pixels.
struct Line {
    glyphs: Vec<(GlyphId, f32)>,
    scale: PxScale,
    end: f32,
}

impl Line {
    fn new(font: &FontRef<'_>, em: f64, text: &str) -> Self {
        // The scale of a font is the height of its lines; a size is that of its em.
        let height = font.height_unscaled() / font.units_per_em().unwrap_or(1000.0);
        let scaled = font.as_scaled(PxScale::from(em as f32 * height));
        let mut glyphs: Vec<(GlyphId, f32)> = Vec::new();
        let mut end = 0.0;
        for c in text.chars() {
            let glyph = scaled.glyph_id(c);
            if let Some((before, _)) = glyphs.last() {
                end += scaled.kern(*before, glyph);
            }
            glyphs.push((glyph, end));
            end += scaled.h_advance(glyph);
        }
        Self { glyphs, scale: scaled.scale, end }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_grow_with_size_and_text() {
        let small = Type::regular(10.0).width("innodb").unwrap();
        let large = Type::regular(20.0).width("innodb").unwrap();
        assert!((large - 2.0 * small).abs() < 0.01);
        // Digits of Noto Sans are 1171/2048 em wide, so that columns of numbers line up.
        let digits = Type::regular(10.0).width("0123456789").unwrap();
        assert!((digits - 57.178).abs() < 0.001, "{digits}");
    }

    #[test]
    fn the_font_has_every_character_that_charts_use() {
        for kind in [Type::regular(10.0), Type::bold(10.0)] {
            let font = kind.font().unwrap();
            for c in "−+±%–…·,;[]≥×→\u{a0}".chars() {
                // Glyph 0 is the box that stands for a missing character.
                assert_ne!(font.glyph_id(c).0, 0, "{c:?}");
            }
        }
    }

    #[test]
    fn text_is_broken_and_shortened_to_fit() {
        let kind = Type::regular(12.0);
        let lines = kind.wrap("one two three four five six", 80.0).unwrap();
        assert!(lines.len() > 1 && lines.iter().all(|l| kind.room(l).unwrap() <= 80.0));
        let short = kind.shorten("innodb_flush_log_at_trx_commit=2", 100.0).unwrap();
        assert!(short.contains('…') && short.starts_with("inno") && short.ends_with("=2"));
    }
}
