//! Printing: data to stdout, everything else to stderr.

#![expect(clippy::print_stderr, reason = "the one place that may")]

use std::io::{IsTerminal as _, Write as _};

use super::failure::Failure;
use crate::report::Charset;

/// Data, to stdout. A reader that went away (`| head`) is no error.
pub(super) fn bytes(data: &[u8]) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    match out.write_all(data).and_then(|()| out.flush()) {
        Ok(()) => Ok(()),
        Err(e) if e.kind() == std::io::ErrorKind::BrokenPipe => Err(Failure::NobodyReads),
        Err(e) => Err(Failure::carrying_out(format!("could not write to stdout: {e}"))),
    }
}

/// The same, of text.
pub(super) fn text(data: &str) -> Result<(), Failure> {
    bytes(data.as_bytes())
}

/// `error: …`, to stderr.
pub(super) fn error(text: &str) {
    eprintln!("error: {text}");
}

/// A warning, to stderr.
pub(super) fn warning(text: &str) {
    eprintln!("warning: {text}");
}

/// Progress in words, to stderr.
pub(super) fn note(text: &str) {
    eprintln!("{text}");
}

/// `1 pair`, `2 pairs`.
pub(super) fn counted(n: u64, one: &str) -> String {
    if n == 1 { format!("1 {one}") } else { format!("{n} {one}s") }
}

/// How a table is to be printed on stdout.
#[derive(Debug, Clone, Copy)]
pub(super) struct Look {
    pub(super) width: usize,
    pub(super) colour: bool,
    pub(super) charset: Charset,
}

impl Look {
    /// What the terminal on stdout can do; `NO_COLOR`, the locale and, where there is no terminal,
    /// `COLUMNS` count.
    pub(super) fn of_stdout(no_colour: bool) -> Self {
        /// Where there is no terminal: a line of a ticket.
        const PLAIN: u16 = 100;
        let terminal = std::io::stdout().is_terminal();
        let not_empty = |name: &str| std::env::var_os(name).is_some_and(|v| !v.is_empty());
        let asked = || std::env::var("COLUMNS").ok()?.parse().ok().filter(|w| *w > 0);
        let width = if terminal { terminal_width() } else { None };
        let width = width.or_else(asked).unwrap_or(PLAIN);
        Self {
            width: usize::from(width),
            colour: terminal && !no_colour && !not_empty("NO_COLOR"),
            charset: charset(),
        }
    }
}

fn terminal_width() -> Option<u16> {
    rustix::termios::tcgetwinsize(std::io::stdout()).ok().map(|s| s.ws_col).filter(|w| *w > 0)
}

/// The character set of the locale: the first of LC_ALL, LC_CTYPE, LANG that is set decides.
fn charset() -> Charset {
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"]
        .iter()
        .find_map(|name| std::env::var(name).ok().filter(|v| !v.is_empty()))
        .unwrap_or_default()
        .to_ascii_lowercase();
    if locale.contains("utf-8") || locale.contains("utf8") { Charset::Utf8 } else { Charset::Ascii }
}
