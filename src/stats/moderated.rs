//! STAT: from the log-ratios of all arms to one estimate per arm, with clipped values and
//! variances shrunk towards what the arms have in common (`statistics.md`, section 2).
//! Knows arms, not toggles; makes no claims.

use thiserror::Error;

use super::sample::{RESOLUTION, deviations, mean, median, robust_factor, variance};
use super::special::{digamma, trigamma, trigamma_inverse};
use super::student;

/// Values further than this many robust SDs from their arm's median are clipped.
pub const CLIP: f64 = 3.0;

/// With fewer arms than this (arms of two and more values) nothing is pooled.
pub const ARMS_TO_POOL: usize = 4;

/// No estimate has more degrees of freedom.
pub const MOST_DF: f64 = 200.0;

/// An arm whose variance is more than this many times the common one is unstable.
pub const UNSTABLE: f64 = 4.0;

/// No ratio of two `f64` has a logarithm beyond this: what does is no log-ratio.
const LARGEST: f64 = 1500.0;

/// What cannot be estimated.
#[derive(Debug, Clone, Copy, PartialEq, Error)]
pub enum StatError {
    /// A value that is NaN, infinite, or larger than any log-ratio can be.
    #[error("value {index} of arm {arm} is {value}, which is no log-ratio")]
    Value {
        /// Which arm, from 0.
        arm: usize,
        /// Which of its values, from 0.
        index: usize,
        /// The value.
        value: f64,
    },
    /// Frozen numbers that no call of [`stat`] returns.
    #[error("{0:?} was not made by an earlier estimate")]
    Frozen(Frozen),
}

/// What the arms have in common; taken over from one stage to the next, it is called frozen.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Frozen {
    /// The robust SD within arms, log points. ∞: nothing is clipped.
    pub s_pool: f64,
    /// The common variance s0², log points squared.
    pub s0_sq: f64,
    /// How many degrees of freedom the common variance is worth: 0 nothing (plain t), ∞ everything.
    pub d0: f64,
}

impl Frozen {
    /// Nothing in common: no clipping, each arm has its own variance. Plain t.
    pub const PLAIN: Self = Self { s_pool: f64::INFINITY, s0_sq: 0.0, d0: 0.0 };

    fn is_sound(&self) -> bool {
        self.s_pool >= 0.0 && self.s0_sq >= 0.0 && self.s0_sq.is_finite() && self.d0 >= 0.0
    }

    /// (d0·s0² + f·s²)/(d0 + f), for f > 0 (Smyth 2004, section 3). s0² where d0 is ∞.
    fn posterior(&self, s2: f64, f: f64) -> f64 {
        if self.d0.is_infinite() {
            return self.s0_sq;
        }
        let weight = self.d0 / (self.d0 + f);
        weight * self.s0_sq + (1.0 - weight) * s2
    }
}

/// What two or more values of an arm say.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// Values, at least 2.
    pub n: usize,
    /// e, the mean of the clipped values: a log-ratio.
    pub effect: f64,
    /// s², the variance of the clipped values.
    pub s2: f64,
    /// s² shrunk towards the common variance.
    pub post: f64,
    /// √(max(s², post)/n): an arm is never taken to be calmer than it was.
    /// At least [`RESOLUTION`], so never 0.
    pub se: f64,
    /// ν, degrees of freedom, 1 to 200.
    pub df: f64,
    /// Two-sided p of the effect being 0, not adjusted for anything.
    pub p: f64,
    /// s² is more than four times the common variance. Never so where nothing was pooled.
    pub unstable: bool,
    /// How many of the values were clipped.
    pub clipped: usize,
}

impl Estimate {
    fn new(n: usize, effect: f64, s2: f64, clipped: usize, common: &Frozen) -> Self {
        let f = (n - 1) as f64;
        let post = common.posterior(s2, f);
        let se = (s2.max(post) / n as f64).sqrt().max(RESOLUTION);
        let df = (common.d0 + f).min(MOST_DF);
        Self {
            n,
            effect,
            s2,
            post,
            se,
            df,
            p: student::two_sided(effect / se, df),
            unstable: common.d0 > 0.0 && s2 > UNSTABLE * common.s0_sq,
            clipped,
        }
    }

    /// The t statistic, effect/se.
    #[must_use]
    pub fn t(&self) -> f64 {
        self.effect / self.se
    }

