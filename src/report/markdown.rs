//! `report.md`: the core of the report as GitHub-flavoured Markdown, to paste into a ticket.
//! Foreign text stands in code spans, or with everything escaped that Markdown would act on.

use minijinja::value::Value;
use minijinja::{Environment, context};

use super::model::Model;
use super::view::{Page, RenderError, each_phrase, fill};

const NAME: &str = "report.md";
const TEMPLATE: &str = include_str!("templates/report.md");

/// The report as Markdown.
///
/// # Errors
/// When the template can't be filled.
pub fn markdown(model: &Model) -> Result<String, RenderError> {
    let mut environment = Environment::new();
    environment.add_filter("text", |value: String| text(&value));
    environment.add_filter("code", |value: String| code(&value));
    environment.add_filter("cell", |value: String| code(&value).replace('|', "\\|"));
    environment.add_filter("words", words);
    environment.add_filter("fence", |value: String| fence(&value));
    let filled = fill(environment, NAME, TEMPLATE, context! { page => Page::of(model) })?;
    // Plain blanks, so that the text can be searched for.
    Ok(filled.replace('\u{a0}', " "))
}

/// Phrases, those that are names as code spans.
fn words(phrases: &Value) -> Result<String, minijinja::Error> {
    let phrases = each_phrase(phrases)?;
    Ok(phrases.into_iter().map(|(is_code, t)| if is_code { code(&t) } else { text(&t) }).collect())
}

/// Text that stays text, in a paragraph, a list or a table.
fn text(value: &str) -> String {
    let mut out = String::with_capacity(value.len() + 8);
    for c in value.chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '\\' | '`' | '*' | '_' | '{' | '}' | '[' | ']' | '#' | '|' | '~' | '$' => {
                out.push('\\');
                out.push(c);
            }
            c => out.push(c),
        }
    }
    out
}

/// A code span, delimited by more back-ticks than stand in a row inside.
fn code(value: &str) -> String {
    let ticks = "`".repeat(longest_run(value) + 1);
    if value.trim().is_empty() {
        return String::new();
    }
    // A blank at both ends is taken off again; it keeps back-ticks at the ends apart.
    let pad = if value.starts_with('`') || value.ends_with('`') { " " } else { "" };
    format!("{ticks}{pad}{value}{pad}{ticks}")
}

/// The fence of a code block that holds this text.
fn fence(value: &str) -> String {
    "`".repeat(longest_run(value).max(2) + 1)
}

fn longest_run(value: &str) -> usize {
    value.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn foreign_text_stays_text() {
        assert_eq!(text("a|b <script> *x* _y_"), "a\\|b &lt;script&gt; \\*x\\* \\_y\\_");
        assert_eq!(code("a`b"), "``a`b``");
        assert_eq!(code("`a"), "`` `a ``");
        assert_eq!(code("plain"), "`plain`");
        assert_eq!(fence("+a\n+```\n"), "````");
    }
}
