//! Base files and toggles that a server refuses: its own words, the line, and what to do.

use crate::binary::{Desk, Done};
use crate::servers::{mariadb_11_8, mysql_9_7};

fn plan(desk: &Desk, more: &[&str]) -> Done {
    desk.run(&[&["plan", "--format", "csv"][..], &desk.sweep(more)].concat())
}

/// MySQL 8 threw the query cache out. The file names it; the server refuses the file.
#[test]
fn a_base_file_with_an_option_that_is_gone() {
    let desk = Desk::new(mysql_9_7);
    desk.write("my.cnf", "[mysqld]\nmax_connections = 37\nquery_cache_size = 16M\n");
    let done = desk.run(&[&["plan"][..], &desk.sweep(&[])].concat()).expect(1).left_nothing(&desk);
    let line = "my.cnf:3: query_cache_size: not known to this server; MySQL 8.0 has no query cache";
    assert!(done.stderr.contains(line), "{}", done.stderr);
    assert!(done.stderr.contains("--drop query_cache_size"), "{}", done.stderr);
    for drop in [&["--drop", "query_cache_size"][..], &["--drop-unknown"]] {
        let plan = [&["plan", "--format", "csv"][..], &desk.sweep(drop)].concat();
        let done = desk.run(&plan).expect(0).left_nothing(&desk);
        assert!(done.stdout.contains("max_connections=default"), "{}", done.stdout);
    }
}

/// Values that the server refuses: its words, and the lines that they are about.
#[test]
fn a_base_file_with_values_that_the_server_refuses() {
    for server in [mysql_9_7, mariadb_11_8] {
        let desk = Desk::new(server);
        let base = "[mysqld]\nmax_connections = 37\ninnodb_flush_method = sideways\n\
                    sort_buffer_size = 1 M\nloose_no_such = 1\n";
        desk.write("my.cnf", base);
        let plan = [&["plan"][..], &desk.sweep(&[])].concat();
        let done = desk.run(&plan).expect(1).left_nothing(&desk);
        let said = &done.stderr;
        assert!(said.contains("does not start with the base file: it refuses 2 lines"), "{said}");
        assert!(said.contains("my.cnf:3: innodb_flush_method: [ERROR]"), "{said}");
        assert!(said.contains("my.cnf:4: sort_buffer_size: [ERROR]"), "{said}");
        assert!(said.contains("--drop innodb_flush_method,sort_buffer_size"), "{said}");
    }
}

