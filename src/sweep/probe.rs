//! Before any load each toggle's server is started once: refused, no-op, clamped, side effects.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use futures_util::StreamExt as _;

use super::SweepError;
use super::event::{Event, Listener};
use super::ready::{NotReady, Ready, start};
use crate::catalog::{Catalog, Kind};
use crate::engine::{Engine, EngineError, Golden, Server as _, StartRequest};
use crate::journal::Outcome;
use crate::load::{Admin, Target};
use crate::optionfile::Product;
use crate::toggle::{Action, Status, Toggle, Toggles};

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
}

type Variables = BTreeMap<String, String>;

/// Starts the base twice and every planned toggle once, two at a time, and writes into the toggles
/// what was found.
///
/// # Errors
/// When the base does not start, or the engine fails. A toggle that does not start is no error.
pub async fn probe<E: Engine>(
    engine: &E,
    product: &Product,
    catalog: &Catalog,
    golden: &Golden,
    toggles: &mut Toggles,
    listen: &mut Listener<'_>,
) -> Result<Probed, SweepError> {
    listen(Event::Phase("starting the unchanged server"));
    let base_cnf = toggles.base_cnf(product)?;
    let one = |role: &'static str| {
        let request = StartRequest { role, cnf: &base_cnf, golden };
        async move { look(engine, &request).await }
    };
    // Two, since what differs between identical servers is no effect of any toggle.
    let (first, second) = tokio::join!(one("probe-base"), one("probe-base-2"));
    let (base, twin) = match (first?, second?) {
        (Ok(base), Ok(twin)) => (base, twin),
        (Err(e), _) | (_, Err(e)) => {
            let oom = e.outcome == Outcome::Oom;
            return Err(SweepError::BaseRefused { message: e.message, oom });
        }
    };
    let varying = differing(&base.variables, &twin.variables);

    listen(Event::Phase("starting each toggle's server once"));
    let planned: Vec<usize> =
        (0..toggles.list.len()).filter(|i| toggles.list[*i].status == Status::Planned).collect();
    let cnfs = planned
        .iter()
        .map(|i| Ok((*i, toggles.toggled_cnf(product, &toggles.list[*i])?)))
        .collect::<Result<Vec<_>, SweepError>>()?;
    let all = cnfs.len();
    let starts = 2 + all as u64;
    let mut looks = futures_util::stream::iter(cnfs.iter().map(|(i, cnf)| async move {
        let request = StartRequest { role: "probe", cnf, golden };
        (*i, look(engine, &request).await)
    }))
    .buffer_unordered(2);
    let mut seen: BTreeMap<usize, Result<Seen, NotReady>> = BTreeMap::new();
    let mut failed: Option<EngineError> = None;
    while let Some((i, found)) = looks.next().await {
        match found {
            Ok(found) => {
                let toggle = &toggles.list[i];
                let mut shown = toggle.clone();
                judge(&mut shown, &found, &base.variables, &varying, catalog);
                listen(Event::Probed {
                    done: seen.len() + 1,
                    all,
                    toggle: &toggle.id,
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
        judge(&mut toggles.list[*i], found, &base.variables, &varying, catalog);
    }
    drop_doubles(&mut toggles.list, &seen, &varying);
    let base = BaseServer {
        version: base.version,
        variables: base.variables,
        log: base.log,
        ready_in: base.ready_in,
    };
    Ok(Probed { base, starts })
}

/// A server that was started to be looked at.
#[derive(Debug)]
struct Seen {
    version: String,
    variables: Variables,
    log: String,
    ready_in: Duration,
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

/// Names whose values differ.
fn differing(a: &Variables, b: &Variables) -> BTreeSet<String> {
    a.iter()
        .filter(|(name, value)| b.get(*name) != Some(value))
        .map(|(name, _)| name)
        .chain(b.keys().filter(|name| !a.contains_key(*name)))
        .cloned()
        .collect()
}

fn judge(
    toggle: &mut Toggle,
    found: &Result<Seen, NotReady>,
    base: &Variables,
    varying: &BTreeSet<String>,
    catalog: &Catalog,
) {
    let seen = match found {
        Ok(seen) => seen,
        Err(e) => {
            toggle.status = Status::Refused;
            toggle.detail.clone_from(&e.message);
            return;
        }
    };
    let mut changed = differing(base, &seen.variables);
    // MariaDB's version says whether logs are on (`…-log`): an echo of the option, no effect.
    changed.retain(|name| !varying.contains(name) && name != "version");
    let info = catalog.get(&toggle.option);
    if changed.is_empty() {
        // An option that is no variable may act all the same.
        if info.is_some_and(|i| i.variable) {
            toggle.status = Status::NoOp;
            toggle.detail = match toggle.action {
                Action::CommentOut => {
                    "delete the line: it says what the server does anyway".to_owned()
                }
                _ => "the server's variables are the same with and without".to_owned(),
            };
        }
        return;
    }
    let mut details = Vec::new();
    if let (Some(asked), Some(got)) = (&toggle.to, seen.variables.get(&toggle.option))
        && info.is_some_and(|i| i.kind == Kind::Integer)
        && toggle.action != Action::CommentOut
        && was_clamped(asked, got)
    {
        details.push(format!("clamped: asked {asked}, got {got}"));
    }
    // A whole family that follows its head says nothing by its names.
    let family = format!("{}_", toggle.option);
    let followers = changed.iter().filter(|name| name.starts_with(&family)).count();
    let mut side: Vec<String> = changed
        .iter()
        .filter(|name| **name != toggle.option && !name.starts_with(&family))
        .map(|name| match seen.variables.get(name) {
            Some(value) => format!("{name}={}", shortened(value)),
            None => format!("{name} gone"),
        })
        .collect();
    match followers {
        0 => {}
        1 => side.extend(changed.iter().find(|name| name.starts_with(&family)).cloned()),
        n => side.push(format!("{n} `{family}…` variables")),
    }
    if !side.is_empty() {
        details.push(format!("also changes {}", listed(&side)));
    }
    toggle.detail = details.join("; ");
}

fn listed(items: &[String]) -> String {
    const SHOWN: usize = 4;
    match items.len().checked_sub(SHOWN) {
        None | Some(0) => items.join(", "),
        Some(more) => format!("{} and {more} more", items[..SHOWN].join(", ")),
    }
}

fn shortened(value: &str) -> String {
    const LONGEST: usize = 40;
    match value.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &value[..end]),
        None => value.to_owned(),
    }
}

/// Whether a number came out as another one. Text that is no plain number is not judged.
fn was_clamped(asked: &str, got: &str) -> bool {
    let Ok(got) = got.parse::<u128>() else { return false };
    let digits = asked.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let factor: u32 = match asked[digits.len()..].chars().next().map(|c| c.to_ascii_lowercase()) {
        None => 0,
        Some('k') => 1,
        Some('m') => 2,
        Some('g') => 3,
        Some('t') => 4,
        Some(_) => return false,
    };
    digits.parse::<u128>().is_ok_and(|n| n.checked_mul(1024_u128.pow(factor)) != Some(got))
}

/// Two toggles of one option that give the same server are measured once.
fn drop_doubles(
    list: &mut [Toggle],
    seen: &BTreeMap<usize, Result<Seen, NotReady>>,
    varying: &BTreeSet<String>,
) {
    for i in 0..list.len() {
        let Some(Ok(this)) = seen.get(&i) else { continue };
        if list[i].status != Status::Planned {
            continue;
        }
        let twin = (0..i).find(|j| {
            list[*j].status == Status::Planned
                && list[*j].option == list[i].option
                && seen.get(j).is_some_and(|other| {
                    other.as_ref().is_ok_and(|other| {
                        differing(&this.variables, &other.variables).is_subset(varying)
                    })
                })
        });
        // Options that are no variables look alike whatever their value.
        if let Some(twin) = twin.filter(|_| this.variables.contains_key(&list[i].option)) {
            list[i].status = Status::NoOp;
            list[i].detail = format!("the same server as with `{}`", list[twin].id);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_that_came_out_as_another_was_clamped() {
        assert!(was_clamped("3", "2"));
        assert!(was_clamped("16777217", "16777216"));
        assert!(!was_clamped("16M", "16777216"));
        assert!(!was_clamped("1G", "1073741824"));
        assert!(!was_clamped("ON", "1"));
        assert!(!was_clamped("default", "1"));
    }
}
