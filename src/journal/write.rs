//! Appending to `results/<id>/`. A pair's rows are written together and fsynced, `trials.csv`
//! last, so that a pair that stands there has all its rows elsewhere.

use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::read::{JournalError, SweepDir, io_error};
use super::rows::{EffectRow, HistogramRow, SliceRow, StatusRow, ToggleRow, TrialRow};
use super::sweep_file::SweepFile;

/// The open files of a sweep that is running.
#[derive(Debug)]
pub struct Journal {
    dir: SweepDir,
    trials: Appender,
    slices: Appender,
    histograms: Appender,
    status: Appender,
}

impl Journal {
    /// Makes the directory with everything that is known before the first pair. `cnfs` are the
    /// files that the servers read, by name below the directory (`base.cnf`, `toggles/….cnf`).
    ///
    /// # Errors
    /// When the directory exists already, or can't be written; the error names the path.
    pub fn create(
        path: &Path,
        sweep: &SweepFile,
        toggles: &[ToggleRow],
        cnfs: &[(PathBuf, Vec<u8>)],
    ) -> Result<Self, JournalError> {
        let dir = SweepDir::new(path);
        let text = toml_edit::ser::to_string_pretty(sweep)
            .map_err(|e| JournalError::Encode { path: dir.sweep_toml(), message: e.to_string() })?;
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent).map_err(io_error("could not create", parent))?;
        }
        std::fs::create_dir(path).map_err(io_error("could not create", path))?;
        for (name, bytes) in cnfs {
            let file = path.join(name);
            if let Some(parent) = file.parent() {
                std::fs::create_dir_all(parent).map_err(io_error("could not create", parent))?;
            }
            write_whole(&file, bytes)?;
        }
        write_whole(&dir.sweep_toml(), text.as_bytes())?;
        write_rows(&dir.toggles_csv(), toggles)?;
        Self::open(dir)
    }

    fn open(dir: SweepDir) -> Result<Self, JournalError> {
        Ok(Self {
            trials: Appender::open(dir.trials_csv(), TRIALS)?,
            slices: Appender::open(dir.slices_csv(), SLICES)?,
            histograms: Appender::open(dir.histograms_csv(), HISTOGRAMS)?,
            status: Appender::open(dir.status_csv(), STATUS)?,
            dir,
        })
    }

    /// The directory.
    pub fn dir(&self) -> &SweepDir {
        &self.dir
    }

    /// Appends all rows of one pair and waits until they are on disk.
    ///
    /// # Errors
    /// When a file can't be written (disk full, say); the error names it.
    pub fn append_pair(
        &mut self,
        trials: &[TrialRow],
        slices: &[SliceRow],
        histograms: &[HistogramRow],
        status: &[StatusRow],
    ) -> Result<(), JournalError> {
        self.slices.append(slices)?;
        self.histograms.append(histograms)?;
        self.status.append(status)?;
        self.trials.append(trials)
    }
}

/// Writes `effects.csv`, replacing the one that was there.
///
/// # Errors
/// When the file can't be written; the error names it.
pub fn write_effects(dir: &SweepDir, effects: &[EffectRow]) -> Result<(), JournalError> {
    write_rows(&dir.effects_csv(), effects)
}

const TRIALS: &str = "round,pair,order,toggle,arm,threads,engine,statement,slices,ops,errors,seconds,ops_per_s,mean_us,p50_us,p95_us,p99_us,max_us,server_cpu_us_per_op,client_cpu_us_per_op,log_ratio,stalls,outcome,message,started_at\n";
const SLICES: &str =
    "pair,arm,sequence,ops,errors,seconds,server_cpu_us,idle_cpu_us,client_cpu_us\n";
const HISTOGRAMS: &str = "pair,arm,statement,hdr\n";
const STATUS: &str = "pair,arm,counter,delta\n";
const TOGGLES: &str = "toggle,option,line,action,from,to,label,status,detail\n";
const EFFECTS: &str = "toggle,option,from,to,label,threads,engine,statement,metric,n,effect_pct,ci_low_pct,ci_high_pct,p,p_adjusted,mde_pct,verdict,note\n";

/// A row type knows the header of its file, so that an empty file has one too.
trait Header {
    const HEADER: &'static str;
}

impl Header for ToggleRow {
    const HEADER: &'static str = TOGGLES;
}

impl Header for EffectRow {
    const HEADER: &'static str = EFFECTS;
}

fn write_rows<T: Serialize + Header>(path: &Path, rows: &[T]) -> Result<(), JournalError> {
    let mut bytes = T::HEADER.as_bytes().to_vec();
    bytes.extend(encode(path, rows)?);
    write_whole(path, &bytes)
}

fn encode<T: Serialize>(path: &Path, rows: &[T]) -> Result<Vec<u8>, JournalError> {
    let encode_error = |message: String| JournalError::Encode { path: path.to_owned(), message };
    let mut writer = csv::WriterBuilder::new().has_headers(false).from_writer(Vec::new());
    for row in rows {
        writer.serialize(row).map_err(|e| encode_error(e.to_string()))?;
    }
    writer.into_inner().map_err(|e| encode_error(e.to_string()))
}

/// Writes beside the file and renames, so that a reader never sees half of it.
fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), JournalError> {
    let mut beside = path.as_os_str().to_owned();
    beside.push(".new");
    let beside = PathBuf::from(beside);
    let write = || -> std::io::Result<()> {
        let mut file = File::create(&beside)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        std::fs::rename(&beside, path)
    };
    write().map_err(|e| {
        // The half-written file must not stay; if it can't be removed, the first error matters more.
        let _ = std::fs::remove_file(&beside);
        io_error("could not write", path)(e)
    })
}

#[derive(Debug)]
struct Appender {
    path: PathBuf,
    file: File,
}

impl Appender {
    fn open(path: PathBuf, header: &str) -> Result<Self, JournalError> {
        let mut file = OpenOptions::new()
            .create_new(true)
            .append(true)
            .open(&path)
            .map_err(io_error("could not create", &path))?;
        file.write_all(header.as_bytes()).map_err(io_error("could not write", &path))?;
        Ok(Self { path, file })
    }

    fn append<T: Serialize>(&mut self, rows: &[T]) -> Result<(), JournalError> {
        let bytes = encode(&self.path, rows)?;
        self.file
            .write_all(&bytes)
            .and_then(|()| self.file.sync_data())
            .map_err(io_error("could not write", &self.path))
    }
}
