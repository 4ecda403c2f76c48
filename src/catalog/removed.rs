//! Options of older servers, and of the other vendor, that a server may not know: what took their
//! place. Only what is sure; a name that is not here is simply unknown.

use super::Catalog;
use crate::optionfile::{Vendor, Vendor::MariaDb, Vendor::MySql};

/// An option that is gone: who never had it or has it no more, its name, what does its work now
/// (canonical names), and what else is to be said.
type Gone = (&'static [Vendor], &'static str, &'static [&'static str], &'static str);

const BOTH: &[Vendor] = &[MySql, MariaDb];
const MYSQL: &[Vendor] = &[MySql];
const MARIADB: &[Vendor] = &[MariaDb];

const QUERY_CACHE: &str = "MySQL 8.0 has no query cache any more";
const FILE_FORMAT: &str = "every table has the newer file format now";
const GTID: &str = "MariaDB's GTIDs are always on, and its own";
const ENGINE: &str = "that storage engine is gone";
const TABLES: &str = "it is always kept in tables now";
const NOTHING: &str = "";

const GONE: &[Gone] = &[
    // Renamed long ago, in both.
    (BOTH, "table_cache", &["table_open_cache"], NOTHING),
    (BOTH, "log", &["general_log"], "its file is named by `general_log_file`"),
    (BOTH, "log_slow_queries", &["slow_query_log"], "its file is named by `slow_query_log_file`"),
    (BOTH, "log_long_format", &["log_queries_not_using_indexes"], NOTHING),
    (BOTH, "language", &["lc_messages_dir"], NOTHING),
    (BOTH, "default_character_set", &["character_set_server"], NOTHING),
    (BOTH, "default_collation", &["collation_server"], NOTHING),
    (BOTH, "default_table_type", &["default_storage_engine"], NOTHING),
    (BOTH, "table_type", &["default_storage_engine"], NOTHING),
    (BOTH, "storage_engine", &["default_storage_engine"], NOTHING),
    (BOTH, "record_buffer", &["read_buffer_size"], NOTHING),
    (BOTH, "locking", &["external_locking"], "`skip_external_locking` switches it off"),
    (BOTH, "tx_isolation", &["transaction_isolation"], NOTHING),
    (BOTH, "tx_read_only", &["transaction_read_only"], NOTHING),
    (BOTH, "log_bin_trust_routine_creators", &["log_bin_trust_function_creators"], NOTHING),
    (BOTH, "max_long_data_size", &["max_allowed_packet"], NOTHING),
    (
        BOTH,
        "innodb_file_io_threads",
        &["innodb_read_io_threads", "innodb_write_io_threads"],
        NOTHING,
    ),
    (BOTH, "engine_condition_pushdown", &["optimizer_switch"], "as a flag of it"),
    (BOTH, "set_variable", &[], "write `name = value` on a line of its own"),
    (BOTH, "safe_show_database", &[], "the SHOW DATABASES privilege does it"),
    (BOTH, "bdb", &[], ENGINE),
    (BOTH, "isam", &[], ENGINE),
    (BOTH, "thread_concurrency", &[], "it did nothing on Linux"),
    (BOTH, "innodb_additional_mem_pool_size", &[], "InnoDB uses the system's allocator"),
    (BOTH, "innodb_use_sys_malloc", &[], "InnoDB uses the system's allocator"),
    (BOTH, "innodb_thread_concurrency_timer_based", &[], NOTHING),
    (BOTH, "rpl_recovery_rank", &[], NOTHING),
    (BOTH, "multi_range_count", &[], NOTHING),
    (BOTH, "myisam_max_extra_sort_file_size", &[], NOTHING),
    (BOTH, "ignore_builtin_innodb", &[], NOTHING),
    (BOTH, "sync_frm", &[], NOTHING),
    // Gone from MySQL.
    (MYSQL, "query_cache_type", &[], QUERY_CACHE),
    (MYSQL, "query_cache_size", &[], QUERY_CACHE),
    (MYSQL, "query_cache_limit", &[], QUERY_CACHE),
    (MYSQL, "query_cache_min_res_unit", &[], QUERY_CACHE),
    (MYSQL, "query_cache_wlock_invalidate", &[], QUERY_CACHE),
    (MYSQL, "query_cache_strip_comments", &[], QUERY_CACHE),
    (
        MYSQL,
        "innodb_log_file_size",
        &["innodb_redo_log_capacity"],
        "the size of all files together",
    ),
    (
        MYSQL,
        "innodb_log_files_in_group",
        &["innodb_redo_log_capacity"],
        "the size of all files together",
    ),
    (MYSQL, "innodb_file_format", &[], FILE_FORMAT),
    (MYSQL, "innodb_file_format_check", &[], FILE_FORMAT),
    (MYSQL, "innodb_file_format_max", &[], FILE_FORMAT),
    (MYSQL, "innodb_large_prefix", &[], FILE_FORMAT),
    (MYSQL, "innodb_checksums", &["innodb_checksum_algorithm"], NOTHING),
    (MYSQL, "innodb_stats_sample_pages", &["innodb_stats_transient_sample_pages"], NOTHING),
    (MYSQL, "innodb_undo_logs", &["innodb_rollback_segments"], NOTHING),
    (MYSQL, "innodb_undo_tablespaces", &[], "undo tablespaces are made by themselves"),
    (MYSQL, "innodb_support_xa", &[], "it is always on"),
    (
        MYSQL,
        "innodb_locks_unsafe_for_binlog",
        &["transaction_isolation"],
        "READ-COMMITTED locks as little",
    ),
    (MYSQL, "innodb", &[], "InnoDB can't be switched off"),
    (MYSQL, "expire_logs_days", &["binlog_expire_logs_seconds"], "in seconds"),
    (MYSQL, "log_warnings", &["log_error_verbosity"], NOTHING),
    (MYSQL, "log_syslog", &["log_error_services"], NOTHING),
    (MYSQL, "default_authentication_plugin", &["authentication_policy"], NOTHING),
    (MYSQL, "mysql_native_password", &[], "that authentication is gone"),
    (MYSQL, "old_passwords", &[], "those passwords are gone"),
    (MYSQL, "secure_auth", &[], "it is always on"),
    (MYSQL, "ssl", &["tls_version"], "an empty one switches TLS off"),
    (MYSQL, "host_cache", &["host_cache_size"], "0 switches it off"),
    (MYSQL, "master_info_repository", &[], TABLES),
    (MYSQL, "relay_log_info_repository", &[], TABLES),
    (MYSQL, "log_bin_use_v1_row_events", &[], NOTHING),
    (MYSQL, "binlog_transaction_dependency_tracking", &[], "it is always WRITESET"),
    (MYSQL, "transaction_write_set_extraction", &[], "it is always on"),
    (MYSQL, "slave_rows_search_algorithms", &[], NOTHING),
    (MYSQL, "internal_tmp_disk_storage_engine", &[], "it is always InnoDB"),
    (MYSQL, "metadata_locks_cache_size", &[], NOTHING),
    (MYSQL, "metadata_locks_hash_instances", &[], NOTHING),
    (MYSQL, "max_tmp_tables", &[], NOTHING),
    (MYSQL, "myisam_repair_threads", &[], NOTHING),
    (MYSQL, "date_format", &[], NOTHING),
    (MYSQL, "datetime_format", &[], NOTHING),
    (MYSQL, "time_format", &[], NOTHING),
    (MYSQL, "timed_mutexes", &[], NOTHING),
    (MYSQL, "temp_pool", &[], NOTHING),
    (MYSQL, "ignore_db_dirs", &[], NOTHING),
    (MYSQL, "show_compatibility_56", &[], NOTHING),
    (MYSQL, "character_set_client_handshake", &[], NOTHING),
    (MYSQL, "avoid_temporal_upgrade", &[], NOTHING),
    (MYSQL, "show_old_temporals", &[], NOTHING),
    (MYSQL, "old", &[], NOTHING),
    (MYSQL, "des_key_file", &[], NOTHING),
    (MYSQL, "bootstrap", &["initialize"], NOTHING),
    (MYSQL, "userstat", &[], "MariaDB and Percona Server have it"),
    // MySQL's, not MariaDB's.
    (MARIADB, "innodb_redo_log_capacity", &["innodb_log_file_size"], NOTHING),
    (MARIADB, "log_error_verbosity", &["log_warnings"], NOTHING),
    (MARIADB, "log_replica_updates", &["log_slave_updates"], NOTHING),
    (MARIADB, "replica_parallel_workers", &["slave_parallel_threads"], NOTHING),
    (MARIADB, "gtid_mode", &[], GTID),
    (MARIADB, "enforce_gtid_consistency", &[], GTID),
    (MARIADB, "innodb_dedicated_server", &[], NOTHING),
    (MARIADB, "temptable_max_ram", &["tmp_memory_table_size"], NOTHING),
    (MARIADB, "internal_tmp_mem_storage_engine", &[], NOTHING),
    (MARIADB, "authentication_policy", &[], NOTHING),
    (MARIADB, "mysqlx", &[], "MariaDB has no X protocol"),
];

