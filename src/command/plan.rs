//! `cnfsweep plan`: what a sweep would run. Starts each toggle's server once and loads none.

use std::time::Duration;

use super::failure::Failure;
use super::output::{self, Look};
use super::request::Request;
use super::sweep::{Prepared, with_engine};
use crate::cli::{Format, SweepArgs};
use crate::journal::{Label, Status, ToggleRow};
use crate::plan::Estimate;
use crate::report::Charset;

pub(super) fn run(args: &SweepArgs, format: Format) -> Result<(), Failure> {
    let request = Request::of(args)?;
    let prepared = with_engine(args, &request, async |_, prepared, _| Ok(prepared))?;
    let rows: Vec<ToggleRow> = prepared.toggles.list.iter().map(ToggleRow::from).collect();
    match format {
        Format::Csv => csv(&rows),
        Format::Table => {
            let look = Look::of_stdout(args.no_color);
            output::text(&table(&rows, look))?;
            output::text(&summary(&request, &prepared, &rows))
        }
    }
}

/// Line, change, label, status and why, wrapped into the width.
fn table(rows: &[ToggleRow], look: Look) -> String {
    let preset = match look.charset {
        Charset::Utf8 => comfy_table::presets::NOTHING,
        Charset::Ascii => comfy_table::presets::NOTHING,
    };
    let mut table = comfy_table::Table::new();
    table
        .load_preset(preset)
        .set_content_arrangement(comfy_table::ContentArrangement::Dynamic)
        .set_width(u16::try_from(look.width).unwrap_or(u16::MAX))
        .set_header(["line", "toggle", "", "status", "why"]);
    for row in rows {
        table.add_row([
            row.line.map(|l| l.to_string()).unwrap_or_default(),
            row.toggle.clone(),
            row.label.to_string(),
            row.status.to_string(),
            row.detail.clone(),
        ]);
    }
    let mut text: String = table.lines().map(|line| format!("{}\n", line.trim_end())).collect();
    if look.charset == Charset::Ascii {
        text = text.chars().map(|c| if c.is_ascii() { c } else { '?' }).collect();
    }
    text
}

fn csv(rows: &[ToggleRow]) -> Result<(), Failure> {
    let fail = |e: String| Failure::carrying_out(format!("could not write CSV: {e}"));
    let mut csv = csv::Writer::from_writer(Vec::new());
    for row in rows {
        csv.serialize(row).map_err(|e| fail(e.to_string()))?;
    }
    output::bytes(&csv.into_inner().map_err(|e| fail(e.to_string()))?)
}

fn summary(request: &Request, prepared: &Prepared, rows: &[ToggleRow]) -> String {
    let count = |status| rows.iter().filter(|r| r.status == status).count();
    let Estimate { pairs, pair, time, disk_bytes } = prepared.estimate;
    let mut text = String::new();
    let changed = &prepared.toggles.changed_in_both_arms;
    if !changed.is_empty() {
        text.push_str("\nChanged in both servers, so that they run in a container:\n");
        for line in changed {
            text.push_str(&format!("  {line}\n"));
        }
    }
    text.push_str(&format!(
        "\n{} measured, {} no-op, {} refused, {} left out; {} A/A arms\n",
        count(Status::Planned),
        count(Status::NoOp),
        count(Status::Refused),
        count(Status::LeftOut),
        prepared.aa,
    ));
    text.push_str(&format!(
        "{}: at most {pairs} pairs of {:.0} s, {}; {} MB of disk\n",
        request.profile.name,
        pair.as_secs_f64(),
        hours(time),
        disk_bytes >> 20,
    ));
    if rows.iter().any(|r| r.label != Label::None && r.status == Status::Planned) {
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