/// A file of MySQL 5.5 on today's servers: one message about everything that they refuse; without
/// it the plan is made.
#[test]
fn a_file_of_mysql_5_5() {
    let old = "[mysqld]\n\
               skip-external-locking\n\
               key_buffer_size = 16M\n\
               max_allowed_packet = 1M\n\
               table_cache = 512\n\
               sort_buffer = 2M\n\
               myisam_sort_buffer_size = 64M\n\
               thread_cache = 8\n\
               query_cache_size = 32M\n\
               thread_concurrency = 8\n\
               log-slow-queries = slow.log\n\
               innodb_additional_mem_pool_size = 20M\n\
               innodb_log_file_size = 100M\n\
               sql_mode = NO_AUTO_CREATE_USER\n\
               expire_logs_days = 10\n\
               default-character-set = utf8\n";
    let desk = Desk::new(mysql_9_7);
    desk.write("my.cnf", old);
    let done = plan(&desk, &[]).expect(1).left_nothing(&desk);
    for words in [
        "my.cnf:5: table_cache: not known to this server; now `table_open_cache`",
        "my.cnf:6: sort_buffer: not known to this server; write `sort_buffer_size` in full",
        "my.cnf:8: thread_cache: not known to this server; write `thread_cache_size` in full",
        "my.cnf:9: query_cache_size: not known to this server; MySQL 8.0 has no query cache",
        "my.cnf:10: thread_concurrency: not known",
        "my.cnf:11: log_slow_queries: not known to this server; now `slow_query_log`",
        "my.cnf:12: innodb_additional_mem_pool_size: not known",
        "my.cnf:13: innodb_log_file_size: not known to this server; now `innodb_redo_log_capacity`",
        "my.cnf:14: sql_mode: [ERROR]",
        "my.cnf:15: expire_logs_days: not known to this server; now `binlog_expire_logs_seconds`",
        "my.cnf:16: default_character_set: not known to this server; now `character_set_server`",
        "--drop-unknown --drop sql_mode`",
    ] {
        assert!(done.stderr.contains(words), "no `{words}` in:\n{}", done.stderr);
    }
    let done = plan(&desk, &["--drop-unknown"]).expect(1).left_nothing(&desk);
    assert!(done.stderr.contains("it refuses 1 line\n"), "{}", done.stderr);
    assert!(done.stderr.contains("--drop sql_mode`"), "{}", done.stderr);
    let done = plan(&desk, &["--drop-unknown", "--drop", "sql_mode"]).expect(0);
    let done = done.left_nothing(&desk);
    assert!(done.stdout.contains("myisam_sort_buffer_size=default"), "{}", done.stdout);
    // MariaDB still takes most of it, and says why not of the rest.
    let desk = Desk::new(mariadb_11_8);
    desk.write("my.cnf", old);
    let done = plan(&desk, &[]).expect(1).left_nothing(&desk);
    let line =
        "my.cnf:16: default_character_set: not known to this server; now `character_set_server`";
    assert!(done.stderr.contains(line), "{}", done.stderr);
    assert!(!done.stderr.contains("thread_concurrency"), "{}", done.stderr);
    assert!(!done.stderr.contains("query_cache_size"), "{}", done.stderr);
    let done = plan(&desk, &["--drop-unknown"]).expect(0).left_nothing(&desk);
    assert!(done.stdout.contains("query_cache_size"), "{}", done.stdout);
}

/// A toggle that the server refuses is a result: a row, the server's words, and exit 0.
#[test]
fn a_toggle_that_the_server_refuses_is_a_row() {
    for server in [mysql_9_7, mariadb_11_8] {
        let desk = Desk::new(server);
        desk.write("my.cnf", "[mysqld]\nmax_connections = 37\n");
        let more = ["--set", "innodb_flush_method=sideways", "--format", "csv"];
        let done = desk.run(&[&["plan"][..], &desk.sweep(&more)].concat()).expect(0);
        let done = done.left_nothing(&desk);
        let row = done.stdout.lines().find(|l| l.contains("innodb_flush_method")).expect("a row");
        assert!(row.contains(",refused,"), "{row}");
        assert!(row.contains("Error while setting value 'sideways'"), "{row}");
        assert!(done.stdout.contains("max_connections=default"), "{}", done.stdout);
    }
}

/// No such image: nothing is asked of a registry for ours, and the remedy is named.
#[test]
fn an_image_that_is_not_there() {
    let desk = Desk::new(mysql_9_7);
    desk.write("my.cnf", "[mysqld]\nmax_connections = 37\n");
    let done = desk
        .run(&["plan", "--base", "my.cnf", "--bench", "churn", "--image", "cnfsweep/mysql:0.1"])
        .expect(1)
        .left_nothing(&desk);
    assert!(done.stderr.contains("`cnfsweep/mysql:0.1`"), "{}", done.stderr);
    assert!(done.stderr.contains("containers/build.sh"), "{}", done.stderr);
}

/// A daemon that is not there, or not here.
#[test]
fn a_daemon_that_can_not_be_used() {
    let desk = Desk::new(mysql_9_7);
    desk.write("my.cnf", "[mysqld]\nmax_connections = 37\n");
    let with_host = |host: &str| {
        let output = desk.command(&desk.sweep(&[])).env("DOCKER_HOST", host).output();
        let output = output.expect("cnfsweep");
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{stderr}");
        stderr
    };
    let said = with_host("unix:///tmp/no-such-docker.sock");
    assert!(said.contains("no Docker daemon answers"), "{said}");
    assert!(said.contains("hint: start it"), "{said}");
    let said = with_host("tcp://127.0.0.1:2375");
    assert!(said.contains("needs a local daemon"), "{said}");
}
