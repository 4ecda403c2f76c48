//! Which measurements to throw away (`statistics.md`, section 4): only on signals that the
//! toggle can't cause. Never on throughput, pressure or IO wait. Reads no `/proc` itself.

use std::fmt;

use super::sample::{median, robust_sd};

/// A rejected measurement is repeated at most this often.
pub const RERUNS: u32 = 2;

/// On a machine of one's own: the largest fraction of CPU time stolen by the hypervisor.
pub const STEAL: f64 = 0.01;

/// The most CPU, in cores, that other processes may take of the server's or the client's CPUs.
pub const OTHERS: f64 = 0.05;

/// Robust SDs above its own median at which a shared machine is unusually disturbed.
pub const SHARED_SDS: f64 = 3.0;

/// What went on beside one measurement. Undefined numbers (NaN) reject nothing.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Disturbance {
    /// Fraction (0..1) of the CPU time of the CPUs in use that was stolen (`/proc/stat`).
    pub steal: f64,
    /// Cores' worth of the server CPUs that other processes used: neither the servers nor the
    /// load, kernel threads or the container engine, which the toggle moves.
    pub others_on_server: f64,
    /// The same on the client CPUs.
    pub others_on_client: f64,
    /// A CPU in use was slowed down because of its temperature.
    pub throttled: bool,
}

/// Up to where a measurement is kept.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limits {
    /// Largest fraction of stolen CPU time.
    pub steal: f64,
    /// Most CPU of other processes, in cores, on the server CPUs and on the client CPUs each.
    pub others: f64,
    /// Others are this machine's normal state: the report says so.
    pub shared: bool,
}

impl Limits {
    /// The limits of a machine of one's own.
    pub const OWN: Self = Self { steal: STEAL, others: OTHERS, shared: false };

    /// Limits for a machine on which this went on beside earlier measurements: of stolen time, and
    /// of other processes' too, what is normal here where that is above the ordinary limit.
    #[must_use]
    pub fn for_machine<'a>(earlier: impl Iterator<Item = &'a Disturbance> + Clone) -> Self {
        let steal = normal(earlier.clone().map(|d| d.steal), STEAL);
        let others = normal(earlier.map(Disturbance::others), OTHERS);
        Self {
            steal: steal.unwrap_or(STEAL),
            others: others.unwrap_or(OTHERS),
            shared: steal.is_some() || others.is_some(),
        }
    }

    /// Why the measurement must be thrown away; `None`: keep it.
    #[must_use]
    pub fn reject(&self, seen: &Disturbance) -> Option<Rejection> {
        let others = seen.others();
        if seen.throttled {
            Some(Rejection::Throttled)
        } else if seen.steal > self.steal {
            Some(Rejection::Steal { seen: seen.steal, limit: self.steal })
        } else if others > self.others {
            Some(Rejection::Others { seen: others, limit: self.others })
        } else {
            None
        }
    }
}

impl Disturbance {
    /// The most that others used of the CPUs of one side.
    fn others(&self) -> f64 {
        self.others_on_server.max(self.others_on_client)
    }
}

/// The limit where more than `ordinary` is normal, in three measurements of four at least: the median
/// plus three robust SDs.
///
/// Where more than half of the numbers are equal (counted in jiffies, they often are) the robust SD
/// is 0 and would reject whatever is not equal to them; then `ordinary` is allowed on top of the
/// median. Fewer than three numbers prove nothing.
fn normal(seen: impl Iterator<Item = f64>, ordinary: f64) -> Option<f64> {
    let known: Vec<f64> = seen.filter(|s| s.is_finite()).collect();
    let above = known.iter().filter(|s| **s > ordinary).count();
    if known.len() < 3 || 4 * above < 3 * known.len() {
        return None;
    }
    let (normal, sd) = (median(&known)?, robust_sd(&known)?);
    Some(normal + if sd > 0.0 { SHARED_SDS * sd } else { ordinary })
}

/// Why a measurement is thrown away. Displayed, it is the `message` of the rejected row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Rejection {
    /// The hypervisor gave CPU time to others; fractions.
    Steal {
        /// What was stolen.
        seen: f64,
        /// What would have been tolerated.
        limit: f64,
    },
    /// Other processes used the same CPUs; cores.
    Others {
        /// What they used.
        seen: f64,
        /// What would have been tolerated.
        limit: f64,
    },
    /// The CPU was too hot.
    Throttled,
}

