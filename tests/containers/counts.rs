//! What the load generator sends, counted by the servers: exactly what the profile says, the same
//! to both, and nothing that a plain client would not send.

use std::time::Duration;

use cnfsweep::engine::Server as _;
use cnfsweep::engine::docker::DockerServer;
use cnfsweep::load::{self, Admin, ArmLoad, Job, PairLoad};
use cnfsweep::profile::{Load, Profile};
use cnfsweep::sweep::Ready;

use crate::lab::{Lab, profile};
use crate::servers::Server;

/// Short, since nothing here depends on how fast it is.
fn short(profile: Profile) -> Load {
    let mut load = profile.load;
    load.warmup = Duration::from_millis(300);
    load.slice = Duration::from_millis(100);
    load.slices = 4;
    load
}

async fn pair(lab: &Lab, cnf: &str) -> [Ready<DockerServer>; 2] {
    let golden = lab.golden().await;
    let (a, b) = tokio::join!(lab.ready(&golden, cnf), lab.ready(&golden, cnf));
    [a, b]
}

async fn loaded(servers: &[Ready<DockerServer>; 2], load: &Load, threads: u32) -> PairLoad {
    let job = Job {
        targets: [servers[0].target.clone(), servers[1].target.clone()],
        load: load.clone(),
        threads,
        first: 0,
        seed: 7,
        cpus: Vec::new(),
    };
    load::run(&job, |_, _| {}).await.expect("a load")
}

fn ops(pair: &PairLoad, arm: usize) -> f64 {
    let counted: u64 = pair.slices.iter().filter(|s| s.arm == arm).map(|s| s.ops).sum();
    assert!(counted > 0);
    assert!(pair.slices.iter().all(|s| s.errors == 0));
    counted as f64
}

fn counter(arm: &ArmLoad, name: &str) -> f64 {
    arm.status.get(name).copied().unwrap_or(0.0)
}

/// The counters of commands that moved, without those that every client moves.
fn commands(arm: &ArmLoad) -> Vec<&str> {
    let moved = arm.status.iter().filter(|(_, delta)| **delta != 0.0);
    moved.map(|(name, _)| name.as_str()).filter(|name| name.starts_with("Com_")).collect()
}

/// Connect, one SELECT, disconnect, and nothing else: no question for a variable, no ping.
async fn churn_sends_what_a_plain_client_sends(server: Server) {
    let lab = Lab::open(server).await;
    let servers = pair(&lab, "[mysqld]\n").await;
    let done = loaded(&servers, &short(profile("churn")), 8).await;
    for (n, arm) in done.arms.iter().enumerate() {
        let ops = ops(&done, n);
        assert_eq!(counter(arm, "Connections"), ops);
        assert_eq!(counter(arm, "Com_select"), ops);
        assert_eq!(commands(arm), ["Com_select"]);
        assert_eq!(counter(arm, "Aborted_clients"), 0.0);
        assert_eq!(counter(arm, "Aborted_connects"), 0.0);
        // What the server calls questions: the SELECT, and the goodbye where it counts that; nobody
        // waits until it has heard the last ones.
        let questions = counter(arm, "Questions");
        let goodbyes = questions - ops;
        assert!(goodbyes == 0.0 || (goodbyes - ops).abs() <= 8.0, "{questions} for {ops}");
        assert_eq!(arm.kinds[0].count as f64, ops);
    }
}
on!(churn_sends_what_a_plain_client_sends: mysql_9_7, mariadb_11_8, mariadb_10_11, mariadb_10_5);

/// Prepared once a connection, executed for each operation, over connections that stay.
async fn prepared_statements_are_prepared_once(server: Server) {
    let lab = Lab::open(server).await;
    let servers = pair(&lab, "[mysqld]\n").await;
    let threads = 5;
    let done = loaded(&servers, &short(profile("point-select")), threads).await;
    for (n, arm) in done.arms.iter().enumerate() {
        let ops = ops(&done, n);
        assert_eq!(counter(arm, "Com_stmt_execute"), ops);
        assert_eq!(counter(arm, "Com_stmt_prepare"), 0.0, "all prepared in the warm-up");
        assert_eq!(counter(arm, "Connections"), 0.0);
        // MySQL prepares a second time by itself when the first execution shows that a parameter
        // is of another type than it thought; that happens in the warm-up.
        assert_eq!(counter(arm, "Com_stmt_reprepare"), 0.0);
        let mut admin = Admin::connect(&servers[n].target).await.expect("a connection");
        let status = admin.status().await.expect("counters");
        admin.close().await;
        let asked_for = status["Com_stmt_prepare"] - status["Com_stmt_reprepare"];
        assert_eq!(asked_for, f64::from(threads));
    }
}
on!(prepared_statements_are_prepared_once: mysql_9_7, mariadb_11_8);

