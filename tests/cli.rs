//! The real binary against the scripted engine: every exit code, and that each error says what,
//! where and what to do, prints no data and leaves nothing behind.

#![expect(clippy::unwrap_used, reason = "what can't be set up has failed")]

mod common;

use common::{Ran, Test, fixture};
use rustix::process::Signal;

const BASE: &str = "[mysqld]\nperformance_schema = ON\nmax_connections = 500\n#skip-grant-tables\n";

/// The shortest sweep: two rounds of one toggle, no A/A arms.
fn short(base: &str) -> Test {
    Test::sweep(base).args(["--rounds", "2", "--aa", "0", "--seed", "1"])
}

mod exit_0 {
    use super::*;

    #[test]
    fn a_finished_sweep_prints_the_table_and_says_where_the_report_is() {
        let ran = short(BASE).args(["--name", "it"]).run().ok();
        let ran = ran.prints("performance_schema=OFF").prints("report: results/it/report.html");
        for file in ["report.html", "report.md", "effects.csv", "charts/effects.svg"] {
            assert!(ran.results().root().join(file).exists(), "{file}");
        }
    }

    #[test]
    fn a_refused_toggle_is_a_result() {
        let refuse = "\n[[refuse]]\noption = \"max_connections\"\nvalue = \"151\"\n\
                      message = \"[ERROR] [MY-1] [Server] no such luck\"\n";
        let ran = short(BASE).script(refuse).run().ok();
        let row = ran.toggle("max_connections=default");
        assert_eq!(row.status.as_str(), "refused");
        assert!(row.detail.contains("no such luck"), "{row:?}");
        assert!(ran.effects().iter().all(|row| row.toggle != "max_connections=default"));
        ran.says("refused: max_connections=default").prints("1 refused by the server");
    }

    #[test]
    fn lines_that_change_nothing_and_lines_that_are_not_ours_are_listed_not_measured() {
        let base = "[mysqld]\nback_log = 151\ndatadir = /srv/mysql\nmax_connections = 500\n";
        let ran = short(base).run().ok();
        let status = |id: &str| ran.toggle(id).status.as_str().to_owned();
        assert_eq!(status("back_log=default"), "no-op");
        assert_eq!(status("datadir=/srv/mysql"), "left-out");
        assert!(ran.trials().iter().all(|row| row.toggle == "max_connections=default"));
        assert!(!ran.read("base.cnf").contains("\ndatadir"));
    }

    #[test]
    fn a_toggle_that_only_a_start_refuses_is_a_result_too() {
        let refuse = "\n[[refuse]]\noption = \"max_connections\"\nvalue = \"151\"\nlate = true\n\
                      message = \"[ERROR] no such luck\"\n";
        let ran = short(BASE).script(refuse).run().ok();
        let row = ran.toggle("max_connections=default");
        assert_eq!((row.status.as_str(), row.detail.as_str()), ("refused", "[ERROR] no such luck"));
    }

    /// `character_set_server` acts on what is created: its data directory is made with it, the
    /// unchanged server's and the A/A arms' are not.
    #[test]
    fn a_toggle_that_acts_on_creation_has_a_data_directory_of_its_own() {
        let script = "\n[[option]]\nname = \"innodb_file_per_table\"\nkind = \"boolean\"\n\
                      default = \"ON\"\n\n[[effect]]\noption = \"innodb_file_per_table\"\n\
                      value = \"OFF\"\npercent = 300.0\nfresh = true\n";
        let base = "[mysqld]\nmax_connections = 500\ninnodb_file_per_table = ON\n";
        let sweep = || {
            let flags = ["--rounds", "2", "--aa", "1", "--seed", "1"];
            Test::sweep(base).script(script).args(flags)
        };
        let ran = sweep().run().ok();
        assert!(ran.effect("innodb_file_per_table=OFF").effect_pct.unwrap() > 200.0);
        assert!(ran.effect("max_connections=default").effect_pct.unwrap().abs() < 50.0);
        // One that can't be made refuses its toggle, not the sweep.
        let refuse = "\n[[refuse]]\noption = \"innodb_file_per_table\"\nvalue = \"OFF\"\n\
                      late = true\nmessage = \"[ERROR] not with me\"\n";
        let ran = sweep().script(refuse).run().ok();
        let row = ran.toggle("innodb_file_per_table=OFF");
        assert_eq!(row.status.as_str(), "refused");
        let why = "its data directory can't be made: [ERROR] not with me";
        assert!(row.detail.contains(why), "{row:?}");
        assert_eq!(ran.effect("max_connections=default").n, 2);
    }

