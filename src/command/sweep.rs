//! `cnfsweep --base … --bench …`: the straight line from the option file to the report.

use std::path::{Path, PathBuf};
use std::time::Instant;

use super::failure::Failure;
use super::host::{available_memory, free_disk, stay_on};
use super::lock::Lock;
use super::machine::{Check, Placed, checks, look};
use super::output::{self, counted};
use super::progress::Progress;
use super::record::{About, redacted};
use super::refusal;
use super::report::conclude;
use super::request::{Length, Request, ignored_by_servers};
use super::signals::Signals;
use crate::cli::SweepArgs;
use crate::engine::docker::{self, Daemon, DockerEngine, Image};
use crate::engine::fake::FakeEngine;
use crate::engine::{Engine, Limits};
use crate::journal::{HostFacts, Journal, SweepDir, ToggleRow, clock};
use crate::optionfile::{Flattened, Product};
use crate::plan::{Estimate, Starts, data_dir_bytes, estimate};
use crate::stats::screen::{Mode, Schedule, Settings, aa_arms};
use crate::stats::verdict::Rules;
use crate::sweep::{
    self, Arms, Bench, Deadline, Event, Goldens, Probe, Probed, Room, Subject, SweepError,
    ToggleArm,
};
use crate::toggle::{Toggles, build};

/// What is known before the first pair.
pub(super) struct Prepared {
    pub(super) product: Product,
    pub(super) file: Flattened,
    pub(super) toggles: Toggles,
    /// The machine, before anything was started.
    pub(super) host: HostFacts,
    /// How the sweep will go, or why there is nothing to measure.
    pub(super) course: Result<Course, Failure>,
}

/// How a sweep will go.
pub(super) struct Course {
    pub(super) goldens: Goldens,
    pub(super) probed: Probed,
    pub(super) aa: u32,
    pub(super) mode: Mode,
    pub(super) estimate: Estimate,
}

/// Whom a sweep tells how far it is, and who tells it to stop.
pub(super) struct Attendants {
    progress: Progress,
    signals: Signals,
}

/// Runs a sweep.
pub(super) fn run(args: &SweepArgs) -> Result<(), Failure> {
    let request = Request::of(args)?;
    let _lock = Lock::take(&format!("{} since {}", request.id, clock::stamp()), args.wait)?;
    let dir = with_engine(args, &request, async |engine, prepared, attendants| {
        measure(args, &request, engine, prepared, attendants).await
    })?;
    conclude(&dir, args.quiet, args.no_color)
}

