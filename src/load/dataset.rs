//! Filling the data set: database, accounts, tables, rows in batches. Deterministic, so that one
//! fingerprint means one content.

use std::time::Duration;

use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

use super::session::{Admin, BENCH_DATABASE, BENCH_USER};
use super::stream::push_text;
use super::{LoadError, Target};
use crate::profile::{Fill, Profile, Table};

/// The longest that one batch or one CREATE TABLE may take.
const BATCH: Duration = Duration::from_secs(120);
/// Bytes of SQL a batch: far below every server's `max_allowed_packet`.
const BATCH_BYTES: usize = 512 * 1024;

/// Makes accounts and tables and fills them; `progress` is told the rows done so far.
///
/// # Errors
/// The statement, table and the server's words of what failed.
pub async fn fill(
    target: &Target,
    profile: &Profile,
    mut progress: impl FnMut(u64),
) -> Result<(), LoadError> {
    let mut admin = Admin::connect(target).await?;
    admin.run(&format!("CREATE DATABASE {BENCH_DATABASE}"), BATCH).await?;
    // Both hosts: with skip_name_resolve `localhost` no longer matches a TCP connection.
    for host in ["localhost", "%"] {
        admin.run(&format!("CREATE USER '{BENCH_USER}'@'{host}'"), BATCH).await?;
        let grant = format!("GRANT ALL ON {BENCH_DATABASE}.* TO '{BENCH_USER}'@'{host}'");
        admin.run(&grant, BATCH).await?;
    }
    admin.run(&format!("USE {BENCH_DATABASE}"), BATCH).await?;
    let mut done = 0;
    for (number, table) in profile.tables.iter().enumerate() {
        admin.run(&table.create, BATCH).await.map_err(|e| in_table(e, table))?;
        let mut rng = ChaCha8Rng::seed_from_u64(number as u64);
        let mut row = 0;
        while row < table.rows {
            let (sql, rows) = batch(table, row, &mut rng);
            admin.run(&sql, BATCH).await.map_err(|e| in_table(e, table))?;
            row += rows;
            done += rows;
            progress(done);
        }
        // Statistics of the optimizer must not depend on when a background thread gets to it.
        let analyze = format!("ANALYZE TABLE {}", table.name);
        admin.rows::<mysql_async::Row>(&analyze).await.map_err(|e| in_table(e, table))?;
    }
    admin.close().await;
    Ok(())
}

fn in_table(error: LoadError, table: &Table) -> LoadError {
    match error {
        LoadError::Statement { what, message } => {
            LoadError::Statement { what: format!("table `{}`: {what}", table.name), message }
        }
        other => other,
    }
}

/// One INSERT from row `from` (0 is the first), and how many rows it has.
fn batch(table: &Table, from: u64, rng: &mut ChaCha8Rng) -> (String, u64) {
    use std::fmt::Write as _;
    let columns: Vec<&str> = table.columns.iter().map(|c| c.name.as_str()).collect();
    let mut sql = format!("INSERT INTO {} ({}) VALUES ", table.name, columns.join(", "));
    let mut rows = 0;
    while from + rows < table.rows && sql.len() < BATCH_BYTES {
        sql.push_str(if rows == 0 { "(" } else { ",(" });
        for (n, column) in table.columns.iter().enumerate() {
            if n > 0 {
                sql.push(',');
            }
            // Writing to a String can't fail.
            match &column.fill {
                Fill::Sequence => {
                    let _ = write!(sql, "{}", from + rows + 1);
                }
                Fill::Uniform(range) => {
                    let _ = write!(sql, "{}", rng.random_range(range.clone()));
                }
                Fill::Text { length } => {
                    sql.push('\'');
                    push_text(rng, *length, &mut sql);
                    sql.push('\'');
                }
            }
        }
        sql.push(')');
        rows += 1;
    }
    (sql, rows)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::BUILTIN;

    #[test]
    fn batches_cover_every_row_once_and_are_the_same_each_time() {
        let (name, text) = BUILTIN[0];
        let table = Profile::parse(name, name, text).expect("shipped").tables.remove(0);
        let all = || {
            let mut rng = ChaCha8Rng::seed_from_u64(0);
            let (mut row, mut batches) = (0, Vec::new());
            while row < table.rows {
                let (sql, rows) = batch(&table, row, &mut rng);
                assert!(rows > 0 && sql.len() < BATCH_BYTES + 1_000);
                row += rows;
                batches.push(sql);
            }
            batches
        };
        let batches = all();
        assert_eq!(batches, all());
        let values: usize = batches.iter().map(|sql| sql.matches('(').count() - 1).sum();
        assert_eq!(values as u64, table.rows);
        assert!(batches[0].contains("VALUES (1,'"), "{}", &batches[0][..80]);
    }
}
