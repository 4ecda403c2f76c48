//! What must never leave the file: passwords and keys. Decides by name, errs on the
//! side of hiding.

use std::ops::Range;

use super::grammar;
use super::{Argument, OptionFile};

/// What stands in the place of a secret.
const STARS: &[u8] = b"********";

/// Names that are about passwords without being one.
const HARMLESS: [&str; 9] = [
    "validate_password",
    "mysql_native_password",
    "sha256_password",
    "caching_sha2_password",
    "mysql_old_password",
    "cracklib_password_check",
    "simple_password_check",
    "disconnect_on_expired_password",
    "skip_show_password",
];

/// Whether the value of an option is a secret: `password`, everything that ends in
/// `_password`, `_passwd`, `_passphrase`, `_pwd`, `_token`, `_secret…`, access keys,
/// `wsrep_sst_auth`, `file_key_management_filekey`. Prefixes (`loose-`, `skip-` …),
/// `-`, letter case, and beginnings of `password` that MariaDB's client takes for it
/// (`passw`) are seen through.
pub fn is_secret(name: &[u8]) -> bool {
    // The shortest of them, `pass`. Asked once for every `=` of a line.
    if name.len() < 4 {
        return false;
    }
    let lower: Vec<u8> = name
        .iter()
        .map(|b| match b {
            b'-' => b'_',
            other => other.to_ascii_lowercase(),
        })
        .collect();
    let mut rest: &[u8] = &lower;
    while let Some(shorter) = rest.strip_prefix(b"_") {
        rest = shorter;
    }
    let prefixes = ["skip_", "disable_", "enable_", "maximum_", "loose_", "autoset_"];
    while let Some(shorter) = prefixes.iter().find_map(|p| rest.strip_prefix(p.as_bytes())) {
        rest = shorter;
    }
    // Of `socket.ssl_password` and `hot.password` the last part counts.
    let last = rest.rsplit(|&b| b == b'.').next().unwrap_or(rest);
    if HARMLESS.iter().any(|harmless| last == harmless.as_bytes()) {
        return false;
    }
    let is = |words: &[&str]| words.iter().any(|word| last == word.as_bytes());
    let ends = |words: &[&str]| words.iter().any(|word| last.ends_with(word.as_bytes()));
    is(&[
        "wsrep_sst_auth",
        "file_key_management_filekey",
        "s3_access_key",
        "encrypt_key",
        "pass",
        "passw",
        "passwo",
        "passwor",
    ]) || ends(&[
        "password",
        "password1",
        "password2",
        "password3",
        "passwd",
        "passphrase",
        "_pwd",
        "_token",
        "secret",
        "secret_id",
        "secret_key",
    ])
}

/// Whether an option must not be shown with its value: its name says so, or there is a secret in
/// the value, such as a password in SQL or in a list of settings.
pub fn holds_secret(name: &[u8], value: Option<&[u8]>) -> bool {
    is_secret(name)
        || value.is_some_and(|value| {
            let whole = [name, b"=", value].concat();
            redacted_line(&whole) != whole
        })
}

impl OptionFile {
    /// The file with all secrets replaced by `********`, in-line comments behind them
    /// included; also in commented-out lines, in prose, in lists of settings such as
    /// `wsrep_provider_options`, and in URLs. Lines and line ends stay.
    pub fn redacted(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.as_bytes().len());
        let mut hides_next = false;
        for raw in self.raw_lines() {
            let (text, line_end) = raw.split_at(text_end(raw));
            if std::mem::take(&mut hides_next) {
                bytes.extend_from_slice(STARS);
                hides_next = text.contains(&0);
            } else {
                let shown = redacted_line(text);
                // Some servers glue the next line on behind a NUL.
                hides_next = text.contains(&0) && shown != text;
                bytes.extend_from_slice(&shown);
            }
            bytes.extend_from_slice(line_end);
        }
        bytes
    }
}

impl Argument {
    /// The argument as it may be shown: `--name=value`, or `--name=********` where the
    /// value is a secret.
    pub fn redacted(&self) -> Vec<u8> {
        match &self.value {
            Some(value) if is_secret(&self.name) && !value.is_empty() => {
                [b"--", &self.name[..], b"=", STARS].concat()
            }
            _ => redacted_line(&self.to_bytes()),
        }
    }
}

/// One line of any text (an option file, a server's log) with its secrets replaced by
/// `********`. Without line end.
pub fn redacted_line(text: &[u8]) -> Vec<u8> {
    match secret_start(text) {
        Some(start) => [&text[..start], STARS].concat(),
        None => without_inner_secrets(text),
    }
}

