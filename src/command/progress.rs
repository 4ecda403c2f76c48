//! The progress of a sweep: a bar on a terminal, plain lines elsewhere, nothing when quiet.

use std::io::IsTerminal as _;
use std::time::{Duration, Instant};

use indicatif::{HumanDuration, ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::output;
use crate::journal::{Outcome, Status};
use crate::stats::percent::percent;
use crate::sweep::Event;

/// Shows events as they come.
#[derive(Debug)]
pub(super) struct Progress {
    bar: Option<ProgressBar>,
    quiet: bool,
    verbose: bool,
    pace: Pace,
}

/// How often a line of progress is printed where there is no terminal.
#[derive(Debug)]
struct Pace {
    last: Instant,
    done: usize,
}

impl Pace {
    fn begin() -> Self {
        Self { last: Instant::now(), done: 0 }
    }

    /// Every ten seconds, or a tenth of the whole if that isn't a moment ago.
    fn is_due(&mut self, done: usize, all: usize) -> bool {
        let since = self.last.elapsed();
        let is_due = since >= Duration::from_secs(10)
            || (since >= Duration::from_secs(2) && (done - self.done.min(done)) * 10 >= all);
        if is_due && done < all {
            *self = Self { last: Instant::now(), done };
        }
        is_due && done < all
    }
}

impl Progress {
    pub(super) fn new(quiet: bool, verbose: bool) -> Self {
        let bar = (!quiet && std::io::stderr().is_terminal()).then(|| {
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(5));
            bar.set_style(spinner());
            bar.enable_steady_tick(Duration::from_millis(250));
            bar
        });
        Self { bar, quiet, verbose, pace: Pace::begin() }
    }

    /// A phase of its own words.
    pub(super) fn phase(&mut self, words: &str) {
        match &self.bar {
            Some(bar) => bar.set_message(words.to_owned()),
            None if !self.quiet => output::note(words),
            None => {}
        }
    }

    /// A line that stays.
    pub(super) fn line(&self, words: &str) {
        match &self.bar {
            Some(bar) => bar.suspend(|| output::note(words)),
            None if !self.quiet => output::note(words),
            None => {}
        }
    }

    /// The bar goes away.
    pub(super) fn finish(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
    }

    /// An event of the sweep.
    pub(super) fn event(&mut self, event: &Event<'_>) {
        match event {
            Event::Phase(words) => self.phase(words),
            Event::Rows { done, all } => {
                if let Some(bar) = &self.bar {
                    bar.set_message(format!("loading the data set: {done} of {all} rows"));
                }
            }
            Event::Probing { all, left } => {
                self.pace = Pace::begin();
                self.phase(&format!(
                    "starting each toggle's server once: {}, about {}",
                    output::counted(*all as u64, "toggle"),
                    HumanDuration(*left)
                ));
            }
            Event::Probed { done, all, toggle, status, detail } => {
                if let Some(bar) = &self.bar {
                    bar.set_message(format!("starting once: {toggle} ({done} of {all})"));
                } else if !self.quiet && self.pace.is_due(*done, *all) {
                    output::note(&format!("{done} of {all} started once"));
                }
                let words = match status {
                    Status::Refused => Some(format!("refused: {toggle}: {detail}")),
                    Status::NoOp if self.verbose => Some(format!("no-op: {toggle}: {detail}")),
                    _ => None,
                };
                if let Some(words) = words {
                    self.line(&words);
                }
            }
            Event::Pair { pair, of, round, toggle, left } => {
                let left =
                    left.map_or_else(String::new, |left| format!(", {} left", HumanDuration(left)));
                match &self.bar {
                    Some(bar) => {
                        bar.set_style(with_length());
                        bar.set_length(*of);
                        bar.set_position(u64::from(pair - 1));
                        bar.set_message(format!("round {round}: {toggle}{left}"));
                    }
                    None if !self.quiet => {
                        output::note(&format!(
                            "pair {pair} of {of}, round {round}: {toggle}{left}"
                        ));
                    }
                    None => {}
                }
            }
            Event::Slices { .. } => {}
            Event::PairEnded { pair, toggle, base_ops_per_s, log_ratio, outcome, message } => {
                if let Some(bar) = &self.bar {
                    bar.set_position(u64::from(*pair));
                }
                if *outcome != Outcome::Ok {
                    self.warn(&format!("pair {pair}, {toggle}: {outcome}: {message}"));
                } else if self.verbose
                    && let (Some(rate), Some(ratio)) = (base_ops_per_s, log_ratio)
                {
                    let effect = percent(*ratio);
                    self.line(&format!("pair {pair}: {toggle}: {effect:+.1} % of {rate:.0}/s"));
                }
            }
            Event::Warning(words) => self.warn(words),
        }
    }

    /// A warning, which is shown even when quiet.
    pub(super) fn warn(&self, words: &str) {
        match &self.bar {
            Some(bar) => bar.suspend(|| output::warning(words)),
            None => output::warning(words),
        }
    }
}

fn spinner() -> ProgressStyle {
    style("{spinner} {wide_msg}")
}

fn with_length() -> ProgressStyle {
    style("{bar:20} {pos} of {len} pairs  {wide_msg}")
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template)
        .unwrap_or_else(|_| ProgressStyle::default_bar())
        .progress_chars("━╸ ")
}
