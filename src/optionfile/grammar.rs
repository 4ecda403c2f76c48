//! The bytes of one line: white space, comments, quotes, escapes, headers, directives
//! (my-cnf-syntax.md, section 3). Decides what a line says; knows neither files nor
//! line ends of a particular server (`logical.rs`) nor which groups count.

use std::ops::Range;

use super::product::IncludeArgument;

/// What the servers take for white space: `isspace` of latin1, which has byte 0xA0.
pub(super) fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t'..=b'\r' | 0xA0)
}

/// `text` without white space at its start.
pub(super) fn trim_start(text: &[u8]) -> &[u8] {
    let start = text.iter().position(|&b| !is_space(b));
    &text[start.unwrap_or(text.len())..]
}

/// `text` without white space at its end.
pub(super) fn trim_end(text: &[u8]) -> &[u8] {
    let last = text.iter().rposition(|&b| !is_space(b));
    &text[..last.map_or(0, |at| at + 1)]
}

/// A line as C sees it: up to the first NUL.
pub(super) fn c_string(text: &[u8]) -> &[u8] {
    let end = text.iter().position(|&b| b == 0);
    &text[..end.unwrap_or(text.len())]
}

/// What a line is, with the places of its parts counted from the line's first byte.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Shape {
    /// Nothing but white space.
    Blank,
    /// First byte `#` or `;`; `at` is its place.
    Comment { at: usize },
    /// First byte `!`, or `?` where that counts; `at` is its place.
    Directive { at: usize },
    /// `[name]`, white space before `]` dropped. `None`: there is no `]`.
    Header { at: usize, name: Option<Range<usize>> },
    /// Anything else.
    Option(OptionSpan),
}

/// The parts of an option line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct OptionSpan {
    /// The name, white space at its end dropped. Empty in `=5`.
    pub name: Range<usize>,
    /// The first `=`, and the value behind it as written: trimmed, still with its
    /// quotes and escapes.
    pub value: Option<ValueSpan>,
    /// Where the in-line comment begins, or the line ends.
    pub text_end: usize,
}

/// The value's place in an option line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ValueSpan {
    /// Where the `=` is.
    pub equals: usize,
    /// The value as written.
    pub raw: Range<usize>,
}

/// Classifies a line. It must hold no NUL; its newline may be there or not.
/// `question_marks`: whether `?` begins a directive as `!` does.
pub(super) fn shape(line: &[u8], question_marks: bool) -> Shape {
    let Some(at) = line.iter().position(|&b| !is_space(b)) else {
        return Shape::Blank;
    };
    match line[at] {
        b'#' | b';' => Shape::Comment { at },
        b'!' => Shape::Directive { at },
        b'?' if question_marks => Shape::Directive { at },
        b'[' => {
            let start = at + 1;
            let name = line[start..]
                .iter()
                .position(|&b| b == b']')
                .map(|len| start..start + trim_end(&line[start..start + len]).len());
            Shape::Header { at, name }
        }
        _ => Shape::Option(option_span(line, at)),
    }
}

/// Cuts an option line apart; `at` is its first byte that is no white space.
fn option_span(line: &[u8], at: usize) -> OptionSpan {
    let end = at + comment_start(&line[at..]);
    let text = &line[at..end];
    let Some(equals) = text.iter().position(|&b| b == b'=') else {
        let name = at..at + trim_end(text).len();
        return OptionSpan { name, value: None, text_end: end };
    };
    let name = at..at + trim_end(&text[..equals]).len();
    let behind = &text[equals + 1..];
    let value = trim_start(behind);
    let start = at + equals + 1 + (behind.len() - value.len());
    OptionSpan {
        name,
        value: Some(ValueSpan { equals: at + equals, raw: start..start + trim_end(value).len() }),
        text_end: end,
    }
}

/// Where the in-line comment begins: the first `#` outside quotes, else the end.
/// Inside a quoted stretch a backslash protects the next byte; outside it does not.
fn comment_start(text: &[u8]) -> usize {
    let mut quote = None;
    let mut protected = false;
    for (at, &byte) in text.iter().enumerate() {
        if matches!(byte, b'\'' | b'"') && !protected {
            match quote {
                None => quote = Some(byte),
                Some(open) if open == byte => quote = None,
                Some(_) => {}
            }
        }
        if byte == b'#' && quote.is_none() {
            return at;
        }
        protected = quote.is_some() && byte == b'\\' && !protected;
    }
    text.len()
}

