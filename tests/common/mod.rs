//! The real binary, against an engine that follows a script: a builder that makes tests short.

#![allow(dead_code, reason = "each test binary uses its part of it")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use cnfsweep::journal::{EffectRow, SweepDir, ToggleRow, TrialRow};

/// The options that every script knows unless it says otherwise.
const SERVER: &str = include_str!("../fixtures/fake/server.toml");

/// A run of the binary that is being put together, in a directory of its own.
pub struct Test {
    dir: tempfile::TempDir,
    base: Option<String>,
    script: String,
    args: Vec<String>,
    env: Vec<(String, String)>,
    fake: bool,
}

impl Test {
    /// `cnfsweep` with nothing.
    pub fn bare() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let (base, script) = (None, SERVER.to_owned());
        Self { dir, base, script, args: Vec::new(), env: Vec::new(), fake: false }
    }

    /// A sweep of this file, named `my.cnf`, under churn.
    pub fn sweep(base: &str) -> Self {
        Self { base: Some(base.to_owned()), fake: true, ..Self::bare() }
            .args(["--base", "my.cnf", "--bench", "churn"])
    }

    /// The same as a plan.
    pub fn plan(base: &str) -> Self {
        let mut test = Self::sweep(base);
        test.args.insert(0, "plan".to_owned());
        test
    }

    /// More arguments.
    pub fn args<'a>(mut self, args: impl IntoIterator<Item = &'a str>) -> Self {
        self.args.extend(args.into_iter().map(str::to_owned));
        self
    }

    /// A line of the script that is no table.
    pub fn set(mut self, key: &str, value: impl std::fmt::Display) -> Self {
        self.script = format!("{key} = {value}\n{}", self.script);
        self
    }

    /// Another script.
    pub fn instead(mut self, toml: &str) -> Self {
        toml.clone_into(&mut self.script);
        self
    }

    /// Tables at the end of the script.
    pub fn script(mut self, toml: &str) -> Self {
        self.script.push_str(toml);
        self
    }

    /// An effect of the script.
    pub fn effect(self, option: &str, value: &str, percent: f64) -> Self {
        self.script(&format!(
            "\n[[effect]]\noption = \"{option}\"\nvalue = \"{value}\"\npercent = {percent:?}\n"
        ))
    }

    /// A file of the directory.
    pub fn file(self, name: &str, contents: &str) -> Self {
        let path = self.dir.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, contents).unwrap();
        self
    }

    /// An environment variable.
    pub fn env(mut self, name: &str, value: &str) -> Self {
        self.env.push((name.to_owned(), value.to_owned()));
        self
    }

    /// The command, ready to be started.
    pub fn command(&self) -> Command {
        let root = self.dir.path();
        if let Some(base) = &self.base {
            std::fs::write(root.join("my.cnf"), base).unwrap();
        }
        let mut command = Command::new(assert_cmd::cargo::cargo_bin!("cnfsweep"));
        command.args(&self.args).current_dir(root).stdin(Stdio::null());
        if self.fake {
            std::fs::write(root.join("script.toml"), &self.script).unwrap();
            command.args(["--fake-engine", "script.toml"]);
        }
        for name in ["NO_COLOR", "LC_ALL", "LC_CTYPE", "COLUMNS", "CLICOLOR_FORCE"] {
            command.env_remove(name);
        }
        command
            .env("LANG", "C.UTF-8")
            .env("HOME", root)
            .env("XDG_CACHE_HOME", root.join("cache"))
            .env("CNFSWEEP_LOCK", root.join("lock"));
        command.envs(self.env.iter().map(|(name, value)| (name, value)));
        command
    }

    /// Runs it to its end.
    pub fn run(self) -> Ran {
        let output = self.command().output().unwrap();
        Ran::of(self, output)
    }

    /// Runs it until so many rows stand in `trials.csv`, then sends the signal.
    pub fn run_until(self, rows: usize, signal: rustix::process::Signal) -> Ran {
        let mut command = self.command();
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let trials = self.dir.path().join("results/it/trials.csv");
        let give_up = Instant::now() + Duration::from_secs(30);
        let lines = || std::fs::read_to_string(&trials).map_or(0, |text| text.lines().count());
        while lines() <= rows {
            assert!(Instant::now() < give_up, "the sweep never got that far");
            std::thread::sleep(Duration::from_millis(5));
        }
        let pid = rustix::process::Pid::from_child(&child);
        rustix::process::kill_process(pid, signal).unwrap();
        let output = child.wait_with_output().unwrap();
        Ran::of(self, output)
    }
}