    #[test]
    fn what_the_probe_does_is_told_where_there_is_no_terminal() {
        let ran = short(BASE).run().ok();
        ran.says("starting each toggle's server once: 4 toggles, about ");
    }

    #[test]
    fn a_toggle_whose_server_dies_twice_has_failed_and_the_sweep_goes_on() {
        let fail = "\n[[fail]]\noption = \"performance_schema\"\nvalue = \"OFF\"\n\
                    how = \"crash\"\nafter = 3\n";
        let ran = Test::sweep(BASE).script(fail).args(["--rounds", "3", "--aa", "2"]).run().ok();
        assert_eq!(ran.effect("performance_schema=OFF").verdict, "failed");
        assert_eq!(ran.effect("skip_grant_tables").n, 3);
        let trials = ran.trials();
        let crashed: Vec<_> =
            trials.iter().filter(|row| row.toggle == "performance_schema=OFF").collect();
        // Two pairs, both arms of each, and none in the third round.
        assert_eq!(crashed.len(), 4, "{crashed:?}");
        for row in crashed {
            assert_eq!((row.outcome.as_str(), row.ops), ("crashed", None));
            let why = if row.arm.as_str() == "toggle" { "signal 11" } else { "" };
            assert!(row.message.contains(why) && row.message.is_empty() == why.is_empty());
        }
        ran.says("signal 11");
    }

    #[test]
    fn a_pair_that_something_else_disturbed_is_kept_and_measured_again() {
        let script = "\n[[disturb]]\npairs = [2]\nsteal = 0.5\n";
        let ran = short(BASE).script(script).args(["-v"]).run().ok();
        let why = "CPU steal 50.0 % (limit 1.0 %)";
        let trials = ran.trials();
        let rejected: Vec<_> =
            trials.iter().filter(|row| row.outcome.as_str() == "rejected").collect();
        let [base, toggle] = rejected[..] else { panic!("{rejected:?}") };
        assert!([base, toggle].iter().all(|row| row.pair == 2 && row.ops.is_some()));
        assert!([base, toggle].iter().all(|row| row.message == why && row.round == 1));
        let ran = ran.says(why);
        // At the end of the round, before the next one.
        let again: Vec<_> =
            trials.iter().filter(|row| row.toggle == toggle.toggle && row.round == 1).collect();
        assert!(again[2..].iter().all(|row| row.pair == 4 && row.outcome.as_str() == "ok"));
        assert_eq!((again.len(), trials.len()), (4, 2 * (2 * 3 + 1)));
        // All count in the end, and the reader is told.
        for row in ran.effects().iter().filter(|row| row.metric.as_str() == "throughput") {
            let shared = row.toggle == toggle.toggle;
            assert_eq!((row.n, row.note.contains("shared machine")), (2, shared), "{row:?}");
        }
    }

    #[test]
    fn a_pair_that_is_disturbed_three_times_is_missing_and_the_sweep_goes_on() {
        // The first of the toggles' own, twice measured again, and nothing else.
        let script = "\n[[disturb]]\npairs = [3, 4, 5]\nothers = 0.5\n";
        let ran = short(BASE).script(script).run().ok();
        let trials = ran.trials();
        let rejected: Vec<_> =
            trials.iter().filter(|row| row.outcome.as_str() == "rejected").collect();
        assert_eq!(rejected.len(), 6);
        assert!(rejected.iter().all(|row| row.toggle == rejected[0].toggle), "{rejected:?}");
        let why = "other processes used 50 % of a core (limit 5 %)";
        assert!(rejected.iter().all(|row| row.message == why && row.round == 1));
        assert_eq!(trials.len(), 2 * (3 + 2 + 3));
        assert_eq!(ran.effect(&rejected[0].toggle).n, 1);
    }

