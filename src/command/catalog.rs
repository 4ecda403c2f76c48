//! `cnfsweep options`: what the server of an image knows.

use serde::Serialize;

use super::failure::Failure;
use super::host::{Cpus, available_memory};
use super::output;
use super::progress::Progress;
use super::signals::Signals;
use super::sweep::runtime;
use crate::catalog::Catalog;
use crate::cli::Format;
use crate::engine::docker::{DockerEngine, Image, clean, connect, let_finish};
use crate::engine::{Engine as _, Limits};
use crate::optionfile::Product;
use crate::sweep;
use crate::toggle;

#[derive(Serialize)]
struct Row<'a> {
    option: &'a str,
    kind: &'a str,
    default: &'a str,
    min: &'a str,
    max: &'a str,
    values: String,
    dynamic: &'a str,
    variable: bool,
    toggled: bool,
    why_not: &'a str,
}

pub(super) fn run(image: &str, format: Format) -> Result<(), Failure> {
    let catalog = runtime()?.block_on(ask(image))?;
    let text = |value: &Option<String>| value.clone().unwrap_or_default();
    let rows = catalog
        .options
        .iter()
        .map(|(name, info)| (name, info, text(&info.default), text(&info.min), text(&info.max)));
    let mut csv = csv::Writer::from_writer(Vec::new());
    let mut lines = String::new();
    for (name, info, default, min, max) in rows {
        let why_not = toggle::never(name).unwrap_or_default();
        let row = Row {
            option: name,
            kind: info.kind.as_str(),
            default: &default,
            min: &min,
            max: &max,
            values: info.values.join("|"),
            dynamic: info.dynamic.map_or("", |d| if d { "yes" } else { "no" }),
            variable: info.variable,
            toggled: why_not.is_empty(),
            why_not,
        };
        match format {
            Format::Csv => csv
                .serialize(&row)
                .map_err(|e| Failure::carrying_out(format!("could not write CSV: {e}")))?,
            Format::Table => {
                let range = match (min.is_empty(), max.is_empty(), row.values.is_empty()) {
                    (_, _, false) => row.values.clone(),
                    (true, true, _) => String::new(),
                    _ => format!("{min}..{max}"),
                };
                let mark = if row.toggled { ' ' } else { '-' };
                lines.push_str(
                    format!("{mark} {name:<45} {:<11} {default:<20} {range}", row.kind).trim_end(),
                );
                lines.push('\n');
            }
        }
    }
    match format {
        Format::Csv => {
            let bytes = csv
                .into_inner()
                .map_err(|e| Failure::carrying_out(format!("could not write CSV: {e}")))?;
            output::bytes(&bytes)
        }
        Format::Table => {
            output::note(&format!(
                "{}: {} options; `-` before a name: never toggled",
                catalog.version,
                catalog.options.len()
            ));
            output::text(&lines)
        }
    }
}

async fn ask(reference: &str) -> Result<Catalog, Failure> {
    let mut signals = Signals::listen();
    let mut progress = Progress::new(false, false);
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
