//! Which server counters have to move for an option to matter at all. A load that never touches an
//! option proves nothing about it.

/// What has to move: any of these counters of SHOW GLOBAL STATUS.
type Counters = &'static [&'static str];

/// Options by name or by the beginning of their names (a trailing `*`), and their witnesses.
const WITNESSES: &[(&[&str], Counters)] = &[
    (&["sort_buffer_size"], &["Sort_rows", "Sort_scan", "Sort_range"]),
    (&["join_buffer_size"], &["Select_full_join", "Select_full_range_join"]),
    (
        &["read_buffer_size", "read_rnd_buffer_size"],
        &["Select_scan", "Handler_read_rnd", "Handler_read_rnd_next"],
    ),
    (
        &[
            "tmp_table_size",
            "max_heap_table_size",
            "temptable_*",
            "internal_tmp_mem_storage_engine",
        ],
        &["Created_tmp_tables"],
    ),
    (
        &[
            "key_buffer_size",
            "key_cache_*",
            "myisam_*",
            "concurrent_insert",
            "delay_key_write",
            "low_priority_updates",
        ],
        &["Key_read_requests", "Key_write_requests"],
    ),
    (&["aria_pagecache_*"], &["Aria_pagecache_read_requests"]),
    (&["query_cache_*"], &["Qcache_hits", "Qcache_inserts", "Qcache_not_cached"]),
    (
        &["table_open_cache", "table_definition_cache", "open_files_limit", "innodb_open_files"],
        &["Opened_tables", "Opened_table_definitions"],
    ),
    (
        &["thread_cache_size", "back_log", "thread_stack", "connect_timeout", "max_connect_errors"],
        &["Connections"],
    ),
    // The default transport is a socket: these act on TCP alone, which no counter shows.
    (&["skip_name_resolve", "host_cache_size", "net_*"], &[]),
    (
        &[
            "innodb_buffer_pool_size",
            "innodb_lru_scan_depth",
            "innodb_read_ahead_*",
            "innodb_old_blocks_*",
        ],
        &["Innodb_buffer_pool_reads"],
    ),
    (
        &["innodb_log_*", "innodb_redo_log_capacity", "innodb_flush_log_*"],
        &["Innodb_os_log_written", "Innodb_log_writes"],
    ),
    (
        &[
            "innodb_io_capacity*",
            "innodb_max_dirty_pages*",
            "innodb_page_cleaners",
            "innodb_write_io_threads",
            "innodb_flush_neighbors",
            "innodb_doublewrite*",
            "innodb_flush_method",
            "innodb_adaptive_flushing*",
        ],
        &["Innodb_pages_written", "Innodb_dblwr_writes"],
    ),
    (
        &["innodb_purge_*", "innodb_max_undo_log_size", "innodb_undo_log_truncate"],
        &["Innodb_rows_updated", "Innodb_rows_deleted", "Handler_update", "Handler_delete"],
    ),
    (
        &["sync_binlog", "binlog_*", "log_bin", "max_binlog_size"],
        &["Binlog_cache_use", "Binlog_bytes_written", "Handler_update", "Handler_write"],
    ),
    (
        &["innodb_lock_wait_timeout", "innodb_deadlock_detect", "innodb_print_all_deadlocks"],
        &["Innodb_row_lock_waits"],
    ),
    (&["innodb_autoinc_lock_mode", "bulk_insert_buffer_size"], &["Handler_write"]),
    (&["general_log"], &["Questions"]),
    (&["long_query_time", "log_queries_not_using_indexes"], &["Slow_queries"]),
    // No shipped load comes near these.
    (
        &[
            "event_scheduler",
            "group_concat_max_len",
            "max_error_count",
            "slave_*",
            "replica_*",
            "interactive_timeout",
            "wait_timeout",
        ],
        &[],
    ),
];

/// Options that act through flushing, checkpoints or purge: a young server says little about them.
const WRITE_BACK: &[&str] = &[
    "innodb_redo_log_capacity",
    "innodb_log_file_size",
    "innodb_log_files_in_group",
    "innodb_io_capacity",
    "innodb_io_capacity_max",
    "innodb_max_dirty_pages_pct",
    "innodb_max_dirty_pages_pct_lwm",
    "innodb_adaptive_flushing",
    "innodb_adaptive_flushing_lwm",
    "innodb_flush_neighbors",
    "innodb_page_cleaners",
    "innodb_write_io_threads",
    "innodb_lru_scan_depth",
    "innodb_purge_threads",
    "innodb_doublewrite",
    "innodb_flush_method",
    "innodb_buffer_pool_size",
    "innodb_change_buffering",
];

/// The counters of which one has to move for the option to matter: none known (`None`), or known
/// that nothing in the shipped loads moves it (empty).
pub fn witnesses(option: &str) -> Option<Counters> {
    let matches = |pattern: &str| match pattern.strip_suffix('*') {
        Some(beginning) => option.starts_with(beginning),
        None => option == pattern,
    };
    WITNESSES
        .iter()
        .find(|(options, _)| options.iter().any(|pattern| matches(pattern)))
        .map(|(_, counters)| *counters)
}

/// Whether an option acts through write-back.
pub fn acts_through_write_back(option: &str) -> bool {
    WRITE_BACK.contains(&option)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_option_without_a_witness_is_judged_by_its_numbers() {
        assert_eq!(witnesses("performance_schema"), None);
        assert_eq!(witnesses("skip_grant_tables"), None);
        assert!(witnesses("sort_buffer_size").is_some_and(|w| w.contains(&"Sort_rows")));
        assert!(witnesses("myisam_sort_buffer_size").is_some_and(|w| !w.is_empty()));
        assert_eq!(witnesses("group_concat_max_len"), Some(&[] as Counters));
    }
}
