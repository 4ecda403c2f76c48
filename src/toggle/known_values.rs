//! Options by name, and the values that are worth a try. What is not listed goes by its kind.

/// What is known of an option's values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Known {
    /// Values, separated by blanks: literally, or `/2` and `*2` of the line's own, `cpus`,
    /// `2*cpus`, `2*option`, `threads+10`, `memory/2`, `''` for the empty text.
    pub(super) values: &'static str,
    /// Other values would break the load, or be about something else: halves and doubles are not
    /// tried either.
    pub(super) is_final: bool,
}

/// Values that exist and are never proposed: for debugging only, or not to be undone.
pub(super) const NEVER: &[(&str, &str)] = &[
    ("thread_handling", "no-threads"),
    ("event_scheduler", "DISABLED"),
    ("innodb_flush_method", "nosync"),
    ("innodb_flush_method", "littlesync"),
];

/// Also tried: half and twice the line's value and the like (`--values all`).
const OPEN: &[(&str, &str)] = &[
    // InnoDB: memory, redo, input and output.
    ("innodb_buffer_pool_size", "/2 *2"),
    ("innodb_buffer_pool_instances", "1 2 4 8"),
    ("innodb_buffer_pool_chunk_size", "16M 128M"),
    ("innodb_log_file_size", "48M 96M 512M 1G"),
    ("innodb_redo_log_capacity", "8M 100M 512M 2G"),
    ("innodb_log_buffer_size", "8M 64M"),
    ("innodb_flush_log_at_timeout", "1 5"),
    ("innodb_io_capacity", "100 200 1000 2000 10000"),
    ("innodb_io_capacity_max", "2*innodb_io_capacity 10000"),
    ("innodb_read_io_threads", "1 4 16"),
    ("innodb_write_io_threads", "1 4 16"),
    ("innodb_purge_threads", "1 4"),
    ("innodb_page_cleaners", "1 4"),
    ("innodb_lru_scan_depth", "256 1024 4096"),
    ("innodb_max_dirty_pages_pct", "50 75 90"),
    ("innodb_max_dirty_pages_pct_lwm", "0 10"),
    ("innodb_thread_concurrency", "0 cpus 2*cpus"),
    ("innodb_spin_wait_delay", "0 6 24"),
    ("innodb_lock_wait_timeout", "5 50"),
    ("innodb_open_files", "400 4000"),
    ("innodb_old_blocks_time", "0 1000"),
    ("innodb_parallel_read_threads", "1 4"),
    ("innodb_sort_buffer_size", "1M 4M"),
    // Server and connections.
    ("back_log", "80 128 512"),
    ("thread_cache_size", "0 9 100"),
    ("table_open_cache", "400 2000 4000"),
    ("table_definition_cache", "400 2000"),
    ("table_open_cache_instances", "1 8 16"),
    ("host_cache_size", "0 279"),
    ("net_buffer_length", "16K"),
    // Buffers of a session, temporary tables.
    ("sort_buffer_size", "64K 4M"),
    ("join_buffer_size", "4M"),
    ("read_buffer_size", "1M"),
    ("read_rnd_buffer_size", "1M"),
    ("tmp_table_size", "64M 256M"),
    ("max_heap_table_size", "64M"),
    ("temptable_max_ram", "256M 1G"),
    ("eq_range_index_dive_limit", "0 10 200"),
    ("key_buffer_size", "64M"),
    ("group_concat_max_len", ""),
    ("bulk_insert_buffer_size", ""),
    ("myisam_sort_buffer_size", ""),
    ("myisam_max_sort_file_size", ""),
    // Query cache.
    ("query_cache_size", "0 1M 32M"),
    ("query_cache_limit", "256K 1M"),
    ("query_cache_min_res_unit", "2K 4K"),
    // Logs.
    ("sync_binlog", "0 1 100"),
    ("binlog_cache_size", "1M"),
    ("max_binlog_size", "100M 1G"),
    ("long_query_time", "0 1 10"),
];

/// Nothing else is tried.
const FINAL: &[(&str, &str)] = &[
    ("innodb_flush_log_at_trx_commit", "0 1 2 3"),
    ("innodb_flush_method", "fsync O_DSYNC O_DIRECT O_DIRECT_NO_FSYNC"),
    ("innodb_doublewrite", "ON OFF DETECT_ONLY fast"),
    ("innodb_flush_neighbors", "0 1 2"),
    ("innodb_change_buffering", "none all"),
    ("innodb_autoinc_lock_mode", "1 2"),
    ("innodb_checksum_algorithm", "crc32 full_crc32 none"),
    // It has to stay above the connections of the load.
    ("max_connections", "threads+10 151 1000"),
    ("max_user_connections", "0"),
    // Too little of it, and deep queries crash the server.
    ("thread_stack", "512K"),
    ("thread_handling", "one-thread-per-connection pool-of-threads"),
    ("open_files_limit", "65535"),
    ("max_connect_errors", ""),
    // Smaller ones cut connections off.
    ("connect_timeout", ""),
    ("wait_timeout", ""),
    ("interactive_timeout", ""),
    ("net_read_timeout", ""),
    ("net_write_timeout", ""),
    // Smaller than a batch, and the data set can't be loaded.
    ("max_allowed_packet", "4M"),
    ("event_scheduler", "ON OFF"),
    ("transaction_isolation", "READ-COMMITTED REPEATABLE-READ"),
    ("sql_mode", "''"),
    ("character_set_server", "utf8mb4 latin1"),
    ("collation_server", ""),
    ("internal_tmp_mem_storage_engine", "TempTable MEMORY"),
    ("myisam_recover_options", ""),
    ("concurrent_insert", "NEVER AUTO ALWAYS"),
    ("delay_key_write", "OFF ON ALL"),
    ("query_cache_type", "OFF ON DEMAND"),
    ("binlog_format", "ROW MIXED STATEMENT"),
    ("binlog_row_image", "FULL MINIMAL NOBLOB"),
    ("gtid_mode", ""),
    ("enforce_gtid_consistency", ""),
    ("log_output", "FILE NONE TABLE"),
    ("log_error_verbosity", "1 2 3"),
    ("log_warnings", ""),
];

/// What is known of an option's values.
pub(super) fn of(option: &str) -> Option<Known> {
    let find = |table: &[(&str, &'static str)], is_final| {
        let (_, values) = table.iter().find(|(name, _)| *name == option)?;
        Some(Known { values, is_final })
    };
    find(OPEN, false).or_else(|| find(FINAL, true))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_option_is_listed_twice() {
        let mut names: Vec<&str> = OPEN.iter().chain(FINAL).map(|(name, _)| *name).collect();
        let all = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), all);
        assert!(names.iter().all(|name| super::super::never(name).is_none()));
    }
}
