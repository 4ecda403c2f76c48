//! From a finished or interrupted sweep to what people read: charts, `report.html`, `report.md`
//! and the table on the terminal. Everything here is a pure function of a [`Model`], but for
//! [`write_all`], which writes the files.

pub mod charts;
mod difference;
mod headline;
mod html;
mod listing;
mod markdown;
mod model;
pub mod numbers;
mod plan;
mod ranking;
mod table;
mod text;
mod view;
mod write;

pub use difference::{DiffLine, difference};
pub use headline::{Piece, Sentence, headline};
pub use html::{HtmlError, html};
pub use listing::listing;
pub use markdown::markdown;
pub use model::{
    CalibrationArm, Failure, Findings, Gate, Model, NoiseFloor, Records, TimelinePoint,
};
pub use plan::plan;
pub use ranking::{Estimate, Ranking, Row, Verdict};
pub use table::{Charset, table};
pub use view::RenderError;
pub use write::{ReportError, write_all};