    /// The interval that covers the true effect with probability `q`: e ± t_{(1+q)/2,ν}·se, log
    /// points, low then high. The effect itself for `q` ≤ 0, everything for `q` ≥ 1.
    #[must_use]
    pub fn ci(&self, q: f64) -> (f64, f64) {
        let reach = student::quantile((1.0 + q.max(0.0)) / 2.0, self.df) * self.se;
        (self.effect - reach, self.effect + reach)
    }

    /// Whether the `q`-interval lies strictly within ±`delta` (log points).
    #[must_use]
    pub fn within(&self, q: f64, delta: f64) -> bool {
        let (low, high) = self.ci(q);
        -delta < low && high < delta
    }
}

/// What is known about one arm. Below two values there is no spread, so no interval and no p.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Arm {
    /// Not one value.
    Nothing,
    /// A single value: an effect (log-ratio) without an interval.
    Single(f64),
    /// Two values or more.
    Estimated(Estimate),
}

impl Arm {
    /// How many values there are.
    #[must_use]
    pub fn n(&self) -> usize {
        match self {
            Self::Nothing => 0,
            Self::Single(_) => 1,
            Self::Estimated(estimate) => estimate.n,
        }
    }

    /// The effect (log-ratio), if there is any value.
    #[must_use]
    pub fn effect(&self) -> Option<f64> {
        match self {
            Self::Nothing => None,
            Self::Single(effect) => Some(*effect),
            Self::Estimated(estimate) => Some(estimate.effect),
        }
    }

    /// The estimate, if there are values enough for one.
    #[must_use]
    pub fn estimate(&self) -> Option<&Estimate> {
        match self {
            Self::Estimated(estimate) => Some(estimate),
            Self::Nothing | Self::Single(_) => None,
        }
    }

    /// The unadjusted p, if there is an estimate.
    #[must_use]
    pub fn p(&self) -> Option<f64> {
        self.estimate().map(|estimate| estimate.p)
    }
}

/// The outcome of [`stat`].
#[derive(Debug, Clone, PartialEq)]
pub struct Stat {
    /// One per arm, in the order of the input.
    pub arms: Vec<Arm>,
    /// What was pooled, or handed in: to be frozen for the next stage.
    pub frozen: Frozen,
}

/// Estimates of all arms from their log-ratios, one slice of values per arm, of any lengths.
///
/// Values are clipped at three robust SDs round their arm's median; the SD is the median over
/// all arms of three and more values, or the arm's own if that is larger. Variances are shrunk
/// towards the common one (Smyth 2004, doi 10.2202/1544-6115.1027, section 6.2; limma's
/// `squeezeVar`), but none below the arm's own. With `frozen`, the common numbers of an earlier
/// stage are used instead.
///
/// At the edges, where the formulas say nothing:
///
/// - an arm of no value or one has no interval ([`Arm`]) and adds nothing to what is pooled;
/// - fewer than four arms of two and more values: plain t, without clipping ([`Frozen::PLAIN`]);
/// - fewer than two arms whose values differ at all: nothing to shrink to, `d0` is 0;
/// - more than half of an arm's values equal, and of all arms' too: the robust SD is 0 and would
///   clip whatever differs, so nothing of that arm is clipped;
/// - all values of an arm equal: its variance is 0, the common one is used; if that is 0 too, the
///   standard error is [`RESOLUTION`].
///
/// # Errors
///
/// [`StatError::Value`] for what is no log-ratio; [`StatError::Frozen`] for a negative or
/// undefined number in `frozen`.
pub fn stat<A: AsRef<[f64]>>(arms: &[A], frozen: Option<&Frozen>) -> Result<Stat, StatError> {
    for (arm, values) in arms.iter().enumerate() {
        for (index, &value) in values.as_ref().iter().enumerate() {
            if value.is_nan() || value.abs() > LARGEST {
                return Err(StatError::Value { arm, index, value });
            }
        }
    }
    if let Some(frozen) = frozen.filter(|f| !f.is_sound()) {
        return Err(StatError::Frozen(*frozen));
    }
    let pooling = arms.iter().filter(|a| a.as_ref().len() >= 2).count() >= ARMS_TO_POOL;
    let s_pool = match frozen {
        Some(frozen) => frozen.s_pool,
        None if pooling => pooled_sd(arms),
        None => Frozen::PLAIN.s_pool,
    };
    let clipped: Vec<Clipped> = arms.iter().map(|a| Clipped::new(a.as_ref(), s_pool)).collect();
    let frozen = match frozen {
        Some(frozen) => *frozen,
        None if pooling => {
            let spreads: Vec<Spread> = clipped.iter().filter_map(Clipped::spread).collect();
            let (s0_sq, d0) = squeeze(&spreads);
            Frozen { s_pool, s0_sq, d0 }
        }
        None => Frozen::PLAIN,
    };
    let arms = clipped.iter().map(|c| c.estimate(&frozen)).collect();
    Ok(Stat { arms, frozen })
}

