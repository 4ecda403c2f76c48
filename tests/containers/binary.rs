//! The binary, as a person or a script starts it; what it leaves behind is looked for from outside.

use std::io::{BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::docker;
use crate::servers::Server;

/// The longest that anything here may take.
const LIMIT: Duration = Duration::from_secs(400);

/// A place to run cnfsweep in: a directory, a lock and a place for sockets of its own.
pub struct Desk {
    dir: TempDir,
    server: Server,
}

/// What a run ended with.
#[derive(Debug)]
pub struct Done {
    pub process: u32,
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

/// A run that goes on.
pub struct Running {
    child: Child,
    lines: Receiver<String>,
    seen: String,
}

impl Desk {
    pub fn new(server: Server) -> Self {
        server.must_be_there();
        // Short: sockets are below it.
        let dir = tempfile::Builder::new().prefix("box-").tempdir_in("/tmp").expect("a directory");
        std::fs::create_dir(dir.path().join("t")).expect("a directory");
        std::fs::write(dir.path().join("quick.toml"), QUICK).expect("a file");
        Self { dir, server }
    }

    pub fn path(&self) -> &Path {
        self.dir.path()
    }

    /// Where this desk's sockets are.
    pub fn sockets(&self) -> PathBuf {
        self.path().join("t")
    }

    pub fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path().join(name), text).expect("a file");
    }

    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_cnfsweep"));
        command
            .args(arguments)
            .current_dir(self.path())
            .env("CNFSWEEP_LOCK", self.path().join("lock"))
            .env("TMPDIR", self.sockets())
            // Shared by the tests of one build, and no others.
            .env("XDG_CACHE_HOME", Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache"))
            .env("NO_COLOR", "1")
            .env("LC_ALL", "C.UTF-8")
            .stdin(Stdio::null());
        command
    }

    /// Arguments of a sweep of `my.cnf` under the quick benchmark, with little memory.
    pub fn sweep<'a>(&self, more: &[&'a str]) -> Vec<&'a str> {
        let mut arguments = vec!["--base", "my.cnf", "--bench", "quick.toml"];
        arguments.extend(["--image", self.server.image, "--seed", "1", "--threads", "4"]);
        if !more.contains(&"--memory") {
            arguments.extend(["--memory", "800m"]);
        }
        arguments.extend(more);
        arguments
    }

    /// Runs to the end.
    pub fn run(&self, arguments: &[&str]) -> Done {
        self.start(arguments).end()
    }

    /// Runs a command of this desk's to the end.
    pub fn run_command(&self, command: Command) -> Done {
        start(command).end()
    }

    /// Starts, and goes on.
    pub fn start(&self, arguments: &[&str]) -> Running {
        start(self.command(arguments))
    }
}

fn start(mut command: Command) -> Running {
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let mut child = child.expect("cnfsweep");
    let stderr = BufReader::new(child.stderr.take().expect("stderr"));
    let (line, lines) = channel();
    std::thread::spawn(move || {
        // Ends with the process; nobody listens any more when the test is over.
        stderr.lines().map_while(Result::ok).try_for_each(|text| line.send(text))
    });
    Running { child, lines, seen: String::new() }
}

impl Running {
    pub fn process(&self) -> u32 {
        self.child.id()
    }

    /// Waits until it says that.
    pub fn until(&mut self, words: &str) {
        let end = Instant::now() + LIMIT;
        loop {
            match self.lines.recv_timeout(end.saturating_duration_since(Instant::now())) {
                Ok(line) => {
                    self.seen.push_str(&line);
                    self.seen.push('\n');
                    if line.contains(words) {
                        return;
                    }
                }
                Err(e) => panic!("it never said `{words}` ({e}), but:\n{}", self.seen),
            }
        }
    }

    /// Waits until Docker shows a container of it whose name has that in it.
    pub fn until_container(&self, part: &str) {
        let end = Instant::now() + LIMIT;
        let there = || {
            let left = docker::left_by(self.process());
            left.iter().any(|name| name.starts_with("container") && name.contains(part))
        };
        while !there() {
            assert!(Instant::now() < end, "no container with `{part}`");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    pub fn signal(&self, name: &str) {
        let pid = self.process().to_string();
        let sent = Command::new("kill").args(["-s", name, &pid]).status();
        assert!(sent.expect("kill").success());
    }

    /// Waits for its end.
    pub fn end(mut self) -> Done {
        let process = self.process();
        let mut stdout = String::new();
        self.child.stdout.take().expect("stdout").read_to_string(&mut stdout).expect("text");
        let end = Instant::now() + LIMIT;
        let status = loop {
            if let Some(status) = self.child.try_wait().expect("a process") {
                break status;
            }
            assert!(Instant::now() < end, "it does not end; so far:\n{}", self.seen);
            std::thread::sleep(Duration::from_millis(20));
        };
        self.lines.iter().for_each(|line| {
            self.seen.push_str(&line);
            self.seen.push('\n');
        });
        let stderr = std::mem::take(&mut self.seen);
        Done { process, code: status.code(), stdout, stderr }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // A test that failed half-way: told to stop, so that it removes what it started.
        if matches!(self.child.try_wait(), Ok(None)) {
            let _ = Command::new("kill").arg(self.process().to_string()).status();
            let _ = self.child.wait();
        }
    }
}

impl Done {
    /// Fails with everything it said if it did not end like that.
    pub fn expect(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "{}\n{}", self.stdout, self.stderr);
        self
    }

    /// Nothing of it is left but golden data directories.
    pub fn left_nothing(self, desk: &Desk) -> Self {
        assert_eq!(docker::left_by(self.process), Vec::<String>::new(), "{}", self.stderr);
        let sockets = std::fs::read_dir(desk.sockets()).expect("a directory");
        let names: Vec<_> = sockets.map(|e| e.expect("an entry").file_name()).collect();
        assert!(names.is_empty(), "{names:?}\n{}", self.stderr);
        self
    }
}

/// The shipped tables, so that golden data directories are shared, and as little load as there may
/// be: what is measured is of no matter.
const QUICK: &str = r#"
about = "As short as it may be."

[load]
threads = [4]
statements_per_connection = 1
operation = "connection"
warmup = "200ms"
slice = "100ms"
slices = 4

[[table]]
name = "item"
create = """
CREATE TABLE item (
  id INT UNSIGNED NOT NULL PRIMARY KEY,
  name VARCHAR(64) NOT NULL,
  price INT NOT NULL
)
"""
rows = 10_000

[[table.column]]
name = "id"
fill = "sequence"

[[table.column]]
name = "name"
fill = "text"
length = 24

[[table.column]]
name = "price"
fill = "uniform"
min = 1
max = 99_999

[[statement]]
name = "item-by-id"
sql = "SELECT id, name, price FROM item WHERE id = ?"
protocol = "text"

[[statement.parameter]]
fill = "uniform"
min = 1
max = 10_000
"#;

/// The same with a data set of its own: nobody else has its golden directory.
pub fn with_own_data(name: &str) -> String {
    QUICK
        .replace("item", name)
        .replace("rows = 10_000", "rows = 500")
        .replace("max = 10_000", "max = 500")
}
