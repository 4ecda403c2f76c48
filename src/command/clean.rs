//! `cnfsweep clean`: what dead sweeps left behind.

use super::failure::Failure;
use super::output;
use super::sweep::runtime;
use crate::engine::docker::{Left, clean, connect};

pub(super) fn run(golden: bool) -> Result<(), Failure> {
    let left = runtime()?.block_on(async { clean(&connect().await?, golden).await })?;
    let Left { containers, volumes, golden: golden_volumes, directories } = &left;
    if left == Left::default() {
        output::note("nothing to remove");
        return Ok(());
    }
    let mut text = String::new();
    for (what, names) in [
        ("container", containers),
        ("volume", volumes),
        ("golden data directory", golden_volumes),
        ("directory", directories),
    ] {
        for name in names {
            text.push_str(&format!("removed {what} {name}\n"));
        }
    }
    output::text(&text)
}
