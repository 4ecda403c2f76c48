//! The words of MySQL's enumerations and sets, which no table of its own has: the server is given
//! an option's numbers one after the other and says what each is called. Decides what to ask and
//! what the answers mean; asks nothing itself.

use super::{Catalog, Kind};

/// The most words of an enumeration, and of a set: its mask has to fit into 64 bits.
const MOST: u32 = 63;
/// Masks that a set is asked about at first, by their number of bits.
const FIRST_MASKS: [u32; 6] = [2, 4, 8, 16, 32, 48];
/// Texts whose default is a word, and which are no enumerations: not worth a question.
const FREE_TEXT: [&str; 7] =
    ["character_set_", "collation_", "default_", "lc_", "log_", "relay_log", "session_track_"];

/// What is still to be found out.
#[derive(Debug)]
pub struct Choices {
    hunts: Vec<Hunt>,
}

/// One line to be given to the server; what comes out for its option is the answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asked {
    /// Canonical name.
    pub option: String,
    /// The value.
    pub number: u64,
    /// How many such lines may share a file: the more, the less likely the server refuses this one.
    pub together: usize,
    /// Which hunt.
    hunt: usize,
}

#[derive(Debug)]
struct Hunt {
    option: String,
    default: String,
    /// By mask, not by index.
    is_set: bool,
    /// The server calls it text: it need not be an enumeration at all.
    is_text: bool,
    words: Vec<String>,
    /// Of a set: the smallest number of bits that the server refused.
    refused: u32,
    /// Turned out to be a set in this round: the other answers are to other questions.
    turned: bool,
    state: State,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Open,
    /// There are no more words.
    Ended,
    /// It takes any text, or answers in a way that says nothing.
    Void,
}

impl Choices {
    /// The options whose words are not known but can be: enumerations, sets, and text whose
    /// default is a word. An enumeration always has one of its words.
    pub fn of(catalog: &Catalog) -> Self {
        let hunt = |(name, info): (&String, &super::OptionInfo)| {
            let default = info.default.clone().unwrap_or_default();
            let wanted = match info.kind {
                Kind::Enumeration | Kind::Set => true,
                Kind::Text => {
                    is_word(&default) && !FREE_TEXT.iter().any(|head| name.starts_with(head))
                }
                Kind::Boolean | Kind::Integer | Kind::Double | Kind::FlagSet => false,
            };
            (wanted && info.values.is_empty()).then(|| Hunt {
                option: name.clone(),
                default,
                is_set: info.kind == Kind::Set,
                is_text: info.kind == Kind::Text,
                words: Vec::new(),
                refused: MOST + 1,
                turned: false,
                state: State::Open,
            })
        };
        Self { hunts: catalog.options.iter().filter_map(hunt).collect() }
    }

    /// What to ask next; nothing when all is known.
    pub fn ask(&self) -> Vec<Asked> {
        let mut asked = Vec::new();
        for (i, hunt) in self.hunts.iter().enumerate().filter(|(_, h)| h.state == State::Open) {
            let questions = if hunt.is_set { hunt.masks() } else { hunt.indices() };
            asked.extend(questions.into_iter().map(|(number, together)| Asked {
                option: hunt.option.clone(),
                number,
                together,
                hunt: i,
            }));
        }
        asked
    }

    /// What came out, in the order of what was asked; none where the server refused it.
    pub fn told(&mut self, asked: &[Asked], answers: &[Option<String>]) {
        for hunt in &mut self.hunts {
            hunt.turned = false;
        }
        for (asked, answer) in asked.iter().zip(answers) {
            if let Some(hunt) = self.hunts.get_mut(asked.hunt) {
                hunt.told(asked.number, answer.as_deref());
            }
        }
    }

