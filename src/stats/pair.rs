//! One pair of servers loaded in turn → one number, and beside it what trimming hides.
//! Types hold slices that were measured; a slice without operations or time is an error.

use std::time::Duration;

use thiserror::Error;

use super::sample::{mean, median};

/// The part cut off at each end by the trimmed mean of a pair.
pub const TRIM: f64 = 0.2;

/// Slices per arm of a pair, unless the profile says otherwise.
pub const SLICES: usize = 20;

/// Fewer operations than this, per connection and slice, are not a measurement.
pub const OPERATIONS_PER_CONNECTION: u64 = 10;

/// A 99th percentile says something from this many operations per arm and pair on.
pub const P99_OPERATIONS: u64 = 10_000;

/// Why slices don't make a number.
#[derive(Debug, Clone, Copy, PartialEq, Error)]
pub enum PairError {
    /// The slice completed no operation.
    #[error("a slice completed no operation")]
    NoOperations,
    /// The slice has no length, a negative or an undefined one, or one that gives no finite rate.
    #[error("a slice took {0} s")]
    NoTime(f64),
    /// Both arms of a pair must have equally many slices.
    #[error("{base} slices of the baseline, {toggled} of the toggled server")]
    Unequal {
        /// Slices of the baseline server.
        base: usize,
        /// Slices of the toggled server.
        toggled: usize,
    },
    /// There is nothing to take the mean of.
    #[error("no values")]
    Empty,
    /// A value is NaN or infinite.
    #[error("{0} among the values")]
    NotFinite(f64),
    /// The part to trim at each end is not in 0..0.5.
    #[error("{0} cannot be trimmed at each end")]
    Trim(f64),
}

/// A stretch of load on one server: at least one operation in a positive time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Slice {
    ops: u64,
    seconds: f64,
}

impl Slice {
    /// `ops` operations completed in `seconds`, from the slice's start to its last completion.
    ///
    /// # Errors
    ///
    /// [`PairError::NoOperations`]; [`PairError::NoTime`] unless `seconds` is positive and finite
    /// and gives a finite rate.
    pub fn new(ops: u64, seconds: f64) -> Result<Self, PairError> {
        if ops == 0 {
            return Err(PairError::NoOperations);
        }
        let rate = ops as f64 / seconds;
        if seconds.is_nan() || seconds <= 0.0 || !rate.is_normal() {
            return Err(PairError::NoTime(seconds));
        }
        Ok(Self { ops, seconds })
    }

    /// Operations completed.
    #[must_use]
    pub fn ops(self) -> u64 {
        self.ops
    }

    /// Seconds from the start to the last completion.
    #[must_use]
    pub fn seconds(self) -> f64 {
        self.seconds
    }

    /// Operations per second.
    #[must_use]
    pub fn rate(self) -> f64 {
        self.ops as f64 / self.seconds
    }
}

/// What one pair of servers says (`statistics.md`, section 1).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PairNumbers {
    /// Slices per arm.
    pub slices: usize,
    /// The pair's number: the 20 %-trimmed mean of the neighbours' log-ratios.
    pub trimmed: f64,
    /// The ratio of totals, ln(Σops_T/Σt_T) − ln(Σops_B/Σt_B): nothing trimmed.
    pub totals: f64,
    /// Fraction (0..1) of the baseline's slices below half of its own median rate.
    pub stalls_base: f64,
    /// Fraction (0..1) of the toggled server's slices below half of its own median rate.
    pub stalls_toggled: f64,
}

impl PairNumbers {
    /// From the slices of both arms, each in the order of time, equally many of both.
    ///
    /// # Errors
    ///
    /// [`PairError::Unequal`], [`PairError::Empty`].
    pub fn new(base: &[Slice], toggled: &[Slice]) -> Result<Self, PairError> {
        let ratios = log_ratios(base, toggled)?;
        Ok(Self {
            slices: ratios.len(),
            trimmed: trimmed_mean(&ratios, TRIM)?,
            totals: log_of_totals(toggled) - log_of_totals(base),
            stalls_base: stalls(base),
            stalls_toggled: stalls(toggled),
        })
    }

    /// By how much more of the toggled server's slices stalled, −1..1.
    #[must_use]
    pub fn stall_difference(&self) -> f64 {
        self.stalls_toggled - self.stalls_base
    }
}

/// x_k = ln(rate_T,k / rate_B,k) of the k-th slices of both arms, which are neighbours in the
/// order B T T B B T T B ….
///
/// # Errors
///
/// [`PairError::Unequal`], [`PairError::Empty`].
pub fn log_ratios(base: &[Slice], toggled: &[Slice]) -> Result<Vec<f64>, PairError> {
    if base.len() != toggled.len() {
        return Err(PairError::Unequal { base: base.len(), toggled: toggled.len() });
    }
    if base.is_empty() {
        return Err(PairError::Empty);
    }
    Ok(base.iter().zip(toggled).map(|(b, t)| t.rate().ln() - b.rate().ln()).collect())
}

