//! Writing values and option lines so that servers read exactly what was meant. The
//! reverse of the module `grammar`, and checked against it: nothing is returned that would not
//! be read back the same.

use crate::optionfile::grammar::{self, OptionSpan, Shape};

/// The option line `line` with another value, everything else kept: indentation, the
/// name as written, blanks around `=`, in-line comment, line end. `None` takes the `=`
/// away. The value's quotes stay if it had some; it gets double quotes if it needs
/// them.
///
/// Returns `None` if no server could read such a line as asked (a NUL in the value, a
/// name that hides the `=`), or if `line` is no option line.
pub(super) fn with_value(line: &[u8], value: Option<&[u8]>) -> Option<Vec<u8>> {
    let Shape::Option(span) = grammar::shape(line, false) else {
        return None;
    };
    let (replaced, old) = match &span.value {
        None => (span.name.end..span.name.end, &b""[..]),
        // The place of an empty value is right behind the `=`; blanks stay behind it.
        Some(v) if v.raw.is_empty() => (v.equals + 1..v.equals + 1, &b""[..]),
        Some(v) => (v.raw.clone(), &line[v.raw.clone()]),
    };
    let head = &line[..replaced.start];
    let tail = &line[replaced.end..];
    let is_as_asked = |new: &[u8]| {
        // Same name, the value asked for, the same in-line comment.
        let Shape::Option(read) = grammar::shape(new, false) else {
            return false;
        };
        new[read.name.clone()] == line[span.name.clone()]
            && read_value(new, &read).as_deref() == value
            && new[read.text_end..] == line[span.text_end..]
    };
    let Some(value) = value else {
        let new = [&line[..span.name.end], tail].concat();
        return is_as_asked(&new).then_some(new);
    };
    let equals: &[u8] = if span.value.is_some() { b"" } else { b"=" };
    spellings(value, old)
        .map(|spelling| [head, equals, &spelling, tail].concat())
        .find(|new| !value.contains(&0) && is_as_asked(new))
}

/// A new line `name=value`, or `name` alone, without line end; the value quoted if it
/// needs it. `None` if no server could read it as asked.
pub(super) fn option_line(name: &[u8], value: Option<&[u8]>) -> Option<Vec<u8>> {
    if !grammar::looks_like_option_name(name) {
        return None;
    }
    match value {
        None => Some(name.to_vec()),
        Some(_) => with_value(name, value),
    }
}

/// The ways to write a value, best first: in the quotes it had, bare, in double quotes.
fn spellings(value: &[u8], old: &[u8]) -> impl Iterator<Item = Vec<u8>> {
    let kept = match old {
        [open @ (b'"' | b'\''), .., close] if open == close => Some(quoted(value, *open)),
        _ => None,
    };
    let bare = (!value.contains(&b'\n')).then(|| value.to_vec());
    kept.into_iter().chain(bare).chain(std::iter::once_with(|| quoted(value, b'"')))
}

fn quoted(value: &[u8], quote: u8) -> Vec<u8> {
    let mut text = Vec::with_capacity(value.len() + 2);
    text.push(quote);
    for &byte in value {
        match byte {
            b'\n' => text.extend(b"\\n"),
            b'\r' => text.extend(b"\\r"),
            b'\t' => text.extend(b"\\t"),
            0x08 => text.extend(b"\\b"),
            b'\\' => text.extend(b"\\\\"),
            _ if byte == quote => text.extend([b'\\', byte]),
            _ => text.push(byte),
        }
    }
    text.push(quote);
    text
}

fn read_value(line: &[u8], span: &OptionSpan) -> Option<Vec<u8>> {
    let value = span.value.as_ref()?;
    Some(grammar::value_of(&line[value.raw.clone()]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(line: &str, value: Option<&str>) -> String {
        let new = with_value(line.as_bytes(), value.map(str::as_bytes));
        String::from_utf8(new.unwrap()).unwrap()
    }

    #[test]
    fn all_but_the_value_is_kept() {
        for (line, value, want) in [
            ("port=1\n", Some("2"), "port=2\n"),
            ("  port =  1\t# the port\r\n", Some("2"), "  port =  2\t# the port\r\n"),
            ("port=1#tight\n", Some("2"), "port=2#tight\n"),
            ("port\n", Some("2"), "port=2\n"),
            ("port # c\n", Some("2"), "port=2 # c\n"),
            ("port=   # c\n", Some("2"), "port=2   # c\n"),
            ("port=\r\n", Some("2"), "port=2\r\n"),
            ("port = 1 # c\n", None, "port # c\n"),
            ("port=", None, "port"),
            ("port = 1", Some(""), "port = "),
            ("a='x'\n", Some("y"), "a='y'\n"),
            ("a=\"x\"\n", Some(""), "a=\"\"\n"),
        ] {
            assert_eq!(set(line, value), want, "{line:?} {value:?}");
        }
    }

    #[test]
    fn values_are_quoted_only_when_they_need_it() {
        for (value, want) in [
            ("16M", "a=16M"),
            (r"C:\ProgramData", r"a=C:\ProgramData"),
            (r"C:\new", "a=\"C:\\\\new\""),
            ("x # y", "a=\"x # y\""),
            (" x", "a=\" x\""),
            ("it's", "a=it's"),
            ("\"x\"", r#"a="\"x\"""#),
            ("a\nb", "a=\"a\\nb\""),
            ("say \"hi\"", "a=say \"hi\""),
        ] {
            assert_eq!(set("a=1", Some(value)), want, "{value:?}");
        }
        // An open quote would swallow the comment.
        assert_eq!(set("a=1 # c", Some("it's")), "a=\"it's\" # c");
    }

    #[test]
    fn what_cannot_be_written_is_not_written() {
        assert_eq!(with_value(b"a=1", Some(b"x\0y")), None);
        assert_eq!(with_value(b"[a]", Some(b"x")), None);
        assert_eq!(option_line(b"max connections", Some(b"1")), None);
        assert_eq!(option_line(b"#a", None), None);
    }
}
