//! Asking the server about option files without starting it: MySQL's `--validate-config`, and
//! `--verbose --help`, many files in one container. Says what the server said; what follows from it
//! is for others to judge.

use std::collections::BTreeMap;
use std::time::Duration;

use super::super::{Answer, Inquiry, Question};
use super::log::{INNODB_GONE, reason};
use super::{DockerEngine, EngineError};
use crate::optionfile::Vendor;

/// Files of one container: what is printed about them stays well below what Docker keeps of a log.
const AT_ONCE: usize = 200;
/// A container's time, whatever is asked.
const BASIC: Duration = Duration::from_secs(60);
/// More time for each file: a hundred times what it takes.
const EACH: Duration = Duration::from_secs(3);
/// The longest that one file may take, in the shell's seconds.
const ONE: u32 = 60;
/// Bytes of values, and of words, that count for one file.
const VALUES: usize = 65_536;
const WORDS: usize = 16_384;

impl DockerEngine {
    /// The answers, in the order of the inquiries.
    pub(super) async fn ask_server(
        &self,
        inquiries: &[Inquiry],
    ) -> Result<Option<Vec<Answer>>, EngineError> {
        let validates = inquiries.iter().any(|i| i.question == Question::Takes);
        if validates && !self.can_validate() {
            return Ok(None);
        }
        let mut answers = Vec::with_capacity(inquiries.len());
        for some in inquiries.chunks(AT_ONCE) {
            answers.extend(self.ask_some(some).await?);
        }
        Ok(Some(answers))
    }

    /// MySQL has `--validate-config` since 8.0.16; MariaDB's help tells what is wrong with a file.
    fn can_validate(&self) -> bool {
        let image = &self.image;
        image.product.vendor == Vendor::MariaDb
            || version(&image.version_line).is_some_and(|v| v >= (8, 0, 16))
    }

    async fn ask_some(&self, inquiries: &[Inquiry]) -> Result<Vec<Answer>, EngineError> {
        let mut files = Vec::new();
        for (i, Inquiry { cnf, question }) in inquiries.iter().enumerate() {
            files.push((format!("{i}.cnf"), cnf.clone()));
            if let Question::Values(names) = question {
                let lines = names.iter().map(|name| line_of(name)).collect::<String>();
                files.push((format!("{i}.show"), lines.into_bytes()));
            }
        }
        let mark = format!("cnfsweep-{:016x}", rand::random::<u64>());
        let workers = match self.limits.cpus.len() {
            0 => std::thread::available_parallelism().map_or(1, usize::from),
            cpus => cpus,
        };
        let script = self.script(inquiries.len(), workers.min(inquiries.len()), &mark);
        let dir = self.run_dir.reading_dir(self.uid, self.gid, &files)?;
        let limit = BASIC + EACH * u32::try_from(inquiries.len()).unwrap_or(u32::MAX);
        let printed = self.run_bounded(&script, &dir, limit).await;
        dir.remove();
        let told = parse(&printed?, &mark);
        let missing = |i: usize| EngineError::Refused {
            what: "asking the server about option files".to_owned(),
            message: format!("no answer about file {} of {}", i + 1, inquiries.len()),
        };
        let answers = inquiries.iter().enumerate().map(|(i, inquiry)| {
            let told = told.get(&i).ok_or_else(|| missing(i))?;
            Ok(answer(&inquiry.question, told))
        });
        answers.collect()
    }

    /// Several workers take every n-th file each, and print at the end, one after the other.
    fn script(&self, files: usize, workers: usize, mark: &str) -> String {
        let server = &self.image.server;
        let (own, takes) = match self.image.product.vendor {
            // A bare image lacks the directory of the default.
            Vendor::MySql => (
                "--secure-file-priv= --loose-mysqlx=OFF",
                "--validate-config --log-error-verbosity=2",
            ),
            Vendor::MariaDb => ("", "--verbose --help"),
        };
        format!(
            "t=$(command -v timeout) && t=\"$t -s KILL {ONE}\"\n\
             work() {{\n\
             i=$1\n\
             while [ \"$i\" -lt {files} ]; do\n\
             q='{takes}'\n\
             [ -e /q/$i.show ] && q='--verbose --help'\n\
             $t {server} --defaults-file=/q/$i.cnf $q {own} >/tmp/$1.out 2>/tmp/$1.err\n\
             echo \"{mark} $i $?\"\n\
             [ -e /q/$i.show ] && sed -n -f /q/$i.show /tmp/$1.out | head -c {VALUES}\n\
             echo\n\
             echo \"{mark} said\"\n\
             tail -c {WORDS} /tmp/$1.err\n\
             echo\n\
             i=$((i+{workers}))\n\
             done >/tmp/$1.all\n\
             }}\n\
             w=0\n\
             while [ $w -lt {workers} ]; do work $w & w=$((w+1)); done\n\
             wait\n\
             cat /tmp/*.all"
        )
    }
}

