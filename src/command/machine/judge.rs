//! What the facts of a machine mean for results, and how to mend what is wrong. Pure.

use crate::command::host::{Cpus, list_cpus};
use crate::journal::HostFacts;
use crate::stats::environment::STEAL;

/// One thing that was looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::command) struct Check {
    /// What.
    pub(in crate::command) name: &'static str,
    /// What was found.
    pub(in crate::command) found: String,
    /// What is wrong with it; none where it is as it should be, or not known.
    pub(in crate::command) warning: Option<Warning>,
}

/// What is wrong, and what to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::command) struct Warning {
    /// What it means for results.
    pub(in crate::command) means: &'static str,
    /// What helps.
    pub(in crate::command) mend: &'static str,
}

impl Check {
    /// As one line: what was found, what it means, what helps.
    pub(in crate::command) fn in_words(&self) -> Option<String> {
        let Warning { means, mend } = self.warning.as_ref()?;
        Some(format!("{}: {}: {means}; {mend}", self.name, self.found))
    }
}

/// A load of this part of the CPUs, before anything was started, is other people's.
const BUSY: f64 = 0.2;
/// As much swap in use is more than a leftover.
const SWAPPED: u64 = 64 << 20;
/// Slower ones stall a durable load …
const SLOW_WRITE_US: f64 = 20_000.0;
/// … and so do those that are so many times the usual.
const UNEVEN_WRITES: f64 = 20.0;
/// A pair of servers needs as much.
const LITTLE_MEMORY: u64 = 2 << 30;
const LITTLE_DISK: u64 = 3 << 30;
/// File systems whose writes go elsewhere, or through another layer.
const DISTANT: [&str; 9] =
    ["nfs", "nfs4", "cifs", "smb3", "9p", "virtiofs", "fuse", "fuse.sshfs", "overlay"];

