//! Which pair comes when: arms × rounds → a seeded order, and how long that takes. Pure: the same
//! seed and the same outcomes give the same schedule.

mod draw;
mod estimate;

pub use draw::{Draw, SCHEDULE_VERSION, Side, draw};
pub use estimate::{Estimate, Starts, data_dir_bytes, estimate};
