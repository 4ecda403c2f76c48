//! cnfsweep: which lines of a my.cnf matter for a load, and by how much.
//!
//! The modules, in the order in which data flows; imports run from the later to the earlier. What
//! stands in `results/<id>/` is named in `journal`, the seam between measuring and judging.

pub mod optionfile;
pub mod catalog;
pub mod toggle;
pub mod profile;
pub mod plan;
pub mod journal;
pub mod stats;
pub mod engine;
pub mod load;
pub mod sweep;
pub mod verdicts;
pub mod report;

mod cli;
pub mod command;
mod words;
