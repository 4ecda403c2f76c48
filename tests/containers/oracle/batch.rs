//! Many option files, read by the `my_print_defaults` of one image in one container. The container
//! sees the files under the path that they have here, so that includes lead to the same places.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::generator::Case;
use crate::docker::{docker, try_docker};
use crate::servers::Server;

/// Files that wait to be read, one case per directory.
pub struct Batch {
    root: tempfile::TempDir,
    server: Server,
    count: usize,
}

/// What the tool made of one case.
#[derive(Debug)]
pub struct Answer {
    /// The shell's: 128 and the signal's number when the tool died of one.
    pub code: i32,
    pub out: Vec<u8>,
    pub err: Vec<u8>,
}

impl Answer {
    /// The tool crashed: it has no answer.
    pub fn is_crash(&self) -> bool {
        const SEGMENTATION_FAULT: i32 = 128 + 11;
        const ABORTED: i32 = 128 + 6;
        matches!(self.code, SEGMENTATION_FAULT | ABORTED)
    }
}

/// Each case in its own directory, which is also the working directory and the home. What the
/// tool says goes to files: nothing has to be told apart afterwards. An endless loop is ended by
/// the limit of CPU seconds, a container whose test was killed by `timeout`.
const READ_ALL: &str = r#"
ulimit -c 0
ulimit -t 60
for dir in "$IN"/*; do
    cd "$dir" || exit 9
    case="$OUT/${dir##*/}"
    HOME="$dir" my_print_defaults --defaults-file="$dir/base.cnf" "$@" >"$case.out" 2>"$case.err"
    echo $? >"$case.code"
done
"#;

/// `timeout` of coreutils 9.10 fails as the first process of a container.
const BOUNDED: &str = r#"timeout 900 sh -c "$0" sh "$@"; exit $?"#;

impl Batch {
    pub fn new(server: Server) -> Self {
        // A path of the same length each time: generated files have lengths that matter.
        let root = tempfile::Builder::new().prefix("oracle-").tempdir_in("/tmp");
        let root = root.expect("a directory");
        for name in ["in", "out", "etc"] {
            fs::create_dir(root.path().join(name)).expect("a directory");
        }
        // Readable by the container's user, whoever that is.
        fs::set_permissions(root.path(), Permissions::from_mode(0o755)).expect("a mode");
        Self { root, server, count: 0 }
    }

    /// Where the next case has to be.
    pub fn next_dir(&self) -> String {
        self.dir(self.count).to_str().expect("ASCII").to_owned()
    }

    /// The directory of a case.
    pub fn dir(&self, index: usize) -> PathBuf {
        self.root.path().join(format!("in/{index:06}"))
    }

    /// What the container has as `/etc/mysql`.
    pub fn etc(&self) -> PathBuf {
        self.root.path().join("etc")
    }

    /// Adds a case that was made for [`Batch::next_dir`].
    pub fn add(&mut self, case: &Case) {
        let dir = self.dir(self.count);
        fs::create_dir(&dir).expect("a directory");
        for (name, content) in &case.files {
            write(&dir.join(name), content);
        }
        self.count += 1;
    }

    /// What the tool says to each case, in order.
    pub fn ask(&self) -> Vec<Answer> {
        let groups: &[&str] = if self.server.is_mysql {
            // It has no list of its own. A test compares this one with the server's.
            &["--show", "mysql_cluster", "mysqld", "server", "mysqld-9.7"]
        } else {
            &["--mysqld"]
        };
        self.run(READ_ALL, groups);
        (0..self.count)
            .map(|index| {
                let read = |kind: &str| {
                    let path = self.root.path().join(format!("out/{index:06}.{kind}"));
                    fs::read(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
                };
                let code = String::from_utf8(read("code")).expect("a number");
                let code = code.trim().parse().expect("a number");
                Answer { code, out: read("out"), err: read("err") }
            })
            .collect()
    }

    /// Runs a script of the shell in a container and gives what it printed.
    pub fn run(&self, script: &str, arguments: &[&str]) -> String {
        let container = Container::new(&self.root);
        let root = self.root.path();
        let (read, write) = (root.join("in"), root.join("out"));
        let bind = |from: &Path, to: &Path, mode: &str| {
            format!("type=bind,src={},dst={}{mode}", from.display(), to.display())
        };
        let id = |which: &str| {
            let printed = Command::new("id").arg(which).output().expect("id").stdout;
            String::from_utf8(printed).expect("a number").trim().to_owned()
        };
        let user = format!("{}:{}", id("-u"), id("-g"));
        let process = format!("cnfsweep.test={}", std::process::id());
        let mut all = vec!["run", "--rm", "--name", &container.0, "--label", &process];
        all.extend(["--network", "none", "--read-only", "--cap-drop", "ALL", "--user", &user]);
        all.extend(["--security-opt", "no-new-privileges", "--memory", "512m"]);
        let mounts = [
            // Writable: MariaDB minds world-writable files only where they can be written.
            bind(&read, &read, ""),
            bind(&write, &write, ""),
            bind(&self.etc(), Path::new("/etc/mysql"), ",readonly"),
        ];
        let environment = [format!("IN={}", read.display()), format!("OUT={}", write.display())];
        mounts.iter().for_each(|mount| all.extend(["--mount", mount]));
        environment.iter().for_each(|pair| all.extend(["--env", pair]));
        all.extend(["--entrypoint", "sh", self.server.image, "-c", BOUNDED, script]);
        all.extend(arguments);
        docker(&all)
    }
}

/// Writes a file that servers accept, whatever the umask, and the directories above it.
pub fn write(path: &Path, content: &[u8]) {
    let above = path.parent().expect("a directory");
    fs::create_dir_all(above).expect("a directory");
    fs::write(path, content).expect("a file");
    fs::set_permissions(path, Permissions::from_mode(0o644)).expect("a mode");
}

/// The name of a container, which is gone when this is.
struct Container(String);

impl Container {
    fn new(root: &tempfile::TempDir) -> Self {
        let unique = root.path().file_name().expect("a name").to_str().expect("ASCII");
        Self(format!("cnfsweep-{unique}"))
    }
}

impl Drop for Container {
    fn drop(&mut self) {
        // Usually it has removed itself.
        try_docker(&["rm", "--force", "--volumes", &self.0]);
    }
}