    #[test]
    fn what_is_always_there_is_normal() {
        let script =
            format!("\n[[disturb]]\npairs = {:?}\nothers = 0.5\n", (1..=9).collect::<Vec<u32>>());
        let ran = short(BASE).script(&script).run().ok();
        let trials = ran.trials();
        // By the ordinary limits the first three are thrown away; then the machine is known.
        let rejected = trials.iter().filter(|row| row.outcome.as_str() == "rejected");
        assert_eq!(rejected.map(|row| row.pair).collect::<Vec<_>>(), [1, 1, 2, 2, 3, 3]);
        assert_eq!(trials.len(), 2 * 9);
    }

    #[test]
    fn a_server_that_answers_with_errors_only_has_failed_too() {
        let fail = "\n[[fail]]\noption = \"performance_schema\"\nvalue = \"OFF\"\n\
                    how = \"errors\"\n";
        let ran = short(BASE).script(fail).run().ok();
        assert_eq!(ran.effect("performance_schema=OFF").verdict, "failed");
        assert!(ran.trials().iter().any(|row| row.outcome.as_str() == "errors"));
    }

    #[test]
    fn what_a_server_reads_over_in_an_include_is_a_warning() {
        let base = "[mysqld]\n!include ./more.cnf\nmax_connections = 500\n";
        let ran = short(base).file("more.cnf", "oops = 1\n").args(["-q"]).run().ok();
        ran.says("warning: my.cnf:2: ").says("./more.cnf:1:1: ");
    }

    #[test]
    fn quiet_prints_warnings_and_the_table_only() {
        let ran = short(BASE).args(["-q"]).run().ok();
        assert_eq!(ran.err, "");
        assert!(!ran.out.contains("report:"));
        ran.prints("performance_schema=OFF");
    }

    #[test]
    fn progress_is_plain_lines_where_there_is_no_terminal() {
        let ran = short(BASE).run().ok().says("pair 1 of 6, round 1: ");
        assert!(!ran.err.contains(['\u{1b}', '\r']), "{:?}", ran.err);
        assert!(!ran.out.contains('\u{1b}'), "{:?}", ran.out);
    }

    #[test]
    fn verbose_tells_each_pair() {
        short(BASE).args(["-v"]).run().ok().says("pair 1: ").says("no-op").says("/s");
    }
}

mod exit_1 {
    use super::*;

    #[test]
    fn a_base_file_that_the_server_does_not_know_is_told_line_by_line() {
        let base = "[mysqld]\nquery_cache_size = 1M\nmax_connections = 500\ninnodb-locks = 1\n";
        let ran = short(base).run().fails(1);
        ran.says("it refuses 2 lines")
            .says("my.cnf:2: query_cache_size: not known to this server; MySQL 8.0 has no query cache")
            .says("my.cnf:4: innodb_locks: not known to this server")
            .hints("--drop-unknown`");
        let ran = short(base).run();
        ran.hints("--drop query_cache_size,innodb_locks");
        let dropped = |args: &[&str]| {
            let ran = short(base).args(args.iter().copied()).run().ok();
            assert!(ran.read("base.cnf").contains("#query_cache_size = 1M"));
            assert_eq!(ran.toggle("query_cache_size").status.as_str(), "left-out");
            assert_eq!(ran.effects().len(), 1);
        };
        dropped(&["--drop", "query_cache_size,innodb_locks"]);
        dropped(&["--drop-unknown"]);
    }

    #[test]
    fn a_value_that_the_server_refuses_is_told_with_its_line() {
        let refuse = "\n[[refuse]]\noption = \"sql_mode\"\nvalue = \"NONSENSE\"\n\
                      message = \"[ERROR] [Server] Error while setting value 'NONSENSE' to 'sql_mode'.\"\n";
        let base = "[mysqld]\nmax_connections = 500\nsql_mode = NONSENSE\n#sql_mode = ANSI\n";
        let ran = short(base).script(refuse).run().fails(1);
        let ran = ran.says("Error while setting value").says("my.cnf:3: sql_mode");
        assert!(!ran.err.contains("my.cnf:4"), "a commented-out line is no suspect");
        ran.hints("--drop sql_mode");
    }