/// A value as the server gets it: one pair of equal outer quotes dropped, then the
/// escapes `\b \t \n \r \s \" \' \\` replaced. Any other backslash stays.
pub(super) fn value_of(raw: &[u8]) -> Vec<u8> {
    let inner = match raw {
        [open @ (b'"' | b'\''), inner @ .., close] if open == close => inner,
        _ => raw,
    };
    let mut value = Vec::with_capacity(inner.len());
    let mut bytes = inner.iter().copied();
    while let Some(byte) = bytes.next() {
        if byte != b'\\' {
            value.push(byte);
            continue;
        }
        match bytes.next() {
            None => value.push(b'\\'),
            Some(b'n') => value.push(b'\n'),
            Some(b't') => value.push(b'\t'),
            Some(b'r') => value.push(b'\r'),
            Some(b'b') => value.push(0x08),
            Some(b's') => value.push(b' '),
            Some(same @ (b'"' | b'\'' | b'\\')) => value.push(same),
            Some(other) => value.extend([b'\\', other]),
        }
    }
    value
}

/// What is behind the `!` or `?` of a directive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DirectiveText<'a> {
    /// `!include`; the argument, or `None` where the server finds none.
    Include(Option<&'a [u8]>),
    /// `!includedir`; likewise.
    IncludeDir(Option<&'a [u8]>),
    /// Any other word, ignored by every server. Holds what is behind the `!`.
    Unknown(&'a [u8]),
}

/// Reads a directive. `text` begins behind its mark and must still have the line's
/// newline, if the line has one: an `!include` without it loses its last byte on some
/// servers.
pub(super) fn directive(text: &[u8], rule: IncludeArgument) -> DirectiveText<'_> {
    let text = trim_start(text);
    for (keyword, is_dir) in [(&b"includedir"[..], true), (b"include", false)] {
        if let Some(rest) = text.strip_prefix(keyword)
            && rest.first().copied().is_some_and(is_space)
        {
            let argument = include_argument(trim_start(rest), rule);
            return if is_dir {
                DirectiveText::IncludeDir(argument)
            } else {
                DirectiveText::Include(argument)
            };
        }
    }
    DirectiveText::Unknown(trim_end(text))
}

/// The path in what follows the keyword.
fn include_argument(rest: &[u8], rule: IncludeArgument) -> Option<&[u8]> {
    let path = match rule {
        // The last byte is dropped unseen, because it is taken for the newline.
        IncludeArgument::Historic => {
            let (_, kept) = rest.split_last()?;
            trim_end(kept)
        }
        IncludeArgument::Clean => trim_end(&rest[..comment_start(rest)]),
    };
    (!path.is_empty()).then_some(path)
}

/// Does `name` look like an option's name: a letter, then letters, digits, `_.-`?
pub(super) fn looks_like_option_name(name: &[u8]) -> bool {
    let Some((first, rest)) = name.split_first() else {
        return false;
    };
    first.is_ascii_alphabetic()
        && rest.iter().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'-'))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Name and value of an option line, as text.
    fn option(line: &str) -> (String, Option<String>) {
        let bytes = line.as_bytes();
        let Shape::Option(span) = shape(bytes, false) else { panic!("{line:?} is no option") };
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let value = span.value.map(|v| text(&value_of(&bytes[v.raw])));
        (text(&bytes[span.name]), value)
    }

    #[test]
    fn names_and_values_are_trimmed() {
        for (line, name, value) in [
            ("  max_connections   =   77   \n", "max_connections", Some("77")),
            ("skip-name-resolve\r\n", "skip-name-resolve", None),
            ("ftb=   \n", "ftb", Some("")),
            ("x==y", "x", Some("=y")),
            ("=5", "", Some("5")),
            ("port 3306", "port 3306", None),
        ] {
            assert_eq!(option(line), (name.into(), value.map(Into::into)), "{line:?}");
        }
    }

    #[test]
    fn white_space_has_the_latin1_blank() {
        let line = b"\xA0port\xA0=\xA01\xA0\n";
        let Shape::Option(span) = shape(line, false) else { panic!("an option") };
        assert_eq!(&line[span.name], b"port");
        assert_eq!(&line[span.value.unwrap().raw], b"1");
        assert_eq!(shape(b"\xA0 \x0b\x0c\r\n", false), Shape::Blank);
    }

    #[test]
    fn comments_end_lines_but_not_inside_quotes() {
        for (line, value) in [
            ("a=3310 # the port", "3310"),
            ("a=3311#tight", "3311"),
            ("a=3312 ; semi", "3312 ; semi"),
            ("a=\"SET @a='x#y'\" # tail", "SET @a='x#y'"),
            ("a=it's # not cut", "it's # not cut"),
            ("a=its # cut", "its"),
            ("a=\"x\\\"#y\" # tail", "x\"#y"),
            ("a=\\'#y", "'#y"),
        ] {
            assert_eq!(option(line).1.as_deref(), Some(value), "{line:?}");
        }
    }

    #[test]
    fn one_pair_of_outer_quotes_is_dropped_and_escapes_are_replaced() {
        for (raw, value) in [
            ("\"x y\"", "x y"),
            ("'x y'", "x y"),
            ("\"x", "\"x"),
            ("\"", "\""),
            ("\"\"", ""),
            ("\"x\"y", "\"x\"y"),
            ("\"a'", "\"a'"),
            ("\"  x  \"", "  x  "),
            (r#"p\sq\tr\\s\'t\"u"#, "p q\tr\\s't\"u"),
            (r"C:\ProgramData\new\table", "C:\\ProgramData\new\table"),
            (r"end\", r"end\"),
            (r"\q\x", r"\q\x"),
            (r"trail\s", "trail "),
            (r"\b\r", "\u{8}\r"),
        ] {
            assert_eq!(value_of(raw.as_bytes()), value.as_bytes(), "{raw}");
        }
    }

    #[test]
    fn headers_end_at_the_first_bracket() {
        for (line, name) in [
            ("[mysqld]\n", Some("mysqld")),
            ("  [mysqld] # c = y\n", Some("mysqld")),
            ("[mysqld]junk]\n", Some("mysqld")),
            ("[ mysqld]\n", Some(" mysqld")),
            ("[mysqld \t]\n", Some("mysqld")),
            ("[]\n", Some("")),
            ("[  ]\n", Some("")),
            ("[mysqld\n", None),
        ] {
            let Shape::Header { name: found, .. } = shape(line.as_bytes(), false) else {
                panic!("{line:?} is no header")
            };
            assert_eq!(found.map(|range| &line[range]), name, "{line:?}");
        }
    }

    #[test]
    fn directives_need_their_exact_word_and_a_blank() {
        use DirectiveText::{Include, IncludeDir, Unknown};
        for (text, want) in [
            ("include /x.cnf\n", Include(Some(b"/x.cnf"))),
            ("  include\t/x y.cnf \r\n", Include(Some(b"/x y.cnf"))),
            ("includedir /d\n", IncludeDir(Some(b"/d"))),
            ("include\n", Include(None)),
            ("include", Unknown(b"include")),
            ("includedir", Unknown(b"includedir")),
            ("INCLUDE /x\n", Unknown(b"INCLUDE /x")),
            ("require /x\n", Unknown(b"require /x")),
            ("includedirs /x\n", Unknown(b"includedirs /x")),
            ("include \"/x.cnf\"\n", Include(Some(b"\"/x.cnf\""))),
        ] {
            for rule in [IncludeArgument::Historic, IncludeArgument::Clean] {
                assert_eq!(directive(text.as_bytes(), rule), want, "{text:?} {rule:?}");
            }
        }
    }

    #[test]
    fn historic_servers_cut_the_last_byte_and_keep_comments() {
        use DirectiveText::Include;
        let (old, new) = (IncludeArgument::Historic, IncludeArgument::Clean);
        assert_eq!(directive(b"include /x.cnf", old), Include(Some(b"/x.cn")));
        assert_eq!(directive(b"include /x.cnf", new), Include(Some(b"/x.cnf")));
        assert_eq!(directive(b"include x", old), Include(None));
        let line = b"include /x.cnf # c\n";
        assert_eq!(directive(line, old), Include(Some(b"/x.cnf # c")));
        assert_eq!(directive(line, new), Include(Some(b"/x.cnf")));
    }

    #[test]
    fn option_names_are_one_plain_word() {
        for name in ["port", "skip-name_resolve", "hot.key_buffer_size", "X9"] {
            assert!(looks_like_option_name(name.as_bytes()), "{name}");
        }
        for name in ["", "9x", "max connections", "a:", "--port", "naïve", "-a"] {
            assert!(!looks_like_option_name(name.as_bytes()), "{name}");
        }
    }
}
