//! my.cnf, losslessly: what the file says, what a certain server makes of it, and how
//! to change a line without touching the others. Pure: no IO (included files come
//! through a [`Loader`]), bytes everywhere.
//!
//! In the order in which data flow:
//!
//! - `product`: which server reads the file.
//! - `grammar`, `logical`: the bytes of a line; where lines end.
//! - `file`: [`OptionFile`], its lines, parse and render.
//! - `loader`, `reader`, `message`, `check`: a file with its includes, as one server
//!   reads it; what makes it give up.
//! - `arguments`: what the server gets, as `my_print_defaults` prints it.
//! - `flatten`: the same file without includes.
//! - `edit`: changing lines.
//! - `names`, `repeat`: which option an argument means, which of several counts.
//! - `value`: text to value.
//! - `secret`: what must never be shown.

mod arguments;
mod check;
mod edit;
mod file;
mod flatten;
mod grammar;
mod loader;
mod logical;
mod message;
mod names;
mod product;
mod reader;
mod repeat;
mod secret;
pub mod value;

#[cfg(test)]
mod tests;

pub use arguments::{Argument, Arguments, Origin};
pub use check::{ReadError, SyntaxError};
pub use edit::{Edit, EditError};
pub use file::{Directive, Line, LineKind, Malformed, OptionFile};
pub use flatten::{Flattened, LineOrigin};
pub use loader::{LoadError, Loader, MemoryLoader};
pub use message::{Message, MessageKind};
pub use names::{NameError, NameSet, Names, Pass, Prefix, Resolved, normalise, resolve};
pub use product::{Product, UnknownProduct, Vendor};
pub use repeat::{Effective, Repeat, effective, repeat_rule};
pub use secret::{holds_secret, is_secret, redacted_line};