    #[test]
    fn all_lines_that_the_server_refuses_are_in_one_message() {
        let refuse = "\n[[refuse]]\noption = \"sql_mode\"\nvalue = \"NONSENSE\"\n\
                      message = \"[ERROR] Error while setting value 'NONSENSE' to 'sql_mode'.\"\n";
        let base = "[mysqld]\nmax_connections = 500\nquery_cache_size = 1M\nsql_mode = NONSENSE\n";
        let ran = short(base).script(refuse).run().fails(1);
        ran.says("it refuses 2 lines")
            .says("my.cnf:3: query_cache_size: not known")
            .says("my.cnf:4: sql_mode: [ERROR] Error while setting value 'NONSENSE'")
            .hints("--drop query_cache_size,sql_mode`, or with `--drop-unknown --drop sql_mode`");
        // What is left is named; then the sweep goes on.
        let ran = short(base).script(refuse).args(["--drop-unknown"]).run().fails(1);
        assert!(!ran.err.contains("query_cache_size:"), "{}", ran.err);
        ran.says("my.cnf:4: sql_mode: ").hints("--drop sql_mode`");
        short(base).script(refuse).args(["--drop-unknown", "--drop", "sql_mode"]).run().ok();
    }

    #[test]
    fn a_line_that_is_refused_only_at_the_start_is_told_with_its_place() {
        let refuse = "\n[[refuse]]\noption = \"sql_mode\"\nvalue = \"LATE\"\nlate = true\n\
                      message = \"[ERROR] no 'sql_mode' such as this\"\n";
        let base = "[mysqld]\nmax_connections = 500\nsql_mode = LATE\n";
        let ran = short(base).script(refuse).run().fails(1);
        ran.says("no 'sql_mode' such as this").says("my.cnf:3: sql_mode").hints("--drop sql_mode");
    }

    #[test]
    fn a_base_that_is_killed_for_its_memory_is_told_what_to_do() {
        let refuse = "\n[[refuse]]\noption = \"max_connections\"\nvalue = \"500\"\n\
                      message = \"killed\"\noom = true\n";
        let ran = short(BASE).script(refuse).run().fails(1);
        ran.says("killed").hints("--both innodb_buffer_pool_size=");
    }

    #[test]
    fn nothing_to_measure_is_told_with_why() {
        let ran = short("[mysqld]\nmax_connections = 151\n").run().fails(1);
        ran.says("nothing to measure: 1 no-op").hints("cnfsweep plan");
        let ran = short("[mysqld]\ndatadir = /srv\n").run().fails(1);
        ran.says("my.cnf: nothing in it can be toggled (1 line left out)").hints("--also");
    }

    #[test]
    fn a_calibration_that_fails_withholds_every_verdict() {
        let ran = Test::sweep(BASE)
            .set("bias_percent", "8.0")
            .args(["--rounds", "4", "--aa", "4", "--seed", "1"])
            .run();
        assert_eq!(ran.code, Some(1), "{}", ran.err);
        let ran = ran.says("error: calibration failed, no verdicts: ").hints("timeline");
        assert!(ran.effects().iter().all(|row| row.verdict == "inconclusive"));
        // The report is there: it shows what disturbed the machine.
        assert!(ran.results().report_html().exists());
        assert_eq!(ran.report().status.code(), Some(1));
        ran.prints("Calibration failed");
    }

    #[test]
    fn a_base_that_can_not_be_read() {
        let missing = Test::bare().args(["--base", "no.cnf", "--bench", "churn"]);
        missing.run().fails(1).says("could not read `no.cnf`").hints("--base");
        let folder = Test::bare().args(["--base", ".", "--bench", "churn"]);
        folder.run().fails(1).says("could not read `.`").hints("--base");
    }

    #[test]
    fn a_base_without_a_server_group() {
        let ran = short("[client]\nport = 3306\n\n[mysqldump]\nquick\n").run().fails(1);
        ran.says("my.cnf: no group that a server reads").hints("[mysqld]");
        // A group of the other vendor is found when it is known who reads the file.
        let ran = short("[mariadb-11.8]\nmax_connections = 500\n").run().fails(1);
        ran.says("my.cnf: no group that mysql-9.7 reads").hints("[mysqld]");
    }