/// What to say of an option that the server with that catalogue does not know: what took its place,
/// or that nothing did. None where nothing is known of it.
pub fn instead(vendor: Vendor, catalog: &Catalog, name: &str) -> Option<String> {
    let name = ["skip_", "loose_"].iter().fold(name, |n, head| n.strip_prefix(head).unwrap_or(n));
    let gone = GONE.iter().find(|(of, gone, ..)| *gone == name && of.contains(&vendor));
    if let Some((_, _, names, more)) = gone {
        let known: Vec<String> = names
            .iter()
            .filter(|name| catalog.get(name).is_some())
            .map(|name| format!("`{name}`"))
            .collect();
        return Some(match (known.is_empty(), more.is_empty()) {
            (false, true) => format!("now {}", known.join(" and ")),
            (false, false) => format!("now {}: {more}", known.join(" and ")),
            (true, false) if names.is_empty() => (*more).to_owned(),
            (true, true) if names.is_empty() => "nothing took its place".to_owned(),
            // What replaced it is not here, either.
            (true, _) => return None,
        });
    }
    if name.starts_with("have_") {
        return Some("it says what the server can do, and is no option".to_owned());
    }
    // Servers once took the beginning of a name for all of it.
    let mut longer = catalog.options.keys().filter(|known| known.starts_with(name));
    match (longer.next(), longer.next()) {
        (Some(one), None) if name.len() > 3 => Some(format!("write `{one}` in full")),
        _ => None,
    }
}

