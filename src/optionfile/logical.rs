//! Where a line ends for a certain server. All split at `\n`, but long lines and NUL
//! bytes are taken three ways; this file knows them. It does not look at what a line
//! says.

use std::borrow::Cow;

use super::Product;
use super::grammar::c_string;

/// Bytes that MySQL 8 and later fetch at once while they put a line together.
const JOINED_PIECE: usize = 4095;

/// One line as the server has it in hand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LogicalLine<'a> {
    /// Where it begins in the file.
    pub start: usize,
    /// Where the next one begins.
    pub end: usize,
    /// The physical line, counted from 1, in which it begins.
    pub number: usize,
    /// Bytes between the beginning of that physical line and `start`.
    pub indent: usize,
    /// The text: without NUL, with the newline where it got one.
    pub text: Cow<'a, [u8]>,
    /// Whether it is exactly one physical line, with nothing left out.
    pub is_plain: bool,
}

/// The lines of a file, as a product fetches them.
///
/// - MariaDB and MySQL up to 5.7 fetch 4094 bytes at most. What is behind them is the
///   next line, even in the middle of a word or a comment. A NUL hides the rest of its
///   piece.
/// - MySQL 8 and later (seen in 9.7.4; source of 8.0.32, while the first 8.0 releases
///   still read like 5.7) put such pieces together again. A NUL hides the rest of its piece there too, and with it the newline: the
///   next line is glued on. A piece that begins with a NUL ends the line in progress,
///   or the whole file when none is.
#[derive(Debug, Clone)]
pub(super) struct LogicalLines<'a> {
    bytes: &'a [u8],
    limit: Option<usize>,
    at: usize,
    number: usize,
    line_start: usize,
}

impl<'a> LogicalLines<'a> {
    pub fn new(bytes: &'a [u8], product: &Product) -> LogicalLines<'a> {
        LogicalLines { bytes, limit: product.line_limit(), at: 0, number: 1, line_start: 0 }
    }

    /// Fetches bytes up to and with the next newline, `limit` at most.
    fn fetch(&mut self, limit: usize) -> &'a [u8] {
        let rest = &self.bytes[self.at..];
        let most = &rest[..rest.len().min(limit)];
        let newline = most.iter().position(|&b| b == b'\n');
        let piece = &most[..newline.map_or(most.len(), |at| at + 1)];
        self.at += piece.len();
        if newline.is_some() {
            self.number += 1;
            self.line_start = self.at;
        }
        piece
    }

    /// Puts the pieces of one line together as MySQL 8 does. `None`: the file ends.
    fn fetch_joined(&mut self) -> Option<Cow<'a, [u8]>> {
        let begin = self.at;
        // Without a NUL, the normal case, the line is a slice whatever its length.
        let mut line = Cow::Borrowed(&self.bytes[begin..begin]);
        while self.at < self.bytes.len() {
            let piece = self.fetch(JOINED_PIECE);
            let text = c_string(piece);
            if text.is_empty() {
                if line.is_empty() {
                    self.at = self.bytes.len();
                    return None;
                }
                break;
            }
            match &mut line {
                Cow::Borrowed(slice) if text.len() == piece.len() => {
                    *slice = &self.bytes[begin..begin + slice.len() + text.len()];
                }
                _ => line.to_mut().extend_from_slice(text),
            }
            if text.ends_with(b"\n") {
                break;
            }
        }
        Some(line)
    }
}

impl<'a> Iterator for LogicalLines<'a> {
    type Item = LogicalLine<'a>;

    fn next(&mut self) -> Option<LogicalLine<'a>> {
        if self.at >= self.bytes.len() {
            return None;
        }
        let (start, number) = (self.at, self.number);
        let indent = start - self.line_start;
        let text = match self.limit {
            Some(limit) => Cow::Borrowed(c_string(self.fetch(limit))),
            None => self.fetch_joined()?,
        };
        let end = self.at;
        let is_plain = indent == 0
            && text.len() == end - start
            && (text.ends_with(b"\n") || end == self.bytes.len());
        Some(LogicalLine { start, end, number, indent, text, is_plain })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(bytes: &[u8], product: Product) -> Vec<(usize, String)> {
        LogicalLines::new(bytes, &product)
            .map(|l| (l.number, String::from_utf8_lossy(&l.text).into_owned()))
            .collect()
    }

    fn own(pairs: &[(usize, &str)]) -> Vec<(usize, String)> {
        pairs.iter().map(|&(n, text)| (n, text.to_owned())).collect()
    }

    const MARIA: Product = Product::mariadb(11, 8);
    const MYSQL: Product = Product::mysql(9, 7);

    #[test]
    fn a_nul_hides_the_rest_in_mariadb_and_glues_lines_in_mysql() {
        let text = b"port=1\0junk\nuser=x\nlast";
        assert_eq!(lines(text, MARIA), own(&[(1, "port=1"), (2, "user=x\n"), (3, "last")]));
        assert_eq!(lines(text, MYSQL), own(&[(1, "port=1user=x\n"), (3, "last")]));
    }

    #[test]
    fn mysql_stops_at_a_line_that_begins_with_nul() {
        assert_eq!(lines(b"a\n\0b\nc\n", MYSQL), own(&[(1, "a\n")]));
        assert_eq!(lines(b"a\n\0b\nc\n", MARIA), own(&[(1, "a\n"), (2, ""), (3, "c\n")]));
        assert_eq!(lines(b"a\0\n\0b\nc\n", MYSQL), own(&[(1, "a"), (3, "c\n")]));
    }

    #[test]
    fn mariadb_cuts_long_lines_and_mysql_does_not() {
        let long = format!("{}port=1\nuser=x\n", "#".repeat(4094));
        assert_eq!(lines(long.as_bytes(), MARIA)[1..], own(&[(1, "port=1\n"), (2, "user=x\n")]));
        assert_eq!(lines(long.as_bytes(), MYSQL).len(), 2);
        assert_eq!(lines(long.as_bytes(), Product::mysql(5, 7)).len(), 3);
    }

    #[test]
    fn a_nul_in_a_long_line_hides_the_rest_of_its_piece_only() {
        let mut text = b"a=1\0".to_vec();
        text.resize(4095, b'x');
        text.extend(b"yz\nport=1\n");
        assert_eq!(lines(&text, MYSQL), own(&[(1, "a=1yz\n"), (2, "port=1\n")]));
    }

    #[test]
    fn places_of_lines_are_known() {
        let text = format!("{}b\nc\n", "a".repeat(4094));
        let places: Vec<_> = LogicalLines::new(text.as_bytes(), &MARIA)
            .map(|l| (l.start, l.end, l.number, l.indent, l.is_plain))
            .collect();
        assert_eq!(
            places,
            [(0, 4094, 1, 0, false), (4094, 4096, 1, 4094, false), (4096, 4098, 2, 0, true)]
        );
    }
}
