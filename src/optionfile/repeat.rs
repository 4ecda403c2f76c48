//! Which of several arguments for one option counts (my-cnf-syntax.md, "Repeated
//! options").

use std::collections::{BTreeMap, HashMap, HashSet};

use super::names::{self, NameError, NameSet, Prefix};
use super::{Argument, Product};

/// What a server does with an option that is given more than once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Repeat {
    /// The last one counts. Almost all options.
    LastWins,
    /// The first one counts: `user`.
    FirstWins,
    /// All count, as a list.
    Accumulates,
    /// All count, flag by flag: a later one changes the flags it names.
    Merges,
}

/// The rule for an option, by its canonical name.
///
/// The lists hold for both vendors; names that a product doesn't have do no harm. Of
/// `early_plugin_load` the last counts (seen in MySQL 9.7.4).
pub fn repeat_rule(name: &str) -> Repeat {
    match name {
        "user" => Repeat::FirstWins,
        "plugin_load_add"
        | "replicate_do_db"
        | "replicate_ignore_db"
        | "replicate_do_table"
        | "replicate_ignore_table"
        | "replicate_wild_do_table"
        | "replicate_wild_ignore_table"
        | "replicate_rewrite_db"
        | "binlog_do_db"
        | "binlog_ignore_db"
        | "performance_schema_instrument"
        | "ignore_db_dir"
        | "ignore_db_dirs" => Repeat::Accumulates,
        "optimizer_switch" | "optimizer_trace" | "optimizer_trace_features" => Repeat::Merges,
        _ => Repeat::LastWins,
    }
}

/// One option of a file and the arguments that it comes from, as indexes into the list
/// given to [`effective`], ascending.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Effective {
    /// Canonical name; with its instance in front (`hot.key_buffer_size`) for a key
    /// cache, with `maximum_` in front for an upper bound.
    pub name: String,
    /// What happens to repetitions.
    pub rule: Repeat,
    /// The arguments that count. Never empty.
    pub counting: Vec<usize>,
    /// Those that others take the effect from. Commenting out a counting one can bring
    /// them back.
    pub superseded: Vec<usize>,
}

/// The options behind a list of arguments, in the order of their first argument, and
/// the arguments that mean none.
pub fn effective(
    product: &Product,
    arguments: &[Argument],
    known: &impl NameSet,
) -> (Vec<Effective>, Vec<(usize, NameError)>) {
    let mut options: Vec<Effective> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    // Where plainly written names lead, which most lines repeat: looked up once each.
    let mut plain: HashMap<&[u8], usize> = HashMap::new();
    let mut values: BTreeMap<usize, Vec<u8>> = BTreeMap::new();
    let mut unresolved = Vec::new();
    for (index, argument) in arguments.iter().enumerate() {
        if let Some(&place) = plain.get(&argument.name[..]) {
            options[place].counting.push(index);
            continue;
        }
        let value = argument.value.as_deref();
        let found = match names::resolve(product, &argument.name, value, known) {
            Ok(found) => found,
            Err(error) => {
                unresolved.push((index, error));
                continue;
            }
        };
        let rule = repeat_rule(&found.name);
        // A prefix makes errors and values of its own, a name with a `=` in it is none.
        let is_plain =
            rule != Repeat::Merges && found.prefix.is_none() && !argument.name.contains(&b'=');
        let mut name = match found.instance {
            Some(instance) if found.name.starts_with("key_") => {
                format!("{instance}.{}", found.name)
            }
            _ => found.name,
        };
        if found.prefix == Some(Prefix::Maximum) {
            name.insert_str(0, "maximum_");
        }
        if rule == Repeat::Merges {
            values.insert(index, found.value.unwrap_or_default());
        }
        let place = *places.entry(name.clone()).or_insert_with(|| {
            options.push(Effective { name, rule, counting: Vec::new(), superseded: Vec::new() });
            options.len() - 1
        });
        options[place].counting.push(index);
        if is_plain {
            plain.insert(&argument.name, place);
        }
    }
    // `plugin_load` empties the list that `plugin_load_add` adds to.
    let emptied = options
        .iter()
        .find(|option| option.name == "plugin_load")
        .and_then(|option| option.counting.last().copied());
    for option in &mut options {
        let given = std::mem::take(&mut option.counting);
        let counts: HashSet<usize> = match option.rule {
            Repeat::LastWins => given.last().copied().into_iter().collect(),
            Repeat::FirstWins => given.first().copied().into_iter().collect(),
            Repeat::Accumulates if option.name == "plugin_load_add" => {
                let after = |index: &usize| emptied.is_none_or(|last| *index > last);
                given.iter().copied().filter(after).collect()
            }
            Repeat::Accumulates => given.iter().copied().collect(),
            Repeat::Merges => merging(&given, &values),
        };
        (option.counting, option.superseded) =
            given.into_iter().partition(|index| counts.contains(index));
    }
    // A list that was emptied altogether has nothing left that counts.
    options.retain(|option| !option.counting.is_empty());
    (options, unresolved)
}

