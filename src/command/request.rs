//! What was typed, turned once into what is meant. Everything that can be wrong without a server
//! is found here, before anything is started.

use std::os::unix::ffi::{OsStrExt as _, OsStringExt};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::failure::Failure;
use super::host::{Cpus, available_memory, parse_size};
use crate::cli::SweepArgs;
use crate::journal::clock;
use crate::optionfile::{
    Flattened, LoadError, Loader, OptionFile, Product, SyntaxError, is_secret, redacted_line,
};
use crate::profile::{BUILTIN, Profile, builtin_names};
use crate::stats::percent::log_ratio;
use crate::toggle::{Machine, Wishes};

/// A sweep as it is meant.
#[derive(Debug)]
pub(super) struct Request {
    pub(super) base_path: PathBuf,
    pub(super) base_bytes: Vec<u8>,
    pub(super) profile: Profile,
    pub(super) wishes: Wishes,
    pub(super) threads: u32,
    pub(super) length: Length,
    pub(super) aa: Option<u32>,
    /// ln(1 + the smallest difference of interest).
    pub(super) delta: f64,
    pub(super) seed: u64,
    pub(super) cpus: Cpus,
    pub(super) memory: u64,
    pub(super) tmpfs: bool,
    pub(super) id: String,
    pub(super) dir: PathBuf,
}

/// How many rounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Length {
    /// Screening and confirmation.
    Adaptive,
    /// That many for all.
    Rounds(u32),
    /// As many as fit.
    Within(Duration),
}

impl Request {
    /// Makes sense of the arguments, or says what is wrong with them.
    pub(super) fn of(args: &SweepArgs) -> Result<Self, Failure> {
        not_there_yet(args)?;
        let base_path = args.base.clone().ok_or_else(|| Failure::usage("--base is missing"))?;
        let bench = args.bench.clone().ok_or_else(|| Failure::usage("--bench is missing"))?;
        let profile = find_profile(&bench)?;
        let base_bytes = read_base(&base_path)?;
        check_for_any_server(&base_path, &base_bytes)?;
        let threads = threads(args, &profile)?;
        let cpus = Cpus::assign(args.server_cpus.as_deref(), args.client_cpus.as_deref())
            .map_err(Failure::usage)?;
        let tmpfs = match args.data.as_str() {
            "volume" => false,
            "tmpfs" => true,
            other => return Err(Failure::usage(format!("--data {other}: `volume` or `tmpfs`"))),
        };
        let id = sweep_id(&profile.name);
        let name = args.name.clone().unwrap_or_else(|| id.clone());
        if name.is_empty() || name.contains('/') || name.starts_with('.') {
            return Err(Failure::usage(format!(
                "--name {name}: the name of one directory, without `/`"
            )));
        }
        let dir = args.out.join(name);
        if dir.exists() {
            return Err(Failure::usage(format!(
                "`{}` exists already\nhint: choose another --name",
                dir.display()
            )));
        }
        check_writable(&args.out)?;
        let memory = memory(args, tmpfs)?;
        let machine = Machine { cpus: cpus.server.len(), memory, threads };
        Ok(Self {
            wishes: Wishes { machine, ..wishes(args)? },
            threads,
            length: length(args)?,
            aa: args.aa,
            delta: delta(&args.delta)?,
            seed: args.seed.unwrap_or_else(|| u64::from(rand::random::<u32>())),
            memory,
            base_path,
            base_bytes,
            profile,
            cpus,
            tmpfs,
            id,
            dir,
        })
    }

    /// The base file with its includes in place, as that server reads it; and what was noticed.
    pub(super) fn base(&self, product: &Product) -> Result<Flattened, Failure> {
        let file = OptionFile::parse(self.base_bytes.clone())
            .with_path(self.base_path.as_os_str().as_bytes());
        if let Err(errors) = file.check(product) {
            return Err(syntax(&errors));
        }
        let flat = file
            .flatten(product, &FileLoader)
            .map_err(|e| Failure::carrying_out(format!("{e}\nhint: {}", e.hint())))?;
        if !flat.file.has_server_group(product) {
            return Err(no_server_group(&self.base_path, Some(product)));
        }
        Ok(flat)
    }
}

