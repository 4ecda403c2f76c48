//! `cnfsweep options`: what a server knows, asked anew.

use std::collections::HashMap;

use cnfsweep::optionfile::Vendor;

use crate::binary::Desk;
use crate::servers::{Server, mariadb_10_5, mariadb_11_8, mysql_9_7};

type Rows = HashMap<String, HashMap<String, String>>;

fn options(server: Server) -> Rows {
    let desk = Desk::new(server);
    let mut command = desk.command(&["options", "--image", server.image, "--format", "csv"]);
    let output = command.env("XDG_CACHE_HOME", desk.path()).output().expect("cnfsweep");
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let mut reader = csv::Reader::from_reader(output.stdout.as_slice());
    let rows = reader.deserialize().map(|row| row.expect("a row"));
    rows.map(|row: HashMap<String, String>| (row["option"].clone(), row)).collect()
}

/// Name, kind, default; none: not checked.
fn check(rows: &Rows, expected: &[(&str, &str, Option<&str>)]) {
    for (name, kind, default) in expected {
        let row = rows.get(*name).unwrap_or_else(|| panic!("no option `{name}`"));
        assert_eq!(row["kind"], *kind, "{name}");
        if let Some(default) = default {
            assert_eq!(row["default"], *default, "{name}");
        }
    }
}

#[test]
fn of_mysql_9_7() {
    let rows = options(mysql_9_7);
    assert!(rows.len() > 500, "{}", rows.len());
    check(
        &rows,
        &[
            ("sort_buffer_size", "integer", Some("262144")),
            ("performance_schema", "boolean", Some("ON")),
            ("skip_grant_tables", "boolean", None),
            ("innodb_flush_log_at_trx_commit", "integer", Some("1")),
            ("long_query_time", "double", None),
            ("log_bin", "text", None),
            ("log_error", "text", None),
            ("relay_log", "text", None),
            ("innodb_flush_method", "enumeration", Some("O_DIRECT")),
            ("innodb_log_writer_threads", "boolean", None),
            ("optimizer_switch", "flag set", None),
        ],
    );
    // No table of the server's has these: it was asked number by number.
    let values = [
        ("binlog_format", "MIXED|STATEMENT|ROW"),
        ("binlog_row_image", "MINIMAL|NOBLOB|FULL"),
        ("concurrent_insert", "NEVER|AUTO|ALWAYS"),
        ("delay_key_write", "OFF|ON|ALL"),
        ("event_scheduler", "OFF|ON|DISABLED"),
        ("innodb_change_buffering", "none|inserts|deletes|changes|purges|all"),
        ("innodb_checksum_algorithm", "crc32|strict_crc32|innodb|strict_innodb|none|strict_none"),
        ("innodb_doublewrite", "OFF|ON|DETECT_ONLY|DETECT_AND_RECOVER"),
        ("innodb_flush_method", "fsync|O_DSYNC|littlesync|nosync|O_DIRECT|O_DIRECT_NO_FSYNC"),
        ("internal_tmp_mem_storage_engine", "MEMORY|TempTable"),
        ("log_output", "NONE|FILE|TABLE"),
        ("myisam_recover_options", "DEFAULT|BACKUP|FORCE|QUICK|OFF"),
        ("transaction_isolation", "READ-UNCOMMITTED|READ-COMMITTED|REPEATABLE-READ|SERIALIZABLE"),
    ];
    for (name, values) in values {
        assert_eq!(rows[name]["values"], values, "{name}");
    }
    let modes: Vec<&str> = rows["sql_mode"]["values"].split('|').collect();
    for mode in rows["sql_mode"]["default"].split(',').chain(["ANSI", "TRADITIONAL"]) {
        assert!(modes.contains(&mode), "{mode} in {modes:?}");
    }
    let blocks = [("sort_buffer_size", ""), ("read_buffer_size", "4096"), ("tmp_table_size", "")];
    for (name, block) in blocks {
        assert_eq!(rows[name]["block"], block, "{name}");
    }
    assert_eq!(rows["innodb_doublewrite"]["label_values"], "OFF|DETECT_ONLY");
    assert_eq!(rows["skip_grant_tables"]["label"], "S");
    for name in cnfsweep::catalog::replacements(Vendor::MySql) {
        assert!(rows.contains_key(name), "{name} is to have taken another option's place");
    }
    assert_eq!(rows["skip_grant_tables"]["variable"], "false");
    for (name, dynamic) in [
        ("sort_buffer_size", "yes"),
        ("innodb_buffer_pool_size", "yes"),
        ("performance_schema", "no"),
        ("innodb_flush_method", "no"),
        ("skip_grant_tables", ""),
        ("version", "no"),
    ] {
        assert_eq!(rows[name]["dynamic"], dynamic, "{name}");
    }
    assert!(!rows.contains_key("query_cache_size"));
    assert_eq!(rows["datadir"]["toggled"], "false");
    assert!(!rows["datadir"]["why_not"].is_empty());
}

#[test]
fn of_mariadb() {
    for server in [mariadb_11_8, mariadb_10_5] {
        let rows = options(server);
        assert!(rows.len() > 500, "{}", rows.len());
        check(
            &rows,
            &[
                ("sort_buffer_size", "integer", Some("2097152")),
                ("performance_schema", "boolean", Some("OFF")),
                ("skip_grant_tables", "boolean", None),
                ("binlog_format", "enumeration", Some("MIXED")),
                ("query_cache_size", "integer", Some("1048576")),
                ("long_query_time", "double", None),
            ],
        );
        assert_eq!(rows["binlog_format"]["values"], "MIXED|STATEMENT|ROW");
        assert_eq!(rows["binlog_format"]["dynamic"], "yes");
        assert_eq!(rows["innodb_doublewrite"]["label"], "D");
        for name in cnfsweep::catalog::replacements(Vendor::MariaDb) {
            let newer = server.product == "mariadb-10.5"
                && ["transaction_isolation", "transaction_read_only"].contains(&name);
            assert!(newer || rows.contains_key(name), "{name} in {}", server.product);
        }
    }
}
