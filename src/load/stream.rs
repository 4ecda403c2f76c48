//! Which statement comes next, with which parameters: a function of the pair's seed and the
//! connection's number, so that both servers get the same stream.

use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

use mysql_async::Value;

use crate::profile::{Fill, Statement};

/// The endless stream of statements of one connection.
#[derive(Debug)]
pub(super) struct Stream {
    rng: ChaCha8Rng,
    /// Cumulative weights.
    upto: Vec<u64>,
}

impl Stream {
    pub(super) fn new(seed: u64, connection: u64, statements: &[Statement]) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        rng.set_stream(connection);
        let upto = statements
            .iter()
            .scan(0, |sum, s| {
                *sum += u64::from(s.weight);
                Some(*sum)
            })
            .collect();
        Self { rng, upto }
    }

    /// Index of the next statement.
    pub(super) fn next(&mut self) -> usize {
        match self.upto.as_slice() {
            [] | [_] => 0,
            upto => {
                let total = upto.last().copied().unwrap_or(1);
                let drawn = self.rng.random_range(0..total);
                upto.partition_point(|upto| *upto <= drawn)
            }
        }
    }

    /// The statement's text with its parameters in it, appended to `sql`.
    pub(super) fn write_sql(&mut self, statement: &Statement, sql: &mut String) {
        use std::fmt::Write as _;
        let mut parameters = statement.parameters.iter();
        for piece in &statement.pieces {
            sql.push_str(piece);
            match parameters.next() {
                // Writing to a String can't fail.
                Some(Fill::Uniform(range)) => {
                    let _ = write!(sql, "{}", self.rng.random_range(range.clone()));
                }
                Some(Fill::Text { length }) => {
                    sql.push('\'');
                    push_text(&mut self.rng, *length, sql);
                    sql.push('\'');
                }
                Some(Fill::Sequence) | None => {}
            }
        }
    }

    /// The statement's parameters, for a prepared one.
    pub(super) fn parameters(&mut self, statement: &Statement) -> Vec<Value> {
        statement
            .parameters
            .iter()
            .map(|fill| match fill {
                Fill::Uniform(range) => Value::Int(self.rng.random_range(range.clone())),
                Fill::Text { length } => {
                    let mut text = String::new();
                    push_text(&mut self.rng, *length, &mut text);
                    Value::Bytes(text.into_bytes())
                }
                Fill::Sequence => Value::NULL,
            })
            .collect()
    }
}

/// Appends lower-case letters and digits: nothing that SQL would have to escape.
pub(super) fn push_text(rng: &mut ChaCha8Rng, length: u32, to: &mut String) {
    const ALPHABET: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";
    to.extend((0..length).map(|_| char::from(ALPHABET[rng.random_range(0..ALPHABET.len())])));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::{BUILTIN, Profile};

    #[test]
    fn both_arms_get_the_same_stream_and_each_connection_its_own() {
        let (name, text) = BUILTIN[0];
        let load = Profile::parse(name, name, text).expect("shipped").load;
        let texts = |seed, connection| {
            let mut stream = Stream::new(seed, connection, &load.statements);
            (0..50)
                .map(|_| {
                    let mut sql = String::new();
                    let next = stream.next();
                    stream.write_sql(&load.statements[next], &mut sql);
                    sql
                })
                .collect::<Vec<_>>()
        };
        assert_eq!(texts(7, 3), texts(7, 3));
        assert_ne!(texts(7, 3), texts(7, 4));
        assert_ne!(texts(7, 3), texts(8, 3));
        assert!(texts(7, 3).iter().all(|sql| sql.starts_with("SELECT") && !sql.contains('?')));
    }

    #[test]
    fn statements_come_by_their_weight() {
        let (name, text) = BUILTIN[0];
        let one = Profile::parse(name, name, text).expect("shipped").load.statements.remove(0);
        let statements = [Statement { weight: 3, ..one.clone() }, Statement { weight: 1, ..one }];
        let mut stream = Stream::new(1, 0, &statements);
        let firsts = (0..4_000).filter(|_| stream.next() == 0).count();
        assert!((2_850..3_150).contains(&firsts), "{firsts} of 4000 with weight 3 of 4");
    }
}
