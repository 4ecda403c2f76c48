//! The golden data directories of a sweep: made once, filled through a server, kept by the engine.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use super::SweepError;
use super::event::{Event, Listener};
use super::ready::{READY, shown, target, wait};
use crate::engine::{Engine, EngineError, Golden, GoldenRecipe, GoldenState, Server as _};
use crate::load::{Admin, LoadError, fill};
use crate::profile::Profile;
use crate::toggle::{Status, Toggle, Toggles};

/// What every server's data directory is cloned from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Goldens {
    /// Of the unchanged server, and of most toggles.
    pub base: Golden,
    /// Of toggles that need one of their own, by the arguments that it is made with.
    own: BTreeMap<Vec<String>, Golden>,
}

impl Goldens {
    /// That of a toggle.
    pub fn of(&self, toggle: &Toggle) -> &Golden {
        toggle.data_dir.as_ref().and_then(|own| self.own.get(own)).unwrap_or(&self.base)
    }

    /// How many there are.
    pub fn count(&self) -> u64 {
        1 + self.own.len() as u64
    }
}

/// The golden data directories of a sweep, one for each way in which they are made: there, or made
/// now. A toggle whose own can't be made is refused.
///
/// # Errors
/// When the base's can't be made, or the engine fails.
pub async fn goldens<E: Engine>(
    engine: &E,
    profile: &Profile,
    toggles: &mut Toggles,
    listen: &mut Listener<'_>,
) -> Result<Goldens, SweepError> {
    let base = golden(engine, profile, &toggles.initialise, listen).await?;
    let mut own = BTreeMap::new();
    let wanted: BTreeSet<Vec<String>> =
        toggles.planned().filter_map(|toggle| toggle.data_dir.clone()).collect();
    for arguments in wanted.into_iter().filter(|arguments| *arguments != toggles.initialise) {
        let why = match golden(engine, profile, &arguments, listen).await {
            Ok(made) => {
                own.insert(arguments, made);
                continue;
            }
            // The server's words; everything else is no fault of the toggle's.
            Err(SweepError::NotReady { message, .. }) => message,
            Err(SweepError::Engine(EngineError::Ended { reason, .. })) => shown(&reason),
            Err(SweepError::Load(e @ LoadError::Statement { .. })) => e.to_string(),
            Err(e) => return Err(e),
        };
        let concerned = toggles.list.iter_mut().filter(|toggle| {
            toggle.status == Status::Planned && toggle.data_dir.as_ref() == Some(&arguments)
        });
        for toggle in concerned {
            toggle.status = Status::Refused;
            toggle.remark(&format!("its data directory can't be made: {why}"));
            listen(Event::Warning(&format!("refused: {}: {}", toggle.id, toggle.detail)));
        }
    }
    Ok(Goldens { base, own })
}

/// The golden data directory: there, or made now.
///
/// # Errors
/// When it can't be made; the error has the statement or the server's words.
pub async fn golden<E: Engine>(
    engine: &E,
    profile: &Profile,
    initialise: &[String],
    listen: &mut Listener<'_>,
) -> Result<Golden, SweepError> {
    /// The longest that a server may take to be told to shut down.
    const SHUTDOWN: Duration = Duration::from_secs(60);
    let data = profile
        .data_fingerprint()
        .map_err(|e| crate::engine::EngineError::File(format!("data set: {e}")))?;
    let recipe = GoldenRecipe { data, initialise: initialise.to_vec() };
    let builder = match engine.golden(&recipe).await? {
        GoldenState::Ready(golden) => return Ok(golden),
        GoldenState::Building(builder) => builder,
    };
    listen(Event::Phase("making the data set, once for this image and profile"));
    let ready = wait(engine, builder, Instant::now(), READY).await.map_err(|e| {
        SweepError::NotReady { what: "the server that makes the data set", message: e.message }
    })?;
    let all = profile.rows();
    let target = target(ready.server.endpoint());
    let filled = async {
        fill(&target, profile, |done| listen(Event::Rows { done, all })).await?;
        let mut admin = Admin::connect(&target).await?;
        // Everything on disk and purged, so that clones start without recovery and stay quiet.
        admin.run("SET GLOBAL innodb_fast_shutdown = 0", SHUTDOWN).await?;
        admin.run("SHUTDOWN", SHUTDOWN).await
    };
    if let Err(e) = filled.await {
        engine.remove(ready.server).wait().await;
        return Err(e.into());
    }
    Ok(engine.seal(ready.server).await?)
}
