//! The directories in which servers listen: 0700, short enough for a socket's name, gone after the
//! sweep. And what else belongs to the host: the users, and flushing its disks.

use std::fs;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use super::super::EngineError;
use super::cleanup;

/// The longest path a unix socket may have, with room for the NUL and the file's name.
const LONGEST: usize = 100;
/// Socket and option file of a server, below its directory.
const SOCKET: &str = "m.sock";
const CNF: &str = "my.cnf";
/// Head of every sweep's directory name.
const PREFIX: &str = "cnfsweep-";
/// File below it that names the process, so that a dead one's directory can be told.
const PROCESS: &str = "process";
/// Who runs the servers when root runs cnfsweep: some uid that owns nothing.
const UNPRIVILEGED: u32 = 61_234;

/// The effective uid of cnfsweep.
pub(super) fn caller_uid() -> u32 {
    rustix::process::geteuid().as_raw()
}

/// uid and gid of the servers: the caller's, for root an unprivileged one.
pub(super) fn server_user() -> (u32, u32) {
    match caller_uid() {
        0 => (UNPRIVILEGED, UNPRIVILEGED),
        uid => (uid, rustix::process::getegid().as_raw()),
    }
}

/// The directory of a sweep's sockets.
#[derive(Debug)]
pub(super) struct RunDir {
    path: PathBuf,
    next: AtomicU32,
}

/// The directory of one server.
#[derive(Debug)]
pub(super) struct SocketDir {
    path: PathBuf,
}

impl RunDir {
    /// Makes it below `TMPDIR`, or below `/tmp` where that is too long for a socket.
    pub(super) fn create(sweep: &str) -> Result<Self, EngineError> {
        let name = format!("{PREFIX}{sweep}");
        let below = |parent: &Path| parent.join(&name);
        let fits = |path: &Path| path.as_os_str().len() + "/9999/".len() + SOCKET.len() < LONGEST;
        let wanted = below(&std::env::temp_dir());
        let path = if fits(&wanted) { wanted } else { below(Path::new("/tmp")) };
        private_dir(&path)?;
        // Others may pass through to a server's directory, which is as closed as this one.
        if caller_uid() == 0 {
            fs::set_permissions(&path, fs::Permissions::from_mode(0o711)).map_err(file(&path))?;
        }
        let process = path.join(PROCESS);
        fs::write(&process, cleanup::this_process()).map_err(file(&process))?;
        Ok(Self { path, next: AtomicU32::new(0) })
    }

    /// A directory for one server that runs as that user, with its option file in it.
    pub(super) fn socket_dir(
        &self,
        uid: u32,
        gid: u32,
        cnf: &[u8],
    ) -> Result<SocketDir, EngineError> {
        let path = self.path.join(self.next.fetch_add(1, Ordering::Relaxed).to_string());
        private_dir(&path)?;
        let file_path = path.join(CNF);
        fs::write(&file_path, cnf).map_err(file(&file_path))?;
        // A server ignores a file that everybody may write, whatever the umask says.
        fs::set_permissions(&file_path, fs::Permissions::from_mode(0o644))
            .map_err(file(&file_path))?;
        if caller_uid() == 0 {
            for path in [&file_path, &path] {
                std::os::unix::fs::chown(path, Some(uid), Some(gid)).map_err(file(path))?;
            }
        }
        Ok(SocketDir { path })
    }

    /// A directory with these files, for a container that only reads them.
    pub(super) fn reading_dir(
        &self,
        uid: u32,
        gid: u32,
        files: &[(String, Vec<u8>)],
    ) -> Result<SocketDir, EngineError> {
        let dir = self.socket_dir(uid, gid, b"")?;
        for (name, bytes) in files {
            let path = dir.path.join(name);
            fs::write(&path, bytes).map_err(file(&path))?;
            fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).map_err(file(&path))?;
        }
        Ok(dir)
    }

    /// Removes everything below it.
    pub(super) fn remove(&self) {
        // Gone already is as good.
        let _ = fs::remove_dir_all(&self.path);
    }
}

impl SocketDir {
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn socket(&self) -> PathBuf {
        self.path.join(SOCKET)
    }

    pub(super) fn remove(&self) {
        // Gone already is as good.
        let _ = fs::remove_dir_all(&self.path);
    }
}

fn private_dir(path: &Path) -> Result<(), EngineError> {
    fs::DirBuilder::new().mode(0o700).create(path).map_err(file(path))
}

fn file(path: &Path) -> impl FnOnce(std::io::Error) -> EngineError {
    let path = path.to_owned();
    move |e| EngineError::File(format!("could not make `{}`: {e}", path.display()))
}

/// Removes the directories of this user's sweeps whose process is gone; gives their paths.
pub(super) fn remove_dead() -> Vec<String> {
    sweeps()
        .filter(|(_, process)| cleanup::process_is_dead(process))
        .filter(|(path, _)| fs::remove_dir_all(path).is_ok())
        .map(|(path, _)| path.display().to_string())
        .collect()
}

/// Whether any sweep of this user runs, as far as its directory can be found from here.
pub(super) fn any_alive() -> bool {
    sweeps().any(|(_, process)| !cleanup::process_is_dead(&process))
}

/// The directories of this user's sweeps, each with its process.
fn sweeps() -> impl Iterator<Item = (PathBuf, String)> {
    let mut parents = vec![std::env::temp_dir(), PathBuf::from("/tmp")];
    parents.dedup();
    let entries = parents.into_iter().filter_map(|p| fs::read_dir(p).ok()).flatten().flatten();
    entries
        .filter(|entry| {
            entry.file_name().to_string_lossy().starts_with(PREFIX)
                && entry.metadata().is_ok_and(|m| m.is_dir() && m.uid() == caller_uid())
        })
        .filter_map(|entry| {
            let process = fs::read_to_string(entry.path().join(PROCESS)).ok()?;
            Some((entry.path(), process))
        })
}

/// Waits until the file system of Docker's directory has everything on disk. That directory is
/// closed to others than root: for them every file system is flushed.
pub(super) async fn sync_volumes(docker_root: PathBuf) -> Result<(), EngineError> {
    let flush = tokio::task::spawn_blocking(move || match fs::File::open(docker_root) {
        Ok(dir) => rustix::fs::syncfs(&dir).map_err(|e| e.to_string()),
        Err(_) => {
            rustix::fs::sync();
            Ok(())
        }
    });
    match tokio::time::timeout(super::REQUEST, flush).await {
        Ok(Ok(Ok(()))) => Ok(()),
        Ok(Ok(Err(e))) => Err(EngineError::File(format!("could not flush the volumes: {e}"))),
        Ok(Err(e)) => Err(EngineError::File(format!("could not flush the volumes: {e}"))),
        Err(_) => Err(EngineError::Timeout {
            what: "flushing the volumes to disk".to_owned(),
            limit: super::REQUEST,
        }),
    }
}