    #[test]
    fn a_broken_line_is_told_with_its_place() {
        let ran = short("max_connections = 1\n[mysqld]\n").run().fails(1);
        ran.says("my.cnf:1:1: ").hints("");
        let ran = short("[mysqld]\nback_log = 1\n[mysqldump\n").run().fails(1);
        ran.says("my.cnf:3:").hints("");
    }

    #[test]
    fn an_include_of_a_directory_that_is_not_there_is_told_with_its_place() {
        let base = "[mysqld]\n!includedir ./no-such-dir\nmax_connections = 500\n";
        let ran = short(base).run().fails(1);
        ran.says("my.cnf:2:1: ").says("no-such-dir").hints("create the directory");
    }

    #[test]
    fn a_report_of_no_sweep() {
        let ran = Test::bare().args(["report", "nowhere"]).run().fails(1);
        ran.says("`nowhere`: no such directory").hints("results/");
        let test = Test::bare().file("there/20261201T093000Z-churn-1f3a/sweep.toml", "");
        let ran = test.args(["report", "there"]).run().fails(1);
        let ran = ran.says("`there`: no sweep's directory").hints("holds 1 sweep");
        ran.says("`there/20261201T093000Z-churn-1f3a`");
    }

    #[test]
    fn a_second_sweep_on_the_machine() {
        let test = short(BASE);
        let path = test.command().get_current_dir().unwrap().join("lock");
        std::fs::write(&path, "process 7, it since noon\n").unwrap();
        let lock = std::fs::OpenOptions::new().write(true).open(&path).unwrap();
        lock.lock().unwrap();
        let ran = test.run().fails(1).says("another sweep runs on this machine: process 7, it");
        let ran = ran.hints("--wait");
        // Once its holder is dead, a lock holds nothing, whatever stands in it.
        lock.unlock().unwrap();
        let again = short(BASE).env("CNFSWEEP_LOCK", ran.path("lock").to_str().unwrap());
        again.run().ok();
    }
}

mod exit_2 {
    use super::*;

    fn usage(args: &[&str]) -> Ran {
        short(BASE).args(args.iter().copied()).run().fails(2)
    }

    /// Instead of the shortest sweep's.
    fn of(args: &[&str]) -> Ran {
        Test::sweep(BASE).args(args.iter().copied()).run().fails(2)
    }

    #[test]
    fn unknown_flags_and_missing_ones() {
        usage(&["--nonsense"]).says("--nonsense");
        Test::bare().run().fails(2).says("--base");
        Test::bare().args(["--bench", "churn"]).run().fails(2).says("--base");
        Test::bare().args(["profile", "sing"]).run().fails(2);
    }

    #[test]
    fn an_unknown_benchmark_lists_the_known_ones() {
        let ran = Test::bare().args(["--base", "x", "--bench", "chrun"]).run().fails(2);
        ran.says("no benchmark `chrun`").says("churn, page300").hints(".toml");
    }

    #[test]
    fn a_profile_with_an_unknown_field_is_told_with_its_place() {
        let churn = cnfsweep::profile::BUILTIN.iter().find(|(name, _)| *name == "churn").unwrap().1;
        let broken = churn.replace("[load]\n", "[load]\nthraeds = [1]\n");
        let line = 1 + broken.lines().position(|line| line.contains("thraeds")).unwrap();
        let test = || Test::bare().file("my.cnf", BASE).file("mine.toml", &broken);
        let sweep = test().args(["--base", "my.cnf", "--bench", "mine.toml"]).run().fails(2);
        sweep.says(&format!("`mine.toml`:{line}:1")).says("thraeds");
        let check = test().args(["profile", "check", "mine.toml"]).run().fails(2);
        check.says(&format!("`mine.toml`:{line}:1"));
        test().args(["profile", "check", "none.toml"]).run().fails(2).says("none.toml");
    }

    #[test]
    fn globs_that_match_nothing() {
        usage(&["--only", "myisam_*"]).says("--only myisam_* matches no option").hints("plan");
        usage(&["--only", "innodb_["]).says("--only innodb_[");
        usage(&["--skip", "*"]).says("--skip *").hints("plan");
        // One of several is only a slip.
        let ran = short(BASE).args(["--only", "max_*,myisam_*", "-q"]).run().ok();
        ran.says("warning: --only myisam_* matches no option");
    }