/// Where the line end begins.
fn text_end(raw: &[u8]) -> usize {
    let end = raw.strip_suffix(b"\n").unwrap_or(raw);
    end.strip_suffix(b"\r").unwrap_or(end).len()
}

/// Where the secret begins, if the line has the form `name = secret`, active or not, or
/// mentions such a thing in prose.
fn secret_start(text: &[u8]) -> Option<usize> {
    let value_start = |from: usize| {
        let value = grammar::trim_start(&text[from..]);
        (!value.is_empty()).then_some(text.len() - value.len())
    };
    // `password secret`, the `=` forgotten.
    let name = grammar::trim_start(text);
    let name_start = text.len() - name.len();
    if let Some(len) = name.iter().position(|&b| grammar::is_space(b) || b == b'=')
        && grammar::is_space(name[len])
        && is_secret(&name[..len])
        && grammar::trim_start(&name[len..]).first() != Some(&b'=')
    {
        return value_start(name_start + len);
    }
    // The first `=` or `:` with a secret's name before it.
    let at = text.iter().enumerate().find_map(|(at, byte)| {
        let is_secret = matches!(byte, b'=' | b':') && is_secret(word_before(&text[..at]));
        is_secret.then_some(at)
    })?;
    // Inside a list (`…; socket.ssl_password=x; …`) only that item is to be hidden.
    let before = grammar::trim_end(&text[..at]);
    let is_item = before[..before.len() - word_before(before).len()].contains(&b'=');
    if is_item { None } else { value_start(at + 1) }
}

