//! Before any load each toggle's server is started once, several at a time. What that says about the
//! toggle is for `judge`.

use std::collections::BTreeMap;
use std::time::Duration;

use futures_util::StreamExt as _;

use super::SweepError;
use super::event::{Event, Listener};
use super::goldens::Goldens;
use super::judge::{Unchanged, differing, drop_doubles, note_slow_starts};
use super::ready::{NotReady, Ready, start};
use crate::catalog::Catalog;
use crate::engine::{Engine, EngineError, Server as _, StartRequest};
use crate::journal::Outcome;
use crate::load::{Admin, Target};
use crate::optionfile::Product;
use crate::toggle::{Status, Toggles};

/// The unchanged server, as it was seen.
#[derive(Debug, Clone, PartialEq)]
pub struct BaseServer {
    /// VERSION().
    pub version: String,
    /// SHOW GLOBAL VARIABLES.
    pub variables: BTreeMap<String, String>,
    /// Everything it said.
    pub log: String,
    /// From the start to the first answer.
    pub ready_in: Duration,
}

/// What the probe found.
#[derive(Debug, Clone, PartialEq)]
pub struct Probed {
    /// The unchanged server.
    pub base: BaseServer,
    /// Starts that were made.
    pub starts: u64,
    /// The most servers that were up at a time.
    pub at_once: u64,
}

pub(super) type Variables = BTreeMap<String, String>;

/// What there is for servers that are started at the same time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Room {
    /// Free memory, bytes.
    pub memory: u64,
    /// CPUs of the machine.
    pub cpus: usize,
    /// Bytes of a data directory, where it is in memory, too.
    pub data: u64,
}

impl Room {
    /// How many servers like that one may be started at a time: as memory allows, and a start has
    /// its waits. Two were up already.
    fn at_once(&self, variables: &Variables) -> usize {
        /// What a server needs beside its big buffers.
        const REST: u64 = 350 << 20;
        const BUFFERS: [&str; 5] = [
            "innodb_buffer_pool_size",
            "key_buffer_size",
            "innodb_log_buffer_size",
            "query_cache_size",
            "aria_pagecache_buffer_size",
        ];
        let bytes = |name: &str| variables.get(name)?.parse::<u64>().ok();
        let buffers: u64 = BUFFERS.iter().filter_map(|name| bytes(name)).sum();
        let need = REST.saturating_add(buffers).saturating_add(self.data);
        let fit = usize::try_from(self.memory / need).unwrap_or(usize::MAX);
        fit.min(self.cpus * 2).max(2)
    }
}

/// What the probe goes by, beside the toggles.
#[derive(Clone, Copy)]
pub struct Probe<'a> {
    /// The server.
    pub product: &'a Product,
    /// Its options.
    pub catalog: &'a Catalog,
    /// What data directories are cloned from.
    pub goldens: &'a Goldens,
    /// What there is for several servers.
    pub room: Room,
}

