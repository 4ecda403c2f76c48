//! Reading `results/<id>/` back: what `report` starts again from. Needs neither Docker nor MySQL.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;

use super::rows::{EffectRow, HistogramRow, SliceRow, StatusRow, ToggleRow, TrialRow};
use super::sweep_file::SweepFile;

/// Folder below the directory with the exact file that each toggled server read.
pub const TOGGLE_CNF_DIR: &str = "toggles";

/// Why a results directory could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// The file system said no.
    #[error("{what} `{}`: {source}", path.display())]
    Io {
        /// What was tried.
        what: &'static str,
        /// On which file.
        path: PathBuf,
        /// Why not.
        source: std::io::Error,
    },
    /// A file holds something else than the format says.
    #[error("`{}`{}: {message}", path.display(), line.map(|l| format!(":{l}")).unwrap_or_default())]
    Format {
        /// The file.
        path: PathBuf,
        /// Line, from 1, where known.
        line: Option<u64>,
        /// What is wrong.
        message: String,
    },
    /// A row can't be written as CSV or TOML.
    #[error("could not encode `{}`: {message}", path.display())]
    Encode {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        message: String,
    },
}

pub(super) fn io_error(
    what: &'static str,
    path: &Path,
) -> impl FnOnce(std::io::Error) -> JournalError {
    let path = path.to_owned();
    move |source| JournalError::Io { what, path, source }
}

/// The paths of a results directory, and how to read what is in them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SweepDir {
    root: PathBuf,
}

macro_rules! paths {
    ($($(#[$meta:meta])* $fn:ident = $file:literal),+ $(,)?) => {
        $($(#[$meta])* pub fn $fn(&self) -> PathBuf { self.root.join($file) })+
    };
}

impl SweepDir {
    /// The directory at `root`; nothing is read yet.
    pub fn new(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into() }
    }

    /// Where it is.
    pub fn root(&self) -> &Path {
        &self.root
    }

    paths! {
        /// What was measured, with what and where.
        sweep_toml = "sweep.toml",
        /// The file that the unchanged servers read.
        base_cnf = "base.cnf",
        /// Every line of the base file and what became of it.
        toggles_csv = "toggles.csv",
        /// One row per arm of a pair and statement kind.
        trials_csv = "trials.csv",
        /// One row per slice.
        slices_csv = "slices.csv",
        /// Latency histograms.
        histograms_csv = "histograms.csv",
        /// Server counters that moved.
        status_csv = "status.csv",
        /// Estimates and verdicts.
        effects_csv = "effects.csv",
        /// Folder of the charts.
        charts = "charts",
        /// The report, one file.
        report_html = "report.html",
        /// The report to paste into a ticket.
        report_md = "report.md",
    }

    /// The file that the server with this toggle read, relative to the directory.
    pub fn toggle_cnf_name(toggle: &str) -> PathBuf {
        Path::new(TOGGLE_CNF_DIR).join(format!("{}.cnf", slug(toggle)))
    }

    /// Reads `sweep.toml`.
    ///
    /// # Errors
    /// When it is missing or not of the format.
    pub fn sweep(&self) -> Result<SweepFile, JournalError> {
        let path = self.sweep_toml();
        let text = std::fs::read_to_string(&path).map_err(io_error("could not read", &path))?;
        toml_edit::de::from_str(&text).map_err(|e| JournalError::Format {
            line: e.span().map(|s| 1 + text[..s.start].matches('\n').count() as u64),
            message: e.message().to_owned(),
            path,
        })
    }

    /// Reads `toggles.csv`.
    ///
    /// # Errors
    /// When it is missing or not of the format.
    pub fn toggles(&self) -> Result<Vec<ToggleRow>, JournalError> {
        read_rows(&self.toggles_csv())
    }

    /// Reads `trials.csv`.
    ///
    /// # Errors
    /// When it is missing or not of the format.
    pub fn trials(&self) -> Result<Vec<TrialRow>, JournalError> {
        read_rows(&self.trials_csv())
    }

    /// Reads `slices.csv`.
    ///
    /// # Errors
    /// When it is missing or not of the format.
    pub fn slices(&self) -> Result<Vec<SliceRow>, JournalError> {
        read_rows(&self.slices_csv())
    }

    /// Reads `histograms.csv`.
    ///
    /// # Errors
    /// When it is missing or not of the format.
    pub fn histograms(&self) -> Result<Vec<HistogramRow>, JournalError> {
        read_rows(&self.histograms_csv())
    }

    /// Reads `status.csv`.
    ///
    /// # Errors
    /// When it is missing or not of the format.
    pub fn status(&self) -> Result<Vec<StatusRow>, JournalError> {
        read_rows(&self.status_csv())
    }

    /// Reads `effects.csv`.
    ///
    /// # Errors
    /// When it is missing or not of the format.
    pub fn effects(&self) -> Result<Vec<EffectRow>, JournalError> {
        read_rows(&self.effects_csv())
    }

    /// The option files: `base.cnf` under the empty name, then those of the given toggles that
    /// have one.
    ///
    /// # Errors
    /// When `base.cnf` is missing or a file can't be read.
    pub fn cnfs(&self, toggles: &[ToggleRow]) -> Result<BTreeMap<String, Vec<u8>>, JournalError> {
        let read = |path: PathBuf| std::fs::read(&path).map_err(io_error("could not read", &path));
        let mut cnfs = BTreeMap::from([(String::new(), read(self.base_cnf())?)]);
        for row in toggles {
            let path = self.root.join(Self::toggle_cnf_name(&row.toggle));
            if path.exists() {
                cnfs.insert(row.toggle.clone(), read(path)?);
            }
        }
        Ok(cnfs)
    }
}

/// A toggle's id as a file name: letters, digits, `_`, `-`, `.`, `=` stay, anything else becomes
/// `_` and two ids that would fall together are kept apart by a hash of the id.
pub fn slug(toggle: &str) -> String {
    const LONGEST: usize = 80;
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '=' | '.');
    let kept: String = toggle.chars().map(|c| if plain(c) { c } else { '_' }).collect();
    if kept == toggle && kept.len() <= LONGEST && !kept.starts_with('.') {
        return kept;
    }
    let head: String = kept.trim_start_matches('.').chars().take(LONGEST).collect();
    format!("{head}-{:08x}", fnv1a(toggle.as_bytes()))
}

/// FNV-1a, 32 bits: enough to keep file names apart, and the same on every machine.
fn fnv1a(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0x811c_9dc5, |hash, b| (hash ^ u32::from(*b)).wrapping_mul(0x0100_0193))
}

fn read_rows<T: DeserializeOwned>(path: &Path) -> Result<Vec<T>, JournalError> {
    let file = std::fs::File::open(path).map_err(io_error("could not read", path))?;
    csv::Reader::from_reader(file)
        .into_deserialize()
        .collect::<Result<Vec<T>, csv::Error>>()
        .map_err(|e| JournalError::Format {
            path: path.to_owned(),
            line: e.position().map(csv::Position::line),
            message: e.to_string(),
        })
}
