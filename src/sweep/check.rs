//! Before anything is started the server is asked, in one container, whether it takes the base file
//! and each toggle's. A base file that it refuses is looked through for all lines that it refuses.

use super::SweepError;
use super::event::{Event, Listener};
use super::ready::shown;
use crate::engine::{Answer, Engine, Inquiry, Question};
use crate::optionfile::{
    Argument, Edit, Flattened, MemoryLoader, Names, Product, normalise, resolve,
};
use crate::toggle::{Place, Status, Toggles};

/// A line of the base file that the server refuses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefusedLine {
    /// Where it stands.
    pub place: Place,
    /// The option's name, with `_`.
    pub option: String,
    /// Whether the server knows the option, and refuses its value.
    pub is_known: bool,
    /// The server's words.
    pub words: String,
}

/// What a question is about.
#[derive(Clone, Copy)]
pub struct Subject<'a> {
    /// The server.
    pub product: &'a Product,
    /// The options that it knows.
    pub names: &'a Names,
    /// The base file, with its includes in place.
    pub file: &'a Flattened,
}

/// Asks about the base and all planned toggles; those that the server refuses are marked so. What
/// it can't tell without a data directory is left to the probe. Gives how many it refused.
///
/// # Errors
/// When it refuses the base file, with all lines that it refuses; or the engine fails.
pub async fn check<E: Engine>(
    engine: &E,
    subject: &Subject<'_>,
    toggles: &mut Toggles,
    listen: &mut Listener<'_>,
) -> Result<usize, SweepError> {
    listen(Event::Phase("asking the server whether it takes the file, and each toggle's"));
    let product = subject.product;
    let planned: Vec<usize> =
        (0..toggles.list.len()).filter(|i| toggles.list[*i].status == Status::Planned).collect();
    let mut files = vec![toggles.base_cnf(product)?];
    for i in &planned {
        files.push(toggles.toggled_cnf(product, &toggles.list[*i])?);
    }
    let Some(answers) = takes(engine, files).await? else {
        return match unknown(toggles) {
            lines if lines.is_empty() => Ok(0),
            lines => Err(base_refused(lines)),
        };
    };
    let mut answers = answers.into_iter();
    if let Some(words) = answers.next().and_then(|base| base.refused) {
        let lines = refused_lines(engine, subject, toggles).await?;
        // Without a line to blame the start has to tell: it may see more than the question did.
        return match lines.is_empty() {
            true => {
                let words = shown(&words);
                listen(Event::Warning(&format!("the server may refuse the base file: {words}")));
                Ok(0)
            }
            false => Err(base_refused(lines)),
        };
    }
    let mut refused = 0;
    let all = planned.len();
    for (i, answer) in planned.into_iter().zip(answers) {
        let Some(words) = answer.refused else { continue };
        refused += 1;
        let toggle = &mut toggles.list[i];
        toggle.status = Status::Refused;
        toggle.remark(&shown(&words));
        listen(Event::Probed {
            done: refused,
            all,
            toggle: &toggle.id,
            status: toggle.status,
            detail: &toggle.detail,
        });
    }
    Ok(refused)
}

fn base_refused(lines: Vec<RefusedLine>) -> SweepError {
    let message = match lines.as_slice() {
        [line] => line.words.clone(),
        lines => format!("it refuses {} of its lines", lines.len()),
    };
    SweepError::BaseRefused { message, oom: false, lines }
}

/// For servers that can't be asked: what isn't in their help they refuse.
fn unknown(toggles: &Toggles) -> Vec<RefusedLine> {
    let line = |(place, name): &(Place, String)| RefusedLine {
        place: place.clone(),
        option: name.replace('-', "_"),
        is_known: false,
        words: String::new(),
    };
    toggles.unknown.iter().map(line).collect()
}

async fn takes<E: Engine>(
    engine: &E,
    files: Vec<Vec<u8>>,
) -> Result<Option<Vec<Answer>>, SweepError> {
    let inquiry = |cnf| Inquiry { cnf, question: Question::Takes };
    let inquiries: Vec<Inquiry> = files.into_iter().map(inquiry).collect();
    Ok(engine.ask(&inquiries).await?)
}

