//! Foreign text (option values, server messages, file contents) made fit to be shown: nothing
//! that steers a terminal, breaks an XML file or reorders a line survives.

/// Replaces what must not be shown: control characters and the marks that change the direction
/// of text become U+FFFD; line ends and tabs become spaces.
pub(super) fn clean(text: &str) -> String {
    text.trim_end_matches(['\n', '\r']).chars().map(shown).collect()
}

/// The same for one line of a file: a tab keeps its width.
pub(super) fn clean_line(line: &str) -> String {
    clean(&line.replace('\t', "    "))
}

fn shown(c: char) -> char {
    match c {
        '\n' | '\r' | '\t' => ' ',
        c if c.is_control() => char::REPLACEMENT_CHARACTER,
        '\u{200e}'
        | '\u{200f}'
        | '\u{2028}'..='\u{202e}'
        | '\u{2066}'..='\u{2069}'
        | '\u{feff}'
        | '\u{fffe}'
        | '\u{ffff}' => char::REPLACEMENT_CHARACTER,
        c => c,
    }
}

/// The text, or as much of its beginning and end as `fits`, with `…` between.
pub(super) fn shorten_middle(text: &str, fits: impl Fn(&str) -> bool) -> String {
    if fits(text) {
        return text.to_owned();
    }
    let chars: Vec<char> = text.chars().collect();
    let cut = |kept: usize| -> String {
        // The beginning says which option it is, the end which value: a little more to the first.
        let head = kept - kept * 2 / 5;
        let tail = kept - head;
        let (head, tail) = (&chars[..head], &chars[chars.len() - tail..]);
        head.iter().copied().chain(['…']).chain(tail.iter().copied()).collect()
    };
    (1..chars.len()).rev().map(cut).find(|short| fits(short)).unwrap_or_else(|| "…".to_owned())
}

/// Columns that a text takes on a terminal: two for East Asian wide characters, none for marks
/// that combine with the letter before.
pub(super) fn columns(text: &str) -> usize {
    text.chars()
        .map(|c| match c {
            '\u{300}'..='\u{36f}' | '\u{200b}'..='\u{200d}' | '\u{fe00}'..='\u{fe0f}' => 0,
            '\u{1100}'..='\u{115f}'
            | '\u{2e80}'..='\u{a4cf}'
            | '\u{ac00}'..='\u{d7a3}'
            | '\u{f900}'..='\u{faff}'
            | '\u{fe30}'..='\u{fe6f}'
            | '\u{ff00}'..='\u{ff60}'
            | '\u{1f300}'..='\u{1faff}' => 2,
            _ => 1,
        })
        .sum()
}

/// Words in lines of at most `width` columns, each begun with so many blanks and ended.
pub(super) fn wrapped(words: &str, blanks: usize, width: usize) -> String {
    let begin = " ".repeat(blanks);
    let mut text = String::new();
    let mut line = String::new();
    for word in words.split(' ').filter(|word| !word.is_empty()) {
        if !line.is_empty() && blanks + columns(&line) + 1 + columns(word) > width {
            text.push_str(&format!("{begin}{line}\n"));
            line.clear();
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    text + &format!("{begin}{line}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_steers_a_terminal_survives() {
        assert_eq!(clean("a\u{1b}[31mb\0c\u{202e}d\n"), "a\u{fffd}[31mb\u{fffd}c\u{fffd}d");
        assert_eq!(clean("two\nlines"), "two lines");
    }

    #[test]
    fn long_text_loses_its_middle() {
        let short = shorten_middle("innodb_flush_log_at_trx_commit=2", |t| t.chars().count() <= 16);
        assert_eq!(short, "innodb_fl…mmit=2");
        assert_eq!(shorten_middle("abc", |_| true), "abc");
        assert_eq!(shorten_middle("abc", |_| false), "…");
    }
}