/// Flags of the contract whose part is not built yet say so.
fn not_there_yet(args: &SweepArgs) -> Result<(), Failure> {
    let no = |flag: &str| Err(Failure::usage(format!("`{flag}` is not there yet in this version")));
    match args {
        _ if !args.engines.is_empty() => no("--engines"),
        _ if args.transport != "socket" => no("--transport tcp"),
        _ if args.tls => no("--tls"),
        _ if args.resume.is_some() => no("--resume"),
        _ => Ok(()),
    }
}

/// Finds out now, rather than after all servers were probed, that results can't be written.
fn check_writable(out: &Path) -> Result<(), Failure> {
    let absolute = std::path::absolute(out).unwrap_or_else(|_| out.to_owned());
    let there = absolute.ancestors().find(|dir| dir.exists()).unwrap_or(&absolute);
    let access = rustix::fs::Access::WRITE_OK | rustix::fs::Access::EXEC_OK;
    match rustix::fs::access(there, access) {
        Ok(()) if there.is_dir() => Ok(()),
        Ok(()) => Err(Failure::carrying_out(format!(
            "`{}` is no directory\nhint: name another with --out",
            there.display()
        ))),
        Err(e) => Err(Failure::carrying_out(format!(
            "results can't be written below `{}`: {e}\nhint: name another directory with --out",
            there.display()
        ))),
    }
}

/// Reads the base file.
pub(super) fn read_base(path: &Path) -> Result<Vec<u8>, Failure> {
    std::fs::read(path).map_err(|e| {
        let hint = match e.kind() {
            std::io::ErrorKind::NotFound => "check the path given to --base",
            std::io::ErrorKind::PermissionDenied => {
                "run as a user who may read it, or copy it (`sudo cat`)"
            }
            _ => "--base takes one option file, such as /etc/mysql/my.cnf",
        };
        Failure::carrying_out(format!("could not read `{}`: {e}\nhint: {hint}", path.display()))
    })
}

/// What to say of a base file that servers ignore where it lies, because everybody may write to it.
pub(super) fn ignored_by_servers(path: &Path) -> Option<String> {
    let path_shown = path.display();
    std::fs::metadata(path).is_ok_and(|about| everybody_may_write(&about)).then(|| {
        format!(
            "`{path_shown}` is world-writable, and servers ignore such a file: `chmod o-w {path_shown}`"
        )
    })
}

fn everybody_may_write(about: &std::fs::Metadata) -> bool {
    about.is_file() && about.permissions().mode() & 0o002 != 0
}

/// A file that no server reads is found before Docker is asked what server it is.
fn check_for_any_server(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let file = OptionFile::parse(bytes).with_path(path.as_os_str().as_bytes());
    let servers = ["mysql-9.7", "mariadb-11.8"].map(str::parse::<Product>);
    let servers: Vec<Product> = servers.into_iter().flatten().collect();
    let checks: Vec<_> = servers.iter().map(|product| file.check(product)).collect();
    if let Some(Err(errors)) = checks.first()
        && checks.iter().all(Result::is_err)
    {
        return Err(syntax(errors));
    }
    // `[mysqld-8.4]` is one to some server; `[mysqldump]` and `[mariadb-dump]` are to none.
    let any_group = file.group_names().any(|group| {
        servers.iter().any(|product| product.reads(group))
            || ["mysqld-", "mariadb-", "mariadbd-"].iter().any(|name| {
                let rest =
                    group.to_ascii_lowercase().strip_prefix(name.as_bytes()).map(<[u8]>::to_vec);
                rest.is_some_and(|version| version.first().is_some_and(u8::is_ascii_digit))
            })
    });
    let includes = bytes
        .split(|b| *b == b'\n')
        .any(|line| matches!(line.trim_ascii_start().first(), Some(b'!' | b'?')));
    if any_group || includes { Ok(()) } else { Err(no_server_group(path, None)) }
}

fn no_server_group(path: &Path, product: Option<&Product>) -> Failure {
    let reader = product.map_or_else(|| "a server".to_owned(), ToString::to_string);
    Failure::carrying_out(format!(
        "{}: no group that {reader} reads\nhint: put the server's options under `[mysqld]`",
        path.display()
    ))
}

