//! What a reader has to know beside an effect: `unstable`, `stalls`, `client-bound`, `leak`.

use std::collections::BTreeSet;

use crate::journal::{Arm, SliceRow};

/// An idle server that uses more than this part of a loaded one's CPU disturbs its neighbour.
const LEAK: f64 = 0.02;
/// CPUs of the load count as saturated from this part of their time on …
const CLIENT_FULL: f64 = 0.95;
/// … and those of the server as not saturated up to this one.
const SERVER_FULL: f64 = 0.90;

/// Notes of a toggle from the slices of its pairs.
pub(super) fn from_slices(
    slices: &[SliceRow],
    pairs: &BTreeSet<u32>,
    client_threads: usize,
    server_cpus: usize,
) -> Vec<&'static str> {
    let mut sum = [Sum::default(), Sum::default()];
    for slice in slices.iter().filter(|s| pairs.contains(&s.pair)) {
        sum[usize::from(slice.arm == Arm::Toggle)].add(slice);
    }
    let mut notes = Vec::new();
    let bound = |s: &Sum| {
        s.seconds > 0.0
            && s.client_us > CLIENT_FULL * s.seconds * 1e6 * client_threads as f64
            && s.server_us < SERVER_FULL * s.seconds * 1e6 * server_cpus as f64
    };
    if sum.iter().any(bound) {
        notes.push("client-bound");
    }
    if sum.iter().any(|s| s.server_us > 0.0 && s.idle_us > LEAK * s.server_us) {
        notes.push("leak");
    }
    notes
}

#[derive(Debug, Default)]
struct Sum {
    seconds: f64,
    server_us: f64,
    idle_us: f64,
    client_us: f64,
}

impl Sum {
    fn add(&mut self, slice: &SliceRow) {
        self.seconds += slice.seconds;
        self.server_us += slice.server_cpu_us.unwrap_or(0.0);
        self.idle_us += slice.idle_cpu_us.unwrap_or(0.0);
        self.client_us += slice.client_cpu_us.unwrap_or(0.0);
    }
}

/// CPUs in a list such as `0-3,8`.
pub(super) fn cpus_in(list: &str) -> usize {
    list.split(',')
        .filter_map(|part| {
            let (from, to) = part.trim().split_once('-').unwrap_or((part.trim(), part.trim()));
            Some(to.parse::<usize>().ok()?.checked_sub(from.parse().ok()?)? + 1)
        })
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slice(arm: Arm, server: f64, idle: f64, client: f64) -> SliceRow {
        SliceRow {
            pair: 1,
            arm,
            sequence: 1,
            ops: 100,
            errors: 0,
            seconds: 1.0,
            server_cpu_us: Some(server * 1e6),
            idle_cpu_us: Some(idle * 1e6),
            client_cpu_us: Some(client * 1e6),
        }
    }

    #[test]
    fn a_saturated_client_and_a_busy_idle_server_are_noted() {
        let pairs = BTreeSet::from([1]);
        let notes = |s: SliceRow| from_slices(&[s], &pairs, 1, 1);
        assert_eq!(notes(slice(Arm::Base, 0.8, 0.001, 0.99)), ["client-bound"]);
        assert_eq!(notes(slice(Arm::Base, 0.99, 0.1, 0.5)), ["leak"]);
        assert!(notes(slice(Arm::Toggle, 0.99, 0.01, 0.99)).is_empty());
        assert!(from_slices(&[], &pairs, 1, 1).is_empty());
    }

    #[test]
    fn a_list_of_cpus_is_counted() {
        assert_eq!(cpus_in("0"), 1);
        assert_eq!(cpus_in("0-3,8"), 5);
        assert_eq!(cpus_in(""), 0);
    }
}
