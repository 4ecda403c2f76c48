//! One pair, from two starts to its rows. Failures of a server are rows, not errors.

use std::time::Instant;

use super::SweepError;
use super::beside::Watch;
use super::event::{Event, Listener};
use super::ready::{NOTICE, NotReady, READY, Ready, of_end, wait};
use super::rows::{Head, Rows, failed, measured};
use crate::engine::{Engine, EngineError, Golden, Removal, Server as _, StartRequest};
use crate::journal::{Arm, Outcome};
use crate::load::{self, Job, LoadError, PairLoad};
use crate::plan::Side;
use crate::profile::Load;

/// What every pair of a sweep is measured with.
#[derive(Debug, Clone)]
pub struct Bench {
    /// What is sent.
    pub load: Load,
    /// Connections.
    pub threads: u32,
    /// CPUs of the servers.
    pub server_cpus: Vec<usize>,
    /// CPUs of the load.
    pub client_cpus: Vec<usize>,
    /// What clones come from, but for toggles that have one of their own.
    pub golden: Golden,
}

/// The files and draws of one pair.
pub(super) struct PairRequest<'a> {
    pub(super) head: Head,
    pub(super) base_cnf: &'a [u8],
    pub(super) toggle_cnf: &'a [u8],
    pub(super) toggle_golden: &'a Golden,
    pub(super) started_first: Side,
    pub(super) loaded_first: Side,
    pub(super) seed: u64,
}

/// What became of a pair.
pub(super) struct PairDone {
    pub(super) rows: Rows,
    pub(super) outcome: Outcome,
    /// Which server failed, where one did.
    pub(super) failing: Option<Arm>,
    /// Whether something else on the machine disturbed it: another try may do better.
    pub(super) disturbed: bool,
    pub(super) message: String,
    /// The servers, on their way out.
    pub(super) removals: Vec<Removal>,
}

/// Why a pair gave no number.
struct Lost {
    failing: Arm,
    outcome: Outcome,
    message: String,
}

/// Measures a pair. `leaving` are the servers of the last one, which are gone before the load.
pub(super) async fn measure<E: Engine>(
    engine: &E,
    bench: &Bench,
    request: &PairRequest<'_>,
    watch: &mut Watch,
    leaving: Vec<Removal>,
    listen: &mut Listener<'_>,
) -> Result<PairDone, SweepError> {
    let (started, ()) = tokio::join!(start_both(engine, bench, request), gone(leaving));
    let (base, toggled) = match started? {
        Ok(both) => both,
        Err((lost, removals)) => return Ok(done_without(&request.head, lost, removals)),
    };
    engine.settle().await?;
    let ours = [&base, &toggled].map(|ready| ready.server.endpoint().process.unwrap_or(0));
    let before = watch.look(&ours);
    let loaded = match load_both(bench, request, &base, &toggled, listen).await {
        Ok(loaded) => loaded,
        Err(broken) => {
            // Nothing that any server did: the sweep itself can't go on.
            gone(vec![engine.remove(base.server), engine.remove(toggled.server)]).await;
            return Err(broken.into());
        }
    };
    let disturbance = match engine.made_up_disturbance(request.head.pair) {
        Some(made_up) => made_up,
        None => watch.between(&before, &watch.look(&ours)),
    };
    let removals = vec![engine.remove(base.server), engine.remove(toggled.server)];
    let loaded = loaded.map(|loaded| (loaded, watch.judge(disturbance)));
    Ok(match loaded {
        Ok((loaded, rejection)) => match measured(&request.head, &loaded, rejection) {
            Ok(rows) => {
                let row = rows.trials.first();
                PairDone {
                    outcome: row.map_or(Outcome::Ok, |r| r.outcome),
                    message: row.map(|r| r.message.clone()).unwrap_or_default(),
                    failing: None,
                    disturbed: rejection.is_some(),
                    rows,
                    removals,
                }
            }
            Err(e) => {
                let lost = Lost {
                    failing: arm_without_operations(&loaded),
                    outcome: Outcome::Errors,
                    message: e.to_string(),
                };
                done_without(&request.head, lost, removals)
            }
        },
        Err(lost) => done_without(&request.head, lost, removals),
    })
}

fn done_without(head: &Head, lost: Lost, removals: Vec<Removal>) -> PairDone {
    PairDone {
        rows: failed(head, lost.failing, lost.outcome, &lost.message),
        outcome: lost.outcome,
        failing: Some(lost.failing),
        disturbed: false,
        message: lost.message,
        removals,
    }
}

