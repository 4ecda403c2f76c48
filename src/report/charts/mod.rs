//! The charts. Each is drawn once, by code that does not know whether it draws an SVG or a
//! bitmap; the font is part of the program, so that no machine needs fonts or fontconfig.

mod axis;
mod canvas;
mod chart;
mod effects;
mod heading;
mod legend;
mod marks;
mod rows;
mod timeline;
mod typeface;

pub use chart::{Chart, ChartError, Width};
