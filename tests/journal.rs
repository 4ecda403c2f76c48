//! What a sweep leaves is what the contract says, and what was planted in the scripted engine is
//! found in it.

#![expect(clippy::unwrap_used, reason = "what can't be set up has failed")]

mod common;

use std::collections::{BTreeMap, BTreeSet};

use cnfsweep::journal::{EffectRow, SweepDir};
use cnfsweep::optionfile::{OptionFile, Product};
use cnfsweep::report::difference;
use common::{Ran, Test};

const BASE: &str = "\
# ours
[mysqld]
performance_schema = ON   # needed?
max_connections = 500
innodb_flush_log_at_trx_commit = 1
#innodb_flush_log_at_trx_commit = 2
#general_log
#skip-grant-tables
datadir = /srv/mysql
replica_password = hunter2
";

fn four_rounds() -> Test {
    Test::sweep(BASE)
        .effect("performance_schema", "OFF", 20.0)
        .effect("general_log", "ON", -15.0)
        .effect("innodb_flush_log_at_trx_commit", "2", 3.0)
        .args(["--rounds", "4", "--aa", "2", "--seed", "11"])
}

fn header(ran: &Ran, file: &str) -> String {
    ran.read(file).lines().next().unwrap_or_default().to_owned()
}

#[test]
fn the_files_have_the_columns_of_the_contract() {
    let ran = four_rounds().run().ok();
    let columns = [
        ("toggles.csv", "toggle,option,line,action,from,to,label,status,detail"),
        (
            "trials.csv",
            "round,pair,order,toggle,arm,threads,engine,statement,slices,ops,errors,seconds,\
             ops_per_s,mean_us,p50_us,p95_us,p99_us,max_us,server_cpu_us_per_op,\
             client_cpu_us_per_op,log_ratio,stalls,outcome,message,started_at",
        ),
        (
            "slices.csv",
            "pair,arm,sequence,ops,errors,seconds,server_cpu_us,idle_cpu_us,client_cpu_us",
        ),
        ("histograms.csv", "pair,arm,statement,hdr"),
        ("status.csv", "pair,arm,counter,delta"),
        (
            "effects.csv",
            "toggle,option,from,to,label,threads,engine,statement,metric,n,effect_pct,ci_low_pct,\
             ci_high_pct,p,p_adjusted,mde_pct,verdict,note",
        ),
    ];
    for (file, columns) in columns {
        assert_eq!(header(&ran, file), columns, "{file}");
        let mut csv = csv::Reader::from_path(ran.results().root().join(file)).unwrap();
        // A row of another length is an error to the reader.
        csv.records().for_each(|row| drop(row.unwrap()));
    }
    let metrics: BTreeSet<&str> =
        ran.results().effects().unwrap().iter().map(|row| row.metric.as_str()).collect();
    assert_eq!(metrics, BTreeSet::from(["throughput", "p99", "server_cpu_per_op"]));
}

#[test]
fn sweep_toml_says_what_was_measured() {
    let ran = four_rounds().args(["--name", "it", "--delta", "4%"]).run().ok();
    let sweep = ran.results().sweep().unwrap();
    assert_eq!(sweep.cnfsweep, env!("CARGO_PKG_VERSION"));
    assert_eq!((sweep.bench.as_str(), sweep.base.path.as_str()), ("churn", "my.cnf"));
    assert_eq!(sweep.base.sha256.len(), 64);
    assert!(sweep.profile.contains("[load]"));
    assert_eq!(sweep.server.product, "mysql-9.7");
    let design = &sweep.design;
    assert_eq!((design.mode.as_str(), design.seed, design.rounds, design.aa), ("rounds", 11, 4, 2));
    assert!((design.delta - 0.04).abs() < 1e-12);
    assert!(sweep.command_line.iter().any(|word| word == "--rounds"));
    let changed = sweep.base.changed_in_both_arms.join("\n");
    assert!(changed.contains("line 9: `datadir` commented out"), "{changed}");
    let redacted = &sweep.base.redacted;
    assert_eq!((redacted[0].option.as_str(), redacted[0].line), ("replica_password", 10));
    // All tables and fields, by name: scripts read them.
    let table: toml_edit::DocumentMut = ran.read("sweep.toml").parse().unwrap();
    for path in [
        "format",
        "id",
        "cnfsweep",
        "started_at",
        "command_line",
        "bench",
        "profile",
        "base.path",
        "base.sha256",
        "image.reference",
        "image.digest",
        "server.product",
        "server.version",
        "server.warnings",
        "design.kind",
        "design.seed",
        "design.mode",
        "placement.server_cpus",
        "placement.client_cpus",
        "placement.memory_bytes",
        "host.cpu",
        "host.cpus",
        "host.kernel",
        "host.governor",
        "host.thp",
        "host.storage_driver",
    ] {
        let found = path.split('.').try_fold(table.as_item(), |item, key| item.get(key));
        assert!(found.is_some(), "{path}");
    }
}

