//! Enumerations, sets and flag sets: words out of a list.

use super::{ValueError, is_c_space};
use crate::optionfile::{Product, Vendor};

/// Reads an enumeration: one of `names` in any letter case, the unique beginning of
/// one, or its index. Returns the index.
///
/// # Errors
/// What the server refuses to start with.
pub fn enumeration(
    product: &Product,
    text: &[u8],
    names: &[impl AsRef<[u8]>],
) -> Result<usize, ValueError> {
    if text.is_empty() && product.vendor == Vendor::MySql {
        return Err(ValueError::Empty);
    }
    match find(text, names, Ends::AtEnd) {
        Found::One(index) => Ok(index),
        Found::Several => Err(ValueError::AmbiguousChoice),
        // An empty text counts as 0 in MariaDB.
        Found::Nothing => match index(text) {
            Some(index) if index < names.len() as u64 => Ok(index as usize),
            _ => Err(ValueError::NoSuchChoice),
        },
    }
}

/// Reads a set: words of `names` separated by commas, without blanks behind the commas,
/// or a bit mask as a number. Returns the bits. Only the last word may be abbreviated.
/// An `=` is a comma to MySQL; in MariaDB it hides the rest of its word.
///
/// # Errors
/// What the server refuses to start with.
pub fn set(product: &Product, text: &[u8], names: &[impl AsRef<[u8]>]) -> Result<u64, ValueError> {
    match words(product, text, names) {
        Some(bits) => Ok(bits),
        None => index(text)
            .filter(|bits| *bits >> 1 < 1u64 << (names.len().clamp(1, 64) - 1))
            .ok_or(ValueError::NoSuchChoice),
    }
}

fn words(product: &Product, text: &[u8], names: &[impl AsRef<[u8]>]) -> Option<u64> {
    let splits = |byte: u8| match product.vendor {
        Vendor::MySql => is_separator(byte),
        Vendor::MariaDb => byte == b',',
    };
    let mut bits = 0;
    let mut rest = text;
    while !rest.is_empty() {
        let Found::One(index) = find(rest, names, Ends::AtSeparator) else {
            return None;
        };
        bits |= 1u64.checked_shl(u32::try_from(index).ok()?)?;
        let end = rest.iter().position(|&b| splits(b));
        // A comma at the very end is not passed over, and nothing is named `,`.
        rest = match end {
            Some(end) if end + 1 < rest.len() => &rest[end + 1..],
            Some(end) => &rest[end..],
            None => &[],
        };
    }
    Some(bits)
}

/// Reads a flag set: `flag=on`, `flag=off`, `flag=default`, or the word `default` for
/// all, separated by commas. It changes `current`, the value of the lines before, and
/// takes defaults from `defaults`; returns the new bits.
///
/// # Errors
/// What the server refuses to start with. MySQL 9.7 takes a last `flag=o`, which could
/// be `on` or `off`, for `flag=default`.
pub fn flag_set(
    product: &Product,
    text: &[u8],
    names: &[impl AsRef<[u8]>],
    current: u64,
    defaults: u64,
) -> Result<u64, ValueError> {
    // The server's list has the word `default` at its end.
    let mut list: Vec<&[u8]> = names.iter().map(AsRef::as_ref).collect();
    list.push(b"default");
    let (mut on, mut off) = (0u64, 0u64);
    let mut resets = false;
    if text.is_empty() {
        return Ok(current);
    }
    for item in text.split(|&b| b == b',') {
        let Found::One(flag) = find(item, &list, Ends::AtSeparator) else {
            return Err(ValueError::BadFlags);
        };
        let value = item.iter().position(|&b| b == b'=').map(|at| &item[at + 1..]);
        if flag == names.len() {
            if resets || value.is_some() {
                return Err(ValueError::BadFlags);
            }
            resets = true;
            continue;
        }
        let bit = u32::try_from(flag)
            .ok()
            .and_then(|flag| 1u64.checked_shl(flag))
            .ok_or(ValueError::BadFlags)?;
        if (on | off) & bit != 0 {
            return Err(ValueError::BadFlags);
        }
        let value = value.ok_or(ValueError::BadFlags)?;
        if value.contains(&b'=') {
            return Err(ValueError::BadFlags);
        }
        let turns_on = match find(value, &["off", "on", "default"], Ends::AtSeparator) {
            Found::One(0) => false,
            Found::One(1) => true,
            Found::One(_) => defaults & bit != 0,
            Found::Several if product.vendor == Vendor::MySql => defaults & bit != 0,
            Found::Nothing | Found::Several => return Err(ValueError::BadFlags),
        };
        if turns_on {
            on |= bit;
        } else {
            off |= bit;
        }
    }
    let start = if resets { defaults } else { current };
    Ok((start | on) & !off)
}

/// Where a word ends.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ends {
    /// At the end of the text.
    AtEnd,
    /// At a comma or `=` too.
    AtSeparator,
}

enum Found {
    Nothing,
    One(usize),
    Several,
}

fn is_separator(byte: u8) -> bool {
    matches!(byte, b',' | b'=')
}

