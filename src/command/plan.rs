//! `cnfsweep plan`: what a sweep would run. Starts each toggle's server once and loads none.

use std::time::Duration;

use super::failure::Failure;
use super::lock::Lock;
use super::output::{self, Look, counted};
use super::request::Request;
use super::sweep::{Course, Prepared, with_engine};
use crate::cli::{Format, SweepArgs};
use crate::journal::{Label, ToggleRow, clock};
use crate::plan::Estimate;
use crate::report;
use crate::toggle::Toggles;

pub(super) fn run(args: &SweepArgs, format: Format) -> Result<(), Failure> {
    let request = Request::of(args)?;
    // The servers that it starts would disturb a sweep.
    let _lock = Lock::take(&format!("plan since {}", clock::stamp()), args.wait)?;
    let prepared = with_engine(args, &request, async |_, prepared, _| Ok(prepared))?;
    let Prepared { toggles, course, .. } = &prepared;
    match format {
        Format::Csv => {
            let rows: Vec<ToggleRow> = toggles.list.iter().map(ToggleRow::from).collect();
            csv(&rows)?;
        }
        Format::Table => {
            let look = Look::of_stdout(args.no_color);
            let mut text = report::plan(toggles, look.width, look.charset);
            if let Ok(course) = course {
                text.push_str(&summary(&request, toggles, course));
            }
            output::text(&text)?;
        }
    }
    prepared.course.map(drop)
}

fn csv(rows: &[ToggleRow]) -> Result<(), Failure> {
    let fail = |e: String| Failure::carrying_out(format!("could not write CSV: {e}"));
    let mut csv = csv::Writer::from_writer(Vec::new());
    for row in rows {
        csv.serialize(row).map_err(|e| fail(e.to_string()))?;
    }
    output::bytes(&csv.into_inner().map_err(|e| fail(e.to_string()))?)
}

fn summary(request: &Request, toggles: &Toggles, course: &Course) -> String {
    let Estimate { pairs, pair, time, disk_bytes } = course.estimate;
    let mut text = format!(
        "\n{}: {} and {}, at most {} of {:.0} s:\n{}, {} MB of disk\n",
        request.profile.name,
        counted(toggles.planned().count() as u64, "toggle"),
        counted(u64::from(course.aa), "A/A arm"),
        counted(pairs, "pair"),
        pair.as_secs_f64(),
        hours(time),
        disk_bytes >> 20,
    );
    if toggles.planned().any(|t| t.label != Label::None) {
        text.push_str("S: trades security, D: durability; a diagnostic, never free speed\n");
    }
    text
}

/// A time that people plan with.
pub(super) fn hours(time: Duration) -> String {
    let minutes = time.as_secs().div_ceil(60);
    match (minutes / 60, minutes % 60) {
        (0, minutes) => format!("about {minutes} min"),
        (hours, minutes) => format!("about {hours} h {minutes} min"),
    }
}
