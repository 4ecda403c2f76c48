//! One sweep at a time on a machine: two would share disk and cache and measure each other.

use std::fs::{File, OpenOptions};
use std::io::{Read as _, Seek as _, Write as _};
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

/// Between two looks whether the other sweep has ended.
const LOOK: Duration = Duration::from_secs(2);

impl Lock {
    /// Takes the machine, or says who has it. With `wait` it waits.
    pub(super) fn take(what: &str, wait: bool) -> Result<Self, Failure> {
        let path = path();
        let open = |path: &Path| {
            let mut options = OpenOptions::new();
            options.read(true).write(true).create(true).truncate(false).open(path)
        };
        let mut file = open(&path).map_err(|e| {
            Failure::carrying_out(format!("could not open the lock `{}`: {e}", path.display()))
        })?;
        // Every user of the machine has to be able to take it; only its maker can change its mode.
        let _ =
            std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o666));
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

/// A place that all users share. The environment may name another, for tests.
fn path() -> PathBuf {
    std::env::var_os("CNFSWEEP_LOCK")
        .map_or_else(|| PathBuf::from("/tmp/cnfsweep.lock"), PathBuf::from)
}