/// Of the arguments of a flag set, those that still set a flag at the end.
fn merging(given: &[usize], values: &BTreeMap<usize, Vec<u8>>) -> HashSet<usize> {
    let mut counting = HashSet::new();
    let mut named_later = HashSet::new();
    for &index in given.iter().rev() {
        let text = values.get(&index).map(Vec::as_slice).unwrap_or_default();
        let words: Vec<Vec<u8>> =
            text.split(|&b| b == b',').map(|word| word.to_ascii_lowercase()).collect();
        let mut resets = false;
        for word in &words {
            if word == b"default" {
                resets = true;
                counting.insert(index);
            } else {
                let flag = word.split(|&b| b == b'=').next().unwrap_or_default();
                if named_later.insert(flag.to_vec()) {
                    counting.insert(index);
                }
            }
        }
        if resets {
            break;
        }
    }
    counting
}

#[cfg(test)]
mod tests {
    use super::super::{MemoryLoader, Names, OptionFile};
    use super::*;

    const MYSQL: Product = Product::mysql(9, 7);

    /// `name: counting | superseded`, by index of the line below the header.
    fn found(lines: &str) -> Vec<String> {
        let known: Names = [
            "port",
            "user",
            "binlog_do_db",
            "optimizer_switch",
            "plugin_load",
            "plugin_load_add",
            "key_buffer_size",
            "log_bin",
            "sort_buffer_size",
            "sql_mode",
        ]
        .into_iter()
        .collect();
        let file = OptionFile::parse(format!("[mysqld]\n{lines}"));
        let arguments = file.arguments(&MYSQL, &MemoryLoader::new()).unwrap().list;
        let (options, unresolved) = effective(&MYSQL, &arguments, &known);
        let mut texts: Vec<_> = options
            .iter()
            .map(|o| format!("{}: {:?} | {:?}", o.name, o.counting, o.superseded))
            .collect();
        texts.extend(unresolved.iter().map(|(index, _)| format!("unknown: {index}")));
        texts
    }

    #[test]
    fn the_last_one_wins_however_it_is_written() {
        assert_eq!(found("port=1\nloose-port=2\npo-rt=3"), ["port: [1] | [0]", "unknown: 2"]);
        assert_eq!(found("log-bin=x\nskip-log-bin"), ["log_bin: [1] | [0]"]);
        assert_eq!(found("sql_mode=A\nsql_mode=B"), ["sql_mode: [1] | [0]"]);
    }

    #[test]
    fn the_first_user_wins() {
        assert_eq!(found("user=a\nuser=b"), ["user: [0] | [1]"]);
    }

    #[test]
    fn lists_accumulate_and_plugin_load_empties_one() {
        assert_eq!(found("binlog-do-db=a\nbinlog-do-db=b"), ["binlog_do_db: [0, 1] | []"]);
        assert_eq!(
            found("plugin-load-add=a\nplugin-load=b\nplugin-load-add=c"),
            ["plugin_load_add: [2] | [0]", "plugin_load: [1] | []"]
        );
        assert_eq!(found("plugin-load-add=a\nplugin-load=b"), ["plugin_load: [1] | []"]);
    }

    #[test]
    fn flags_merge() {
        assert_eq!(
            found("optimizer_switch=a=on\noptimizer_switch=b=on,c=on\noptimizer_switch=b=off"),
            ["optimizer_switch: [0, 1, 2] | []"]
        );
        assert_eq!(
            found("optimizer_switch=b=on\noptimizer_switch=b=off"),
            ["optimizer_switch: [1] | [0]"]
        );
        assert_eq!(
            found("optimizer_switch=a=on\noptimizer_switch=default,b=on\noptimizer_switch=c=on"),
            ["optimizer_switch: [1, 2] | [0]"]
        );
    }

    #[test]
    fn bounds_and_key_caches_are_options_of_their_own() {
        assert_eq!(
            found("sort_buffer_size=1M\nmaximum-sort-buffer-size=2M"),
            ["sort_buffer_size: [0] | []", "maximum_sort_buffer_size: [1] | []"]
        );
        assert_eq!(
            found("key_buffer_size=1M\nhot.key_buffer_size=2M"),
            ["key_buffer_size: [0] | []", "hot.key_buffer_size: [1] | []"]
        );
    }
}
