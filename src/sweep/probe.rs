//! Before any load each toggle's server is started once: refused, no-op, clamped, side effects.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use futures_util::StreamExt as _;

use super::SweepError;
use super::event::{Event, Listener};
use super::prepare::Goldens;
use super::ready::{NotReady, Ready, start};
use crate::catalog::{Catalog, Kind, OptionInfo};
use crate::engine::{Engine, EngineError, Server as _, StartRequest};
use crate::journal::Outcome;
use crate::load::{Admin, Target};
use crate::optionfile::Product;
use crate::optionfile::value::{
    BooleanArgument, IntegerType, boolean, double, enumeration, integer,
};
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
    /// The most servers that were up at a time.
    pub at_once: u64,
}

type Variables = BTreeMap<String, String>;

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

/// The unchanged server, and what else a toggle's is judged by.
struct Unchanged<'a> {
    variables: &'a Variables,
    /// Variables that differ between identical servers.
    varying: BTreeSet<String>,
    product: &'a Product,
    catalog: &'a Catalog,
}

impl Unchanged<'_> {
    fn judge(&self, toggle: &mut Toggle, found: &Result<Seen, NotReady>) {
        let seen = match found {
            Ok(seen) => seen,
            Err(e) => {
                toggle.status = Status::Refused;
                toggle.remark(&e.message);
                return;
            }
        };
        let mut changed = differing(self.variables, &seen.variables);
        // MariaDB's version says whether logs are on (`…-log`): an echo of the option, no effect.
        changed.retain(|name| !self.varying.contains(name) && name != "version");
        let info = self.catalog.get(&toggle.option);
        if let (Some(asked), Some(got), Some(info)) =
            (&toggle.to, seen.variables.get(&toggle.option), info)
            && toggle.action != Action::CommentOut
            && let Some(words) = other_than_asked(self.product, info, asked, got)
        {
            toggle.remark(&words);
        }
        if changed.is_empty() {
            // An option that is no variable may act all the same, and so may what it takes along;
            // and one that acts on what is created does so by its data directory.
            let is_variable = |name: &str| self.catalog.get(name).is_some_and(|i| i.variable);
            let all = is_variable(&toggle.option)
                && toggle.with.iter().all(|with| is_variable(&with.option));
            if all {
                toggle.status = Status::NoOp;
                toggle.remark(match toggle.action {
                    Action::CommentOut => "delete the line: it says what the server does anyway",
                    _ => "the server's variables are the same with and without",
                });
            }
            return;
        }
        let side = side_effects(toggle, &changed, &seen.variables);
        if !side.is_empty() {
            toggle.remark(&format!("also changes {}", listed(&side)));
        }
    }
}

