//! The ranked table for a terminal. Returns text; whoever prints it knows how wide the terminal
//! is and whether it shows colours.

use crate::journal::{Label, Status};

use super::headline::LABELS;
use super::model::{Gate, Model};
use super::numbers::{NOTHING, counted, interval, percent};
use super::ranking::{Ranking, Row, Verdict};
use super::text::{clean, columns, shorten_middle};

/// What the terminal can show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Charset {
    /// Minus signs, rules and dots as they should be.
    Utf8,
    /// Nothing above 0x7e, for the locale C.
    Ascii,
}

impl Charset {
    /// The text in this character set. A no-break space becomes a plain one in both, so that the
    /// output can be searched.
    pub(super) fn encode(self, text: &str) -> String {
        text.chars().fold(String::with_capacity(text.len()), |mut out, c| {
            match (self, c) {
                (_, '\u{a0}') => out.push(' '),
                (Self::Utf8, c) => out.push(c),
                (Self::Ascii, ' '..='~' | '\n' | '\u{1b}') => out.push(c),
                (Self::Ascii, '\u{2212}' | '–' | '─') => out.push('-'),
                (Self::Ascii, '…') => out.push('~'),
                (Self::Ascii, '→') => out.push_str("->"),
                (Self::Ascii, '·') => out.push(','),
                (Self::Ascii, '±') => out.push_str("+/-"),
                (Self::Ascii, _) => out.push('?'),
            }
            out
        })
    }
}

/// Names are not shortened below this, in columns; the rows take two lines instead.
const SHORTEST_NAME: usize = 24;
const GAP: usize = 2;

/// The ranked table in lines of at most `width` columns (but at least 30), with a line on what
/// was not measured, each line ended. Colours are plain ANSI codes.
pub fn table(model: &Model, width: usize, colour: bool, charset: Charset) -> String {
    let width = width.max(30);
    let ranking = Ranking::of(model);
    let findings: Vec<Cells> = ranking.findings.iter().map(|row| Cells::of(row, charset)).collect();
    let undecided: Vec<Cells> = ranking.undecided.iter().map(|r| Cells::of(r, charset)).collect();
    let all: Vec<&Cells> = findings.iter().chain(&undecided).collect();
    let mut out = Lines { text: String::new(), width, rule: width, colour, charset };

    if let Gate::Failed(reason) = &model.gate {
        out.paragraph(&format!("Calibration failed, no verdicts: {}", clean(reason)));
    }
    if model.interrupted {
        let (done, planned) = (model.rounds_done, model.sweep.design.rounds);
        out.paragraph(&format!("Interrupted: {done} of {planned} rounds were measured."));
    }
    if all.is_empty() {
        out.paragraph("No toggle was measured.");
    } else {
        let layout = Layout::fitting(&all, width);
        out.rule =
            if layout.note { width } else { layout.used(layout.name.unwrap_or(0)).min(width) };
        out.header(&layout);
        for cells in &findings {
            out.row(cells, &layout);
        }
        if !undecided.is_empty() && !findings.is_empty() {
            out.rule();
        }
        for cells in &undecided {
            out.row(cells, &layout);
        }
        out.rule();
        out.paragraph(&format!("Effect on {}/s, against the unchanged server.", model.operations));
    }
    if all.iter().any(|cells| !cells.label.is_empty()) {
        out.paragraph(LABELS);
    }
    if let Some(words) = not_measured(model) {
        out.paragraph(&words);
    }
    out.text
}

fn not_measured(model: &Model) -> Option<String> {
    let parts: Vec<String> = [
        (Status::NoOp, "line that changes nothing", "lines that change nothing"),
        (Status::Refused, "refused by the server", "refused by the server"),
        (Status::LeftOut, "left out", "left out"),
    ]
    .into_iter()
    .map(|(status, one, many)| (model.with_status(status).count(), one, many))
    .filter(|(n, ..)| *n > 0)
    .map(|(n, one, many)| counted(n, one, many))
    .collect();
    (!parts.is_empty()).then(|| format!("Not measured: {}.", parts.join(", ")))
}