    /// Writes what was found into the catalogue.
    pub fn note(self, catalog: &mut Catalog) {
        for mut hunt in self.hunts {
            let Some(info) = catalog.options.get_mut(&hunt.option) else { continue };
            let switches = hunt.words.iter().any(|word| word == "ON");
            // Holes in sql_mode; other words for what is there already in innodb_doublewrite.
            hunt.words.retain(|word| {
                !(word.starts_with("NOT_USED")
                    || (switches && matches!(word.as_str(), "TRUE" | "FALSE")))
            });
            let known = |word: &str| hunt.words.iter().any(|w| w.eq_ignore_ascii_case(word));
            let complete = hunt.state == State::Ended
                && hunt.words.len() >= if hunt.is_set { 1 } else { 2 }
                && hunt.default.split(',').all(|word| word.is_empty() || known(word));
            if !complete {
                continue;
            }
            info.kind = match hunt.words.as_slice() {
                [off, on] if off == "OFF" && on == "ON" => Kind::Boolean,
                _ if hunt.is_set => Kind::Set,
                _ => Kind::Enumeration,
            };
            if info.kind != Kind::Boolean {
                info.values = hunt.words;
            }
        }
    }
}

impl Hunt {
    /// Indices to ask next, and how many such lines may share a file.
    fn indices(&self) -> Vec<(u64, usize)> {
        /// An enumeration has two words at least.
        const SURELY: usize = 100;
        let next = self.words.len() as u64;
        // Few go on for long; those that do are to be done soon.
        let (step, together) = match next {
            0 if self.is_text => (1, 5),
            0 => (2, SURELY),
            1 => (1, SURELY),
            2..=5 => (2, 1),
            next => (next, 1),
        };
        (next..next + step).map(|index| (index, together)).collect()
    }

    /// Masks to ask next: all bits of the first n words.
    fn masks(&self) -> Vec<(u64, usize)> {
        const AT_ONCE: u32 = 3;
        let known = u32::try_from(self.words.len()).unwrap_or(MOST);
        let between = self.refused.saturating_sub(known + 1);
        let bits: Vec<u32> = match between {
            _ if known == 0 && self.refused > MOST => FIRST_MASKS.to_vec(),
            0..=AT_ONCE => (known + 1..self.refused).collect(),
            _ => (1..=AT_ONCE).map(|n| known + n * (between + 1) / (AT_ONCE + 1)).collect(),
        };
        bits.into_iter().map(|n| ((1 << n) - 1, 1)).collect()
    }

    fn told(&mut self, number: u64, answer: Option<&str>) {
        if self.state != State::Open || self.turned {
            return;
        }
        match answer {
            _ if self.is_set => self.told_mask(number.count_ones(), answer),
            _ if number != self.words.len() as u64 => {}
            None if number == 0 => self.state = State::Void,
            None => self.state = State::Ended,
            Some(words) if self.is_text && words.contains(',') => {
                (self.is_set, self.turned) = (true, true);
                self.words.clear();
            }
            // An index beyond the last one, which the server brought back into its range.
            Some(word) if self.words.iter().any(|w| w == word) => self.state = State::Ended,
            Some(word) if is_word(word) => self.words.push(word.to_owned()),
            Some(_) => self.state = State::Void,
        }
        if self.words.len() >= MOST as usize {
            self.state = State::Ended;
        }
    }

    /// A mask names all its words, in order.
    fn told_mask(&mut self, bits: u32, answer: Option<&str>) {
        match answer {
            None => self.refused = self.refused.min(bits),
            Some(words) => {
                let words: Vec<String> = words.split(',').map(str::to_owned).collect();
                if words.len() != bits as usize || !words.iter().all(|word| is_word(word)) {
                    self.state = State::Void;
                } else if words.len() > self.words.len() {
                    self.words = words;
                }
            }
        }
        if self.words.len() + 1 >= self.refused as usize {
            self.state = State::Ended;
        }
    }
}

