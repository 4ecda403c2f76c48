//! Further values of an option, from the one that it has: those known by name to make a
//! difference, else by the kind of value. Proposes only what the server's own range allows; whether
//! a value does anything is for the probe to find out.

use super::active::{Active, as_bool};
use super::build::{Scene, Standing};
use super::known_values::{self, Known, NEVER};
use super::scale::BUFFERS;
use super::words::Values;
use crate::catalog::{Kind, OptionInfo};
use crate::optionfile::value::{IntegerType, enumeration, integer};

/// An enumeration of more values than this is a list (of character sets, say), not a choice.
const LONGEST_CHOICE: usize = 12;

/// What values of an option depend on beside the server.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Machine {
    /// CPUs of the servers.
    pub cpus: usize,
    /// Memory of one server, bytes.
    pub memory: u64,
    /// Connections of the load.
    pub threads: u32,
}

impl Scene<'_> {
    /// Values to try beside what the line says and the server's default, as they are written into
    /// the file.
    pub(super) fn alternatives(&self, option: &Active, standing: &Standing<'_>) -> Vec<String> {
        let reach = self.wishes.values;
        let Some(info) = self.catalog.get(&option.name) else { return Vec::new() };
        if reach == Values::Default {
            return Vec::new();
        }
        let known = known_values::of(&option.name);
        let mut proposed: Vec<String> = Vec::new();
        if let Some(Known { values, .. }) = known {
            proposed.extend(values.split_whitespace().filter_map(|v| {
                // A multiple of another option's value.
                let other = v.strip_prefix("2*").and_then(|name| self.now(standing, name));
                match other.and_then(|now| self.number(&now)) {
                    Some(n) => self.in_range(option, info, 2 * n),
                    None => self.known_value(option, info, v, standing),
                }
            }));
        }
        let is_final = known.is_some_and(|k| k.is_final);
        if known.is_none() || (reach == Values::All && !is_final) {
            proposed.extend(self.by_kind(option, info, standing));
        }
        let mut seen: Vec<String> = Vec::new();
        for value in [option.value_text(), info.default.clone()].into_iter().flatten() {
            seen.push(self.meaning(info, &value));
        }
        proposed.retain(|value| {
            let meaning = self.meaning(info, value);
            let is_new = !seen.contains(&meaning) && self.is_allowed(&option.name, info, value);
            if is_new {
                seen.push(meaning);
            }
            is_new
        });
        proposed
    }

    /// A value of the table, worked out.
    fn known_value(
        &self,
        option: &Active,
        info: &OptionInfo,
        value: &str,
        standing: &Standing<'_>,
    ) -> Option<String> {
        let Machine { cpus, memory, threads } = self.wishes.machine;
        let whole = |n: i128| self.in_range(option, info, n);
        match value {
            "''" => Some(String::new()),
            "cpus" => whole(cpus as i128),
            "2*cpus" => whole(2 * cpus as i128),
            "threads+10" => whole(i128::from(threads) + 10),
            "memory/2" => whole(i128::from(memory / 2)),
            "/2" => self.times(option, info, 1, 2, standing),
            "*2" => self.times(option, info, 2, 1, standing),
            _ if info.kind == Kind::Integer => {
                let n = self.number(value)?;
                match self.in_range(option, info, n) {
                    // As it is written in the table, unless the server's range or block changes it.
                    Some(fitted) if self.number(&fitted) == Some(n) => Some(value.to_owned()),
                    fitted => fitted,
                }
            }
            _ => Some(value.to_owned()),
        }
    }

    /// What is tried of an option about which nothing more is known.
    fn by_kind(&self, option: &Active, info: &OptionInfo, standing: &Standing<'_>) -> Vec<String> {
        // 0 is often "as the server sees fit": there is nothing to multiply.
        let is_automatic = info.default.as_deref().and_then(|d| self.number(d)) == Some(0);
        let factors: &[(i128, i128)] = match self.wishes.values {
            Values::All => &[(1, 2), (2, 1), (1, 4), (4, 1)],
            Values::Default | Values::Few => &[(1, 2), (2, 1)],
        };
        match info.kind {
            Kind::Integer if !is_automatic => factors
                .iter()
                .filter_map(|(n, d)| self.times(option, info, *n, *d, standing))
                .collect(),
            Kind::Double => {
                let now = option.value_text().and_then(|v| v.trim().parse::<f64>().ok());
                let Some(now) = now.filter(|v| *v != 0.0) else { return Vec::new() };
                let tried = factors.iter().map(|(n, d)| now * *n as f64 / *d as f64);
                tried.filter(|new| in_bounds(info, *new)).map(|new| new.to_string()).collect()
            }
            Kind::Enumeration if info.values.len() <= LONGEST_CHOICE => info.values.clone(),
            Kind::Set => vec![String::new()],
            _ => Vec::new(),
        }
    }

    /// The value of the line times `n / d`, where that is in range.
    fn times(
        &self,
        option: &Active,
        info: &OptionInfo,
        n: i128,
        d: i128,
        standing: &Standing<'_>,
    ) -> Option<String> {
        let now = self.number(&option.value_text()?)?;
        let mut new = now.checked_mul(n)? / d;
        if option.name == "innodb_buffer_pool_size" {
            let line = |name: &str| standing.get(name).and_then(Active::value_text);
            new = self.whole_chunks(u64::try_from(new).ok()?, line).into();
        }
        let most = self.wishes.machine.memory / 2;
        let too_big = BUFFERS.contains(&option.name.as_str()) && most > 0 && new > most.into();
        (now > 0 && new > 0 && !too_big).then(|| self.in_range(option, info, new))?
    }

    /// A number as the server would keep it, in the manner of the line: none above its range, its
    /// smallest below it, a multiple of its block.
    fn in_range(&self, option: &Active, info: &OptionInfo, n: i128) -> Option<String> {
        let bound = |text: &Option<String>| text.as_deref()?.parse::<i128>().ok();
        if bound(&info.max).is_some_and(|max| n > max) {
            return None;
        }
        let n = bound(&info.min).map_or(n, |min| n.max(min));
        let n = match info.block {
            Some(block) if n > 0 => n / i128::from(block) * i128::from(block),
            _ => n,
        };
        let like = option.value_text().unwrap_or_default();
        Some(spelled(n, &like))
    }

    pub(super) fn number(&self, text: &str) -> Option<i128> {
        let negative = text.trim_start().starts_with('-');
        let kind = if negative { IntegerType::Long } else { IntegerType::ULong };
        integer(self.product, text.as_bytes(), kind).ok().map(|read| read.value)
    }

    /// The value of a server that was given nothing, as people write it: numbers in the manner of
    /// another text.
    pub(super) fn default_of(&self, option: &str, like: Option<&str>) -> Option<String> {
        let info = self.catalog.get(option)?;
        let default = info.default.as_deref()?;
        let number = |text: &str| self.number(text).filter(|n| n.to_string() == text);
        Some(match (info.kind, default) {
            (Kind::Boolean, "TRUE") => "ON".to_owned(),
            (Kind::Boolean, "FALSE") => "OFF".to_owned(),
            (Kind::Integer, text) => match (number(text), like) {
                (Some(n), Some(like)) => spelled(n, like),
                _ => text.to_owned(),
            },
            (Kind::Double, text) if text.contains('.') => {
                text.trim_end_matches('0').trim_end_matches('.').to_owned()
            }
            (_, text) => text.to_owned(),
        })
    }

    /// What the server makes of a text, so that two spellings of one value are one.
    pub(super) fn meaning(&self, info: &OptionInfo, text: &str) -> String {
        let read = match info.kind {
            Kind::Integer => self.number(text).map(|n| n.to_string()),
            Kind::Double => text.trim().parse::<f64>().ok().map(|n| n.to_string()),
            Kind::Boolean => as_bool(text).map(|on| on.to_string()),
            Kind::Enumeration => enumeration(self.product, text.as_bytes(), &info.values)
                .ok()
                .and_then(|index| info.values.get(index).cloned()),
            Kind::Set | Kind::FlagSet | Kind::Text => None,
        };
        read.unwrap_or_else(|| text.to_owned()).to_ascii_lowercase()
    }

    /// Whether it may be proposed: the server has it, and it is none that breaks the load.
    fn is_allowed(&self, option: &str, info: &OptionInfo, value: &str) -> bool {
        let same = |other: &str| other.eq_ignore_ascii_case(value);
        let exists = info.kind != Kind::Enumeration
            || info.values.is_empty()
            || info.values.iter().any(|v| same(v));
        exists && !NEVER.iter().any(|(name, never)| *name == option && same(never))
    }
}

