//! Golden data directories: made once per image, data set and initialisation-time options, kept as
//! labelled volumes, cloned by every server.

use std::collections::HashMap;

use bollard::errors::Error;
use bollard::models::VolumeCreateRequest;
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

impl DockerEngine {
    /// Finds the golden volume, or starts the server that fills it.
    pub(super) async fn find_or_build(
        &self,
        recipe: &GoldenRecipe,
    ) -> Result<GoldenState<DockerServer>, EngineError> {
        let key = self.key(recipe);
        let golden = Golden { volume: format!("cnfsweep-golden-{key}") };
        if self.volume_exists(&golden.volume).await? {
            if look_at_volume(&self.docker, &self.image.id, &golden.volume, "test -e /g/complete")
                .await?
                == 0
            {
                return Ok(GoldenState::Ready(golden));
            }
            // Left by a build that was interrupted. Docker refuses while someone builds it.
            self.remove_volume(&golden.volume).await.map_err(|e| EngineError::Refused {
                what: format!("another cnfsweep seems to be filling volume `{}`", golden.volume),
                message: e.to_string(),
            })?;
        }
        let volume = VolumeCreateRequest {
            name: Some(golden.volume.clone()),
            labels: Some(HashMap::from([
                (LABEL_KIND.to_owned(), "golden".to_owned()),
                (LABEL_OWNER.to_owned(), rundir::caller_uid().to_string()),
                (LABEL_GOLDEN.to_owned(), key.clone()),
            ])),
            ..Default::default()
        };
        request("making the golden volume", self.docker.create_volume(volume)).await?;
        let script = format!(
            "{} && {} && rm -f /tmp/data/auto.cnf && chmod -R a+rX /tmp/data && touch /tmp/complete",
            self.image.initialise_command(&recipe.initialise),
            self.builder_command(recipe),
        );
        // Named after the key: a second builder of the same volume is refused by Docker.
        let name = format!("cnfsweep-builder-{key}");
        match self.launch_builder(&name, script, golden.clone()).await {
            Ok(server) => Ok(GoldenState::Building(server)),
            Err(e) => {
                // Not ours to keep: nothing is in it.
                let _ = self.remove_volume(&golden.volume).await;
                Err(e)
            }
        }
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

    async fn volume_exists(&self, name: &str) -> Result<bool, EngineError> {
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
        let options = RemoveVolumeOptionsBuilder::default().build();
        let remove = self.docker.remove_volume(name, Some(options));
        request("removing an unfinished golden volume", remove).await
    }
}
