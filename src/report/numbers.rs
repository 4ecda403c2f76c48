//! Numbers for people: signs, digits, thousands separators. Unrounded values go in, text comes
//! out; minus is U+2212 and units hang on a no-break space. Files for programs never use this.

/// Minus sign, as wide as the plus sign.
const MINUS: char = '\u{2212}';
/// No-break space.
const NBSP: char = '\u{a0}';
/// What stands where there is no number.
pub const NOTHING: &str = "–";

/// `+46.2 %`, `−0.4 %`, `0.0 %`, `+1,240 %`; a dash for what is no number.
pub fn percent(value: f64) -> String {
    match signed(value) {
        Some(digits) => format!("{digits}{NBSP}%"),
        None => NOTHING.to_owned(),
    }
}

/// `[+41.0, +51.6]`, in percent; a dash for none.
pub fn interval(ends: Option<(f64, f64)>) -> String {
    let Some((low, high)) = ends else { return NOTHING.to_owned() };
    let end = |value| signed(value).unwrap_or_else(|| NOTHING.to_owned());
    format!("[{}, {}]", end(low), end(high))
}

/// `between −3.0 % and +4.1 %`.
pub fn between(low: f64, high: f64) -> String {
    format!("between {} and {}", percent(low), percent(high))
}

/// `46 % more`, `7.1 % fewer`, `2.4 times as many`, for sentences about rates.
pub fn more_or_fewer(value: f64) -> String {
    if value >= 100.0 {
        let times = 1.0 + value / 100.0;
        let digits = usize::from(times < 10.0);
        return format!("{} times as many", grouped(times, digits));
    }
    let size = value.abs().min(99.9);
    let digits = usize::from(!(9.95..=99.0).contains(&size));
    let word = if value < 0.0 { "fewer" } else { "more" };
    format!("{}{NBSP}% {word}", grouped(size, digits))
}

/// A percentage without a sign, for thresholds: `5 %`, `2.5 %`.
pub fn plain_percent(value: f64) -> String {
    let rounded = (value * 10.0).round() / 10.0;
    let digits = usize::from(rounded.fract() != 0.0);
    format!("{}{NBSP}%", grouped(rounded, digits))
}

/// A tick on a percent axis: `+10 %`, `0`, `−2.5 %`.
pub fn tick_percent(value: f64) -> String {
    if value.abs() < 1e-9 {
        return "0".to_owned();
    }
    let sign = if value < 0.0 { MINUS } else { '+' };
    format!("{sign}{}", plain_percent(value.abs()))
}

/// `2,810`, `81.4`, `3.25`: about three digits at least.
pub fn rate(value: f64) -> String {
    if !value.is_finite() {
        return NOTHING.to_owned();
    }
    let digits = match value.abs() {
        size if size >= 99.95 => 0,
        size if size >= 9.995 => 1,
        _ => 2,
    };
    grouped(value, digits)
}