    #[test]
    fn numbers_out_of_range() {
        of(&["--rounds", "1"]).says("--rounds 1: from 2 to 1000");
        of(&["--seed", "18446744073709551615"]).says("18446744073709551615");
        usage(&["--threads", "0"]).says("--threads 0");
        usage(&["--delta", "nine"]).says("--delta nine");
        usage(&["--memory", "much"]).says("--memory much");
        usage(&["--memory", "1k"]).says("--memory 1k");
        usage(&["--server-cpus", "7-1"]).says("--server-cpus 7-1");
        usage(&["--data", "floppy"]).says("--data floppy");
        usage(&["--name", "a/b"]).says("--name a/b");
        of(&["--budget", "soon"]).says("--budget soon");
        of(&["--until", "25:00"]).says("--until 25:00");
        of(&["--budget", "90s"]).says("does not fit").hints("--only");
        of(&["--rounds", "2", "--budget", "1h"]).says("--budget");
    }

    #[test]
    fn options_that_the_server_does_not_have() {
        usage(&["--also", "max_conections=5"])
            .says("--also max_conections")
            .hints("max_connections");
        usage(&["--set", "back-logs=5"]).says("--set back-logs").hints("`back_log`");
        usage(&["--both", "wholly_different"]).says("--both wholly_different").hints("options");
        usage(&["--drop", "max_conections"]).says("--drop max_conections").hints("max_connections");
        usage(&["--drop", "back_log"]).says("no active line");
        usage(&["--set", "max_connections"]).says("--set max_connections");
    }

    #[test]
    fn options_that_are_never_toggled() {
        usage(&["--also", "datadir=/x"]).says("--also datadir");
        usage(&["--set", "datadir=/x"]).says("--set datadir");
        usage(&["--both", "datadir=/x"]).says("--both datadir");
        let ran = usage(&["--also", "replica_password=hunter2"]).says("a secret");
        assert!(!ran.err.contains("hunter2"));
    }

    #[test]
    fn words_that_are_none_of_a_flags() {
        usage(&["--values", "some"]).says("`some` is none of default, few, all");
        usage(&["--scale", "on"]).says("`on` is none of auto, off");
    }

    #[test]
    fn a_name_that_is_taken() {
        let ran = short(BASE).args(["--name", "it", "--out", "."]).file("it", "").run().fails(2);
        ran.says("`./it` exists already").hints("--name");
    }

    #[test]
    fn what_is_not_there_yet_says_so() {
        let there = "is not there yet in this version";
        for args in [
            &["--engines", "InnoDB,MyISAM"][..],
            &["--transport", "tcp"],
            &["--tls"],
            &["--resume", "results/x"],
            &["--threads", "1,8"],
        ] {
            usage(args).says(there);
        }
        for args in [&["bench", "--socket", "x"][..], &["profile", "new"], &["profile", "set"]] {
            Test::bare().args(args.iter().copied()).run().fails(2).says(there);
        }
    }
}

mod exit_130 {
    use super::*;

    fn interrupted(signal: Signal) {
        let test = Test::sweep(BASE)
            .set("pace_ms", 3)
            .args(["--rounds", "50", "--aa", "1", "--name", "it", "--seed", "3"]);
        let ran = test.run_until(9, signal);
        assert_eq!(ran.code, Some(130), "{}", ran.err);
        assert_eq!(ran.out, "");
        let ran =
            ran.says("what was measured is in results/it").hints("cnfsweep report results/it");
        let trials = ran.trials();
        assert!(
            trials.len() >= 9 && trials.len().is_multiple_of(2),
            "whole pairs: {}",
            trials.len()
        );
        for pair in trials.chunks(2) {
            assert_eq!(pair[0].pair, pair[1].pair);
            assert_ne!(pair[0].arm, pair[1].arm);
        }
        let report = ran.report();
        assert_eq!(report.status.code(), Some(0), "{report:?}");
        let table = String::from_utf8(report.stdout).unwrap();
        assert!(table.contains("Interrupted: "), "{table}");
        assert!(ran.read("report.md").to_lowercase().contains("interrupted"));
    }

    #[test]
    fn sigint_keeps_whole_pairs() {
        interrupted(Signal::INT);
    }

    #[test]
    fn sigterm_keeps_whole_pairs() {
        interrupted(Signal::TERM);
    }

