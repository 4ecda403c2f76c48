//! Whole sweeps through the binary, on real servers: what is known to matter is found. The CSV files
//! stay in `target/`, so that a surprise can be looked into.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use crate::binary::Desk;
use crate::lab::profile;
use crate::servers::{Server, mariadb_10_5, mariadb_10_11, mariadb_11_8, mysql_9_7};

type Row = HashMap<String, String>;

fn rows(file: &Path) -> Vec<Row> {
    let mut reader = csv::Reader::from_path(file).unwrap_or_else(|e| panic!("{file:?}: {e}"));
    reader.deserialize().map(|row| row.expect("a row")).collect()
}

/// Runs a sweep and keeps its results: where they are.
fn sweep(server: Server, cnf: &str, arguments: &[&str]) -> PathBuf {
    let desk = Desk::new(server);
    desk.write("my.cnf", cnf);
    let text = profile("point-select").text;
    let text = text.replace("slices = 20", "slices = 10").replace("\"1s\"", "\"500ms\"");
    desk.write("short.toml", &text);
    let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join("sweeps");
    let name = format!("{}-{}", server.recipe, std::process::id());
    let out_text = out.to_string_lossy().into_owned();
    // One at a time, as on any machine: the tests of this build share a lock for it.
    let lock = Path::new(env!("CARGO_TARGET_TMPDIR")).join("sweeps.lock");
    let mut all = vec!["--base", "my.cnf", "--image", server.image, "--memory", "1g", "--wait"];
    all.extend(["--seed", "20261201", "--out", &out_text, "--name", &name]);
    all.extend(arguments);
    let mut command = desk.command(&all);
    command.env("CNFSWEEP_LOCK", lock);
    let done = desk.run_command(command).expect(0).left_nothing(&desk);
    let dir = out.join(name);
    std::fs::write(dir.join("stdout.txt"), &done.stdout).expect("a file");
    dir
}

/// The throughput of a toggle, over all statements.
fn effect(dir: &Path, toggle: &str) -> Row {
    let effects = rows(&dir.join("effects.csv"));
    let mut of_toggle = effects.into_iter().filter(|r| {
        r["toggle"] == toggle && r["metric"] == "throughput" && r["statement"] == "all"
    });
    of_toggle.next().unwrap_or_else(|| panic!("no effect of {toggle} in {dir:?}"))
}

/// Rounds, toggles and arms that were measured: once each, though a busy machine may have some not
/// count, and some be measured again.
fn measured(trials: &[Row]) -> usize {
    let whole = trials.iter().filter(|r| r["statement"] == "all" && number(r, "ops") > 0.0);
    let which = whole.map(|r| ["round", "toggle", "arm"].map(|column| r[column].as_str()));
    which.collect::<HashSet<_>>().len()
}

fn number(row: &Row, column: &str) -> f64 {
    row[column].parse().unwrap_or_else(|_| panic!("{column} of {row:?}"))
}

/// The performance schema costs a MySQL server dear when clients connect all the time. Everything
/// that a sweep writes is there.
#[test]
fn mysql_without_its_performance_schema_is_faster() {
    let cnf = "[mysqld]\n# performance_schema = OFF\n";
    let dir = sweep(mysql_9_7, cnf, &["--bench", "churn", "--rounds", "4", "--aa", "2"]);
    let found = effect(&dir, "performance_schema=OFF");
    assert_eq!(found["verdict"], "faster", "{found:?}");
    assert!(number(&found, "effect_pct") > 15.0, "{found:?}");
    // A machine that others use may cost pairs; they are kept, and don't count.
    let counted = number(&found, "n");
    assert!((2.0..=4.0).contains(&counted), "{found:?}");
    let trials = rows(&dir.join("trials.csv"));
    assert_eq!(measured(&trials), 4 * 3 * 2, "rounds × arms × servers");
    for row in trials.iter().filter(|r| r["statement"] == "all") {
        assert!(["ok", "rejected"].contains(&row["outcome"].as_str()), "{row:?}");
        assert!(number(row, "server_cpu_us_per_op") > 0.0, "{row:?}");
        assert_eq!(row["errors"], "0", "{row:?}");
    }
    let started: Vec<&str> = trials.iter().map(|r| r["order"].as_str()).collect();
    assert!(started.iter().any(|o| *o != started[0]), "who is first is drawn: {started:?}");
    for file in ["report.html", "report.md", "sweep.toml", "slices.csv", "status.csv", "base.cnf"] {
        assert!(dir.join(file).metadata().is_ok_and(|m| m.len() > 0), "{file}");
    }
    let about = std::fs::read_to_string(dir.join("sweep.toml")).expect("facts");
    assert!(!about.contains("Failed to set NUMA"), "the container's own warnings are left out");
}

/// The other way round on MariaDB, where it is off; and every statement written into a table, which
/// costs far more than any noise hides.
#[test]
fn mariadb_with_more_to_write_down_is_slower() {
    let cnf = "[mysqld]\n# general_log = ON\n";
    let bench = ["--bench", "short.toml", "--rounds", "4", "--aa", "1"];
    let more = ["--also", "performance_schema=ON", "--both", "log_output=TABLE"];
    let dir = sweep(mariadb_11_8, cnf, &[&bench[..], &more].concat());
    let log = effect(&dir, "general_log=ON");
    assert_eq!(log["verdict"], "slower", "{log:?}");
    let schema = effect(&dir, "performance_schema=ON");
    assert_ne!(schema["verdict"], "faster", "{schema:?}");
}

/// Older servers: the whole way, as short as it may be.
#[test]
fn older_mariadb_servers_can_be_swept() {
    for server in [mariadb_10_11, mariadb_10_5] {
        let desk = Desk::new(server);
        desk.write("my.cnf", "[mysqld]\nsort_buffer_size = 333K\n");
        let more = ["--rounds", "2", "--aa", "0", "--name", "r"];
        let done = desk.run(&desk.sweep(&more)).expect(0).left_nothing(&desk);
        assert!(done.stdout.contains("sort_buffer_size=default"), "{}", done.stdout);
        let trials = rows(&desk.path().join("results/r/trials.csv"));
        assert_eq!(measured(&trials), 4, "{trials:?}");
    }
}

/// Data directories in memory, through the binary.
#[test]
fn a_sweep_in_memory() {
    let desk = Desk::new(mariadb_11_8);
    desk.write("my.cnf", "[mysqld]\nsort_buffer_size = 333K\n");
    let more = ["--rounds", "2", "--aa", "0", "--data", "tmpfs", "--memory", "1g", "--name", "r"];
    desk.run(&desk.sweep(&more)).expect(0).left_nothing(&desk);
    let about = std::fs::read_to_string(desk.path().join("results/r/sweep.toml")).expect("facts");
    assert!(about.contains("data = \"tmpfs\""), "{about}");
}
