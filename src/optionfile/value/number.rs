//! Integers, sizes and decimals.

use super::{ValueError, is_c_space};
use crate::optionfile::{Product, Vendor};

/// The C type of an integer option on 64-bit Linux.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum IntegerType {
    /// 32 bits with sign.
    Int,
    /// 32 bits.
    UInt,
    /// 64 bits with sign.
    Long,
    /// 64 bits.
    ULong,
}

impl IntegerType {
    /// Whether it has a sign.
    pub fn is_signed(self) -> bool {
        matches!(self, IntegerType::Int | IntegerType::Long)
    }

    /// Its largest value.
    pub fn max(self) -> i128 {
        match self {
            IntegerType::Int => i128::from(i32::MAX),
            IntegerType::UInt => i128::from(u32::MAX),
            IntegerType::Long => i128::from(i64::MAX),
            IntegerType::ULong => i128::from(u64::MAX),
        }
    }
}

/// An integer as read, before it is fitted into the option's range.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Integer {
    /// The value. Below zero for an option without sign in MySQL: it then gets its
    /// minimum.
    pub value: i128,
    /// Whether text behind the suffix was passed over without a word (`16MB`).
    pub ignored_tail: bool,
    /// Whether it was too large for 64 bits and wrapped around (MariaDB, `99E`).
    pub wrapped: bool,
}

/// Reads an integer or a size: optional `+`, decimal digits, at most one letter of
/// `K M G T P E` in any case, each a factor of 1024 more. What follows the letter is
/// ignored (`1e6` is one exa). No digits before a letter count as 0.
///
/// # Errors
/// What the server refuses to start with.
pub fn integer(product: &Product, text: &[u8], ty: IntegerType) -> Result<Integer, ValueError> {
    match product.vendor {
        Vendor::MySql => mysql_integer(text, ty),
        Vendor::MariaDb => {
            // 10.5.29 lets them wrap around, 10.11.19 and 11.8.9 refuse them.
            let refuses_negative = (product.major, product.minor) >= (10, 6);
            mariadb_integer(text, ty, refuses_negative)
        }
    }
}

/// What C's `strtoull` or `strtoll` makes of the beginning of a text.
struct Digits<'a> {
    is_negative: bool,
    /// `None`: more than 64 bits (or 63 and a sign) hold.
    magnitude: Option<u64>,
    /// What is behind the last digit; the whole text if there is no digit.
    rest: &'a [u8],
}

fn digits(text: &[u8], is_signed: bool) -> Digits<'_> {
    let blanks = text.iter().take_while(|&&b| is_c_space(b)).count();
    let (is_negative, number) = match &text[blanks..] {
        [b'-', number @ ..] => (true, number),
        [b'+', number @ ..] => (false, number),
        number => (false, number),
    };
    let count = number.iter().take_while(|b| b.is_ascii_digit()).count();
    if count == 0 {
        return Digits { is_negative: false, magnitude: Some(0), rest: text };
    }
    let most = match (is_signed, is_negative) {
        (false, _) => u64::MAX,
        (true, false) => i64::MAX as u64,
        (true, true) => i64::MIN.unsigned_abs(),
    };
    let magnitude = number[..count]
        .iter()
        .try_fold(0u64, |sum, digit| sum.checked_mul(10)?.checked_add(u64::from(digit - b'0')))
        .filter(|magnitude| *magnitude <= most);
    Digits { is_negative, magnitude, rest: &number[count..] }
}

/// Bits to shift for a suffix; anything but one of its letters is an error.
fn suffix_shift(rest: &[u8]) -> Result<u32, ValueError> {
    let Some(&letter) = rest.first() else {
        return Ok(0);
    };
    match letter.to_ascii_uppercase() {
        b'K' => Ok(10),
        b'M' => Ok(20),
        b'G' => Ok(30),
        b'T' => Ok(40),
        b'P' => Ok(50),
        b'E' => Ok(60),
        _ => Err(ValueError::UnknownSuffix { found: letter }),
    }
}

fn mysql_integer(text: &[u8], ty: IntegerType) -> Result<Integer, ValueError> {
    if text.is_empty() {
        return Err(ValueError::Empty);
    }
    let is_signed = ty.is_signed();
    let looks_negative =
        text.iter().find(|&&b| !is_c_space(b) && b != 0xA0).is_some_and(|&b| b == b'-');
    if looks_negative && !is_signed {
        // The text behind the minus is not looked at.
        let Digits { magnitude, .. } = digits(text, false);
        let below = i128::from(magnitude.unwrap_or(u64::MAX)).max(1);
        return Ok(plain(-below, &[]));
    }
    let read = digits(text, is_signed);
    let shift = match read.magnitude {
        // The suffix isn't looked at any more.
        None => return Err(ValueError::TooLarge),
        Some(_) => suffix_shift(read.rest)?,
    };
    let magnitude = i128::from(read.magnitude.unwrap_or_default()) << shift;
    let value = if read.is_negative { -magnitude } else { magnitude };
    let (low, high) = if is_signed {
        (i128::from(i64::MIN), i128::from(i64::MAX))
    } else {
        (0, i128::from(u64::MAX))
    };
    if value < low || value > high {
        return Err(ValueError::TooLarge);
    }
    Ok(plain(value, read.rest))
}

