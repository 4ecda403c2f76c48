//! Options that only make sense together: what a toggle takes along so that the server starts with
//! it, or so that it does anything at all; and lines that are one toggle.

use super::active::{Active, as_bool};
use super::build::{Scene, Standing};
use super::words::{Action, Label, Status};
use super::{Companion, Toggle};
use crate::optionfile::Edit;

/// Lines of these are one toggle where the file has several of them: what one says depends on the
/// other, and moving one alone does nothing or is refused.
const TOGETHER: &[&[&str]] = &[
    &["tmp_table_size", "max_heap_table_size"],
    &["query_cache_type", "query_cache_size"],
    &["gtid_mode", "enforce_gtid_consistency"],
    &["character_set_server", "collation_server"],
];

/// Where the first is set, the second has to be at least as large. Tables in memory may grow up to
/// the smaller of `tmp_table_size` and `max_heap_table_size`.
const AT_LEAST: &[(&str, &str)] = &[
    ("tmp_table_size", "max_heap_table_size"),
    ("max_heap_table_size", "tmp_table_size"),
    ("innodb_io_capacity", "innodb_io_capacity_max"),
    ("innodb_max_dirty_pages_pct_lwm", "innodb_max_dirty_pages_pct"),
    ("net_buffer_length", "max_allowed_packet"),
];

/// Where the first is set, the second can be at most as large.
const AT_MOST: &[(&str, &str)] = &[
    ("innodb_io_capacity_max", "innodb_io_capacity"),
    ("innodb_max_dirty_pages_pct", "innodb_max_dirty_pages_pct_lwm"),
    ("max_allowed_packet", "net_buffer_length"),
];

/// The first value needs another option to have a certain value.
struct Need {
    option: &'static str,
    /// Values that need it.
    when: fn(&str) -> bool,
    other: &'static str,
    /// Values of the other that will do.
    fits: fn(&str) -> bool,
    /// What the other becomes where it does not.
    becomes: &'static str,
    /// Whether commenting the line out needs it, too.
    for_default: bool,
}

const NEEDS: &[Need] = &[
    Need::new("long_query_time", |_| true, "slow_query_log", is_on, "ON"),
    Need::new("log_queries_not_using_indexes", is_on, "slow_query_log", is_on, "ON"),
    Need::new("log_slow_admin_statements", is_on, "slow_query_log", is_on, "ON"),
    Need::new("query_cache_type", is_caching, "query_cache_size", is_some, "1M"),
    Need::new("query_cache_size", is_some, "query_cache_type", is_caching, "ON"),
    Need::new("gtid_mode", is_on, "enforce_gtid_consistency", is_on, "ON").for_default(),
    Need::new("enforce_gtid_consistency", is_off, "gtid_mode", is_off, "OFF").for_default(),
    Need::new("transaction_isolation", reads_committed, "binlog_format", is_no_statement, "ROW"),
    Need::new("binlog_format", is_statement, "transaction_isolation", repeats, "REPEATABLE-READ"),
];

impl Need {
    const fn new(
        option: &'static str,
        when: fn(&str) -> bool,
        other: &'static str,
        fits: fn(&str) -> bool,
        becomes: &'static str,
    ) -> Self {
        Self { option, when, other, fits, becomes, for_default: false }
    }

    const fn for_default(self) -> Self {
        Self { for_default: true, ..self }
    }
}

/// Where the first is set, lines of the others go: they would win, or say nothing any more.
const REPLACES: &[(&str, &[&str])] = &[
    ("innodb_redo_log_capacity", &["innodb_log_file_size", "innodb_log_files_in_group"]),
    ("skip_log_bin", &["log_slave_updates", "log_replica_updates"]),
    ("character_set_server", &["collation_server"]),
];

fn is_on(value: &str) -> bool {
    as_bool(value) == Some(true)
}

fn is_off(value: &str) -> bool {
    as_bool(value) == Some(false)
}

fn is_caching(value: &str) -> bool {
    !is_off(value)
}

/// More than nothing.
fn is_some(value: &str) -> bool {
    value.trim().trim_start_matches('0').starts_with(|c: char| c.is_ascii_digit())
}

fn reads_committed(value: &str) -> bool {
    let value = value.to_ascii_uppercase();
    value == "READ-COMMITTED" || value == "READ-UNCOMMITTED"
}

fn repeats(value: &str) -> bool {
    !reads_committed(value)
}

