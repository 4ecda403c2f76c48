//! Two servers that don't fit into memory, in words: the lines that take it, and what to do.

use super::failure::Failure;
use super::request::Request;
use crate::toggle::{Scale, ToggleError};

/// A file that gives no list of toggles; where it is too big, with its lines.
pub(super) fn of_toggles(error: ToggleError, request: &Request) -> Failure {
    let ToggleError::TooBig { buffers, .. } = &error else { return error.into() };
    let mut text = error.to_string();
    for big in buffers {
        let place = match &big.place {
            Some(place) => place.in_full(&request.base_path.display()),
            None => "set by --both, or the server's default".to_owned(),
        };
        text.push_str(&format!("\n  {place}: {}, {} MB", big.option, big.bytes >> 20));
    }
    text.push_str(&hint(request));
    Failure::carrying_out(text)
}

/// What to do about too little memory.
pub(super) fn hint(request: &Request) -> String {
    let auto = match request.wishes.scale {
        Scale::Off => "let `--scale auto` shrink its sizes in both servers, ",
        Scale::Auto => "",
    };
    let half = (request.memory / 2) >> 20;
    format!(
        "\nhint: {auto}give both less with `--both innodb_buffer_pool_size={half}M` (the toggles of \
         that option fall away then), or more with --memory"
    )
}
