//! Reading `mysqld --verbose --help`. Part one lists every option as `--name`, `--name[=x]`,
//! `--name=#` or `--name=name`; part two, after a line of dashes, its value.

use std::collections::BTreeMap;

use super::Argument;

/// What help says of one option.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Said {
    pub(super) argument: Argument,
    pub(super) hint: Hint,
    /// From part two; none where it says there is none.
    pub(super) value: Option<String>,
}

/// What stands for the value in part one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Hint {
    Nothing,
    Number,
    Name,
}

/// Options by canonical name.
pub(super) fn parse(text: &str) -> BTreeMap<String, Said> {
    let (listing, values) = match text.find("\nVariables (--variable-name=value)") {
        Some(at) => text.split_at(at),
        None => (text, ""),
    };
    let mut options: BTreeMap<String, Said> = listing.lines().filter_map(option).collect();
    let rows = values.lines().skip_while(|line| !line.starts_with("---")).skip(1);
    for line in rows.take_while(|line| !line.trim().is_empty()) {
        let (name, value) = line.split_once(' ').unwrap_or((line, ""));
        let value = value.trim();
        if let Some(said) = options.get_mut(&canonical(name))
            && value != "(No default value)"
        {
            said.value = Some(value.to_owned());
        }
    }
    options
}

/// `  -W, --log-warnings[=#]   text`: options stand in the third column, their text far to the right.
fn option(line: &str) -> Option<(String, Said)> {
    const FURTHEST: usize = 8;
    let at = line.find("--").filter(|at| (2..=FURTHEST).contains(at))?;
    let before = line[..at].trim();
    // Nothing, or the short name: `-W,`.
    if !(before.is_empty() || (before.len() == 3 && before.starts_with('-'))) {
        return None;
    }
    let word = line[at + 2..].split_whitespace().next()?;
    let (name, argument, value) = if let Some((name, value)) = word.split_once("[=") {
        (name, Argument::Optional, value.trim_end_matches(']'))
    } else if let Some((name, value)) = word.split_once('=') {
        (name, Argument::Required, value)
    } else {
        (word, Argument::None, "")
    };
    let hint = match value {
        "" => Hint::Nothing,
        "#" => Hint::Number,
        _ => Hint::Name,
    };
    let plausible = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    if name.is_empty() || !name.chars().all(plausible) {
        return None;
    }
    Some((canonical(name), Said { argument, hint, value: None }))
}

fn canonical(name: &str) -> String {
    name.to_ascii_lowercase().replace('-', "_")
}

#[cfg(test)]
mod tests {
    use super::*;

    const HELP: &str = "\
Starts the MySQL database server.
Usage: mysqld [OPTIONS]

Default options are read from the following files in the given order:
/etc/my.cnf /etc/mysql/my.cnf ~/.my.cnf
The following groups are read: mysql_cluster mysqld server mysqld-9.7
  -a, --ansi          Use ANSI SQL syntax instead of MySQL syntax.
  --general-log       Log connections and queries to a table or log file.
                      Defaults to logging to a file hostname.log, or if
                      --log-output=TABLE is used, to a table.
  --binlog-format=name
                      The format used when writing the binary log.
  --innodb-flush-log-at-trx-commit[=#]
                      Set to 0.
  --log-bin[=name]    Configures the name prefix.
  --performance-schema
                      Enable the performance schema.
                      (Defaults to on; use --skip-performance-schema to disable.)

Variables (--variable-name=value)
and boolean options {FALSE|TRUE}                             Value (after reading options)
------------------------------------------------------------ -------------
ansi                                                         FALSE
binlog-format                                                ROW
general-log                                                  FALSE
log-bin                                                      (No default value)
performance-schema                                           TRUE

To see what values a running MySQL server is using, type
";

    #[test]
    fn options_come_with_their_argument_and_value() {
        let options = parse(HELP);
        let names: Vec<&str> = options.keys().map(String::as_str).collect();
        assert_eq!(
            names,
            [
                "ansi",
                "binlog_format",
                "general_log",
                "innodb_flush_log_at_trx_commit",
                "log_bin",
                "performance_schema"
            ]
        );
        assert_eq!(options["log_bin"].argument, Argument::Optional);
        assert_eq!(options["log_bin"].value, None);
        assert_eq!(options["innodb_flush_log_at_trx_commit"].hint, Hint::Number);
        assert_eq!(options["performance_schema"].value.as_deref(), Some("TRUE"));
        assert_eq!(options["binlog_format"].argument, Argument::Required);
    }
}
