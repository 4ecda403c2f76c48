//! The binary as scripts see it, on an engine without servers: exit codes, what goes to which
//! stream, what is left behind.

#![expect(clippy::expect_used, reason = "what can't be set up has failed")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use cnfsweep::journal::{EffectRow, Metric, Outcome, Status, SweepDir};

const SERVER: &str = include_str!("fixtures/fake/server.toml");

const BASE: &str = "\
[mysqld]
datadir = /var/lib/mysql
server_id = 3
general_log = ON
sort_buffer_size = 256K
thread_cache_size = 0
#performance_schema = OFF
# skip-grant-tables
";

/// A directory of its own, a base file, a script, and what to call.
struct Test {
    dir: tempfile::TempDir,
    arguments: Vec<String>,
}

impl Test {
    fn new() -> Self {
        let dir = tempfile::tempdir().expect("a directory");
        std::fs::write(dir.path().join("my.cnf"), BASE).expect("written");
        std::fs::write(dir.path().join("server.toml"), SERVER).expect("written");
        let arguments = ["--base", "my.cnf", "--bench", "churn", "--fake-engine", "server.toml"];
        let more = ["--seed", "1", "--rounds", "4", "--aa", "4", "--name", "it"];
        Self { dir, arguments: arguments.iter().chain(&more).map(ToString::to_string).collect() }
    }

    fn file(self, name: &str, text: &str) -> Self {
        std::fs::write(self.dir.path().join(name), text).expect("written");
        self
    }

    fn args(mut self, more: &[&str]) -> Self {
        self.arguments.extend(more.iter().map(ToString::to_string));
        self
    }

    /// Replaces the value of a flag.
    fn with(mut self, flag: &str, value: &str) -> Self {
        let at = self.arguments.iter().position(|a| a == flag).expect("the flag");
        value.clone_into(&mut self.arguments[at + 1]);
        self
    }

    fn without(mut self, flag: &str) -> Self {
        let at = self.arguments.iter().position(|a| a == flag).expect("the flag");
        self.arguments.drain(at..at + 2);
        self
    }

    fn command(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_cnfsweep"));
        command
            .args(&self.arguments)
            .current_dir(self.dir.path())
            .env("CNFSWEEP_LOCK", self.dir.path().join("lock"))
            .env("LC_ALL", "C.UTF-8");
        command
    }

    fn run(&self) -> Ran {
        Ran(self.command().output().expect("the binary runs"))
    }

    fn results(&self) -> PathBuf {
        self.dir.path().join("results/it")
    }

    fn sweep(&self) -> SweepDir {
        SweepDir::new(self.results())
    }
}

struct Ran(Output);

impl Ran {
    fn stdout(&self) -> String {
        String::from_utf8_lossy(&self.0.stdout).into_owned()
    }

    fn stderr(&self) -> String {
        String::from_utf8_lossy(&self.0.stderr).into_owned()
    }

    #[track_caller]
    fn code(self, code: i32) -> Self {
        assert_eq!(self.0.status.code(), Some(code), "{}\n{}", self.stdout(), self.stderr());
        self
    }

    /// An error in words, with these in it, and nothing on stdout.
    #[track_caller]
    fn error(self, words: &[&str]) -> Self {
        let stderr = self.stderr();
        assert!(stderr.lines().any(|l| l.starts_with("error: ")), "{stderr}");
        for word in words {
            assert!(stderr.contains(word), "no `{word}` in: {stderr}");
        }
        assert!(!stderr.contains("panicked"), "{stderr}");
        assert_eq!(self.stdout(), "");
        self
    }
}

fn throughput(dir: &SweepDir, toggle: &str) -> EffectRow {
    let rows = dir.effects().expect("effects.csv");
    let found = rows.iter().find(|r| r.toggle == toggle && r.metric == Metric::Throughput);
    found.unwrap_or_else(|| panic!("no {toggle} in {rows:?}")).clone()
}

#[test]
fn a_sweep_finds_the_planted_effects_and_no_others() {
    let test = Test::new();
    let ran = test.run().code(0);
    let dir = test.sweep();
    for (toggle, percent, verdict) in
        [("performance_schema=OFF", 40.0, "faster"), ("general_log=default", 25.0, "faster")]
    {
        let row = throughput(&dir, toggle);
        assert_eq!(row.verdict, verdict, "{row:?}");
        // Four noisy pairs: near it, and the interval leaves zero out.
        let (low, effect) = (row.ci_low_pct.expect("low"), row.effect_pct.expect("effect"));
        assert!(low > 0.0 && (effect - percent).abs() < 10.0, "{percent} was planted: {row:?}");
        assert!(ran.stdout().contains(toggle), "{}", ran.stdout());
    }
    let nothing = throughput(&dir, "thread_cache_size=default");
    assert!(!["faster", "slower"].contains(&nothing.verdict.as_str()), "{nothing:?}");
    for file in ["report.html", "report.md", "charts/effects.svg", "charts/timeline.png"] {
        assert!(dir.root().join(file).exists(), "no {file}");
    }
    // A pair is two rows of the whole operation; every pair counts.
    let trials = dir.trials().expect("trials.csv");
    assert!(trials.iter().all(|t| t.outcome == Outcome::Ok));
    assert_eq!(trials.iter().filter(|t| t.statement == "all").count(), 2 * 4 * (4 + 4));
}

