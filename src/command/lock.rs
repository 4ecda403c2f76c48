//! One sweep at a time on a machine: two would share disk and cache and measure each other.

use std::fs::{File, OpenOptions};
use std::io::{Read as _, Seek as _, Write as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::fs::{FlockOperation, flock};

use super::failure::Failure;
use super::output;

/// Held as long as the sweep runs; the system lets go of it however the process ends.
#[derive(Debug)]
pub(super) struct Lock {
    _file: File,
}

const NO_FOLLOW: i32 = rustix::fs::OFlags::NOFOLLOW.bits() as i32;
/// Between two looks whether the other sweep has ended.
const LOOK: Duration = Duration::from_secs(2);

impl Lock {
    /// Takes the machine, or says who has it. With `wait` it waits.
    pub(super) fn take(what: &str, wait: bool) -> Result<Self, Failure> {
        let path = path();
        let mut file = open(&path).map_err(|e| {
            Failure::carrying_out(format!("could not open the lock `{}`: {e}", path.display()))
        })?;
        let mut said = false;
        while flock(&file, FlockOperation::NonBlockingLockExclusive).is_err() {
            let mut holder = String::new();
            // Who it is is only for the message.
            let _ = file.rewind().and_then(|()| file.read_to_string(&mut holder));
            let holder = holder.trim();
            if !wait {
                return Err(Failure::carrying_out(format!(
                    "another sweep runs on this machine: {holder}\nhint: two would measure each \
                     other; try again later, or wait for it with `--wait`"
                )));
            }
            if !said {
                output::note(&format!("waiting for another sweep: {holder}"));
                said = true;
            }
            std::thread::sleep(LOOK);
        }
        let words = format!("process {}, {what}\n", std::process::id());
        file.set_len(0)
            .and_then(|()| file.rewind())
            .and_then(|()| file.write_all(words.as_bytes()))
            .map_err(|e| {
                Failure::carrying_out(format!("could not write `{}`: {e}", path.display()))
            })?;
        Ok(Self { _file: file })
    }
}

/// Opens the lock file, or makes it so that every user of the machine can take it.
///
/// The directory is everybody's: a link that somebody put there is not followed, since what stands
/// in the file is overwritten. An existing file is opened without `O_CREAT`, which the system
/// refuses for a file of another user in such a directory.
fn open(path: &Path) -> std::io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).custom_flags(NO_FOLLOW);
    let file = match options.open(path) {
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => {
            let file = options.create_new(true).open(path).or_else(|e| match e.kind() {
                // Another one made it meanwhile.
                std::io::ErrorKind::AlreadyExists => options.create_new(false).open(path),
                _ => Err(e),
            })?;
            // Whatever the umask says; only its maker can, and only once.
            file.set_permissions(std::fs::Permissions::from_mode(0o666))?;
            file
        }
        other => other?,
    };
    let about = file.metadata()?;
    if !about.is_file() || about.nlink() != 1 {
        return Err(std::io::Error::other("it is not a plain file of its own"));
    }
    Ok(file)
}

/// A place that all users share. The environment may name another, for tests.
fn path() -> PathBuf {
    std::env::var_os("CNFSWEEP_LOCK")
        .map_or_else(|| PathBuf::from("/tmp/cnfsweep.lock"), PathBuf::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_is_not_followed_and_its_target_keeps_its_contents() {
        let dir = tempfile::tempdir().unwrap();
        let (target, link) = (dir.path().join("target"), dir.path().join("lock"));
        std::fs::write(&target, "precious").unwrap();
        std::os::unix::fs::symlink(&target, &link).unwrap();
        assert!(open(&link).is_err());
        let hard = dir.path().join("hard");
        std::fs::hard_link(&target, &hard).unwrap();
        assert!(open(&hard).is_err());
        assert_eq!(std::fs::read_to_string(&target).unwrap(), "precious");
    }

    #[test]
    fn only_one_can_hold_it() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("lock");
        let held = open(&path).unwrap();
        flock(&held, FlockOperation::NonBlockingLockExclusive).unwrap();
        let other = open(&path).unwrap();
        assert!(flock(&other, FlockOperation::NonBlockingLockExclusive).is_err());
        drop(held);
        assert!(flock(&other, FlockOperation::NonBlockingLockExclusive).is_ok());
    }
}
