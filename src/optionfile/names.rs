//! From the name in a file to the option it means (my-cnf-syntax.md, section 5):
//! spelling, prefixes, abbreviations, dots. Which names exist is the caller's
//! knowledge ([`NameSet`]); what the value means is `value`'s.

use std::borrow::Cow;
use std::collections::BTreeSet;

use thiserror::Error;

use super::grammar;
use super::{Product, Vendor, is_secret, redacted_line};

/// In which of its passes over the arguments a server looks for an option. It matters
/// for abbreviations: they must be unambiguous in their pass only.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Pass {
    /// Read before anything else is set up (`max_connections`, performance schema …).
    Early,
    /// Most options.
    Normal,
    /// Options of plugins, storage engines included.
    Plugin,
}

impl Pass {
    /// All passes, in the server's order.
    pub const ALL: [Pass; 3] = [Pass::Early, Pass::Normal, Pass::Plugin];
}

/// The option names that a server knows, in canonical spelling: `_` for `-`, lower
/// case.
pub trait NameSet {
    /// Whether there is an option of exactly this name in a pass.
    fn contains(&self, pass: Pass, name: &str) -> bool;

    /// The names that begin with `prefix` in a pass.
    fn completions(&self, pass: Pass, prefix: &str) -> Vec<String>;
}

/// A [`NameSet`] in memory.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Names {
    passes: [BTreeSet<String>; 3],
}

impl Names {
    /// No names.
    pub fn new() -> Names {
        Names::default()
    }

    /// Adds a name; `-` and letter case don't matter.
    pub fn insert(&mut self, pass: Pass, name: &str) {
        self.passes[pass as usize].insert(canonical(name));
    }
}

impl<'a> FromIterator<&'a str> for Names {
    /// Names whose pass is not known: all in [`Pass::Normal`].
    fn from_iter<I: IntoIterator<Item = &'a str>>(names: I) -> Names {
        let mut set = Names::new();
        for name in names {
            set.insert(Pass::Normal, name);
        }
        set
    }
}

impl NameSet for Names {
    fn contains(&self, pass: Pass, name: &str) -> bool {
        self.passes[pass as usize].contains(name)
    }

    fn completions(&self, pass: Pass, prefix: &str) -> Vec<String> {
        self.passes[pass as usize]
            .range(prefix.to_owned()..)
            .take_while(|name| name.starts_with(prefix))
            .cloned()
            .collect()
    }
}

fn canonical(name: &str) -> String {
    name.replace('-', "_").to_ascii_lowercase()
}

/// A name as the product compares it: `-` is `_`, and letter case is dropped where it
/// doesn't count. Bytes that are no UTF-8 are replaced; no option has such a name. Nor has
/// one a blank: `password secret`, the `=` forgotten, comes out as `password ********`.
pub fn normalise(product: &Product, name: &[u8]) -> String {
    let shown = match name.iter().any(|&b| grammar::is_space(b)) {
        true => Cow::Owned(redacted_line(name)),
        false => Cow::Borrowed(name),
    };
    let mut text = String::from_utf8_lossy(&shown).replace('-', "_");
    if product.ignores_name_case() {
        text.make_ascii_lowercase();
    }
    text
}

/// The prefixes that servers understand before an option's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Prefix {
    /// `skip-X`: the value is `0`, or `1` if `0` was given.
    Skip,
    /// `disable-X`: the same.
    Disable,
    /// `enable-X`: the value is `1`, or `0` if `0` was given.
    Enable,
    /// `maximum-X=v`: the highest value that sessions may set. MySQL 9 lowers the start
    /// value to it as well.
    Maximum,
    /// `loose-X`: an unknown X is a warning.
    Loose,
    /// `autoset-X`, MariaDB: the server finds the value itself.
    Autoset,
}

/// In the order in which servers try them.
const PREFIXES: [(&str, Prefix); 6] = [
    ("skip", Prefix::Skip),
    ("disable", Prefix::Disable),
    ("enable", Prefix::Enable),
    ("maximum", Prefix::Maximum),
    ("loose", Prefix::Loose),
    ("autoset", Prefix::Autoset),
];

/// What a written name turned out to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resolved {
    /// The option, in canonical spelling.
    pub name: String,
    /// What stood before the dot: a key cache in `hot.key_buffer_size`; in MariaDB
    /// any word before any option, and it means nothing for most.
    pub instance: Option<String>,
    /// The prefix that acts: the last one before the name.
    pub prefix: Option<Prefix>,
    /// Whether one of the prefixes was `loose-`.
    pub is_loose: bool,
    /// Whether the name was a unique beginning of the option's (the server notes it).
    pub is_abbreviated: bool,
    /// The value that takes effect; differs from what was written for `skip-`,
    /// `disable-`, `enable-` and `autoset-`. `None`: written bare.
    pub value: Option<Vec<u8>>,
}