/// The variables that changed beside those that the toggle is about.
fn side_effects(toggle: &Toggle, changed: &BTreeSet<String>, variables: &Variables) -> Vec<String> {
    // A whole family that follows its head says nothing by its names.
    let family = format!("{}_", toggle.option);
    let followers = changed.iter().filter(|name| name.starts_with(&family)).count();
    let mut side: Vec<String> = changed
        .iter()
        .filter(|name| **name != toggle.option && !name.starts_with(&family))
        .filter(|name| !toggle.with.iter().any(|with| with.option == **name))
        .map(|name| match variables.get(name) {
            Some(value) => format!("{name}={}", shortened(value)),
            None => format!("{name} gone"),
        })
        .collect();
    match followers {
        0 => {}
        1 => side.extend(changed.iter().find(|name| name.starts_with(&family)).cloned()),
        n => side.push(format!("{n} `{family}…` variables")),
    }
    side
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

/// What is to be said where a value came out as another one: clamped into its range, rounded down to
/// its block, taken for something else. None where it is as asked, or can't be compared.
fn other_than_asked(
    product: &Product,
    info: &OptionInfo,
    asked: &str,
    got: &str,
) -> Option<String> {
    let text = asked.as_bytes();
    let same = match info.kind {
        Kind::Integer => {
            let signed = asked.trim_start().starts_with('-');
            let ty = if signed { IntegerType::Long } else { IntegerType::ULong };
            let number = integer(product, text, ty).ok()?.value;
            let got: i128 = got.parse().ok()?;
            if number != got && matches!(number, 0 | -1) {
                return Some(format!("asked {asked}, the server chose {got}"));
            }
            number == got
        }
        Kind::Double => {
            let (number, got) = (double(product, text).ok()?, got.parse::<f64>().ok()?);
            // Servers print six digits behind the point.
            (number - got).abs() <= 1e-6 * number.abs().max(1.0)
        }
        Kind::Enumeration => {
            let index = enumeration(product, text, &info.values).ok()?;
            let word = info.values.get(index)?;
            word.eq_ignore_ascii_case(got)
                || !info.values.iter().any(|w| w.eq_ignore_ascii_case(got))
        }
        Kind::Boolean => {
            let is_on = match got {
                "ON" => true,
                "OFF" => false,
                _ => return None,
            };
            // A word that is neither is said to mean OFF, and does not always.
            let said = boolean(product, Some(text), BooleanArgument::Optional);
            !said.warns && said.value == Some(is_on)
        }
        Kind::Set | Kind::FlagSet | Kind::Text => return None,
    };
    (!same).then(|| format!("clamped: asked {asked}, got {got}"))
}

/// Notes the toggles whose servers take far longer than the others' to get ready.
fn note_slow_starts(list: &mut [Toggle], seen: &BTreeMap<usize, Result<Seen, NotReady>>) {
    /// Fewer starts have no usual time.
    const FEWEST: usize = 4;
    const TIMES: u32 = 2;
    let ready = |found: &Result<Seen, NotReady>| found.as_ref().ok().map(|s| s.ready_in);
    let mut times: Vec<Duration> = seen.values().filter_map(ready).collect();
    times.sort_unstable();
    let Some(usual) = times.get(times.len() / 2).filter(|_| times.len() >= FEWEST) else { return };
    for (i, found) in seen {
        if let Some(took) = ready(found)
            && took > *usual * TIMES
            && took > *usual + Duration::from_secs(1)
            && list[*i].status == Status::Planned
        {
            let (took, usual) = (took.as_secs_f64(), usual.as_secs_f64());
            list[*i].remark(&format!("slow to start: {took:.1} s, the others {usual:.1} s"));
        }
    }
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
                && list[*j].data_dir == list[i].data_dir
                && seen.get(j).is_some_and(|other| {
                    other.as_ref().is_ok_and(|other| {
                        differing(&this.variables, &other.variables).is_subset(varying)
                    })
                })
        });
        // Options that are no variables look alike whatever their value.
        if let Some(twin) = twin.filter(|_| this.variables.contains_key(&list[i].option)) {
            list[i].status = Status::NoOp;
            let same = format!("the same server as with `{}`", list[twin].id);
            list[i].remark(&same);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::Argument;

    #[test]
    fn a_value_that_came_out_as_another_is_told() {
        let mysql: Product = "mysql-9.7".parse().unwrap();
        let info = |kind, values: &[&str]| OptionInfo {
            argument: Argument::Required,
            kind,
            default: None,
            min: None,
            max: None,
            block: None,
            values: values.iter().map(|v| (*v).to_owned()).collect(),
            dynamic: None,
            variable: true,
        };
        let told = |info: &OptionInfo, asked, got| other_than_asked(&mysql, info, asked, got);
        let number = info(Kind::Integer, &[]);
        assert_eq!(told(&number, "3", "2").as_deref(), Some("clamped: asked 3, got 2"));
        // Down to a whole block.
        let rounded = told(&number, "16777217", "16777216");
        assert_eq!(rounded.as_deref(), Some("clamped: asked 16777217, got 16777216"));
        for (asked, got) in [("16M", "16777216"), ("1G", "1073741824"), ("16MB", "16777216")] {
            assert_eq!(told(&number, asked, got), None);
        }
        // An exa, since only the first letter counts.
        assert!(told(&number, "1e6", "64").is_some());
        let chosen = told(&number, "0", "4000");
        assert_eq!(chosen.as_deref(), Some("asked 0, the server chose 4000"));
        assert_eq!(told(&number, "-1", "-1"), None);
        assert_eq!(told(&number, "ON", "1"), None);
        let double = info(Kind::Double, &[]);
        assert_eq!(told(&double, "0.5", "0.500000"), None);
        assert_eq!(
            told(&double, "150", "99.999000").as_deref(),
            Some("clamped: asked 150, got 99.999000")
        );
        let format = info(Kind::Enumeration, &["MIXED", "STATEMENT", "ROW"]);
        assert_eq!(told(&format, "row", "ROW"), None);
        assert_eq!(told(&format, "2", "ROW"), None);
        assert_eq!(told(&format, "RO", "ROW"), None);
        assert!(told(&format, "ROW", "MIXED").is_some());
        let switch = info(Kind::Boolean, &[]);
        assert_eq!(told(&switch, "true", "ON"), None);
        assert_eq!(told(&switch, "yes", "OFF").as_deref(), Some("clamped: asked yes, got OFF"));
    }

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
