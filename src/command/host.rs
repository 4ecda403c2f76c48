//! How many CPUs and how much memory there is, and who gets what.

/// CPUs of servers and load.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Cpus {
    pub(super) server: Vec<usize>,
    pub(super) client: Vec<usize>,
}

impl Cpus {
    /// As given, else disjoint: the last one in four for the load, at least one.
    pub(super) fn assign(server: Option<&str>, client: Option<&str>) -> Result<Self, String> {
        let online = online_cpus();
        let parse = |flag: &str, list: &str| {
            let cpus = parse_cpus(list)
                .ok_or_else(|| format!("{flag} {list}: write CPUs as `0-3` or `0,2`"))?;
            match cpus.iter().find(|cpu| !online.contains(cpu)) {
                Some(cpu) => Err(format!(
                    "{flag} {list}: there is no CPU {cpu}; this machine has {}",
                    list_cpus(&online)
                )),
                None => Ok(cpus),
            }
        };
        let server = server.map(|list| parse("--server-cpus", list)).transpose()?;
        let client = client.map(|list| parse("--client-cpus", list)).transpose()?;
        let without = |taken: &[usize]| -> Vec<usize> {
            online.iter().copied().filter(|cpu| !taken.contains(cpu)).collect()
        };
        let or_all = |cpus: Vec<usize>| if cpus.is_empty() { online.clone() } else { cpus };
        Ok(match (server, client) {
            (Some(server), Some(client)) => Self { server, client },
            (Some(server), None) => Self { client: or_all(without(&server)), server },
            (None, Some(client)) => Self { server: or_all(without(&client)), client },
            (None, None) => {
                let load = (online.len() / 4).max(1);
                let client: Vec<usize> = online.iter().rev().take(load).rev().copied().collect();
                Self { server: or_all(without(&client)), client }
            }
        })
    }

    /// Whether servers and load share a CPU.
    pub(super) fn shared(&self) -> bool {
        self.client.iter().any(|cpu| self.server.contains(cpu))
    }
}

/// CPUs that this process may use.
fn online_cpus() -> Vec<usize> {
    match rustix::thread::sched_getaffinity(None) {
        Ok(set) => (0..rustix::thread::CpuSet::MAX_CPU).filter(|cpu| set.is_set(*cpu)).collect(),
        Err(_) => vec![0],
    }
}

/// Keeps this process off the servers' CPUs: it has little to do, and does it elsewhere.
pub(super) fn stay_on(cpus: &[usize]) {
    let mut set = rustix::thread::CpuSet::new();
    cpus.iter().for_each(|cpu| set.set(*cpu));
    // Without permission it stays where it is; the load threads say so if they can't be pinned.
    let _ = rustix::thread::sched_setaffinity(None, &set);
}

/// `0-3,8` as numbers.
fn parse_cpus(list: &str) -> Option<Vec<usize>> {
    let mut cpus = Vec::new();
    for part in list.split(',') {
        let (from, to) = part.split_once('-').unwrap_or((part, part));
        let (from, to): (usize, usize) = (from.trim().parse().ok()?, to.trim().parse().ok()?);
        if from > to || to >= rustix::thread::CpuSet::MAX_CPU {
            return None;
        }
        cpus.extend(from..=to);
    }
    cpus.sort_unstable();
    cpus.dedup();
    Some(cpus)
}

/// Numbers as `0-3,8`.
pub(super) fn list_cpus(cpus: &[usize]) -> String {
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for cpu in cpus {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == *cpu => *last = *cpu,
            _ => runs.push((*cpu, *cpu)),
        }
    }
    let run = |(from, to): (usize, usize)| match from == to {
        true => from.to_string(),
        false => format!("{from}-{to}"),
    };
    runs.into_iter().map(run).collect::<Vec<_>>().join(",")
}

/// Bytes of a size such as `4g` or `512m`.
pub(super) fn parse_size(text: &str) -> Option<u64> {
    let text = text.trim().to_ascii_lowercase();
    let text = text.strip_suffix('b').unwrap_or(&text);
    let (digits, shift) = match text.char_indices().last()? {
        (at, 'k') => (&text[..at], 10),
        (at, 'm') => (&text[..at], 20),
        (at, 'g') => (&text[..at], 30),
        (at, 't') => (&text[..at], 40),
        _ => (text, 0),
    };
    digits.parse::<u64>().ok()?.checked_mul(1 << shift)
}

/// Memory that is free for use, bytes.
pub(super) fn available_memory() -> u64 {
    meminfo("MemAvailable").unwrap_or(0)
}

pub(super) fn meminfo(field: &str) -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|l| l.strip_prefix(field)?.strip_prefix(':'))?;
    line.split_whitespace().next()?.parse::<u64>().ok()?.checked_mul(1024)
}

/// Bytes that are free where a path is (or its nearest parent that exists).
pub(super) fn free_disk(path: &std::path::Path) -> Option<u64> {
    let there = path.ancestors().find(|p| p.exists())?;
    let stat = rustix::fs::statvfs(there).ok()?;
    stat.f_bavail.checked_mul(stat.f_frsize)
}

/// CPUs of this machine; not those that this process may use: it keeps itself off the servers'.
pub(super) fn number_of_cpus() -> usize {
    std::fs::read_to_string("/proc/cpuinfo")
        .map_or(0, |text| text.lines().filter(|l| l.starts_with("processor")).count())
        .max(online_cpus().len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cpus_are_read_and_listed() {
        assert_eq!(parse_cpus("0-3,8"), Some(vec![0, 1, 2, 3, 8]));
        assert_eq!(parse_cpus("3-1"), None);
        assert_eq!(parse_cpus("all"), None);
        assert_eq!(list_cpus(&[0, 1, 2, 3, 8]), "0-3,8");
    }

    #[test]
    fn sizes_are_read_as_docker_reads_them() {
        assert_eq!(parse_size("4g"), Some(4 << 30));
        assert_eq!(parse_size("512MB"), Some(512 << 20));
        assert_eq!(parse_size("1024"), Some(1024));
        assert_eq!(parse_size("much"), None);
    }
}
