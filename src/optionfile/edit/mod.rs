//! Changing lines. An edit keeps every other line byte for byte, and proves before it
//! returns that the server reads what was asked for and nothing else has changed.
//!
//! - `request`: what can be asked for ([`Edit`]), why it may be refused, and
//!   [`OptionFile::apply`](super::OptionFile::apply).
//! - `change`: one line as it will be.
//! - `place`: where appended options go, and the file put together again.
//! - `spelling`: writing values so that servers read them back.
//! - `proof`: what the server reads before and after.

mod change;
mod place;
mod proof;
mod request;
mod spelling;

pub use request::{Edit, EditError};