fn syntax(errors: &[SyntaxError]) -> Failure {
    const SHOWN: usize = 10;
    let mut text = String::new();
    for error in errors.iter().take(SHOWN) {
        if !text.is_empty() {
            text.push_str("\nerror: ");
        }
        text.push_str(&format!("{error}\nhint: {}", error.hint()));
    }
    Failure::carrying_out(text)
}

/// A benchmark by name or file.
pub(super) fn find_profile(bench: &str) -> Result<Profile, Failure> {
    if let Some((name, text)) = BUILTIN.iter().find(|(name, _)| *name == bench) {
        return Ok(Profile::parse(name, name, text)?);
    }
    let path = Path::new(bench);
    let is_file = bench.contains('/') || path.extension().is_some_and(|e| e == "toml");
    if !is_file {
        return Err(Failure::usage(format!(
            "there is no benchmark `{bench}`; there are {}\nhint: a file of your own ends in \
             `.toml`",
            builtin_names()
        )));
    }
    let text = std::fs::read_to_string(path)
        .map_err(|e| Failure::usage(format!("could not read profile `{bench}`: {e}")))?;
    let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    Ok(Profile::parse(&name, bench, &text)?)
}

fn threads(args: &SweepArgs, profile: &Profile) -> Result<u32, Failure> {
    match args.threads.as_slice() {
        [] => Ok(profile.load.threads[0]),
        [threads @ 1..=3_000] => Ok(*threads),
        [other] => Err(Failure::usage(format!("--threads {other}: from 1 to 3000"))),
        _ => Err(Failure::usage("a ladder of `--threads` is not there yet in this version")),
    }
}

fn length(args: &SweepArgs) -> Result<Length, Failure> {
    if let Some(rounds) = args.rounds {
        return match rounds {
            2..=1_000 => Ok(Length::Rounds(rounds)),
            _ => Err(Failure::usage(format!(
                "--rounds {rounds}: from 2 to 1000; one pair alone has no interval"
            ))),
        };
    }
    if let Some(budget) = &args.budget {
        let parsed = budget.parse::<jiff::SignedDuration>().ok();
        return parsed
            .and_then(|d| Duration::try_from(d).ok())
            .filter(|d| *d >= Duration::from_secs(60))
            .map(Length::Within)
            .ok_or_else(|| {
                Failure::usage(format!("--budget {budget}: a time such as `45m` or `2h`"))
            });
    }
    if let Some(until) = &args.until {
        return clock::until(until).map(Length::Within).ok_or_else(|| {
            Failure::usage(format!("--until {until}: a time of day such as `06:00`"))
        });
    }
    Ok(Length::Adaptive)
}

fn delta(text: &str) -> Result<f64, Failure> {
    text.trim()
        .trim_end_matches('%')
        .trim()
        .parse::<f64>()
        .ok()
        .filter(|percent| (0.1..=100.0).contains(percent))
        .and_then(log_ratio)
        .ok_or_else(|| Failure::usage(format!("--delta {text}: percent from 0.1 to 100, `5%`")))
}

fn memory(args: &SweepArgs, tmpfs: bool) -> Result<u64, Failure> {
    /// Below this no server starts.
    const LEAST: u64 = 256 << 20;
    let free = available_memory();
    match &args.memory {
        Some(text) => {
            let memory = parse_size(text).ok_or_else(|| {
                Failure::usage(format!("--memory {text}: a size such as `4g` or `512m`"))
            })?;
            if memory < LEAST {
                return Err(Failure::usage(format!("--memory {text}: at least 256m")));
            }
            // A tmpfs is filled by the clone, and counts.
            let factor = if tmpfs { 2 } else { 1 };
            if memory.saturating_mul(2) > free.saturating_mul(factor) {
                return Err(Failure::carrying_out(format!(
                    "two servers of {text} don't fit into the {} MB of memory that are \
                     free\nhint: give each less with --memory",
                    free >> 20
                )));
            }
            Ok(memory)
        }
        None => Ok((free / 5 * 2).max(LEAST)),
    }
}