/// A row of the table as text.
struct Cells {
    verdict: Verdict,
    name: String,
    effect: String,
    interval: String,
    word: String,
    label: &'static str,
    pairs: String,
    note: String,
}

impl Cells {
    fn of(row: &Row, charset: Charset) -> Self {
        let encode = |text: &str| charset.encode(&clean(text));
        let effect = row.throughput.map_or_else(|| NOTHING.to_owned(), |e| percent(e.value));
        let range = row.throughput.map_or_else(String::new, |e| interval(e.interval));
        Self {
            verdict: row.verdict,
            name: encode(&row.name),
            effect: encode(&effect),
            interval: encode(&range),
            word: row.verdict.as_str().to_owned(),
            label: match row.label {
                Label::None => "",
                label => label.as_str(),
            },
            pairs: row.pairs.to_string(),
            note: encode(&row.note),
        }
    }
}

/// Widths of the columns; none where a column is not shown.
struct Layout {
    /// None: the name has a line of its own.
    name: Option<usize>,
    effect: usize,
    interval: usize,
    word: usize,
    label: Option<usize>,
    pairs: Option<usize>,
    /// Notes stand in a column, not below their row.
    note: bool,
}

impl Layout {
    /// The fullest layout that fits: names are shortened only after notes have moved to a line of
    /// their own and the pairs were given up.
    fn fitting(rows: &[&Cells], width: usize) -> Self {
        let widest = |cell: fn(&Cells) -> &str, title: usize| {
            rows.iter().map(|row| columns(cell(row))).fold(title, usize::max)
        };
        let name = widest(|row| &row.name, "toggle".len());
        let note = widest(|row| &row.note, 0);
        let full = Self {
            name: Some(name),
            effect: widest(|row| &row.effect, TITLES.effect.len()),
            interval: widest(|row| &row.interval, TITLES.interval.len()),
            word: widest(|row| &row.word, TITLES.verdict.len()),
            label: (widest(|row| row.label, 0) > 0).then_some(TITLES.label.len()),
            pairs: Some(widest(|row| &row.pairs, TITLES.pairs.len())),
            note: note > 0,
        };
        let noted = if note > 0 { GAP + note.max(TITLES.note.len()) } else { 0 };
        if full.used(name) + noted <= width {
            return full;
        }
        let full = Self { note: false, ..full };
        if full.used(name) <= width {
            return full;
        }
        let room = |layout: &Self| width.saturating_sub(layout.used(0));
        let narrow = Self { pairs: None, ..full };
        let room = room(&narrow);
        if room >= name.min(SHORTEST_NAME) {
            return Self { name: Some(room.min(name)), ..narrow };
        }
        Self { name: None, label: None, ..narrow }
    }

    /// A line end, where even without its name a row is too wide.
    fn before_verdict(&self, width: usize) -> &'static str {
        if self.name.is_none() && self.used(0) > width { "\n" } else { "" }
    }

    /// Columns that a row takes without its note, with so many for the name.
    fn used(&self, name: usize) -> usize {
        let optional = |column: Option<usize>| column.map_or(0, |width| GAP + width);
        name + GAP
            + self.effect
            + GAP
            + self.interval
            + GAP
            + self.word
            + optional(self.label)
            + optional(self.pairs)
    }
}

struct Titles {
    effect: &'static str,
    interval: &'static str,
    verdict: &'static str,
    label: &'static str,
    pairs: &'static str,
    note: &'static str,
}

const TITLES: Titles = Titles {
    effect: "effect",
    interval: "95 % interval",
    verdict: "verdict",
    label: "label",
    pairs: "pairs",
    note: "note",
};

const BOLD: &str = "1";
const DIM: &str = "2";

/// Cyan and red differ in brightness, too; the word stands beside them anyway.
const fn colour_of(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Faster => "1;36",
        Verdict::Slower => "1;31",
        Verdict::NoDifference | Verdict::Withheld => "0",
        _ => DIM,
    }
}

struct Lines {
    text: String,
    width: usize,
    /// How long rules are.
    rule: usize,
    colour: bool,
    charset: Charset,
}

