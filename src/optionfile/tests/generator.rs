//! Option files that like corners: quotes, escapes, odd blanks, NUL, overlong lines,
//! strange headers, includes of all sorts. The same seed gives the same files.
//!
//! Uses nothing but std, so that the container tests, which compare with the real
//! `my_print_defaults`, take this very file in by `#[path]`.

use std::collections::BTreeMap;
use std::fmt;

/// A base file and what it includes.
#[derive(Clone)]
pub struct Case {
    /// Where everything is, without a slash at the end.
    pub dir: String,
    /// The content by name below `dir`; the base file is `base.cnf`.
    pub files: BTreeMap<String, Vec<u8>>,
}

impl fmt::Debug for Case {
    /// The files as escaped text.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, content) in &self.files {
            writeln!(f, "{}/{name}: {}", self.dir, content.escape_ascii())?;
        }
        Ok(())
    }
}

/// How wild a case is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wildness {
    /// What an editor could have written: no NUL, no line longer than 4000 bytes.
    Tame,
    /// Everything.
    Wild,
}

/// A stream of numbers (xorshift64*), good enough to choose corners.
#[derive(Debug, Clone)]
pub struct Dice(u64);

impl Dice {
    /// A stream for a seed.
    pub fn new(seed: u64) -> Dice {
        let mut dice = Dice(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
        for _ in 0..4 {
            dice.next();
        }
        dice
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    /// A number below `n`.
    pub fn below(&mut self, n: usize) -> usize {
        (self.next() >> 33) as usize % n
    }

    /// True once in `n` times.
    pub fn once_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    /// One of them.
    pub fn pick<'a>(&mut self, of: &[&'a [u8]]) -> &'a [u8] {
        of[self.below(of.len())]
    }
}

const HEADERS: &[&[u8]] = &[
    b"[mysqld]",
    b"[mysqld]",
    b"[mysqld]",
    b"[mysqld]",
    b"[server]",
    b"[MYSQLD]",
    b"[MySqld]",
    b"[client]",
    b"[mysqld_safe]",
    b"[mysqldump]",
    b"[ mysqld]",
    b"[mysqld ]",
    b"[mysqld\t \xA0]",
    b"[mysqld]junk",
    b"[mysqld] # c = y",
    b"  [mysqld]",
    b"\xA0[mysqld]",
    b"[mysqld-9.7]",
    b"[mysqld-8.4]",
    b"[mysqld-11.8]",
    b"[mysqld-10.11]",
    b"[mysqld-10.5]",
    b"[mysqld-11]",
    b"[mariadb]",
    b"[mariadb-11.8]",
    b"[mariadb-11]",
    b"[mariadb-10]",
    b"[mariadb-10.11]",
    b"[mariadb-10.5]",
    b"[mariadbd]",
    b"[mariadbd-11.8]",
    b"[mariadbd-11]",
    b"[mariadbd-10.5]",
    b"[client-server]",
    b"[galera]",
    b"[mysql_cluster]",
    b"[mariadb-server]",
    b"[]",
    b"[  ]",
    b"[[mysqld]]",
    b"[mysqld]]",
    b"[mysqld#]",
    b"[\"mysqld\"]",
    b"[mysqld1]",
    b"[#1#]",
];

const NAMES: &[&[u8]] = &[
    b"port",
    b"max_connections",
    b"skip-name-resolve",
    b"init-connect",
    b"a",
    b"B-c_d",
    b"user",
    b"optimizer_switch",
    b"loose-x.y",
    b"max connections",
    b"it's",
    b"\"q",
    b"'q'",
    b"",
    b"--port",
    b"set-variable",
    b"n\xC3\xA4me",
    b"?x",
    b"a!b",
    b"a[b]",
    b"password",
    b"\xC2\xA0port",
];

const EQUALS: &[&[u8]] =
    &[b"=", b"=", b"=", b" = ", b"\t=\t", b"==", b"= ", b" =", b"\xA0=\xA0", b"\x0b=\x0c", b"=\r"];

const PIECES: &[&[u8]] = &[
    b"a",
    b"b",
    b"1",
    b"16M",
    b"ON",
    b"x y",
    b" ",
    b"  ",
    b"\t",
    b"'",
    b"\"",
    b"''",
    b"\"\"",
    b"#",
    b" # c",
    b";",
    b"=",
    b"\\",
    b"\\\\",
    b"\\n",
    b"\\t",
    b"\\r",
    b"\\b",
    b"\\s",
    b"\\'",
    b"\\\"",
    b"\\q",
    b"\\#",
    b"\xA0",
    b"\xC2\xA0",
    b"\xC3\xA9",
    b"\r",
    b"\x0b",
    b"\x0c",
    b"\x08",
    b"[",
    b"]",
    b"!",
    b"C:\\new\\table",
    b"/var/lib/mysql",
    b"@x:='y#z'",
    b"it's",
];

