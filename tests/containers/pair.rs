//! The two servers of a pair.

use std::collections::BTreeMap;

use cnfsweep::load::{Admin, Target};

use crate::lab::Lab;
use crate::servers::Server;

async fn variables(target: &Target) -> BTreeMap<String, String> {
    let mut admin = Admin::connect(target).await.expect("a connection");
    let variables = admin.variables().await.expect("variables");
    admin.close().await;
    variables
}

/// With the same file they differ in nothing but their identity and the time.
async fn identical_servers_have_identical_variables(server: Server) {
    let lab = Lab::open(server).await;
    let golden = lab.golden().await;
    let cnf = "[mysqld]\nmax_connections = 50\n";
    let (a, b) = tokio::join!(lab.ready(&golden, cnf), lab.ready(&golden, cnf));
    let (a, b) = (variables(&a.target).await, variables(&b.target).await);
    assert!(a.len() > 400, "{}", a.len());
    assert_eq!(a.keys().collect::<Vec<_>>(), b.keys().collect::<Vec<_>>());
    let differ: Vec<&str> = a
        .iter()
        .filter(|(name, value)| b[*name] != **value)
        .map(|(name, _)| name.as_str())
        .collect();
    // Read at different moments: the clock, and numbers that count questions.
    let known = ["server_uuid", "server_uid", "timestamp", "pseudo_thread_id", "wsrep_node_name"];
    let unknown: Vec<_> = differ.iter().filter(|name| !known.contains(*name)).collect();
    assert!(unknown.is_empty(), "{unknown:?}");
}
on!(identical_servers_have_identical_variables: mysql_9_7, mariadb_11_8, mariadb_10_5);
