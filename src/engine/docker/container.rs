//! One container: how it is made, started, watched, read and removed. Every container of cnfsweep
//! is made here, so that all are bounded alike.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use bollard::Docker;
use bollard::errors::Error;
use bollard::models::{
    ContainerCreateBody, HostConfig, HostConfigLogConfig, Mount, MountType, MountVolumeOptions,
    ResourcesUlimits,
};
use bollard::query_parameters::{
    CreateContainerOptionsBuilder, InspectContainerOptions, LogsOptionsBuilder,
    RemoveContainerOptionsBuilder, StartContainerOptions, WaitContainerOptions,
};
use futures_util::StreamExt as _;

use super::rundir::SocketDir;
use super::{
    Address, CpuFile, DockerEngine, DockerServer, Ended, Endpoint, EngineError, Golden, LABEL_KIND,
    LABEL_OWNER, LABEL_PROCESS, REQUEST, cleanup, log as server_log, request, rundir,
    unfinished::to_its_end,
};

/// Threads and processes in a container: several thousand connections and no more.
const PIDS: i64 = 16_384;
/// Open files that a server is given where the daemon can.
const NOFILE: i64 = 65_536;
/// The longest that a short-lived container (version, help) may run.
const SHORT: Duration = Duration::from_secs(60);
/// Between two tries at something that somebody else is at.
const AGAIN: Duration = Duration::from_millis(50);
/// Name that every server believes its host has, so that no variable made from it differs.
const HOSTNAME: &str = "cnfsweep";

/// What a container is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A server whose data directory goes with it.
    Server,
    /// The one that fills a golden volume.
    Builder,
}

/// A container to be started.
#[derive(Debug, Clone)]
pub(super) struct Spec<'a> {
    pub(super) role: &'a str,
    pub(super) kind: Kind,
    pub(super) script: String,
    pub(super) cnf: &'a [u8],
}

impl DockerEngine {
    /// Starts a server on a clone of `golden`, or on what its script makes.
    pub(super) async fn launch(
        &self,
        spec: Spec<'_>,
        golden: Option<&Golden>,
    ) -> Result<DockerServer, EngineError> {
        let name = format!("cnfsweep-{}-{}-{}", self.sweep, self.serial(), spec.role);
        let mut mounts = Vec::new();
        let mut tmpfs = self.shadowed_volumes();
        if self.limits.tmpfs {
            tmpfs.insert(
                "/tmp".to_owned(),
                format!("uid={},gid={},mode=0700,size={}", self.uid, self.gid, self.limits.memory),
            );
        } else {
            mounts.push(Mount {
                target: Some("/tmp".to_owned()),
                typ: Some(MountType::VOLUME),
                volume_options: Some(MountVolumeOptions {
                    labels: Some(self.labels("server")),
                    ..Default::default()
                }),
                ..Default::default()
            });
        }
        if let Some(golden) = golden {
            // Docker would make an empty one on the spot.
            if !self.volume_exists(&golden.volume).await? {
                return Err(EngineError::Refused {
                    what: "cloning the golden data directory".to_owned(),
                    message: format!(
                        "volume `{}` is gone: something removed it\nhint: start again, it will be \
                         made anew",
                        golden.volume
                    ),
                });
            }
            mounts.push(self.golden_mount(golden));
        }
        self.launch_with(&name, spec, mounts, tmpfs, golden.cloned()).await
    }

    /// Starts the container that fills a golden volume.
    pub(super) async fn launch_builder(
        &self,
        name: &str,
        script: String,
        golden: Golden,
    ) -> Result<DockerServer, EngineError> {
        // Made together with the container, labels and all: from its first moment it is in use, so
        // that nobody takes it for one that was left behind.
        let mounts = vec![Mount {
            target: Some("/tmp".to_owned()),
            source: Some(golden.volume.clone()),
            typ: Some(MountType::VOLUME),
            volume_options: Some(MountVolumeOptions {
                labels: Some(self.golden_labels(&golden)),
                ..Default::default()
            }),
            ..Default::default()
        }];
        let spec = Spec { role: "golden", kind: Kind::Builder, script, cnf: b"" };
        self.launch_with(name, spec, mounts, self.shadowed_volumes(), Some(golden)).await
    }

