//! `cnfsweep options`: what the server of an image knows.

use serde::Serialize;

use super::failure::Failure;
use super::host::{Cpus, available_memory};
use super::output::{self, Look};
use super::progress::Progress;
use super::signals::Signals;
use super::sweep::runtime;
use crate::catalog::{self, Catalog, Kind, OptionInfo};
use crate::cli::Format;
use crate::engine::docker::{DockerEngine, Image, clean, connect, let_finish};
use crate::engine::{Engine as _, Limits};
use crate::optionfile::Product;
use crate::sweep;
use crate::toggle::{self, Label};

/// Columns of the CSV.
#[derive(Serialize)]
struct Row<'a> {
    option: &'a str,
    kind: &'a str,
    default: &'a str,
    min: &'a str,
    max: &'a str,
    /// Values are multiples of it.
    block: String,
    values: String,
    dynamic: &'a str,
    /// D or S, where some value trades durability or security away.
    label: &'a str,
    /// The values that do, where they can be counted.
    label_values: String,
    variable: bool,
    toggled: bool,
    why_not: &'a str,
}

impl<'a> Row<'a> {
    fn of(name: &'a str, info: &'a OptionInfo) -> Self {
        let text = |value: &'a Option<String>| value.as_deref().unwrap_or_default();
        let why_not = toggle::never(name).unwrap_or_default();
        let (label, label_values) = labelled(name, info);
        Self {
            option: name,
            kind: info.kind.as_str(),
            default: text(&info.default),
            min: text(&info.min),
            max: text(&info.max),
            block: info.block.map(|b| b.to_string()).unwrap_or_default(),
            values: info.values.join("|"),
            dynamic: info.dynamic.map_or("", |d| if d { "yes" } else { "no" }),
            label: label.as_str(),
            label_values,
            variable: info.variable,
            toggled: why_not.is_empty(),
            why_not,
        }
    }

    /// A line of the table, at most so wide.
    fn line(&self, width: usize) -> String {
        let about = match (self.toggled, self.min.is_empty() && self.max.is_empty()) {
            (false, _) => format!("not toggled: {}", self.why_not),
            (true, true) => self.values.clone(),
            (true, false) if self.block.is_empty() => format!("{}..{}", self.min, self.max),
            (true, false) => format!("{}..{} by {}", self.min, self.max, self.block),
        };
        let default = shortened(self.default, 24);
        let head =
            format!("{:<1} {:<44} {:<11} {default:<24} ", self.label, self.option, self.kind,);
        let room = width.saturating_sub(head.chars().count()).max(24);
        format!("{head}{}", shortened(&about, room)).trim_end().to_owned()
    }
}

fn shortened(text: &str, room: usize) -> String {
    match text.char_indices().nth(room) {
        None => text.to_owned(),
        Some(_) => text.chars().take(room.saturating_sub(2)).chain(['.', '.']).collect(),
    }
}

/// What some value of an option trades away, seen from its default, and which values do.
fn labelled(name: &str, info: &OptionInfo) -> (Label, String) {
    /// More values than that aren't listed.
    const COUNTABLE: i128 = 8;
    let number = |text: &Option<String>| text.as_ref()?.parse::<i128>().ok();
    let default = info.default.as_deref();
    let (values, countable): (Vec<String>, bool) = match (number(&info.min), number(&info.max)) {
        (Some(min), Some(max)) if max - min < COUNTABLE => {
            ((min..=max).map(|n| n.to_string()).collect(), true)
        }
        (Some(min), _) => ((min..min + COUNTABLE).map(|n| n.to_string()).collect(), false),
        _ if !info.values.is_empty() => (info.values.clone(), true),
        _ if info.kind == Kind::Boolean || matches!(default, Some("ON" | "OFF")) => {
            (vec!["ON".to_owned(), "OFF".to_owned()], true)
        }
        _ => return (Label::None, String::new()),
    };
    let risky = |value: &&String| toggle::label(name, default, Some(value)) != Label::None;
    let risky: Vec<&str> = values.iter().filter(risky).map(String::as_str).collect();
    let label = risky.first().map_or(Label::None, |v| toggle::label(name, default, Some(v)));
    (label, if countable { risky.join("|") } else { String::new() })
}

