//! Servers that are killed for the memory they use.

use crate::binary::Desk;
use crate::servers::mysql_9_7;

/// Taken and touched at the start: about a gigabyte for digests.
const GREEDY: &str = "performance_schema_digests_size=1000000";

/// The unchanged server does not survive its start: told as that, with what to do about it.
#[test]
fn a_base_that_needs_too_much() {
    let desk = Desk::new(mysql_9_7);
    desk.write("my.cnf", &format!("[mysqld]\nmax_connections = 37\n{GREEDY}\n"));
    let more = ["--memory", "600m"];
    let done =
        desk.run(&[&["plan"][..], &desk.sweep(&more)].concat()).expect(1).left_nothing(&desk);
    assert!(done.stderr.contains("killed for the memory it used"), "{}", done.stderr);
    assert!(done.stderr.contains("--both") && done.stderr.contains("--memory"), "{}", done.stderr);
}

/// A toggle's server that does not survive is a result like any other refusal.
#[test]
fn a_toggle_that_needs_too_much_is_a_row() {
    let desk = Desk::new(mysql_9_7);
    desk.write("my.cnf", "[mysqld]\nmax_connections = 37\n");
    let more = ["--memory", "600m", "--format", "csv", "--set", GREEDY];
    let done =
        desk.run(&[&["plan"][..], &desk.sweep(&more)].concat()).expect(0).left_nothing(&desk);
    let row = done.stdout.lines().find(|l| l.contains(GREEDY)).expect("a row");
    assert!(row.contains(",refused,") && row.contains("killed for the memory"), "{row}");
    assert!(done.stdout.contains("max_connections=default"), "{}", done.stdout);
}