/// What came of a run.
pub struct Ran {
    dir: tempfile::TempDir,
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

impl Ran {
    fn of(test: Test, output: Output) -> Self {
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        let Output { status, stdout, stderr } = output;
        let ran = Self { dir: test.dir, code: status.code(), out: text(stdout), err: text(stderr) };
        assert!(!ran.err.contains("panicked"), "{}", ran.err);
        ran
    }

    /// It ended well.
    #[track_caller]
    pub fn ok(self) -> Self {
        assert_eq!(self.code, Some(0), "{}\n{}", self.out, self.err);
        self
    }

    /// It ended with this code; `error:` opens the message, nothing was printed as data, and no
    /// results were left.
    #[track_caller]
    pub fn fails(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "{}\n{}", self.out, self.err);
        let error = self.err.lines().find(|line| line.starts_with("error: "));
        assert!(error.is_some(), "no line `error: …` in:\n{}", self.err);
        assert_eq!(self.out, "", "data beside an error");
        assert!(!self.path("results").exists(), "results were left");
        self
    }

    /// Its error says so.
    #[track_caller]
    pub fn says(self, words: &str) -> Self {
        assert!(self.err.contains(words), "no `{words}` in:\n{}", self.err);
        self
    }

    /// It has a line `hint: …` that says so.
    #[track_caller]
    pub fn hints(self, words: &str) -> Self {
        let hint = self.err.lines().find(|line| line.starts_with("hint: ") && line.contains(words));
        assert!(hint.is_some(), "no hint with `{words}` in:\n{}", self.err);
        self
    }

    /// Its output says so.
    #[track_caller]
    pub fn prints(self, words: &str) -> Self {
        assert!(self.out.contains(words), "no `{words}` in:\n{}", self.out);
        self
    }

    /// A path of the test's directory.
    pub fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// The one results directory.
    #[track_caller]
    pub fn results(&self) -> SweepDir {
        let found: Vec<PathBuf> = std::fs::read_dir(self.path("results"))
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .collect();
        assert_eq!(found.len(), 1, "{found:?}");
        SweepDir::new(&found[0])
    }

    /// A file of the results.
    #[track_caller]
    pub fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.results().root().join(name)).unwrap()
    }

    pub fn toggles(&self) -> Vec<ToggleRow> {
        self.results().toggles().unwrap()
    }

    pub fn trials(&self) -> Vec<TrialRow> {
        self.results().trials().unwrap()
    }

    /// The effects on throughput.
    pub fn effects(&self) -> Vec<EffectRow> {
        let rows = self.results().effects().unwrap();
        rows.into_iter().filter(|row| row.metric.as_str() == "throughput").collect()
    }

    /// The effect of one toggle on throughput.
    #[track_caller]
    pub fn effect(&self, toggle: &str) -> EffectRow {
        let effects = self.effects();
        let found = effects.iter().find(|row| row.toggle == toggle);
        found.unwrap_or_else(|| panic!("no effect of {toggle} in {effects:?}")).clone()
    }

    /// The row of one toggle.
    #[track_caller]
    pub fn toggle(&self, id: &str) -> ToggleRow {
        let toggles = self.toggles();
        let found = toggles.iter().find(|row| row.toggle == id);
        found.unwrap_or_else(|| panic!("no toggle {id} in {toggles:?}")).clone()
    }

    /// `cnfsweep report` on the results.
    pub fn report(&self) -> Output {
        let mut command = Command::new(assert_cmd::cargo::cargo_bin!("cnfsweep"));
        command.arg("report").arg(self.results().root()).env("LANG", "C.UTF-8");
        command.output().unwrap()
    }
}

/// Where the fixtures are.
pub fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name)
}