/// Why a name means no option.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum NameError {
    /// No option of that name. With `loose-`, a server only warns.
    #[error("{}", unknown_words(written, value.as_deref()))]
    Unknown {
        /// As written.
        written: Vec<u8>,
        /// As written.
        value: Option<Vec<u8>>,
        /// Whether `loose-` makes it a warning.
        is_loose: bool,
    },
    /// A beginning of several names. Fatal even with `loose-`.
    #[error(
        "`{}` could be any of {}: write the name in full",
        String::from_utf8_lossy(written),
        some_of(candidates)
    )]
    Ambiguous {
        /// As written.
        written: Vec<u8>,
        /// The names that begin so.
        candidates: Vec<String>,
    },
    /// `autoset-X=v`.
    #[error("`autoset-{name}` takes no value")]
    AutosetWithValue {
        /// The option.
        name: String,
    },
}

/// The words of the server, secrets hidden.
fn unknown_words(written: &[u8], value: Option<&[u8]>) -> String {
    let lossy = String::from_utf8_lossy;
    match value {
        Some(_) if is_secret(written) => {
            format!("unknown variable '{}=********'", lossy(written))
        }
        Some(value) => {
            let whole = [written, b"=", value].concat();
            format!("unknown variable '{}'", lossy(&redacted_line(&whole)))
        }
        // `password secret`, the `=` forgotten, is one.
        None => format!("unknown option '--{}'", lossy(&redacted_line(written))),
    }
}

fn some_of(candidates: &[String]) -> String {
    let mut text =
        candidates.iter().take(4).map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    if candidates.len() > 4 {
        text.push_str(", …");
    }
    text
}

/// Finds the option that a name in a file means to `product`.
///
/// # Errors
/// When it means none, or in MariaDB several.
pub fn resolve(
    product: &Product,
    written: &[u8],
    value: Option<&[u8]>,
    known: &impl NameSet,
) -> Result<Resolved, NameError> {
    // Servers look for the first `=` in the argument as a whole. A name can hold one
    // only if it was empty in the file.
    let joined;
    let (name, value) = match written.iter().position(|&b| b == b'=') {
        None => (written, value),
        Some(at) => {
            joined = [&written[at + 1..], &b"="[..], value.unwrap_or_default()].concat();
            (&written[..at], Some(&joined[..]))
        }
    };
    let (instance, looked_up) = split_at_dot(product, &normalise(product, name));
    let mut is_loose = false;
    for pass in Pass::ALL {
        let mut search = Search::new(product, known, pass, &looked_up);
        match search.run() {
            Found::Nothing => is_loose = search.is_loose,
            Found::Several(candidates) => {
                return Err(NameError::Ambiguous { written: written.to_vec(), candidates });
            }
            Found::One { name, is_abbreviated } => {
                return Ok(Resolved {
                    value: effective_value(&name, search.prefix, value)?,
                    name,
                    instance,
                    prefix: search.prefix,
                    is_loose: search.is_loose,
                    is_abbreviated,
                });
            }
        }
    }
    Err(NameError::Unknown {
        written: written.to_vec(),
        value: value.map(<[u8]>::to_vec),
        is_loose,
    })
}

/// No option's name is nearly as long, in bytes.
const LONGEST_NAME: usize = 1_000;

/// The search of one pass: the name as it is, then without its prefixes.
struct Search<'a, N: NameSet> {
    product: &'a Product,
    known: &'a N,
    pass: Pass,
    rest: &'a str,
    prefix: Option<Prefix>,
    is_loose: bool,
}

enum Found {
    Nothing,
    One { name: String, is_abbreviated: bool },
    Several(Vec<String>),
}

impl<'a, N: NameSet> Search<'a, N> {
    fn new(product: &'a Product, known: &'a N, pass: Pass, name: &'a str) -> Self {
        Search { product, known, pass, rest: name, prefix: None, is_loose: false }
    }

    fn run(&mut self) -> Found {
        loop {
            match self.find() {
                Found::Nothing => {}
                found => return found,
            }
            let Some((rest, prefix)) = strip_prefix(self.rest, self.product) else {
                return Found::Nothing;
            };
            self.rest = rest;
            // Only the last prefix acts; `loose` is remembered besides.
            self.prefix = Some(prefix);
            self.is_loose |= prefix == Prefix::Loose;
        }
    }

