//! The file of a bigger machine, fitted to this one: memory that a server takes at the start or
//! soon after is shrunk by one factor in both arms, so that the ratios among them stay.

use std::collections::BTreeMap;

use super::ToggleError;
use super::active::Active;
use super::alternatives::spelled;
use super::build::{Draft, Scene};
use super::place::Place;
use crate::optionfile::Edit;
use crate::words::words;

words! {
    /// Whether sizes of a bigger machine are fitted to this one.
    #[derive(Default)]
    Scale {
        /// Where two such servers don't fit.
        Auto = "auto",
        /// Never: a file that doesn't fit is refused.
        #[default]
        Off = "off",
    }
}

/// Buffers that are taken at the start or filled soon after.
pub(super) const BUFFERS: [&str; 5] = [
    "innodb_buffer_pool_size",
    "key_buffer_size",
    "innodb_log_buffer_size",
    "query_cache_size",
    "aria_pagecache_buffer_size",
];

/// Written, not held in memory; they shrink along, as their ratio to the buffer pool matters.
const REDO: [&str; 2] = ["innodb_log_file_size", "innodb_redo_log_capacity"];

/// What a server needs beside its buffers.
const REST: u64 = 350 << 20;
/// Buffers below this are left as they are.
const SMALL: u64 = 64 << 20;
/// MySQL rounds the buffer pool up to a multiple of this …
const CHUNK: u64 = 128 << 20;
/// … times the number of its instances, from this size on.
const SPLIT: u64 = 1 << 30;
/// No redo log becomes smaller than this.
const SMALLEST_REDO: u64 = 48 << 20;
/// The part of what is free that shrunk buffers may take.
const FILL: f64 = 0.8;

/// A buffer that is too big, for the message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Big {
    /// The line; none for one that `--both` sets.
    pub place: Option<Place>,
    /// Canonical name.
    pub option: String,
    /// Its size.
    pub bytes: u64,
}

/// How much of one server's memory the base file takes.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Room {
    /// Memory of one server; 0: not known, anything fits.
    memory: u64,
    /// What it takes with the file as it is measured.
    taken: u64,
    /// By how much buffers were shrunk.
    factor: f64,
}