    /// A golden data directory at `/g`, not to be written.
    pub(super) fn golden_mount(&self, golden: &Golden) -> Mount {
        Mount {
            target: Some("/g".to_owned()),
            source: Some(golden.volume.clone()),
            typ: Some(MountType::VOLUME),
            read_only: Some(true),
            volume_options: Some(MountVolumeOptions {
                no_copy: Some(true),
                labels: Some(self.golden_labels(golden)),
                ..Default::default()
            }),
            ..Default::default()
        }
    }

    /// An image's own volumes would come without our label: a small tmpfs takes their place.
    fn shadowed_volumes(&self) -> HashMap<String, String> {
        let others = self.image.volumes.iter().filter(|path| *path != "/tmp");
        others.map(|path| (path.clone(), "size=1m".to_owned())).collect()
    }

    async fn launch_with(
        &self,
        name: &str,
        spec: Spec<'_>,
        mut mounts: Vec<Mount>,
        tmpfs: HashMap<String, String>,
        golden: Option<Golden>,
    ) -> Result<DockerServer, EngineError> {
        let socket_dir = self.run_dir.socket_dir(self.uid, self.gid, spec.cnf)?;
        mounts.push(bind(socket_dir.path(), "/s"));
        let body = ContainerCreateBody {
            user: Some(format!("{}:{}", self.uid, self.gid)),
            labels: Some(self.labels(match spec.kind {
                Kind::Server => "server",
                Kind::Builder => "builder",
            })),
            host_config: Some(self.placed(mounts, tmpfs)),
            ..shell(&self.image.id, &spec.script)
        };
        let raised = self.raise_nofile.get();
        let started = create_and_start(self.docker.clone(), name.to_owned(), body, raised);
        match to_its_end(started).await {
            Ok((id, raised)) => {
                self.raise_nofile.set(raised);
                let endpoint = self.endpoint(&id, &socket_dir).await;
                let is_builder = spec.kind == Kind::Builder;
                let docker = self.docker.clone();
                Ok(DockerServer { docker, id, socket_dir, endpoint, golden, is_builder })
            }
            Err(e) => {
                socket_dir.remove();
                Err(e)
            }
        }
    }

    /// Runs a script to its end, within `limit`, in a container that is bounded as servers are,
    /// has `reads` at `/q` and a little room at `/tmp`; gives what it printed to standard output.
    pub(super) async fn run_bounded(
        &self,
        script: &str,
        reads: &SocketDir,
        limit: Duration,
    ) -> Result<String, EngineError> {
        let name = format!("cnfsweep-{}-{}-ask", self.sweep, self.serial());
        let mut tmpfs = self.shadowed_volumes();
        let room = format!("uid={},gid={},mode=0700,size=64m", self.uid, self.gid);
        tmpfs.insert("/tmp".to_owned(), room);
        let mounts = vec![Mount { read_only: Some(true), ..bind(reads.path(), "/q") }];
        let body = ContainerCreateBody {
            user: Some(format!("{}:{}", self.uid, self.gid)),
            labels: Some(self.labels("look")),
            host_config: Some(self.placed(mounts, tmpfs)),
            ..shell(&self.image.id, script)
        };
        let raised = self.raise_nofile.get();
        let started = create_and_start(self.docker.clone(), name, body, raised);
        let (id, raised) = to_its_end(started).await?;
        self.raise_nofile.set(raised);
        let printed = async {
            let ended = tokio::time::timeout(limit, ended(&self.docker, &id)).await;
            match ended {
                Ok(Ended { code: 0, .. }) => printed(&self.docker, &id, false).await,
                Ok(Ended { reason, .. }) => Err(EngineError::Ended {
                    what: "asking the server about option files".to_owned(),
                    reason,
                }),
                Err(_) => Err(EngineError::Timeout {
                    what: "asking the server about option files".to_owned(),
                    limit,
                }),
            }
        };
        let printed = printed.await;
        let (docker, gone) = (self.docker.clone(), id);
        to_its_end(async move { remove(&docker, &gone).await }).await?;
        printed
    }

