//! `results/<id>/`, the seam between measuring and judging: its row types, how they are written
//! (appended and fsynced pair by pair) and how they are read back. Owns the file formats; knows
//! nothing of servers, statistics or charts.

pub mod clock;
#[cfg(test)]
mod properties;
mod read;
mod rows;
mod sweep_file;
mod write;

pub use crate::toggle::{Action, Label, Status};
pub use read::{JournalError, SweepDir, TOGGLE_CNF_DIR, slug};
pub use rows::{
    Arm, EffectRow, HistogramRow, Metric, Outcome, SliceRow, StatusRow, ToggleRow, TrialRow,
    is_calibration_arm,
};
pub use sweep_file::{
    BaseInfo, Design, HostFacts, ImageInfo, Placement, Redaction, ServerInfo, SweepFile,
};
pub use write::{Journal, write_effects};