fn wishes(args: &SweepArgs) -> Result<Wishes, Failure> {
    let patterns = |flag: &str, globs: &[String]| {
        globs
            .iter()
            .filter(|glob| !glob.trim().is_empty())
            .map(|glob| {
                // Names are compared with `_`, whatever the file writes.
                let canonical = glob.trim().replace('-', "_");
                glob::Pattern::new(&canonical)
                    .map_err(|e| Failure::usage(format!("{flag} {glob}: {e}")))
            })
            .collect::<Result<Vec<_>, _>>()
    };
    let pair = |text: &String| match text.split_once('=') {
        Some((name, value)) => (name.trim().to_owned(), Some(value.to_owned())),
        None => (text.trim().to_owned(), None),
    };
    let set = args
        .set
        .iter()
        .map(|text| match text.split_once('=') {
            Some((name, values)) if !name.trim().is_empty() => {
                let values = values.split(',').map(str::to_owned).collect();
                Ok((name.trim().to_owned(), values))
            }
            _ => Err(Failure::usage(format!("--set {text}: write `name=value,value`"))),
        })
        .collect::<Result<_, _>>()?;
    Ok(Wishes {
        only: patterns("--only", &args.only)?,
        skip: patterns("--skip", &args.skip)?,
        set,
        also: args.also.iter().map(pair).collect(),
        both: args.both.iter().map(pair).collect(),
        drop: args.drop.clone(),
        drop_unknown: args.drop_unknown,
        values: args.values,
        scale: args.scale,
        machine: Machine::default(),
    })
}

/// `<UTC time>-<bench>-<short random>`, fit for a directory and a container's name.
pub(super) fn sweep_id(bench: &str) -> String {
    const LONGEST: usize = 24;
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    let bench: String = bench.chars().filter(|c| plain(*c)).take(LONGEST).collect();
    format!("{}-{bench}-{:04x}", clock::id_stamp(), rand::random::<u16>())
}

/// The command line without secrets that `--both` and `--set` may carry.
pub(super) fn redacted_command_line() -> Vec<String> {
    std::env::args()
        .map(|word| {
            let (flag, rest) = match word.split_once('=') {
                Some((flag, rest)) if flag.starts_with("--") => (format!("{flag}="), rest),
                _ => (String::new(), word.as_str()),
            };
            let pieces = rest.split(',').map(|piece| match piece.split_once('=') {
                Some((name, _)) if is_secret(name.trim().as_bytes()) => format!("{name}=********"),
                _ => piece.to_owned(),
            });
            let rest = pieces.collect::<Vec<_>>().join(",");
            // Secrets inside of values, such as SQL with a password.
            flag + &String::from_utf8_lossy(&redacted_line(rest.as_bytes()))
        })
        .collect()
}

/// Included files, read as the user who runs cnfsweep may read them.
pub(super) struct FileLoader;

impl Loader for FileLoader {
    fn read(&self, path: &[u8]) -> Result<Vec<u8>, LoadError> {
        let path = Path::new(std::ffi::OsStr::from_bytes(path));
        let about = std::fs::metadata(path).map_err(load_error)?;
        if about.is_dir() {
            return Err(LoadError::IsDirectory);
        }
        if everybody_may_write(&about) {
            return Err(LoadError::WorldWritable);
        }
        std::fs::read(path).map_err(load_error)
    }

    fn list_dir(&self, path: &[u8]) -> Result<Vec<Vec<u8>>, LoadError> {
        std::fs::read_dir(Path::new(std::ffi::OsStr::from_bytes(path)))
            .map_err(load_error)?
            .map(|entry| Ok(entry.map_err(load_error)?.file_name().into_vec()))
            .collect()
    }

    fn home(&self) -> Option<Vec<u8>> {
        std::env::var_os("HOME").map(OsStringExt::into_vec)
    }
}

fn load_error(e: std::io::Error) -> LoadError {
    match e.kind() {
        std::io::ErrorKind::NotFound => LoadError::NotFound,
        std::io::ErrorKind::PermissionDenied => LoadError::PermissionDenied,
        _ => LoadError::Unreadable(e.to_string()),
    }
}
