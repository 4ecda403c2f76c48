//! Reading a server's error log: why it gave up, and what it warned about.

/// Why a server that ended gave up: the last `[ERROR]` before `Aborting` that is more than a
/// consequence of another one, or else its last words. The first error is often an unrelated one.
pub fn reason(log: &str) -> Option<String> {
    let lines: Vec<&str> = log.lines().map(str::trim).filter(|l| !l.is_empty()).collect();
    // What comes after it did not come up is about its absence: to MySQL, its options are unknown.
    let without = lines.iter().position(|l| l.contains(INNODB_GONE));
    let aborting = || lines.iter().rposition(|l| l.contains("Aborting"));
    let end = without.or_else(aborting).unwrap_or(lines.len());
    let errors = || lines[..end].iter().rev().filter(|l| l.contains("[ERROR]"));
    errors()
        .find(|l| !CONSEQUENCES.iter().any(|c| l.contains(c)))
        .or_else(|| errors().next())
        .or_else(|| lines.last())
        .map(|line| without_stamp(line).to_owned())
}

/// What both servers say when a value of an InnoDB option is bad. Neither serves without InnoDB,
/// even where asking for help ends well.
pub(super) const INNODB_GONE: &str = "Parsing options for plugin 'InnoDB' failed";

/// What a server says when a part of it did not come up, after that part has said why.
const CONSEQUENCES: [&str; 7] = [
    "Parsing options for plugin",
    "Failed to initialize builtin plugins",
    "Failed to initialize DD Storage Engine",
    "Data Dictionary initialization failed",
    "Plugin initialization aborted",
    "registration as a STORAGE ENGINE failed",
    "Unknown/unsupported storage engine",
];

/// All `[ERROR]` lines but `Aborting`, without their time stamps.
pub fn error_lines(log: &str) -> Vec<String> {
    tagged(log, "[ERROR]").filter(|l| !l.contains("Aborting")).collect()
}

/// All `[Warning]` lines, without their time stamps. Those that every server in such a container
/// gives, whatever its file says, are left out: they would hide the ones that matter.
pub fn warnings(log: &str) -> Vec<String> {
    tagged(log, "[Warning]").filter(|l| !CONTAINERS_DOING.iter().any(|w| l.contains(w))).collect()
}

/// Warnings about the container, not about the file: MySQL's by code, MariaDB's have none.
const CONTAINERS_DOING: [&str; 10] = [
    "[MY-010068]", // CA certificate is self signed
    "[MY-010097]", // --secure-file-priv: ours is empty
    "[MY-011810]", // --pid-file: ours is in /tmp
    // NUMA calls, which Docker's seccomp profile refuses
    "[MY-011873]",
    "[MY-011875]",
    "[MY-011879]",
    "[MY-015655]", // --container_aware: memory is what the machine has
    // no network
    "failed to retrieve the MAC address",
    "WSREP: Failed to guess base node address",
    "WSREP: Guessing address for incoming client connections failed",
];

fn tagged<'a>(log: &'a str, tag: &'a str) -> impl Iterator<Item = String> + 'a {
    log.lines().filter(move |l| l.contains(tag)).map(|l| without_stamp(l.trim()).to_owned())
}

/// From the tag on: `2026-12-01T01:02:03.4Z 0 [ERROR] [MY-000067] …` has time and thread before it.
fn without_stamp(line: &str) -> &str {
    line.find("[ERROR]").or_else(|| line.find("[Warning]")).map_or(line, |at| &line[at..])
}

#[cfg(test)]
mod tests {
    use super::*;

    const MYSQL: &str = "\
2026-12-01T01:00:00.1Z 0 [Warning] [MY-010918] [Server] 'x' is deprecated
2026-12-01T01:00:00.2Z 0 [ERROR] [MY-011300] [Server] Plugin mysqlx reported: 'unrelated'
2026-12-01T01:00:01.2Z 0 [ERROR] [MY-000067] [Server] unknown variable 'query_cache_size=1M'.
2026-12-01T01:00:01.3Z 0 [ERROR] [MY-010119] [Server] Aborting
2026-12-01T01:00:02.3Z 0 [System] [MY-010910] [Server] Shutdown complete";

