//! What a given server knows: option names, types, ranges, defaults, enum values. Built from what
//! the server itself says, cached per image digest. Asks no server: that is the sweep's part.

mod blocks;
mod cache;
mod choices;
mod help;
mod removed;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::optionfile::{Names, Product, Vendor};

pub use blocks::Blocks;
pub use cache::{load, save};
pub use choices::{Asked, Choices};
pub use removed::{instead, replacements};

/// Every option that one server knows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Catalog {
    /// VERSION() of the server.
    pub version: String,
    /// By canonical name: lower case, `_`.
    pub options: BTreeMap<String, OptionInfo>,
}

/// What is known of an option.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OptionInfo {
    /// Whether it takes a value.
    pub argument: Argument,
    /// What kind of value.
    pub kind: Kind,
    /// The value of a server that was given nothing; none for options that are no variables.
    pub default: Option<String>,
    /// Smallest value, for numbers.
    pub min: Option<String>,
    /// Largest value, for numbers.
    pub max: Option<String>,
    /// Values are multiples of it.
    pub block: Option<u64>,
    /// The values of an enumeration or set, where the server tells.
    pub values: Vec<String>,
    /// Whether it can be changed while the server runs, where the server tells.
    pub dynamic: Option<bool>,
    /// Whether SHOW VARIABLES has it.
    pub variable: bool,
}

/// Whether an option takes a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Argument {
    /// Never.
    None,
    /// It may.
    Optional,
    /// It must.
    Required,
}

/// What kind of value an option has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Kind {
    /// ON or OFF.
    Boolean,
    /// A whole number or size.
    Integer,
    /// A decimal number.
    Double,
    /// One of several words.
    Enumeration,
    /// Several of several words.
    Set,
    /// `flag=on,flag=off`.
    FlagSet,
    /// Anything.
    Text,
}

impl Kind {
    /// The word for people and CSV.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Boolean => "boolean",
            Self::Integer => "integer",
            Self::Double => "double",
            Self::Enumeration => "enumeration",
            Self::Set => "set",
            Self::FlagSet => "flag set",
            Self::Text => "text",
        }
    }
}

/// A row of the server's own table of its variables; columns as [`metadata_sql`] asks for them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct VariableRow {
    /// Name, any case.
    pub name: String,
    /// The server's word for the type.
    pub kind: String,
    /// Smallest value.
    pub min: Option<String>,
    /// Largest value.
    pub max: Option<String>,
    /// Block size.
    pub block: Option<String>,
    /// Comma-separated values.
    pub values: Option<String>,
    /// `YES` or `NO`.
    pub read_only: Option<String>,
}

/// A statement that fails and changes nothing, and whose failure tells whether a variable is
/// read-only: MySQL has no column for that. A server looks at all assignments of a SET before it
/// carries out any, so the second one, to a variable that none can set, sees to the failure.
pub fn read_only_sql(name: &str) -> String {
    format!("SET GLOBAL {name} = DEFAULT, GLOBAL {UNCHANGEABLE} = DEFAULT")
}

/// What a server's refusal of [`read_only_sql`] says: `YES` or `NO`; none where it has other
/// reasons, as for a variable that only sessions have.
pub fn read_only_answer(name: &str, refusal: &str) -> Option<String> {
    let names = |name: &str| refusal.contains(&format!("'{name}' is a read only variable"));
    match () {
        () if names(name) => Some("YES".to_owned()),
        () if names(UNCHANGEABLE) => Some("NO".to_owned()),
        () => None,
    }
}

const UNCHANGEABLE: &str = "version";

/// The questions for [`VariableRow`]s, best first: a server that lacks the table of one gets the
/// next.
pub fn metadata_sql(product: &Product) -> &'static [&'static str] {
    match product.vendor {
        Vendor::MariaDb => {
            &["SELECT variable_name, variable_type, numeric_min_value, numeric_max_value, \
             numeric_block_size, enum_value_list, read_only FROM information_schema.SYSTEM_VARIABLES"]
        }
        Vendor::MySql => &[
            "SELECT variable_name, data_type, min_value, max_value, NULL, NULL, NULL \
             FROM performance_schema.variables_metadata",
            "SELECT variable_name, IF(min_value = max_value, '', 'Integer'), min_value, max_value, \
             NULL, NULL, NULL FROM performance_schema.variables_info",
        ],
    }
}