    /// Bounded, and with the CPUs and the memory of every server.
    fn placed(&self, mounts: Vec<Mount>, tmpfs: HashMap<String, String>) -> HostConfig {
        let cpus: Vec<String> = self.limits.cpus.iter().map(usize::to_string).collect();
        let memory = i64::try_from(self.limits.memory).unwrap_or(i64::MAX);
        HostConfig {
            cpuset_cpus: (!cpus.is_empty()).then(|| cpus.join(",")),
            memory: Some(memory),
            memory_swap: Some(memory),
            mounts: Some(mounts),
            tmpfs: Some(tmpfs),
            ..bounded()
        }
    }

    async fn endpoint(&self, id: &str, socket_dir: &SocketDir) -> Endpoint {
        let pid = async {
            let inspect = self.docker.inspect_container(id, None::<InspectContainerOptions>);
            request("asking for a container's process", inspect).await.ok()?.state?.pid
        };
        let pid = pid.await;
        Endpoint {
            address: Address::Socket(socket_dir.socket()),
            cpu: pid.and_then(cpu_file),
            process: pid.and_then(|pid| u32::try_from(pid).ok()),
        }
    }

    /// Runs a short command in the image and gives its exit code and what it printed.
    pub(super) async fn run_to_end(&self, script: &str) -> Result<Printed, EngineError> {
        look(&self.docker, &self.image.id, script).await
    }
}

/// Makes and starts a container, with more open files where the daemon can (`raised`); gives its id
/// and whether it has them.
async fn create_and_start(
    docker: Docker,
    name: String,
    body: ContainerCreateBody,
    raised: bool,
) -> Result<(String, bool), EngineError> {
    let id = create(&docker, &name, with_nofile(body.clone(), raised)).await?;
    match start(&docker, &id).await {
        Ok(()) => Ok((id, raised)),
        Err(EngineError::Refused { message, .. }) if raised && message.contains("rlimit") => {
            remove(&docker, &id).await?;
            let id = create(&docker, &name, with_nofile(body, false)).await?;
            match start(&docker, &id).await {
                Ok(()) => Ok((id, false)),
                Err(e) => {
                    remove(&docker, &id).await?;
                    Err(e)
                }
            }
        }
        Err(e) => {
            remove(&docker, &id).await?;
            Err(e)
        }
    }
}

/// What a short-lived container printed, and how it ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Printed {
    /// Exit code.
    pub(super) code: i64,
    /// Standard output alone: warnings don't get into what is parsed.
    pub(super) stdout: String,
    /// Both, for messages.
    pub(super) all: String,
}

fn bind(source: &Path, target: &str) -> Mount {
    Mount {
        target: Some(target.to_owned()),
        source: Some(source.to_string_lossy().into_owned()),
        typ: Some(MountType::BIND),
        ..Default::default()
    }
}

/// What holds for every container: no network, no capability, nothing to write but its mounts.
fn bounded() -> HostConfig {
    HostConfig {
        network_mode: Some("none".to_owned()),
        cap_drop: Some(vec!["ALL".to_owned()]),
        security_opt: Some(vec!["no-new-privileges".to_owned()]),
        readonly_rootfs: Some(true),
        pids_limit: Some(PIDS),
        // The daemon's default may be one that can't be read back.
        log_config: Some(HostConfigLogConfig {
            typ: Some("json-file".to_owned()),
            config: Some(HashMap::from([("max-size".to_owned(), "16m".to_owned())])),
        }),
        ..Default::default()
    }
}

fn shell(image: &str, script: &str) -> ContainerCreateBody {
    ContainerCreateBody {
        image: Some(image.to_owned()),
        hostname: Some(HOSTNAME.to_owned()),
        entrypoint: Some(vec!["/bin/sh".to_owned(), "-c".to_owned()]),
        cmd: Some(vec![script.to_owned()]),
        // A server looks for option files and libraries by these; the image's own must not act.
        env: Some(vec!["MYSQL_HOME=".to_owned(), "MARIADB_HOME=".to_owned(), "TZ=UTC".to_owned()]),
        working_dir: Some("/".to_owned()),
        ..Default::default()
    }
}