    #[test]
    fn the_last_error_before_aborting_is_the_reason() {
        let expected = "[ERROR] [MY-000067] [Server] unknown variable 'query_cache_size=1M'.";
        assert_eq!(reason(MYSQL).as_deref(), Some(expected));
        assert_eq!(error_lines(MYSQL).len(), 2);
        assert_eq!(warnings(MYSQL), ["[Warning] [MY-010918] [Server] 'x' is deprecated"]);
    }

    #[test]
    fn the_cause_is_the_reason_and_not_what_came_of_it() {
        // MySQL 9.7.4 and MariaDB 11.8.9 with innodb_flush_method=sideways.
        let mysql = "\
2026-12-01T02:47:53.6Z 0 [ERROR] [MY-000077] [Server] Error while setting value 'sideways'
2026-12-01T02:47:53.6Z 0 [ERROR] [MY-010746] [Server] Parsing options for plugin 'InnoDB' failed.
2026-12-01T02:47:53.6Z 0 [ERROR] [MY-010168] [Server] Failed to initialize builtin plugins.
2026-12-01T02:47:53.6Z 0 [ERROR] [MY-010119] [Server] Aborting";
        let cause = "[ERROR] [MY-000077] [Server] Error while setting value 'sideways'";
        assert_eq!(reason(mysql).as_deref(), Some(cause));
        let mariadb = "\
2026-12-01  2:47:54 0 [ERROR] mariadbd: Error while setting value 'sideways'
2026-12-01  2:47:54 0 [ERROR] Parsing options for plugin 'InnoDB' failed. Disabling plugin
2026-12-01  2:47:54 0 [ERROR] Unknown/unsupported storage engine: InnoDB
2026-12-01  2:47:54 0 [ERROR] Aborting";
        let cause = "[ERROR] mariadbd: Error while setting value 'sideways'";
        assert_eq!(reason(mariadb).as_deref(), Some(cause));
        // MySQL's `--validate-config`.
        let asked = "\
0 [ERROR] [MY-000077] [Server] mysqld: Error while setting value 'sideways' to 'innodb-flush-method'.
0 [ERROR] [MY-010746] [Server] Parsing options for plugin 'InnoDB' failed.
0 [ERROR] [MY-000067] [Server] unknown variable 'innodb_flush_method=sideways'.
0 [ERROR] [MY-010119] [Server] Aborting";
        assert!(reason(asked).is_some_and(|r| r.contains("Error while setting value")));
        // Better a consequence than nothing.
        let alone = "0 [ERROR] Unknown/unsupported storage engine: InnoDB\n0 [ERROR] Aborting";
        let said = "[ERROR] Unknown/unsupported storage engine: InnoDB";
        assert_eq!(reason(alone).as_deref(), Some(said));
    }

    #[test]
    fn warnings_about_the_container_are_not_the_files() {
        let log = "\
2026-12-01T02:06:57.1Z 1 [Warning] [MY-011873] [InnoDB] Failed to set NUMA memory policy
2026-12-01T02:06:57.7Z 0 [Warning] [MY-010068] [Server] CA certificate ca.pem is self signed.
2026-12-01T02:06:57.7Z 0 [Warning] [MY-010915] [Server] 'NO_ZERO_DATE' should be used with strict
2026-12-01  2:07:05 0 [Warning] failed to retrieve the MAC address
2026-12-01  2:07:05 0 [Warning] Could not increase number of max_open_files to more than 20000";
        let left = [
            "[Warning] [MY-010915] [Server] 'NO_ZERO_DATE' should be used with strict",
            "[Warning] Could not increase number of max_open_files to more than 20000",
        ];
        assert_eq!(warnings(log), left);
    }

    #[test]
    fn without_an_error_the_last_words_count() {
        assert_eq!(reason("cp: no space left\n\n").as_deref(), Some("cp: no space left"));
        assert_eq!(reason("  \n"), None);
    }
}
