//! What the templates see: a [`Model`](super::Model) in words, every number already text. HTML
//! and Markdown say the same because both are filled from here.

mod facts;
mod page;
mod phrase;
mod render;
mod rows;

pub(super) use page::Page;
pub(super) use phrase::each_phrase;
pub use render::RenderError;
pub(super) use render::fill;
