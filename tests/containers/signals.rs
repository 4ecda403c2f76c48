//! Whatever ends a sweep, nothing of it stays; and cleaning up takes nothing that is not its own.

use std::time::Duration;

use crate::binary::{Desk, with_own_data};
use crate::docker::{self, docker};
use crate::servers::{mariadb_11_8, mysql_9_7};

const TWO: &str = "[mysqld]\nsort_buffer_size = 333K\nmax_connections = 37\n";

/// In the middle of a pair: what was measured is kept and said.
#[test]
fn sigint_in_a_pair() {
    in_a_pair("INT");
}

#[test]
fn sigterm_in_a_pair() {
    in_a_pair("TERM");
}

fn in_a_pair(signal: &str) {
    let desk = Desk::new(mysql_9_7);
    desk.write("my.cnf", TWO);
    let mut sweep = desk.start(&desk.sweep(&["--rounds", "4", "--aa", "0", "--name", "r"]));
    sweep.until("pair 2 of");
    std::thread::sleep(Duration::from_millis(700));
    sweep.signal(signal);
    let done = sweep.end().expect(130).left_nothing(&desk);
    assert!(done.stderr.contains("cnfsweep report results/r"), "{}", done.stderr);
    let trials = std::fs::read_to_string(desk.path().join("results/r/trials.csv")).expect("rows");
    assert!(trials.lines().count() > 2, "{trials}");
    // What was kept can be read.
    desk.run(&["report", "results/r"]).expect(0);
}

/// While servers of the probe are being made and started.
#[test]
fn sigint_in_the_probe() {
    let desk = Desk::new(mariadb_11_8);
    desk.write("my.cnf", TWO);
    let mut sweep = desk.start(&desk.sweep(&[]));
    sweep.until("starting each toggle's server once");
    sweep.signal("INT");
    sweep.end().expect(130).left_nothing(&desk);
}

/// At every moment of the beginning, also while the daemon is at work for it.
#[test]
fn sigint_at_any_moment() {
    let desk = Desk::new(mariadb_11_8);
    desk.write("my.cnf", TWO);
    for ms in [30, 80, 150, 250, 350, 500, 700, 900, 1_200, 1_600] {
        let sweep = desk.start(&desk.sweep(&[]));
        std::thread::sleep(Duration::from_millis(ms));
        sweep.signal("INT");
        let done = sweep.end().left_nothing(&desk);
        // At first there is no handler: the signal ends the process before it made anything.
        assert!(matches!(done.code, Some(130) | None), "{ms} ms: {done:?}");
    }
}

/// While the golden directory is made: it is not taken for a finished one, and made anew.
#[test]
fn an_interrupted_golden_directory_is_made_anew() {
    let desk = Desk::new(mariadb_11_8);
    desk.write("my.cnf", TWO);
    desk.write("own.toml", &with_own_data("cut_off"));
    let mut sweep = desk.start(&own(&desk));
    sweep.until("making the data set");
    sweep.signal("INT");
    sweep.end().expect(130).left_nothing(&desk);
    let again = desk.run(&[&["plan"][..], &own(&desk)].concat()).expect(0).left_nothing(&desk);
    assert!(again.stderr.contains("making the data set"), "{}", again.stderr);
    let third = desk.run(&[&["plan"][..], &own(&desk)].concat()).expect(0).left_nothing(&desk);
    assert!(!third.stderr.contains("making the data set"), "{}", third.stderr);
    crate::goldens::remove_own("cut_off");
}

fn own<'a>(desk: &Desk) -> Vec<&'a str> {
    let swap = |word| if word == "quick.toml" { "own.toml" } else { word };
    desk.sweep(&[]).into_iter().map(swap).collect()
}

/// Killed, with no chance to do anything: the next `clean` removes it all, and nothing else.
#[test]
fn what_a_killed_sweep_left_is_removed_and_nothing_else() {
    let desk = Desk::new(mysql_9_7);
    desk.write("my.cnf", TWO);
    let killed = desk.start(&desk.sweep(&["--rounds", "2", "--aa", "0"]));
    killed.until_container("-base");
    killed.signal("KILL");
    let killed = killed.end();
    let left = docker::left_by(killed.process);
    assert!(left.iter().any(|name| name.starts_with("container")), "{left:?}");
    assert!(left.iter().any(|name| name.starts_with("volume")), "{left:?}");

    // Beside it: somebody else's container, and a sweep that lives.
    let stranger = docker(&[
        "run",
        "--detach",
        "--network",
        "none",
        "--label",
        "cnfsweep-like=yes",
        "--label",
        "sweep=server",
        mysql_9_7.image,
        "sleep",
        "300",
    ]);
    let other = Desk::new(mysql_9_7);
    other.write("my.cnf", TWO);
    let mut lives = other.start(&other.sweep(&["--rounds", "2", "--aa", "0"]));
    lives.until("pair 1 of");
    lives.until_container("p1-");
    // Its start has removed what was left already; a second dead one shows what `clean` does.
    let second = desk.start(&desk.sweep(&["--rounds", "2", "--aa", "0"]));
    second.until_container("probe");
    second.signal("KILL");
    let second = second.end();
    assert!(!docker::left_by(second.process).is_empty());

    let cleaned = desk.run(&["clean"]).expect(0);
    assert_eq!(docker::left_by(killed.process), Vec::<String>::new(), "{}", cleaned.stdout);
    assert_eq!(docker::left_by(second.process), Vec::<String>::new(), "{}", cleaned.stdout);
    assert!(cleaned.stdout.contains("removed container cnfsweep-"), "{}", cleaned.stdout);
    assert!(cleaned.stdout.contains("removed directory "), "{}", cleaned.stdout);
    assert_eq!(std::fs::read_dir(desk.sockets()).expect("a directory").count(), 0);
    let state = docker(&["inspect", "--format", "{{.State.Running}}", stranger.trim()]);
    docker(&["rm", "--force", "--volumes", stranger.trim()]);
    assert_eq!(state.trim(), "true");
    // The one that lives never noticed.
    lives.end().expect(0).left_nothing(&other);
}
