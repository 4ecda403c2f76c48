//! Why a file and the user's wishes give no list of toggles; and names that look alike.

use super::scale::Big;
use crate::catalog::Catalog;
use crate::optionfile::{EditError, ReadError};

/// Why a file and the user's wishes give no list of toggles.
#[derive(Debug, thiserror::Error)]
pub enum ToggleError {
    /// The server would not read the file.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// A line can't be changed as it would have to be.
    #[error(transparent)]
    Edit(#[from] EditError),
    /// A wish names an option that the server does not have.
    #[error("{flag} {name}: this server has no such option")]
    Unknown {
        /// The flag.
        flag: &'static str,
        /// The name, as given.
        name: String,
        /// Names that look like it.
        similar: Vec<String>,
    },
    /// `--drop` names an option that the file does not have.
    #[error("--drop {name}: no active line of the file sets it")]
    NothingToDrop {
        /// The name, as given.
        name: String,
        /// Options of the file that look like it.
        similar: Vec<String>,
    },
    /// A wish is for an option that is never toggled.
    #[error("{flag} {name}: not possible: {why}")]
    Never {
        /// The flag.
        flag: &'static str,
        /// The name, as given.
        name: String,
        /// The reason.
        why: &'static str,
    },
    /// Two servers with this file don't fit into memory.
    #[error("{}", too_big(*needed, *memory))]
    TooBig {
        /// What each would need, bytes.
        needed: u64,
        /// What each has.
        memory: u64,
        /// The buffers that take most of it.
        buffers: Vec<Big>,
    },
}

fn too_big(needed: u64, memory: u64) -> String {
    format!(
        "two servers with this file don't fit: each needs about {} MB, and has {} MB",
        needed >> 20,
        memory >> 20
    )
}

impl ToggleError {
    /// What to do about it.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Read(e) => Some(e.hint().to_string()),
            Self::Unknown { similar, .. } if similar.is_empty() => {
                Some("`cnfsweep options` lists those that it has".to_owned())
            }
            Self::Unknown { similar, .. } => Some(did_you_mean(similar)),
            Self::NothingToDrop { similar, .. } if !similar.is_empty() => {
                Some(did_you_mean(similar))
            }
            Self::Edit(_)
            | Self::NothingToDrop { .. }
            | Self::Never { .. }
            | Self::TooBig { .. } => None,
        }
    }
}

fn did_you_mean(names: &[String]) -> String {
    let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    format!("did you mean {}?", names.join(" or "))
}

/// Names of the server that look like one that it does not have, the nearest first.
pub(super) fn similar_in(catalog: &Catalog, name: &str) -> Vec<String> {
    similar(name, catalog.options.keys().map(String::as_str))
}

/// Names that look like another, the nearest first.
pub(super) fn similar<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Vec<String> {
    const SHOWN: usize = 3;
    let mut near: Vec<(usize, &str)> = known
        .map(|known| (distance(name, known), known))
        .filter(|(distance, _)| *distance <= 1 + name.len() / 6)
        .collect();
    near.sort_unstable();
    near.dedup();
    near.into_iter().take(SHOWN).map(|(_, known)| known.to_owned()).collect()
}

/// Edits between two names (Levenshtein).
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, ca) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, cb) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(ca != *cb);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_names_come_first() {
        let known = ["sort_buffer_size", "join_buffer_size", "sync_binlog"];
        let like = |name| similar(name, known.into_iter());
        assert_eq!(like("sort_bufer_size"), ["sort_buffer_size"]);
        assert_eq!(like("sync_binlogs"), ["sync_binlog"]);
        assert!(like("wholly_different").is_empty());
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("", "abc"), 3);
    }
}