/// `12,480`.
pub fn count(value: u64) -> String {
    let digits = value.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// `0.031`, `< 0.001`, a dash for none.
pub fn p_value(value: Option<f64>) -> String {
    match value {
        Some(p) if p < 0.001 => format!("<{NBSP}0.001"),
        Some(p) if p < 0.0995 => format!("{p:.3}"),
        Some(p) if p.is_finite() => format!("{p:.2}"),
        _ => NOTHING.to_owned(),
    }
}

/// `512 MiB`, `4 GiB`, `23.4 GiB`.
pub fn bytes(value: u64) -> String {
    const UNITS: [&str; 5] = ["B", "KiB", "MiB", "GiB", "TiB"];
    let mut size = value as f64;
    let mut unit = 0;
    while size >= 1024.0 && unit + 1 < UNITS.len() {
        size /= 1024.0;
        unit += 1;
    }
    let digits = usize::from((size * 10.0).round() % 10.0 != 0.0);
    format!("{}{NBSP}{}", grouped(size, digits), UNITS[unit])
}

/// `200 ms`, `1 s`, `2.5 s`, `6.2 min`, `3.1 h`.
pub fn duration(seconds: f64) -> String {
    let (value, unit) = match seconds {
        s if !s.is_finite() => return NOTHING.to_owned(),
        s if s < 0.9995 => ((s * 1000.0).round(), "ms"),
        s if s < 120.0 => (s, "s"),
        s if s < 7200.0 => (s / 60.0, "min"),
        s => (s / 3600.0, "h"),
    };
    let digits = usize::from((value * 10.0).round() % 10.0 != 0.0);
    format!("{}{NBSP}{unit}", grouped(value, digits))
}

/// `1 round`, `4 rounds`.
pub fn counted(n: usize, one: &str, many: &str) -> String {
    format!("{}{NBSP}{}", count(n as u64), if n == 1 { one } else { many })
}

/// The digits of a percentage with its sign, none for what rounds to zero. A ratio never reaches
/// −100 %, so rounding must not claim it.
fn signed(value: f64) -> Option<String> {
    if !value.is_finite() {
        return None;
    }
    let value = if value > -100.0 { value.max(-99.9) } else { value };
    let digits = usize::from(value.abs() < 99.95);
    let size = grouped(value.abs(), digits);
    Some(if size == "0.0" {
        size
    } else if value < 0.0 {
        format!("{MINUS}{size}")
    } else {
        format!("+{size}")
    })
}

/// A number with thousands separators and so many decimals.
fn grouped(value: f64, digits: usize) -> String {
    let text = format!("{:.digits$}", value.abs());
    let (whole, rest) = text.split_at(text.find('.').unwrap_or(text.len()));
    let whole = whole.parse::<u64>().map_or_else(|_| whole.to_owned(), count);
    let negative = value < 0.0 && text.bytes().any(|b| matches!(b, b'1'..=b'9'));
    format!("{}{whole}{rest}", if negative { "\u{2212}" } else { "" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentages_have_a_sign_and_sensible_digits() {
        let cases = [
            (46.23, "+46.2\u{a0}%"),
            (-0.44, "\u{2212}0.4\u{a0}%"),
            (-0.04, "0.0\u{a0}%"),
            (0.04, "0.0\u{a0}%"),
            (99.97, "+100\u{a0}%"),
            (-99.97, "\u{2212}99.9\u{a0}%"),
            (1240.4, "+1,240\u{a0}%"),
            (f64::NAN, "–"),
        ];
        for (value, text) in cases {
            assert_eq!(percent(value), text);
        }
        assert_eq!(interval(Some((-3.0, 4.06))), "[\u{2212}3.0, +4.1]");
    }

    #[test]
    fn sentences_say_more_or_fewer() {
        assert_eq!(more_or_fewer(46.2), "46\u{a0}% more");
        assert_eq!(more_or_fewer(7.11), "7.1\u{a0}% more");
        assert_eq!(more_or_fewer(-12.3), "12\u{a0}% fewer");
        assert_eq!(more_or_fewer(-99.99), "99.9\u{a0}% fewer");
        assert_eq!(more_or_fewer(140.0), "2.4 times as many");
    }

    #[test]
    fn rates_sizes_and_times_read_well() {
        assert_eq!(rate(2810.4), "2,810");
        assert_eq!(rate(99.96), "100");
        assert_eq!(rate(3.254), "3.25");
        assert_eq!(count(1_234_567), "1,234,567");
        assert_eq!(bytes(4 << 30), "4\u{a0}GiB");
        assert_eq!(bytes(25_000_000_000), "23.3\u{a0}GiB");
        assert_eq!(duration(0.2), "200\u{a0}ms");
        assert_eq!(duration(372.0), "6.2\u{a0}min");
        assert_eq!(p_value(Some(0.000_04)), "<\u{a0}0.001");
        assert_eq!(p_value(Some(0.0314)), "0.031");
        assert_eq!(plain_percent(5.0), "5\u{a0}%");
        assert_eq!(tick_percent(-2.5), "\u{2212}2.5\u{a0}%");
    }
}
