//! Every server has data of its own, from a directory that nobody changes.

use std::time::Duration;

use cnfsweep::engine::Server as _;
use cnfsweep::load::{Admin, Target};

use crate::lab::{Lab, one};
use crate::servers::Server;

const LIMIT: Duration = Duration::from_secs(30);

async fn run(target: &Target, sql: &str) {
    let mut admin = Admin::connect(target).await.expect("a connection");
    admin.run(sql, LIMIT).await.expect("a statement");
    admin.close().await;
}

/// What is written to one is seen by no other, be it there already or started later.
async fn clones_are_independent(server: Server) {
    let lab = Lab::open(server).await;
    let golden = lab.golden().await;
    let cnf = "[mysqld]\n";
    let (one_, other) = (lab.ready(&golden, cnf).await, lab.ready(&golden, cnf).await);
    let count = "SELECT COUNT(*) FROM cnfsweep.item";
    assert_eq!(one(&one_.target, count).await, "10000");
    run(&one_.target, "DELETE FROM cnfsweep.item WHERE id <= 100").await;
    run(&one_.target, "CREATE TABLE cnfsweep.trace (id INT)").await;
    assert_eq!(one(&one_.target, count).await, "9900");
    assert_eq!(one(&other.target, count).await, "10000");
    let later = lab.ready(&golden, cnf).await;
    assert_eq!(one(&later.target, count).await, "10000");
    let traces = "SELECT COUNT(*) FROM information_schema.tables WHERE table_name = 'trace'";
    assert_eq!(one(&one_.target, traces).await, "1");
    assert_eq!(one(&other.target, traces).await, "0");
    assert_eq!(one(&later.target, traces).await, "0");
}
on!(clones_are_independent: mysql_9_7, mariadb_11_8);

/// The golden directory was shut down cleanly: no clone has anything to recover.
async fn a_clone_starts_without_recovery(server: Server) {
    let lab = Lab::open(server).await;
    let golden = lab.golden().await;
    let cnf = if server.is_mysql { "[mysqld]\nlog_error_verbosity=3\n" } else { "[mysqld]\n" };
    let ready = lab.ready(&golden, cnf).await;
    let log = ready.server.log().await;
    if server.is_mysql {
        let applied: Vec<&str> =
            log.lines().filter(|l| l.contains("Applying a batch of")).collect();
        assert!(!applied.is_empty(), "{log}");
        assert!(applied.iter().all(|l| l.contains("a batch of 0 redo log records")), "{applied:?}");
        assert!(!log.contains("Starting crash recovery"), "{log}");
        // Its identity is its own, not the golden directory's.
        assert!(log.contains("Generating a new UUID"), "{log}");
    } else {
        assert!(log.contains("ready for connections"), "{log}");
        assert!(!log.to_lowercase().contains("crash recovery"), "{log}");
    }
    let errors: Vec<&str> = log.lines().filter(|l| l.contains("[ERROR]")).collect();
    assert_eq!(errors, Vec::<&str>::new());
}
on!(a_clone_starts_without_recovery: mysql_9_7, mariadb_11_8, mariadb_10_11, mariadb_10_5);