#[test]
fn a_secret_is_in_no_file_and_no_message() {
    let ran = Test::sweep(BASE)
        .args(["--rounds", "2", "--aa", "0", "-v", "--both", "loose_replica_password=hunter2"])
        .run()
        .ok();
    assert!(!ran.err.contains("hunter2") && !ran.out.contains("hunter2"));
    let mut looked_at = 0;
    let mut folders = vec![ran.results().root().to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let bytes = std::fs::read(&path).unwrap();
            assert!(!bytes.windows(7).any(|w| w == b"hunter2"), "{}", path.display());
            looked_at += 1;
        }
    }
    assert!(looked_at > 10);
}

#[test]
fn a_toggled_file_is_the_base_file_and_the_change() {
    let ran = four_rounds().run().ok();
    let dir = ran.results();
    let base = std::fs::read(dir.base_cnf()).unwrap();
    let toggles = dir.toggles().unwrap();
    let cnfs = dir.cnfs(&toggles).unwrap();
    let changes: BTreeMap<&str, Vec<String>> = cnfs
        .iter()
        .filter(|(toggle, _)| !toggle.is_empty())
        .map(|(toggle, cnf)| {
            let lines = difference(&base, cnf).into_iter().map(|line| line.to_string());
            (toggle.as_str(), lines.filter(|line| !line.starts_with('@')).collect())
        })
        .collect();
    let change = |toggle: &str| changes.get(toggle).unwrap().join("|");
    assert_eq!(
        change("performance_schema=OFF"),
        "-performance_schema = ON   # needed?|+performance_schema = OFF   # needed?"
    );
    assert_eq!(change("max_connections=default"), "-max_connections = 500|+#max_connections = 500");
    assert_eq!(change("general_log"), "-#general_log|+general_log");
    assert_eq!(
        change("innodb_flush_log_at_trx_commit=2"),
        "-innodb_flush_log_at_trx_commit = 1|-#innodb_flush_log_at_trx_commit = 2|\
         +#innodb_flush_log_at_trx_commit = 1|+innodb_flush_log_at_trx_commit = 2"
    );
    // Exactly the planned ones have a file.
    let planned: BTreeSet<&str> = toggles
        .iter()
        .filter(|row| row.status.as_str() == "planned")
        .map(|row| row.toggle.as_str())
        .collect();
    assert_eq!(changes.keys().copied().collect::<BTreeSet<_>>(), planned);
    // The base is the user's file, but for what is changed in both.
    let base = String::from_utf8(base).unwrap();
    assert_eq!(base, BASE.replace("\ndatadir", "\n#datadir").replace("hunter2", "********"));
    assert!(OptionFile::parse(base.into_bytes()).has_server_group(&Product::mysql(9, 7)));
}

/// The interval has the value, which is nothing that `n` seeds make likely to fail: they are fixed.
fn covers(row: &EffectRow, percent: f64) -> bool {
    row.ci_low_pct.unwrap() <= percent && percent <= row.ci_high_pct.unwrap()
}

