//! Text of which some parts are names, to be set in type of fixed width.

use minijinja::value::Value;
use serde::Serialize;

use crate::report::headline::Piece;

/// A part of a sentence, for templates.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(in crate::report) struct Phrase {
    /// A name or a value, not words.
    pub code: bool,
    pub text: String,
}

impl From<&Piece> for Phrase {
    fn from(piece: &Piece) -> Self {
        match piece {
            Piece::Text(text) => Self { code: false, text: text.clone() },
            Piece::Toggle(text) => Self { code: true, text: text.clone() },
        }
    }
}

/// A message with its literals between back-ticks, taken apart. Where the back-ticks don't come
/// in pairs they are part of the text.
pub(super) fn phrases(message: &str) -> Vec<Phrase> {
    let parts: Vec<&str> = message.split('`').collect();
    if parts.len().is_multiple_of(2) {
        return vec![Phrase { code: false, text: message.to_owned() }];
    }
    let phrase = |(i, text): (usize, &&str)| Phrase { code: i % 2 == 1, text: (*text).to_owned() };
    parts.iter().enumerate().map(phrase).filter(|phrase| !phrase.text.is_empty()).collect()
}

/// Phrases as a filter of a template gets them: whether each is code, and its text.
pub(in crate::report) fn each_phrase(
    phrases: &Value,
) -> Result<Vec<(bool, String)>, minijinja::Error> {
    let each = |phrase: Value| {
        let text = phrase.get_attr("text")?;
        Ok((phrase.get_attr("code")?.is_true(), text.as_str().unwrap_or_default().to_owned()))
    };
    phrases.try_iter()?.map(each).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_stand_between_back_ticks() {
        let seen = phrases("line 3: `port` commented out");
        let texts: Vec<(bool, &str)> = seen.iter().map(|p| (p.code, p.text.as_str())).collect();
        assert_eq!(texts, [(false, "line 3: "), (true, "port"), (false, " commented out")]);
        assert_eq!(phrases("a ` b").len(), 1);
        assert!(phrases("").is_empty());
    }
}
