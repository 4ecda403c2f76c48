//! Connections to a server: how those of the load are set up, and the administrator's, which asks
//! for variables and counters. Every wait here has an end.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use mysql_async::prelude::Queryable as _;
use mysql_async::{Conn, Opts, OptsBuilder};

use super::{Address, LoadError, Target};

/// Database that holds the data set.
pub const BENCH_DATABASE: &str = "cnfsweep";
/// Account of the load, without a password.
pub const BENCH_USER: &str = "cnfsweep";
/// Account that asks for variables and counters: the one that initialisation leaves.
const ADMIN_USER: &str = "root";
/// The longest that a question of the harness may take.
const ANSWER: Duration = Duration::from_secs(30);

/// Options that make mysql_async connect as a plain client would: left alone it asks the server
/// for `max_allowed_packet`, `wait_timeout` and `socket` on every connect.
fn options(socket: &Path, user: &str) -> OptsBuilder {
    const PACKET: usize = 16 * 1024 * 1024;
    const WAIT_TIMEOUT: usize = 28_800;
    OptsBuilder::default()
        .socket(Some(socket.to_string_lossy().into_owned()))
        .prefer_socket(false)
        .user(Some(user))
        .max_allowed_packet(Some(PACKET))
        .wait_timeout(Some(WAIT_TIMEOUT))
}

/// How the connections of the load reach their server.
pub(super) fn load_options(socket: &Path, statements: usize) -> Opts {
    options(socket, BENCH_USER)
        .db_name(Some(BENCH_DATABASE))
        .stmt_cache_size(Some(statements.max(1)))
        .into()
}

/// The administrator's connection, or its stand-in for a script.
#[derive(Debug)]
pub struct Admin(Via);

#[derive(Debug)]
enum Via {
    Server(Box<Conn>),
    Script(Box<super::Script>),
}

impl Admin {
    /// Connects as the administrator.
    ///
    /// # Errors
    /// When the server refuses, or does not answer in time.
    pub async fn connect(target: &Target) -> Result<Self, LoadError> {
        let socket = match &target.address {
            Address::Socket(socket) => socket,
            Address::Scripted(script) => return Ok(Self(Via::Script(script.clone()))),
        };
        let connect = Conn::new(Opts::from(options(socket, ADMIN_USER)));
        in_time("connecting as root", ANSWER, connect)
            .await
            .map(|conn| Self(Via::Server(Box::new(conn))))
    }

    /// SHOW GLOBAL VARIABLES, by lower-case name.
    ///
    /// # Errors
    /// When the server refuses, or does not answer in time.
    pub async fn variables(&mut self) -> Result<BTreeMap<String, String>, LoadError> {
        match &mut self.0 {
            Via::Script(script) => Ok(script.variables.clone()),
            Via::Server(_) => {
                let rows: Vec<(String, String)> = self.rows("SHOW GLOBAL VARIABLES").await?;
                Ok(rows.into_iter().map(|(n, v)| (n.to_lowercase(), v)).collect())
            }
        }
    }

    /// SHOW GLOBAL STATUS, the counters that are numbers.
    ///
    /// # Errors
    /// When the server refuses, or does not answer in time.
    pub async fn status(&mut self) -> Result<BTreeMap<String, f64>, LoadError> {
        match &mut self.0 {
            Via::Script(_) => Ok(BTreeMap::new()),
            Via::Server(_) => {
                let rows: Vec<(String, String)> = self.rows("SHOW GLOBAL STATUS").await?;
                Ok(rows.into_iter().filter_map(|(n, v)| Some((n, v.parse().ok()?))).collect())
            }
        }
    }

    /// VERSION().
    ///
    /// # Errors
    /// When the server refuses, or does not answer in time.
    pub async fn version(&mut self) -> Result<String, LoadError> {
        match &mut self.0 {
            Via::Script(script) => Ok(script.version.clone()),
            Via::Server(_) => {
                let rows: Vec<String> = self.rows("SELECT VERSION()").await?;
                Ok(rows.into_iter().next().unwrap_or_default())
            }
        }
    }

    /// All rows of a question, as text columns.
    ///
    /// # Errors
    /// When the server refuses, does not answer in time, or this is a script.
    pub async fn rows<T>(&mut self, sql: &str) -> Result<Vec<T>, LoadError>
    where
        T: mysql_async::prelude::FromRow + Send + 'static,
    {
        let conn = self.conn(sql)?;
        in_time(sql, ANSWER, conn.query(sql)).await
    }

    /// Runs a statement that gives no rows, for at most `limit`.
    ///
    /// # Errors
    /// When the server refuses, does not answer in time, or this is a script.
    pub async fn run(&mut self, sql: &str, limit: Duration) -> Result<(), LoadError> {
        let conn = self.conn(sql)?;
        in_time(sql, limit, conn.query_drop(sql)).await
    }

    /// Ends the connection.
    pub async fn close(self) {
        if let Via::Server(conn) = self.0 {
            // The server may be gone already, which is what closing wants.
            let _ = tokio::time::timeout(ANSWER, conn.disconnect()).await;
        }
    }

    fn conn(&mut self, sql: &str) -> Result<&mut Conn, LoadError> {
        match &mut self.0 {
            Via::Server(conn) => Ok(conn),
            Via::Script(_) => Err(LoadError::Statement {
                what: excerpt(sql),
                message: "a scripted server runs no SQL".to_owned(),
            }),
        }
    }
}

/// Whether the server answers: as the load's account once it exists, as root else.
///
/// # Errors
/// The server's or the network's words; expected while the server starts.
pub async fn ping(target: &Target, limit: Duration) -> Result<(), LoadError> {
    let Address::Socket(socket) = &target.address else { return Ok(()) };
    let answer = async {
        let mut conn = Conn::new(Opts::from(options(socket, ADMIN_USER))).await?;
        conn.query_drop("SELECT 1").await?;
        conn.disconnect().await
    };
    in_time("SELECT 1", limit, answer).await
}

async fn in_time<T>(
    what: &str,
    limit: Duration,
    work: impl Future<Output = Result<T, mysql_async::Error>>,
) -> Result<T, LoadError> {
    match tokio::time::timeout(limit, work).await {
        Ok(Ok(done)) => Ok(done),
        Ok(Err(e)) => Err(LoadError::Statement { what: excerpt(what), message: words(&e) }),
        Err(_) => Err(LoadError::Timeout { what: excerpt(what), limit }),
    }
}

/// The head of a statement, for messages: a batch of rows is no reading matter.
fn excerpt(sql: &str) -> String {
    const SHOWN: usize = 120;
    match sql.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{} …", &sql[..end]),
        None => sql.to_owned(),
    }
}

/// An error as its code (the server's number, or the kind of network error).
pub(super) fn code(error: &mysql_async::Error) -> String {
    match error {
        mysql_async::Error::Server(e) => e.code.to_string(),
        mysql_async::Error::Io(mysql_async::IoError::Io(e)) => format!("{:?}", e.kind()),
        mysql_async::Error::Driver(_) => "protocol".to_owned(),
        _ => "client".to_owned(),
    }
}

/// An error in the server's words, without the client's wrapping.
pub(super) fn words(error: &mysql_async::Error) -> String {
    match error {
        mysql_async::Error::Server(e) => format!("{} ({})", e.message, e.code),
        other => other.to_string(),
    }
}
