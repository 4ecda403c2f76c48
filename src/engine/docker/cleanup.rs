//! Removing what sweeps left: this one's at its end, dead ones' at any time. A container or volume
//! without our label is never touched, nor one of a process that lives.

use std::collections::HashMap;

use bollard::Docker;
use bollard::errors::Error;
use bollard::query_parameters::{
    ListContainersOptionsBuilder, ListVolumesOptionsBuilder, RemoveVolumeOptionsBuilder,
};

use super::super::EngineError;
use super::container::remove;
use super::{LABEL_KIND, LABEL_OWNER, LABEL_PROCESS, LABEL_SWEEP, request, rundir};

/// What was found and removed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Left {
    /// Containers of dead sweeps.
    pub containers: Vec<String>,
    /// Volumes of dead sweeps.
    pub volumes: Vec<String>,
    /// Golden data directories; removed only when asked for.
    pub golden: Vec<String>,
    /// Socket directories of dead sweeps.
    pub directories: Vec<String>,
}

/// Removes what dead sweeps of this user left behind; golden data directories too if `golden`.
///
/// # Errors
/// When the daemon does not answer.
pub async fn clean(docker: &Docker, golden: bool) -> Result<Left, EngineError> {
    let mut left = Left::default();
    // One that can't be removed must not keep the others here: the first error is told at the end.
    let mut removed = Ok(());
    for (id, name, labels) in containers(docker, LABEL_KIND).await? {
        if is_ours(&labels) && is_dead(&labels) {
            match remove(docker, &id).await {
                Ok(()) => left.containers.push(name),
                Err(e) => removed = removed.and(Err(e)),
            }
        }
    }
    // A sweep that runs has its golden volume in no container for moments; its directory is there
    // all the time.
    let golden = golden && !rundir::any_alive();
    for (name, labels) in volumes(docker, LABEL_KIND).await? {
        let kind = labels.get(LABEL_KIND).map(String::as_str);
        let into = match kind {
            _ if !is_ours(&labels) => continue,
            Some("golden") if golden => &mut left.golden,
            Some("golden") => continue,
            _ if is_dead(&labels) => &mut left.volumes,
            _ => continue,
        };
        match remove_volume(docker, &name).await {
            Ok(()) => into.push(name),
            Err(e) => removed = removed.and(Err(e)),
        }
    }
    left.directories = rundir::remove_dead();
    removed.map(|()| left)
}

/// Removes every container and every volume but golden ones of one sweep.
pub(super) async fn remove_sweep(docker: &Docker, sweep: &str) -> Result<(), EngineError> {
    let label = format!("{LABEL_SWEEP}={sweep}");
    let mut removed = Ok(());
    for (id, ..) in containers(docker, &label).await? {
        removed = removed.and(remove(docker, &id).await);
    }
    for (name, labels) in volumes(docker, &label).await? {
        if labels.get(LABEL_KIND).is_none_or(|kind| kind != "golden") {
            removed = removed.and(remove_volume(docker, &name).await);
        }
    }
    removed
}

/// This process, as a label: it can't be mistaken for a later one with the same number.
pub(super) fn this_process() -> String {
    let pid = std::process::id();
    format!("{}/{pid}/{}", boot_id(), start_time(pid).unwrap_or_default())
}

fn boot_id() -> String {
    std::fs::read_to_string("/proc/sys/kernel/random/boot_id")
        .map(|id| id.trim().to_owned())
        .unwrap_or_default()
}

/// When a process started, in ticks since boot: field 22 of its stat, after the name in brackets.
fn start_time(pid: u32) -> Option<String> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    stat.rsplit_once(')')?.1.split_whitespace().nth(19).map(str::to_owned)
}

fn is_ours(labels: &HashMap<String, String>) -> bool {
    let uid = rundir::caller_uid();
    labels.get(LABEL_OWNER).is_some_and(|owner| *owner == uid.to_string())
}

/// Whether the process of a label is gone. Without a readable label nothing is known to be dead.
fn is_dead(labels: &HashMap<String, String>) -> bool {
    labels.get(LABEL_PROCESS).is_some_and(|process| process_is_dead(process))
}

pub(super) fn process_is_dead(process: &str) -> bool {
    let fields: Vec<&str> = process.split('/').collect();
    let [boot, pid, started] = fields.as_slice() else { return false };
    let Ok(pid) = pid.parse() else { return false };
    *boot != boot_id() || start_time(pid).is_none_or(|now| now != *started)
}

type Labels = HashMap<String, String>;

async fn containers(
    docker: &Docker,
    label: &str,
) -> Result<Vec<(String, String, Labels)>, EngineError> {
    let filters = HashMap::from([("label", vec![label])]);
    let options = ListContainersOptionsBuilder::default().all(true).filters(&filters).build();
    let list = request("listing containers", docker.list_containers(Some(options))).await?;
    Ok(list
        .into_iter()
        .filter_map(|c| {
            let name = c.names.and_then(|n| n.into_iter().next()).unwrap_or_default();
            Some((c.id?, name.trim_start_matches('/').to_owned(), c.labels.unwrap_or_default()))
        })
        .collect())
}

async fn volumes(docker: &Docker, label: &str) -> Result<Vec<(String, Labels)>, EngineError> {
    let filters = HashMap::from([("label", vec![label])]);
    let options = ListVolumesOptionsBuilder::default().filters(&filters).build();
    let list = request("listing volumes", docker.list_volumes(Some(options))).await?;
    Ok(list.volumes.unwrap_or_default().into_iter().map(|v| (v.name, v.labels)).collect())
}

async fn remove_volume(docker: &Docker, name: &str) -> Result<(), EngineError> {
    let options = RemoveVolumeOptionsBuilder::default().force(true).build();
    let remove = async {
        match docker.remove_volume(name, Some(options)).await {
            // It went with its container.
            Err(Error::DockerResponseServerError { status_code: 404, .. }) => Ok(()),
            other => other,
        }
    };
    request(&format!("removing volume `{name}`"), remove).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_process_that_is_gone_is_dead() {
        let this = this_process();
        assert!(!process_is_dead(&this));
        let (rest, _) = this.rsplit_once('/').expect("three parts");
        // Same number, another start: the process died and its number was given again.
        assert!(process_is_dead(&format!("{rest}/1")));
        assert!(process_is_dead(&this.replace(&boot_id(), "another-boot")));
        assert!(!process_is_dead("no label of ours"));
    }
}
