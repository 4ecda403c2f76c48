//! The only part of `report` that touches files: writes the charts and both reports into the
//! directory of a sweep. Every file appears whole or not at all.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use crate::journal::SweepDir;

use super::charts::{Chart, ChartError, Width};
use super::html::{HtmlError, html};
use super::markdown::markdown;
use super::model::Model;
use super::view::RenderError;

/// Why a report could not be written.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// The file system said no.
    #[error("could not write `{}`: {source}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// Why not.
        source: std::io::Error,
    },
    /// A chart can't be drawn, or its picture not be written.
    #[error("`{}`: {source}", path.display())]
    Chart {
        /// The picture.
        path: PathBuf,
        /// Why not.
        source: ChartError,
    },
    /// A template can't be filled.
    #[error(transparent)]
    Render(#[from] RenderError),
}

/// Writes `charts/*.svg`, `charts/*.png`, `report.html` and `report.md`, replacing those that were
/// there, and says which files they are.
///
/// # Errors
/// When a file can't be written; the error names it. Files that were already replaced stay.
pub fn write_all(model: &Model, dir: &SweepDir) -> Result<Vec<PathBuf>, ReportError> {
    let charts = dir.charts();
    fs::create_dir_all(&charts)
        .map_err(|source| ReportError::Io { path: charts.clone(), source })?;
    let mut written = Vec::new();
    for chart in Chart::ALL {
        let path = charts.join(format!("{}.svg", chart.file_stem()));
        let svg = chart
            .svg(model, Width::Wide)
            .map_err(|source| ReportError::Chart { path: path.clone(), source })?;
        written.push(replace(path, |beside| write(beside, svg.as_bytes()))?);

        let path = charts.join(format!("{}.png", chart.file_stem()));
        written.push(replace(path, |beside| {
            // Said here, because the drawing library's words for it are not for people.
            fs::File::create(beside).map_err(Problem::Io)?;
            chart.write_png(model, beside).map_err(Problem::Chart)
        })?);
    }
    let page = html(model).map_err(|e| match e {
        HtmlError::Chart(source) => ReportError::Chart { path: dir.report_html(), source },
        HtmlError::Render(e) => ReportError::Render(e),
    })?;
    written.push(replace(dir.report_html(), |beside| write(beside, page.as_bytes()))?);
    let page = markdown(model)?;
    written.push(replace(dir.report_md(), |beside| write(beside, page.as_bytes()))?);
    Ok(written)
}

enum Problem {
    Io(std::io::Error),
    Chart(ChartError),
}

/// Lets `make` write a file beside the one at `path`, then puts it in its place.
fn replace(
    path: PathBuf,
    make: impl FnOnce(&Path) -> Result<(), Problem>,
) -> Result<PathBuf, ReportError> {
    // The ending stays: it tells the drawing library the format.
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let beside = path.with_file_name(format!(".new-{name}"));
    let made = make(&beside).and_then(|()| fs::rename(&beside, &path).map_err(Problem::Io));
    match made {
        Ok(()) => Ok(path),
        Err(problem) => {
            // The half-written file must not stay; if it can't be removed, the first error
            // matters more.
            let _ = fs::remove_file(&beside);
            Err(match problem {
                Problem::Io(source) => ReportError::Io { path, source },
                Problem::Chart(source) => ReportError::Chart { path, source },
            })
        }
    }
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), Problem> {
    let mut file = fs::File::create(path).map_err(Problem::Io)?;
    file.write_all(bytes).and_then(|()| file.sync_all()).map_err(Problem::Io)
}
