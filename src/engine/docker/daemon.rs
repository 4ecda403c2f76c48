//! What the daemon says of itself.

use bollard::Docker;

use super::{EngineError, request};

/// A Docker daemon.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Daemon {
    /// Its version.
    pub version: String,
    /// Its storage driver.
    pub storage_driver: String,
    /// The cgroup version.
    pub cgroup: String,
    /// The directory that has its volumes.
    pub root: String,
}

impl Daemon {
    /// Asks it.
    ///
    /// # Errors
    /// When it does not answer.
    pub async fn of(docker: &Docker) -> Result<Self, EngineError> {
        let info = request("asking Docker what it is", docker.info()).await?;
        let or_unknown = |text: Option<String>| text.unwrap_or_else(|| "unknown".to_owned());
        Ok(Self {
            version: or_unknown(info.server_version),
            storage_driver: or_unknown(info.driver),
            cgroup: or_unknown(info.cgroup_version.map(|v| v.to_string())),
            root: info.docker_root_dir.unwrap_or_default(),
        })
    }
}
