//! `--values few` and `all`: which values of an option are tried.

use super::*;
use cnfsweep::toggle::{Machine, Values};

/// Name, kind, default, smallest, largest, words.
type Row = (&'static str, Kind, &'static str, &'static str, &'static str, &'static str);

const RANGED: &[Row] = &[
    ("innodb_io_capacity", Kind::Integer, "10000", "100", "4294967295", ""),
    ("innodb_io_capacity_max", Kind::Integer, "20000", "100", "4294967295", ""),
    ("innodb_thread_concurrency", Kind::Integer, "0", "0", "1000", ""),
    ("innodb_flush_log_at_trx_commit", Kind::Integer, "1", "0", "2", ""),
    ("innodb_write_io_threads", Kind::Integer, "4", "2", "64", ""),
    ("innodb_concurrency_tickets", Kind::Integer, "5000", "1", "4294967295", ""),
    ("innodb_ft_cache_size", Kind::Integer, "8000000", "1600000", "80000000", ""),
    ("innodb_max_dirty_pages_pct", Kind::Double, "90.000000", "0", "99", ""),
    ("innodb_max_dirty_pages_pct_lwm", Kind::Double, "10.000000", "0", "99", ""),
    ("innodb_buffer_pool_size", Kind::Integer, "134217728", "5242880", "9223372036854775807", ""),
    ("innodb_buffer_pool_instances", Kind::Integer, "1", "0", "64", ""),
    ("tmp_table_size", Kind::Integer, "16777216", "1024", "18446744073709551615", ""),
    ("max_heap_table_size", Kind::Integer, "16777216", "16384", "18446744073709551615", ""),
    ("binlog_format", Kind::Enumeration, "ROW", "", "", "MIXED,STATEMENT,ROW"),
    ("binlog_checksum", Kind::Enumeration, "CRC32", "", "", "NONE,CRC32"),
    (
        "thread_handling",
        Kind::Enumeration,
        "one-thread-per-connection",
        "",
        "",
        "one-thread-per-connection,no-threads,pool-of-threads",
    ),
    (
        "transaction_isolation",
        Kind::Enumeration,
        "REPEATABLE-READ",
        "",
        "",
        "READ-UNCOMMITTED,READ-COMMITTED,REPEATABLE-READ,SERIALIZABLE",
    ),
    (
        "innodb_doublewrite",
        Kind::Enumeration,
        "ON",
        "",
        "",
        "OFF,ON,DETECT_ONLY,DETECT_AND_RECOVER",
    ),
    ("slow_query_log", Kind::Boolean, "OFF", "", "", ""),
    ("long_query_time", Kind::Double, "10.000000", "0", "31536000", ""),
    ("log_queries_not_using_indexes", Kind::Boolean, "OFF", "", "", ""),
    ("query_cache_type", Kind::Enumeration, "OFF", "", "", "OFF,ON,DEMAND"),
    ("query_cache_size", Kind::Integer, "1048576", "0", "18446744073709551615", ""),
    ("gtid_mode", Kind::Enumeration, "OFF", "", "", "OFF,OFF_PERMISSIVE,ON_PERMISSIVE,ON"),
    ("enforce_gtid_consistency", Kind::Enumeration, "OFF", "", "", "OFF,ON,WARN"),
    ("character_set_server", Kind::Text, "utf8mb4", "", "", ""),
    ("collation_server", Kind::Text, "utf8mb4_0900_ai_ci", "", "", ""),
    ("log_replica_updates", Kind::Boolean, "ON", "", "", ""),
    ("innodb_redo_log_capacity", Kind::Integer, "104857600", "8388608", "549755813888", ""),
    ("innodb_log_file_size", Kind::Integer, "50331648", "4194304", "549755813888", ""),
    ("innodb_log_buffer_size", Kind::Integer, "67108864", "262144", "4294967295", ""),
    ("optimizer_switch", Kind::FlagSet, "index_merge=on,mrr=on,bka=off", "", "", ""),
    ("wait_timeout", Kind::Integer, "28800", "1", "31536000", ""),
];

pub fn catalog() -> Catalog {
    let mut catalog = catalog_without(&[]);
    let text = |text: &str| Some(text.to_owned()).filter(|t| !t.is_empty());
    for (name, kind, default, min, max, words) in RANGED {
        let info = OptionInfo {
            argument: match kind {
                Kind::Boolean => Argument::Optional,
                _ => Argument::Required,
            },
            kind: *kind,
            default: text(default),
            min: text(min),
            max: text(max),
            block: None,
            values: words.split(',').filter(|w| !w.is_empty()).map(str::to_owned).collect(),
            dynamic: None,
            variable: true,
        };
        catalog.options.insert((*name).to_owned(), info);
    }
    catalog
}

const MACHINE: Machine = Machine { cpus: 4, memory: 4 << 30, threads: 32 };

pub fn reaching(values: Values) -> Wishes {
    Wishes { values, machine: MACHINE, ..Wishes::default() }
}

#[track_caller]
pub fn of_lines(product: &Product, lines: &str, wishes: &Wishes) -> Toggles {
    let file = OptionFile::parse(format!("[mysqld]\n{lines}\n")).with_path(b"my.cnf");
    let flat = file.flatten(product, &MemoryLoader::default()).unwrap();
    build(&flat, product, &catalog(), wishes).unwrap()
}

/// Ids of the toggles of one line, for MySQL.
fn ids(line: &str, values: Values) -> Vec<String> {
    let toggles = of_lines(&MYSQL, line, &reaching(values));
    planned(&toggles).into_iter().map(str::to_owned).collect()
}

#[test]
fn values_known_by_name_are_few_and_those_of_the_kind_are_all() {
    let table: &[(&str, &[&str], &[&str])] = &[
        // By name, without the line's own value and the default; in range.
        (
            "innodb_flush_log_at_trx_commit = 2",
            &["innodb_flush_log_at_trx_commit=default", "innodb_flush_log_at_trx_commit=0"],
            &[],
        ),
        // Below the range: its smallest.
        (
            "innodb_write_io_threads = 8",
            &[
                "innodb_write_io_threads=default",
                "innodb_write_io_threads=2",
                "innodb_write_io_threads=16",
            ],
            &["innodb_write_io_threads=32"],
        ),
        // In the manner of the line.
        (
            "innodb_buffer_pool_size = 1G",
            &[
                "innodb_buffer_pool_size=default",
                "innodb_buffer_pool_size=512M",
                "innodb_buffer_pool_size=2G",
            ],
            &["innodb_buffer_pool_size=256M"],
        ),
        (
            "innodb_buffer_pool_size = 1073741824",
            &[
                "innodb_buffer_pool_size=default",
                "innodb_buffer_pool_size=536870912",
                "innodb_buffer_pool_size=2147483648",
            ],
            &["innodb_buffer_pool_size=268435456"],
        ),
        // What depends on the machine and on the load.
        (
            "innodb_thread_concurrency = 16",
            &[
                "innodb_thread_concurrency=default",
                "innodb_thread_concurrency=4",
                "innodb_thread_concurrency=8",
            ],
            &[],
        ),
        (
            "max_connections = 500",
            &["max_connections=default", "max_connections=42", "max_connections=1000"],
            &[],
        ),
        // Nothing is known: by kind.
        (
            "innodb_concurrency_tickets = 1000",
            &[
                "innodb_concurrency_tickets=default",
                "innodb_concurrency_tickets=500",
                "innodb_concurrency_tickets=2000",
            ],
            &["innodb_concurrency_tickets=250", "innodb_concurrency_tickets=4000"],
        ),
        // Above the range: not at all; below: the smallest, once.
        (
            "innodb_ft_cache_size = 64000000",
            &["innodb_ft_cache_size=default", "innodb_ft_cache_size=32000000"],
            &["innodb_ft_cache_size=16000000"],
        ),
        // Each other word; none that is for debugging.
        ("binlog_checksum = none", &["binlog_checksum=default"], &[]),
        ("thread_handling = pool-of-threads", &["thread_handling=default"], &[]),
        (
            "innodb_doublewrite = 0",
            &["innodb_doublewrite=default", "innodb_doublewrite=DETECT_ONLY"],
            &[],
        ),
        (
            "transaction_isolation = serializable",
            &["transaction_isolation=default", "transaction_isolation=READ-COMMITTED"],
            &[],
        ),
        // Shorter ones would cut connections off.
        ("wait_timeout = 600", &["wait_timeout=default"], &[]),
        ("sql_mode = ANSI", &["sql_mode=default", "sql_mode="], &[]),
        (
            "innodb_max_dirty_pages_pct = 60",
            &[
                "innodb_max_dirty_pages_pct=default",
                "innodb_max_dirty_pages_pct=50",
                "innodb_max_dirty_pages_pct=75",
            ],
            &["innodb_max_dirty_pages_pct=30", "innodb_max_dirty_pages_pct=15"],
        ),
        // Booleans have one other value.
        ("slow_query_log = ON", &["slow_query_log=default"], &[]),
    ];
    for (line, few, more) in table {
        assert_eq!(ids(line, Values::Default), few[..1], "default: {line}");
        assert_eq!(ids(line, Values::Few), *few, "few: {line}");
        let all: Vec<&str> = few.iter().chain(*more).copied().collect();
        assert_eq!(ids(line, Values::All), all, "all: {line}");
    }
}

#[test]
fn a_flag_that_the_line_names_is_set_back_alone() {
    let lines = "optimizer_switch = index_merge=off,bka=on,mrr=on";
    let toggles = of_lines(&MYSQL, lines, &reaching(Values::Few));
    assert_eq!(
        planned(&toggles),
        ["optimizer_switch=default", "optimizer_switch=index_merge=on", "optimizer_switch=bka=off"]
    );
    assert_eq!(
        toggled(&toggles, "optimizer_switch=bka=off"),
        format!("{lines}|optimizer_switch=bka=off")
    );
    // Of one flag alone, that is what commenting out does.
    assert_eq!(ids("optimizer_switch = bka=on", Values::Few), ["optimizer_switch=default"]);
}

#[test]
fn lines_that_are_no_variables_of_numbers_are_left_in_peace() {
    // A value that is no number has no half.
    let toggles = of_lines(&MYSQL, "innodb_concurrency_tickets = x", &reaching(Values::All));
    assert_eq!(planned(&toggles), ["innodb_concurrency_tickets=default"]);
}