/// Whether a decimal number is in the server's range, as far as that is told: MySQL prints some
/// bounds as the bits of the number.
fn in_bounds(info: &OptionInfo, value: f64) -> bool {
    const PLAUSIBLE: f64 = 1e15;
    let bound = |text: &Option<String>| -> Option<f64> {
        text.as_deref()?.parse().ok().filter(|b: &f64| b.abs() < PLAUSIBLE)
    };
    bound(&info.min).is_none_or(|min| value >= min)
        && bound(&info.max).is_none_or(|max| value <= max)
}

/// A number in the manner of another text: with a suffix where that has one and it comes out even.
pub(super) fn spelled(n: i128, like: &str) -> String {
    const SUFFIXES: [(char, u32); 4] = [('T', 40), ('G', 30), ('M', 20), ('K', 10)];
    let has_suffix = like.trim_end().ends_with(|c: char| c.is_ascii_alphabetic());
    let even = SUFFIXES.iter().find(|(_, shift)| n > 0 && n % (1_i128 << shift) == 0);
    match even.filter(|_| has_suffix) {
        Some((letter, shift)) => format!("{}{letter}", n >> shift),
        None => n.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_as_the_line_writes_them() {
        assert_eq!(spelled(64 << 20, "128M"), "64M");
        assert_eq!(spelled(64 << 20, "134217728"), "67108864");
        assert_eq!(spelled(1 << 30, "512m"), "1G");
        assert_eq!(spelled(1000, "2K"), "1000");
        assert_eq!(spelled(0, "1M"), "0");
    }
}