pub(super) fn run(image: &str, format: Format) -> Result<(), Failure> {
    let catalog = runtime()?.block_on(ask(image))?;
    let rows = catalog.options.iter().map(|(name, info)| Row::of(name, info));
    match format {
        Format::Csv => {
            let fail = |e: String| Failure::carrying_out(format!("could not write CSV: {e}"));
            let mut csv = csv::Writer::from_writer(Vec::new());
            for row in rows {
                csv.serialize(&row).map_err(|e| fail(e.to_string()))?;
            }
            output::bytes(&csv.into_inner().map_err(|e| fail(e.to_string()))?)
        }
        Format::Table => {
            output::note(&format!(
                "{}: {} options; D before a name: some value trades durability, S: security",
                catalog.version,
                catalog.options.len()
            ));
            let width = Look::of_stdout(true).width.max(100);
            let lines: String = rows.map(|row| row.line(width) + "\n").collect();
            output::text(&lines)
        }
    }
}

async fn ask(reference: &str) -> Result<Catalog, Failure> {
    let mut signals = Signals::listen();
    let mut progress = Progress::new(false, false);
    // What was asked before needs neither a look into the image nor a server.
    let known = signals.or(known(reference)).await.ok_or(Failure::Interrupted(None))??;
    if let Some(known) = known {
        return Ok(known);
    }
    let prepared = signals.or(engine(reference, &mut progress)).await;
    let Some(prepared) = prepared else {
        let_finish().await;
        return Err(Failure::Interrupted(None));
    };
    let (engine, product) = prepared?;
    let mut listen = |event: sweep::Event<'_>| progress.event(&event);
    let asked = signals.or(sweep::catalog(&engine, &product, &mut listen)).await;
    progress.finish();
    engine.clean_up().await?;
    asked.ok_or(Failure::Interrupted(None))?.map_err(Failure::from)
}

async fn known(reference: &str) -> Result<Option<Catalog>, Failure> {
    let docker = connect().await?;
    Ok(Image::id_of(&docker, reference).await?.and_then(|id| catalog::load(&id)))
}

async fn engine(
    reference: &str,
    progress: &mut Progress,
) -> Result<(DockerEngine, Product), Failure> {
    let docker = connect().await?;
    clean(&docker, false).await?;
    let image = Image::find(&docker, reference, |step| progress.phase(step)).await?;
    let product = image.product;
    let cpus = Cpus::assign(None, None).map_err(Failure::usage)?;
    let limits = Limits { cpus: cpus.server, memory: available_memory() / 3, tmpfs: false };
    let id = super::request::sweep_id("options");
    Ok((DockerEngine::new(docker, &id, image, limits).await?, product))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::Argument;

    fn info(kind: Kind, default: &str, values: &[&str]) -> OptionInfo {
        OptionInfo {
            argument: Argument::Required,
            kind,
            default: Some(default.to_owned()),
            min: None,
            max: None,
            block: None,
            values: values.iter().map(|v| (*v).to_owned()).collect(),
            dynamic: None,
            variable: true,
        }
    }

    #[test]
    fn an_option_has_the_label_of_its_risky_values() {
        let range = |min: &str, max: &str| OptionInfo {
            min: Some(min.to_owned()),
            max: Some(max.to_owned()),
            ..info(Kind::Integer, "1", &[])
        };
        let of = |name, info: &OptionInfo| {
            let (label, values) = labelled(name, info);
            (label.as_str(), values)
        };
        let is = |label, values: &str| (label, values.to_owned());
        let flush = range("0", "2");
        assert_eq!(of("innodb_flush_log_at_trx_commit", &flush), is("D", "0|2"));
        assert_eq!(of("sync_binlog", &range("0", "4294967295")), is("D", ""));
        let doublewrite = info(Kind::Enumeration, "ON", &["OFF", "ON", "DETECT_ONLY"]);
        assert_eq!(of("innodb_doublewrite", &doublewrite), is("D", "OFF|DETECT_ONLY"));
        assert_eq!(of("skip_grant_tables", &info(Kind::Boolean, "OFF", &[])), is("S", "ON"));
        assert_eq!(of("log_bin", &info(Kind::Text, "ON", &[])), is("D", "OFF"));
        assert_eq!(of("sort_buffer_size", &range("32768", "99999999")), is("", ""));
    }

    #[test]
    fn a_line_of_the_table_keeps_to_its_width() {
        let one = info(Kind::Set, "FILE", &["NONE", "FILE", "TABLE"]);
        let row = Row::of("log_output", &one);
        assert_eq!(
            row.line(100),
            "  log_output                                   set         FILE                     \
             NONE|FILE|TABLE"
        );
        let long = info(Kind::Text, &"x".repeat(90), &[]);
        let line = Row::of("datadir", &long).line(120);
        assert!(line.chars().count() <= 120, "{line}");
        assert!(line.contains("not toggled: a path"), "{line}");
    }
}
