//! Axes: which part of the numbers is shown, where a number stands, and where the ticks are.

/// Beyond these effects a percent axis shows ratios: twice as fast is as far from zero as half as
/// fast, and a gain of 900 % does not squash everything else.
const LINEAR_DOWN_TO: f64 = -50.0;
const LINEAR_UP_TO: f64 = 120.0;
/// A ratio has no logarithm at −100 %.
const LOWEST: f64 = -99.9;
/// Ticks of a ratio axis, the more important first.
const RATIO_TICKS: [f64; 33] = [
    0.0, 100.0, -50.0, 900.0, -90.0, 9900.0, -99.0, 300.0, -75.0, 200.0, 50.0, 400.0, -80.0, -25.0,
    25.0, 1900.0, -95.0, 4900.0, -98.0, 150.0, -60.0, 600.0, -40.0, 10.0, -10.0, -20.0, 20.0,
    -30.0, -70.0, 75.0, -85.0, 99_900.0, -99.9,
];

/// A horizontal axis of effects in percent.
#[derive(Debug, Clone)]
pub(super) struct EffectAxis {
    ratio: bool,
    low: f64,
    high: f64,
    left: f64,
    right: f64,
}

impl EffectAxis {
    /// An axis that shows at least these percentages between the positions `left` and `right`.
    pub fn new((low, high): (f64, f64), (left, right): (f64, f64)) -> Self {
        let ratio = low < LINEAR_DOWN_TO || high > LINEAR_UP_TO;
        let (low, high) = (inner(low, ratio), inner(high, ratio));
        let margin = (high - low) * 0.03;
        Self { ratio, low: low - margin, high: high + margin, left, right }
    }

    /// Whether equal ratios are equal lengths.
    pub fn is_ratio(&self) -> bool {
        self.ratio
    }

    /// Where a percentage stands; one outside stands at the edge.
    pub fn at(&self, percent: f64) -> f64 {
        let share = (inner(percent, self.ratio) - self.low) / (self.high - self.low);
        self.left + share.clamp(0.0, 1.0) * (self.right - self.left)
    }

    /// Whether a percentage is on the axis.
    pub fn shows(&self, percent: f64) -> bool {
        (self.low..=self.high).contains(&inner(percent, self.ratio))
    }

    /// Percentages to mark, at least `apart` from each other.
    pub fn ticks(&self, apart: f64) -> Vec<f64> {
        if self.ratio {
            let mut ticks: Vec<f64> = Vec::new();
            for tick in RATIO_TICKS.into_iter().filter(|tick| self.shows(*tick)) {
                if ticks.iter().all(|other| (self.at(*other) - self.at(tick)).abs() >= apart) {
                    ticks.push(tick);
                }
            }
            ticks.sort_by(f64::total_cmp);
            return ticks;
        }
        let most = ((self.right - self.left) / apart).floor().max(2.0);
        linear_ticks(self.low, self.high, most)
    }
}

/// What is proportional to length.
fn inner(percent: f64, ratio: bool) -> f64 {
    if ratio { (1.0 + percent.max(LOWEST) / 100.0).ln() } else { percent }
}

/// Multiples of 1, 2 or 5 times a power of ten, at most `most` or a few more.
pub(super) fn linear_ticks(low: f64, high: f64, most: f64) -> Vec<f64> {
    let raw = (high - low) / most;
    if !raw.is_finite() || raw <= 0.0 {
        return vec![low];
    }
    let power = 10_f64.powf(raw.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].into_iter().map(|k| k * power).find(|step| *step >= raw);
    let step = step.unwrap_or(raw);
    let first = (low / step).ceil() as i64;
    let last = (high / step).floor() as i64;
    (first..=last).map(|k| k as f64 * step).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_numbers() {
        assert_eq!(linear_ticks(-7.0, 52.0, 8.0), [0.0, 10.0, 20.0, 30.0, 40.0, 50.0]);
        assert_eq!(linear_ticks(0.0, 1.0, 5.0).len(), 6);
        assert_eq!(linear_ticks(3.0, 3.0, 5.0), [3.0]);
    }

    #[test]
    fn a_wide_axis_is_one_of_ratios() {
        let axis = EffectAxis::new((-90.0, 900.0), (0.0, 600.0));
        assert!(axis.is_ratio());
        assert!((axis.at(0.0) - 300.0).abs() < 1e-9, "÷10 and ×10 are equally far from 1");
        let ticks = axis.ticks(50.0);
        for tick in [-90.0, 0.0, 900.0] {
            assert!(ticks.contains(&tick), "{tick} in {ticks:?}");
        }
        assert!(ticks.windows(2).all(|w| axis.at(w[1]) - axis.at(w[0]) >= 50.0));
    }

    #[test]
    fn numbers_off_the_axis_stand_at_its_edge() {
        let axis = EffectAxis::new((-10.0, 50.0), (100.0, 200.0));
        assert!(!axis.is_ratio());
        assert!((axis.at(1e6) - 200.0).abs() < 1e-9);
        assert!(!axis.shows(60.0) && axis.shows(50.0));
    }
}