fn mariadb_integer(
    text: &[u8],
    ty: IntegerType,
    refuses_negative: bool,
) -> Result<Integer, ValueError> {
    let is_signed = ty.is_signed();
    if text.first() == Some(&b'-') && !is_signed && refuses_negative {
        return Err(ValueError::Negative);
    }
    let read = digits(text, is_signed);
    let magnitude = read.magnitude.ok_or(ValueError::TooLarge)?;
    let shift = suffix_shift(read.rest)?;
    // A minus behind a blank gets here for options without sign too, and wraps.
    let bits = if read.is_negative { magnitude.wrapping_neg() } else { magnitude };
    let shifted = bits.wrapping_shl(shift);
    let value = if is_signed { i128::from(shifted.cast_signed()) } else { i128::from(shifted) };
    let exact = i128::from(magnitude) << shift;
    let exact = if read.is_negative { -exact } else { exact };
    Ok(Integer { wrapped: value != exact, ..plain(value, read.rest) })
}

fn plain(value: i128, rest: &[u8]) -> Integer {
    Integer { value, ignored_tail: rest.len() > 1, wrapped: false }
}

/// The range of an integer option.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Range {
    /// Smallest value.
    pub min: i128,
    /// Largest value; 0: no limit but the type's.
    pub max: i128,
    /// Values are multiples of it; 0 and 1: any.
    pub block: u64,
    /// The type behind it.
    pub ty: IntegerType,
}

/// A value fitted into its range.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Clamped {
    /// What the option gets.
    pub value: i128,
    /// Whether the server warns: the value was outside the range.
    pub adjusted: bool,
    /// Whether it was rounded down to a multiple of the block size, of which the
    /// server says nothing.
    pub rounded: bool,
}

/// Fits a value into the option's range: first the maximum, then down to a multiple of
/// the block size, then the minimum.
pub fn clamp(value: i128, range: &Range) -> Clamped {
    let mut fitted = value;
    if range.max != 0 && fitted > range.max {
        fitted = range.max;
    }
    fitted = fitted.min(range.ty.max());
    let limited = fitted;
    if range.block > 1 && fitted > 0 {
        fitted -= fitted % i128::from(range.block);
    }
    let rounded = fitted != limited && fitted >= range.min;
    if fitted < range.min {
        fitted = range.min;
    }
    Clamped { value: fitted, adjusted: limited != value || value < range.min, rounded }
}

/// Reads a decimal number: sign, digits, point, digits, exponent; no suffix. Blanks in
/// front (they must have been quoted or escaped) are skipped.
///
/// # Errors
/// What the server refuses to start with.
pub fn double(product: &Product, text: &[u8]) -> Result<f64, ValueError> {
    if text.is_empty() {
        return match product.vendor {
            Vendor::MySql => Err(ValueError::Empty),
            Vendor::MariaDb => Ok(0.0),
        };
    }
    let blanks = text.iter().take_while(|&&b| is_c_space(b)).count();
    let text = &text[blanks..];
    // Rust's grammar is the same but for words such as `inf` and `nan`.
    let is_plain =
        text.iter().all(|b| b.is_ascii_digit() || matches!(b, b'+' | b'-' | b'.' | b'e' | b'E'));
    let number = std::str::from_utf8(text)
        .ok()
        .filter(|_| is_plain)
        .and_then(|text| text.parse::<f64>().ok())
        .ok_or(ValueError::NotDecimal)?;
    if number.is_infinite() {
        return Err(ValueError::NotDecimal);
    }
    Ok(number)
}

