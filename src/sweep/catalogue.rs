//! The catalogue of the image's options: from the cache, or asked of a server.

use std::time::{Duration, Instant};

use super::SweepError;
use super::event::{Event, Listener};
use super::numbers::complete;
use super::ready::{READY, wait};
use crate::catalog::{self, Catalog, VariableRow, metadata_sql, read_only_answer, read_only_sql};
use crate::engine::Engine;
use crate::load::{Admin, LoadError};
use crate::optionfile::{Product, Vendor};

/// The longest that one of the short questions may take.
const ANSWER: Duration = Duration::from_secs(5);

/// What the image's server knows: from the cache, else from a server that is asked.
///
/// # Errors
/// When the server does not start with nothing, or does not answer.
pub async fn catalog<E: Engine>(
    engine: &E,
    product: &Product,
    listen: &mut Listener<'_>,
) -> Result<Catalog, SweepError> {
    if let Some(known) = engine.known_catalog() {
        return Ok(known);
    }
    let digest = engine.facts().image_digest.clone();
    if let Some(known) = catalog::load(&digest) {
        return Ok(known);
    }
    listen(Event::Phase("asking the server for its options"));
    let began = Instant::now();
    let (help, server) = tokio::join!(engine.help(), engine.start_scratch());
    let (help, server) = match (help, server) {
        (Ok(help), Ok(server)) => (help, server),
        (Err(e), Ok(server)) => {
            engine.remove(server).wait().await;
            return Err(e.into());
        }
        (_, Err(e)) => return Err(e.into()),
    };
    let ready = wait(engine, server, began, READY).await.map_err(|e| SweepError::NotReady {
        what: "a server without any option",
        message: e.message,
    })?;
    let asked = ask(&ready.target, product, &help).await;
    let leaving = engine.remove(ready.server);
    let known = match asked {
        Ok(mut known) if product.vendor == Vendor::MySql => {
            complete(engine, &mut known).await.map(|()| known)
        }
        other => other,
    };
    leaving.wait().await;
    let known = known?;
    if let Err(e) = catalog::save(&digest, &known) {
        listen(Event::Warning(&format!("could not keep the catalogue for the next time: {e}")));
    }
    Ok(known)
}

async fn ask(
    target: &crate::load::Target,
    product: &Product,
    help: &str,
) -> Result<Catalog, SweepError> {
    type Row = (
        String,
        Option<String>,
        Option<String>,
        Option<String>,
        Option<String>,
        Option<String>,
        Option<String>,
    );
    let mut admin = Admin::connect(target).await?;
    let version = admin.version().await?;
    let variables = admin.variables().await?;
    let mut rows = Vec::new();
    for sql in metadata_sql(product) {
        // A server without that table is asked the next question; without any, help has to do.
        if let Ok(found) = admin.rows::<Row>(sql).await {
            rows = found;
            break;
        }
    }
    let mut rows: Vec<VariableRow> = rows
        .into_iter()
        .map(|(name, kind, min, max, block, values, read_only)| VariableRow {
            name,
            kind: kind.unwrap_or_default(),
            min,
            max,
            block,
            values,
            read_only,
        })
        .collect();
    for row in rows.iter_mut().filter(|row| row.read_only.is_none()) {
        match admin.run(&read_only_sql(&row.name), ANSWER).await {
            Err(LoadError::Timeout { .. }) => break,
            Err(e) => row.read_only = read_only_answer(&row.name, &e.to_string()),
            Ok(()) => {}
        }
    }
    admin.close().await;
    Ok(Catalog::build(&version, help, &variables, &rows))
}
