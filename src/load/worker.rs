//! One connection of the load, in a closed loop. Parks at the gate between operations; a connection
//! of many statements parks between them, and the wait is no part of any latency.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::{Duration, Instant};

use mysql_async::prelude::Queryable as _;
use mysql_async::{Conn, Opts, Statement as Prepared};

use super::gate::Gate;
use super::record::{ALL, CONNECT, Record, STATEMENTS};
use super::session::{code, words};
use super::stream::Stream;
use crate::profile::{Lifetime, Load, Operation, Protocol};

/// What one connection needs to run.
pub(super) struct Worker {
    pub(super) load: Rc<Load>,
    pub(super) options: Opts,
    pub(super) gate: Rc<Gate>,
    pub(super) record: Rc<RefCell<Record>>,
    pub(super) stream: Stream,
}

impl Worker {
    /// Runs until it is dropped.
    pub(super) async fn run(mut self) {
        // A server that refuses everything must not be asked at full speed.
        const PAUSES: [u64; 6] = [0, 1, 2, 5, 10, 20];
        let mut failures = 0;
        loop {
            self.gate.pass(Instant::now()).await;
            match self.connection().await {
                Ok(()) => failures = 0,
                Err(e) => {
                    self.record.borrow_mut().failed(code(&e), words(&e));
                    let pause = PAUSES[failures.min(PAUSES.len() - 1)];
                    failures += 1;
                    tokio::time::sleep(Duration::from_millis(pause)).await;
                }
            }
        }
    }

    /// One connection, from connect to disconnect.
    async fn connection(&mut self) -> Result<(), mysql_async::Error> {
        let load = Rc::clone(&self.load);
        let began = Instant::now();
        let mut conn = Conn::new(self.options.clone()).await?;
        let mut now = Instant::now();
        self.record.borrow_mut().latency(CONNECT, now - began);
        let prepared = self.prepare(&mut conn).await?;
        let mut parked = Duration::ZERO;
        let mut sql = String::new();
        let statements = match load.connection {
            Lifetime::Statements(n) => u64::from(n),
            Lifetime::Kept => u64::MAX,
        };
        for n in 0..statements {
            if n > 0 {
                let waited = self.gate.pass(now).await;
                if !waited.is_zero() {
                    parked += waited;
                    now = Instant::now();
                }
            }
            let next = self.stream.next();
            let statement = &load.statements[next];
            match &prepared[next] {
                None => {
                    sql.clear();
                    self.stream.write_sql(statement, &mut sql);
                    conn.query_drop(sql.as_str()).await?;
                }
                Some(prepared) => {
                    let parameters = self.stream.parameters(statement);
                    conn.exec_drop(prepared, parameters).await?;
                }
            }
            let done = Instant::now();
            let mut record = self.record.borrow_mut();
            record.latency(STATEMENTS + next, done - now);
            if load.operation == Operation::Statement {
                record.counted(1, done);
                if load.connection == Lifetime::Kept {
                    record.latency(ALL, done - now);
                }
            }
            now = done;
        }
        conn.disconnect().await?;
        let done = Instant::now();
        let mut record = self.record.borrow_mut();
        record.latency(ALL, (done - began).saturating_sub(parked));
        if load.operation == Operation::Connection {
            record.counted(1, done);
        }
        Ok(())
    }

    async fn prepare(&self, conn: &mut Conn) -> Result<Vec<Option<Prepared>>, mysql_async::Error> {
        let mut prepared = Vec::with_capacity(self.load.statements.len());
        for statement in &self.load.statements {
            prepared.push(match statement.protocol {
                Protocol::Text => None,
                Protocol::Prepared => Some(conn.prep(statement.pieces.join("?")).await?),
            });
        }
        Ok(prepared)
    }
}