#[test]
fn what_is_not_measured_says_why() {
    let test = Test::new();
    test.run().code(0);
    let toggles = test.sweep().toggles().expect("toggles.csv");
    let status = |id: &str| {
        let row = toggles.iter().find(|t| t.toggle == id);
        let row = row.unwrap_or_else(|| panic!("no {id} in {toggles:?}"));
        (row.status, row.detail.clone())
    };
    let (no_op, why) = status("sort_buffer_size=default");
    assert_eq!((no_op, why.contains("delete the line")), (Status::NoOp, true), "{why}");
    assert_eq!(status("datadir=/var/lib/mysql").0, Status::LeftOut);
    assert!(status("server_id=3").1.contains("identity"));
}

#[test]
fn a_refused_toggle_is_a_result_and_a_crashing_one_fails_alone() {
    let test = Test::new().args(&[
        "--also",
        "binlog_cache_size=1M",
        "--set",
        "innodb_spin_wait_delay=7000",
    ]);
    test.run().code(0);
    let dir = test.sweep();
    let toggles = dir.toggles().expect("toggles.csv");
    let refused = toggles.iter().find(|t| t.option == "innodb_spin_wait_delay").expect("listed");
    assert_eq!(refused.status, Status::Refused);
    assert!(refused.detail.contains("too large"), "{}", refused.detail);
    assert_eq!(throughput(&dir, "binlog_cache_size=1M").verdict, "failed");
    assert_eq!(throughput(&dir, "performance_schema=OFF").verdict, "faster");
    // Twice, and it is not tried again.
    let trials = dir.trials().expect("trials.csv");
    let tried = trials.iter().filter(|t| t.toggle == "binlog_cache_size=1M").count();
    assert_eq!(tried, 2 * 2);
}

#[test]
fn the_same_seed_gives_the_same_schedule_and_report_gives_the_same_effects() {
    let order = |test: &Test| -> Vec<(u32, String, String)> {
        let trials = test.sweep().trials().expect("trials.csv");
        trials.into_iter().map(|t| (t.pair, t.toggle, t.order)).collect()
    };
    let (one, two) = (Test::new(), Test::new());
    let other = Test::new().with("--seed", "2");
    for test in [&one, &two, &other] {
        test.run().code(0);
    }
    assert_eq!(order(&one), order(&two));
    assert_ne!(order(&one), order(&other));

    let effects = one.sweep().effects_csv();
    let before = std::fs::read(&effects).expect("effects.csv");
    std::fs::remove_file(&effects).expect("removed");
    let again = Command::new(env!("CARGO_BIN_EXE_cnfsweep"))
        .arg("report")
        .arg(one.results())
        .output()
        .expect("runs");
    assert_eq!(again.status.code(), Some(0));
    assert_eq!(std::fs::read(&effects).expect("effects.csv"), before);
}

#[test]
fn adaptive_sweeps_screen_confirm_and_end() {
    let test = Test::new().without("--rounds");
    test.run().code(0);
    let row = throughput(&test.sweep(), "performance_schema=OFF");
    assert_eq!(row.verdict, "faster");
    // The numbers are those of the confirmation.
    assert_eq!(row.n, 8);
    assert!(row.p_adjusted.is_some());
}

#[test]
fn files_have_the_columns_of_the_contract() {
    let test = Test::new();
    test.run().code(0);
    let header = |name: &str| {
        let text = std::fs::read_to_string(test.results().join(name)).expect(name);
        text.lines().next().unwrap_or_default().to_owned()
    };
    assert_eq!(header("toggles.csv"), "toggle,option,line,action,from,to,label,status,detail");
    assert_eq!(
        header("trials.csv"),
        "round,pair,order,toggle,arm,threads,engine,statement,slices,ops,errors,seconds,ops_per_s,\
         mean_us,p50_us,p95_us,p99_us,max_us,server_cpu_us_per_op,client_cpu_us_per_op,log_ratio,\
         stalls,outcome,message,started_at"
    );
    assert_eq!(
        header("effects.csv"),
        "toggle,option,from,to,label,threads,engine,statement,metric,n,effect_pct,ci_low_pct,\
         ci_high_pct,p,p_adjusted,mde_pct,verdict,note"
    );
}

