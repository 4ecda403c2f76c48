//! From text to value as servers do it (my-cnf-syntax.md, section 6), one file per kind
//! of option. Which kind an option is, its range and its names are the catalogue's.

mod boolean;
mod choice;
mod number;

use thiserror::Error;

pub use boolean::{Boolean, BooleanArgument, boolean};
pub use choice::{enumeration, flag_set, set};
pub use number::{Clamped, Integer, IntegerType, Range, clamp, clamp_double, double, integer};

/// Why a server refuses a value and does not start.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ValueError {
    /// Nothing behind the `=`, where MySQL wants something.
    #[error("an empty value")]
    Empty,
    /// A letter, blank or sign where the number should have ended. Only one letter of
    /// `K M G T P E` may follow the digits.
    #[error("unknown suffix `{}`", char::from(*found).escape_default())]
    UnknownSuffix {
        /// The first byte that doesn't fit.
        found: u8,
    },
    /// More than 64 bits hold.
    #[error("the number is too large")]
    TooLarge,
    /// A minus where MariaDB wants none.
    #[error("a negative number, for an option without a sign")]
    Negative,
    /// No decimal number such as `0.5`.
    #[error("not a decimal number")]
    NotDecimal,
    /// None of the option's words, and no valid index.
    #[error("none of the values it can have")]
    NoSuchChoice,
    /// The beginning of several words.
    #[error("could be more than one of its values")]
    AmbiguousChoice,
    /// Not `flag=on`, `flag=off`, `flag=default` or `default`, separated by commas.
    #[error("not a list of `flag=on|off|default`")]
    BadFlags,
}

/// What C's `isspace` skips before a number: latin1's extra blank is not among it.
fn is_c_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t'..=b'\r')
}
