//! Starting a server and waiting until it answers, or knowing why it won't.

use std::time::{Duration, Instant};

use crate::engine::{self, Ended, Endpoint, Engine, EngineError, Server, StartRequest};
use crate::journal::Outcome;
use crate::load::{self, Address, CpuCounter, Script, Target};
use crate::optionfile::redacted_line;

/// The longest that a server may take until it answers: a recovery of a minute fits in.
pub const READY: Duration = Duration::from_secs(120);
/// Between two questions whether it answers yet.
const ASK: Duration = Duration::from_millis(10);
/// How long a dead server's end may take to be noticed.
pub(super) const NOTICE: Duration = Duration::from_secs(2);

/// A server that answers.
#[derive(Debug)]
pub struct Ready<S> {
    /// The server.
    pub server: S,
    /// How the load reaches it.
    pub target: Target,
    /// From the start to the first answer.
    pub took: Duration,
}

/// A server that does not.
#[derive(Debug)]
pub struct NotReady {
    /// What that means for a measurement.
    pub outcome: Outcome,
    /// The server's own words, without its secrets.
    pub message: String,
}

/// How the load reaches a server of the engine.
pub(super) fn target(endpoint: &Endpoint) -> Target {
    let address = match &endpoint.address {
        engine::Address::Socket(path) => Address::Socket(path.clone()),
        engine::Address::Script(b) => Address::Scripted(Box::new(Script {
            version: b.version.clone(),
            variables: b.variables.clone(),
            rate: b.rate,
            slice_noise: b.slice_noise,
            cpu_us_per_op: b.cpu_us_per_op,
            seed: b.seed,
            fails: b.fails.map(|(after, how)| {
                let how = match how {
                    engine::fake::Failure::Crash => load::Failure::Crash,
                    engine::fake::Failure::Errors => load::Failure::Errors,
                    engine::fake::Failure::Hang => load::Failure::Hang,
                };
                (after, how)
            }),
            pace: b.pace,
        })),
    };
    let cpu = endpoint.cpu.as_ref().map(|file| match file {
        engine::CpuFile::V1(path) => CpuCounter::V1(path.clone()),
        engine::CpuFile::V2(path) => CpuCounter::V2(path.clone()),
    });
    Target { address, cpu }
}

/// Starts a server and waits until it answers. One that does not is removed.
pub(super) async fn start<E: Engine>(
    engine: &E,
    request: &StartRequest<'_>,
) -> Result<Result<Ready<E::Server>, NotReady>, EngineError> {
    let began = Instant::now();
    let server = engine.start(request).await?;
    Ok(wait(engine, server, began, READY).await)
}

/// Waits until a started server answers, for at most `limit`.
///
/// # Errors
/// When it ends or the time is up before it answers. It is removed then.
pub async fn wait<E: Engine>(
    engine: &E,
    server: E::Server,
    began: Instant,
    limit: Duration,
) -> Result<Ready<E::Server>, NotReady> {
    let target = target(server.endpoint());
    let answers = async {
        // Each question has an end of its own, so that a server which accepts and says nothing is
        // asked again.
        while load::ping(&target, Duration::from_secs(10)).await.is_err() {
            tokio::time::sleep(ASK).await;
        }
    };
    let not_ready = tokio::select! {
        biased;
        ended = server.ended() => of_end(&ended, Outcome::Refused),
        answered = tokio::time::timeout(limit, answers) => match answered {
            Ok(()) => return Ok(Ready { server, target, took: began.elapsed() }),
            Err(_) => NotReady {
                outcome: Outcome::Timeout,
                message: format!("did not answer within {} s: {}", limit.as_secs(),
                    last_words(&server.log().await)),
            },
        },
    };
    engine.remove(server).wait().await;
    Err(not_ready)
}

/// What the end of a server means for the measurement.
pub(super) fn of_end(ended: &Ended, otherwise: Outcome) -> NotReady {
    let outcome = if ended.oom { Outcome::Oom } else { otherwise };
    NotReady { outcome, message: shown(&ended.reason) }
}

/// A server's words without the secrets that it may quote from its file.
pub(super) fn shown(words: &str) -> String {
    String::from_utf8_lossy(&redacted_line(words.as_bytes())).into_owned()
}

fn last_words(log: &str) -> String {
    shown(log.lines().rev().find(|l| !l.trim().is_empty()).unwrap_or("it said nothing"))
}
