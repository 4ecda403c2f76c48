//! What else the machine did while a pair was measured: CPU time that the hypervisor took, other
//! processes on the same CPUs, heat. From `/proc` and `/sys`, before and after, never in between.

use std::collections::{BTreeMap, VecDeque};
use std::path::{Path, PathBuf};
use std::time::Instant;

use crate::stats::environment::{Disturbance, Limits, Rejection};

/// As many measurements say what is normal on this machine.
const REMEMBERED: usize = 30;
/// Kernel threads have this flag (`PF_KTHREAD`).
const KERNEL_THREAD: u64 = 0x0020_0000;
/// Names of the container engine's processes, cut off at 15 letters as the kernel does.
const CONTAINER_ENGINE: [&str; 6] =
    ["dockerd", "containerd", "containerd-shim", "runc", "docker-proxy", "docker"];

/// Watches the CPUs of servers and load, and knows by and by what is normal on them.
#[derive(Debug)]
pub(super) struct Watch {
    root: PathBuf,
    server_cpus: Vec<usize>,
    client_cpus: Vec<usize>,
    /// Of the last measurements, those that were thrown away among them.
    seen: VecDeque<Disturbance>,
}

impl Watch {
    /// For servers and load on these CPUs; none: any.
    pub(super) fn new(server_cpus: &[usize], client_cpus: &[usize]) -> Self {
        Self::below(Path::new("/"), server_cpus, client_cpus)
    }

    fn below(root: &Path, server_cpus: &[usize], client_cpus: &[usize]) -> Self {
        Self {
            root: root.to_owned(),
            server_cpus: server_cpus.to_vec(),
            client_cpus: client_cpus.to_vec(),
            seen: VecDeque::new(),
        }
    }

    /// What there is to count, so far; `ours` are the pair's servers.
    pub(super) fn look(&self, ours: &[u32]) -> Look {
        Look {
            at: Instant::now(),
            cpus: cpus(&self.root.join("proc/stat")),
            processes: processes(&self.root.join("proc"), ours),
            throttled: throttled(&self.root.join("sys/devices/system/cpu")),
        }
    }

    /// What went on between two looks.
    pub(super) fn between(&self, before: &Look, after: &Look) -> Disturbance {
        let seconds = after.at.duration_since(before.at).as_secs_f64();
        let ticks = seconds * rustix::param::clock_ticks_per_second() as f64;
        let others = |cpus: &[usize]| used_by_others(before, after, cpus) as f64 / ticks;
        let used = [self.server_cpus.as_slice(), &self.client_cpus].concat();
        Disturbance {
            steal: stolen(before, after, &used),
            others_on_server: others(&self.server_cpus),
            others_on_client: others(&self.client_cpus),
            throttled: after.throttled > before.throttled,
        }
    }

    /// Whether the measurement has to be thrown away, by what is normal here; and remembers it.
    pub(super) fn judge(&mut self, seen: Disturbance) -> Option<Rejection> {
        let rejected = self.limits().reject(&seen);
        if self.seen.len() == REMEMBERED {
            self.seen.pop_front();
        }
        self.seen.push_back(seen);
        rejected
    }

    fn limits(&self) -> Limits {
        Limits::for_machine(self.seen.iter())
    }
}

