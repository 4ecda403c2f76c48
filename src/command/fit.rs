//! Whether two servers with this file fit into the memory they are given; and what to do if not.

use super::failure::Failure;
use super::request::Request;
use crate::optionfile::value::{IntegerType, integer};
use crate::optionfile::{Flattened, MemoryLoader, Product, normalise};
use crate::toggle::Place;

/// What a server needs beside its big buffers.
const REST: u64 = 350 << 20;
/// Buffers that are taken at the start or filled soon after.
const BUFFERS: [&str; 6] = [
    "innodb_buffer_pool_size",
    "key_buffer_size",
    "innodb_log_buffer_size",
    "query_cache_size",
    "aria_pagecache_buffer_size",
    "innodb_ft_total_cache_size",
];

/// Refuses a file whose buffers don't fit, naming the lines.
pub(super) fn check(request: &Request, file: &Flattened, product: &Product) -> Result<(), Failure> {
    let buffers = buffers(request, file, product);
    let needed: u64 = REST + buffers.iter().map(|(_, _, bytes)| bytes).sum::<u64>();
    if needed <= request.memory {
        return Ok(());
    }
    let mut text = format!(
        "two servers with this file don't fit: each needs about {} MB, and has {} MB",
        needed >> 20,
        request.memory >> 20
    );
    for (place, name, bytes) in buffers.iter().filter(|(_, _, bytes)| *bytes > request.memory / 8) {
        let place = match place {
            Some(place) => place.in_full(&request.base_path.display()),
            None => "--both".to_owned(),
        };
        text.push_str(&format!("\n  {place}: {name}, {} MB", bytes >> 20));
    }
    text.push_str(&hint(request));
    Err(Failure::carrying_out(text))
}

/// What to do about too little memory.
pub(super) fn hint(request: &Request) -> String {
    let half = (request.memory / 2) >> 20;
    format!(
        "\nhint: give both servers less with `--both innodb_buffer_pool_size={half}M` (the toggles \
         of that option fall away then; `--scale auto` is to fit such files by itself, and is not \
         there yet), or more with --memory"
    )
}

/// Place, name and bytes of the big buffers that count; lines that `--both` or `--drop` overrides
/// don't, and what `--both` sets has no place.
fn buffers(
    request: &Request,
    file: &Flattened,
    product: &Product,
) -> Vec<(Option<Place>, String, u64)> {
    let Ok(arguments) = file.file.arguments(product, &MemoryLoader::default()) else {
        return Vec::new();
    };
    let canonical = |name: &str| normalise(product, name.as_bytes());
    let wishes = &request.wishes;
    let replaced = |name: &str| {
        wishes.both.iter().any(|(n, _)| canonical(n) == name)
            || wishes.drop.iter().any(|n| canonical(n) == name)
    };
    let bytes = |value: &[u8]| {
        let read = integer(product, value, IntegerType::ULong).ok()?;
        u64::try_from(read.value).ok()
    };
    BUFFERS
        .iter()
        .filter(|buffer| !replaced(buffer))
        .filter_map(|buffer| {
            let last = arguments
                .list
                .iter()
                .rfind(|a| normalise(product, &a.name).trim_start_matches("loose_") == *buffer)?;
            let place = Some(Place::of(file, last.origin.line));
            Some((place, (*buffer).to_owned(), bytes(last.value.as_deref()?)?))
        })
        .chain(wishes.both.iter().filter_map(|(name, value)| {
            let name = canonical(name);
            let known = BUFFERS.contains(&name.as_str());
            Some((None, name, bytes(value.as_deref()?.as_bytes())?)).filter(|_| known)
        }))
        .collect()
}