    #[test]
    fn sighup_keeps_whole_pairs() {
        interrupted(Signal::HUP);
    }

    #[test]
    fn an_adaptive_sweep_that_is_interrupted_says_so() {
        let test = Test::sweep(BASE).set("pace_ms", 3).args(["--name", "it"]);
        let ran = test.run_until(5, Signal::INT);
        assert_eq!(ran.code, Some(130), "{}", ran.err);
        let table = String::from_utf8(ran.report().stdout).unwrap();
        assert!(table.contains("Interrupted"), "{table}");
        assert!(ran.effects().iter().all(|row| row.verdict == "inconclusive"));
    }

    #[test]
    fn a_signal_while_a_sweep_waits_for_another_ends_it() {
        let test = short(BASE).args(["--wait"]);
        let root = test.command().get_current_dir().unwrap().to_owned();
        let lock = std::fs::File::create(root.join("lock")).unwrap();
        lock.lock().unwrap();
        let mut child = test.command().stderr(std::process::Stdio::piped()).spawn().unwrap();
        let mut said = String::new();
        let err = child.stderr.take().unwrap();
        std::io::BufRead::read_line(&mut std::io::BufReader::new(err), &mut said).unwrap();
        assert!(said.contains("waiting for another sweep"), "{said}");
        let pid = rustix::process::Pid::from_child(&child);
        rustix::process::kill_process(pid, Signal::INT).unwrap();
        assert!(!child.wait().unwrap().success());
    }
}

mod commands {
    use super::*;

    #[test]
    fn args_prints_what_the_server_gets() {
        let base = "[mysqld]\nmax-connections = 5\n!include ./more.cnf\n[mysqldump]\nquick\n";
        let args = |product: &'static str| {
            let test = Test::bare().file("my.cnf", base).file("more.cnf", "[mysqld]\nport=1 # x\n");
            test.args(["args", "--base", "my.cnf", "--product", product]).run()
        };
        assert_eq!(args("mysql-9.7").ok().out, "--max-connections=5\n--port=1\n");
        let test = Test::bare().file("my.cnf", base);
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o666);
        let file = test.command().get_current_dir().unwrap().join("my.cnf");
        std::fs::set_permissions(file, mode).unwrap();
        let ran = test.args(["args", "--base", "my.cnf", "--product", "mysql-9.7"]).run().ok();
        assert_eq!(ran.out, "");
        ran.says("warning: `my.cnf` is world-writable").says("chmod o-w my.cnf");
        args("oracle-23").fails(2).says("--product oracle-23").hints("mysql-9.7");
    }

    #[test]
    fn profiles_are_listed_shown_and_checked() {
        let ran = Test::bare().args(["profile", "list"]).run().ok();
        assert!(ran.out.lines().all(|line| line.len() <= 80), "{}", ran.out);
        ran.prints("churn").prints("page300").prints("point-select");
        let shown = Test::bare().args(["profile", "show", "churn"]).run().ok().out;
        let test = Test::bare().file("mine.toml", &shown);
        test.args(["profile", "check", "mine.toml"]).run().ok().says("mine.toml: fine");
        Test::bare().args(["profile", "show", "no"]).run().fails(2).says("page300");
    }

    #[test]
    fn completions_and_the_man_page_are_made() {
        for shell in ["bash", "zsh", "fish"] {
            Test::bare().args(["completions", shell]).run().ok().prints("drop-unknown");
        }
        Test::bare().args(["man"]).run().ok().prints(".TH cnfsweep 1").prints("Exit codes");
    }

    #[test]
    fn help_and_version_go_to_stdout() {
        for args in [&["--help"][..], &["-h"], &["plan", "--help"], &["report", "--help"]] {
            let ran = Test::bare().args(args.iter().copied()).env("COLUMNS", "80").run().ok();
            assert_eq!(ran.err, "");
            let long = ran.out.lines().find(|line| line.chars().count() > 80);
            assert_eq!(long, None, "in {args:?}");
        }
        let version = Test::bare().args(["--version"]).run().ok();
        assert_eq!(version.out, format!("cnfsweep {}\n", env!("CARGO_PKG_VERSION")));
    }

    #[test]
    fn help_reads_well() {
        for (name, flag) in [("help", "--help"), ("help_short", "-h")] {
            let ran = Test::bare().args([flag]).env("COLUMNS", "80").run().ok();
            insta::assert_snapshot!(name, ran.out);
        }
        let ran = Test::bare().args(["plan", "-h"]).env("COLUMNS", "80").run().ok();
        insta::assert_snapshot!("help_plan", ran.out);
    }

    #[test]
    fn a_reader_that_goes_away_is_no_error() {
        use std::io::Read as _;
        for args in [&["--help"][..], &["man"], &["completions", "bash"], &["profile", "list"]] {
            let mut command = Test::bare().args(args.iter().copied()).command();
            let mut child = command
                .stdout(std::process::Stdio::piped())
                .stderr(std::process::Stdio::piped())
                .current_dir("/")
                .spawn()
                .unwrap();
            drop(child.stdout.take());
            let mut err = String::new();
            child.stderr.take().unwrap().read_to_string(&mut err).unwrap();
            assert_eq!((child.wait().unwrap().code(), err.as_str()), (Some(0), ""), "{args:?}");
        }
    }
}

