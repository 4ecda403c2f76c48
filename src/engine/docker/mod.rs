//! Servers in containers, through the Docker API: no network, no capability, read-only root, the
//! data directory cloned inside the container from a read-only golden volume, the socket in a
//! directory that only the server's user may enter.

mod ask;
mod cleanup;
mod connect;
mod container;
mod daemon;
mod golden;
mod image;
mod log;
mod rundir;
mod unfinished;

use std::cell::Cell;
use std::collections::HashMap;
use std::path::PathBuf;
use std::time::Duration;

use bollard::Docker;

pub use cleanup::{Left, clean};
pub use connect::connect;
pub use daemon::Daemon;
pub use image::Image;
pub use log::{error_lines, reason, warnings};

/// Waits until nothing that was asked of the daemon is under way any more, in bounded time: for who
/// was told to stop before there was an engine to clean up.
pub async fn let_finish() {
    unfinished::all_finished(REQUEST).await;
}

use super::{
    Address, Answer, CpuFile, Ended, Endpoint, Engine, EngineError, Facts, Golden, GoldenRecipe,
    GoldenState, Inquiry, Limits, Removal, Server, StartRequest,
};
use crate::catalog::Catalog;
use crate::stats::environment::Disturbance;
use container::{Kind, Spec};
use rundir::RunDir;

/// The longest that any single request to the daemon may take.
const REQUEST: Duration = Duration::from_secs(60);

/// Label with the sweep's id.
const LABEL_SWEEP: &str = "cnfsweep.sweep";
/// Label with `server` or `golden`.
const LABEL_KIND: &str = "cnfsweep.kind";
/// Label with the uid that started it.
const LABEL_OWNER: &str = "cnfsweep.owner";
/// Label with the process that started it, so that a dead one's leftovers can be told.
const LABEL_PROCESS: &str = "cnfsweep.process";
/// Label with the key of a golden data directory.
const LABEL_GOLDEN: &str = "cnfsweep.golden";

/// Docker, for one sweep.
#[derive(Debug)]
pub struct DockerEngine {
    docker: Docker,
    sweep: String,
    image: Image,
    limits: Limits,
    facts: Facts,
    run_dir: RunDir,
    docker_root: PathBuf,
    uid: u32,
    gid: u32,
    /// Whether the daemon can raise the number of open files; found out by the first server.
    raise_nofile: Cell<bool>,
    serial: Cell<u32>,
}

/// A server in a container.
#[derive(Debug)]
pub struct DockerServer {
    docker: Docker,
    id: String,
    socket_dir: rundir::SocketDir,
    endpoint: Endpoint,
    golden: Option<Golden>,
    /// Whether it fills its golden volume rather than being a clone of it.
    is_builder: bool,
}

impl DockerEngine {
    /// Docker for the sweep with that id, whose servers come from `image`.
    ///
    /// # Errors
    /// When the daemon can't say what it is, or there is no room for sockets.
    pub async fn new(
        docker: Docker,
        sweep: &str,
        image: Image,
        limits: Limits,
    ) -> Result<Self, EngineError> {
        let info = request("asking Docker what it is", docker.info()).await?;
        not_remapped(info.security_options.as_deref().unwrap_or_default())?;
        let facts = Facts {
            image_digest: image.id.clone(),
            version_line: image.version_line.clone(),
            engine_version: info.server_version.unwrap_or_else(|| "unknown".to_owned()),
            storage_driver: info.driver.unwrap_or_else(|| "unknown".to_owned()),
            cgroup: info.cgroup_version.map_or_else(|| "unknown".to_owned(), |v| v.to_string()),
        };
        let (uid, gid) = rundir::server_user();
        Ok(Self {
            docker,
            sweep: sweep.to_owned(),
            image,
            limits,
            facts,
            run_dir: RunDir::create(sweep)?,
            docker_root: info.docker_root_dir.unwrap_or_default().into(),
            uid,
            gid,
            raise_nofile: Cell::new(true),
            serial: Cell::new(0),
        })
    }

    fn labels(&self, kind: &str) -> HashMap<String, String> {
        HashMap::from([
            (LABEL_SWEEP.to_owned(), self.sweep.clone()),
            (LABEL_KIND.to_owned(), kind.to_owned()),
            (LABEL_OWNER.to_owned(), rundir::caller_uid().to_string()),
            (LABEL_PROCESS.to_owned(), cleanup::this_process()),
        ])
    }

    fn serial(&self) -> u32 {
        self.serial.set(self.serial.get() + 1);
        self.serial.get()
    }
}

impl Engine for DockerEngine {
    type Server = DockerServer;

    fn facts(&self) -> &Facts {
        &self.facts
    }