/// The line of help's second part that has an option's value, for `sed -n`. In the first part names
/// have `--` before them.
fn line_of(name: &str) -> String {
    let plain: String = name.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
    format!("/^{} /p\n", plain.replace('_', "[-_]"))
}

/// `… Ver 8.0.36-28 for …`.
fn version(line: &str) -> Option<(u32, u32, u32)> {
    let word = line.split("Ver ").nth(1)?.split_whitespace().next()?;
    let mut numbers = word.split(|c: char| !c.is_ascii_digit()).map(str::parse);
    let mut next = || numbers.next()?.ok();
    Some((next()?, next()?, next()?))
}

/// What was printed about one file.
#[derive(Debug, Default, PartialEq, Eq)]
struct Told {
    code: i32,
    values: String,
    said: String,
}

fn parse(printed: &str, mark: &str) -> BTreeMap<usize, Told> {
    let mut told = BTreeMap::new();
    let mut parts = printed.split(mark).skip(1);
    while let (Some(head), Some(said)) = (parts.next(), parts.next()) {
        let (first, values) = head.split_once('\n').unwrap_or((head, ""));
        let mut words = first.split_whitespace().map(str::parse::<i32>);
        if let (Some(Ok(i)), Some(Ok(code))) = (words.next(), words.next())
            && let Ok(i) = usize::try_from(i)
        {
            let said = said.strip_prefix(" said\n").unwrap_or(said);
            told.insert(i, Told { code, values: values.to_owned(), said: said.to_owned() });
        }
    }
    told
}

fn answer(question: &Question, told: &Told) -> Answer {
    let Told { code, values, said } = told;
    let is_refused = *code != 0
        || match question {
            Question::Takes => said.contains(INNODB_GONE),
            Question::Values(_) => said.contains("[ERROR]"),
        };
    let no_words = || format!("ended with exit code {code} and said nothing");
    Answer {
        refused: is_refused.then(|| reason(said).unwrap_or_else(no_words)),
        values: values.lines().filter_map(value).collect(),
    }
}

fn value(line: &str) -> Option<(String, String)> {
    let (name, value) = line.split_once(' ')?;
    Some((name.to_ascii_lowercase().replace('-', "_"), value.trim().to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_printed_about_each_file_is_told_apart() {
        let printed = "\
mark-17 1 1

mark-17 said
0 [ERROR] [MY-000067] [Server] unknown variable 'x=1'.
0 [ERROR] [MY-010119] [Server] Aborting

mark-17 0 0
innodb-flush-method      fsync

mark-17 said
0 [Warning] nothing of note
";
        let told = parse(printed, "mark-17");
        let values = Question::Values(vec!["innodb_flush_method".to_owned()]);
        let first = answer(&values, &told[&0]);
        assert_eq!(first.refused, None);
        assert_eq!(first.values["innodb_flush_method"], "fsync");
        let second = answer(&Question::Takes, &told[&1]);
        let words = "[ERROR] [MY-000067] [Server] unknown variable 'x=1'.";
        assert_eq!(second.refused.as_deref(), Some(words));
    }

    /// MariaDB's help ends well then, and its server does not start.
    #[test]
    fn a_server_without_innodb_is_refused_whatever_the_exit_code() {
        let said = "\
0 [ERROR] mariadbd: Error while setting value 'sideways' to 'innodb-flush-method'
0 [ERROR] Parsing options for plugin 'InnoDB' failed. Disabling plugin";
        let told = Told { code: 0, values: String::new(), said: said.to_owned() };
        let refused = answer(&Question::Takes, &told).refused;
        assert!(refused.is_some_and(|words| words.contains("'sideways'")));
    }

    #[test]
    fn a_version_is_read_to_its_third_number() {
        assert_eq!(version("mysqld  Ver 9.7.4-Debian for Linux"), Some((9, 7, 4)));
        assert_eq!(version("mysqld  Ver 8.0.36-28 for Linux"), Some((8, 0, 36)));
        assert_eq!(version("no version"), None);
    }
}
