//! What there is to be known of the machine. Reads `/proc` and `/sys`, counts stolen CPU time for
//! a moment, and times writes that reach the disk; whatever can't be read stays unknown.

use std::collections::BTreeSet;
use std::io::Write as _;
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::command::host::{Cpus, free_disk, meminfo, number_of_cpus};
use crate::journal::HostFacts;

/// The least time over which stolen CPU time is counted.
const STEAL_TIME: Duration = Duration::from_secs(1);
/// Writes that are timed.
const WRITES: usize = 200;
/// No more is written when that took so long.
const WRITES_LIMIT: Duration = Duration::from_secs(5);

/// Where servers would be.
#[derive(Debug, Clone, Copy)]
pub(in crate::command) struct Placed<'a> {
    /// CPUs of servers and load.
    pub(in crate::command) cpus: &'a Cpus,
    /// Where data directories are.
    pub(in crate::command) data: &'a Path,
    /// Docker's version, storage driver and cgroup version.
    pub(in crate::command) docker: [&'a str; 3],
    /// Whether stolen time is counted and writes are timed, which takes a second or more.
    pub(in crate::command) times: bool,
}

/// Looks at everything.
pub(in crate::command) fn look(placed: &Placed<'_>) -> HostFacts {
    let load_average = read("/proc/loadavg")
        .and_then(|t| t.split_whitespace().next()?.parse().ok())
        .unwrap_or(0.0);
    let before = stolen();
    let began = Instant::now();
    let latencies = if placed.times { writes(placed.data) } else { Vec::new() };
    if placed.times {
        std::thread::sleep(STEAL_TIME.saturating_sub(began.elapsed()));
    }
    let steal_pct = match (before, stolen()) {
        (Some((s0, all0)), Some((s1, all1))) if placed.times && all1 > all0 => {
            Some(100.0 * s1.saturating_sub(s0) as f64 / (all1 - all0) as f64)
        }
        _ => None,
    };
    let quantile = |q: f64| {
        let at = ((latencies.len() as f64 * q).ceil() as usize).checked_sub(1)?;
        Some(latencies.get(at)?.as_secs_f64() * 1e6)
    };
    let unknown = || "unknown".to_owned();
    let [docker, storage_driver, cgroup] = placed.docker.map(str::to_owned);
    let swap = |field| meminfo(field).unwrap_or(0);
    HostFacts {
        cpu: model().unwrap_or_else(unknown),
        cpus: u32::try_from(number_of_cpus()).unwrap_or(u32::MAX),
        memory_bytes: meminfo("MemTotal").unwrap_or(0),
        kernel: read("/proc/sys/kernel/osrelease").unwrap_or_else(unknown),
        governor: read("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")
            .unwrap_or_else(unknown),
        thp: read("/sys/kernel/mm/transparent_hugepage/enabled")
            .and_then(|text| Some(text.split_once('[')?.1.split_once(']')?.0.to_owned()))
            .unwrap_or_else(unknown),
        docker,
        storage_driver,
        cgroup,
        load_average,
        turbo: turbo().unwrap_or_else(unknown),
        smt_shared: shares_cores(placed.cpus, siblings),
        steal_pct,
        swap_used_bytes: swap("SwapTotal").saturating_sub(swap("SwapFree")),
        memory_free_bytes: meminfo("MemAvailable").unwrap_or(0),
        file_system: file_system(placed.data).unwrap_or_else(unknown),
        disk_free_bytes: free_disk(placed.data).unwrap_or(0),
        fsync_p50_us: quantile(0.50),
        fsync_p99_us: quantile(0.99),
        warnings: Vec::new(),
    }
}

fn read(path: impl AsRef<Path>) -> Option<String> {
    std::fs::read_to_string(path).ok().map(|text| text.trim().to_owned())
}

fn model() -> Option<String> {
    let text = read("/proc/cpuinfo")?;
    let line = text.lines().find(|l| l.starts_with("model name"))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}

fn turbo() -> Option<String> {
    let on = match read("/sys/devices/system/cpu/intel_pstate/no_turbo").as_deref() {
        Some("0") => true,
        Some(_) => false,
        None => read("/sys/devices/system/cpu/cpufreq/boost")? == "1",
    };
    Some(if on { "on" } else { "off" }.to_owned())
}

/// Jiffies that were stolen, and all, since the machine started.
fn stolen() -> Option<(u64, u64)> {
    let text = read("/proc/stat")?;
    let fields: Vec<u64> = text
        .lines()
        .next()?
        .split_whitespace()
        .skip(1)
        .map_while(|field| field.parse().ok())
        .collect();
    // user nice system idle iowait irq softirq steal; guest time is in user already.
    Some((*fields.get(7)?, fields.iter().take(8).sum()))
}