mod plan {
    use super::*;

    fn big() -> Test {
        let read = |name: &str| std::fs::read_to_string(fixture(name)).unwrap();
        let refuse = "\n[[refuse]]\noption = \"character_set_server\"\nvalue = \"utf8mb4\"\n\
             message = \"[ERROR] [MY-010000] [Server] COLLATION 'utf8mb3_general_ci' is not valid \
             for CHARACTER SET 'utf8mb4'\"\n";
        Test::plan(&read("fake/big.cnf")).instead(&read("fake/mysql.toml")).script(refuse)
    }

    #[test]
    fn it_reads_well_on_80_columns() {
        let ran = big().env("COLUMNS", "80").run().ok();
        let long = ran.out.lines().find(|line| line.chars().count() > 80);
        assert_eq!(long, None);
        assert!(!ran.out.contains("hunter2"));
        insta::assert_snapshot!("plan_80", ran.out);
    }

    #[test]
    fn of_sixty_options_it_reads_well_on_80_columns() {
        let read = |name: &str| std::fs::read_to_string(fixture(name)).unwrap();
        let options = read("fake/sixty.toml");
        let test = Test::plan(&read("fake/sixty.cnf")).instead(&read("fake/mysql.toml"));
        let ran = test.script(&options).env("COLUMNS", "80").run().ok();
        let long = ran.out.lines().find(|line| line.chars().count() > 80);
        assert_eq!(long, None);
        insta::assert_snapshot!("plan_sixty", ran.out);
    }

    #[test]
    fn it_is_plain_where_the_locale_is() {
        let ran = big().env("COLUMNS", "70").env("LANG", "C").run().ok();
        assert!(ran.out.is_ascii() && !ran.out.contains('?'), "{}", ran.out);
        let long = ran.out.lines().find(|line| line.len() > 70);
        assert_eq!(long, None);
    }

    #[test]
    fn as_csv_it_has_the_columns_of_toggles_csv() {
        let ran = big().args(["--format", "csv"]).run().ok();
        let mut lines = ran.out.lines();
        assert_eq!(lines.next(), Some("toggle,option,line,action,from,to,label,status,detail"));
        assert!(lines.count() > 25);
        assert!(!ran.path("results").exists());
    }

    #[test]
    fn dry_run_is_the_same() {
        let plan = Test::plan(BASE).args(["--rounds", "2"]).run().ok();
        let dry = Test::sweep(BASE).args(["--rounds", "2", "--dry-run"]).run().ok();
        assert_eq!(plan.out, dry.out);
        assert!(!dry.path("results").exists());
    }

    #[test]
    fn a_plan_of_nothing_shows_why() {
        let ran = Test::plan("[mysqld]\nmax_connections = 151\ndatadir = /srv\n").run();
        assert_eq!(ran.code, Some(1));
        ran.prints("max_connections (line 2)")
            .prints("datadir (line 3)")
            .says("nothing to measure");
        let ran = Test::plan("[mysqld]\ndatadir = /srv\n").run();
        assert_eq!(ran.code, Some(1));
        ran.prints("datadir (line 2)").says("nothing in it can be toggled");
    }
}
