//! The TOML as it is written, and its way to a validated [`Profile`]. Nothing here is used after
//! parsing.

use std::time::Duration;

use serde::Deserialize;
use toml_edit::de::Error as TomlError;

use super::{
    Column, Fill, Lifetime, Load, Operation, Profile, ProfileError, Protocol, Statement, Table,
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ProfileText {
    about: String,
    load: LoadText,
    #[serde(default)]
    table: Vec<TableText>,
    statement: Vec<StatementText>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LoadText {
    threads: Vec<u32>,
    statements_per_connection: StatementsPerConnection,
    operation: OperationText,
    warmup: DurationText,
    slice: DurationText,
    slices: u32,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
enum OperationText {
    Connection,
    Statement,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TableText {
    name: String,
    create: String,
    rows: u64,
    column: Vec<ColumnText>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ColumnText {
    name: String,
    fill: FillText,
    min: Option<i64>,
    max: Option<i64>,
    length: Option<u32>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StatementText {
    name: String,
    sql: String,
    #[serde(default)]
    protocol: ProtocolText,
    weight: Option<u32>,
    #[serde(default)]
    parameter: Vec<ParameterText>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ParameterText {
    fill: FillText,
    min: Option<i64>,
    max: Option<i64>,
    length: Option<u32>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "kebab-case")]
enum ProtocolText {
    #[default]
    Text,
    Prepared,
}

#[derive(Deserialize, Clone, Copy)]
#[serde(rename_all = "kebab-case")]
enum FillText {
    Sequence,
    Uniform,
    Text,
}

struct DurationText(Duration);

impl<'de> Deserialize<'de> for DurationText {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = String::deserialize(from)?;
        text.parse::<jiff::SignedDuration>()
            .ok()
            .and_then(|d| Duration::try_from(d).ok())
            .map(Self)
            .ok_or_else(|| {
                serde::de::Error::custom(format!(
                    "`{text}` is no duration; write `200ms`, `1s` or `2m`"
                ))
            })
    }
}

struct StatementsPerConnection(Lifetime);

impl<'de> Deserialize<'de> for StatementsPerConnection {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl serde::de::Visitor<'_> for Visitor {
            type Value = Lifetime;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a whole number from 1, or \"unlimited\"")
            }
            fn visit_i64<E: serde::de::Error>(self, n: i64) -> Result<Lifetime, E> {
                match u32::try_from(n) {
                    Ok(n) if n > 0 => Ok(Lifetime::Statements(n)),
                    _ => Err(E::invalid_value(serde::de::Unexpected::Signed(n), &self)),
                }
            }
            fn visit_str<E: serde::de::Error>(self, s: &str) -> Result<Lifetime, E> {
                match s {
                    "unlimited" => Ok(Lifetime::Kept),
                    _ => Err(E::invalid_value(serde::de::Unexpected::Str(s), &self)),
                }
            }
        }
        from.deserialize_any(Visitor).map(Self)
    }
}

pub(super) fn parse(name: &str, origin: &str, text: &str) -> Result<Profile, ProfileError> {
    let wire: ProfileText =
        toml_edit::de::from_str(text).map_err(|e| from_toml(origin, text, &e))?;
    let fail = |message: String| ProfileError { origin: origin.to_owned(), place: None, message };
    let profile = Profile {
        name: name.to_owned(),
        about: wire.about.trim().to_owned(),
        text: text.to_owned(),
        load: load(wire.load, wire.statement).map_err(fail)?,
        tables: wire.table.into_iter().map(table).collect::<Result<_, _>>().map_err(fail)?,
    };
    Ok(profile)
}

fn from_toml(origin: &str, text: &str, error: &TomlError) -> ProfileError {
    let place = error.span().map(|span| {
        let before = text.get(..span.start).unwrap_or(text);
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        (line, column)
    });
    let message = error.message().trim().replace('\n', "; ");
    ProfileError { origin: origin.to_owned(), place, message }
}

fn load(wire: LoadText, statements: Vec<StatementText>) -> Result<Load, String> {
    const MOST_THREADS: u32 = 3_000;
    if wire.threads.is_empty() || wire.threads.iter().any(|t| !(1..=MOST_THREADS).contains(t)) {
        return Err(format!(
            "`threads` needs one or more numbers from 1 to {MOST_THREADS}, such as `threads = [8]`"
        ));
    }
    // An even number of slices keeps the order B T T B balanced within a pair.
    if !(4..=1_000).contains(&wire.slices) || !wire.slices.is_multiple_of(2) {
        return Err(format!(
            "`slices = {}` is not possible; it takes an even number from 4 to 1000",
            wire.slices
        ));
    }
    let slice = wire.slice.0;
    if !(Duration::from_millis(10)..=Duration::from_secs(600)).contains(&slice) {
        return Err("`slice` takes a duration from `10ms` to `10m`".to_owned());
    }
    let warmup = wire.warmup.0;
    if !(Duration::from_millis(10)..=Duration::from_secs(3_600)).contains(&warmup) {
        return Err("`warmup` takes a duration from `10ms` to `1h`".to_owned());
    }
    if statements.is_empty() {
        return Err("there is no `[[statement]]`: a benchmark sends at least one".to_owned());
    }
    let connection = wire.statements_per_connection.0;
    let operation = match wire.operation {
        OperationText::Connection => Operation::Connection,
        OperationText::Statement => Operation::Statement,
    };
    if operation == Operation::Connection && connection == Lifetime::Kept {
        return Err("`operation = \"connection\"` needs connections that end: give \
                    `statements_per_connection` a number, or count `\"statement\"`"
            .to_owned());
    }
    let statements = statements.into_iter().map(statement).collect::<Result<Vec<_>, _>>()?;
    let mut names: Vec<&str> = statements.iter().map(|s| s.name.as_str()).collect();
    names.sort_unstable();
    if let Some(pair) = names.windows(2).find(|w| w[0] == w[1]) {
        return Err(format!("two statements are called `{}`; each needs its own name", pair[0]));
    }
    Ok(Load {
        threads: wire.threads,
        connection,
        operation,
        warmup,
        slice,
        slices: wire.slices,
        statements,
    })
}

fn statement(wire: StatementText) -> Result<Statement, String> {
    let StatementText { name, sql, protocol, weight, parameter } = wire;
    if name.is_empty() || matches!(name.as_str(), "all" | "connect") {
        return Err(format!(
            "a statement can't be called `{name}`: `all` and `connect` are rows of their own in \
             trials.csv"
        ));
    }
    let pieces: Vec<String> = sql.trim().split('?').map(str::to_owned).collect();
    if pieces.len() != parameter.len() + 1 {
        return Err(format!(
            "statement `{name}` has {} `?` and {} `[[statement.parameter]]`; each `?` needs one",
            pieces.len() - 1,
            parameter.len()
        ));
    }
    let parameters = parameter
        .into_iter()
        .map(|p| {
            fill(&format!("a parameter of statement `{name}`"), p.fill, p.min, p.max, p.length)
        })
        .collect::<Result<Vec<_>, _>>()?;
    if parameters.contains(&Fill::Sequence) {
        return Err(format!(
            "statement `{name}`: `fill = \"sequence\"` is for columns; parameters are `uniform` or \
             `text`"
        ));
    }
    let weight = weight.unwrap_or(1);
    if weight == 0 {
        return Err(format!("statement `{name}`: `weight` must be at least 1"));
    }
    let protocol = match protocol {
        ProtocolText::Text => Protocol::Text,
        ProtocolText::Prepared => Protocol::Prepared,
    };
    Ok(Statement { name, pieces, protocol, weight, parameters })
}

fn table(wire: TableText) -> Result<Table, String> {
    const MOST_ROWS: u64 = 1_000_000_000;
    let TableText { name, create, rows, column } = wire;
    if !is_identifier(&name) {
        return Err(format!("table name `{name}`: letters, digits and `_` only"));
    }
    if rows > MOST_ROWS {
        return Err(format!("table `{name}`: at most {MOST_ROWS} rows"));
    }
    let columns = column
        .into_iter()
        .map(|c| {
            if !is_identifier(&c.name) {
                return Err(format!(
                    "column name `{}` of table `{name}`: letters, digits and `_` only",
                    c.name
                ));
            }
            let what = format!("column `{name}.{}`", c.name);
            Ok(Column { fill: fill(&what, c.fill, c.min, c.max, c.length)?, name: c.name })
        })
        .collect::<Result<Vec<_>, String>>()?;
    if columns.is_empty() && rows > 0 {
        return Err(format!("table `{name}` has rows but no `[[table.column]]` to fill"));
    }
    Ok(Table { name, create: create.trim().to_owned(), rows, columns })
}

fn is_identifier(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

fn fill(
    what: &str,
    kind: FillText,
    min: Option<i64>,
    max: Option<i64>,
    length: Option<u32>,
) -> Result<Fill, String> {
    match (kind, min, max, length) {
        (FillText::Sequence, None, None, None) => Ok(Fill::Sequence),
        (FillText::Uniform, Some(min), Some(max), None) if min <= max => {
            Ok(Fill::Uniform(min..=max))
        }
        (FillText::Uniform, ..) => {
            Err(format!("{what}: `uniform` needs `min` and `max`, `min` not above `max`"))
        }
        (FillText::Text, None, None, Some(length)) if (1..=65_535).contains(&length) => {
            Ok(Fill::Text { length })
        }
        (FillText::Text, ..) => Err(format!("{what}: `text` needs `length`, from 1 to 65535")),
        (FillText::Sequence, ..) => Err(format!("{what}: `sequence` takes nothing else")),
    }
}

#[cfg(test)]
mod tests {
    use super::super::BUILTIN;
    use super::*;

    fn broken(change: impl Fn(&str) -> String) -> String {
        let (name, text) = BUILTIN[0];
        parse(name, "p.toml", &change(text)).expect_err("must be refused").to_string()
    }

    #[test]
    fn every_shipped_profile_is_valid_and_says_what_it_answers() {
        for (name, text) in BUILTIN {
            let profile = parse(name, name, text).expect("shipped");
            assert!(profile.about.len() > 80, "{name} says too little");
            assert!(profile.rows() > 0);
        }
    }

    #[test]
    fn an_unknown_field_is_named_with_its_place_and_the_known_ones() {
        let error = broken(|t| t.replace("warmup =", "warm_up ="));
        assert!(error.starts_with("profile `p.toml`:"), "{error}");
        assert!(error.contains("unknown field `warm_up`"), "{error}");
        assert!(error.contains("`warmup`"), "{error}");
    }

    #[test]
    fn values_out_of_range_are_refused_in_words() {
        assert!(broken(|t| t.replace("slices = 20", "slices = 7")).contains("even number"));
        assert!(broken(|t| t.replace("\"200ms\"", "\"soon\"")).contains("no duration"));
        assert!(broken(|t| t.replace("threads = [8]", "threads = []")).contains("threads"));
        assert!(broken(|t| t.replace("id = ?", "id = 1")).contains("each `?` needs one"));
        assert!(broken(|t| t.replace("\"item-by-id\"", "\"all\"")).contains("can't be called"));
        let kept = broken(|t| {
            t.replace("statements_per_connection = 1", "statements_per_connection = \"unlimited\"")
        });
        assert!(kept.contains("connections that end"), "{kept}");
    }

    #[test]
    fn the_fingerprint_follows_the_data_and_nothing_else() {
        let (name, text) = BUILTIN[0];
        let print = |t: &str| parse(name, name, t).expect("valid").data_fingerprint().expect("hex");
        assert_eq!(print(text), print(&text.replace("slices = 20", "slices = 30")));
        assert_ne!(print(text), print(&text.replace("rows = 10_000", "rows = 20_000")));
    }
}
