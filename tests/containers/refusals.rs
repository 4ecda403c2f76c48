//! Base files and toggles that a server refuses: its own words, the line, and what to do.

use crate::binary::Desk;
use crate::servers::{mariadb_11_8, mysql_9_7};

/// MySQL 8 threw the query cache out. The file names it; the server refuses the file.
#[test]
fn a_base_file_with_an_option_that_is_gone() {
    let desk = Desk::new(mysql_9_7);
    desk.write("my.cnf", "[mysqld]\nmax_connections = 37\nquery_cache_size = 16M\n");
    let done = desk.run(&[&["plan"][..], &desk.sweep(&[])].concat()).expect(1).left_nothing(&desk);
    assert!(done.stderr.contains("unknown variable 'query_cache_size=16M'"), "{}", done.stderr);
    assert!(done.stderr.contains("my.cnf:3: query_cache_size"), "{}", done.stderr);
    assert!(done.stderr.contains("--drop query_cache_size"), "{}", done.stderr);
    for drop in [&["--drop", "query_cache_size"][..], &["--drop-unknown"]] {
        let plan = [&["plan", "--format", "csv"][..], &desk.sweep(drop)].concat();
        let done = desk.run(&plan).expect(0).left_nothing(&desk);
        assert!(done.stdout.contains("max_connections=default"), "{}", done.stdout);
    }
}

/// A value that the server refuses: its words, and the line that it is about.
#[test]
fn a_base_file_with_a_value_that_the_server_refuses() {
    let desk = Desk::new(mysql_9_7);
    desk.write("my.cnf", "[mysqld]\nmax_connections = 37\ninnodb_flush_method = sideways\n");
    let done = desk.run(&[&["plan"][..], &desk.sweep(&[])].concat()).expect(1).left_nothing(&desk);
    assert!(done.stderr.contains("does not start with the base file"), "{}", done.stderr);
    assert!(done.stderr.contains("my.cnf:3"), "{}", done.stderr);
    assert!(done.stderr.contains("--drop innodb_flush_method"), "{}", done.stderr);
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
