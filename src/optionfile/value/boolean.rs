//! ON and OFF.

use crate::optionfile::{Product, Vendor};

/// Whether a boolean option is declared with an optional argument or with none. Values
/// are accepted either way, for historical reasons, but not the same ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BooleanArgument {
    /// Nearly all system variables.
    Optional,
    /// Options such as `skip-grant-tables` in MySQL.
    None,
}

/// What becomes of a boolean option.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Boolean {
    /// ON or OFF; `None`: the server ignores the line.
    pub value: Option<bool>,
    /// Whether it warns that it didn't understand the text.
    pub warns: bool,
}

/// The value of a boolean option; `text` is `None` where the option is bare.
///
/// `on`, `true`, `1` and `off`, `false`, `0` in any case. Anything else (`yes`, `2`,
/// nothing) warns, and means OFF, or nothing at all where no argument was expected.
pub fn boolean(product: &Product, text: Option<&[u8]>, argument: BooleanArgument) -> Boolean {
    let Some(text) = text else {
        return sure(true);
    };
    let is = |words: &[&str]| words.iter().any(|word| text.eq_ignore_ascii_case(word.as_bytes()));
    if is(&["on", "true", "1"]) {
        return sure(true);
    }
    if is(&["off", "false", "0"]) {
        return sure(false);
    }
    let without_argument = argument == BooleanArgument::None;
    match (product.vendor, text.first()) {
        // MariaDB looks at the first digit only.
        (Vendor::MariaDb, Some(b'1')) if without_argument => sure(true),
        (Vendor::MariaDb, Some(b'0')) if without_argument => sure(false),
        _ => Boolean { value: (!without_argument).then_some(false), warns: true },
    }
}

fn sure(value: bool) -> Boolean {
    Boolean { value: Some(value), warns: false }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MYSQL: Product = Product::mysql(9, 7);
    const MARIA: Product = Product::mariadb(11, 8);

    fn read(product: &Product, text: &str, argument: BooleanArgument) -> (Option<bool>, bool) {
        let found = boolean(product, Some(text.as_bytes()), argument);
        (found.value, found.warns)
    }

    #[test]
    fn six_words_in_any_case_are_understood() {
        for product in [&MYSQL, &MARIA] {
            for argument in [BooleanArgument::Optional, BooleanArgument::None] {
                assert_eq!(boolean(product, None, argument).value, Some(true));
                for text in ["on", "ON", "True", "1"] {
                    assert_eq!(read(product, text, argument), (Some(true), false), "{text}");
                }
                for text in ["off", "OFF", "False", "0"] {
                    assert_eq!(read(product, text, argument), (Some(false), false), "{text}");
                }
            }
        }
    }

    #[test]
    fn anything_else_is_off_with_a_warning() {
        for product in [&MYSQL, &MARIA] {
            for text in ["yes", "", "2", "on ", "10", "01", "enabled"] {
                let found = read(product, text, BooleanArgument::Optional);
                assert_eq!(found, (Some(false), true), "{text}");
            }
        }
    }

    #[test]
    fn options_without_argument_ignore_what_they_do_not_understand() {
        let argument = BooleanArgument::None;
        assert_eq!(read(&MYSQL, "yes", argument), (None, true));
        assert_eq!(read(&MARIA, "yes", argument), (None, true));
        assert_eq!(read(&MYSQL, "1x", argument), (None, true));
        assert_eq!(read(&MARIA, "1x", argument), (Some(true), false));
        assert_eq!(read(&MARIA, "00", argument), (Some(false), false));
    }
}