/// Starts the base twice and every planned toggle once, several at a time, and writes into the
/// toggles what was found.
///
/// # Errors
/// When the base does not start, or the engine fails. A toggle that does not start is no error.
pub async fn probe<E: Engine>(
    engine: &E,
    by: &Probe<'_>,
    toggles: &mut Toggles,
    listen: &mut Listener<'_>,
) -> Result<Probed, SweepError> {
    let Probe { product, catalog, goldens, room } = *by;
    listen(Event::Phase("starting the unchanged server"));
    let base_cnf = toggles.base_cnf(product)?;
    let one = |role: &'static str| {
        let request = StartRequest { role, cnf: &base_cnf, golden: &goldens.base };
        async move { look(engine, &request).await }
    };
    // Two, since what differs between identical servers is no effect of any toggle.
    let (first, second) = tokio::join!(one("probe-base"), one("probe-base-2"));
    let (base, twin) = match (first?, second?) {
        (Ok(base), Ok(twin)) => (base, twin),
        (Err(e), _) | (_, Err(e)) => {
            let oom = e.outcome == Outcome::Oom;
            return Err(SweepError::BaseRefused { message: e.message, oom, lines: Vec::new() });
        }
    };
    let unchanged = Unchanged {
        varying: differing(&base.variables, &twin.variables),
        variables: &base.variables,
        product,
        catalog,
    };
    let cnfs = (0..toggles.list.len())
        .filter(|i| toggles.list[*i].status == Status::Planned)
        .map(|i| Ok((i, toggles.toggled_cnf(product, &toggles.list[i])?)))
        .collect::<Result<Vec<_>, SweepError>>()?;
    let all = cnfs.len();
    let at_once = room.at_once(&base.variables);
    let rounds = u32::try_from(all.div_ceil(2)).unwrap_or(u32::MAX);
    // The two took as long together as any other two.
    let left = base.ready_in.max(twin.ready_in).saturating_mul(rounds).max(Duration::from_secs(1));
    listen(Event::Probing { all, left });
    let list = &toggles.list;
    let mut looks = futures_util::stream::iter(cnfs.iter().map(|(i, cnf)| async move {
        let request = StartRequest { role: "probe", cnf, golden: goldens.of(&list[*i]) };
        (*i, look(engine, &request).await)
    }))
    .buffer_unordered(at_once);
    let mut seen: BTreeMap<usize, Result<Seen, NotReady>> = BTreeMap::new();
    let mut failed: Option<EngineError> = None;
    while let Some((i, found)) = looks.next().await {
        match found {
            Ok(found) => {
                let mut shown = list[i].clone();
                unchanged.judge(&mut shown, &found);
                listen(Event::Probed {
                    done: seen.len() + 1,
                    all,
                    toggle: &shown.id,
                    status: shown.status,
                    detail: &shown.detail,
                });
                seen.insert(i, found);
            }
            Err(e) => failed = failed.or(Some(e)),
        }
    }
    drop(looks);
    if let Some(e) = failed {
        return Err(e.into());
    }
    for (i, found) in &seen {
        unchanged.judge(&mut toggles.list[*i], found);
    }
    drop_doubles(&mut toggles.list, &seen, &unchanged.varying);
    note_slow_starts(&mut toggles.list, &seen);
    let starts = 2 + all as u64;
    let base = BaseServer {
        version: base.version,
        variables: base.variables,
        log: base.log,
        ready_in: base.ready_in,
    };
    Ok(Probed { base, starts, at_once: at_once as u64 })
}

/// A server that was started to be looked at.
#[derive(Debug)]
pub(super) struct Seen {
    version: String,
    pub(super) variables: Variables,
    log: String,
    pub(super) ready_in: Duration,
}

async fn look<E: Engine>(
    engine: &E,
    request: &StartRequest<'_>,
) -> Result<Result<Seen, NotReady>, EngineError> {
    let Ready { server, target, took } = match start(engine, request).await? {
        Ok(ready) => ready,
        Err(e) => return Ok(Err(e)),
    };
    let asked = ask(&target).await;
    let log = server.log().await;
    engine.remove(server).wait().await;
    Ok(match asked {
        Ok((version, variables)) => Ok(Seen { version, variables, log, ready_in: took }),
        Err(e) => Err(NotReady { outcome: Outcome::Refused, message: e.to_string() }),
    })
}

async fn ask(target: &Target) -> Result<(String, Variables), crate::load::LoadError> {
    let mut admin = Admin::connect(target).await?;
    let version = admin.version().await?;
    let variables = admin.variables().await?;
    admin.close().await;
    Ok((version, variables))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_servers_at_a_time_as_memory_allows() {
        let room = |memory: u64, cpus| Room { memory: memory << 20, cpus, data: 0 };
        let pool = |mb: u64| {
            Variables::from([("innodb_buffer_pool_size".to_owned(), (mb << 20).to_string())])
        };
        assert_eq!(room(8_000, 8).at_once(&pool(128)), 16);
        assert_eq!(room(8_000, 2).at_once(&pool(128)), 4);
        assert_eq!(room(8_000, 8).at_once(&pool(2_048)), 3);
        assert_eq!(room(500, 8).at_once(&pool(2_048)), 2);
    }
}