/// The mean of what is left after the `⌊trim·n⌋` smallest and as many of the largest of `n` values
/// are cut off: with `trim` = 0.2 none of 4, one at each end of 5 to 9, four at each end of 20.
///
/// # Errors
///
/// [`PairError::Empty`]; [`PairError::NotFinite`]; [`PairError::Trim`] unless 0 ≤ `trim` < 0.5.
pub fn trimmed_mean(values: &[f64], trim: f64) -> Result<f64, PairError> {
    if !(0.0..0.5).contains(&trim) {
        return Err(PairError::Trim(trim));
    }
    if let Some(&wrong) = values.iter().find(|v| !v.is_finite()) {
        return Err(PairError::NotFinite(wrong));
    }
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let cut = (trim * sorted.len() as f64).floor() as usize;
    mean(&sorted[cut..sorted.len() - cut]).ok_or(PairError::Empty)
}

/// How long a slice must be for an operation that takes `operation` (median, calibrated on the
/// baseline): 20 of them, 200 ms at least.
#[must_use]
pub fn slice_length(operation: Duration) -> Duration {
    operation.saturating_mul(20).max(Duration::from_millis(200))
}

/// Whether a slice with `ops` operations on `connections` connections is a measurement at all.
#[must_use]
pub fn enough_operations(ops: u64, connections: u64) -> bool {
    ops >= OPERATIONS_PER_CONNECTION.saturating_mul(connections)
}

fn log_of_totals(slices: &[Slice]) -> f64 {
    // Each as f64: sums of u64 could overflow, and 53 bits are plenty.
    let ops: f64 = slices.iter().map(|s| s.ops as f64).sum();
    let seconds: f64 = slices.iter().map(|s| s.seconds).sum();
    ops.ln() - seconds.ln()
}

fn stalls(slices: &[Slice]) -> f64 {
    let rates: Vec<f64> = slices.iter().map(|s| s.rate()).collect();
    let Some(middle) = median(&rates) else {
        return 0.0;
    };
    rates.iter().filter(|&&r| r < middle / 2.0).count() as f64 / rates.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slices(rates: &[u64]) -> Vec<Slice> {
        rates.iter().map(|&ops| Slice::new(ops, 1.0).unwrap()).collect()
    }

    #[test]
    fn a_slice_without_operations_or_time_cannot_be_made() {
        assert_eq!(Slice::new(0, 1.0), Err(PairError::NoOperations));
        for seconds in [0.0, -1.0, f64::INFINITY, 1e-320] {
            assert_eq!(Slice::new(5, seconds), Err(PairError::NoTime(seconds)));
        }
        assert!(matches!(Slice::new(5, f64::NAN), Err(PairError::NoTime(s)) if s.is_nan()));
    }

    #[test]
    fn the_pair_number_is_the_trimmed_mean_of_the_neighbours() {
        let base = slices(&[100, 100, 100, 100, 100]);
        let toggled = slices(&[110, 110, 110, 10, 900]);
        let pair = PairNumbers::new(&base, &toggled).unwrap();
        assert!((pair.trimmed - 1.1_f64.ln()).abs() < 1e-14);
        assert!((pair.totals - (1240.0_f64 / 500.0).ln()).abs() < 1e-14);
    }

    #[test]
    fn stalls_are_slices_below_half_of_the_own_median() {
        let base = slices(&[100, 100, 100, 100, 100]);
        let toggled = slices(&[100, 50, 49, 100, 200]);
        let pair = PairNumbers::new(&base, &toggled).unwrap();
        assert_eq!((pair.stalls_base, pair.stalls_toggled), (0.0, 0.2));
        assert_eq!(pair.stall_difference(), 0.2);
    }

    #[test]
    fn arms_must_have_equally_many_slices_and_some() {
        let error = PairNumbers::new(&slices(&[1, 2]), &slices(&[1])).unwrap_err();
        assert_eq!(error, PairError::Unequal { base: 2, toggled: 1 });
        assert_eq!(PairNumbers::new(&[], &[]), Err(PairError::Empty));
    }

    #[test]
    fn a_fifth_rounded_down_is_trimmed_at_each_end() {
        assert_eq!(trimmed_mean(&[0.0, 1.0, 2.0, 100.0], TRIM), Ok(25.75));
        assert_eq!(trimmed_mean(&[-9.0, 1.0, 2.0, 3.0, 100.0], TRIM), Ok(2.0));
        let nine = [-50.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 99.0];
        assert_eq!(trimmed_mean(&nine, TRIM), Ok(4.0));
        // Rounding in 0.2·n never takes one off the count.
        for n in 1..10_000 {
            assert_eq!((TRIM * n as f64).floor() as usize, n / 5);
        }
    }

    #[test]
    fn a_mean_of_nothing_or_of_nonsense_is_an_error() {
        assert_eq!(trimmed_mean(&[], TRIM), Err(PairError::Empty));
        assert_eq!(trimmed_mean(&[1.0], 0.5), Err(PairError::Trim(0.5)));
        let infinite = f64::INFINITY;
        assert_eq!(trimmed_mean(&[1.0, infinite], TRIM), Err(PairError::NotFinite(infinite)));
    }

    #[test]
    fn slices_are_as_long_as_twenty_operations() {
        assert_eq!(slice_length(Duration::from_micros(80)), Duration::from_millis(200));
        assert_eq!(slice_length(Duration::from_millis(60)), Duration::from_millis(1200));
        assert!(enough_operations(80, 8) && !enough_operations(79, 8));
    }
}