fn arm_without_operations(load: &PairLoad) -> Arm {
    match load.slices.iter().find(|s| s.ops == 0) {
        Some(slice) if slice.arm == 0 => Arm::Base,
        _ => Arm::Toggle,
    }
}

pub(super) async fn gone(leaving: Vec<Removal>) {
    for removal in leaving {
        removal.wait().await;
    }
}

type Both<S> = (Ready<S>, Ready<S>);

async fn start_both<E: Engine>(
    engine: &E,
    bench: &Bench,
    request: &PairRequest<'_>,
) -> Result<Result<Both<E::Server>, (Lost, Vec<Removal>)>, EngineError> {
    let pair = request.head.pair;
    let roles = [format!("p{pair}-base"), format!("p{pair}-toggle")];
    let spec = |arm: usize| StartRequest {
        role: &roles[arm],
        cnf: [request.base_cnf, request.toggle_cnf][arm],
        golden: [&bench.golden, request.toggle_golden][arm],
    };
    // One after the other, so that who is first is what was drawn; then both get ready together.
    let order = match request.started_first {
        Side::Base => [0, 1],
        Side::Toggle => [1, 0],
    };
    let began = Instant::now();
    let first = engine.start(&spec(order[0])).await?;
    let second = match engine.start(&spec(order[1])).await {
        Ok(second) => second,
        Err(e) => {
            engine.remove(first).wait().await;
            return Err(e);
        }
    };
    let (first, second) =
        tokio::join!(wait(engine, first, began, READY), wait(engine, second, began, READY));
    let (base, toggled) = match request.started_first {
        Side::Base => (first, second),
        Side::Toggle => (second, first),
    };
    let lost = |failing, e: NotReady| Lost { failing, outcome: e.outcome, message: e.message };
    Ok(match (base, toggled) {
        (Ok(base), Ok(toggled)) => Ok((base, toggled)),
        (Ok(base), Err(e)) => Err((lost(Arm::Toggle, e), vec![engine.remove(base.server)])),
        (Err(e), Ok(toggled)) => Err((lost(Arm::Base, e), vec![engine.remove(toggled.server)])),
        (Err(e), Err(_)) => Err((lost(Arm::Base, e), Vec::new())),
    })
}

async fn load_both<S: crate::engine::Server>(
    bench: &Bench,
    request: &PairRequest<'_>,
    base: &Ready<S>,
    toggled: &Ready<S>,
    listen: &mut Listener<'_>,
) -> Result<Result<PairLoad, Lost>, LoadError> {
    let job = Job {
        targets: [base.target.clone(), toggled.target.clone()],
        load: bench.load.clone(),
        threads: bench.threads,
        first: match request.loaded_first {
            Side::Base => 0,
            Side::Toggle => 1,
        },
        seed: request.seed,
        cpus: bench.client_cpus.clone(),
    };
    let crashed = |failing, ended: &crate::engine::Ended| {
        let NotReady { outcome, message } = of_end(ended, Outcome::Crashed);
        Lost { failing, outcome, message }
    };
    let failure = tokio::select! {
        biased;
        ended = base.server.ended() => return Ok(Err(crashed(Arm::Base, &ended))),
        ended = toggled.server.ended() => return Ok(Err(crashed(Arm::Toggle, &ended))),
        loaded = load::run(&job, |done, all| listen(Event::Slices { done, all })) => match loaded {
            Ok(loaded) => return Ok(Ok(loaded)),
            Err(e @ LoadError::Generator(_)) => return Err(e),
            Err(e) => e,
        },
    };
    // What looks like an error of the load is often the death of a server, noticed a moment later.
    let ends = async {
        tokio::select! {
            ended = base.server.ended() => crashed(Arm::Base, &ended),
            ended = toggled.server.ended() => crashed(Arm::Toggle, &ended),
        }
    };
    if let Ok(lost) = tokio::time::timeout(NOTICE, ends).await {
        return Ok(Err(lost));
    }
    Ok(Err(of_failure(&failure)))
}

fn of_failure(failure: &LoadError) -> Lost {
    let (failing, outcome) = match failure {
        LoadError::Errors { arm, .. } => {
            (if *arm == 0 { Arm::Base } else { Arm::Toggle }, Outcome::Errors)
        }
        LoadError::Timeout { .. } => (Arm::Toggle, Outcome::Timeout),
        LoadError::Statement { .. } | LoadError::Generator(_) => (Arm::Toggle, Outcome::Errors),
    };
    Lost { failing, outcome, message: failure.to_string() }
}