fn with_nofile(mut body: ContainerCreateBody, raised: bool) -> ContainerCreateBody {
    if let Some(config) = body.host_config.as_mut().filter(|_| raised) {
        config.ulimits = Some(vec![ResourcesUlimits {
            name: Some("nofile".to_owned()),
            soft: Some(NOFILE),
            hard: Some(NOFILE),
        }]);
    }
    body
}

async fn create(
    docker: &Docker,
    name: &str,
    body: ContainerCreateBody,
) -> Result<String, EngineError> {
    let options = CreateContainerOptionsBuilder::default().name(name).build();
    let create = docker.create_container(Some(options), body);
    Ok(request(&format!("making container `{name}`"), create).await?.id)
}

async fn start(docker: &Docker, id: &str) -> Result<(), EngineError> {
    let start = docker.start_container(id, None::<StartContainerOptions>);
    request("starting a container", start).await
}

/// Kills a container and removes it with its anonymous volumes. Gone already is as good.
pub(super) async fn remove(docker: &Docker, id: &str) -> Result<(), EngineError> {
    let options = RemoveContainerOptionsBuilder::default().force(true).v(true).build();
    let remove = async {
        loop {
            match docker.remove_container(id, Some(options.clone())).await {
                Err(Error::DockerResponseServerError { status_code: 404, .. }) => return Ok(()),
                // Somebody else is removing it; it is gone when that is done, not before.
                Err(Error::DockerResponseServerError { status_code: 409, .. }) => {
                    tokio::time::sleep(AGAIN).await;
                }
                other => return other,
            }
        }
    };
    request("removing a container", remove).await
}

/// Waits for the end of a container and reads why. Without a limit of its own: a server that does
/// not end is what its user wants, and who waits for an end sets one.
pub(super) async fn ended(docker: &Docker, id: &str) -> Ended {
    let (code, oom) = loop {
        let mut wait = Box::pin(docker.wait_container(id, None::<WaitContainerOptions>));
        let code = match wait.next().await {
            Some(Ok(answer)) => Some(answer.status_code),
            Some(Err(Error::DockerContainerWaitError { code, .. })) => Some(code),
            // The answer was lost: the container may run on.
            Some(Err(_)) | None => None,
        };
        let inspect = docker.inspect_container(id, None::<InspectContainerOptions>);
        match request("asking how a container ended", inspect).await {
            Ok(container) => {
                let state = container.state.unwrap_or_default();
                if code.is_none() && state.running == Some(true) {
                    tokio::time::sleep(AGAIN).await;
                    continue;
                }
                let code = code.or(state.exit_code).unwrap_or(-1);
                break (code, state.oom_killed.unwrap_or(false));
            }
            // No end of the server's own: the container was taken away, or the daemon was.
            Err(e) => {
                let reason = format!("its container is out of sight: {e}");
                return Ended { code: code.unwrap_or(-1), oom: false, reason };
            }
        }
    };
    let log = log(docker, id).await.unwrap_or_default();
    let reason = match server_log::reason(&log) {
        _ if oom => "killed for the memory it used (the container's memory limit)".to_owned(),
        Some(reason) => reason,
        None => format!("ended with exit code {code} and said nothing"),
    };
    Ended { code, oom, reason }
}

/// Everything that a container printed.
pub(super) async fn log(docker: &Docker, id: &str) -> Result<String, EngineError> {
    printed(docker, id, true).await
}

async fn printed(docker: &Docker, id: &str, stderr: bool) -> Result<String, EngineError> {
    let options = LogsOptionsBuilder::default().stdout(true).stderr(stderr).build();
    let mut lines = Box::pin(docker.logs(id, Some(options)));
    let read = async {
        let mut bytes = Vec::new();
        while let Some(line) = lines.next().await {
            bytes.extend_from_slice(&line?.into_bytes());
        }
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    };
    request("reading a container's log", read).await
}

/// Runs a short command in an image: exit code, and what it printed.
pub(super) async fn look(
    docker: &Docker,
    image: &str,
    script: &str,
) -> Result<Printed, EngineError> {
    look_with(docker, image, script, bounded()).await
}