/// Looks a word up: in full, blanks behind it ignored, or as a unique beginning. A word
/// that ends at a separator can't be abbreviated.
fn find(text: &[u8], names: &[impl AsRef<[u8]>], ends: Ends) -> Found {
    let end = match ends {
        Ends::AtEnd => None,
        Ends::AtSeparator => text.iter().position(|&b| is_separator(b)),
    };
    let word = &text[..end.unwrap_or(text.len())];
    let blanks = word.iter().rev().take_while(|&&b| b == b' ').count();
    let trimmed = &word[..word.len() - blanks];
    let exact = names
        .iter()
        .map(AsRef::as_ref)
        .position(|name| name.eq_ignore_ascii_case(trimmed) || name.eq_ignore_ascii_case(word));
    if let Some(index) = exact {
        return Found::One(index);
    }
    if word.is_empty() || end.is_some() {
        return Found::Nothing;
    }
    let begins =
        |name: &[u8]| name.get(..word.len()).is_some_and(|head| head.eq_ignore_ascii_case(word));
    let mut matches = names.iter().map(AsRef::as_ref).enumerate().filter(|(_, name)| begins(name));
    match (matches.next(), matches.next()) {
        (Some((index, _)), None) => Found::One(index),
        (Some(_), Some(_)) => Found::Several,
        (None, _) => Found::Nothing,
    }
}

/// A text that is a number from beginning to end, as `strtoul` takes it; an empty one
/// is 0.
fn index(text: &[u8]) -> Option<u64> {
    let blanks = text.iter().take_while(|&&b| is_c_space(b)).count();
    let (is_negative, number) = match &text[blanks..] {
        [b'+', number @ ..] if !number.is_empty() => (false, number),
        [b'-', number @ ..] if !number.is_empty() => (true, number),
        [] if blanks > 0 => return None,
        number => (false, number),
    };
    let number = number.iter().try_fold(0u64, |sum, digit| {
        let digit = digit.is_ascii_digit().then(|| u64::from(digit - b'0'))?;
        sum.checked_mul(10)?.checked_add(digit)
    })?;
    Some(if is_negative { number.wrapping_neg() } else { number })
}

#[cfg(test)]
mod tests {
    use super::*;

    const MYSQL: Product = Product::mysql(9, 7);
    const MARIA: Product = Product::mariadb(11, 8);
    const FORMATS: [&str; 3] = ["MIXED", "STATEMENT", "ROW"];
    const FLUSH: [&str; 6] =
        ["fsync", "O_DSYNC", "littlesync", "nosync", "O_DIRECT", "O_DIRECT_NO_FSYNC"];

    #[test]
    fn enumerations_take_names_unique_beginnings_and_indexes() {
        for product in [&MYSQL, &MARIA] {
            let format = |text: &str| enumeration(product, text.as_bytes(), &FORMATS);
            for (text, want) in [
                ("ROW", 2),
                ("row", 2),
                ("RO", 2),
                ("m", 0),
                ("1", 1),
                ("+1", 1),
                (" 1", 1),
                ("-0", 0),
                ("ROW ", 2),
            ] {
                assert_eq!(format(text), Ok(want), "{text}");
            }
            for text in [
                "3",
                "-1",
                "ROWS",
                "READ COMMITTED",
                "1x",
                "18446744073709551616",
                " ROW",
                "RO ",
                "ROW,",
            ] {
                assert_eq!(format(text), Err(ValueError::NoSuchChoice), "{text}");
            }
            let flush = |text: &str| enumeration(product, text.as_bytes(), &FLUSH);
            assert_eq!(flush("O_DIR"), Err(ValueError::AmbiguousChoice));
            assert_eq!(flush("O_DIRECT"), Ok(4));
        }
        assert_eq!(enumeration(&MYSQL, b"", &FORMATS), Err(ValueError::Empty));
        assert_eq!(enumeration(&MARIA, b"", &FORMATS), Ok(0));
    }

    #[test]
    fn sets_are_words_with_commas_or_a_mask() {
        let names = ["NONE", "FILE", "TABLE"];
        for product in [&MYSQL, &MARIA] {
            let read = |text: &str| set(product, text.as_bytes(), &names);
            for (text, want) in [
                ("FILE", 2),
                ("file,TABLE", 6),
                ("FILE ,TABLE", 6),
                ("FILE,TAB", 6),
                ("", 0),
                ("3", 3),
                ("+3", 3),
                (" 3", 3),
                ("7", 7),
            ] {
                assert_eq!(read(text), Ok(want), "{text}");
            }
            for text in [
                "FILE, TABLE",
                "FILE,",
                "FILE,,TABLE",
                "8",
                "NIL",
                ",",
                "FI,TABLE",
                " FILE",
                "3 ",
                "-1",
                "TAB,FILE",
            ] {
                assert_eq!(read(text), Err(ValueError::NoSuchChoice), "{text}");
            }
        }
        assert_eq!(set(&MYSQL, b"FILE=TABLE", &names), Ok(6));
        assert_eq!(set(&MARIA, b"FILE=TABLE", &names), Ok(2));
    }

    #[test]
    fn flag_sets_change_what_was_there() {
        let read = |text: &str, current| {
            flag_set(&MARIA, text.as_bytes(), &["merge", "hash", "mrr"], current, 0b001)
        };
        for (text, current, want) in [
            ("hash=on", 0b001, 0b011),
            ("merge=off,mrr=ON", 0b001, 0b100),
            ("default", 0b110, 0b001),
            ("default,hash=on", 0b110, 0b011),
            ("hash=default", 0b011, 0b001),
            ("", 0b101, 0b101),
        ] {
            assert_eq!(read(text, current), Ok(want), "{text}");
        }
        for text in ["hash=1", "hash", "nope=on", "hash=on,hash=off", "hash=on,", "default,default"]
        {
            assert_eq!(read(text, 0), Err(ValueError::BadFlags), "{text}");
        }
        assert_eq!(read("mrr=o", 0), Err(ValueError::BadFlags));
        assert_eq!(flag_set(&MYSQL, b"b=o", &["a", "b"], 0, 0b10), Ok(0b10));
    }
}