/// Counters of the machine at one moment.
#[derive(Debug)]
pub(super) struct Look {
    at: Instant,
    /// Per CPU: stolen, and all, in ticks.
    cpus: BTreeMap<usize, [u64; 2]>,
    /// By process id and time of start, which no two have in common.
    processes: BTreeMap<(u32, u64), Process>,
    /// How often CPUs were slowed down for their heat.
    throttled: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Process {
    parent: u32,
    /// CPU time, ticks.
    used: u64,
    /// That of its children that have ended and their children.
    children: u64,
    /// Where it ran last.
    cpu: usize,
    /// The sweep itself, its servers, the container engine, the kernel.
    is_ours: bool,
}

fn cpus(stat: &Path) -> BTreeMap<usize, [u64; 2]> {
    let text = std::fs::read_to_string(stat).unwrap_or_default();
    text.lines()
        .filter_map(|line| {
            let mut words = line.split_ascii_whitespace();
            let number = words.next()?.strip_prefix("cpu")?.parse().ok()?;
            let times: Vec<u64> = words.map_while(|word| word.parse().ok()).collect();
            // user nice system idle iowait irq softirq steal; guest time is in user already.
            Some((number, [*times.get(7)?, times.iter().take(8).sum()]))
        })
        .collect()
}

fn processes(proc: &Path, ours: &[u32]) -> BTreeMap<(u32, u64), Process> {
    let Ok(entries) = std::fs::read_dir(proc) else { return BTreeMap::new() };
    entries
        .flatten()
        .filter_map(|entry| {
            let id: u32 = entry.file_name().to_str()?.parse().ok()?;
            // One that has just ended is no longer there.
            let stat = std::fs::read_to_string(entry.path().join("stat")).ok()?;
            let (started, mut process) = process(&stat)?;
            process.is_ours |= id == std::process::id() || ours.contains(&id);
            Some(((id, started), process))
        })
        .collect()
}

/// `/proc/PID/stat`, as proc(5) has it. The name is in brackets, and may have any in it.
fn process(stat: &str) -> Option<(u64, Process)> {
    let name = stat.get(stat.find('(')? + 1..stat.rfind(')')?)?;
    let fields: Vec<&str> = stat.get(stat.rfind(')')? + 1..)?.split_ascii_whitespace().collect();
    // The first of them is field 3, the state.
    let field = |number: usize| fields.get(number - 3)?.parse::<u64>().ok();
    let signed = |number: usize| fields.get(number - 3)?.parse::<i64>().ok();
    let ended = |number: usize| Some(u64::try_from(signed(number)?).unwrap_or(0));
    let process = Process {
        parent: u32::try_from(field(4)?).ok()?,
        used: field(14)? + field(15)?,
        children: ended(16)? + ended(17)?,
        cpu: usize::try_from(field(39)?).ok()?,
        is_ours: field(9)? & KERNEL_THREAD != 0 || CONTAINER_ENGINE.contains(&name),
    };
    Some((field(22)?, process))
}

fn throttled(cpus: &Path) -> u64 {
    let Ok(entries) = std::fs::read_dir(cpus) else { return 0 };
    entries
        .flatten()
        .filter_map(|cpu| {
            let count = cpu.path().join("thermal_throttle/core_throttle_count");
            std::fs::read_to_string(count).ok()?.trim().parse::<u64>().ok()
        })
        .sum()
}

/// Part of the time of these CPUs (none: of all) that was stolen; NaN where it isn't counted.
fn stolen(before: &Look, after: &Look, cpus: &[usize]) -> f64 {
    let (mut stolen, mut all) = (0, 0);
    for (cpu, now) in after.cpus.iter().filter(|(cpu, _)| cpus.is_empty() || cpus.contains(cpu)) {
        if let Some(then) = before.cpus.get(cpu) {
            stolen += now[0].saturating_sub(then[0]);
            all += now[1].saturating_sub(then[1]);
        }
    }
    if all == 0 { f64::NAN } else { stolen as f64 / all as f64 }
}

/// Ticks that other processes used. A process counts where it was seen last. One that came and went
/// in between counts as its parent's: the kernel adds what a child used to its parent when it has
/// ended, from which what it had used before the first look is taken out again.
fn used_by_others(before: &Look, after: &Look, cpus: &[usize]) -> u64 {
    let mut used_before: BTreeMap<u32, u64> = BTreeMap::new();
    let gone = |(key, _): &(&(u32, u64), &Process)| !after.processes.contains_key(*key);
    for (_, gone) in before.processes.iter().filter(gone) {
        *used_before.entry(gone.parent).or_default() += gone.used + gone.children;
    }
    after
        .processes
        .iter()
        .filter(|(_, process)| !process.is_ours)
        .filter(|(_, process)| cpus.is_empty() || cpus.contains(&process.cpu))
        .map(|(key, now)| {
            let (used, children) =
                before.processes.get(key).map_or((0, 0), |then| (then.used, then.children));
            let of_the_gone = used_before.get(&key.0).copied().unwrap_or(0);
            now.used.saturating_sub(used)
                + now.children.saturating_sub(children).saturating_sub(of_the_gone)
        })
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A machine of files: times of two CPUs, and processes as (id, parent, flags, used, children,
    /// CPU, name).
    fn machine(cpus: [[u64; 2]; 2], processes: &[(u32, u32, u64, u64, u64, usize, &str)]) -> Look {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path();
        let proc = root.join("proc");
        std::fs::create_dir(&proc).unwrap();
        let mut stat = "cpu  1 2 3 4 5 6 7 8 9 10\n".to_owned();
        for (number, [stolen, idle]) in cpus.into_iter().enumerate() {
            stat += &format!("cpu{number} 0 0 0 {idle} 0 0 0 {stolen} 0 0\n");
        }
        std::fs::write(proc.join("stat"), stat + "intr 1 2 3\n").unwrap();
        std::fs::create_dir(proc.join("sys")).unwrap();
        for (id, parent, flags, used, children, cpu, name) in processes {
            let own = proc.join(id.to_string());
            std::fs::create_dir(&own).unwrap();
            let text = format!(
                "{id} ({name}) S {parent} 1 1 0 -1 {flags} 0 0 0 0 {used} 0 {children} 0 20 0 1 0 \
                 77 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 17 {cpu} 0 0 0 0 0 0\n"
            );
            std::fs::write(own.join("stat"), text).unwrap();
        }
        Watch::below(root, &[0], &[1]).look(&[40])
    }

    fn seen(before: &Look, after: &mut Look) -> Disturbance {
        let ticks = rustix::param::clock_ticks_per_second();
        after.at = before.at + std::time::Duration::from_secs(100 / ticks.min(100));
        Watch::below(Path::new("/"), &[0], &[1]).between(before, after)
    }

    #[test]
    fn other_processes_count_where_they_run_and_ours_do_not() {
        let before = machine([[5, 100], [5, 100]], &[(7, 1, 0, 50, 0, 0, "a ) b")]);
        let mut after = machine(
            [[5, 200], [5, 200]],
            &[
                (7, 1, 0, 80, 0, 0, "a ) b"),
                (8, 1, 0, 20, 0, 1, "new"),
                (40, 1, 0, 90, 0, 0, "mysqld"),
                (41, 1, KERNEL_THREAD, 90, 0, 0, "kworker/0:1"),
                (42, 1, 0, 90, 0, 1, "containerd-shim"),
            ],
        );
        let seen = seen(&before, &mut after);
        assert!((seen.others_on_server - 0.3).abs() < 1e-9, "{seen:?}");
        assert!((seen.others_on_client - 0.2).abs() < 1e-9, "{seen:?}");
        assert_eq!(seen.steal, 0.0);
    }

    #[test]
    fn children_that_came_and_went_count_once() {
        // 9 had used 60 before, 30 more until its end; another child came and went with 5.
        let before = machine([[0, 1]; 2], &[(7, 1, 0, 0, 0, 0, "sh"), (9, 7, 0, 60, 0, 0, "cc")]);
        let mut after = machine([[0, 2]; 2], &[(7, 1, 0, 0, 95, 0, "sh")]);
        let seen = seen(&before, &mut after);
        assert!((seen.others_on_server - 0.35).abs() < 1e-9, "{seen:?}");
    }

    #[test]
    fn stolen_time_is_that_of_the_cpus_in_use() {
        let before = machine([[0, 100], [0, 100]], &[]);
        let mut after = machine([[10, 190], [30, 170]], &[]);
        assert!((seen(&before, &mut after).steal - 0.2).abs() < 1e-9);
        let server_only = Watch::below(Path::new("/"), &[0], &[0]);
        assert!((server_only.between(&before, &after).steal - 0.1).abs() < 1e-9);
    }

    #[test]
    fn a_machine_that_says_nothing_rejects_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let mut watch = Watch::below(dir.path(), &[0], &[1]);
        let (before, after) = (watch.look(&[]), watch.look(&[]));
        let nothing = watch.between(&before, &after);
        assert_eq!(watch.judge(nothing), None);
    }

    #[test]
    fn the_machine_that_runs_the_tests_is_watched() {
        let watch = Watch::new(&[], &[]);
        let before = watch.look(&[]);
        assert!(before.processes.values().any(|p| p.is_ours), "not even this test is seen");
        let mut busy =
            std::process::Command::new("sh").args(["-c", "while :; do :; done"]).spawn().unwrap();
        // Until the kernel says that it was busy; an hour of waiting would end the test, too.
        let others = loop {
            std::thread::sleep(std::time::Duration::from_millis(50));
            let after = watch.look(&[]);
            let seen = used_by_others(&before, &after, &[]);
            if seen > 2 || after.at - before.at > std::time::Duration::from_secs(60) {
                break watch.between(&before, &after).others_on_server;
            }
        };
        busy.kill().unwrap();
        busy.wait().unwrap();
        assert!(others > 0.0);
    }

    #[test]
    fn what_is_normal_is_learnt() {
        let mut watch = Watch::below(Path::new("/"), &[0], &[1]);
        let noisy = |steal| Disturbance { steal, ..Disturbance::default() };
        for steal in [0.05, 0.06, 0.05] {
            assert!(watch.judge(noisy(steal)).is_some());
        }
        assert_eq!(watch.judge(noisy(0.06)), None);
        for _ in 0..2 * REMEMBERED {
            watch.judge(noisy(0.0));
        }
        assert_eq!(watch.seen.len(), REMEMBERED);
        assert!(watch.judge(noisy(0.06)).is_some());
    }
}
