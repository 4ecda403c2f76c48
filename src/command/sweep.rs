//! `cnfsweep --base … --bench …`: the straight line from the option file to the report.

use std::path::PathBuf;
use std::time::Instant;

use sha2::{Digest as _, Sha256};
use tokio::signal::unix::{SignalKind, signal};

use super::failure::Failure;
use super::host::{facts, free_disk, list_cpus, stay_on};
use super::lock::Lock;
use super::output;
use super::progress::Progress;
use super::report::conclude;
use super::request::{Length, Request, redacted_command_line};
use crate::cli::SweepArgs;
use crate::engine::docker::{self, DockerEngine, Image, warnings};
use crate::engine::fake::FakeEngine;
use crate::engine::{Engine, Golden, Limits};
use crate::journal::{
    BaseInfo, Design, ImageInfo, Journal, Placement, Redaction, ServerInfo, SweepDir, SweepFile,
    ToggleRow, clock,
};
use crate::optionfile::{LineKind, OptionFile, Product, is_secret, redacted_line};
use crate::plan::{Estimate, SCHEDULE_VERSION, estimate};
use crate::profile::hex;
use crate::stats::screen::rules::SCREEN_ROUNDS;
use crate::stats::screen::{CONFIRM_ROUNDS, Mode, Schedule, Settings, aa_arms};
use crate::stats::verdict::Rules;
use crate::sweep::{self, Arms, Bench, Deadline, Event, Probed, SweepError};
use crate::toggle::{Toggles, build};

/// Version of the file formats of a results directory.
const FORMAT: u32 = 1;

/// Everything that is known before the first pair.
pub(super) struct Prepared {
    pub(super) product: Product,
    pub(super) toggles: Toggles,
    pub(super) golden: Golden,
    pub(super) probed: Probed,
    pub(super) aa: u32,
    pub(super) mode: Mode,
    pub(super) estimate: Estimate,
}

/// Runs a sweep.
pub(super) fn run(args: &SweepArgs) -> Result<(), Failure> {
    let request = Request::of(args)?;
    let _lock = Lock::take(&format!("{} since {}", request.id, clock::stamp()), args.wait)?;
    let dir = with_engine(args, &request, async |engine, prepared, progress| {
        measure(args, &request, engine, prepared, progress).await
    })?;
    conclude(&dir, args.quiet, args.no_color)
}

