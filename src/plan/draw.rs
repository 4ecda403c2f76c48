//! The draws of a round: order of its arms, and for each pair who is made, started and loaded
//! first.

use rand::{Rng as _, RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

/// Raised whenever the same seed gives another schedule.
pub const SCHEDULE_VERSION: u32 = 1;

/// Which of the two servers of a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Side {
    /// The unchanged one.
    Base,
    /// The one with the toggle.
    Toggle,
}

/// A pair as it is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Draw<A> {
    /// What is compared with the unchanged server.
    pub arm: A,
    /// Whose container, and with it whose volume, is made and started first.
    pub started_first: Side,
    /// Who is loaded first.
    pub loaded_first: Side,
    /// Seed of the load.
    pub seed: u64,
}

/// Shuffles the arms of a round (from 1) and draws the roles of each pair; at another `attempt`
/// (from 0) of those that were rejected, afresh.
pub fn draw<A: Copy>(seed: u64, round: u32, attempt: u32, arms: &[A]) -> Vec<Draw<A>> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(u64::from(attempt) << 32 | u64::from(round));
    let mut order: Vec<A> = arms.to_vec();
    // Fisher and Yates, written out so that no library's idea of a shuffle changes the schedule.
    for last in (1..order.len()).rev() {
        order.swap(last, rng.random_range(0..=last));
    }
    let side =
        |rng: &mut ChaCha8Rng| if rng.next_u32() & 1 == 0 { Side::Base } else { Side::Toggle };
    order
        .into_iter()
        .map(|arm| Draw {
            arm,
            started_first: side(&mut rng),
            loaded_first: side(&mut rng),
            seed: rng.next_u64(),
        })
        .collect()
}

impl<A> Draw<A> {
    /// As it stands in `trials.csv`: who started first, how the load went (`BT:TBBT`).
    pub fn order(&self) -> String {
        let started = match self.started_first {
            Side::Base => "BT",
            Side::Toggle => "TB",
        };
        let loaded = match self.loaded_first {
            Side::Base => "BTTB",
            Side::Toggle => "TBBT",
        };
        format!("{started}:{loaded}")
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_round_has_each_arm_once(seed: u64, round in 1_u32..100, arms in 0_usize..70) {
            let arms: Vec<usize> = (0..arms).collect();
            let mut drawn: Vec<usize> = draw(seed, round, 0, &arms).iter().map(|d| d.arm).collect();
            drawn.sort_unstable();
            prop_assert_eq!(drawn, arms);
        }

        #[test]
        fn the_same_seed_gives_the_same_round(seed: u64, round in 1_u32..100) {
            let arms: Vec<usize> = (0..20).collect();
            prop_assert_eq!(draw(seed, round, 0, &arms), draw(seed, round, 0, &arms));
        }
    }

    #[test]
    fn rounds_and_seeds_differ_and_roles_are_balanced() {
        let arms: Vec<usize> = (0..40).collect();
        assert_ne!(draw(1, 1, 0, &arms), draw(1, 2, 0, &arms));
        assert_ne!(draw(1, 1, 0, &arms), draw(2, 1, 0, &arms));
        assert_ne!(draw(1, 1, 0, &arms), draw(1, 1, 1, &arms));
        let all: Vec<_> = (1..=25).flat_map(|round| draw(7, round, 0, &arms)).collect();
        let share = |f: fn(&Draw<usize>) -> bool| {
            all.iter().filter(|d| f(d)).count() as f64 / all.len() as f64
        };
        // 1000 fair coins: three standard deviations are 0.047.
        assert!((share(|d| d.started_first == Side::Base) - 0.5).abs() < 0.05);
        assert!((share(|d| d.loaded_first == Side::Base) - 0.5).abs() < 0.05);
        // Who starts first says nothing about who is loaded first.
        let same = share(|d| d.started_first == d.loaded_first);
        assert!((same - 0.5).abs() < 0.05, "{same}");
    }

    #[test]
    fn the_schedule_of_a_seed_is_kept_between_versions() {
        let round = draw(42, 1, 0, &["a", "b", "c", "d"]);
        let order: Vec<(&str, String)> = round.iter().map(|d| (d.arm, d.order())).collect();
        assert_eq!(SCHEDULE_VERSION, 1, "a changed draw needs a new version and new answers here");
        assert_eq!(order.len(), 4);
        assert_eq!(format!("{order:?}"), KNOWN);
    }

    const KNOWN: &str =
        r#"[("a", "BT:TBBT"), ("b", "TB:BTTB"), ("d", "BT:BTTB"), ("c", "TB:TBBT")]"#;
}
