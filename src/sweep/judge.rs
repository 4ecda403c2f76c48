//! What the start of a toggle's server says about the toggle: refused, no-op, clamped, side effects,
//! slow. Pure: the probe has started it already.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use super::probe::{Seen, Variables};
use super::ready::NotReady;
use crate::catalog::{Catalog, Kind, OptionInfo};
use crate::optionfile::Product;
use crate::optionfile::value::{
    BooleanArgument, IntegerType, boolean, double, enumeration, integer,
};
use crate::toggle::{Action, Status, Toggle};

/// Variables that come out differently without that an option was meant to do it: MariaDB's version
/// says whether logs are on (`…-log`), MySQL's sleep delay tunes itself while the server runs.
const MOVING: [&str; 2] = ["version", "innodb_thread_sleep_delay"];

/// Names whose values differ.
pub(super) fn differing(a: &Variables, b: &Variables) -> BTreeSet<String> {
    a.iter()
        .filter(|(name, value)| b.get(*name) != Some(value))
        .map(|(name, _)| name)
        .chain(b.keys().filter(|name| !a.contains_key(*name)))
        .cloned()
        .collect()
}

/// Those whose values differ on account of an option, as far as is known.
fn moved(option: &str, a: &Variables, b: &Variables) -> BTreeSet<String> {
    let mut names = differing(a, b);
    names.retain(|name| name == option || !MOVING.contains(&name.as_str()));
    names
}

/// The unchanged server, and what else a toggle's is judged by.
pub(super) struct Unchanged<'a> {
    pub(super) variables: &'a Variables,
    /// Variables that differ between identical servers.
    pub(super) varying: BTreeSet<String>,
    pub(super) product: &'a Product,
    pub(super) catalog: &'a Catalog,
}

impl Unchanged<'_> {
    pub(super) fn judge(&self, toggle: &mut Toggle, found: &Result<Seen, NotReady>) {
        let seen = match found {
            Ok(seen) => seen,
            Err(e) => {
                toggle.status = Status::Refused;
                toggle.remark(&e.message);
                return;
            }
        };
        let mut changed = moved(&toggle.option, self.variables, &seen.variables);
        changed.retain(|name| !self.varying.contains(name));
        let info = self.catalog.get(&toggle.option);
        if let (Some(asked), Some(got), Some(info)) =
            (&toggle.to, seen.variables.get(&toggle.option), info)
            && toggle.action != Action::CommentOut
            && let Some(words) = other_than_asked(self.product, info, asked, got)
        {
            toggle.remark(&words);
        }
        if changed.is_empty() {
            // An option that is no variable may act all the same, and so may what it takes along;
            // and one that acts on what is created does so by its data directory.
            let is_variable = |name: &str| self.catalog.get(name).is_some_and(|i| i.variable);
            let all = is_variable(&toggle.option)
                && toggle.with.iter().all(|with| is_variable(&with.option));
            if all {
                toggle.status = Status::NoOp;
                toggle.remark(match toggle.action {
                    Action::CommentOut => "delete the line: it says what the server does anyway",
                    _ => "the server's variables are the same with and without",
                });
            }
            return;
        }
        let side = side_effects(toggle, &changed, &seen.variables);
        if !side.is_empty() {
            toggle.remark(&format!("also changes {}", listed(&side)));
        }
    }
}

/// The variables that changed beside those that the toggle is about.
fn side_effects(toggle: &Toggle, changed: &BTreeSet<String>, variables: &Variables) -> Vec<String> {
    // A whole family that follows its head says nothing by its names.
    let family = format!("{}_", toggle.option);
    let followers = changed.iter().filter(|name| name.starts_with(&family)).count();
    let mut side: Vec<String> = changed
        .iter()
        .filter(|name| **name != toggle.option && !name.starts_with(&family))
        .filter(|name| !toggle.with.iter().any(|with| with.option == **name))
        .map(|name| match variables.get(name) {
            Some(value) => format!("{name}={}", shortened(value)),
            None => format!("{name} gone"),
        })
        .collect();
    match followers {
        0 => {}
        1 => side.extend(changed.iter().find(|name| name.starts_with(&family)).cloned()),
        n => side.push(format!("{n} `{family}…` variables")),
    }
    side
}

fn listed(items: &[String]) -> String {
    const SHOWN: usize = 4;
    match items.len().checked_sub(SHOWN) {
        None | Some(0) => items.join(", "),
        Some(more) => format!("{} and {more} more", items[..SHOWN].join(", ")),
    }
}

fn shortened(value: &str) -> String {
    const LONGEST: usize = 40;
    match value.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &value[..end]),
        None => value.to_owned(),
    }
}

/// What is to be said where a value came out as another one: clamped into its range, rounded down to
/// its block, taken for something else. None where it is as asked, or can't be compared.
fn other_than_asked(
    product: &Product,
    info: &OptionInfo,
    asked: &str,
    got: &str,
) -> Option<String> {
    let text = asked.as_bytes();
    let same = match info.kind {
        Kind::Integer => {
            let signed = asked.trim_start().starts_with('-');
            let ty = if signed { IntegerType::Long } else { IntegerType::ULong };
            let number = integer(product, text, ty).ok()?.value;
            let got: i128 = got.parse().ok()?;
            if number != got && matches!(number, 0 | -1) {
                return Some(format!("asked {asked}, the server chose {got}"));
            }
            number == got
        }
        Kind::Double => {
            let (number, got) = (double(product, text).ok()?, got.parse::<f64>().ok()?);
            // Servers print six digits behind the point.
            (number - got).abs() <= 1e-6 * number.abs().max(1.0)
        }
        Kind::Enumeration => {
            let index = enumeration(product, text, &info.values).ok()?;
            let word = info.values.get(index)?;
            word.eq_ignore_ascii_case(got)
                || !info.values.iter().any(|w| w.eq_ignore_ascii_case(got))
        }
        Kind::Boolean => {
            let is_on = match got {
                "ON" => true,
                "OFF" => false,
                _ => return None,
            };
            // A word that is neither is said to mean OFF, and does not always.
            let said = boolean(product, Some(text), BooleanArgument::Optional);
            !said.warns && said.value == Some(is_on)
        }
        Kind::Set | Kind::FlagSet | Kind::Text => return None,
    };
    (!same).then(|| format!("clamped: asked {asked}, got {got}"))
}