/// Makes everything ready on the engine that was asked for, lets `then` go on, and removes what
/// was started, whatever happens.
pub(super) fn with_engine<T, F>(args: &SweepArgs, request: &Request, then: F) -> Result<T, Failure>
where
    F: AsyncFnOnce(AnyEngine<'_>, Prepared, &mut Progress) -> Result<T, Failure>,
{
    runtime()?.block_on(async {
        let mut progress = Progress::new(args.quiet, args.verbose);
        match &args.fake_engine {
            Some(path) => {
                let text = std::fs::read_to_string(path).map_err(|e| {
                    Failure::usage(format!("could not read `{}`: {e}", path.display()))
                })?;
                let engine = FakeEngine::parse(&text)?;
                let product = engine.product();
                guarded(&engine, &mut progress, async |progress| {
                    let prepared = prepare(&engine, product, request, progress).await?;
                    then(AnyEngine::Fake(&engine), prepared, progress).await
                })
                .await
            }
            None => {
                let engine = interruptible(docker_engine(args, request, &mut progress)).await;
                let Some(engine) = engine else {
                    docker::let_finish().await;
                    return Err(Failure::Interrupted(None));
                };
                let (engine, product) = engine?;
                guarded(&engine, &mut progress, async |progress| {
                    let prepared = prepare(&engine, product, request, progress).await?;
                    then(AnyEngine::Docker(&engine), prepared, progress).await
                })
                .await
            }
        }
    })
}

/// One of the engines.
pub(super) enum AnyEngine<'e> {
    Docker(&'e DockerEngine),
    Fake(&'e FakeEngine),
}

async fn docker_engine(
    args: &SweepArgs,
    request: &Request,
    progress: &mut Progress,
) -> Result<(DockerEngine, Product), Failure> {
    let docker = docker::connect().await?;
    let left = docker::clean(&docker, false).await?;
    if !left.containers.is_empty() || !left.volumes.is_empty() {
        progress.line(&format!(
            "removed what a dead sweep left behind: {} container(s), {} volume(s)",
            left.containers.len(),
            left.volumes.len()
        ));
    }
    let image = Image::find(&docker, &args.image, |step| progress.phase(step)).await?;
    let product = image.product;
    // Before anything is started: whether the file can be read at all, and whether it fits.
    let (file, _) = request.base(&product)?;
    super::fit::check(request, &file, &product)?;
    let limits =
        Limits { cpus: request.cpus.server.clone(), memory: request.memory, tmpfs: request.tmpfs };
    Ok((DockerEngine::new(docker, &request.id, image, limits).await?, product))
}

/// Runs `work` until it ends or someone says stop, and removes what the engine started.
async fn guarded<E: Engine, T>(
    engine: &E,
    progress: &mut Progress,
    work: impl AsyncFnOnce(&mut Progress) -> Result<T, Failure>,
) -> Result<T, Failure> {
    let result = interruptible(work(progress)).await.unwrap_or(Err(Failure::Interrupted(None)));
    if matches!(result, Err(Failure::Interrupted(_))) {
        progress.phase("interrupted: removing what was started");
    }
    let cleaned = engine.clean_up().await;
    progress.finish();
    match (result, cleaned) {
        (Ok(done), Ok(())) => Ok(done),
        (Ok(done), Err(e)) => {
            output::warning(&format!("could not remove everything: {e}; try `cnfsweep clean`"));
            Ok(done)
        }
        (Err(failure), cleaned) => {
            if let Err(e) = cleaned {
                output::warning(&format!("could not remove everything: {e}; try `cnfsweep clean`"));
            }
            Err(failure)
        }
    }
}

/// What `work` gives; none when SIGINT, SIGTERM or SIGHUP came first.
pub(super) async fn interruptible<T>(work: impl Future<Output = T>) -> Option<T> {
    let caught = async {
        let mut signals = Vec::new();
        for kind in [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup()] {
            // Without a handler the signal ends the process, and the next start cleans up.
            signals.extend(signal(kind));
        }
        let waits = signals.iter_mut().map(|s| Box::pin(s.recv()));
        if signals_is_empty(&waits) {
            std::future::pending::<()>().await;
        }
        futures_util::future::select_all(waits).await;
    };
    // The work first: what it makes of the signal itself says more (where the results are).
    tokio::select! {
        biased;
        done = work => Some(done),
        () = caught => None,
    }
}

fn signals_is_empty(waits: &impl ExactSizeIterator) -> bool {
    waits.len() == 0
}

/// The runtime of everything but the load.
pub(super) fn runtime() -> Result<tokio::runtime::Runtime, Failure> {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|e| Failure::carrying_out(format!("could not start the runtime: {e}")))
}

async fn prepare<E: Engine>(
    engine: &E,
    product: Product,
    request: &Request,
    progress: &mut Progress,
) -> Result<Prepared, Failure> {
    let (file, messages) = request.base(&product)?;
    for message in messages {
        progress.warn(&message);
    }
    let mut listen = |event: Event<'_>| progress.event(&event);
    let catalog = sweep::catalog(engine, &product, &mut listen).await?;
    let mut toggles = build(&file, &product, &catalog, &request.wishes)?;
    let planned = toggles.planned().count();
    if planned == 0 {
        return Err(Failure::carrying_out(nothing_planned(request, &toggles)));
    }
    let golden = sweep::golden(engine, &request.profile, &toggles.initialise, &mut listen).await?;
    let probed = sweep::probe(engine, &product, &catalog, &golden, &mut toggles, &mut listen)
        .await
        .map_err(|e| base_refused(e, request, &toggles))?;
    let measured = toggles.planned().count();
    if measured == 0 {
        return Err(SweepError::NothingToMeasure(
            "every toggle is a no-op, refused or left out; see `cnfsweep plan`".to_owned(),
        )
        .into());
    }
    let aa = request.aa.unwrap_or_else(|| u32::try_from(aa_arms(measured)).unwrap_or(u32::MAX));
    let arms = measured as u64 + u64::from(aa);
    let load = &request.profile.load;
    let one_round = estimate(load, request.profile.rows(), arms, 0, None).time;
    let mode = match request.length {
        Length::Adaptive => Mode::Adaptive,
        Length::Rounds(rounds) => Mode::Rounds(rounds),
        Length::Within(time) => {
            let rounds = time.as_secs_f64() / one_round.as_secs_f64();
            if rounds < 2.0 {
                return Err(Failure::usage(format!(
                    "two rounds of {measured} toggles and {aa} A/A arms take {}; that does not fit \
                     into the time given\nhint: leave some out with --only or --skip",
                    super::plan::hours(one_round * 2)
                )));
            }
            // The deadline ends it in time if pairs take longer than estimated.
            Mode::Rounds((rounds as u32).min(1_000))
        }
    };
    let schedule = schedule(request, measured, aa, mode)?;
    let pairs = schedule.pairs_at_most() as u64;
    let estimate = estimate(load, request.profile.rows(), pairs, probed.starts, None);
    Ok(Prepared { product, toggles, golden, probed, aa, mode, estimate })
}

fn schedule(
    request: &Request,
    toggles: usize,
    aa: u32,
    mode: Mode,
) -> Result<Schedule, SweepError> {
    let rules = Rules { delta: request.delta, ..Rules::default() };
    Ok(Schedule::new(Settings { toggles, aa: aa as usize, rules, mode })?)
}

fn nothing_planned(request: &Request, toggles: &Toggles) -> String {
    let only: Vec<&str> = request.wishes.only.iter().map(glob::Pattern::as_str).collect();
    if !only.is_empty() {
        return format!(
            "--only {} matches no option that can be toggled\nhint: `cnfsweep plan` without --only \
             lists them",
            only.join(",")
        );
    }
    format!(
        "{}: none of its {} lines can be toggled\nhint: `--also NAME[=VALUE]` adds toggles that \
         are not in the file",
        request.base_path.display(),
        toggles.list.len()
    )
}

/// The server's own words, the lines concerned, and how to leave them out.
fn base_refused(error: SweepError, request: &Request, toggles: &Toggles) -> Failure {
    let SweepError::BaseRefused { message, oom } = &error else { return error.into() };
    let mut text = error.to_string();
    let path = request.base_path.display();
    if *oom {
        text.push_str(&super::fit::hint(request));
        return Failure::carrying_out(text);
    }
    // The option that the server names, or all that it does not know.
    let named: Vec<&(usize, String)> = toggles.unknown.iter().collect();
    if named.is_empty() {
        let lines: Vec<String> = toggles
            .list
            .iter()
            .filter(|t| t.line.is_some() && mentions(message, &t.option))
            .map(|t| format!("\n  {path}:{}: {}", t.line.unwrap_or(0), t.option))
            .collect();
        let names: Vec<&str> = toggles
            .list
            .iter()
            .filter(|t| t.line.is_some() && mentions(message, &t.option))
            .map(|t| t.option.as_str())
            .collect();
        text.push_str(&lines.concat());
        if let Some(name) = names.first() {
            text.push_str(&format!("\nhint: leave it out of both servers with `--drop {name}`"));
        } else {
            text.push_str("\nhint: leave the line out of both servers with `--drop NAME`");
        }
        return Failure::carrying_out(text);
    }
    text.push_str("\nlines that this server does not know:");
    for (line, name) in &named {
        text.push_str(&format!("\n  {path}:{line}: {name}"));
    }
    let names: Vec<String> = named.iter().map(|(_, name)| name.replace('-', "_")).collect();
    text.push_str(&format!(
        "\nhint: leave them out of both servers with `--drop {}`, or with `--drop-unknown`",
        names.join(",")
    ));
    Failure::carrying_out(text)
}

/// Whether the server's message names an option, in either spelling.
fn mentions(message: &str, option: &str) -> bool {
    message.contains(option) || message.contains(&option.replace('_', "-"))
}

async fn measure(
    args: &SweepArgs,
    request: &Request,
    engine: AnyEngine<'_>,
    prepared: Prepared,
    progress: &mut Progress,
) -> Result<SweepDir, Failure> {
    match engine {
        AnyEngine::Docker(engine) => measure_on(args, request, engine, prepared, progress).await,
        AnyEngine::Fake(engine) => measure_on(args, request, engine, prepared, progress).await,
    }
}

async fn measure_on<E: Engine>(
    args: &SweepArgs,
    request: &Request,
    engine: &E,
    prepared: Prepared,
    progress: &mut Progress,
) -> Result<SweepDir, Failure> {
    let Prepared { product, toggles, golden, probed, aa, mode, estimate } = prepared;
    check_disk(request, &estimate)?;
    stay_on(&request.cpus.client);
    let base_cnf = toggles.base_cnf(&product).map_err(SweepError::from)?;
    let mut cnfs = vec![(PathBuf::from("base.cnf"), redacted(&base_cnf))];
    let mut arms = Arms { base_cnf, toggles: Vec::new() };
    for toggle in toggles.planned() {
        let cnf = toggles.toggled_cnf(&product, toggle).map_err(SweepError::from)?;
        cnfs.push((SweepDir::toggle_cnf_name(&toggle.id), redacted(&cnf)));
        arms.toggles.push((toggle.id.clone(), cnf));
    }
    let mut schedule = schedule(request, arms.toggles.len(), aa, mode)?;
    let rows: Vec<ToggleRow> = toggles.list.iter().map(ToggleRow::from).collect();
    let file = sweep_file(args, request, engine, &product, &toggles, &probed, aa, mode);
    let mut journal = Journal::create(&request.dir, &file, &rows, &cnfs)?;
    let dir = journal.dir().clone();
    progress.line(&format!(
        "{} toggles and {aa} A/A arms, at most {} pairs, {}; results in {}",
        arms.toggles.len(),
        estimate.pairs,
        super::plan::hours(estimate.time),
        request.dir.display()
    ));
    let bench = Bench {
        load: request.profile.load.clone(),
        threads: request.threads,
        client_cpus: request.cpus.client.clone(),
        golden,
    };
    let deadline = match request.length {
        Length::Within(time) => Some(Deadline { at: Instant::now() + time }),
        Length::Adaptive | Length::Rounds(_) => None,
    };
    let mut listen = |event: Event<'_>| progress.event(&event);
    let course = sweep::Course { bench: &bench, arms: &arms, seed: request.seed, deadline };
    let ran = interruptible(sweep::run(engine, &course, &mut schedule, &mut journal, &mut listen));
    match ran.await {
        None => Err(Failure::Interrupted(Some(request.dir.clone()))),
        Some(Err(e)) => Err(Failure::carrying_out(format!(
            "{e}\nhint: what was measured is in {0}; `cnfsweep report {0}` shows it",
            request.dir.display()
        ))),
        Some(Ok(_)) => Ok(dir),
    }
}

fn check_disk(request: &Request, estimate: &Estimate) -> Result<(), Failure> {
    const DOCKER: &str = "/var/lib/docker";
    let Some(free) = free_disk(std::path::Path::new(DOCKER)) else { return Ok(()) };
    if free < estimate.disk_bytes && !request.tmpfs {
        return Err(Failure::carrying_out(format!(
            "the sweep needs {} MB of disk for data directories, {} MB are free below \
             {DOCKER}\nhint: make room (`docker system df`), or use `--data tmpfs`",
            estimate.disk_bytes >> 20,
            free >> 20
        )));
    }
    Ok(())
}

/// A file without its secrets: what may be written into the results.
fn redacted(cnf: &[u8]) -> Vec<u8> {
    OptionFile::parse(cnf).redacted()
}

fn redactions(toggles: &Toggles) -> Vec<Redaction> {
    let secrets = toggles.file.lines().filter_map(|line| match line.kind {
        LineKind::Option { name, .. } | LineKind::CommentedOption { name, .. }
            if is_secret(name) =>
        {
            let option = String::from_utf8_lossy(name).into_owned();
            Some(Redaction { option, line: line.number })
        }
        _ => None,
    });
    secrets.collect()
}

#[expect(clippy::too_many_arguments, reason = "brings together what `sweep.toml` has")]
fn sweep_file<E: Engine>(
    args: &SweepArgs,
    request: &Request,
    engine: &E,
    product: &Product,
    toggles: &Toggles,
    probed: &Probed,
    aa: u32,
    mode: Mode,
) -> SweepFile {
    let facts_of_engine = engine.facts();
    let variable = |name: &str| probed.base.variables.get(name).cloned().unwrap_or_default();
    let load = &request.profile.load;
    SweepFile {
        format: FORMAT,
        id: request.id.clone(),
        cnfsweep: env!("CARGO_PKG_VERSION").to_owned(),
        started_at: clock::stamp(),
        command_line: redacted_command_line(),
        bench: request.profile.name.clone(),
        profile: request.profile.text.clone(),
        base: BaseInfo {
            path: request.base_path.display().to_string(),
            sha256: hex(&Sha256::digest(&request.base_bytes)),
            changed_in_both_arms: toggles.changed_in_both_arms.clone(),
            redacted: redactions(toggles),
        },
        image: ImageInfo {
            reference: args.image.clone(),
            digest: facts_of_engine.image_digest.clone(),
        },
        server: ServerInfo {
            product: product.to_string(),
            version: probed.base.version.clone(),
            native_aio: variable("innodb_use_native_aio"),
            flush_method: variable("innodb_flush_method"),
            open_files_limit: variable("open_files_limit"),
            warnings: warnings(&probed.base.log)
                .iter()
                .map(|line| String::from_utf8_lossy(&redacted_line(line.as_bytes())).into_owned())
                .collect(),
        },
        design: Design {
            kind: "pairs".to_owned(),
            seed: request.seed,
            schedule: SCHEDULE_VERSION,
            mode: match mode {
                Mode::Adaptive => "adaptive".to_owned(),
                Mode::Rounds(_) => "rounds".to_owned(),
            },
            rounds: match mode {
                Mode::Adaptive => SCREEN_ROUNDS + CONFIRM_ROUNDS,
                Mode::Rounds(rounds) => rounds,
            },
            aa,
            delta: request.delta.exp_m1(),
            slices: load.slices,
            slice_seconds: load.slice.as_secs_f64(),
            warmup_seconds: load.warmup.as_secs_f64(),
            threads: request.threads,
        },
        placement: Placement {
            server_cpus: list_cpus(&request.cpus.server),
            client_cpus: list_cpus(&request.cpus.client),
            shared_cpus: request.cpus.shared(),
            memory_bytes: request.memory,
            data: args.data.clone(),
            transport: args.transport.clone(),
        },
        host: facts(facts_of_engine),
    }
}
