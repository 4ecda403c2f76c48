//! Whether the machine is fit to measure on: what is there ([`look`]) and what that means for a
//! result ([`judge`]).

mod judge;
mod look;

pub(super) use judge::{Check, checks};
pub(super) use look::{Placed, look};
