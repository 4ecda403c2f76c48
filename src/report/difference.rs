//! What differs between two option files, line by line. Files are bytes; what is shown is text.

use std::fmt;

use super::text::clean_line;

/// A line of a small unified difference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DiffLine {
    /// Where the next lines stand in the base file (line number, from 1).
    At(usize),
    /// A line that only the base file has.
    Removed(String),
    /// A line that only the other file has.
    Added(String),
}

impl fmt::Display for DiffLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::At(line) => write!(f, "@@ line {line}"),
            Self::Removed(text) => write!(f, "-{text}"),
            Self::Added(text) => write!(f, "+{text}"),
        }
    }
}

/// Above this many pairs of lines the middle is shown as replaced whole, instead of aligned.
const MOST_CELLS: usize = 4_000_000;

/// The lines in which `toggled` differs from `base`, without context.
pub fn difference(base: &[u8], toggled: &[u8]) -> Vec<DiffLine> {
    let (old, new) = (lines(base), lines(toggled));
    let head = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let tail = old[head..].iter().rev().zip(new[head..].iter().rev());
    let tail = tail.take_while(|(a, b)| a == b).count();
    let (old, new) = (&old[head..old.len() - tail], &new[head..new.len() - tail]);

    let mut out = Vec::new();
    let mut last = None;
    for step in align(old, new) {
        let (position, line) = match step {
            Step::Both => continue,
            Step::Old(i) => (i, DiffLine::Removed(shown(old[i]))),
            Step::New(i, j) => (i, DiffLine::Added(shown(new[j]))),
        };
        let next_to_last = last.is_some_and(|last| position <= last + 1);
        if !next_to_last {
            out.push(DiffLine::At(head + position + 1));
        }
        last = Some(position);
        out.push(line);
    }
    out
}

enum Step {
    Both,
    Old(usize),
    /// Position in the old lines before which it stands, position in the new lines.
    New(usize, usize),
}

/// Longest common subsequence; removals before additions where both are possible.
fn align(old: &[&[u8]], new: &[&[u8]]) -> Vec<Step> {
    let (rows, columns) = (old.len(), new.len());
    let replaced_whole = rows.saturating_mul(columns) > MOST_CELLS;
    let mut longest = vec![0_u32; if replaced_whole { 0 } else { (rows + 1) * (columns + 1) }];
    let at = |i: usize, j: usize| i * (columns + 1) + j;
    if !replaced_whole {
        for i in (0..rows).rev() {
            for j in (0..columns).rev() {
                longest[at(i, j)] = if old[i] == new[j] {
                    longest[at(i + 1, j + 1)] + 1
                } else {
                    longest[at(i + 1, j)].max(longest[at(i, j + 1)])
                };
            }
        }
    }
    let (mut i, mut j) = (0, 0);
    let mut steps = Vec::with_capacity(rows + columns);
    while i < rows || j < columns {
        if i < rows && j < columns && !replaced_whole && old[i] == new[j] {
            steps.push(Step::Both);
            (i, j) = (i + 1, j + 1);
        } else if j == columns
            || (i < rows && (replaced_whole || longest[at(i + 1, j)] >= longest[at(i, j + 1)]))
        {
            steps.push(Step::Old(i));
            i += 1;
        } else {
            steps.push(Step::New(i, j));
            j += 1;
        }
    }
    steps
}

fn lines(bytes: &[u8]) -> Vec<&[u8]> {
    let mut lines: Vec<&[u8]> = bytes.split(|b| *b == b'\n').collect();
    // A final line end starts no line.
    if lines.last().is_some_and(|line| line.is_empty()) {
        lines.pop();
    }
    lines
}

fn shown(line: &[u8]) -> String {
    clean_line(&String::from_utf8_lossy(line))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(base: &str, toggled: &str) -> String {
        let lines = difference(base.as_bytes(), toggled.as_bytes());
        lines.iter().map(|line| format!("{line}\n")).collect()
    }

    #[test]
    fn a_changed_line_is_removed_and_added() {
        let base = "[mysqld]\nport=1\n#skip-grant-tables\nuser=x\n";
        let toggled = "[mysqld]\nport=1\nskip-grant-tables\nuser=x\n";
        assert_eq!(text(base, toggled), "@@ line 3\n-#skip-grant-tables\n+skip-grant-tables\n");
    }

    #[test]
    fn an_appended_line_stands_after_the_last() {
        assert_eq!(text("[mysqld]\na=1\n", "[mysqld]\na=1\nb=2\n"), "@@ line 3\n+b=2\n");
        assert_eq!(text("[mysqld]\na=1\n", "[mysqld]\nb=2\na=1\n"), "@@ line 2\n+b=2\n");
    }

    #[test]
    fn changes_far_apart_are_two_places() {
        assert_eq!(
            text("[m]\na\nb\nc\nd\n", "[m]\n#a\nb\nc\n#d\n"),
            "@@ line 2\n-a\n+#a\n@@ line 5\n-d\n+#d\n"
        );
        assert_eq!(text("a\n", "a\n"), "");
        assert_eq!(text("", "a\n"), "@@ line 1\n+a\n");
    }

    #[test]
    fn bytes_that_are_no_text_are_shown_as_such() {
        let lines = difference(b"a=\xff\x1b\n", b"a=1\n");
        assert_eq!(lines[1].to_string(), "-a=\u{fffd}\u{fffd}");
    }
}