/// Notes the toggles whose servers take far longer than the others' to get ready.
pub(super) fn note_slow_starts(
    list: &mut [Toggle],
    seen: &BTreeMap<usize, Result<Seen, NotReady>>,
) {
    /// Fewer starts have no usual time.
    const FEWEST: usize = 4;
    const TIMES: u32 = 2;
    let ready = |found: &Result<Seen, NotReady>| found.as_ref().ok().map(|s| s.ready_in);
    let mut times: Vec<Duration> = seen.values().filter_map(ready).collect();
    times.sort_unstable();
    let Some(usual) = times.get(times.len() / 2).filter(|_| times.len() >= FEWEST) else { return };
    for (i, found) in seen {
        if let Some(took) = ready(found)
            && took > *usual * TIMES
            && took > *usual + Duration::from_secs(1)
            && list[*i].status == Status::Planned
        {
            let (took, usual) = (took.as_secs_f64(), usual.as_secs_f64());
            list[*i].remark(&format!("slow to start: {took:.1} s, the others {usual:.1} s"));
        }
    }
}

/// Two toggles of one option that give the same server are measured once.
pub(super) fn drop_doubles(
    list: &mut [Toggle],
    seen: &BTreeMap<usize, Result<Seen, NotReady>>,
    varying: &BTreeSet<String>,
) {
    for i in 0..list.len() {
        let Some(Ok(this)) = seen.get(&i) else { continue };
        if list[i].status != Status::Planned {
            continue;
        }
        let twin = (0..i).find(|j| {
            list[*j].status == Status::Planned
                && list[*j].option == list[i].option
                && list[*j].data_dir == list[i].data_dir
                && seen.get(j).is_some_and(|other| {
                    other.as_ref().is_ok_and(|other| {
                        moved(&list[i].option, &this.variables, &other.variables).is_subset(varying)
                    })
                })
        });
        // Options that are no variables look alike whatever their value.
        if let Some(twin) = twin.filter(|_| this.variables.contains_key(&list[i].option)) {
            list[i].status = Status::NoOp;
            let same = format!("the same server as with `{}`", list[twin].id);
            list[i].remark(&same);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::Argument;

    #[test]
    fn a_value_that_came_out_as_another_is_told() {
        let mysql: Product = "mysql-9.7".parse().unwrap();
        let info = |kind, values: &[&str]| OptionInfo {
            argument: Argument::Required,
            kind,
            default: None,
            min: None,
            max: None,
            block: None,
            values: values.iter().map(|v| (*v).to_owned()).collect(),
            dynamic: None,
            variable: true,
        };
        let told = |info: &OptionInfo, asked, got| other_than_asked(&mysql, info, asked, got);
        let number = info(Kind::Integer, &[]);
        assert_eq!(told(&number, "3", "2").as_deref(), Some("clamped: asked 3, got 2"));
        // Down to a whole block.
        let rounded = told(&number, "16777217", "16777216");
        assert_eq!(rounded.as_deref(), Some("clamped: asked 16777217, got 16777216"));
        for (asked, got) in [("16M", "16777216"), ("1G", "1073741824"), ("16MB", "16777216")] {
            assert_eq!(told(&number, asked, got), None);
        }
        // An exa, since only the first letter counts.
        assert!(told(&number, "1e6", "64").is_some());
        let chosen = told(&number, "0", "4000");
        assert_eq!(chosen.as_deref(), Some("asked 0, the server chose 4000"));
        assert_eq!(told(&number, "-1", "-1"), None);
        assert_eq!(told(&number, "ON", "1"), None);
        let double = info(Kind::Double, &[]);
        assert_eq!(told(&double, "0.5", "0.500000"), None);
        assert_eq!(
            told(&double, "150", "99.999000").as_deref(),
            Some("clamped: asked 150, got 99.999000")
        );
        let format = info(Kind::Enumeration, &["MIXED", "STATEMENT", "ROW"]);
        assert_eq!(told(&format, "row", "ROW"), None);
        assert_eq!(told(&format, "2", "ROW"), None);
        assert_eq!(told(&format, "RO", "ROW"), None);
        assert!(told(&format, "ROW", "MIXED").is_some());
        let switch = info(Kind::Boolean, &[]);
        assert_eq!(told(&switch, "true", "ON"), None);
        assert_eq!(told(&switch, "yes", "OFF").as_deref(), Some("clamped: asked yes, got OFF"));
    }

    #[test]
    fn what_moves_by_itself_is_no_side_effect() {
        let variables = |list: &[(&str, &str)]| -> Variables {
            list.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
        };
        let delay = "innodb_thread_sleep_delay";
        let a = variables(&[(delay, "10000"), ("version", "11.8.9-log"), ("log_bin", "ON")]);
        let b = variables(&[(delay, "0"), ("version", "11.8.9"), ("log_bin", "OFF")]);
        let names = |option| moved(option, &a, &b).into_iter().collect::<Vec<_>>();
        assert_eq!(names("log_bin"), ["log_bin"]);
        assert_eq!(names(delay), [delay, "log_bin"]);
    }
}