/// Fits a decimal into its range; a maximum of 0 is none. The flag tells whether the
/// server warns.
pub fn clamp_double(value: f64, min: f64, max: f64) -> (f64, bool) {
    if max != 0.0 && value > max {
        (max, true)
    } else if value < min {
        (min, true)
    } else {
        (value, false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MYSQL: Product = Product::mysql(9, 7);
    const MARIA: Product = Product::mariadb(11, 8);
    const EXA: i128 = 1 << 60;

    fn read(product: &Product, text: &str) -> Result<i128, ValueError> {
        integer(product, text.as_bytes(), IntegerType::ULong).map(|found| found.value)
    }

    fn suffix(found: char) -> Result<i128, ValueError> {
        let found = found as u8;
        Err(ValueError::UnknownSuffix { found })
    }

    #[test]
    fn one_letter_multiplies_and_hides_what_follows() {
        for product in [&MYSQL, &MARIA] {
            for (text, want) in [
                ("16m", 16 << 20),
                ("16M", 16 << 20),
                ("16MB", 16 << 20),
                ("16Mfoo", 16 << 20),
                ("1e6", EXA),
                ("3k", 3072),
                ("+5", 5),
                ("016", 16),
                ("M", 0),
                ("2G", 2 << 30),
                ("1T", 1 << 40),
                ("1P", 1 << 50),
                (" 5", 5),
                ("18446744073709551615", i128::from(u64::MAX)),
            ] {
                assert_eq!(read(product, text), Ok(want), "{product} {text}");
            }
            let tail = |text: &str| {
                let found = integer(product, text.as_bytes(), IntegerType::ULong);
                found.unwrap().ignored_tail
            };
            assert!(tail("16MB") && tail("1e6") && !tail("16M") && !tail("16"));
        }
    }

    #[test]
    fn anything_else_behind_the_digits_is_refused() {
        for product in [&MYSQL, &MARIA] {
            for (text, found) in [
                ("16 M", ' '),
                ("1.5M", '.'),
                ("0x10", 'x'),
                ("64 * 1024", ' '),
                ("3310;", ';'),
                ("50%", '%'),
                ("abc", 'a'),
                ("3312 ; semi", ' '),
                ("55 ", ' '),
                ("+ 55", '+'),
                ("+", '+'),
            ] {
                assert_eq!(read(product, text), suffix(found), "{product} {text}");
            }
            let digits = "18446744073709551616";
            assert_eq!(read(product, digits), Err(ValueError::TooLarge));
        }
    }

    #[test]
    fn the_vendors_differ_on_negative_empty_and_too_large_numbers() {
        assert_eq!(read(&MYSQL, "-5"), Ok(-5));
        assert_eq!(read(&MYSQL, "-x"), Ok(-1));
        assert_eq!(read(&MARIA, "-5"), Err(ValueError::Negative));
        let wrapped = (1 << 64) - 5;
        assert_eq!(read(&Product::mariadb(10, 5), "-5"), Ok(wrapped));
        assert_eq!(read(&MARIA, " -5"), Ok(wrapped));
        assert_eq!(read(&MYSQL, ""), Err(ValueError::Empty));
        assert_eq!(read(&MARIA, ""), Ok(0));
        assert_eq!(read(&MYSQL, "99E"), Err(ValueError::TooLarge));
        assert_eq!(read(&MARIA, "99E"), Ok((99 * EXA) % (1 << 64)));
        assert!(integer(&MARIA, b"99E", IntegerType::ULong).unwrap().wrapped);
        assert_eq!(read(&MYSQL, "15E"), Ok(15 * EXA));
    }

    #[test]
    fn signed_numbers_may_be_negative() {
        for product in [&MYSQL, &MARIA] {
            let read = |text: &str| integer(product, text.as_bytes(), IntegerType::Long);
            assert_eq!(read("-1").map(|i| i.value), Ok(-1));
            assert_eq!(read("-2K").map(|i| i.value), Ok(-2048));
            let lowest = i128::from(i64::MIN);
            assert_eq!(read("-9223372036854775808").map(|i| i.value), Ok(lowest));
            assert_eq!(read("9223372036854775808"), Err(ValueError::TooLarge));
        }
        assert_eq!(integer(&MYSQL, b"8E", IntegerType::Long), Err(ValueError::TooLarge));
    }

    #[test]
    fn values_are_fitted_into_their_range() {
        let packet = Range { min: 1024, max: 1 << 30, block: 1024, ty: IntegerType::ULong };
        let fit = |value| {
            let fitted = clamp(value, &packet);
            (fitted.value, fitted.adjusted, fitted.rounded)
        };
        assert_eq!(fit(16_777_216), (16_777_216, false, false));
        assert_eq!(fit(16_777_217), (16_777_216, false, true));
        assert_eq!(fit(EXA), (1 << 30, true, false));
        assert_eq!(fit(5), (1024, true, false));
        assert_eq!(fit(-5), (1024, true, false));
        let unlimited = Range { min: 0, max: 0, block: 0, ty: IntegerType::UInt };
        assert_eq!(clamp(EXA, &unlimited).value, i128::from(u32::MAX));
    }

    #[test]
    fn decimals_have_no_suffix() {
        for product in [&MYSQL, &MARIA] {
            for (text, want) in [
                ("0.5", 0.5),
                ("10", 10.0),
                (".5", 0.5),
                ("5.", 5.0),
                ("1e2", 100.0),
                ("-1", -1.0),
                (" 1", 1.0),
                ("+5", 5.0),
                ("1e-400", 0.0),
            ] {
                assert_eq!(double(product, text.as_bytes()), Ok(want), "{text}");
            }
            for text in [
                "1s", "abc", "1,5", "inf", "nan", "1e", ".", "1e999", "1 ", "+ 5", "0x10",
                "\u{a0}5", " ",
            ] {
                assert_eq!(double(product, text.as_bytes()), Err(ValueError::NotDecimal), "{text}");
            }
        }
        assert_eq!(double(&MYSQL, b""), Err(ValueError::Empty));
        assert_eq!(double(&MARIA, b""), Ok(0.0));
        assert_eq!(clamp_double(5.0, 0.0, 1.0), (1.0, true));
        assert_eq!(clamp_double(-5.0, 0.0, 0.0), (0.0, true));
        assert_eq!(clamp_double(5.0, 0.0, 0.0), (5.0, false));
    }
}
