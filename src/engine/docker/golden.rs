//! Golden data directories: made once per image, data set and initialisation-time options, kept as
//! labelled volumes, cloned by every server.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use bollard::Docker;
use bollard::errors::Error;
use bollard::query_parameters::RemoveVolumeOptionsBuilder;
use sha2::{Digest as _, Sha256};

use super::container::{SHUTDOWN, ended_within, look_at_volume, remove};
use super::{
    DockerEngine, DockerServer, EngineError, Golden, GoldenRecipe, GoldenState, LABEL_GOLDEN,
    LABEL_KIND, LABEL_OWNER, request, rundir,
};
use crate::optionfile::Vendor;
use crate::profile::hex;

/// Raised whenever golden directories are made in another way.
const GENERATION: u32 = 1;
/// Head of every golden volume's name; the key follows.
const VOLUME: &str = "cnfsweep-golden-";

impl DockerEngine {
    /// Finds the golden volume, or starts the server that fills it.
    pub(super) async fn find_or_build(
        &self,
        recipe: &GoldenRecipe,
    ) -> Result<GoldenState<DockerServer>, EngineError> {
        let key = self.key(recipe);
        let golden = Golden { volume: format!("{VOLUME}{key}") };
        let script = format!(
            "{} && {} && rm -f /tmp/data/auto.cnf && chmod -R a+rX /tmp/data && touch /tmp/complete",
            self.image.initialise_command(&recipe.initialise),
            self.builder_command(recipe),
        );
        // Named after the key: Docker refuses a second builder of the same volume.
        let name = format!("cnfsweep-builder-{key}");
        let began = Instant::now();
        loop {
            if self.volume_exists(&golden.volume).await? {
                let mount = self.golden_mount(&golden);
                let complete =
                    look_at_volume(&self.docker, &self.image.id, mount, "test -e /g/complete");
                if complete.await? == 0 {
                    return Ok(GoldenState::Ready(golden));
                }
                // Left by a build that was interrupted, if nobody is at it.
                if !self.remove_unused_volume(&golden.volume).await? {
                    self.wait_for_other_builder(began, &golden).await?;
                    continue;
                }
            }
            match self.launch_builder(&name, script.clone(), golden.clone()).await {
                Ok(server) => return Ok(GoldenState::Building(server)),
                Err(EngineError::Refused { message, .. }) if message.contains(&name) => {
                    self.wait_for_other_builder(began, &golden).await?;
                }
                Err(e) => {
                    // Nothing is in it.
                    let _ = self.remove_volume(&golden.volume).await;
                    return Err(e);
                }
            }
        }
    }

    /// Waits a moment for whoever fills the volume, in all as long as that may take.
    async fn wait_for_other_builder(
        &self,
        began: Instant,
        golden: &Golden,
    ) -> Result<(), EngineError> {
        const LOOK: Duration = Duration::from_millis(500);
        if began.elapsed() > SHUTDOWN {
            return Err(EngineError::Timeout {
                what: format!("another cnfsweep, which fills volume `{}`,", golden.volume),
                limit: SHUTDOWN,
            });
        }
        tokio::time::sleep(LOOK).await;
        Ok(())
    }

    /// Labels of a golden volume. No process and no sweep: it outlives them.
    pub(super) fn golden_labels(&self, golden: &Golden) -> HashMap<String, String> {
        let key = golden.volume.strip_prefix(VOLUME).unwrap_or_default();
        HashMap::from([
            (LABEL_KIND.to_owned(), "golden".to_owned()),
            (LABEL_OWNER.to_owned(), rundir::caller_uid().to_string()),
            (LABEL_GOLDEN.to_owned(), key.to_owned()),
        ])
    }

    /// The server that is filled: no binary log, so that clones begin with an empty one.
    fn builder_command(&self, recipe: &GoldenRecipe) -> String {
        let mut command = self.image.serve_command("");
        command.push_str(" --skip-log-bin");
        if self.image.product.vendor == Vendor::MariaDb {
            // What MariaDB buffers for other connections has to be on disk before it is cloned.
            command.push_str(" --innodb-fast-shutdown=0");
        }
        for argument in &recipe.initialise {
            command.push(' ');
            command.push_str(&super::image::quote(argument));
        }
        command
    }

    /// Waits for the builder's end and keeps the volume only if it got to the last step.
    pub(super) async fn seal_builder(&self, builder: DockerServer) -> Result<Golden, EngineError> {
        let ended = ended_within(&self.docker, &builder.id, SHUTDOWN).await;
        remove(&self.docker, &builder.id).await?;
        builder.socket_dir.remove();
        let golden = builder.golden.ok_or_else(|| EngineError::Refused {
            what: "sealing a golden data directory".to_owned(),
            message: "that server is no builder".to_owned(),
        })?;
        match ended {
            Ok(ended) if ended.code == 0 => Ok(golden),
            Ok(ended) => {
                self.remove_volume(&golden.volume).await?;
                Err(EngineError::Ended {
                    what: "making the golden data directory".to_owned(),
                    reason: ended.reason,
                })
            }
            Err(e) => {
                self.remove_volume(&golden.volume).await?;
                Err(e)
            }
        }
    }

    fn key(&self, recipe: &GoldenRecipe) -> String {
        let mut hash = Sha256::new();
        let owner = rundir::caller_uid().to_string();
        let generation = GENERATION.to_string();
        let parts = [generation.as_str(), &self.image.id, &recipe.data, &owner];
        for part in parts.into_iter().chain(recipe.initialise.iter().map(String::as_str)) {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part);
        }
        hex(&hash.finalize())[..16].to_owned()
    }

    pub(super) async fn volume_exists(&self, name: &str) -> Result<bool, EngineError> {
        let inspect = async {
            match self.docker.inspect_volume(name).await {
                Ok(_) => Ok(true),
                Err(Error::DockerResponseServerError { status_code: 404, .. }) => Ok(false),
                Err(e) => Err(e),
            }
        };
        request("looking for the golden volume", inspect).await
    }

    async fn remove_volume(&self, name: &str) -> Result<(), EngineError> {
        remove_volume(&self.docker, name).await
    }

    /// Whether the volume is gone; not if a container has it.
    async fn remove_unused_volume(&self, name: &str) -> Result<bool, EngineError> {
        let options = RemoveVolumeOptionsBuilder::default().build();
        let remove = async {
            match self.docker.remove_volume(name, Some(options)).await {
                Ok(()) => Ok(true),
                Err(Error::DockerResponseServerError { status_code: 404, .. }) => Ok(true),
                Err(Error::DockerResponseServerError { status_code: 409, .. }) => Ok(false),
                Err(e) => Err(e),
            }
        };
        request("removing an unfinished golden volume", remove).await
    }
}

/// Removes a volume that nobody uses.
pub(super) async fn remove_volume(docker: &Docker, name: &str) -> Result<(), EngineError> {
    let options = RemoveVolumeOptionsBuilder::default().build();
    let remove = docker.remove_volume(name, Some(options));
    request("removing an unfinished golden volume", remove).await
}