#[test]
fn the_toggled_file_is_the_base_file_with_one_change() {
    let test = Test::new();
    test.run().code(0);
    let dir = test.sweep();
    let base = std::fs::read_to_string(dir.base_cnf()).expect("base.cnf");
    assert!(base.contains("#datadir"), "{base}");
    let name = SweepDir::toggle_cnf_name("performance_schema=OFF");
    let toggled = std::fs::read_to_string(dir.root().join(name)).expect("the toggle's file");
    assert_eq!(toggled, base.replace("#performance_schema = OFF", "performance_schema = OFF"));
}

#[test]
fn wrong_command_lines_exit_2_and_start_nothing() {
    let wrong: &[(&[&str], &[&str])] = &[
        (&["--bench", "churm"], &["there is no benchmark `churm`", "churn, page300, point-select"]),
        (&["--rounds", "1"], &["--rounds 1", "from 2"]),
        (&["--delta", "none"], &["--delta none"]),
        (&["--data", "disk"], &["--data disk"]),
    ];
    for (change, words) in wrong {
        let test = Test::new().with_or_add(change[0], change[1]);
        test.run().code(2).error(words);
        assert!(!test.results().exists());
    }
    let unknown = Test::new().args(&["--also", "performance_shema=OFF"]);
    unknown.run().code(2).error(&["--also performance_shema", "did you mean `performance_schema`"]);
    let never = Test::new().args(&["--also", "datadir=/x"]);
    never.run().code(2).error(&["--also datadir", "a path or address"]);
    let nothing = Test::new().args(&["--drop", "max_connections"]);
    nothing.run().code(2).error(&["--drop max_connections", "no active line"]);
    let later = Test::new().args(&["--engines", "MyISAM,InnoDB"]);
    later.run().code(2).error(&["--engines", "not there yet"]);
}

impl Test {
    fn with_or_add(self, flag: &str, value: &str) -> Self {
        if self.arguments.iter().any(|a| a == flag) {
            self.with(flag, value)
        } else {
            self.args(&[flag, value])
        }
    }
}

#[test]
fn a_profile_with_an_unknown_field_has_its_place_named() {
    let test = Test::new()
        .file("mine.toml", "about = \"x\"\n\n[load]\nthreats = [8]\n")
        .with("--bench", "mine.toml");
    test.run().code(2).error(&["profile `mine.toml`:4:1", "unknown field `threats`", "threads"]);
}

#[test]
fn files_that_no_server_reads_exit_1_with_a_hint() {
    let missing = Test::new().with("--base", "no.cnf");
    missing.run().code(1).error(&["could not read `no.cnf`", "hint: "]);
    let client = Test::new().file("my.cnf", "[client]\nport = 1\n");
    client.run().code(1).error(&["my.cnf", "no group", "[mysqld]"]);
    let broken = Test::new().file("my.cnf", "[mysqld]\nport = 1\n[mysqld\n");
    broken.run().code(1).error(&["my.cnf:3:", "hint: "]);
    let only = Test::new().args(&["--only", "nothing_*"]);
    only.run().code(2).error(&["--only nothing_*", "matches no option"]);
    for test in [missing, client, broken, only] {
        assert!(!test.results().exists());
    }
}

#[test]
fn a_file_that_the_server_refuses_names_the_lines_and_how_to_go_on() {
    let base = "[mysqld]\nquery_cache_size = 1M\nquery-cache-type = 1\ngeneral_log = ON\n";
    let test = Test::new().file("my.cnf", base);
    let stderr = test.run().code(1).error(&["unknown variable", "my.cnf:2", "my.cnf:3"]).stderr();
    assert!(stderr.contains("--drop query_cache_size,query_cache_type"), "{stderr}");
    assert!(!test.results().exists());
    let dropped =
        Test::new().file("my.cnf", base).args(&["--drop", "query_cache_size,query_cache_type"]);
    dropped.run().code(0);
    let all = Test::new().file("my.cnf", base).args(&["--drop-unknown"]);
    all.run().code(0);
}

#[test]
fn secrets_stay_out_of_every_file_and_message() {
    const SECRET: &str = "correct-horse-battery";
    let base = format!("{BASE}report_password = {SECRET}\n#wsrep_sst_auth = root:{SECRET}\n");
    let test = Test::new()
        .file("server.toml", &format!("{SERVER}\n[[option]]\nname = \"report_password\"\n"))
        .file("my.cnf", &base);
    let ran = test.run().code(0);
    assert!(!ran.stdout().contains(SECRET) && !ran.stderr().contains(SECRET));
    let mut seen = 0;
    let mut open = vec![test.results()];
    while let Some(path) = open.pop() {
        if path.is_dir() {
            open.extend(std::fs::read_dir(&path).expect("a directory").map(|e| e.unwrap().path()));
            continue;
        }
        seen += 1;
        let bytes = std::fs::read(&path).expect("a file");
        let holds = bytes.windows(SECRET.len()).any(|w| w == SECRET.as_bytes());
        assert!(!holds, "{} holds the secret", path.display());
    }
    assert!(seen > 10, "only {seen} files were looked at");
}