const BLANKS: &[&[u8]] =
    &[b"", b"", b"", b"", b"", b" ", b"  ", b"\t", b"\xA0", b"\r", b"\x0b\x0c"];

/// The case for a seed, its files below `dir`.
pub fn case(seed: u64, dir: &str, wildness: Wildness) -> Case {
    let mut maker =
        Maker { dice: Dice::new(seed), dir: dir.to_owned(), wildness, includes_left: 0 };
    let mut files = BTreeMap::new();
    let with_includes = maker.dice.once_in(3);
    maker.includes_left = if with_includes { 3 } else { 0 };
    files.insert("base.cnf".to_owned(), maker.file());
    if with_includes {
        for name in ["inc0.cnf", "inc1.cnf", "inc 2.cnf", "inc#3.cnf"] {
            maker.includes_left = usize::from(maker.dice.once_in(3));
            files.insert(name.to_owned(), maker.file());
        }
        for name in [
            ".cnf",
            ".hid.cnf",
            "10-a.cnf",
            "2-b.cnf",
            "A.cnf",
            "a.cnf",
            "w.bak.cnf",
            "x.cnf.bak",
            "y.CNF",
            "q.conf",
            "z.ini",
            "cnf",
            "sub.cnf/in.cnf",
        ] {
            if maker.dice.once_in(2) {
                maker.includes_left = 0;
                let content = maker.small_file();
                files.insert(format!("conf.d/{name}"), content);
            }
        }
    }
    for content in files.values_mut() {
        avoid_crashes(content);
    }
    Case { dir: dir.to_owned(), files }
}

/// Indented lines that begin with `=` make servers overrun a buffer and crash now and
/// then (`reader.rs`), so that there is nothing to compare with: they get a name.
fn avoid_crashes(content: &mut [u8]) {
    let is_blank = |b: &u8| matches!(b, b' ' | b'\t' | 0x0b..=b'\r' | 0xA0);
    for line in content.split_mut(|&b| b == b'\n') {
        // Where MariaDB cuts, a line begins too.
        for piece in line.chunks_mut(4094) {
            let blanks = piece.iter().take_while(|b| is_blank(b)).count();
            if piece.get(blanks) == Some(&b'=') {
                piece[..blanks].fill(b'x');
            }
        }
    }
}

struct Maker {
    dice: Dice,
    dir: String,
    wildness: Wildness,
    includes_left: usize,
}

impl Maker {
    fn file(&mut self) -> Vec<u8> {
        let mut file = Vec::new();
        if self.dice.once_in(60) {
            file.extend(b"\xEF\xBB\xBF");
        }
        let eol: &[u8] = if self.dice.once_in(6) { b"\r\n" } else { b"\n" };
        // Rarely nothing but options: those files are refused and teach little.
        let begins_with_header = !self.dice.once_in(12);
        if begins_with_header {
            for _ in 0..self.dice.below(3) {
                let line = self.harmless();
                self.end_line(&mut file, &line, eol);
            }
            if self.dice.once_in(8) {
                let line = self.directive();
                self.end_line(&mut file, &line, eol);
            }
            let line = if self.dice.once_in(3) {
                self.dice.pick(HEADERS).to_vec()
            } else {
                b"[mysqld]".to_vec()
            };
            self.end_line(&mut file, &line, eol);
        }
        for _ in 0..1 + self.dice.below(14) {
            let line = self.line();
            self.end_line(&mut file, &line, eol);
        }
        if self.dice.once_in(4) {
            while file.last().is_some_and(|b| matches!(b, b'\n' | b'\r')) {
                file.pop();
            }
        }
        file
    }

    fn small_file(&mut self) -> Vec<u8> {
        let mut file = b"[mysqld]\n".to_vec();
        for _ in 0..1 + self.dice.below(3) {
            let line = self.line();
            self.end_line(&mut file, &line, b"\n");
        }
        file
    }

    fn end_line(&mut self, file: &mut Vec<u8>, line: &[u8], eol: &[u8]) {
        file.extend(line);
        if self.wildness == Wildness::Wild && self.dice.once_in(80) {
            file.push(0);
        }
        file.extend(match self.dice.below(60) {
            0 => &b"\r"[..],
            1 => b"\n\r",
            2 => b"\r\r\n",
            _ => eol,
        });
    }

    fn line(&mut self) -> Vec<u8> {
        let line = match self.dice.below(40) {
            0..=4 => self.harmless(),
            5..=8 => self.dice.pick(HEADERS).to_vec(),
            9..=11 => self.directive(),
            12 if self.dice.once_in(8) => b"[mysqld".to_vec(),
            13 => self.junk(12),
            _ => self.option(),
        };
        if self.wildness == Wildness::Tame {
            return line;
        }
        match self.dice.below(50) {
            0 => self.stretched(line),
            1 => self.with_nul(line),
            _ => line,
        }
    }

