//! What cnfsweep says a server gets from its option files, against the real `my_print_defaults` of
//! each server: the known answers of the grammar, files in the manner of real ones, and generated
//! files that like corners.
//!
//! `CNFSWEEP_ORACLE_FILES` is the number of generated files (2,000; `make soak` takes 20,000) and
//! `CNFSWEEP_ORACLE_SEED` the first one's seed.

#![expect(clippy::print_stdout, reason = "how many files agreed")]

mod batch;
#[path = "../../src/optionfile/tests/generator.rs"]
#[allow(dead_code, reason = "made for the unit tests, too")]
mod generator;
mod known;

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use cnfsweep::optionfile::{MemoryLoader, OptionFile, Product};

use crate::servers::Server;
use batch::{Answer, Batch, write};
use generator::{Case, Wildness};

on!(groups: mysql_9_7, mariadb_11_8, mariadb_10_11, mariadb_10_5);
on!(known_answers: mysql_9_7, mariadb_11_8, mariadb_10_11, mariadb_10_5);
on!(real_files: mysql_9_7, mariadb_11_8, mariadb_10_11, mariadb_10_5);
on!(generated: mysql_9_7, mariadb_11_8, mariadb_10_11, mariadb_10_5);

/// Files that one container reads.
const BATCH: usize = 2_000;
/// Every so many files the binary is asked, too.
const BINARY_EVERY: usize = 20;

/// The groups that we believe a server reads are those that it says it reads.
async fn groups(server: Server) {
    let said = Batch::new(server).run(
        "$(command -v mariadbd || command -v mysqld) --no-defaults --verbose --help 2>/dev/null \
         | grep -m 1 'groups are read: '",
        &[],
    );
    let list = said.split_once("groups are read: ").expect("the list").1;
    let mut theirs: Vec<&str> = list.split_whitespace().collect();
    let product = product(server);
    let groups = product.server_groups();
    let mut ours: Vec<&str> = groups.iter().map(String::as_str).collect();
    theirs.sort_unstable();
    ours.sort_unstable();
    assert_eq!(ours, theirs);
}

/// What the document of the grammar says, what the tool says, and what the binary says.
async fn known_answers(server: Server) {
    let product = product(server);
    let mut batch = Batch::new(server);
    let rows = known::rows(&product);
    for (index, row) in rows.iter().enumerate() {
        batch.add(&row.case(&batch.dir(index)));
        (row.prepare)(&batch.dir(index));
    }
    let answers = batch.ask();
    let mut wrong = Wrong::default();
    for (index, (row, theirs)) in rows.iter().zip(&answers).enumerate() {
        let case = row.case(&batch.dir(index));
        wrong.compare(row.name, &case, row.wanted(&case).as_deref(), theirs);
        // To us nothing is closed if we are root; the container's root has no such powers.
        if !(row.is_closed && rustix::process::geteuid().is_root()) {
            let ours = binary(&batch.dir(index), &product);
            wrong.compare(&format!("{}, binary", row.name), &case, ours.as_deref(), theirs);
        }
        if row.is_closed {
            known::open(&batch.dir(index));
        }
        if let (Err(line), Some(said)) = (&row.want, told_line(theirs)) {
            assert_eq!(*line, said, "{}: the line that is refused", row.name);
        }
    }
    wrong.report(rows.len(), 0);
}

/// The files of `tests/fixtures/cnf`, with what they include.
async fn real_files(server: Server) {
    let product = product(server);
    let mut batch = Batch::new(server);
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/cnf");
    let mut loader = MemoryLoader::new().with_dir("/etc/mysql");
    for (name, content) in files_below(&fixtures.join("etc-mysql")) {
        write(&batch.etc().join(&name), &content);
        loader = loader.with_file(format!("/etc/mysql/{name}"), content);
    }
    let mut cases = Vec::new();
    for (name, content) in files_below(&fixtures) {
        if !name.contains('/') {
            let dir = batch.next_dir();
            let case = Case { dir, files: [("base.cnf".to_owned(), content)].into() };
            batch.add(&case);
            cases.push((name, case));
        }
    }
    assert!(cases.len() > 30, "{}", cases.len());
    let mut wrong = Wrong::default();
    for ((name, case), theirs) in cases.iter().zip(batch.ask()) {
        let ours = base(case).arguments(&product, &loader);
        wrong.compare(name, case, ours.ok().map(|read| read.printed()).as_deref(), &theirs);
        assert_eq!(theirs.code == 0, name != "all-broken.cnf", "{name}");
    }
    wrong.report(cases.len(), 0);
}