/// The word that `text` ends with, blanks behind it aside.
fn word_before(text: &[u8]) -> &[u8] {
    let text = grammar::trim_end(text);
    let start =
        text.iter().rposition(|b| !(b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.')));
    &text[start.map_or(0, |at| at + 1)..]
}

/// The line with secrets inside its value replaced.
fn without_inner_secrets(text: &[u8]) -> Vec<u8> {
    let lower = text.to_ascii_lowercase();
    let contains = |needle: &[u8]| lower.windows(needle.len()).position(|w| w == needle);
    // SQL with a password in it (`init_connect`): hide the statement from there on.
    let sql = [&b"identified by"[..], b"password("].into_iter().filter_map(contains).min();
    if let Some(at) = sql {
        return [&text[..at], STARS].concat();
    }
    let mut shown = Vec::with_capacity(text.len());
    let mut from = 0;
    for (at, byte) in text.iter().enumerate() {
        if at < from {
            continue;
        }
        let hidden = match byte {
            b'=' if is_secret(word_before(&text[from..at])) => at + 1..item_end(text, at + 1),
            b':' if text[at..].starts_with(b"://") => password_in_url(text, at + 3),
            _ => continue,
        };
        if !hidden.is_empty() {
            shown.extend_from_slice(&text[from..hidden.start]);
            shown.extend_from_slice(STARS);
            from = hidden.end;
        }
    }
    shown.extend_from_slice(&text[from..]);
    shown
}

/// The end of a list's item that begins at `from`: the next `;`, or the end of the
/// line, the closing quote aside.
fn item_end(text: &[u8], from: usize) -> usize {
    let item = &text[from..];
    let len = item.iter().position(|&b| b == b';').unwrap_or_else(|| match item.last() {
        Some(b'"' | b'\'') => item.len() - 1,
        _ => item.len(),
    });
    from + len
}

/// The password in `user:password@host`, which begins at `from`; an empty range if there
/// is none.
fn password_in_url(text: &[u8], from: usize) -> Range<usize> {
    let is_end = |b: &u8| grammar::is_space(*b) || matches!(b, b'/' | b'"' | b'\'' | b',');
    let rest = &text[from..];
    let authority = &rest[..rest.iter().position(is_end).unwrap_or(rest.len())];
    let host = authority.iter().rposition(|&b| b == b'@').unwrap_or(0);
    match authority[..host].iter().position(|&b| b == b':') {
        Some(colon) => from + colon + 1..from + host,
        None => from..from,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_secrets_are_known_however_they_are_written() {
        for name in [
            "password",
            "PASSWORD",
            "master-password",
            "loose-report_password",
            "wsrep_sst_auth",
            "wsrep-sst-auth",
            "skip-loose-password",
            "authentication_ldap_simple_bind_root_pwd",
            "file_key_management_filekey",
            "s3_secret_key",
            "s3_access_key",
            "passw",
            "loose-group_replication_recovery_password",
            "--password",
            "socket.ssl_password",
            "hashicorp_key_management_token",
            "password1",
        ] {
            assert!(is_secret(name.as_bytes()), "{name}");
        }
        for name in [
            "port",
            "validate_password",
            "validate_password.policy",
            "default_password_lifetime",
            "mysql_native_password",
            "loose-caching-sha2-password",
            "old_passwords",
            "ssl_key",
            "password_history",
            "user",
            "",
            "bypass",
            "max_password_errors",
            "caching_sha2_password_private_key_path",
            "keyring_file_data",
            "wsrep_provider_options",
            "disconnect-on-expired-password",
            "compass",
        ] {
            assert!(!is_secret(name.as_bytes()), "{name}");
        }
    }

    #[test]
    fn secrets_inside_values_count_too() {
        for (name, value) in [
            ("password", None),
            ("init_connect", Some("ALTER USER x IDENTIFIED BY 'geheim'")),
            ("wsrep_provider_options", Some("a=b;socket.ssl_password=geheim")),
            ("wsrep_notify_cmd", Some("mysql://root:geheim@h/")),
        ] {
            assert!(holds_secret(name.as_bytes(), value.map(str::as_bytes)), "{name}");
        }
        for (name, value) in [
            ("init_connect", Some("SET NAMES utf8mb4")),
            ("validate_password.policy", Some("LOW")),
            ("skip_name_resolve", None),
        ] {
            assert!(!holds_secret(name.as_bytes(), value.map(str::as_bytes)), "{name}");
        }
    }

    #[test]
    fn arguments_and_log_lines_can_be_shown_too() {
        let file = OptionFile::parse("[mysqld]\npassword=a b\nport=1\no='x;p.password=y'\n");
        let product = crate::optionfile::Product::mysql(9, 7);
        let read = file.arguments(&product, &crate::optionfile::MemoryLoader::new());
        let shown: Vec<_> = read.unwrap().list.iter().map(Argument::redacted).collect();
        assert_eq!(shown, [&b"--password=********"[..], b"--port=1", b"--o=x;p.password=********"]);
        assert_eq!(
            redacted_line(b"[ERROR] unknown variable 'master-password=geheim'."),
            b"[ERROR] unknown variable 'master-password=********"
        );
    }

    #[test]
    fn secrets_are_starred_and_nothing_else_changes() {
        for (line, want) in [
            ("password = geheim # old: alt\r\n", "password = ********\r\n"),
            ("password=\n", "password=\n"),
            ("#password=geheim\n", "#password=********\n"),
            ("; loose-master_password = 'x'\n", "; loose-master_password = ********\n"),
            ("## the password: geheim\n", "## the password: ********\n"),
            ("wsrep_sst_auth=\"sst:geheim\"", "wsrep_sst_auth=********"),
            ("port=3306 # password\n", "port=3306 # password\n"),
            ("validate_password.length=8\n", "validate_password.length=8\n"),
            ("sql_mode=A,B\n", "sql_mode=A,B\n"),
            (
                "wsrep_provider_options=\"gcache.size=1G; socket.ssl_password=geheim; a=b\"\n",
                "wsrep_provider_options=\"gcache.size=1G; socket.ssl_password=********; a=b\"\n",
            ),
            ("x=mysql://root:geheim@h/db\n", "x=mysql://root:********@h/db\n"),
            ("x=mysql://root@h:3306/db\n", "x=mysql://root@h:3306/db\n"),
            (
                "init_connect=\"ALTER USER x IDENTIFIED BY 'geheim'\"\n",
                "init_connect=\"ALTER USER x ********\n",
            ),
            ("!include /etc/password=x\n", "!include /etc/password=********\n"),
            ("password=a\0b\nc\nd\n", "password=********\n********\nd\n"),
            ("password geheim\n", "password ********\n"),
            ("# password is what you need\n", "# password is what you need\n"),
            ("o=\"a=1;ssl_password=x=y,z\"\n", "o=\"a=1;ssl_password=********\"\n"),
            ("o=a=1,b.password=geheim\n", "o=a=1,b.password=********\n"),
            ("x=a://u:p@h/,b://v:q@i/\n", "x=a://u:********@h/,b://v:********@i/\n"),
        ] {
            let got = OptionFile::parse(line).redacted();
            assert_eq!(String::from_utf8_lossy(&got), want, "{line:?}");
        }
    }
}