/// All lines that the server refuses: first each by itself, then, whether the file is taken without
/// them, and which of them are taken among the rest of it.
async fn refused_lines<E: Engine>(
    engine: &E,
    subject: &Subject<'_>,
    toggles: &Toggles,
) -> Result<Vec<RefusedLine>, SweepError> {
    /// What is refused only together with others is looked for line by line, so often.
    const TOGETHER: usize = 12;
    let product = subject.product;
    let read = toggles.file.arguments(product, &MemoryLoader::default());
    let Ok(read) = read else { return Ok(Vec::new()) };
    let line = |argument: &Argument, words: String| RefusedLine {
        place: Place::of(subject.file, argument.origin.line),
        option: normalise(product, &argument.name),
        is_known: resolve(product, &argument.name, None, subject.names).is_ok(),
        words: shown(&words),
    };
    let alone = |argument: &Argument| {
        let raw = toggles.file.line(argument.origin.line).map(|l| l.raw.to_vec());
        [b"[mysqld]\n".to_vec(), raw.unwrap_or_default(), b"\n".to_vec()].concat()
    };
    let files = read.list.iter().map(alone).collect();
    let Some(answers) = takes(engine, files).await? else { return Ok(Vec::new()) };
    let mut refused: Vec<RefusedLine> = read
        .list
        .iter()
        .zip(answers)
        .filter_map(|(argument, answer)| Some(line(argument, answer.refused?)))
        .collect();
    let without = |lines: &[&RefusedLine]| {
        let out = lines.iter().map(|l| Edit::CommentOut { line: l.place.at });
        let edits: Vec<Edit> = toggles.appended.iter().cloned().chain(out).collect();
        Ok::<_, SweepError>(toggles.file.apply(product, &edits)?.render())
    };
    for _ in 0..TOGETHER {
        let out: Vec<&RefusedLine> = refused.iter().collect();
        let Some(answers) = takes(engine, vec![without(&out)?]).await? else { break };
        let Some(words) = answers.into_iter().next().and_then(|a| a.refused) else { break };
        let to_blame = read.list.iter().find(|argument| {
            let named = mentions(&words, &normalise(product, &argument.name));
            named && !refused.iter().any(|l| l.place.at == argument.origin.line)
        });
        match to_blame {
            Some(argument) => refused.push(line(argument, words)),
            None => break,
        }
    }
    // By itself a plugin's option is unknown; behind the line that loads the plugin it is not.
    let others: Vec<Vec<u8>> = refused
        .iter()
        .map(|one| without(&refused.iter().filter(|l| *l != one).collect::<Vec<_>>()))
        .collect::<Result<_, _>>()?;
    if refused.len() > 1
        && let Some(answers) = takes(engine, others).await?
    {
        let mut answers = answers.into_iter();
        refused.retain(|_| answers.next().is_none_or(|answer| answer.refused.is_some()));
    }
    refused.sort_by_key(|l| l.place.at);
    refused.dedup_by_key(|l| l.place.at);
    Ok(refused)
}

/// Whether the server's message names an option, in either spelling, as a word of its own.
pub fn mentions(message: &str, option: &str) -> bool {
    let message = message.replace('-', "_").to_ascii_lowercase();
    let in_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    message.match_indices(option).any(|(at, found)| {
        let before = message[..at].chars().next_back();
        let after = message[at + found.len()..].chars().next();
        // Servers write options as `--name`, too.
        let starts = before.is_none_or(|c| !in_word(c)) || message[..at].ends_with("__");
        starts && after.is_none_or(|c| !in_word(c))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_option_is_mentioned_as_a_word_not_as_a_part_of_one() {
        assert!(mentions("unknown variable 'port=1'", "port"));
        assert!(mentions("option --sync-binlog: bad", "sync_binlog"));
        assert!(!mentions("unsupported redo log", "port"));
        assert!(!mentions("innodb_log_file_size is too big", "log_file_size"));
    }
}