    fn harmless(&mut self) -> Vec<u8> {
        let mut line = self.dice.pick(BLANKS).to_vec();
        match self.dice.below(4) {
            0 => {}
            1 => {
                line.push(b';');
                line.extend(self.junk(6));
            }
            2 => {
                line.extend(self.dice.pick(&[b"#", b"# ", b"##", b"#\t"]));
                line.extend(self.option());
            }
            _ => {
                line.push(b'#');
                line.extend(self.junk(8));
            }
        }
        line
    }

    fn option(&mut self) -> Vec<u8> {
        let mut line = self.dice.pick(BLANKS).to_vec();
        let name =
            if self.dice.once_in(2) { self.dice.pick(&NAMES[..8]) } else { self.dice.pick(NAMES) };
        line.extend(name);
        if !self.dice.once_in(6) {
            line.extend(self.dice.pick(EQUALS));
            let quote = self.dice.pick(&[b"", b"", b"", b"'", b"\""]);
            line.extend(quote);
            line.extend(self.junk(7));
            if !self.dice.once_in(8) {
                line.extend(quote);
            }
        }
        line.extend(self.dice.pick(BLANKS));
        if self.dice.once_in(5) {
            line.extend(self.dice.pick(&[b"# tail", b" # it's", b"#\"", b" ; no"]));
        }
        line
    }

    fn junk(&mut self, most: usize) -> Vec<u8> {
        let mut junk = Vec::new();
        for _ in 0..self.dice.below(most) {
            junk.extend(self.dice.pick(PIECES));
        }
        junk
    }

    fn directive(&mut self) -> Vec<u8> {
        let mut line = self.dice.pick(BLANKS).to_vec();
        if self.includes_left == 0 || self.dice.once_in(10) {
            line.extend(self.dice.pick(&[
                b"!require /x",
                b"!INCLUDE /x",
                b"!",
                b"! include",
                b"!includedirs /x",
                b"?foo /x",
                b"?",
                b"!include",
                b"!includedir",
                b"!include /nowhere/x.cnf",
                b"!include\t/no#x",
                b"?include /nowhere/x.cnf",
                b"!include '/nowhere/x.cnf'",
            ]));
            if self.dice.once_in(30) {
                line.extend(self.dice.pick(&[b" ", b" # c", b" /nowhere"]));
            }
            return line;
        }
        self.includes_left -= 1;
        line.extend(self.dice.pick(&[b"!", b"!", b"!", b"!", b"! ", b"!\t", b"?"]));
        let is_dir = self.dice.once_in(3);
        line.extend(if is_dir { &b"includedir"[..] } else { b"include" });
        line.extend(self.dice.pick(&[b" ", b" ", b" ", b"\t", b"  ", b"\xA0"]));
        let path = if is_dir {
            self.dice.pick(&[b"/conf.d", b"/conf.d", b"/conf.d/", b"/conf.d/sub.cnf", b"/none"])
        } else {
            self.dice.pick(&[
                b"/inc0.cnf",
                b"/inc0.cnf",
                b"/inc1.cnf",
                b"/inc 2.cnf",
                b"/inc#3.cnf",
                b"/missing.cnf",
                b"/conf.d",
                b"/conf.d/a.cnf",
                b"/base.cnf",
            ])
        };
        match self.dice.below(8) {
            // Relative, or in the home directory.
            0 => line.extend(&path[1..]),
            1 => {
                line.push(b'~');
                line.extend(path);
            }
            _ => {
                line.extend(self.dir.as_bytes());
                line.extend(path);
            }
        }
        line.extend(self.dice.pick(&[b"", b"", b"", b"", b" ", b" # c", b"#c", b"\t\xA0"]));
        line
    }

    /// The line made so long that it ends around a place where servers cut.
    fn stretched(&mut self, line: Vec<u8>) -> Vec<u8> {
        let cut = [4094, 4094, 4095, 8188, 8190, 12_282][self.dice.below(6)];
        let length = cut - 4 + self.dice.below(9);
        let fill = self.dice.pick(&[b"x", b" ", b"#", b"\\", b"'", b"\xA0", b"xy z"]);
        let mut long = line;
        if self.dice.once_in(3) {
            long.insert(0, b'#');
        }
        let tail = self.option();
        while long.len() < length {
            long.extend(fill);
        }
        long.truncate(length);
        if self.dice.once_in(2) {
            long.extend(tail);
        }
        long
    }

    fn with_nul(&mut self, mut line: Vec<u8>) -> Vec<u8> {
        let at = self.dice.below(line.len() + 1);
        line.insert(at, 0);
        line
    }
}
