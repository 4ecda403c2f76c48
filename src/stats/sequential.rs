//! The sequential design: runs one after another, each compared with the baselines around it.
//! For profiles that cannot load two servers in turn.

use thiserror::Error;

/// Arms between two baselines, unless the profile says otherwise.
pub const GROUP: usize = 4;

/// Why a sequence of runs gives no ratios.
#[derive(Debug, Clone, Copy, PartialEq, Error)]
pub enum SequenceError {
    /// A rate that is not positive and finite.
    #[error("run {position} has a rate of {rate}")]
    Rate {
        /// Place in the sequence, from 0.
        position: usize,
        /// The rate.
        rate: f64,
    },
    /// The run has no baseline before it, or none after it.
    #[error("run {position} does not lie between two baselines")]
    Unenclosed {
        /// Place in the sequence, from 0.
        position: usize,
    },
}

/// A place in a round of the sequential design, before it is run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// An unchanged server.
    Baseline,
    /// The n-th arm of the round, from 0: a toggle or an A/A arm.
    Arm(usize),
}

/// A place after it was run: a rate in operations per second, `None` where the run was lost.
/// Any positive quantity that is compared by its ratio will do.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Run {
    /// An unchanged server.
    Baseline(Option<f64>),
    /// A toggle or an A/A arm.
    Arm(Option<f64>),
}

/// What an arm's run came to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Ratio {
    /// d = y_t − (1 − w)·y_l − w·y_r, with y = ln rate.
    Log(f64),
    /// The run itself was lost.
    Lost,
    /// A baseline next to the group was lost: the group must be run again.
    Redo,
}

/// A round of `arms` arms: a baseline before every `group` of them and at the end.
/// Empty for no arms; a `group` of 0 counts as 1.
#[must_use]
pub fn layout(arms: usize, group: usize) -> Vec<Place> {
    let group = group.max(1);
    let mut places = Vec::with_capacity(arms + arms.div_ceil(group) + 1);
    for arm in 0..arms {
        if arm % group == 0 {
            places.push(Place::Baseline);
        }
        places.push(Place::Arm(arm));
    }
    if arms > 0 {
        places.push(Place::Baseline);
    }
    places
}

/// The ratio of every arm to the interpolated baselines around it, in the order of the arms'
/// runs (baselines give no entry): with y = ln rate, an arm at position t between baselines at
/// l < t < r and w = (t − l)/(r − l) has d = y_t − (1 − w)·y_l − w·y_r. Lost arms keep their
/// position; a lost baseline spoils the groups on both its sides.
///
/// # Errors
///
/// [`SequenceError::Rate`], [`SequenceError::Unenclosed`].
pub fn ratios(runs: &[Run]) -> Result<Vec<Ratio>, SequenceError> {
    let mut ratios = Vec::with_capacity(runs.len());
    let mut left: Option<(usize, Option<f64>)> = None;
    for (position, run) in runs.iter().enumerate() {
        match *run {
            Run::Baseline(rate) => left = Some((position, log(position, rate)?)),
            Run::Arm(rate) => {
                let here = log(position, rate)?;
                let unenclosed = SequenceError::Unenclosed { position };
                let (l, y_l) = left.ok_or(unenclosed)?;
                let (r, right) = next_baseline(runs, position).ok_or(unenclosed)?;
                ratios.push(match (here, y_l, log(r, right)?) {
                    (_, None, _) | (_, _, None) => Ratio::Redo,
                    (None, _, _) => Ratio::Lost,
                    (Some(y), Some(y_l), Some(y_r)) => {
                        let w = (position - l) as f64 / (r - l) as f64;
                        Ratio::Log(y - (1.0 - w) * y_l - w * y_r)
                    }
                });
            }
        }
    }
    Ok(ratios)
}

fn next_baseline(runs: &[Run], after: usize) -> Option<(usize, Option<f64>)> {
    runs.iter().enumerate().skip(after + 1).find_map(|(position, run)| match *run {
        Run::Baseline(rate) => Some((position, rate)),
        Run::Arm(_) => None,
    })
}

fn log(position: usize, rate: Option<f64>) -> Result<Option<f64>, SequenceError> {
    match rate {
        Some(rate) if !rate.is_finite() || rate <= 0.0 => {
            Err(SequenceError::Rate { position, rate })
        }
        rate => Ok(rate.map(f64::ln)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known() -> Vec<Run> {
        let mut runs = vec![Run::Baseline(Some(1000.0))];
        runs.extend([980.0, 1050.0, 990.0, 960.0].map(|r| Run::Arm(Some(r))));
        runs.push(Run::Baseline(Some(1010.0)));
        runs
    }

    #[test]
    fn known_answer_1() {
        let expected = [-0.022_192_77, 0.044_810_03, -0.016_020_53, -0.048_782_26];
        for (got, expected) in ratios(&known()).unwrap().into_iter().zip(expected) {
            assert!(matches!(got, Ratio::Log(d) if (d - expected).abs() < 5e-9), "{got:?}");
        }
    }

    #[test]
    fn a_steady_drift_is_no_effect() {
        let drift = |t: usize| 1000.0 * (0.01 * t as f64).exp();
        let runs: Vec<Run> = layout(10, GROUP)
            .iter()
            .enumerate()
            .map(|(t, place)| match place {
                Place::Baseline => Run::Baseline(Some(drift(t))),
                Place::Arm(_) => Run::Arm(Some(drift(t))),
            })
            .collect();
        let ratios = ratios(&runs).unwrap();
        assert_eq!(ratios.len(), 10);
        assert!(ratios.iter().all(|r| matches!(r, Ratio::Log(d) if d.abs() < 1e-12)));
    }

    #[test]
    fn a_lost_baseline_redoes_both_its_groups_and_a_lost_arm_itself() {
        let mut runs: Vec<Run> = layout(6, 2)
            .iter()
            .map(|place| match place {
                Place::Baseline => Run::Baseline(Some(100.0)),
                Place::Arm(4) => Run::Arm(None),
                Place::Arm(_) => Run::Arm(Some(100.0)),
            })
            .collect();
        runs[3] = Run::Baseline(None);
        let (redo, same) = (Ratio::Redo, Ratio::Log(0.0));
        assert_eq!(ratios(&runs).unwrap(), [redo, redo, redo, redo, Ratio::Lost, same]);
    }

    #[test]
    fn a_baseline_stands_before_every_group_and_at_the_end() {
        use Place::{Arm, Baseline};
        assert_eq!(layout(3, 2), [Baseline, Arm(0), Arm(1), Baseline, Arm(2), Baseline]);
        assert_eq!(layout(2, 2), [Baseline, Arm(0), Arm(1), Baseline]);
        assert!(layout(0, 4).is_empty());
    }

    #[test]
    fn nonsense_is_refused() {
        let open = [Run::Baseline(Some(1.0)), Run::Arm(Some(1.0))];
        assert_eq!(ratios(&open), Err(SequenceError::Unenclosed { position: 1 }));
        let mut zero = known();
        zero[2] = Run::Arm(Some(0.0));
        assert_eq!(ratios(&zero), Err(SequenceError::Rate { position: 2, rate: 0.0 }));
    }
}