/// 300 statements, then another connection.
async fn a_heavy_page_sends_its_statements_over_one_connection(server: Server) {
    let lab = Lab::open(server).await;
    let servers = pair(&lab, "[mysqld]\n").await;
    let threads = 4;
    let mut load = short(profile("page300"));
    load.slice = Duration::from_millis(400);
    let done = loaded(&servers, &load, threads).await;
    for (n, arm) in done.arms.iter().enumerate() {
        let ops = ops(&done, n);
        assert_eq!(counter(arm, "Com_select"), ops);
        assert_eq!(commands(arm), ["Com_select"]);
        // Pages under way when counting begins and ends.
        let pages = counter(arm, "Connections");
        let open = f64::from(threads);
        assert!((pages - ops / 300.0).abs() <= open, "{pages} connections for {ops} statements");
    }
}
on!(a_heavy_page_sends_its_statements_over_one_connection: mysql_9_7, mariadb_11_8);

/// What both servers heard of one connection of the load, word for word.
async fn both_servers_get_the_same_statements(server: Server) {
    let lab = Lab::open(server).await;
    let servers = pair(&lab, "[mysqld]\ngeneral_log = ON\nlog_output = TABLE\n").await;
    for name in ["churn", "point-select"] {
        let mut load = short(profile(name));
        load.warmup = Duration::from_millis(100);
        loaded(&servers, &load, 1).await;
    }
    let mut heard = Vec::new();
    for server in &servers {
        let mut admin = Admin::connect(&server.target).await.expect("a connection");
        let sql = "SELECT CONCAT(CAST(thread_id AS CHAR), ' ', command_type, ' ', \
                   CONVERT(argument USING utf8mb4)) FROM mysql.general_log \
                   WHERE user_host LIKE '%cnfsweep%'";
        let lines: Vec<String> = admin.rows(sql).await.expect("a log");
        admin.close().await;
        heard.push(lines);
    }
    // Without the numbers of the connections, and without goodbyes: nobody waits until the server
    // has heard one, so that the next connection may come first. Each benchmark from its beginning as far as the
    // slower server got.
    let without_numbers = |lines: &[String]| -> Vec<String> {
        let words = lines.iter().map(|l| l.split_once(' ').map_or("", |(_, rest)| rest));
        words.filter(|l| !l.starts_with("Quit")).map(str::to_owned).collect()
    };
    let (a, b) = (without_numbers(&heard[0]), without_numbers(&heard[1]));
    let begins = |lines: &[String]| {
        lines.iter().position(|l| l.starts_with("Prepare")).expect("a prepared statement") - 1
    };
    for (a, b) in [(&a[..begins(&a)], &b[..begins(&b)]), (&a[begins(&a)..], &b[begins(&b)..])] {
        let both = a.len().min(b.len());
        assert!(both >= 20, "{} and {}", a.len(), b.len());
        for n in 0..both {
            assert_eq!(a[n], b[n], "line {n}");
        }
    }
    // The statements themselves are of the profile, and each is another.
    let selects: Vec<&String> = a.iter().filter(|l| l.starts_with("Query")).collect();
    assert!(selects.iter().all(|l| l.starts_with("Query SELECT id, name, price FROM item")));
    assert!(selects.windows(2).any(|w| w[0] != w[1]));
}
on!(both_servers_get_the_same_statements: mysql_9_7, mariadb_11_8);

/// Errors are told by the server that had them, with its words.
async fn a_server_that_refuses_the_load_is_told(server: Server) {
    let lab = Lab::open(server).await;
    let golden = lab.golden().await;
    let base = lab.ready(&golden, "[mysqld]\n").await;
    let toggled = lab.ready(&golden, "[mysqld]\nmax_connections = 10\n").await;
    let servers = [base, toggled];
    let job = Job {
        targets: [servers[0].target.clone(), servers[1].target.clone()],
        load: short(profile("point-select")),
        threads: 40,
        first: 0,
        seed: 7,
        cpus: Vec::new(),
    };
    match load::run(&job, |_, _| {}).await {
        Err(load::LoadError::Errors { arm: 1, message, .. }) => {
            assert!(message.contains("Too many connections"), "{message}");
        }
        other => panic!("{other:?}"),
    }
    assert!(!servers[1].server.log().await.is_empty());
}
on!(a_server_that_refuses_the_load_is_told: mysql_9_7, mariadb_11_8);