/// Makes everything ready on the engine that was asked for, lets `then` go on, and removes what
/// was started, whatever happens.
pub(super) fn with_engine<T, F>(args: &SweepArgs, request: &Request, then: F) -> Result<T, Failure>
where
    F: AsyncFnOnce(AnyEngine<'_>, Prepared, &mut Attendants) -> Result<T, Failure>,
{
    runtime()?.block_on(async {
        let mut attendants = Attendants {
            progress: Progress::new(args.quiet, args.verbose),
            signals: Signals::listen(),
        };
        match &args.fake_engine {
            Some(path) => {
                let text = std::fs::read_to_string(path).map_err(|e| {
                    Failure::usage(format!("could not read `{}`: {e}", path.display()))
                })?;
                let engine = FakeEngine::parse(&text)?;
                let product = engine.product();
                let placed = Placed {
                    cpus: &request.cpus,
                    data: Path::new("/"),
                    docker: ["none", "none", "none"],
                    times: false,
                };
                let host = look(&placed);
                guarded(&engine, &mut attendants, async |attendants| {
                    let prepared = prepare(&engine, product, host, request, attendants).await?;
                    then(AnyEngine::Fake(&engine), prepared, attendants).await
                })
                .await
            }
            None => {
                let Attendants { progress, signals } = &mut attendants;
                let engine = signals.or(docker_engine(args, request, progress)).await;
                let Some(engine) = engine else {
                    docker::let_finish().await;
                    return Err(Failure::Interrupted(None));
                };
                let (engine, product, host) = engine?;
                guarded(&engine, &mut attendants, async |attendants| {
                    let prepared = prepare(&engine, product, host, request, attendants).await?;
                    then(AnyEngine::Docker(&engine), prepared, attendants).await
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
) -> Result<(DockerEngine, Product, HostFacts), Failure> {
    let docker = docker::connect().await?;
    let host = examine(args, request, Daemon::of(&docker).await?, progress).await?;
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
    // Before anything is started: whether the file can be read at all.
    request.base(&product)?;
    let limits =
        Limits { cpus: request.cpus.server.clone(), memory: request.memory, tmpfs: request.tmpfs };
    Ok((DockerEngine::new(docker, &request.id, image, limits).await?, product, host))
}

/// Looks at the machine before anything is started, and warns of what is wrong with it.
async fn examine(
    args: &SweepArgs,
    request: &Request,
    daemon: Daemon,
    progress: &mut Progress,
) -> Result<HostFacts, Failure> {
    progress.phase("looking at CPUs, memory and disk");
    let cpus = request.cpus.clone();
    let looked = tokio::task::spawn_blocking(move || {
        let mut host = look(&Placed {
            cpus: &cpus,
            data: Path::new(&daemon.root),
            docker: [&daemon.version, &daemon.storage_driver, &daemon.cgroup],
            times: true,
        });
        host.warnings = checks(&host, &cpus).iter().filter_map(Check::in_words).collect();
        host
    });
    let host = looked
        .await
        .map_err(|e| Failure::carrying_out(format!("could not look at the machine: {e}")))?;
    for warning in &host.warnings {
        progress.warn(warning);
    }
    if args.strict && !host.warnings.is_empty() {
        return Err(Failure::carrying_out(format!(
            "{} about this machine (--strict)\nhint: mend what they name, or measure without \
             --strict",
            counted(host.warnings.len() as u64, "warning")
        )));
    }
    Ok(host)
}

/// Does `work`, and removes what the engine started however it ends.
async fn guarded<E: Engine, T>(
    engine: &E,
    attendants: &mut Attendants,
    work: impl AsyncFnOnce(&mut Attendants) -> Result<T, Failure>,
) -> Result<T, Failure> {
    let result = work(attendants).await;
    if matches!(result, Err(Failure::Interrupted(_))) {
        attendants.progress.phase("interrupted: removing what was started");
    }
    let cleaned = engine.clean_up().await;
    attendants.progress.finish();
    if let Err(e) = cleaned {
        output::warning(&format!("could not remove everything: {e}; try `cnfsweep clean`"));
    }
    result
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
    host: HostFacts,
    request: &Request,
    attendants: &mut Attendants,
) -> Result<Prepared, Failure> {
    let Attendants { progress, signals } = attendants;
    let work = ready(engine, product, host, request, progress);
    signals.or(work).await.unwrap_or(Err(Failure::Interrupted(None)))
}

async fn ready<E: Engine>(
    engine: &E,
    product: Product,
    host: HostFacts,
    request: &Request,
    progress: &mut Progress,
) -> Result<Prepared, Failure> {
    let file = request.base(&product)?;
    if let Some(why) = ignored_by_servers(&request.base_path) {
        progress.warn(&why);
    }
    for message in &file.messages {
        progress.warn(&message.to_string());
    }
    let mut listen = |event: Event<'_>| progress.event(&event);
    let catalog = sweep::catalog(engine, &product, &mut listen).await?;
    let mut toggles = build(&file, &product, &catalog, &request.wishes)
        .map_err(|e| super::fit::of_toggles(e, request))?;
    if toggles.planned().next().is_none() {
        let course = Err(refusal::nothing_planned(request, &toggles)?);
        return Ok(Prepared { product, file, toggles, host, course });
    }
    for pattern in request.wishes.unmatched(&toggles.list) {
        listen(Event::Warning(&format!("{pattern} matches no option of the file")));
    }
    let subject = Subject { product: &product, names: &catalog.names(), file: &file };
    let checked = sweep::check(engine, &subject, &mut toggles, &mut listen).await;
    let refused = |e, toggles: &Toggles| refusal::of_base(e, request, &product, &catalog, toggles);
    checked.map_err(|e| refused(e, &toggles))?;
    let goldens = sweep::goldens(engine, &request.profile, &mut toggles, &mut listen).await?;
    let by = Probe {
        product: &product,
        catalog: &catalog,
        goldens: &goldens,
        room: Room {
            memory: available_memory(),
            cpus: std::thread::available_parallelism().map_or(1, usize::from),
            data: if request.tmpfs { data_dir_bytes(request.profile.rows()) } else { 0 },
        },
    };
    let probed = sweep::probe(engine, &by, &mut toggles, &mut listen)
        .await
        .map_err(|e| refused(e, &toggles))?;
    let course = course(request, &toggles, goldens, probed);
    Ok(Prepared { product, file, toggles, host, course })
}

/// How many rounds, A/A arms and pairs, by what the probe left to measure.
fn course(
    request: &Request,
    toggles: &Toggles,
    goldens: Goldens,
    probed: Probed,
) -> Result<Course, Failure> {
    let measured = toggles.planned().count();
    if measured == 0 {
        return Err(refusal::nothing_left(&toggles.list));
    }
    let aa = request.aa.unwrap_or_else(|| u32::try_from(aa_arms(measured)).unwrap_or(u32::MAX));
    let arms = measured as u64 + u64::from(aa);
    let load = &request.profile.load;
    let starts = |all| Starts { all, at_once: probed.at_once, goldens: goldens.count() };
    let one_round = estimate(load, request.profile.rows(), arms, starts(0), None).time;
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
    let pairs = schedule(request, measured, aa, mode)?.pairs_at_most() as u64;
    let estimate = estimate(load, request.profile.rows(), pairs, starts(probed.starts), None);
    Ok(Course { goldens, probed, aa, mode, estimate })
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

async fn measure(
    args: &SweepArgs,
    request: &Request,
    engine: AnyEngine<'_>,
    prepared: Prepared,
    attendants: &mut Attendants,
) -> Result<SweepDir, Failure> {
    match engine {
        AnyEngine::Docker(engine) => measure_on(args, request, engine, prepared, attendants).await,
        AnyEngine::Fake(engine) => measure_on(args, request, engine, prepared, attendants).await,
    }
}

async fn measure_on<E: Engine>(
    args: &SweepArgs,
    request: &Request,
    engine: &E,
    prepared: Prepared,
    attendants: &mut Attendants,
) -> Result<SweepDir, Failure> {
    let Attendants { progress, signals } = attendants;
    let Prepared { product, file, toggles, host, course } = prepared;
    let course = course?;
    check_disk(request, &course.estimate)?;
    stay_on(&request.cpus.client);
    let base_cnf = toggles.base_cnf(&product).map_err(SweepError::from)?;
    let mut cnfs = vec![(PathBuf::from("base.cnf"), redacted(&base_cnf))];
    let mut arms = Arms { base_cnf, toggles: Vec::new() };
    for toggle in toggles.planned() {
        let cnf = toggles.toggled_cnf(&product, toggle).map_err(SweepError::from)?;
        cnfs.push((SweepDir::toggle_cnf_name(&toggle.id), redacted(&cnf)));
        let golden = course.goldens.of(toggle).clone();
        arms.toggles.push(ToggleArm { id: toggle.id.clone(), cnf, golden });
    }
    let mut schedule = schedule(request, arms.toggles.len(), course.aa, course.mode)?;
    let rows: Vec<ToggleRow> = toggles.list.iter().map(ToggleRow::from).collect();
    let about = About { args, request, product: &product, file: &file, toggles: &toggles, host };
    let mut journal = Journal::create(&request.dir, &about.file(engine, &course), &rows, &cnfs)?;
    let dir = journal.dir().clone();
    progress.line(&format!(
        "{} and {}, at most {}, {}; results in {}",
        counted(arms.toggles.len() as u64, "toggle"),
        counted(u64::from(course.aa), "A/A arm"),
        counted(course.estimate.pairs, "pair"),
        super::plan::hours(course.estimate.time),
        request.dir.display()
    ));
    let bench = Bench {
        load: request.profile.load.clone(),
        threads: request.threads,
        server_cpus: request.cpus.server.clone(),
        client_cpus: request.cpus.client.clone(),
        golden: course.goldens.base,
    };
    let deadline = match request.length {
        Length::Within(time) => Some(Deadline { at: Instant::now() + time }),
        Length::Adaptive | Length::Rounds(_) => None,
    };
    let mut listen = |event: Event<'_>| progress.event(&event);
    let course = sweep::Course { bench: &bench, arms: &arms, seed: request.seed, deadline };
    let ran = signals.or(sweep::run(engine, &course, &mut schedule, &mut journal, &mut listen));
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
