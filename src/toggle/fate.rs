//! Options that are never toggled: what happens to them in the file that both servers read, and
//! why. Everything a sweep owns (places, accounts, identity) is here; all else is toggled.

/// What happens to a line that is not toggled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fate {
    /// It stays in both arms.
    Keep(&'static str),
    /// It is commented out in both arms.
    Drop(&'static str),
    /// Its path is replaced in both arms.
    Remap(&'static str, &'static str),
    /// It stays in both arms, and the data directory is made with it.
    Initialise(&'static str),
}

const PLACE: &str = "a path or address: the sweep puts its servers where it wants them";
const MISSING: &str = "names a file that is not in the container";
const IDENTITY: &str = "replication identity: it does nothing to speed and must not change";
const CLUSTER: &str = "a cluster needs its other nodes";
const PLUGIN: &str = "loading a plugin is no toggle: its options would become unknown";
const ACCOUNTS: &str = "decides who gets in: accounts and transport are the sweep's";
const TRANSPORT: &str = "decides how clients reach the server: that is the sweep's";
const PROCESS: &str = "how the process runs: that is the container's";
const INITIALISED: &str = "fixed when a data directory is made";
const ENGINES: &str = "storage engines are compared with `--engines`, not by this option";

/// The fate of an option by its canonical name; none: it is toggled.
pub(super) fn fate(name: &str) -> Option<Fate> {
    let starts = |prefixes: &[&str]| prefixes.iter().any(|p| name.starts_with(p));
    Some(match name {
        "datadir"
        | "basedir"
        | "tmpdir"
        | "slave_load_tmpdir"
        | "replica_load_tmpdir"
        | "socket"
        | "pid_file"
        | "port"
        | "extra_port"
        | "bind_address"
        | "chroot"
        | "lc_messages_dir"
        | "language"
        | "character_sets_dir"
        | "plugin_dir"
        | "log_error"
        | "innodb_data_home_dir"
        | "innodb_log_group_home_dir"
        | "innodb_undo_directory"
        | "innodb_tmpdir"
        | "innodb_doublewrite_dir"
        | "innodb_temp_data_file_path"
        | "secure_file_priv"
        | "log_bin_index"
        | "aria_log_dir_path"
        | "log_basename"
        | "innodb_buffer_pool_filename"
        | "binlog_directory" => Fate::Drop(PLACE),
        "general_log_file" => Fate::Remap("/tmp/general.log", PLACE),
        "slow_query_log_file" | "log_slow_query_file" => Fate::Remap("/tmp/slow.log", PLACE),
        "init_file" | "ft_stopword_file" | "init_rpl_role" => Fate::Drop(MISSING),
        "user"
        | "default_authentication_plugin"
        | "authentication_policy"
        | "mysql_native_password"
        | "safe_user_create"
        | "require_secure_transport"
        | "old_passwords"
        | "secure_auth" => Fate::Drop(ACCOUNTS),
        "skip_networking" => Fate::Keep(TRANSPORT),
        "server_id"
        | "server_uuid"
        | "gtid_domain_id"
        | "skip_slave_start"
        | "skip_replica_start"
        | "auto_increment_increment"
        | "auto_increment_offset" => Fate::Keep(IDENTITY),
        "read_only" | "super_read_only" | "transaction_read_only" => {
            Fate::Drop("a load that writes would fail")
        }
        "default_storage_engine"
        | "storage_engine"
        | "disabled_storage_engines"
        | "default_tmp_storage_engine" => Fate::Keep(ENGINES),
        "innodb" => Fate::Keep(ENGINES),
        "innodb_data_file_path"
        | "innodb_page_size"
        | "lower_case_table_names"
        | "innodb_undo_tablespaces" => Fate::Initialise(INITIALISED),
        "innodb_force_recovery" => Fate::Drop("it stops the server from writing"),
        "innodb_fast_shutdown" => Fate::Keep("it acts when a server is stopped; ours are killed"),
        "daemonize" | "bootstrap" | "help" | "version" | "verbose" | "console" | "gdb"
        | "memlock" | "large_pages" | "super_large_pages" | "core_file" | "validate_config"
        | "upgrade" | "default_time_zone" | "timezone" | "exit_info" | "nice" => {
            Fate::Drop(PROCESS)
        }
        "expire_logs_days" | "binlog_expire_logs_seconds" => {
            Fate::Keep("it acts after days, a benchmark lasts seconds")
        }
        "plugin_load" | "plugin_load_add" | "early_plugin_load" => Fate::Keep(PLUGIN),
        _ if starts(&["relay_log", "admin_", "mysqlx", "report_"]) => match name {
            _ if starts(&["report_"]) => Fate::Keep(IDENTITY),
            _ => Fate::Drop(PLACE),
        },
        _ if starts(&["replicate_", "binlog_do_db", "binlog_ignore_db", "master_"]) => {
            Fate::Keep(IDENTITY)
        }
        _ if starts(&["wsrep", "group_replication"]) => Fate::Drop(CLUSTER),
        _ if starts(&["ssl", "tls_", "keyring", "validate_password", "audit_", "initialize"]) => {
            Fate::Drop(ACCOUNTS)
        }
        _ if starts(&["caching_sha2_password", "sha256_password"]) => Fate::Drop(ACCOUNTS),
        _ => return None,
    })
}

impl Fate {
    /// The reason, for people.
    pub(super) fn why(self) -> &'static str {
        match self {
            Self::Keep(why) | Self::Drop(why) | Self::Initialise(why) | Self::Remap(_, why) => why,
        }
    }
}

/// Why an option is never toggled; none for one that may be.
pub fn never(option: &str) -> Option<&'static str> {
    fate(option).map(Fate::why)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_option_this_tool_was_made_for_is_toggled() {
        assert_eq!(fate("skip_grant_tables"), None);
        assert_eq!(fate("performance_schema"), None);
        assert_eq!(fate("skip_name_resolve"), None);
    }

    #[test]
    fn what_the_sweep_owns_is_not() {
        for name in ["datadir", "relay_log_index", "mysqlx_port", "admin_address", "wsrep_on"] {
            assert!(matches!(fate(name), Some(Fate::Drop(_))), "{name}");
        }
        assert!(matches!(fate("report_host"), Some(Fate::Keep(_))));
        assert!(matches!(fate("innodb_page_size"), Some(Fate::Initialise(_))));
    }
}