/// The options that took the place of others, for that vendor.
pub fn replacements(vendor: Vendor) -> impl Iterator<Item = &'static str> {
    let of = move |gone: &&Gone| gone.0.contains(&vendor);
    GONE.iter().filter(of).flat_map(|gone| gone.2.iter().copied())
}

#[cfg(test)]
mod tests {
    use super::super::{Argument, Kind, OptionInfo};
    use super::*;

    #[test]
    fn what_took_the_place_of_an_option_is_named_where_the_server_has_it() {
        let info = OptionInfo {
            argument: Argument::Required,
            kind: Kind::Integer,
            default: None,
            min: None,
            max: None,
            block: None,
            values: Vec::new(),
            dynamic: None,
            variable: true,
        };
        let names = ["table_open_cache", "key_buffer_size", "innodb_redo_log_capacity"];
        let options = names.map(|name| (name.to_owned(), info.clone())).into();
        let catalog = Catalog { version: String::new(), options };
        let of = |name| instead(MySql, &catalog, name);
        assert_eq!(of("table_cache").as_deref(), Some("now `table_open_cache`"));
        assert!(of("innodb_log_file_size").is_some_and(|w| w.contains("innodb_redo_log_capacity")));
        assert!(of("query_cache_size").is_some_and(|w| w.contains("no query cache")));
        assert_eq!(of("key_buffer").as_deref(), Some("write `key_buffer_size` in full"));
        assert_eq!(of("skip_bdb").as_deref(), Some("that storage engine is gone"));
        // Its replacement is not known to this server.
        assert_eq!(of("log_slow_queries"), None);
        assert_eq!(of("something_else"), None);
        assert_eq!(instead(MariaDb, &catalog, "query_cache_size"), None);
    }

    #[test]
    fn no_option_is_listed_twice_for_a_vendor() {
        for vendor in [MySql, MariaDb] {
            let of = || GONE.iter().filter(|g| g.0.contains(&vendor)).map(|g| g.1);
            let mut names: Vec<&str> = of().collect();
            names.sort_unstable();
            names.dedup();
            assert_eq!(names.len(), of().count());
        }
    }
}