fn is_statement(value: &str) -> bool {
    value.eq_ignore_ascii_case("STATEMENT")
}

fn is_no_statement(value: &str) -> bool {
    !is_statement(value)
}

impl Scene<'_> {
    /// Gives a toggle the options that it can't do without, as edits and in its name.
    pub(super) fn accompany(&self, toggle: &mut Toggle, standing: &Standing<'_>) {
        let named = part(&toggle.id).0;
        let comes_out = toggle.action == Action::CommentOut;
        let mut found: Vec<Companion> = Vec::new();
        if let Some(to) = toggle.to.clone() {
            found.extend(self.needed(&toggle.option, &to, comes_out, standing));
            found.extend(self.bounded(&toggle.option, &to, comes_out, standing));
        }
        for (option, others) in REPLACES {
            let replaces = *option == named && !comes_out;
            for other in others.iter().filter(|other| replaces && standing.get(other).is_some()) {
                found.push(Companion { option: (*other).to_owned(), value: None });
            }
        }
        found.retain(|c| {
            let free = !standing.is_changed(&c.option) && self.catalog.get(&c.option).is_some();
            free && !toggle.with.iter().any(|other| other.option == c.option)
        });
        let mut parts = vec![part(&toggle.id)];
        for companion in found {
            let current = standing.get(&companion.option);
            let edits: Vec<Edit> = match &companion.value {
                Some(value) => self.value_edits(current, &companion.option, value),
                None => current.map(|c| c.comment_out().collect()).unwrap_or_default(),
            };
            if edits.iter().any(|edit| toggle.touches(edit)) {
                continue;
            }
            toggle.edits.extend(edits);
            match (&companion.value, comes_out) {
                (Some(value), _) => parts.push((companion.option.clone(), Some(value.clone()))),
                (None, true) => {
                    parts.push((companion.option.clone(), Some("default".to_owned())));
                }
                (None, false) => toggle.remark(&format!("without `{}`", companion.option)),
            }
            toggle.with.push(companion);
        }
        toggle.id = joint_id(parts);
    }

    fn needed(
        &self,
        option: &str,
        to: &str,
        comes_out: bool,
        standing: &Standing<'_>,
    ) -> Vec<Companion> {
        NEEDS
            .iter()
            .filter(|need| need.option == option && (need.when)(to))
            .filter(|need| need.for_default || !comes_out)
            .filter(|need| !self.now(standing, need.other).is_some_and(|now| (need.fits)(&now)))
            .map(|need| Companion {
                option: need.other.to_owned(),
                value: Some(need.becomes.to_owned()),
            })
            .collect()
    }

    /// Companions that have to move along so that one stays above or below the other.
    fn bounded(
        &self,
        option: &str,
        to: &str,
        comes_out: bool,
        standing: &Standing<'_>,
    ) -> Vec<Companion> {
        let mut found = Vec::new();
        for (pairs, broken) in [
            (AT_LEAST, (|n, other| other < n) as fn(f64, f64) -> bool),
            (AT_MOST, |n, other| other > n),
        ] {
            for (_, other) in pairs.iter().filter(|(name, _)| *name == option) {
                let number = |text: &str| self.decimal(text);
                let now = self.now(standing, other).and_then(|now| number(&now));
                let (Some(n), Some(now)) = (number(to), now) else { continue };
                if !broken(n, now) {
                    continue;
                }
                // Its own default may do where its line is what stands in the way.
                let default = self.catalog.get(other).and_then(|i| number(i.default.as_deref()?));
                let by_default = comes_out
                    && standing.get(other).is_some()
                    && default.is_some_and(|default| !broken(n, default));
                let value = (!by_default).then(|| to.to_owned());
                found.push(Companion { option: (*other).to_owned(), value });
            }
        }
        found
    }

    /// A size or a decimal number.
    fn decimal(&self, text: &str) -> Option<f64> {
        let whole = self.number(text).map(|n| n as f64);
        text.trim().parse().ok().or(whole)
    }

    /// Makes one toggle of those that are only one together: lines that are commented out, and
    /// lines that are enabled.
    pub(super) fn unite(&self, list: &mut Vec<Toggle>) {
        for group in TOGETHER {
            for action in [Action::CommentOut, Action::Enable] {
                let of = |t: &Toggle| group.iter().position(|name| *name == t.option);
                let of = |t: &Toggle| {
                    of(t).filter(|_| t.action == action && t.status == Status::Planned)
                };
                let mut members: Vec<(usize, usize)> =
                    list.iter().enumerate().filter_map(|(i, t)| Some((of(t)?, i))).collect();
                members.sort_unstable();
                let names: Vec<usize> = members.iter().map(|(name, _)| *name).collect();
                // Of several values of one option it can't be told which belong together.
                if names.len() < 2 || names.windows(2).any(|pair| pair[0] == pair[1]) {
                    continue;
                }
                let parts: Vec<Toggle> = members.iter().map(|(_, i)| list[*i].clone()).collect();
                let Some(united) = united(&parts) else { continue };
                list[members[0].1] = united;
                let mut gone: Vec<usize> = members[1..].iter().map(|(_, i)| *i).collect();
                gone.sort_unstable();
                for i in gone.into_iter().rev() {
                    list.remove(i);
                }
            }
        }
    }

    /// The edits that give an option a value: on its line where that can hold it.
    pub(super) fn value_edits(
        &self,
        current: Option<&Active>,
        spelled: &str,
        value: &str,
    ) -> Vec<Edit> {
        match current {
            Some(option) if option.resolved.prefix.is_none() && spelled == option.name => {
                let value = Some(value.as_bytes().to_vec());
                vec![Edit::Set { line: option.place.at, value }]
            }
            Some(option) => {
                let mut edits: Vec<Edit> = option.comment_out().collect();
                edits.push(super::active::append(spelled, Some(value)));
                edits
            }
            None => vec![super::active::append(spelled, Some(value))],
        }
    }
}

