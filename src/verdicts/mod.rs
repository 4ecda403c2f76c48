//! From the rows of a sweep to estimates and verdicts: replays the schedule over `trials.csv`, one
//! family of numbers per metric. Pure; what the numbers mean is decided in `stats`.

mod assess;
mod note;
mod replay;
mod witness;

pub use assess::{Assessment, CalibrationEstimate, Noise, Records, assess};
pub use witness::{acts_through_write_back, witnesses};