/// CPUs that are one core with this one.
fn siblings(cpu: usize) -> Option<String> {
    read(format!("/sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list"))
}

/// Whether a CPU of the servers is half of a core whose other half is the load's.
fn shares_cores(cpus: &Cpus, siblings: impl Fn(usize) -> Option<String>) -> bool {
    let cores = |list: &[usize]| -> BTreeSet<String> {
        list.iter().filter_map(|cpu| siblings(*cpu)).collect()
    };
    let (server, client) = (cores(&cpus.server), cores(&cpus.client));
    !cpus.shared() && server.intersection(&client).next().is_some()
}

/// The type of the file system where a path is, from the mount that is nearest to it.
fn file_system(path: &Path) -> Option<String> {
    let there = path.ancestors().find(|p| p.exists())?.canonicalize().ok()?;
    let mounts = read("/proc/self/mounts")?;
    mounts
        .lines()
        .filter_map(|line| {
            let mut fields = line.split(' ').skip(1);
            let at = PathBuf::from(fields.next()?.replace("\\040", " "));
            let kind = fields.next()?;
            there.starts_with(&at).then(|| (at.as_os_str().len(), kind.to_owned()))
        })
        // Of two at one place the later hides the earlier.
        .max_by_key(|(length, _)| *length)
        .map(|(_, kind)| kind)
}

/// Times of writes of 4 KiB that are on disk when they return, in ascending order; on the file
/// system of `path`, where that has a directory that may be written to. Else there are none.
fn writes(path: &Path) -> Vec<Duration> {
    let device = |path: &Path| Some(path.metadata().ok()?.dev());
    let Some(wanted) = path.ancestors().find_map(device) else { return Vec::new() };
    let here = std::env::current_dir().ok();
    let home = std::env::var_os("HOME").map(PathBuf::from);
    let places = [Some(PathBuf::from("/var/tmp")), here, home, Some(PathBuf::from("/tmp"))];
    let place = places.into_iter().flatten().find(|p| {
        let may_write = rustix::fs::access(p, rustix::fs::Access::WRITE_OK).is_ok();
        may_write && device(p) == Some(wanted)
    });
    let Some(place) = place else { return Vec::new() };
    let name = place.join(format!(".cnfsweep-writes-{}", std::process::id()));
    let mut times = timed_writes(&name).unwrap_or_default();
    let _ = std::fs::remove_file(&name);
    times.sort_unstable();
    times
}

fn timed_writes(name: &Path) -> std::io::Result<Vec<Duration>> {
    let mut file =
        std::fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(name)?;
    let began = Instant::now();
    let mut times = Vec::with_capacity(WRITES);
    while times.len() < WRITES && began.elapsed() < WRITES_LIMIT {
        let start = Instant::now();
        file.write_all(&[0; 4096])?;
        file.sync_data()?;
        times.push(start.elapsed());
    }
    Ok(times)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cores_that_are_shared_are_seen() {
        // Two cores of two threads each: 0 with 2, 1 with 3.
        let siblings = |cpu: usize| Some(["0,2", "1,3", "0,2", "1,3"][cpu].to_owned());
        let cpus = |server: &[usize], client: &[usize]| Cpus {
            server: server.to_vec(),
            client: client.to_vec(),
        };
        assert!(shares_cores(&cpus(&[0, 1, 2], &[3]), siblings));
        assert!(!shares_cores(&cpus(&[0, 2], &[1, 3]), siblings));
        assert!(!shares_cores(&cpus(&[0], &[0]), siblings));
        assert!(!shares_cores(&cpus(&[0], &[1]), |_| None));
    }

    #[test]
    fn the_machine_that_runs_the_tests_can_be_looked_at() {
        let cpus = Cpus { server: vec![0], client: vec![0] };
        let placed = Placed {
            cpus: &cpus,
            data: Path::new("/"),
            docker: ["1", "overlay2", "2"],
            times: true,
        };
        let facts = look(&placed);
        assert!(facts.cpus > 0 && facts.memory_bytes > facts.memory_free_bytes);
        assert!(facts.steal_pct.is_none_or(|s| (0.0..=100.0).contains(&s)));
        assert_ne!(facts.file_system, "unknown");
        assert!(facts.fsync_p50_us <= facts.fsync_p99_us);
        let left = |dir: &str| {
            let entries = std::fs::read_dir(dir).into_iter().flatten().flatten();
            let name = format!(".cnfsweep-writes-{}", std::process::id());
            entries.filter(|e| e.file_name() == name.as_str()).count()
        };
        assert_eq!(left("/var/tmp") + left("/tmp"), 0);
    }
}
