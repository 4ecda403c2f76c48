//! What a sweep needs before its first pair: the catalogue of the image's options, and the golden
//! data directory.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use super::SweepError;
use super::event::{Event, Listener};
use super::ready::{READY, shown, target, wait};
use crate::catalog::{self, Asked, Blocks, Catalog, Choices, VariableRow, metadata_sql};
use crate::engine::{
    Engine, EngineError, Golden, GoldenRecipe, GoldenState, Inquiry, Question, Server as _,
};
use crate::load::{Admin, LoadError, fill};
use crate::optionfile::{Product, Vendor};
use crate::profile::Profile;
use crate::toggle::{Status, Toggle, Toggles};

/// What the image's server knows: from the cache, else from a server that is asked.
///
/// # Errors
/// When the server does not start with nothing, or does not answer.
pub async fn catalog<E: Engine>(
    engine: &E,
    product: &Product,
    listen: &mut Listener<'_>,
) -> Result<Catalog, SweepError> {
    if let Some(known) = engine.known_catalog() {
        return Ok(known);
    }
    let digest = engine.facts().image_digest.clone();
    if let Some(known) = catalog::load(&digest) {
        return Ok(known);
    }
    listen(Event::Phase("asking the server for its options"));
    let began = Instant::now();
    let (help, server) = tokio::join!(engine.help(), engine.start_scratch());
    let (help, server) = match (help, server) {
        (Ok(help), Ok(server)) => (help, server),
        (Err(e), Ok(server)) => {
            engine.remove(server).wait().await;
            return Err(e.into());
        }
        (_, Err(e)) => return Err(e.into()),
    };
    let ready = wait(engine, server, began, READY).await.map_err(|e| SweepError::NotReady {
        what: "a server without any option",
        message: e.message,
    })?;
    let asked = ask(&ready.target, product, &help).await;
    let leaving = engine.remove(ready.server);
    let known = match asked {
        Ok(mut known) if product.vendor == Vendor::MySql => {
            complete(engine, &mut known).await.map(|()| known)
        }
        other => other,
    };
    leaving.wait().await;
    let known = known?;
    if let Err(e) = catalog::save(&digest, &known) {
        listen(Event::Warning(&format!("could not keep the catalogue for the next time: {e}")));
    }
    Ok(known)
}

async fn ask(
    target: &crate::load::Target,
    product: &Product,
    help: &str,
) -> Result<Catalog, SweepError> {
    type Row = (
        String,
        Option<String>,
        Option<String>,
        Option<String>,
        Option<String>,
        Option<String>,
        Option<String>,
    );
    let mut admin = Admin::connect(target).await?;
    let version = admin.version().await?;
    let variables = admin.variables().await?;
    let mut rows = Vec::new();
    for sql in metadata_sql(product) {
        // A server without that table is asked the next question; without any, help has to do.
        if let Ok(found) = admin.rows::<Row>(sql).await {
            rows = found;
            break;
        }
    }
    admin.close().await;
    let rows: Vec<VariableRow> = rows
        .into_iter()
        .map(|(name, kind, min, max, block, values, read_only)| VariableRow {
            name,
            kind: kind.unwrap_or_default(),
            min,
            max,
            block,
            values,
            read_only,
        })
        .collect();
    Ok(Catalog::build(&version, help, &variables, &rows))
}

/// What MySQL's tables don't tell: the words of enumerations and sets, block sizes. The server is
/// given values and says what it makes of them. What can't be found out stays open.
async fn complete<E: Engine>(engine: &E, catalog: &mut Catalog) -> Result<(), SweepError> {
    let mut choices = Choices::of(catalog);
    loop {
        let asked = choices.ask();
        if asked.is_empty() {
            break;
        }
        let Some(answers) = came_out(engine, &asked).await? else { return Ok(()) };
        choices.told(&asked, &answers);
    }
    choices.note(catalog);
    let mut blocks = Blocks::of(catalog);
    /// Options that are left out one by one because the server refuses them.
    const REFUSED: usize = 8;
    for _ in 0..REFUSED {
        let inquiries: Vec<Inquiry> = blocks.ask().iter().map(|file| values_of(file)).collect();
        let Some(answers) = engine.ask(&inquiries).await? else { return Ok(()) };
        let Some(refused) = answers.iter().find_map(|answer| answer.refused.as_deref()) else {
            let answers: Vec<_> = answers.into_iter().map(|answer| answer.values).collect();
            blocks.note(&answers, catalog);
            break;
        };
        let refused = refused.replace('-', "_");
        let quoted = |name: &&String| refused.contains(&format!("'{name}'"));
        match catalog.options.keys().find(quoted) {
            Some(name) => blocks.without(name),
            None => break,
        }
    }
    Ok(())
}

/// What comes out for each number, none where the server refuses it. Lines that the server will
/// hardly refuse share a file; those of a file that it does refuse are asked one by one.
async fn came_out<E: Engine>(
    engine: &E,
    asked: &[Asked],
) -> Result<Option<Vec<Option<String>>>, SweepError> {
    let mut files: Vec<Vec<usize>> = Vec::new();
    for (i, one) in asked.iter().enumerate() {
        let fits = |file: &&mut Vec<usize>| {
            file.len() < one.together
                && file
                    .iter()
                    .all(|j| asked[*j].together == one.together && asked[*j].option != one.option)
        };
        match files.iter_mut().find(fits) {
            Some(file) => file.push(i),
            None => files.push(vec![i]),
        }
    }
    let mut found = vec![None; asked.len()];
    while !files.is_empty() {
        let numbers = |file: &Vec<usize>| -> Vec<(&str, u64)> {
            file.iter().map(|i| (asked[*i].option.as_str(), asked[*i].number)).collect()
        };
        let inquiries: Vec<Inquiry> = files.iter().map(|f| values_of(&numbers(f))).collect();
        let Some(answers) = engine.ask(&inquiries).await? else { return Ok(None) };
        let mut again = Vec::new();
        for (file, mut answer) in files.into_iter().zip(answers) {
            match answer.refused {
                Some(_) if file.len() > 1 => again.extend(file.into_iter().map(|i| vec![i])),
                Some(_) => {}
                None => {
                    for i in file {
                        found[i] = answer.values.remove(&asked[i].option);
                    }
                }
            }
        }
        files = again;
    }
    Ok(Some(found))
}

/// What comes out for options that are given these numbers.
fn values_of(numbers: &[(&str, u64)]) -> Inquiry {
    let lines = numbers.iter().map(|(name, number)| format!("{name}={number}\n"));
    Inquiry {
        cnf: format!("[mysqld]\n{}", lines.collect::<String>()).into_bytes(),
        question: Question::Values(numbers.iter().map(|(name, _)| (*name).to_owned()).collect()),
    }
}

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