impl Scene<'_> {
    /// Shrinks what is too big, where that is wished; changes `active` as it changes the file.
    pub(super) fn scale(
        &self,
        active: &mut BTreeMap<String, Active>,
        is_changed: impl Fn(&str) -> bool,
        both: &BTreeMap<String, Option<String>>,
        draft: &mut Draft,
    ) -> Result<Room, ToggleError> {
        let memory = self.wishes.machine.memory;
        let buffers = self.buffers(active, &is_changed, both);
        let taken: u64 = buffers.iter().map(|b| b.bytes).fold(REST, u64::saturating_add);
        if memory == 0 || taken <= memory {
            return Ok(Room { memory, taken, factor: 1.0 });
        }
        let shrinks = |b: &&Big| b.bytes >= SMALL && b.place.is_some();
        let big: u64 = buffers.iter().filter(shrinks).map(|b| b.bytes).sum();
        let fixed = taken - big;
        let room = memory.saturating_sub(fixed) as f64 * FILL;
        if self.wishes.scale == Scale::Off || room < SMALL as f64 || big == 0 {
            let shown = buffers.into_iter().filter(|b| b.bytes > memory / 8).collect();
            return Err(ToggleError::TooBig { needed: taken, memory, buffers: shown });
        }
        let factor = room / big as f64;
        let mut now = fixed;
        for Big { option, bytes, .. } in buffers.iter().filter(shrinks) {
            let new = rounded((*bytes as f64 * factor) as u64);
            let new = match option.as_str() {
                "innodb_buffer_pool_size" => {
                    self.whole_chunks(new, |name| active.get(name).and_then(Active::value_text))
                }
                _ => new,
            };
            now += new;
            self.shrink(active, option, new, draft);
        }
        for option in REDO.iter().filter(|name| !is_changed(name)) {
            let Some(bytes) = active.get(*option).and_then(|a| self.bytes(&a.value_text()?)) else {
                continue;
            };
            let new = rounded((bytes as f64 * factor) as u64).max(SMALLEST_REDO);
            if new < bytes {
                self.shrink(active, option, new, draft);
            }
        }
        Ok(Room { memory, taken: now, factor })
    }

    /// What there is of big buffers, the server's own defaults among them.
    fn buffers(
        &self,
        active: &BTreeMap<String, Active>,
        is_changed: &impl Fn(&str) -> bool,
        both: &BTreeMap<String, Option<String>>,
    ) -> Vec<Big> {
        let mut found = Vec::new();
        for option in BUFFERS {
            let big = |place, text: Option<String>| {
                let bytes = self.bytes(&text?)?;
                Some(Big { place, option: option.to_owned(), bytes })
            };
            found.extend(match (both.get(option), active.get(option)) {
                (Some(value), _) => big(None, value.clone()),
                (None, Some(line)) if !is_changed(option) => {
                    big(Some(line.place.clone()), line.value_text())
                }
                // Of the server's own defaults only the buffer pool is taken whatever the load.
                _ if option != "innodb_buffer_pool_size" => None,
                _ => big(None, self.catalog.get(option).and_then(|info| info.default.clone())),
            });
        }
        // Key caches of their own: `hot.key_buffer_size`.
        let caches = active.values().filter(|a| a.name.ends_with(".key_buffer_size"));
        found.extend(caches.filter_map(|cache| {
            let bytes = self.bytes(&cache.value_text()?)?;
            Some(Big { place: Some(cache.place.clone()), option: cache.name.clone(), bytes })
        }));
        found
    }

    fn shrink(
        &self,
        active: &mut BTreeMap<String, Active>,
        option: &str,
        bytes: u64,
        draft: &mut Draft,
    ) {
        let Some(line) = active.get_mut(option) else { return };
        let old = line.value_text().unwrap_or_default();
        let new = spelled(i128::from(bytes), "M");
        draft.edits.push(Edit::Set { line: line.place.at, value: Some(new.clone().into_bytes()) });
        draft.out.scaled.push(format!("{}: `{option}` {old} → {new}", line.place));
        line.resolved.value = Some(new.into_bytes());
    }

    /// A size of the buffer pool, down to what the server keeps as it is: `line` has the values of
    /// the file.
    pub(super) fn whole_chunks(&self, bytes: u64, line: impl Fn(&str) -> Option<String>) -> u64 {
        let number = |name: &str, otherwise| {
            let default = || self.catalog.get(name)?.default.clone();
            line(name).or_else(default).and_then(|v| self.bytes(&v)).unwrap_or(otherwise).max(1)
        };
        // Without instances, and below their size, there is one chunk after the other.
        let instances = match self.catalog.get("innodb_buffer_pool_instances") {
            Some(_) if bytes >= SPLIT => number("innodb_buffer_pool_instances", 1),
            _ => 1,
        };
        let chunk = number("innodb_buffer_pool_chunk_size", CHUNK).max(1 << 20);
        let step = chunk.saturating_mul(instances);
        if bytes < step { bytes } else { bytes / step * step }
    }

    fn bytes(&self, text: &str) -> Option<u64> {
        u64::try_from(self.number(text)?).ok()
    }

    /// A size of a commented-out line, made to fit: itself, or a smaller one; none where nothing
    /// fits or sizes are left as they are.
    pub(super) fn fitted(
        &self,
        room: &Room,
        option: &str,
        from: Option<&str>,
        text: &str,
    ) -> Option<String> {
        let bytes = self.bytes(text).unwrap_or(0);
        let is_redo = REDO.contains(&option);
        if room.memory == 0 || !(BUFFERS.contains(&option) || is_redo) {
            return Some(text.to_owned());
        }
        if is_redo {
            let new = rounded((bytes as f64 * room.factor) as u64).max(SMALLEST_REDO);
            return Some(if new < bytes { spelled(i128::from(new), "M") } else { text.to_owned() });
        }
        let others = room.taken - from.and_then(|f| self.bytes(f)).unwrap_or(0).min(room.taken);
        let free = room.memory.saturating_sub(others);
        if room.factor >= 1.0 && bytes <= free {
            return Some(text.to_owned());
        }
        let most = free as f64 * FILL;
        let new = rounded((bytes as f64 * room.factor).min(most) as u64);
        match self.wishes.scale {
            _ if new >= bytes => Some(text.to_owned()),
            Scale::Auto if new > 0 => Some(spelled(i128::from(new), "M")),
            _ => None,
        }
    }
}

/// Down to what servers keep as it is.
fn rounded(bytes: u64) -> u64 {
    const MEGABYTE: u64 = 1 << 20;
    let step = if bytes >= CHUNK { CHUNK } else { MEGABYTE };
    bytes / step * step
}
