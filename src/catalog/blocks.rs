//! Block sizes of MySQL's numbers, which no table of its own has: a value just above the default
//! is rounded down to it until it is a whole block above. Decides what to ask and what the answers
//! mean; asks nothing itself.

use std::collections::BTreeMap;

use super::{Catalog, Kind};

/// The largest block that is looked for, as a power of two.
const LARGEST: u32 = 16;

/// The options and the values they start from.
#[derive(Debug)]
pub struct Blocks {
    from: BTreeMap<String, u64>,
}

impl Blocks {
    /// All whole numbers whose blocks aren't known.
    pub fn of(catalog: &Catalog) -> Self {
        let number = |text: &Option<String>| text.as_ref()?.parse::<u64>().ok();
        let from = |(name, info): (&String, &super::OptionInfo)| {
            let numbers = info.kind == Kind::Integer && info.block.is_none() && info.variable;
            let default = number(&info.default).filter(|_| numbers)?;
            let from = default.max(number(&info.min).unwrap_or(0));
            let room = from.checked_add(1 << LARGEST)?;
            (room <= number(&info.max)?).then(|| (name.clone(), from))
        };
        Self { from: catalog.options.iter().filter_map(from).collect() }
    }

    /// What to give the server, one file each: option and value.
    pub fn ask(&self) -> Vec<Vec<(&str, u64)>> {
        (0..=LARGEST)
            .map(|k| {
                self.from.iter().map(|(name, from)| (name.as_str(), from + (1 << k))).collect()
            })
            .collect()
    }

    /// Leaves an option out, for a server that refuses it.
    pub fn without(&mut self, option: &str) {
        self.from.remove(option);
    }

    /// Writes the blocks into the catalogue; `answers` has the values that came out of each file.
    pub fn note(self, answers: &[BTreeMap<String, String>], catalog: &mut Catalog) {
        for (name, from) in self.from {
            let came_out: Option<Vec<u64>> =
                answers.iter().map(|values| values.get(&name)?.parse().ok()).collect();
            if let (Some(values), Some(info)) = (came_out, catalog.options.get_mut(&name)) {
                info.block = block(from, &values);
            }
        }
    }
}

/// The block, by what came out for `from` + 1, 2, 4, 8 …; none if there is none, or the answers
/// have another reason.
fn block(from: u64, came_out: &[u64]) -> Option<u64> {
    let rounded = came_out.iter().take_while(|value| **value == from).count();
    let block = 1_u64.checked_shl(u32::try_from(rounded).ok()?)?;
    (rounded > 0 && came_out.get(rounded) == Some(&(from + block))).then_some(block)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_is_where_rounding_ends() {
        let rounded = |from: u64, block: u64| -> Vec<u64> {
            (0..=LARGEST).map(|k| (from + (1 << k)) / block * block).collect()
        };
        assert_eq!(block(16_777_216, &rounded(16_777_216, 1_024)), Some(1_024));
        assert_eq!(block(262_144, &rounded(262_144, 128)), Some(128));
        assert_eq!(block(151, &rounded(151, 1)), None);
        // Kept at the default for another reason.
        assert_eq!(block(100, &[100; 17]), None);
    }
}
