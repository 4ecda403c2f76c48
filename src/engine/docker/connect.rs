//! Reaching the daemon, and saying in words what to do when that fails.

use std::error::Error as _;
use std::io::ErrorKind;

use bollard::Docker;
use bollard::errors::Error;

use super::super::EngineError;
use super::request;

/// Connects to the local daemon: `DOCKER_HOST` if it is a unix socket, else the usual one.
///
/// # Errors
/// When there is no daemon, it may not be used, or it is not on this machine; each says what to do.
pub async fn connect() -> Result<Docker, EngineError> {
    if let Ok(host) = std::env::var("DOCKER_HOST")
        && !host.starts_with("unix://")
    {
        return Err(EngineError::Unreachable(format!(
            "`DOCKER_HOST={host}` is not on this machine; cnfsweep shares sockets and CPUs with its \
             servers and needs a local daemon\nhint: unset DOCKER_HOST, or point it to a unix \
             socket (`unix:///var/run/docker.sock`)"
        )));
    }
    let docker = Docker::connect_with_defaults()
        .map_err(|e| explain("connecting to the Docker daemon", &e))?;
    request("asking the Docker daemon for a sign of life", docker.ping()).await?;
    Ok(docker)
}

/// An error of bollard in words: no daemon and no permission get a hint.
pub(super) fn explain(what: &str, error: &Error) -> EngineError {
    let socket = std::env::var("DOCKER_HOST").unwrap_or_else(|_| "/var/run/docker.sock".to_owned());
    match (error, io_kind(error)) {
        (Error::SocketNotFoundError(_), _) | (_, Some(ErrorKind::NotFound)) => {
            EngineError::Unreachable(format!(
                "no Docker daemon answers at `{socket}`\nhint: start it (`systemctl start docker`, \
                 or `dockerd` as root), or install it (`apt-get install docker.io`)"
            ))
        }
        (_, Some(ErrorKind::ConnectionRefused)) => EngineError::Unreachable(format!(
            "the Docker daemon at `{socket}` has stopped\nhint: start it with `systemctl start \
             docker`"
        )),
        (_, Some(ErrorKind::PermissionDenied)) => EngineError::Unreachable(format!(
            "permission denied on the Docker socket `{socket}`\nhint: run as root, or join the \
             group (`usermod -aG docker $USER`) and log in again"
        )),
        (Error::DockerResponseServerError { message, .. }, _) => {
            EngineError::Refused { what: what.to_owned(), message: message.clone() }
        }
        _ => EngineError::Refused { what: what.to_owned(), message: error.to_string() },
    }
}

/// The io error at the bottom, which bollard hides in the chain of sources.
fn io_kind(error: &Error) -> Option<ErrorKind> {
    let mut source = error.source();
    while let Some(e) = source {
        if let Some(io) = e.downcast_ref::<std::io::Error>() {
            return Some(io.kind());
        }
        source = e.source();
    }
    match error {
        Error::IOError { err } => Some(err.kind()),
        _ => None,
    }
}