/// Everything that was looked at.
pub(in crate::command) fn checks(facts: &HostFacts, cpus: &Cpus) -> Vec<Check> {
    let warn = |is_wrong: bool, means: &'static str, mend: &'static str| {
        is_wrong.then_some(Warning { means, mend })
    };
    let mib = |bytes: u64| format!("{} MB", bytes >> 20);
    let writes = match (facts.fsync_p50_us, facts.fsync_p99_us) {
        (Some(p50), Some(p99)) => {
            format!("half of 200 within {:.2} ms, 99 % within {:.2} ms", p50 / 1e3, p99 / 1e3)
        }
        _ => "not measured: no directory on that file system may be written to".to_owned(),
    };
    let (p50, p99) = (facts.fsync_p50_us.unwrap_or(0.0), facts.fsync_p99_us.unwrap_or(0.0));
    vec![
        Check {
            name: "CPUs",
            found: format!(
                "{} of {}; servers on {}, load on {}",
                facts.cpus,
                facts.cpu,
                list_cpus(&cpus.server),
                list_cpus(&cpus.client)
            ),
            warning: warn(
                cpus.shared(),
                "servers and load share a CPU, and the load slows the servers that it measures",
                "give them different ones (--server-cpus, --client-cpus), or take a machine with more",
            ),
        },
        Check {
            name: "hyper-threading",
            found: match facts.smt_shared {
                true => "servers and load are on the same cores".to_owned(),
                false => "no core is shared by servers and load".to_owned(),
            },
            warning: warn(
                facts.smt_shared,
                "the load takes execution units from the servers, more when they do less",
                "put them on different cores (`lscpu -e` shows them; --server-cpus, --client-cpus)",
            ),
        },
        Check {
            name: "governor",
            found: facts.governor.clone(),
            warning: warn(
                !matches!(facts.governor.as_str(), "performance" | "unknown"),
                "the clock follows the load, so a server that waits more runs slower, too",
                "`cpupower frequency-set -g performance` for the time of the sweep",
            ),
        },
        Check {
            name: "turbo",
            found: facts.turbo.clone(),
            warning: warn(
                facts.turbo == "on",
                "the clock depends on temperature and on what other cores do: noise",
                "switch it off for the time of the sweep (`intel_pstate/no_turbo`, `cpufreq/boost`)",
            ),
        },
        Check {
            name: "stolen CPU time",
            found: facts.steal_pct.map_or("unknown".to_owned(), |s| format!("{s:.1} %")),
            warning: warn(
                facts.steal_pct.is_some_and(|s| s > 100.0 * STEAL),
                "a shared machine: pairs scatter, and small effects take more rounds",
                "measure on a machine of your own for differences of a few percent",
            ),
        },
        Check {
            name: "load before",
            found: format!("{:.2}", facts.load_average),
            warning: warn(
                facts.load_average > BUSY * f64::from(facts.cpus),
                "something else runs, and takes CPU, cache and disk from both servers",
                "stop it, or measure when it is quiet (--until)",
            ),
        },
        Check {
            name: "transparent huge pages",
            found: facts.thp.clone(),
            warning: warn(
                facts.thp == "always",
                "memory is compacted now and then, which shows as stalls",
                "`echo madvise > /sys/kernel/mm/transparent_hugepage/enabled`",
            ),
        },
        Check {
            name: "swap in use",
            found: mib(facts.swap_used_bytes),
            warning: warn(
                facts.swap_used_bytes > SWAPPED,
                "pages may come back from disk in mid-measurement",
                "free memory, then `swapoff -a && swapon -a`",
            ),
        },
        Check {
            name: "memory that is free",
            found: mib(facts.memory_free_bytes),
            warning: warn(
                facts.memory_free_bytes < LITTLE_MEMORY,
                "two servers and the page cache hardly fit",
                "stop what uses it, or give each server less with --memory",
            ),
        },
        Check {
            name: "disk that is free",
            found: format!("{} ({})", mib(facts.disk_free_bytes), facts.file_system),
            warning: warn(
                facts.disk_free_bytes < LITTLE_DISK,
                "data directories of two pairs hardly fit",
                "`docker system df` shows what uses it; --data tmpfs needs none",
            ),
        },
        Check {
            name: "file system of data",
            found: facts.file_system.clone(),
            warning: warn(
                DISTANT.contains(&facts.file_system.as_str()),
                "writes go through another layer, unlike those of your server",
                "put Docker's directory on a local file system (ext4, xfs), or use --data tmpfs",
            ),
        },
        Check {
            name: "durable writes",
            found: writes,
            warning: warn(
                p99 > SLOW_WRITE_US || p99 > UNEVEN_WRITES * p50,
                "loads that write durably stall now and then, and their pairs scatter",
                "use a disk of its own; loads that only read are not concerned",
            ),
        },
        Check {
            name: "Docker",
            found: format!("{}, {}, cgroup {}", facts.docker, facts.storage_driver, facts.cgroup),
            warning: warn(
                facts.storage_driver == "vfs",
                "each container copies its image: starting one takes seconds and much disk",
                "use overlay2 (`storage-driver` in daemon.json)",
            ),
        },
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn quiet() -> HostFacts {
        HostFacts {
            cpu: "a processor".to_owned(),
            cpus: 4,
            memory_bytes: 16 << 30,
            kernel: "6.1".to_owned(),
            governor: "performance".to_owned(),
            thp: "madvise".to_owned(),
            docker: "27.0".to_owned(),
            storage_driver: "overlay2".to_owned(),
            cgroup: "2".to_owned(),
            load_average: 0.1,
            turbo: "off".to_owned(),
            smt_shared: false,
            steal_pct: Some(0.0),
            swap_used_bytes: 0,
            memory_free_bytes: 12 << 30,
            file_system: "ext4".to_owned(),
            disk_free_bytes: 100 << 30,
            fsync_p50_us: Some(900.0),
            fsync_p99_us: Some(2_000.0),
            warnings: Vec::new(),
        }
    }

    fn apart() -> Cpus {
        Cpus { server: vec![0, 1, 2], client: vec![3] }
    }

    /// What is warned of.
    fn warned(facts: &HostFacts, cpus: &Cpus) -> Vec<&'static str> {
        let all = checks(facts, cpus);
        assert!(all.iter().all(|c| c.in_words().is_some() == c.warning.is_some()));
        all.iter().filter(|c| c.warning.is_some()).map(|c| c.name).collect()
    }

    #[test]
    fn a_quiet_machine_of_ones_own_is_fit() {
        assert_eq!(warned(&quiet(), &apart()), [""; 0]);
        let unknown = HostFacts {
            governor: "unknown".to_owned(),
            turbo: "unknown".to_owned(),
            thp: "unknown".to_owned(),
            steal_pct: None,
            fsync_p50_us: None,
            fsync_p99_us: None,
            ..quiet()
        };
        assert_eq!(warned(&unknown, &apart()), [""; 0]);
    }

    #[test]
    fn each_thing_that_disturbs_is_told() {
        let text = str::to_owned;
        let table = [
            (HostFacts { smt_shared: true, ..quiet() }, "hyper-threading"),
            (HostFacts { governor: text("powersave"), ..quiet() }, "governor"),
            (HostFacts { turbo: text("on"), ..quiet() }, "turbo"),
            (HostFacts { steal_pct: Some(3.0), ..quiet() }, "stolen CPU time"),
            (HostFacts { load_average: 1.5, ..quiet() }, "load before"),
            (HostFacts { thp: text("always"), ..quiet() }, "transparent huge pages"),
            (HostFacts { swap_used_bytes: 1 << 30, ..quiet() }, "swap in use"),
            (HostFacts { memory_free_bytes: 1 << 30, ..quiet() }, "memory that is free"),
            (HostFacts { disk_free_bytes: 1 << 30, ..quiet() }, "disk that is free"),
            (HostFacts { file_system: text("nfs4"), ..quiet() }, "file system of data"),
            (HostFacts { fsync_p99_us: Some(30_000.0), ..quiet() }, "durable writes"),
            (HostFacts { storage_driver: text("vfs"), ..quiet() }, "Docker"),
        ];
        for (facts, name) in table {
            assert_eq!(warned(&facts, &apart()), [name]);
        }
        let together = Cpus { server: vec![0], client: vec![0] };
        assert_eq!(warned(&quiet(), &together), ["CPUs"]);
    }
}
