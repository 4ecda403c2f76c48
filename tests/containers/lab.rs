//! A place of a test's own where it starts servers through the library, and which leaves nothing
//! behind, whatever the test does.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Instant;

use cnfsweep::engine::docker::{DockerEngine, DockerServer, Image, connect};
use cnfsweep::engine::{Engine as _, Golden, Limits, StartRequest};
use cnfsweep::load::{Admin, Target};
use cnfsweep::profile::{BUILTIN, Profile};
use cnfsweep::sweep::{NotReady, READY, Ready, golden, wait};

use crate::docker;
use crate::servers::Server;

/// Runs an async test.
pub fn run(test: impl AsyncFnOnce(Server), server: Server) {
    server.must_be_there();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.expect("a runtime").block_on(test(server));
}

/// Enough for a server with small buffers, little enough for four at once.
pub const MEMORY: u64 = 800 << 20;

/// Where a test starts servers.
pub struct Lab {
    pub engine: DockerEngine,
    pub sweep: String,
}

impl Lab {
    /// Servers of that image, bounded as usual.
    pub async fn open(server: Server) -> Self {
        Self::with(server, Limits { cpus: Vec::new(), memory: MEMORY, tmpfs: false }).await
    }

    pub async fn with(server: Server, limits: Limits) -> Self {
        static SERIAL: AtomicU32 = AtomicU32::new(0);
        let serial = SERIAL.fetch_add(1, Ordering::Relaxed);
        let sweep = format!("test-{}-{serial}", std::process::id());
        let docker = connect().await.expect("a Docker daemon; see `make deps`");
        let image = Image::find(&docker, server.image, |_| {}).await.expect("an image");
        assert_eq!(image.product.to_string(), server.product, "{}", image.version_line);
        let engine = DockerEngine::new(docker, &sweep, image, limits).await.expect("an engine");
        Self { engine, sweep }
    }

    /// The golden data directory of the shipped benchmarks, which all have the same tables.
    pub async fn golden(&self) -> Golden {
        golden(&self.engine, &profile("churn"), &[], &mut |_| {}).await.expect("a golden directory")
    }

    /// Starts a server with that file.
    pub async fn start(&self, golden: &Golden, cnf: &str) -> DockerServer {
        let request = StartRequest { role: "test", cnf: cnf.as_bytes(), golden };
        self.engine.start(&request).await.expect("a container")
    }

    /// Starts a server with that file and waits until it answers or won't.
    pub async fn try_ready(
        &self,
        golden: &Golden,
        cnf: &str,
    ) -> Result<Ready<DockerServer>, NotReady> {
        let began = Instant::now();
        let server = self.start(golden, cnf).await;
        wait(&self.engine, server, began, READY).await
    }

    /// Starts a server that has to answer.
    pub async fn ready(&self, golden: &Golden, cnf: &str) -> Ready<DockerServer> {
        let ready = self.try_ready(golden, cnf).await;
        ready.unwrap_or_else(|e| panic!("{}: {}", e.outcome, e.message))
    }

    /// Ids of everything of this lab that is there.
    pub fn containers(&self) -> Vec<String> {
        docker::containers(&format!("cnfsweep.sweep={}", self.sweep))
    }

    pub fn volumes(&self) -> Vec<String> {
        docker::volumes(&format!("cnfsweep.sweep={}", self.sweep))
    }
}

impl Drop for Lab {
    fn drop(&mut self) {
        for id in self.containers() {
            docker::try_docker(&["rm", "--force", "--volumes", &id]);
        }
    }
}

/// A shipped benchmark.
pub fn profile(name: &str) -> Profile {
    let (_, text) = BUILTIN.iter().find(|(n, _)| *n == name).expect("a shipped benchmark");
    Profile::parse(name, name, text).expect("shipped")
}

/// One value that a question gives, as text.
pub async fn one(target: &Target, sql: &str) -> String {
    let mut admin = Admin::connect(target).await.expect("a connection");
    let rows: Vec<String> = admin.rows(sql).await.expect("an answer");
    admin.close().await;
    rows.into_iter().next().unwrap_or_default()
}

/// A global variable.
pub async fn variable(target: &Target, name: &str) -> String {
    let mut admin = Admin::connect(target).await.expect("a connection");
    let variables = admin.variables().await.expect("variables");
    admin.close().await;
    variables.get(name).unwrap_or_else(|| panic!("no variable `{name}`")).clone()
}