/// The median over all arms of three and more values of their scaled absolute deviations; 0 if
/// there is no such arm (two values are never clipped anyway).
fn pooled_sd<A: AsRef<[f64]>>(arms: &[A]) -> f64 {
    let scaled: Vec<f64> = arms
        .iter()
        .map(AsRef::as_ref)
        .filter(|values| values.len() >= 3)
        .flat_map(|values| {
            let c = robust_factor(values.len()).unwrap_or(0.0);
            deviations(values).into_iter().map(move |r| c * r)
        })
        .collect();
    median(&scaled).unwrap_or(0.0)
}

/// An arm's values after clipping.
struct Clipped {
    values: Vec<f64>,
    count: usize,
}

impl Clipped {
    fn new(values: &[f64], s_pool: f64) -> Self {
        let untouched = Self { values: values.to_vec(), count: 0 };
        let (Some(centre), Some(own)) = (median(values), super::sample::robust_sd(values)) else {
            return untouched;
        };
        let sd = s_pool.max(own);
        if sd <= RESOLUTION {
            return untouched;
        }
        let (low, high) = (centre - CLIP * sd, centre + CLIP * sd);
        Self {
            values: values.iter().map(|v| v.clamp(low, high)).collect(),
            count: values.iter().filter(|&&v| v < low || v > high).count(),
        }
    }

    fn spread(&self) -> Option<Spread> {
        let s2 = variance(&self.values)?;
        Some(Spread { s2, f: (self.values.len() - 1) as f64 })
    }

    fn estimate(&self, common: &Frozen) -> Arm {
        match (mean(&self.values), variance(&self.values)) {
            (Some(effect), Some(s2)) => {
                Arm::Estimated(Estimate::new(self.values.len(), effect, s2, self.count, common))
            }
            (Some(effect), None) => Arm::Single(effect),
            (None, _) => Arm::Nothing,
        }
    }
}

/// A variance and its degrees of freedom, f ≥ 1.
#[derive(Debug, Clone, Copy)]
struct Spread {
    s2: f64,
    f: f64,
}

/// s0² and d0 of a scaled F distribution that the variances come from, by the moments of their
/// logarithms (Smyth 2004, section 6.2; limma's `fitFDist`). Variances of 0 have no logarithm and
/// are left out, also of the mean. (0, 0) with fewer than two others.
fn squeeze(spreads: &[Spread]) -> (f64, f64) {
    let spreads: Vec<Spread> = spreads.iter().copied().filter(|s| s.s2 > 0.0).collect();
    let z: Vec<f64> =
        spreads.iter().map(|s| s.s2.ln() - digamma(s.f / 2.0) + (s.f / 2.0).ln()).collect();
    let sampling: Vec<f64> = spreads.iter().map(|s| trigamma(s.f / 2.0)).collect();
    let (Some(centre), Some(between), Some(sampling)) = (mean(&z), variance(&z), mean(&sampling))
    else {
        return (0.0, 0.0);
    };
    let v = between - sampling;
    let d0 = if v > 0.0 { 2.0 * trigamma_inverse(v) } else { f64::INFINITY };
    if d0.is_finite() {
        let s0_sq = (centre + digamma(d0 / 2.0) - (d0 / 2.0).ln()).exp();
        return (s0_sq, d0);
    }
    let s2: Vec<f64> = spreads.iter().map(|s| s.s2).collect();
    (mean(&s2).unwrap_or(0.0), f64::INFINITY)
}

#[cfg(test)]
#[path = "moderated_tests.rs"]
mod tests;