#[test]
fn a_machine_on_which_identical_servers_differ_gives_no_verdicts() {
    let text = SERVER.replace("start_noise = 0.01", "start_noise = 0.0\nbias_percent = -10.0");
    let test = Test::new().file("server.toml", &text).with("--aa", "8").with("--rounds", "6");
    let ran = test.run().code(1);
    assert!(ran.stderr().contains("calibration failed"), "{}", ran.stderr());
    let effects = test.sweep().effects().expect("measurements are kept");
    assert!(effects.iter().all(|e| e.verdict == "inconclusive"), "{effects:?}");
}

#[test]
fn interrupted_by_a_signal_it_keeps_whole_pairs_and_says_so() {
    for signal in ["INT", "TERM", "HUP"] {
        let test = Test::new().file("server.toml", &format!("pace_ms = 5\n{SERVER}"));
        let mut child = test
            .command()
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the binary runs");
        wait_for_pairs(&test.sweep(), 3, &mut child);
        let killed = Command::new("kill").args(["-s", signal, &child.id().to_string()]).status();
        assert!(killed.expect("kill runs").success());
        let ran = Ran(child.wait_with_output().expect("it ends")).code(130);
        assert!(ran.stderr().contains("interrupted"), "{}", ran.stderr());
        assert_eq!(ran.stdout(), "");
        let trials = test.sweep().trials().expect("whole rows");
        assert!(trials.len() >= 6 && trials.len().is_multiple_of(2), "{} rows", trials.len());
        let report = Command::new(env!("CARGO_BIN_EXE_cnfsweep"))
            .arg("report")
            .arg(test.results())
            .env("LC_ALL", "C.UTF-8")
            .output()
            .expect("runs");
        let text = String::from_utf8_lossy(&report.stdout).into_owned();
        assert!(text.contains("Interrupted"), "{text}");
    }
}

fn wait_for_pairs(dir: &SweepDir, pairs: usize, child: &mut std::process::Child) {
    let began = Instant::now();
    let rows = |path: &Path| {
        std::fs::read_to_string(path).map_or(0, |text| text.lines().count().saturating_sub(1))
    };
    while rows(&dir.trials_csv()) < 2 * pairs {
        assert!(child.try_wait().expect("a state").is_none(), "it ended by itself");
        assert!(began.elapsed() < Duration::from_secs(60), "no pairs");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn a_second_sweep_on_the_machine_is_refused_and_names_the_first() {
    let test = Test::new().file("server.toml", &format!("pace_ms = 5\n{SERVER}"));
    let mut first = test
        .command()
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the binary runs");
    wait_for_pairs(&test.sweep(), 1, &mut first);
    let id = test.sweep().sweep().expect("sweep.toml").id;
    let other = Test::new();
    let lock = test.dir.path().join("lock");
    let refused = Ran(other.command().env("CNFSWEEP_LOCK", &lock).output().expect("runs"));
    first.kill().expect("killed");
    first.wait().expect("ended");
    refused.code(1).error(&["another sweep runs on this machine", &id, "--wait"]);
    // A dead sweep holds nothing.
    Ran(other.command().env("CNFSWEEP_LOCK", &lock).output().expect("runs")).code(0);
}

#[test]
fn quiet_prints_the_table_and_nothing_else() {
    let ran = Test::new().args(&["--quiet"]).run().code(0);
    assert_eq!(ran.stderr(), "");
    assert!(ran.stdout().starts_with("toggle"), "{}", ran.stdout());
    assert!(!ran.stdout().contains("report:"), "{}", ran.stdout());
}

#[test]
fn plan_measures_nothing_and_fits_80_columns() {
    let test = Test::new();
    let mut arguments = vec!["plan".to_owned()];
    arguments.extend(test.arguments.iter().cloned());
    let run = |more: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_cnfsweep"));
        command.args(&arguments).args(more).current_dir(test.dir.path());
        Ran(command.env("CNFSWEEP_LOCK", test.dir.path().join("lock")).output().expect("runs"))
    };
    let ran = run(&[]).code(0);
    assert!(ran.stdout().contains("performance_schema=OFF"), "{}", ran.stdout());
    assert!(ran.stdout().contains("at most"), "{}", ran.stdout());
    assert!(!test.results().exists());
    let csv = run(&["--format", "csv"]).code(0).stdout();
    assert!(csv.starts_with("toggle,option,line,action,from,to,label,status,detail\n"), "{csv}");
}
