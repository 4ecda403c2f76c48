//! From a file to a server that answers, or to the reason why not.

use std::time::{Duration, Instant};

use cnfsweep::engine::{CpuFile, Engine as _, Server as _};
use cnfsweep::journal::Outcome;
use cnfsweep::sweep::{READY, wait};

use crate::docker::docker;
use crate::lab::{Lab, variable};
use crate::servers::Server;

/// The file is what the server runs with, and nothing of the image's is.
async fn the_file_is_read(server: Server) {
    let lab = Lab::open(server).await;
    let golden = lab.golden().await;
    let cnf =
        "[mysqld]\nsort_buffer_size = 333K\nmax_connections=37\n[mysql]\nsort_buffer_size=1\n";
    let ready = lab.ready(&golden, cnf).await;
    assert_eq!(variable(&ready.target, "sort_buffer_size").await, (333 << 10).to_string());
    assert_eq!(variable(&ready.target, "max_connections").await, "37");
    assert_eq!(variable(&ready.target, "hostname").await, "cnfsweep");
    // Official images switch this on in a file of their own.
    assert_eq!(variable(&ready.target, "skip_name_resolve").await, "OFF");
    // How many files it may open is what the daemon allows, and is seen.
    let files: u64 = variable(&ready.target, "open_files_limit").await.parse().expect("a number");
    assert!(files >= 1_024, "{files}");
    lab.engine.remove(ready.server).wait().await;
    assert_eq!(lab.containers(), Vec::<String>::new());
    assert_eq!(lab.volumes(), Vec::<String>::new());
}
on!(the_file_is_read: mysql_9_7, mariadb_11_8, mariadb_10_11, mariadb_10_5);

/// CPU is counted from outside, and goes up when the server works.
async fn cpu_is_counted(server: Server) {
    let lab = Lab::open(server).await;
    let golden = lab.golden().await;
    let ready = lab.ready(&golden, "[mysqld]\n").await;
    let file = ready.server.endpoint().cpu.clone().expect("a CPU counter");
    match (docker(&["info", "--format", "{{.CgroupVersion}}"]).trim(), &file) {
        ("1", CpuFile::V1(_)) | ("2", CpuFile::V2(_)) => {}
        (version, file) => panic!("cgroup v{version}: {file:?}"),
    }
    let counter = ready.target.cpu.clone().expect("a CPU counter");
    let before = counter.read().expect("a count");
    let mut admin = cnfsweep::load::Admin::connect(&ready.target).await.expect("a connection");
    let sql = "SELECT CONCAT(SUM(a.price * b.price)) FROM cnfsweep.item a, cnfsweep.item b \
               WHERE a.id <= 200";
    admin.rows::<String>(sql).await.expect("an answer");
    admin.close().await;
    let used = counter.read().expect("a count") - before;
    assert!(used > Duration::from_millis(50), "{used:?}");
}
on!(cpu_is_counted: mysql_9_7, mariadb_11_8);

/// An option that the server does not know: its own last `[ERROR]` line.
async fn a_refused_option_is_told_in_the_servers_words(server: Server) {
    let lab = Lab::open(server).await;
    let golden = lab.golden().await;
    let refused = lab.try_ready(&golden, "[mysqld]\nno_such_option = 1\n").await;
    let refused = refused.map(|_| ()).expect_err("a refusal");
    assert_eq!(refused.outcome, Outcome::Refused);
    assert!(refused.message.starts_with("[ERROR]"), "{}", refused.message);
    assert!(refused.message.contains("no_such_option"), "{}", refused.message);
    assert_eq!(lab.containers(), Vec::<String>::new(), "removed at once");
}
on!(a_refused_option_is_told_in_the_servers_words: mysql_9_7, mariadb_11_8, mariadb_10_11, mariadb_10_5);

/// A value that only fails once the engine comes up: noticed at once, not at the limit; and told in
/// words that are about it.
async fn an_early_end_is_noticed_at_once(server: Server) {
    let lab = Lab::open(server).await;
    let golden = lab.golden().await;
    let began = Instant::now();
    // The golden directory has pages of 16 KB.
    let refused = lab.try_ready(&golden, "[mysqld]\ninnodb_page_size = 8K\n").await;
    let took = began.elapsed();
    let refused = refused.map(|_| ()).expect_err("a refusal");
    assert_eq!(refused.outcome, Outcome::Refused, "{}", refused.message);
    assert!(refused.message.contains("[ERROR]"), "{}", refused.message);
    assert!(took < READY / 2, "{took:?}");
}
on!(an_early_end_is_noticed_at_once: mysql_9_7, mariadb_11_8);

/// A server that neither answers nor ends is given up at the limit, and removed.
async fn a_server_that_never_answers_is_given_up(server: Server) {
    let lab = Lab::open(server).await;
    let golden = lab.golden().await;
    let began = Instant::now();
    let started = lab.start(&golden, "[mysqld]\n").await;
    docker(&["pause", started.id()]);
    let limit = Duration::from_secs(2);
    let late = wait(&lab.engine, started, began, limit).await.map(|_| ()).expect_err("no answer");
    assert_eq!(late.outcome, Outcome::Timeout);
    assert!(late.message.contains("did not answer within 2 s"), "{}", late.message);
    assert!(began.elapsed() >= limit);
    assert_eq!(lab.containers(), Vec::<String>::new());
}
on!(a_server_that_never_answers_is_given_up: mysql_9_7, mariadb_11_8);

/// Killed from outside: an end, with no words of the server's own.
async fn a_killed_server_is_noticed(server: Server) {
    let lab = Lab::open(server).await;
    let golden = lab.golden().await;
    let ready = lab.ready(&golden, "[mysqld]\n").await;
    docker(&["kill", ready.server.id()]);
    let ended = ready.server.ended().await;
    assert_eq!((ended.code, ended.oom), (137, false));
}
on!(a_killed_server_is_noticed: mysql_9_7);

/// Data directories in memory: the same server, no volume.
async fn data_may_be_in_memory(server: Server) {
    let limits = cnfsweep::engine::Limits { cpus: vec![0], memory: 1 << 30, tmpfs: true };
    let lab = Lab::with(server, limits).await;
    let golden = lab.golden().await;
    let ready = lab.ready(&golden, "[mysqld]\n").await;
    let rows = crate::lab::one(&ready.target, "SELECT COUNT(*) FROM cnfsweep.item").await;
    assert_eq!(rows, "10000");
    assert_eq!(lab.volumes(), Vec::<String>::new());
    let kind = docker(&["exec", ready.server.id(), "stat", "-f", "-c", "%T", "/tmp/data"]);
    assert_eq!(kind.trim(), "tmpfs");
}
on!(data_may_be_in_memory: mysql_9_7, mariadb_11_8);