#[test]
fn what_was_planted_is_found() {
    let ran = four_rounds().run().ok();
    for (toggle, percent, verdict) in [
        ("performance_schema=OFF", 20.0, "faster"),
        ("general_log", -15.0, "slower"),
        ("skip_grant_tables", 0.0, ""),
        ("max_connections=default", 0.0, ""),
        ("innodb_flush_log_at_trx_commit=2", 3.0, ""),
    ] {
        let row = ran.effect(toggle);
        assert!(covers(&row, percent), "{row:?}");
        assert_eq!(row.n, 4);
        if verdict.is_empty() {
            assert!(
                ["no difference", "inconclusive", "not exercised"].contains(&row.verdict.as_str()),
                "{row:?}"
            );
        } else {
            assert_eq!(row.verdict, verdict, "{row:?}");
        }
    }
    // CPU per operation goes the other way, and less is better.
    let cpu = ran.results().effects().unwrap();
    let cpu = cpu.iter().find(|row| {
        row.metric.as_str() == "server_cpu_per_op" && row.toggle == "performance_schema=OFF"
    });
    let cpu = cpu.unwrap();
    assert_eq!(cpu.verdict, "faster");
    assert!((cpu.effect_pct.unwrap() + 16.67).abs() < 1.0, "{cpu:?}");
    let labels = |toggle: &str| ran.effect(toggle).label.as_str();
    assert_eq!(labels("skip_grant_tables"), "S");
    assert_eq!(labels("innodb_flush_log_at_trx_commit=2"), "D");
}

#[test]
fn options_that_do_nothing_are_never_faster_or_slower() {
    let base: String = (1..=12).map(|n| format!("o{n} = 5\n")).collect();
    let options: String = (1..=12)
        .map(|n| format!("\n[[option]]\nname = \"o{n}\"\nkind = \"integer\"\ndefault = \"1\"\n"))
        .collect();
    let ran = Test::sweep(&format!("[mysqld]\n{base}"))
        .script(&options)
        .set("drift", 0.3)
        .args(["--rounds", "4", "--aa", "4", "--seed", "5"])
        .run()
        .ok();
    let effects = ran.effects();
    assert_eq!(effects.len(), 12);
    for row in effects {
        assert!(["no difference", "inconclusive"].contains(&row.verdict.as_str()), "{row:?}");
    }
    let arms: BTreeSet<String> = ran
        .trials()
        .into_iter()
        .filter(|row| row.toggle.starts_with("aa-"))
        .map(|row| row.toggle)
        .collect();
    assert_eq!(arms, ["aa-1", "aa-2", "aa-3", "aa-4"].map(str::to_owned).into());
}

#[test]
fn report_makes_the_same_effects_again_byte_for_byte() {
    let ran = four_rounds().run().ok();
    let files = ["effects.csv", "report.md", "report.html", "charts/effects.svg"];
    let before = files.map(|file| ran.read(file));
    std::fs::remove_file(ran.results().effects_csv()).unwrap();
    let report = ran.report();
    assert_eq!(report.status.code(), Some(0));
    assert_eq!(files.map(|file| ran.read(file)), before);
    // The table as well; only the path of the report differs.
    let table = |text: &str| text.split("\nreport: ").next().unwrap().to_owned();
    assert_eq!(table(&String::from_utf8(report.stdout).unwrap()), table(&ran.out));
}

#[test]
fn the_seed_decides_the_schedule() {
    let schedule = |seed: &str| -> Vec<(u32, u32, String, String)> {
        let ran = Test::sweep(BASE).args(["--rounds", "3", "--aa", "2", "--seed", seed]).run().ok();
        let rows = ran.trials().into_iter().filter(|row| row.arm.as_str() == "base");
        rows.map(|row| (row.round, row.pair, row.order, row.toggle)).collect()
    };
    let first = schedule("1");
    assert_eq!(first, schedule("1"));
    assert_ne!(first, schedule("2"));
    for round in 1..=3 {
        let arms: Vec<&str> =
            first.iter().filter(|row| row.0 == round).map(|row| row.3.as_str()).collect();
        let distinct: BTreeSet<&str> = arms.iter().copied().collect();
        assert_eq!((arms.len(), distinct.len()), (7, 7), "each arm once: {arms:?}");
    }
    let numbers: Vec<u32> = first.iter().map(|row| row.1).collect();
    assert_eq!(numbers, (1..=21).collect::<Vec<u32>>());
}

#[test]
fn a_budget_is_turned_into_rounds() {
    let ran = |args: &[&str]| {
        let test = Test::sweep("[mysqld]\nperformance_schema = ON\n").args(["--aa", "1"]);
        test.args(args.iter().copied()).run().ok()
    };
    let budget = ran(&["--budget", "3m"]);
    let rounds = budget.results().sweep().unwrap().design.rounds;
    assert!((2..20).contains(&rounds), "{rounds}");
    assert_eq!(budget.effect("performance_schema=OFF").n, rounds);
    let half = ran(&["--budget", "90s"]).results().sweep().unwrap().design.rounds;
    assert!(half < rounds);
    let until = ran(&["--until", &in_minutes(3)]);
    assert!(until.results().sweep().unwrap().design.rounds >= 2);
}