/// Generated files: the library on all of them, the binary on some.
async fn generated(server: Server) {
    let product = product(server);
    let number = |name: &str, otherwise: u64| {
        let text = std::env::var(name).ok().filter(|text| !text.is_empty());
        text.map_or(otherwise, |text| text.parse().unwrap_or_else(|e| panic!("{name}: {e}")))
    };
    let first = number("CNFSWEEP_ORACLE_SEED", 1);
    let files = number("CNFSWEEP_ORACLE_FILES", 2_000);
    let seeds: Vec<u64> = (first..first + files).collect();
    let mut wrong = Wrong::default();
    for seeds in seeds.chunks(BATCH) {
        let mut batch = Batch::new(server);
        let mut cases = Vec::new();
        for seed in seeds {
            let case = generator::case(*seed, &batch.next_dir(), Wildness::Wild);
            batch.add(&case);
            cases.push(case);
        }
        for (index, theirs) in batch.ask().iter().enumerate() {
            let (seed, case) = (seeds[index], &cases[index]);
            if theirs.is_crash() {
                wrong.crashes += 1;
                continue;
            }
            let ours = base(case).arguments(&product, &loader(case));
            let ours = ours.ok().map(|read| read.printed());
            wrong.compare(&format!("seed {seed}"), case, ours.as_deref(), theirs);
            if index % BINARY_EVERY == 0 || files == 1 {
                let ours = binary(&batch.dir(index), &product);
                wrong.compare(&format!("seed {seed}, binary"), case, ours.as_deref(), theirs);
            }
        }
    }
    let module = server.recipe.replace(['-', '.'], "_");
    wrong.rerun = format!(
        "one of them again: CNFSWEEP_ORACLE_FILES=1 CNFSWEEP_ORACLE_SEED=<seed> \
         cargo test --test containers oracle::generated::{module}"
    );
    // One in a hundred may have no answer; more would hide something.
    wrong.report(seeds.len(), seeds.len().div_ceil(100));
}

fn product(server: Server) -> Product {
    server.product.parse().expect("a product")
}

fn base(case: &Case) -> OptionFile {
    OptionFile::parse(case.files["base.cnf"].clone()).with_path(format!("{}/base.cnf", case.dir))
}

/// The files of a case, in memory.
fn loader(case: &Case) -> MemoryLoader {
    let home = MemoryLoader::new().with_home(case.dir.clone());
    case.files.iter().fold(home, |loader, (name, content)| {
        loader.with_file(format!("{}/{name}", case.dir), content.clone())
    })
}

/// What `cnfsweep args` prints; none if it refuses the file.
fn binary(dir: &Path, product: &Product) -> Option<Vec<u8>> {
    let done = Command::new(env!("CARGO_BIN_EXE_cnfsweep"))
        .args(["args", "--show", "--product", &product.to_string(), "--base"])
        .arg(dir.join("base.cnf"))
        .current_dir(dir)
        .env("HOME", dir)
        .output()
        .expect("cnfsweep");
    match done.status.code() {
        Some(0) => Some(done.stdout),
        Some(1) => {
            assert!(done.stdout.is_empty(), "no argument beside an error");
            None
        }
        _ => panic!("{done:?}"),
    }
}

/// The line number in the tool's words about a line that it refuses.
fn told_line(answer: &Answer) -> Option<usize> {
    let text = String::from_utf8_lossy(&answer.err);
    let (_, behind) = text.rsplit_once("at line")?;
    let digits = behind.trim_start_matches([':', ' ']);
    digits.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

/// All files below a directory with their paths from there, in order of their paths.
fn files_below(dir: &Path) -> Vec<(String, Vec<u8>)> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(dir).expect("a directory") {
        let entry = entry.expect("an entry");
        let name = entry.file_name().into_string().expect("UTF-8");
        if entry.path().is_dir() {
            let below = files_below(&entry.path());
            files.extend(below.into_iter().map(|(below, text)| (format!("{name}/{below}"), text)));
        } else {
            files.push((name, std::fs::read(entry.path()).expect("a file")));
        }
    }
    files.sort();
    files
}

/// Disagreements, for people who have to find out why.
#[derive(Default)]
struct Wrong {
    count: usize,
    crashes: usize,
    text: String,
    rerun: String,
}

impl Wrong {
    /// `ours`: none where the file is refused.
    fn compare(&mut self, name: &str, case: &Case, ours: Option<&[u8]>, theirs: &Answer) {
        /// So many are told.
        const TOLD: usize = 5;
        let accepted = (theirs.code == 0).then_some(&theirs.out[..]);
        if ours == accepted && (theirs.code == 0 || theirs.out.is_empty()) {
            return;
        }
        self.count += 1;
        if self.count <= TOLD {
            let shown = |bytes: Option<&[u8]>| match bytes {
                Some(bytes) => format!("{}", bytes.escape_ascii()),
                None => "refused".to_owned(),
            };
            let _ = writeln!(
                self.text,
                "== {name}\n{case:?}ours:   {}\ntheirs: {}\n        exit code {}, said: {}",
                shown(ours),
                shown(Some(&theirs.out)),
                theirs.code,
                theirs.err.escape_ascii(),
            );
        }
    }

    /// Fails if there was one, or if the tool crashed too often to tell.
    fn report(&self, of: usize, crashes_allowed: usize) {
        assert!(self.count == 0, "{} of {of} differ:\n{}{}", self.count, self.text, self.rerun);
        assert!(self.crashes <= crashes_allowed, "crashed {} times of {of}", self.crashes);
        println!("{of} files, no difference; the tool crashed on {}", self.crashes);
    }
}