/// Whether it may be a word of an enumeration: no number, no path.
fn is_word(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::super::{Argument, OptionInfo};
    use super::*;

    fn catalog(options: &[(&str, Kind, &str)]) -> Catalog {
        let info = |kind, default: &str| OptionInfo {
            argument: Argument::Required,
            kind,
            default: Some(default.to_owned()),
            min: None,
            max: None,
            block: None,
            values: Vec::new(),
            dynamic: None,
            variable: true,
        };
        let options: BTreeMap<String, OptionInfo> =
            options.iter().map(|(name, kind, d)| ((*name).to_owned(), info(*kind, d))).collect();
        Catalog { version: String::new(), options }
    }

    /// A server that names numbers as MySQL 9.7.4 does.
    fn answer(asked: &Asked) -> Option<String> {
        let nth = |words: &[&str]| {
            let word = words.get(usize::try_from(asked.number).unwrap_or(99));
            word.map(|w| (*w).to_owned())
        };
        let mask = |words: &[&str]| {
            let bits = (0..words.len()).filter(|bit| asked.number >> bit & 1 == 1);
            let named = bits.map(|bit| words[bit]).collect::<Vec<_>>().join(",");
            (asked.number < 1 << words.len()).then_some(named)
        };
        match asked.option.as_str() {
            "binlog_format" => nth(&["MIXED", "STATEMENT", "ROW"]),
            "innodb_flush_method" => {
                nth(&["fsync", "O_DSYNC", "littlesync", "nosync", "O_DIRECT", "O_DIRECT_NO_FSYNC"])
            }
            "innodb_log_writer_threads" => nth(&["OFF", "ON"]),
            "myisam_recover_options" if asked.number == 0 => Some("OFF".to_owned()),
            "myisam_recover_options" => mask(&["DEFAULT", "BACKUP", "FORCE", "QUICK", "OFF"]),
            "sql_mode" => mask(&["REAL_AS_FLOAT", "PIPES_AS_CONCAT", "NOT_USED_9", "ALLOWED"]),
            // Clamped instead of refused.
            "clamped" => nth(&["one", "two", "two"]).or(Some("two".to_owned())),
            "enforce_gtid_consistency" => Some(asked.number.to_string()),
            "log_error" => Some(format!("./{}.err", asked.number)),
            "lc_messages" => None,
            other => panic!("{other}"),
        }
    }

    #[test]
    fn numbers_are_asked_until_there_is_no_more_word() {
        let mut catalog = catalog(&[
            ("binlog_format", Kind::Enumeration, "ROW"),
            ("innodb_flush_method", Kind::Text, "O_DIRECT"),
            ("innodb_log_writer_threads", Kind::Text, "OFF"),
            ("myisam_recover_options", Kind::Text, "OFF"),
            ("sql_mode", Kind::Set, "ALLOWED"),
            ("clamped", Kind::Enumeration, "two"),
            ("enforce_gtid_consistency", Kind::Text, "ON"),
            ("log_error", Kind::Text, "stderr"),
            ("lc_messages", Kind::Text, "en_US"),
            ("datadir", Kind::Text, "/var/lib/mysql/"),
        ]);
        let mut choices = Choices::of(&catalog);
        loop {
            let asked = choices.ask();
            if asked.is_empty() {
                break;
            }
            let answers: Vec<Option<String>> = asked.iter().map(answer).collect();
            choices.told(&asked, &answers);
        }
        choices.note(&mut catalog);
        let of = |name: &str| {
            let info = catalog.get(name).unwrap();
            (info.kind, info.values.join("|"))
        };
        let is = |kind, values: &str| (kind, values.to_owned());
        assert_eq!(of("binlog_format"), is(Kind::Enumeration, "MIXED|STATEMENT|ROW"));
        assert_eq!(
            of("innodb_flush_method"),
            is(Kind::Enumeration, "fsync|O_DSYNC|littlesync|nosync|O_DIRECT|O_DIRECT_NO_FSYNC")
        );
        assert_eq!(of("innodb_log_writer_threads"), is(Kind::Boolean, ""));
        assert_eq!(of("myisam_recover_options"), is(Kind::Set, "DEFAULT|BACKUP|FORCE|QUICK|OFF"));
        assert_eq!(of("sql_mode"), is(Kind::Set, "REAL_AS_FLOAT|PIPES_AS_CONCAT|ALLOWED"));
        assert_eq!(of("clamped"), is(Kind::Enumeration, "one|two"));
        for name in ["enforce_gtid_consistency", "log_error", "lc_messages", "datadir"] {
            assert_eq!(of(name), is(Kind::Text, ""), "{name}");
        }
    }
}