    fn known_catalog(&self) -> Option<Catalog> {
        None
    }

    async fn help(&self) -> Result<String, EngineError> {
        let script = format!("exec {} --no-defaults --verbose --help", self.image.server);
        let printed = self.run_to_end(&script).await?;
        match printed.code {
            0 => Ok(printed.stdout),
            _ => Err(EngineError::Ended {
                what: format!("`{} --verbose --help`", self.image.server),
                reason: reason(&printed.all).unwrap_or(printed.all),
            }),
        }
    }

    async fn ask(&self, inquiries: &[Inquiry]) -> Result<Option<Vec<Answer>>, EngineError> {
        self.ask_server(inquiries).await
    }

    async fn start_scratch(&self) -> Result<DockerServer, EngineError> {
        let script = format!(
            "{} && exec {}",
            self.image.initialise_command(&[]),
            self.image.serve_command("")
        );
        let spec = Spec { role: "scratch", kind: Kind::Server, script, cnf: b"[mysqld]\n" };
        self.launch(spec, None).await
    }

    async fn golden(
        &self,
        recipe: &GoldenRecipe,
    ) -> Result<GoldenState<DockerServer>, EngineError> {
        self.find_or_build(recipe).await
    }

    async fn seal(&self, builder: DockerServer) -> Result<Golden, EngineError> {
        self.seal_builder(builder).await
    }

    async fn start(&self, request: &StartRequest<'_>) -> Result<DockerServer, EngineError> {
        // The uid that clones need not be the one that made the golden directory.
        let script = format!(
            "cp -a --reflink=auto --no-preserve=ownership /g/data /tmp/ && exec {}",
            self.image.serve_command("--defaults-file=/s/my.cnf")
        );
        let spec = Spec { role: request.role, kind: Kind::Server, script, cnf: request.cnf };
        self.launch(spec, Some(request.golden)).await
    }

    async fn settle(&self) -> Result<(), EngineError> {
        if self.limits.tmpfs {
            return Ok(());
        }
        rundir::sync_volumes(self.docker_root.clone()).await
    }

    fn made_up_disturbance(&self, _: u32) -> Option<Disturbance> {
        None
    }

    fn remove(&self, server: DockerServer) -> Removal {
        Removal(Some(tokio::spawn(async move {
            // What can't be removed now is found by its label when the sweep ends.
            let _ = unfinished::to_its_end(async move {
                let removed = container::remove(&server.docker, &server.id).await;
                server.socket_dir.remove();
                // A builder that is removed rather than sealed leaves nothing of use.
                if let Some(golden) = server.golden.filter(|_| server.is_builder) {
                    let _ = golden::remove_volume(&server.docker, &golden.volume).await;
                }
                removed
            })
            .await;
        })))
    }

    async fn clean_up(&self) -> Result<(), EngineError> {
        unfinished::all_finished(REQUEST).await;
        let removed = cleanup::remove_sweep(&self.docker, &self.sweep).await;
        self.run_dir.remove();
        removed
    }
}

impl Drop for DockerEngine {
    fn drop(&mut self) {
        // Containers are removed by `clean_up`, which has to wait; the directory needs no waiting.
        self.run_dir.remove();
    }
}

impl DockerServer {
    /// Docker's id of its container.
    pub fn id(&self) -> &str {
        &self.id
    }
}

impl Server for DockerServer {
    fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    async fn ended(&self) -> Ended {
        container::ended(&self.docker, &self.id).await
    }

    async fn log(&self) -> String {
        container::log(&self.docker, &self.id).await.unwrap_or_default()
    }
}

/// Refuses a daemon whose users aren't this machine's: the socket's directory would belong to
/// somebody else inside of the container.
fn not_remapped(security_options: &[String]) -> Result<(), EngineError> {
    let kind = ["rootless", "userns"]
        .into_iter()
        .find(|kind| security_options.iter().any(|o| o.contains(&format!("name={kind}"))));
    match kind {
        None => Ok(()),
        Some(kind) => Err(EngineError::Unreachable(format!(
            "this Docker daemon maps users to others (`{kind}`), so that servers can't share their \
             sockets with cnfsweep\nhint: use a daemon that root runs without `userns-remap`"
        ))),
    }
}

/// A request to the daemon, with an end and with words.
async fn request<T>(
    what: &str,
    work: impl Future<Output = Result<T, bollard::errors::Error>>,
) -> Result<T, EngineError> {
    match tokio::time::timeout(REQUEST, work).await {
        Ok(Ok(done)) => Ok(done),
        Ok(Err(e)) => Err(connect::explain(what, &e)),
        Err(_) => Err(EngineError::Timeout { what: what.to_owned(), limit: REQUEST }),
    }
}