impl Catalog {
    /// Puts together what the server says: its `--verbose --help` (which options there are), SHOW
    /// GLOBAL VARIABLES of a server that was given nothing (defaults), and its table of variables
    /// (types).
    pub fn build(
        version: &str,
        help_text: &str,
        variables: &BTreeMap<String, String>,
        rows: &[VariableRow],
    ) -> Self {
        let rows: BTreeMap<String, &VariableRow> =
            rows.iter().map(|row| (row.name.to_lowercase(), row)).collect();
        let options = help::parse(help_text)
            .into_iter()
            .map(|(name, said)| {
                let variable = variables.get(&name);
                let row = rows.get(&name).copied();
                let mut kind = kind(row, &said, variable);
                let default = variable.cloned().or(said.value);
                let mut values: Vec<String> = row
                    .and_then(|r| r.values.as_deref())
                    .map(|v| v.split(',').map(str::to_owned).collect())
                    .unwrap_or_default();
                if kind == Kind::Set
                    && values.is_empty()
                    && let Some(flags) = flags(default.as_deref().unwrap_or_default())
                {
                    (kind, values) = (Kind::FlagSet, flags);
                }
                let info = OptionInfo {
                    argument: said.argument,
                    kind,
                    default,
                    min: row.and_then(|r| number(r.min.as_deref())),
                    max: row.and_then(|r| number(r.max.as_deref())),
                    block: row.and_then(|r| r.block.as_deref()?.parse().ok()).filter(|b| *b > 1),
                    values,
                    dynamic: row.and_then(|r| Some(r.read_only.as_deref()? != "YES")),
                    variable: variable.is_some(),
                };
                (name, info)
            })
            .collect();
        Self { version: version.to_owned(), options }
    }

    /// The names, for resolving what stands in a file.
    pub fn names(&self) -> Names {
        self.options.keys().map(String::as_str).collect()
    }

    /// The option with that canonical name.
    pub fn get(&self, name: &str) -> Option<&OptionInfo> {
        self.options.get(name)
    }
}

/// The flags of `a=on,b=off`: MySQL calls a set of them a set.
fn flags(value: &str) -> Option<Vec<String>> {
    value.split(',').map(|flag| Some(flag.split_once('=')?.0.to_owned())).collect()
}

fn number(text: Option<&str>) -> Option<String> {
    text.filter(|t| !t.is_empty()).map(str::to_owned)
}

/// The type: the server's own word where it has one and means it, else what help and value show.
/// MySQL calls the enumerations of plugins (`innodb_flush_method`) strings.
fn kind(row: Option<&VariableRow>, said: &help::Said, value: Option<&String>) -> Kind {
    let word = row.map(|r| r.kind.to_ascii_lowercase()).unwrap_or_default();
    // A file name for the option, ON or OFF for the variable: `log_bin`.
    let takes_text = said.argument != Argument::None && said.hint == help::Hint::Name;
    match word.as_str() {
        "boolean" if takes_text => Kind::Text,
        "boolean" => Kind::Boolean,
        "integer" => Kind::Integer,
        "numeric" | "double" => Kind::Double,
        "enumeration" | "enum" => Kind::Enumeration,
        "set" => Kind::Set,
        "flagset" => Kind::FlagSet,
        "string" | "varchar" => Kind::Text,
        word if word.contains("int") => Kind::Integer,
        _ => {
            let shown = said.value.as_deref().or(value.map(String::as_str));
            match (said.hint, shown) {
                (_, Some("TRUE" | "FALSE")) => Kind::Boolean,
                (help::Hint::Nothing, _) => Kind::Boolean,
                (help::Hint::Number, _) => Kind::Integer,
                _ => Kind::Text,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_tells_what_is_read_only() {
        // As 9.7 words them.
        let told = |refusal: &str| read_only_answer("back_log", refusal);
        let yes = "SET GLOBAL …: ERROR HY000 (1238): Variable 'back_log' is a read only variable";
        let no = "SET GLOBAL …: ERROR HY000 (1238): Variable 'version' is a read only variable";
        let session = "ERROR HY000 (1228): Variable 'back_log' is a SESSION variable and can't be \
                       used with SET GLOBAL";
        assert_eq!(told(yes).as_deref(), Some("YES"));
        assert_eq!(told(no).as_deref(), Some("NO"));
        assert_eq!(told(session), None);
    }
}
