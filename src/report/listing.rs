//! A list of what was looked at, for a terminal: mark, name, what was found; below it what that
//! means.

use super::table::Charset;
use super::text::{clean, columns, wrapped};

/// Lines of at most `width` columns (but at least 40).
pub fn listing(
    rows: &[(&str, &str, &str, Option<String>)],
    width: usize,
    charset: Charset,
) -> String {
    let width = width.max(40);
    let wide = rows.iter().map(|(_, name, ..)| columns(name)).max().unwrap_or(0);
    let mut text = String::new();
    for (mark, name, found, words) in rows {
        let pad = " ".repeat(wide - columns(name));
        let head = format!("{mark} {name}{pad}  ");
        let body = wrapped(&clean(found), columns(&head), width);
        text.push_str(&head);
        text.push_str(body.trim_start());
        if let Some(words) = words {
            text.push_str(&wrapped(&clean(words), 6, width));
        }
    }
    charset.encode(&text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_found_stands_in_a_column_and_what_it_means_below() {
        let rows = [
            (" ", "CPUs", "4", None),
            (
                "!",
                "governor",
                "powersave",
                Some("the clock follows the load of the CPU".to_owned()),
            ),
        ];
        assert_eq!(
            listing(&rows, 40, Charset::Utf8),
            "  CPUs      4\n! governor  powersave\n      the clock follows the load of the\n      CPU\n"
        );
    }
}
