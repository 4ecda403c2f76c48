//! The plan on a terminal: what will be measured, line by line, and what won't, by reason. Returns
//! text, as the table does.

use crate::toggle::{Action, Label, Place, Status, Toggle, Toggles};

use super::table::Charset;
use super::text::{clean, columns, shorten_middle, wrapped};

/// What does not break a line.
const NBSP: &str = "\u{a0}";
/// No toggle's name pushes its values further to the right than this.
const LONGEST_NAME: usize = 44;

/// What becomes of every toggle, in lines of at most `width` columns (but at least 40).
pub fn plan(toggles: &Toggles, width: usize, charset: Charset) -> String {
    let listing = Listing { list: &toggles.list, width: width.max(40), charset };
    let parts = [
        listing.in_both("Fitted to this machine, in both servers", &toggles.scaled),
        listing.in_lines("To be measured", Status::Planned),
        listing.in_lines("Refused by the server", Status::Refused),
        listing.by_reason("Nothing to measure, the server is the same", Status::NoOp),
        listing.by_reason("Left out", Status::LeftOut),
        listing.in_both("Changed in both servers", &toggles.changed_in_both_arms),
    ];
    let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    charset.encode(&parts.join("\n"))
}

struct Listing<'a> {
    list: &'a [Toggle],
    width: usize,
    charset: Charset,
}

impl Listing<'_> {
    fn with(&self, status: Status) -> Vec<&Toggle> {
        self.list.iter().filter(|t| t.status == status).collect()
    }

    /// A line for each: where it stands, its name, label, and the values; below it what is to be
    /// known.
    fn in_lines(&self, title: &str, status: Status) -> String {
        let toggles = self.with(status);
        if toggles.is_empty() {
            return String::new();
        }
        let lines: Vec<String> = toggles.iter().map(|t| line_number(t)).collect();
        let name_of = |t: &Toggle| shorten_middle(&clean(&t.id), |s| columns(s) <= LONGEST_NAME);
        let names: Vec<String> = toggles.iter().map(|t| name_of(t)).collect();
        let at = lines.iter().map(String::len).chain([4]).max().unwrap_or(4);
        let wide = names.iter().map(|name| columns(name)).chain([6]).max().unwrap_or(6);
        let labels = toggles.iter().any(|t| t.label != Label::None);
        let mut text = format!("{title} ({}):\n", toggles.len());
        let pad = |name: &str| " ".repeat(wide - columns(name));
        let head = format!("  {:>at$}  toggle{}", "line", pad("toggle"));
        let gap = if labels { "     " } else { "  " };
        text.push_str(&format!("{head}{gap}now → then\n"));
        for ((toggle, line), name) in toggles.iter().zip(&lines).zip(&names) {
            let label = match (labels, toggle.label) {
                (false, _) => String::new(),
                (true, label) => format!("  {:<1}", label.as_str()),
            };
            let mut row = format!("  {line:>at$}  {name}{}{label}", pad(name));
            let room = self.width.saturating_sub(columns(&row) + 2).max(12);
            // As it will be printed: an arrow takes two columns where the locale is plain.
            let values = self.charset.encode(&values(toggle));
            let values = shorten_middle(&values, |s| columns(s) <= room);
            if columns(&row) + 2 + columns(&values) <= self.width {
                row.push_str(&format!("  {values}"));
            }
            text.push_str(row.trim_end());
            text.push('\n');
            let words = known(toggle);
            if !words.is_empty() {
                text.push_str(&wrapped(&words, at + 6, self.width));
            }
        }
        text
    }

    fn in_both(&self, title: &str, changes: &[String]) -> String {
        if changes.is_empty() {
            return String::new();
        }
        let lines =
            changes.iter().map(|change| wrapped(&clean(without_reason(change)), 2, self.width));
        format!("{title} ({}):\n{}", changes.len(), lines.collect::<String>())
    }

    /// Those with the same reason together, in the order of the file.
    fn by_reason(&self, title: &str, status: Status) -> String {
        let toggles = self.with(status);
        if toggles.is_empty() {
            return String::new();
        }
        let mut groups: Vec<(String, Vec<String>)> = Vec::new();
        for toggle in &toggles {
            let reason = clean(&toggle.detail);
            let name = named(toggle);
            match groups.iter_mut().find(|(other, _)| *other == reason) {
                Some((_, names)) => names.push(name),
                None => groups.push((reason, vec![name])),
            }
        }
        let mut text = format!("{title} ({}):\n", toggles.len());
        for (reason, names) in groups {
            text.push_str(&wrapped(&reason, 2, self.width));
            text.push_str(&wrapped(&names.join(", "), 6, self.width));
        }
        text
    }
}

/// Without the reason: that stands with what is left out.
fn without_reason(change: &str) -> &str {
    ["commented out", "`"]
        .iter()
        .filter_map(|end| Some(change.find(&format!("{end}: "))? + end.len()))
        .min()
        .and_then(|at| change.get(..at))
        .unwrap_or(change)
}

/// Line in the base file, where it has one.
fn line_number(toggle: &Toggle) -> String {
    let line = toggle.place.as_ref().and_then(Place::line_of_base);
    line.map_or_else(String::new, |line| line.to_string())
}

fn values(toggle: &Toggle) -> String {
    let shown = |value: &Option<String>| {
        value.as_deref().map(clean).filter(|v| !v.is_empty()).unwrap_or_else(|| "(none)".to_owned())
    };
    match (&toggle.from, &toggle.to) {
        (None, None) => String::new(),
        (from, to) => format!("{} → {}", shown(from), shown(to)),
    }
}

/// The detail, behind the place of a line that is not in the base file.
fn known(toggle: &Toggle) -> String {
    let included = toggle.place.as_ref().filter(|place| place.included.is_some());
    let parts = [included.map(ToString::to_string).unwrap_or_default(), toggle.detail.clone()];
    let parts: Vec<String> = parts.iter().map(|p| clean(p)).filter(|p| !p.is_empty()).collect();
    parts.join(": ")
}

/// Name and place, in a list of many, which stay on one line.
fn named(toggle: &Toggle) -> String {
    let name = match toggle.action {
        Action::CommentOut | Action::Keep => &toggle.option,
        Action::Set | Action::Enable | Action::Append => &toggle.id,
    };
    let name = shorten_middle(&clean(name), |s| columns(s) <= LONGEST_NAME);
    match &toggle.place {
        Some(place) => format!("{name} ({})", clean(&place.to_string())).replace(' ', NBSP),
        None => name,
    }
}
