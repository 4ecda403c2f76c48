//! The known answers: for each line of the grammar a file and what a server gets from it. A `{dir}`
//! in a file stands for the directory of the case.

use std::fs::{Permissions, set_permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use cnfsweep::optionfile::{Product, Vendor};

use super::generator::Case;

/// One file, those it includes, and the answer.
pub struct Row {
    pub name: &'static str,
    files: Vec<(&'static str, Vec<u8>)>,
    /// The arguments as they are printed, or the line that is refused.
    pub want: Result<Vec<u8>, usize>,
    /// What else has to be done to the case's directory before it is read.
    pub prepare: fn(&Path),
    /// It has a directory `d` that may not be read.
    pub is_closed: bool,
}

impl Row {
    /// The case for a directory.
    pub fn case(&self, dir: &Path) -> Case {
        let dir = dir.to_str().expect("ASCII").to_owned();
        let files = self
            .files
            .iter()
            .map(|(name, text)| ((*name).to_owned(), replaced(text, b"{dir}", dir.as_bytes())));
        Case { files: files.collect(), dir }
    }

    /// What a server is to print; none if it is to refuse the file.
    pub fn wanted(&self, case: &Case) -> Option<Vec<u8>> {
        self.want.as_ref().ok().map(|text| replaced(text, b"{dir}", case.dir.as_bytes()))
    }

    /// A file that it may include.
    fn with(mut self, name: &'static str, content: impl AsRef<[u8]>) -> Self {
        self.files.push((name, content.as_ref().to_vec()));
        self
    }

    /// Another base file.
    fn instead(mut self, base: &str) -> Self {
        base.as_bytes().clone_into(&mut self.files[0].1);
        self
    }

    fn prepared(mut self, prepare: fn(&Path)) -> Self {
        self.prepare = prepare;
        self
    }

    fn closed(mut self) -> Self {
        self.prepare = |dir| mode(&dir.join("d"), 0);
        self.is_closed = true;
        self
    }

    fn gives(mut self, arguments: &[&str]) -> Self {
        let lines: Vec<u8> =
            arguments.iter().flat_map(|a| [a.as_bytes(), b"\n"].concat()).collect();
        self.want = Ok(lines);
        self
    }

    fn refused_at(mut self, line: usize) -> Self {
        self.want = Err(line);
        self
    }
}

/// Makes a directory `d` that was closed one that can be removed.
pub fn open(dir: &Path) {
    mode(&dir.join("d"), 0o755);
}

/// A file as it is.
fn whole(name: &'static str, base: impl AsRef<[u8]>) -> Row {
    let files = vec![("base.cnf", base.as_ref().to_vec())];
    Row { name, files, want: Ok(Vec::new()), prepare: |_| (), is_closed: false }
}

/// Lines below `[mysqld]`.
fn lines(name: &'static str, below: impl AsRef<[u8]>) -> Row {
    whole(name, [b"[mysqld]\n", below.as_ref(), b"\n"].concat())
}

fn replaced(text: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    let mut new = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.windows(from.len()).position(|window| window == from) {
        new.extend_from_slice(&rest[..at]);
        new.extend_from_slice(to);
        rest = &rest[at + from.len()..];
    }
    new.extend_from_slice(rest);
    new
}

/// All that concern the file layer.
pub fn rows(product: &Product) -> Vec<Row> {
    [of_lines(), of_headers(), of_bytes(product), of_includes(product), of_directories(product)]
        .into_iter()
        .flatten()
        .collect()
}

fn of_lines() -> Vec<Row> {
    let mut rows =
        vec![
            lines("1: blanks", "  max_connections   =   77   ").gives(&["--max_connections=77"]),
            lines("2: spellings", "max-connections=1\nmax_connections=2\nmax_con-nections=3")
                .gives(&["--max-connections=1", "--max_connections=2", "--max_con-nections=3"]),
            lines("3: bare options", "skip-name-resolve\nlow-priority-updates")
                .gives(&["--skip-name-resolve", "--low-priority-updates"]),
            lines("4: empty values", "plugin-dir=\nftb=   ").gives(&["--plugin-dir=", "--ftb="]),
            lines("5: comments behind", "port=3310 # the port\nport=3311#tight")
                .gives(&["--port=3310", "--port=3311"]),
            lines("6: a semicolon behind", "port=3312 ; semi").gives(&["--port=3312 ; semi"]),
            lines("7: a quoted #", "init-connect=\"SET @a='x#y'\" # tail")
                .gives(&["--init-connect=SET @a='x#y'"]),
            lines("8: an apostrophe", "report-host=it's # not cut\nreport-host=its # cut")
                .gives(&["--report-host=it's # not cut", "--report-host=its"]),
            lines("10: comments", "   # three\n\t; four\n#a=1\n;a=2\nmax_connections=4")
                .gives(&["--max_connections=4"]),
            lines("40: no names", "=5\nmax connections=5\nport 3306\n--port=1").gives(&[
                "--=5",
                "--max connections=5",
                "--port 3306",
                "----port=1",
            ]),
            lines("41: twice", "slow_query_log=1\nslow_query_log=yes")
                .gives(&["--slow_query_log=1", "--slow_query_log=yes"]),
            lines("section 3.6: the first =", "x==y").gives(&["--x==y"]),
            lines("54: old names", "loose-foo=1\nset-variable=port=1")
                .gives(&["--loose-foo=1", "--set-variable=port=1"]),
        ];
    let values = [
        ("11: quotes", "\"x y\"", "x y"),
        ("11: single quotes", "'x y'", "x y"),
        ("11: an open quote", "\"x", "\"x"),
        ("11: one quote", "\"", "\""),
        ("11: an empty string", "\"\"", ""),
        ("11: text behind", "\"x\"y", "\"x\"y"),
        ("11: unlike quotes", "\"a'", "\"a'"),
        ("12: blanks in quotes", "\"  x  \"", "  x  "),
        ("13: escapes", r#"p\sq\tr\\s\'t\"u"#, "p q\tr\\s't\"u"),
        ("14: a path of Windows", r"C:\ProgramData\new\table", "C:\\ProgramData\new\table"),
        ("15: a backslash at the end", r"end\", r"end\"),
        ("15: no escapes", r"\q\x", r"\q\x"),
        ("16: an escaped blank", r"trail\s", "trail "),
        ("44: a quoted number", "\"16M\"", "16M"),
    ];
    for (name, written, read) in values {
        rows.push(lines(name, format!("a={written}")).gives(&[&format!("--a={read}")]));
    }
    rows
}

fn of_headers() -> Vec<Row> {
    vec![
        whole("18: no group", "max_connections=5\n[mysqld]\nport=1").refused_at(1),
        whole("18: no group, later", "# c\n\n;d\nport=1\n[mysqld]\n").refused_at(4),
        whole("19: no bracket", "[mysqld]\nport=1\n[mysqld\nport=2").refused_at(3),
        whole("19: no bracket elsewhere", "[client]\nport=1\n[x\n[mysqld]\n").refused_at(3),
        lines("20: behind the bracket", "[mysqld] # c = y\nport=1\n[mysqld]junk\nport=2")
            .gives(&["--port=1", "--port=2"]),
        whole("21: blanks and case", "[ mysqld]\nport=1\n[mysqld ]\nport=2\n[MYSQLD]\nport=3\n")
            .gives(&["--port=2", "--port=3"]),
        whole(
            "24: groups of programs",
            "[client]\nport=1\n[mysqld_safe]\nport=2\n[mysqld]\nport=3\n[mysqldump]\nquick\n",
        )
        .gives(&["--port=3"]),
        whole("24: order", "[server]\nport=1\n[mysqld]\nport=2\n[server]\nport=3\n")
            .gives(&["--port=1", "--port=2", "--port=3"]),
        whole("section 2: no name", "[]\nport=1\n[  ]\nport=2\n"),
        whole("an empty file", ""),
    ]
}

fn of_bytes(product: &Product) -> Vec<Row> {
    let is_mysql = product.vendor == Vendor::MySql;
    let groups = [
        "mysqld-9.7",
        "mysqld-8.4",
        "mysqld-11.8",
        "mariadb",
        "mariadb-11.8",
        "mariadb-11",
        "mariadbd",
        "mariadbd-11.8",
        "mariadb-10.11",
        "client-server",
        "galera",
        "mysql_cluster",
        "mariadb-server",
    ];
    let text: String = groups.iter().map(|group| format!("[{group}]\na={group}\n")).collect();
    let read: &[&str] = match (product.vendor, product.major, product.minor) {
        (Vendor::MySql, ..) => &["--a=mysqld-9.7", "--a=mysql_cluster"],
        (_, 11, _) => &[
            "--a=mysqld-11.8",
            "--a=mariadb",
            "--a=mariadb-11.8",
            "--a=mariadb-11",
            "--a=mariadbd",
            "--a=mariadbd-11.8",
            "--a=client-server",
            "--a=galera",
        ],
        (_, _, 11) => {
            &["--a=mariadb", "--a=mariadbd", "--a=mariadb-10.11", "--a=client-server", "--a=galera"]
        }
        _ => &["--a=mariadb", "--a=mariadbd", "--a=client-server", "--a=galera"],
    };
    let nul: &[&str] = if is_mysql { &["--port=1user=x"] } else { &["--port=1", "--user=x"] };
    let long = format!("#{}port=1", "x".repeat(4093));
    let value = "v".repeat(200_000);
    let whole_value = format!("--a={value}");
    let mut rows = vec![
        whole("23: groups of versions", text).gives(read),
        whole("26: CRLF", "[mysqld]\r\ndatadir=\"C:/x\"\r\n").gives(&["--datadir=C:/x"]),
        whole("27: byte order mark", "\u{feff}[mysqld]\nport=1\n").refused_at(1),
        whole("27: byte order mark, comment", "\u{feff}# hello\n[mysqld]\n").refused_at(1),
        whole("29: CR alone", "[mysqld]\rport=1\ruser=x\r"),
        lines("section 3: NUL", "port=1\0junk\nuser=x").gives(nul),
        lines("section 3: a long comment", long).gives(if is_mysql { &[] } else { &["--port=1"] }),
        whole("section 3: no newline", "[mysqld]\nport=1").gives(&["--port=1"]),
        whole("section 3: the blank of latin1", b"\xA0[mysqld]\n\xA0port\xA0=\xA01\xA0\n")
            .gives(&["--port=1"]),
        lines("section 3: the blank of UTF-8", "a=1\u{a0}"),
    ];
    // Its last byte is trimmed, and no text is left.
    if let Some(row) = rows.last_mut() {
        row.want = Ok(b"--a=1\xC2\n".to_vec());
    }
    if is_mysql {
        rows.push(lines("section 3: a long value", format!("a={value}")).gives(&[&whole_value]));
    }
    rows
}

const GOOD: &str = "[mysqld]\nport=2\n";

fn of_includes(product: &Product) -> Vec<Row> {
    let is_mysql = product.vendor == Vendor::MySql;
    let three = &["--port=1", "--port=2", "--port=3"][..];
    let around =
        |name, line: &str| lines(name, format!("port=1\n{line}\nport=3")).with("good.cnf", GOOD);
    let outer = &["--port=1", "--port=3"][..];
    let only_mysql = if is_mysql { three } else { outer };
    let has_marks = product.has_question_mark_includes();
    let long = |length: usize| {
        // Of the path there are `/tmp/oracle-` and six letters, `/in/` and six digits, `/`.
        let dir = "/tmp/oracle-123456/in/123456/".len();
        let rest = length - dir - "good.cnf".len();
        let odd = if rest.is_multiple_of(2) { "" } else { "/" };
        format!("!include {{dir}}/{odd}{}good.cnf", "./".repeat(rest / 2))
    };
    vec![
        whole("32: no newline", "[mysqld]\nport=1\n!include {dir}/good.cnf")
            .with("good.cnf", GOOD)
            .gives(if is_mysql { &three[..2] } else { &three[..1] }),
        around("33: the group goes on", "!include {dir}/good.cnf").gives(three),
        around("34: no group in the included file", "!include {dir}/bad.cnf")
            .with("bad.cnf", "port=7\n[mysqld]\nport=8\n")
            .gives(outer),
        around("34: broken half-way", "!include {dir}/half.cnf")
            .with("half.cnf", "[mysqld]\nport=2\n[mysqld\nport=8\n")
            .gives(three),
        around("35: missing", "!include {dir}/missing.cnf").gives(outer),
        around("35: missing directory", "!includedir {dir}/missing").refused_at(3),
        around("35: missing directory in an included file", "!include {dir}/middle.cnf")
            .with("middle.cnf", "[mysqld]\nport=2\n!includedir /missing\nport=9\n")
            .gives(three),
        around("37: quotes", "!include \"{dir}/good.cnf\"").gives(outer),
        around("38: another word", "!require {dir}/good.cnf").gives(outer),
        around("38: capitals", "!INCLUDE {dir}/good.cnf").gives(outer),
        around("no argument", "!include").refused_at(3),
        around("no argument, a blank", "!includedir ").refused_at(3),
        around("blanks", "  ! \tinclude \t {dir}/good.cnf \t").gives(three),
        around("before any group", "")
            .instead("!include {dir}/good.cnf\n[mysqld]\nport=3\n")
            .gives(&three[1..]),
        around("from another group", "[client]\n!include {dir}/good.cnf\nuser=x\n[mysqld]")
            .gives(three),
        around("a comment behind the path", "!include {dir}/good.cnf # c").gives(only_mysql),
        around("relative", "!include good.cnf").gives(three),
        around("relative to the first file", "!include {dir}/sub/middle.cnf")
            .with("sub/middle.cnf", "[mysqld]\n!include good.cnf\n")
            .gives(three),
        around("at home", "!include ~/good.cnf").gives(three),
        around("a directory", "!include {dir}/sub").with("sub/x.cnf", GOOD).gives(outer),
        around("508 bytes", &long(508)).gives(three),
        around("509 bytes", &long(509)).gives(outer),
        around("world-writable", "!include {dir}/good.cnf")
            .prepared(|dir| mode(&dir.join("good.cnf"), 0o666))
            .gives(outer),
        lines("55: world-writable", "port=1").prepared(|dir| mode(&dir.join("base.cnf"), 0o666)),
        lines("itself", "port=1\n!include {dir}/base.cnf").gives(&["--port=1"; 11]),
        around("a question mark", "?include {dir}/good.cnf").gives(if has_marks {
            three
        } else {
            &["--port=1", "--?include {dir}/good.cnf", "--port=3"]
        }),
    ]
}

fn of_directories(product: &Product) -> Vec<Row> {
    let is_mysql = product.vendor == Vendor::MySql;
    let has_marks = product.has_question_mark_includes();
    let names = [
        "d/a.cnf",
        "d/A.cnf",
        "d/2-b.cnf",
        "d/10-a.cnf",
        "d/.hid.cnf",
        "d/w.bak.cnf",
        "d/.cnf",
        "d/x.cnf.bak",
        "d/y.CNF",
        "d/q.conf",
        "d/z.ini",
        "d/cnf",
        "d/sub.cnf/in.cnf",
    ];
    let around = |name, line: &str| {
        let row = lines(name, format!("a=first\n{line}\na=last"));
        names.iter().fold(row, |row, name| row.with(name, format!("[mysqld]\na={name}\n")))
    };
    let read: Vec<&str> = "--a=first --a=d/.cnf --a=d/.hid.cnf --a=d/10-a.cnf --a=d/2-b.cnf \
                           --a=d/A.cnf --a=d/a.cnf --a=d/w.bak.cnf --a=last"
        .split_whitespace()
        .collect();
    let nothing = &["--a=first", "--a=last"][..];
    let as_option = &["--a=first", "--?includedir {dir}/d", "--a=last"][..];
    let mut rows = vec![
        around("a directory's files", "!includedir {dir}/d").gives(&read),
        around("a slash behind", "!includedir {dir}/d/").gives(&read),
        around("relative directory", "!includedir d").gives(&read),
        around("an empty directory", "!includedir {dir}/d/sub.cnf/none")
            .prepared(|dir| std::fs::create_dir(dir.join("d/sub.cnf/none")).expect("new"))
            .gives(nothing),
        around("a comment behind a directory", "!includedir {dir}/d # c"),
        around("a directory that is closed", "!includedir {dir}/d").closed().refused_at(3),
        around("a question mark, directory", "?includedir {dir}/d").gives(if has_marks {
            &read
        } else {
            as_option
        }),
        around("a question mark, closed", "?includedir {dir}/d").closed().gives(if has_marks {
            nothing
        } else {
            as_option
        }),
    ];
    let commented = &mut rows[4];
    commented.want = Err(3);
    if is_mysql {
        let lines: Vec<u8> = read.iter().flat_map(|a| [a.as_bytes(), b"\n"].concat()).collect();
        commented.want = Ok(lines);
    }
    rows
}

fn mode(path: &Path, mode: u32) {
    set_permissions(path, Permissions::from_mode(mode)).expect("a mode");
}