/// A time of day, some minutes from now.
fn in_minutes(minutes: u64) -> String {
    let times = (0..24 * 60).map(|n| format!("{:02}:{:02}", n / 60, n % 60));
    let left = |time: &str| cnfsweep::journal::clock::until(time).unwrap().as_secs();
    times.into_iter().find(|time| (minutes * 60..minutes * 60 + 60).contains(&left(time))).unwrap()
}

#[test]
fn an_adaptive_sweep_of_twenty_options_confirms_the_one_that_matters() {
    let base: String = (1..=20).map(|n| format!("o{n} = 5\n")).collect();
    let options: String = (1..=20)
        .map(|n| format!("\n[[option]]\nname = \"o{n}\"\nkind = \"integer\"\ndefault = \"1\"\n"))
        .collect();
    let ran = Test::sweep(&format!("[mysqld]\n{base}"))
        .script(&options)
        .effect("o13", "1", 20.0)
        .args(["--seed", "5"])
        .run()
        .ok();
    assert_eq!(ran.results().sweep().unwrap().design.mode, "adaptive");
    let found = ran.effect("o13=default");
    assert_eq!(found.verdict, "faster", "{found:?}");
    assert!(covers(&found, 20.0), "{found:?}");
    for row in ran.effects().iter().filter(|row| row.toggle != "o13=default") {
        assert!(!["faster", "slower"].contains(&row.verdict.as_str()), "{row:?}");
    }
    assert!(!ran.out.contains("Interrupted"), "{}", ran.out);
    // It saves: not every option is measured in every round.
    let rounds = ran.trials().iter().map(|row| row.round).max().unwrap();
    let pairs = ran.trials().iter().map(|row| row.pair).max().unwrap();
    assert!(pairs < rounds * 24, "{pairs} pairs in {rounds} rounds");
}

#[test]
fn lines_of_included_files_are_told_with_their_file() {
    let base = "[mysqld]\n!include ./more.cnf\nmax_connections = 500\n";
    let more = "# more\n[mysqld]\ngeneral_log = ON\ndatadir = /srv\nreplica_password = hunter2\n";
    let ran =
        Test::sweep(base).file("more.cnf", more).args(["--rounds", "2", "--aa", "0"]).run().ok();
    let row = ran.toggle("max_connections=default");
    assert_eq!((row.line, row.detail.as_str()), (Some(3), ""));
    let row = ran.toggle("general_log=default");
    assert_eq!((row.line, row.detail.as_str()), (None, "./more.cnf:3"));
    let row = ran.toggle("datadir=/srv");
    assert_eq!(row.line, None);
    assert!(row.detail.starts_with("./more.cnf:4: a path"), "{row:?}");
    let sweep = ran.results().sweep().unwrap();
    assert!(sweep.base.changed_in_both_arms[0].starts_with("./more.cnf:4: `datadir`"));
    let redacted = &sweep.base.redacted[0];
    assert_eq!((redacted.included.as_deref(), redacted.line), (Some("./more.cnf"), 5));
    assert!(ran.read("report.html").contains("replica_password (.&#x2f;more.cnf:5)"));
    // What the server refuses is told with its file, too.
    let refused = Test::sweep(base).file("more.cnf", "[mysqld]\n\nnonsense = 1\n").run().fails(1);
    refused.says("  ./more.cnf:3: nonsense").hints("--drop nonsense");
    // In a plan as well.
    let plan = Test::plan(base).file("more.cnf", more).run().ok();
    plan.prints("./more.cnf:3").prints("datadir (./more.cnf:4)");
}

#[test]
fn a_directory_of_an_older_format_or_a_broken_file_is_an_error_with_its_line() {
    let ran = four_rounds().args(["--name", "it"]).run().ok();
    let dir: SweepDir = ran.results();
    let trials = ran.read("trials.csv");
    std::fs::write(dir.trials_csv(), trials.replacen(",base,", ",bass,", 1)).unwrap();
    let report = ran.report();
    assert_eq!(report.status.code(), Some(1));
    let err = String::from_utf8(report.stderr).unwrap();
    assert!(err.starts_with("error: ") && err.contains("trials.csv`:2"), "{err}");
    assert!(err.contains("bass"), "{err}");
}
