//! Whether the machine is fit to measure on: what `doctor` says, `--strict` turns into an exit code.

use crate::binary::Desk;
use crate::servers::mysql_9_7;

#[test]
fn every_check_is_told_and_strict_counts_the_warnings() {
    let desk = Desk::new(mysql_9_7);
    let done = desk.run(&["doctor", "--image", "cnfsweep/mysql:9.7"]).expect(0).left_nothing(&desk);
    for name in ["CPUs", "governor", "stolen CPU time", "durable writes", "Docker", "image"] {
        let told = |line: &str| line.get(2..).is_some_and(|rest| rest.starts_with(name));
        assert!(done.stdout.lines().any(told), "no {name} in\n{}", done.stdout);
    }
    assert!(done.stdout.contains("Ver 9.7"), "{}", done.stdout);
    // Load and server share the only CPU: a warning on any machine.
    let together = ["doctor", "--strict", "--server-cpus", "0", "--client-cpus", "0"];
    let done = desk.run(&together).expect(1).left_nothing(&desk);
    assert!(done.stdout.contains("! CPUs"), "{}", done.stdout);
    assert!(done.stderr.contains("--strict"), "{}", done.stderr);
}

/// A strict sweep starts nothing on a machine that is not fit; any other one warns and goes on.
#[test]
fn a_strict_plan_ends_before_anything_is_started() {
    let desk = Desk::new(mysql_9_7);
    desk.write("my.cnf", "[mysqld]\nmax_connections = 37\n");
    let together = ["--server-cpus", "0", "--client-cpus", "0"];
    let plan = |more: &[&'static str]| {
        let more = [&together[..], more].concat();
        desk.run(&[&["plan"][..], &desk.sweep(&more)].concat())
    };
    let done = plan(&["--strict"]).expect(1).left_nothing(&desk);
    assert!(done.stderr.contains("warning: CPUs: "), "{}", done.stderr);
    assert!(done.stderr.contains("about this machine (--strict)"), "{}", done.stderr);
    let done = plan(&[]).expect(0).left_nothing(&desk);
    assert!(done.stderr.contains("warning: CPUs: "), "{}", done.stderr);
    assert!(done.stdout.contains("max_connections=default"), "{}", done.stdout);
}
