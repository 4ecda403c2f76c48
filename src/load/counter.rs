//! Reading a server's CPU time from its cgroup: a few µs a read, where Docker's stats take a second.

use std::time::Duration;

use super::CpuCounter;

impl CpuCounter {
    /// CPU time used so far; none when the file is gone or has another form.
    pub fn read(&self) -> Option<Duration> {
        match self {
            Self::V1(path) => {
                std::fs::read_to_string(path).ok()?.trim().parse().ok().map(Duration::from_nanos)
            }
            Self::V2(path) => std::fs::read_to_string(path)
                .ok()?
                .lines()
                .find_map(|line| line.strip_prefix("usage_usec "))?
                .trim()
                .parse()
                .ok()
                .map(Duration::from_micros),
        }
    }
}

/// µs between two readings.
pub(super) fn used_us(before: Option<Duration>, after: Option<Duration>) -> Option<f64> {
    Some(after?.checked_sub(before?)?.as_secs_f64() * 1e6)
}

/// CPU time of the calling thread so far.
pub(super) fn thread_cpu() -> Duration {
    let t = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(t.tv_sec.try_into().unwrap_or(0), t.tv_nsec.try_into().unwrap_or(0))
}