    fn find(&self) -> Found {
        // A line of nothing but prefixes would be looked up in full behind each of them.
        if self.rest.len() > LONGEST_NAME {
            return Found::Nothing;
        }
        if self.known.contains(self.pass, self.rest) {
            return Found::One { name: self.rest.to_owned(), is_abbreviated: false };
        }
        if !self.product.accepts_abbreviations() {
            return Found::Nothing;
        }
        let mut candidates = self.known.completions(self.pass, self.rest);
        match candidates.len() {
            0 => Found::Nothing,
            1 => Found::One { name: candidates.swap_remove(0), is_abbreviated: true },
            _ => Found::Several(candidates),
        }
    }
}

fn strip_prefix<'a>(name: &'a str, product: &Product) -> Option<(&'a str, Prefix)> {
    PREFIXES
        .into_iter()
        .filter(|(_, prefix)| *prefix != Prefix::Autoset || product.vendor == Vendor::MariaDb)
        .find_map(|(word, prefix)| {
            let rest = name.strip_prefix(word)?.strip_prefix('_')?;
            Some((rest, prefix))
        })
}

/// Cuts `hot.key_buffer_size` in two. The names must already be normalised.
///
/// MariaDB looks for what is behind the dot, whatever is in front of it: that is why
/// `loose-` in front of a dotted name does nothing there. MySQL does so for the four
/// variables of a key cache and takes other dotted names, those of components, whole.
fn split_at_dot(product: &Product, name: &str) -> (Option<String>, String) {
    const OF_A_KEY_CACHE: [&str; 4] = [
        "key_buffer_size",
        "key_cache_block_size",
        "key_cache_division_limit",
        "key_cache_age_threshold",
    ];
    // The first byte is skipped: it may be a dot.
    let dot = name.bytes().enumerate().skip(1).find_map(|(at, byte)| (byte == b'.').then_some(at));
    if let Some(dot) = dot {
        let (instance, rest) = (&name[..dot], &name[dot + 1..]);
        let splits = match product.vendor {
            Vendor::MariaDb => !rest.is_empty(),
            Vendor::MySql => OF_A_KEY_CACHE.iter().any(|known| known.eq_ignore_ascii_case(rest)),
        };
        if splits {
            return (Some(instance.to_owned()), rest.to_owned());
        }
    }
    (None, name.to_owned())
}