/// Runs a short command with a volume at `/g`, read-only: its exit code.
pub(super) async fn look_at_volume(
    docker: &Docker,
    image: &str,
    golden: Mount,
    script: &str,
) -> Result<i64, EngineError> {
    let host_config = HostConfig { mounts: Some(vec![golden]), ..bounded() };
    Ok(look_with(docker, image, script, host_config).await?.code)
}

async fn look_with(
    docker: &Docker,
    image: &str,
    script: &str,
    host_config: HostConfig,
) -> Result<Printed, EngineError> {
    let (uid, gid) = rundir::server_user();
    let body = ContainerCreateBody {
        user: Some(format!("{uid}:{gid}")),
        labels: Some(HashMap::from([
            (LABEL_KIND.to_owned(), "look".to_owned()),
            (LABEL_OWNER.to_owned(), rundir::caller_uid().to_string()),
            (LABEL_PROCESS.to_owned(), cleanup::this_process()),
        ])),
        host_config: Some(host_config),
        ..shell(image, script)
    };
    // Short enough to be carried to its end whatever happens, so that it never stays behind.
    to_its_end(carry_out(docker.clone(), body)).await
}

async fn carry_out(docker: Docker, body: ContainerCreateBody) -> Result<Printed, EngineError> {
    let create =
        docker.create_container(None::<bollard::query_parameters::CreateContainerOptions>, body);
    let id = request("making a container", create).await?.id;
    let run = async {
        start(&docker, &id).await?;
        let mut wait = Box::pin(docker.wait_container(&id, None::<WaitContainerOptions>));
        let code = match tokio::time::timeout(SHORT, wait.next()).await {
            Ok(Some(Ok(answer))) => answer.status_code,
            Ok(Some(Err(Error::DockerContainerWaitError { code, .. }))) => code,
            Ok(Some(Err(e))) => return Err(super::connect::explain("waiting for a container", &e)),
            Ok(None) => -1,
            Err(_) => {
                return Err(EngineError::Timeout {
                    what: "a look into the image".to_owned(),
                    limit: SHORT,
                });
            }
        };
        Ok(Printed {
            code,
            stdout: printed(&docker, &id, false).await?,
            all: printed(&docker, &id, true).await?,
        })
    };
    let done = run.await;
    remove(&docker, &id).await?;
    done
}

/// The file that counts the CPU time of a process's cgroup.
fn cpu_file(pid: i64) -> Option<CpuFile> {
    let cgroups = std::fs::read_to_string(format!("/proc/{pid}/cgroup")).ok()?;
    let below = |controller: &str, group: &str| {
        Path::new("/sys/fs/cgroup").join(controller).join(group.trim_start_matches('/'))
    };
    for line in cgroups.lines() {
        let mut fields = line.splitn(3, ':');
        let (_, controllers, group) = (fields.next()?, fields.next()?, fields.next()?);
        if controllers.split(',').any(|c| c == "cpuacct") {
            let candidates = [below("cpuacct", group), below(controllers, group)];
            return readable(candidates.map(|p| p.join("cpuacct.usage"))).map(CpuFile::V1);
        }
    }
    let group = cgroups.lines().find_map(|line| line.strip_prefix("0::"))?;
    readable([below("", group).join("cpu.stat")]).map(CpuFile::V2)
}

fn readable<const N: usize>(candidates: [PathBuf; N]) -> Option<PathBuf> {
    candidates.into_iter().find(|path| std::fs::read(path).is_ok())
}

/// The longest that a builder may take to shut down after it was told.
pub(super) const SHUTDOWN: Duration = Duration::from_secs(600);

/// Waits for a container to end by itself, at most `limit`.
pub(super) async fn ended_within(
    docker: &Docker,
    id: &str,
    limit: Duration,
) -> Result<Ended, EngineError> {
    tokio::time::timeout(limit, ended(docker, id)).await.map_err(|_| EngineError::Timeout {
        what: "a server that was told to shut down".to_owned(),
        limit: limit.max(REQUEST),
    })
}