/// One toggle of several; none where two of them would change one line.
fn united(parts: &[Toggle]) -> Option<Toggle> {
    let (first, others) = parts.split_first()?;
    let mut toggle = first.clone();
    for other in others {
        if other.edits.iter().any(|edit| toggle.touches(edit)) {
            return None;
        }
        toggle.edits.extend(other.edits.iter().cloned());
        let value = match other.action {
            Action::CommentOut => None,
            _ => other.to.clone(),
        };
        toggle.with.push(Companion { option: other.option.clone(), value });
        if let Some(place) = &other.place {
            toggle.remark(&format!("with `{}` ({place})", other.option));
        }
        if toggle.label == Label::None {
            toggle.label = other.label;
        }
    }
    let parts_of = |of: fn(&Toggle) -> Option<&String>| -> Option<String> {
        let mut texts: Vec<&str> = parts.iter().map(|p| of(p).map_or("", String::as_str)).collect();
        texts.dedup();
        Some(texts.join(" + ")).filter(|text| !text.is_empty())
    };
    toggle.from = parts_of(|p| p.from.as_ref());
    toggle.to = parts_of(|p| p.to.as_ref());
    toggle.id = joint_id(parts.iter().map(|p| part(&p.id)).collect());
    Some(toggle)
}

/// Name and value of an id.
fn part(id: &str) -> (String, Option<String>) {
    match id.split_once('=') {
        Some((name, value)) => (name.to_owned(), Some(value.to_owned())),
        None => (id.to_owned(), None),
    }
}

/// The id of a toggle of several options: in one order whichever of them it was made for, and a
/// value that all have stands once.
fn joint_id(mut parts: Vec<(String, Option<String>)>) -> String {
    if let Some(group) = TOGETHER.iter().find(|group| group.contains(&parts[0].0.as_str())) {
        let rank = |name: &str| group.iter().position(|n| *n == name).unwrap_or(group.len());
        parts.sort_by_key(|(name, _)| rank(name));
    }
    let names: Vec<&str> = parts.iter().map(|(name, _)| name.as_str()).collect();
    match &parts[0].1 {
        Some(value) if parts.iter().all(|(_, v)| v.as_ref() == Some(value)) => {
            format!("{}={value}", names.join("+"))
        }
        _ => {
            let one = |(name, value): &(String, Option<String>)| match value {
                Some(value) => format!("{name}={value}"),
                None => name.clone(),
            };
            parts.iter().map(one).collect::<Vec<_>>().join("+")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_read_as_servers_read_them() {
        assert!(is_on("1") && is_on("on") && !is_on("ON_PERMISSIVE") && is_off("off"));
        assert!(is_some("1M") && is_some("064") && !is_some("0") && !is_some("00M"));
        assert!(is_caching("DEMAND") && is_caching("1") && !is_caching("0"));
    }
}