/// How messages about others on the machine begin.
const OF_OTHERS: [&str; 2] = ["CPU steal", "other processes"];

impl Rejection {
    /// Whether the message of a rejected row says that others used the machine.
    #[must_use]
    pub fn is_of_others(message: &str) -> bool {
        OF_OTHERS.iter().any(|beginning| message.starts_with(beginning))
    }
}

impl fmt::Display for Rejection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Steal { seen, limit } => {
                let (seen, limit) = (100.0 * seen, 100.0 * limit);
                write!(f, "{} {seen:.1} % (limit {limit:.1} %)", OF_OTHERS[0])
            }
            Self::Others { seen, limit } => {
                let (seen, limit) = (100.0 * seen, 100.0 * limit);
                write!(f, "{} used {seen:.0} % of a core (limit {limit:.0} %)", OF_OTHERS[1])
            }
            Self::Throttled => f.write_str("thermal throttling"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn steal(steal: f64) -> Disturbance {
        Disturbance { steal, ..Disturbance::default() }
    }

    fn limits(earlier: &[Disturbance]) -> Limits {
        Limits::for_machine(earlier.iter())
    }

    #[test]
    fn a_quiet_measurement_is_kept_up_to_the_limits() {
        assert_eq!(Limits::OWN.reject(&Disturbance::default()), None);
        let just = Disturbance {
            steal: 0.01,
            others_on_server: 0.05,
            others_on_client: 0.05,
            throttled: false,
        };
        assert_eq!(Limits::OWN.reject(&just), None);
    }

    #[test]
    fn steal_other_processes_and_heat_are_reasons_to_reject() {
        let rejected = Limits::OWN.reject(&steal(0.02)).unwrap();
        assert_eq!(rejected.to_string(), "CPU steal 2.0 % (limit 1.0 %)");
        for seen in [
            Disturbance { others_on_server: 0.2, ..Disturbance::default() },
            Disturbance { others_on_client: 0.2, ..Disturbance::default() },
        ] {
            let rejected = Limits::OWN.reject(&seen).unwrap();
            assert_eq!(rejected.to_string(), "other processes used 20 % of a core (limit 5 %)");
        }
        let hot = Disturbance { throttled: true, ..Disturbance::default() };
        assert_eq!(Limits::OWN.reject(&hot), Some(Rejection::Throttled));
    }

    #[test]
    fn a_shared_machine_is_measured_by_its_own_normal_state() {
        let limits = limits(&[0.03, 0.04, 0.05, 0.06, 0.07].map(steal));
        // Median .05, deviations .02 .01 0 .01 .02: robust SD 1.4826·√1.25·.01.
        let expected = 0.05 + 3.0 * 1.4826 * 1.25_f64.sqrt() * 0.01;
        assert!(limits.shared && (limits.steal - expected).abs() < 1e-12);
        assert_eq!(limits.reject(&steal(0.09)), None);
        assert!(limits.reject(&steal(0.11)).is_some());
        assert_eq!(limits.others, OTHERS);
    }

    #[test]
    fn now_and_then_some_steal_does_not_make_a_machine_shared() {
        assert_eq!(limits(&[0.0, 0.0, 0.0, 0.3, 0.2].map(steal)), Limits::OWN);
        assert_eq!(limits(&[0.3, 0.3].map(steal)), Limits::OWN);
        assert_eq!(limits(&[0.0, 0.0, 0.3, 0.3, 0.3].map(steal)), Limits::OWN);
        assert_eq!(limits(&[f64::NAN; 9].map(steal)), Limits::OWN);
    }

    #[test]
    fn steal_that_never_varies_leaves_some_room() {
        let limits = limits(&[0.02; 6].map(steal));
        assert!(limits.shared && (limits.steal - 0.03).abs() < 1e-15);
    }

    #[test]
    fn processes_that_are_always_there_are_normal_too() {
        let others = |others_on_client| Disturbance { others_on_client, ..Disturbance::default() };
        let limits = limits(&[0.3, 0.4, 0.5].map(others));
        assert!(limits.shared && limits.steal == STEAL && limits.others > 0.5);
        assert_eq!(limits.reject(&others(0.5)), None);
        assert!(limits.reject(&others(2.0)).is_some());
    }

    #[test]
    fn what_could_not_be_read_rejects_nothing() {
        let unknown = Disturbance { others_on_server: f64::NAN, ..steal(f64::NAN) };
        assert_eq!(Limits::OWN.reject(&unknown), None);
    }
}