impl Lines {
    fn header(&mut self, layout: &Layout) {
        let Layout { effect, interval, word, .. } = *layout;
        let mut line = match layout.name {
            Some(name) => format!("{:<name$}  {:>effect$}", "toggle", TITLES.effect),
            None => format!("toggle\n  {:>effect$}", TITLES.effect),
        };
        line.push_str(&format!("  {:<interval$}", TITLES.interval));
        line.push_str(layout.before_verdict(self.width));
        line.push_str(&format!("  {:<word$}", TITLES.verdict));
        if let Some(label) = layout.label {
            line.push_str(&format!("  {:<label$}", TITLES.label));
        }
        if let Some(pairs) = layout.pairs {
            line.push_str(&format!("  {:>pairs$}", TITLES.pairs));
        }
        if layout.note {
            line.push_str(&format!("  {}", TITLES.note));
        }
        for line in line.lines() {
            let line = self.painted(line.trim_end(), BOLD);
            self.line(&line);
        }
        self.rule();
    }

    fn row(&mut self, cells: &Cells, layout: &Layout) {
        let Layout { effect, interval, word, .. } = *layout;
        let colour = colour_of(cells.verdict);
        let dim = if colour == DIM { DIM } else { "0" };
        let numbers = format!("{:>effect$}", cells.effect);
        let range = format!("{:<interval$}", cells.interval);
        let mut line = match layout.name {
            Some(name) => {
                let short = shorten_middle(&cells.name, |t| columns(t) <= name);
                let pad = " ".repeat(name - columns(&short).min(name));
                self.painted(&(self.charset.encode(&short) + &pad), dim)
            }
            None => {
                let badge = if cells.label.is_empty() { 0 } else { cells.label.len() + 3 };
                let room = self.width - badge;
                let short = shorten_middle(&cells.name, |t| columns(t) <= room);
                let mut head = self.painted(&self.charset.encode(&short), dim);
                if badge > 0 {
                    head.push_str(&format!(" [{}]", cells.label));
                }
                self.line(&head);
                String::new()
            }
        };
        line.push_str(&format!("  {}", self.painted(&numbers, colour)));
        line.push_str(&format!("  {}", self.painted(&range, dim)));
        line.push_str(layout.before_verdict(self.width));
        line.push_str(&format!("  {}", self.painted(&format!("{:<word$}", cells.word), colour)));
        if let Some(label) = layout.label {
            line.push_str(&format!("  {:<label$}", cells.label));
        }
        if let Some(pairs) = layout.pairs {
            line.push_str(&format!("  {:>pairs$}", cells.pairs));
        }
        if layout.note && !cells.note.is_empty() {
            line.push_str(&format!("  {}", cells.note));
        }
        for line in line.lines() {
            self.line(line);
        }
        if !layout.note && !cells.note.is_empty() {
            self.indented(&format!("note: {}", cells.note), 4);
        }
    }

    fn rule(&mut self) {
        let rule = "─".repeat(self.rule.min(100));
        let line = self.painted(&self.charset.encode(&rule), DIM);
        self.line(&line);
    }

    fn paragraph(&mut self, words: &str) {
        let words = self.charset.encode(words);
        self.indented(&words, 0);
    }

    /// Words in lines that fit, each begun with blanks.
    fn indented(&mut self, words: &str, blanks: usize) {
        let mut line = String::new();
        for word in words.split(' ') {
            if !line.is_empty() && blanks + columns(&line) + 1 + columns(word) > self.width {
                let full = format!("{}{line}", " ".repeat(blanks));
                self.line(&full);
                line.clear();
            }
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
        let full = format!("{}{line}", " ".repeat(blanks));
        self.line(&full);
    }

    fn line(&mut self, line: &str) {
        self.text.push_str(line.trim_end());
        self.text.push('\n');
    }

    fn painted(&self, text: &str, code: &str) -> String {
        // Blanks at the ends stay outside, so that they can be cut off.
        let inner = text.trim();
        if !self.colour || code == "0" || inner.is_empty() {
            return text.to_owned();
        }
        text.replacen(inner, &format!("\u{1b}[{code}m{inner}\u{1b}[0m"), 1)
    }
}