fn effective_value(
    name: &str,
    prefix: Option<Prefix>,
    value: Option<&[u8]>,
) -> Result<Option<Vec<u8>>, NameError> {
    let switched = |on: &[u8], off: &[u8]| {
        let text = if value == Some(b"0") { off } else { on };
        Some(text.to_vec())
    };
    Ok(match prefix {
        None | Some(Prefix::Loose | Prefix::Maximum) => value.map(<[u8]>::to_vec),
        Some(Prefix::Skip | Prefix::Disable) => switched(b"0", b"1"),
        Some(Prefix::Enable) => switched(b"1", b"0"),
        Some(Prefix::Autoset) if value.is_some() => {
            return Err(NameError::AutosetWithValue { name: name.to_owned() });
        }
        Some(Prefix::Autoset) => Some(b"auto".to_vec()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const MYSQL: Product = Product::mysql(9, 7);
    const MARIA: Product = Product::mariadb(11, 8);

    fn names() -> Names {
        let mut names: Names = [
            "port",
            "skip-name-resolve",
            "skip-networking",
            "slow_query_log",
            "key_buffer_size",
            "key_cache_block_size",
            "back_log",
            "log_bin",
            "log_error",
            "sort_buffer_size",
            "validate_password.policy",
            "myisam_recover_options",
            "max_connect_errors",
        ]
        .into_iter()
        .collect();
        names.insert(Pass::Early, "max_connections");
        names
    }

    /// `name`, `prefix`, loose, value of what was found, as text; or the error's.
    fn found(product: &Product, written: &str) -> String {
        let (name, value) = match written.split_once('=') {
            Some((name, value)) => (name, Some(value.as_bytes())),
            None => (written, None),
        };
        match resolve(product, name.as_bytes(), value, &names()) {
            Ok(found) => {
                let mut text = found.name;
                if let Some(value) = found.value {
                    text = format!("{text}={}", String::from_utf8_lossy(&value));
                }
                if let Some(instance) = found.instance {
                    text = format!("{instance}.{text}");
                }
                if found.prefix == Some(Prefix::Maximum) {
                    text = format!("maximum {text}");
                }
                if found.is_loose {
                    text = format!("loose {text}");
                }
                text
            }
            Err(NameError::Unknown { is_loose: true, .. }) => "warning".into(),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn hyphens_are_underscores() {
        assert_eq!(found(&MYSQL, "slow-query_log=1"), "slow_query_log=1");
        assert_eq!(found(&MARIA, "slow-query-log"), "slow_query_log");
    }

    #[test]
    fn letter_case_counts_in_mysql_only() {
        assert_eq!(found(&MYSQL, "SLOW_QUERY_LOG=1"), "unknown variable 'SLOW_QUERY_LOG=1'");
        assert_eq!(found(&MARIA, "SLOW_QUERY_LOG=1"), "slow_query_log=1");
    }

    #[test]
    fn only_the_last_prefix_acts() {
        for product in [&MYSQL, &MARIA] {
            for (written, want) in [
                ("skip-slow-query-log", "slow_query_log=0"),
                ("skip-slow-query-log=0", "slow_query_log=1"),
                ("disable_slow_query_log=yes", "slow_query_log=0"),
                ("enable-slow-query-log", "slow_query_log=1"),
                ("enable-slow-query-log=0", "slow_query_log=0"),
                ("loose-skip-slow-query-log", "loose slow_query_log=0"),
                ("skip-loose-slow-query-log", "loose slow_query_log"),
                ("skip-skip-name-resolve", "skip_name_resolve=0"),
                ("maximum-sort-buffer-size=1M", "maximum sort_buffer_size=1M"),
                ("loose-foo=1", "warning"),
                ("foo=1", "unknown variable 'foo=1'"),
                ("foo", "unknown option '--foo'"),
                ("master-password=x", "unknown variable 'master-password=********'"),
                ("set-variable=port=1", "unknown variable 'set-variable=port=1'"),
                ("--port=1", "unknown variable '--port=1'"),
                ("max connections=5", "unknown variable 'max connections=5'"),
                ("skip-log-bin", "log_bin=0"),
            ] {
                assert_eq!(found(product, written), want, "{product} {written}");
            }
        }
    }

    #[test]
    fn names_that_begin_like_a_prefix_are_names() {
        for product in [&MYSQL, &MARIA] {
            assert_eq!(found(product, "skip-name-resolve"), "skip_name_resolve");
            assert_eq!(found(product, "skip_networking"), "skip_networking");
        }
    }

    #[test]
    fn autoset_is_for_mariadb_and_takes_no_value() {
        assert_eq!(found(&MARIA, "autoset-back-log"), "back_log=auto");
        assert_eq!(found(&MARIA, "autoset-back-log=1"), "`autoset-back_log` takes no value");
        assert_eq!(found(&MYSQL, "autoset-back-log"), "unknown option '--autoset-back-log'");
    }

    #[test]
    fn mariadb_takes_unambiguous_beginnings() {
        assert_eq!(found(&MARIA, "key_buffer=16M"), "key_buffer_size=16M");
        assert_eq!(found(&MYSQL, "key_buffer=16M"), "unknown variable 'key_buffer=16M'");
        assert_eq!(found(&MARIA, "myisam-recover"), "myisam_recover_options");
        assert_eq!(found(&MARIA, "skip-slow"), "slow_query_log=0");
        // Early options are looked at alone.
        assert_eq!(found(&MARIA, "max_conn=5"), "max_connections=5");
        for written in ["log=x", "loose-log=x"] {
            let words = format!(
                "`{}` could be any of `log_bin`, `log_error`: write the name in full",
                written.trim_end_matches("=x")
            );
            assert_eq!(found(&MARIA, written), words);
        }
    }

    #[test]
    fn dots_name_key_caches_and_components() {
        for product in [&MYSQL, &MARIA] {
            assert_eq!(found(product, "hot.key_buffer_size=1M"), "hot.key_buffer_size=1M");
        }
        let written = "loose-validate_password.policy=LOW";
        assert_eq!(found(&MYSQL, written), "loose validate_password.policy=LOW");
        assert_eq!(found(&MARIA, written), format!("unknown variable '{written}'"));
        assert_eq!(found(&MYSQL, "foo.port=1"), "unknown variable 'foo.port=1'");
        assert_eq!(found(&MARIA, "foo.port=1"), "foo.port=1");
    }

    #[test]
    fn an_empty_name_is_unknown_or_could_be_anything() {
        let mut names = names();
        names.insert(Pass::Early, "performance_schema");
        let empty = |product| resolve(product, b"", Some(b"5"), &names);
        assert!(matches!(empty(&MYSQL), Err(NameError::Unknown { .. })));
        assert!(matches!(empty(&MARIA), Err(NameError::Ambiguous { .. })));
        let quirk = resolve(&MYSQL, b"=5\n", Some(b"5"), &names);
        assert!(matches!(quirk, Err(NameError::Unknown { .. })));
    }
}
