//! `cnfsweep args`: what a server gets from a file, one argument per line, as the server's own
//! `my_print_defaults` prints it. Needs no server.

use std::path::Path;

use super::failure::Failure;
use super::output;
use super::request::{FileLoader, ignored_by_servers, read_base};
use crate::optionfile::{OptionFile, Product};

pub(super) fn run(base: &Path, product: &str, show: bool) -> Result<(), Failure> {
    let product: Product = product.parse().map_err(|e| {
        Failure::usage(format!(
            "--product {product}: {e}\nhint: write `mysql-9.7`, `mysql-8.4`, `mariadb-11.8` …"
        ))
    })?;
    let bytes = read_base(base)?;
    if let Some(why) = ignored_by_servers(base) {
        output::warning(&why);
        return Ok(());
    }
    let file = OptionFile::parse(bytes)
        .with_path(std::os::unix::ffi::OsStrExt::as_bytes(base.as_os_str()));
    let arguments = file
        .arguments(&product, &FileLoader)
        .map_err(|e| Failure::carrying_out(format!("{e}\nhint: {}", e.hint())))?;
    for message in &arguments.messages {
        output::warning(&message.to_string());
    }
    output::bytes(&if show { arguments.printed() } else { arguments.as_printed_by(&product) })
}
