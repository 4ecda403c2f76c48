//! Users other than root: one who may use Docker needs nothing else, and one who may not is told.

use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::Output;

use crate::binary::Desk;
use crate::docker;
use crate::servers::mysql_9_7;

/// Ids that nobody has: accounts need not exist for what is tested here.
const UID: u32 = 61_777;

/// A desk that belongs to that user, and a command of theirs. Nothing if we aren't root ourselves.
fn run_as(desk: &Desk, group: u32, arguments: &[&str]) -> Option<Output> {
    if rustix::process::geteuid().as_raw() != 0 {
        return None;
    }
    // Where the build is may be closed to others: the binary is taken along.
    let own = desk.path().join("cnfsweep");
    std::fs::copy(env!("CARGO_BIN_EXE_cnfsweep"), &own).expect("a copy");
    std::fs::set_permissions(&own, std::fs::Permissions::from_mode(0o755)).expect("a mode");
    for path in [desk.path(), &desk.sockets(), &desk.path().join("my.cnf")] {
        std::os::unix::fs::chown(path, Some(UID), Some(UID)).expect("a new owner");
    }
    let like = desk.command(arguments);
    let mut command = std::process::Command::new("setpriv");
    command
        .args(["--reuid", &UID.to_string(), "--regid", &UID.to_string()])
        .args(["--groups", &group.to_string()])
        .arg(own)
        .args(like.get_args())
        .current_dir(desk.path())
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("HOME", desk.path())
        .env("TMPDIR", desk.sockets())
        .env("CNFSWEEP_LOCK", desk.path().join("lock"))
        .stdin(std::process::Stdio::null())
        .process_group(0);
    Some(command.output().expect("setpriv"))
}

/// A member of the group that owns the socket: golden directory, pairs, report, and nothing left
/// that the user could not remove.
#[test]
fn a_member_of_the_docker_group_can_sweep() {
    let desk = Desk::new(mysql_9_7);
    desk.write("my.cnf", "[mysqld]\nsort_buffer_size = 333K\n");
    let socket = Path::new("/var/run/docker.sock");
    let group = std::fs::metadata(socket).expect("the daemon's socket").gid();
    let sweep = desk.sweep(&["--rounds", "2", "--aa", "0", "--name", "r"]);
    let Some(output) = run_as(&desk, group, &sweep) else { return };
    let stderr = String::from_utf8_lossy(&output.stderr);
    let owned = format!("cnfsweep.owner={UID}");
    let containers = docker::containers(&owned);
    let volumes = docker::volumes(&owned);
    // Golden directories of a user that does not exist are of no use to anybody.
    for volume in &volumes {
        docker::docker(&["volume", "rm", volume]);
    }
    assert_eq!(output.status.code(), Some(0), "{stderr}");
    assert_eq!(containers, Vec::<String>::new());
    assert_eq!(volumes.len(), 1, "{volumes:?}");
    assert!(volumes[0].starts_with("cnfsweep-golden-"), "{volumes:?}");
    assert_eq!(std::fs::read_dir(desk.sockets()).expect("a directory").count(), 0);
    let results = desk.path().join("results/r");
    assert!(results.join("report.html").exists(), "{stderr}");
    assert_eq!(std::fs::metadata(results).expect("results").uid(), UID);
    let table = String::from_utf8_lossy(&output.stdout);
    assert!(table.contains("sort_buffer_size"), "{table}");
}

/// Everybody else is told what to do.
#[test]
fn who_may_not_use_docker_is_told() {
    let desk = Desk::new(mysql_9_7);
    desk.write("my.cnf", "[mysqld]\nsort_buffer_size = 333K\n");
    let Some(output) = run_as(&desk, UID, &desk.sweep(&[])) else { return };
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{stderr}");
    assert!(stderr.contains("permission denied on the Docker socket"), "{stderr}");
    assert!(stderr.contains("usermod -aG docker"), "{stderr}");
}
