//! Toggles of several options, and files of bigger machines, on real servers.

use crate::binary::Desk;
use crate::servers::{mariadb_11_8, mysql_9_7};

/// `id,status,detail` of every toggle of a plan.
fn planned(desk: &Desk, more: &[&str]) -> Vec<(String, String, String)> {
    let plan = [&["plan", "--format", "csv"][..], &desk.sweep(more)].concat();
    let done = desk.run(&plan).expect(0).left_nothing(desk);
    let mut csv = csv::Reader::from_reader(done.stdout.as_bytes());
    let column = {
        let head = csv.headers().expect("a head").clone();
        move |row: &csv::StringRecord, name: &str| {
            let at = head.iter().position(|h| h == name).expect("a column");
            row.get(at).unwrap_or_default().to_owned()
        }
    };
    csv.records()
        .map(|row| {
            let row = row.expect("a row");
            (column(&row, "toggle"), column(&row, "status"), column(&row, "detail"))
        })
        .collect()
}

#[track_caller]
fn is_measured(rows: &[(String, String, String)], id: &str, also: &str) {
    let row = rows.iter().find(|(toggle, ..)| toggle == id);
    let (_, status, detail) = row.unwrap_or_else(|| panic!("no {id} in {rows:?}"));
    assert_eq!(status, "planned", "{id}: {detail}");
    assert!(detail.contains(also), "{id}: {detail}");
}

#[test]
fn options_that_need_each_other_start_together_on_mysql() {
    let desk = Desk::new(mysql_9_7);
    desk.write(
        "my.cnf",
        "[mysqld]\ntmp_table_size = 32M\nmax_heap_table_size = 32M\n\
         character_set_server = latin1\ncollation_server = latin1_bin\n\
         log_bin = x\nlog_replica_updates = ON\n#long_query_time = 0\n\
         innodb_io_capacity = 300\n#innodb_io_capacity = 30000\n\
         binlog_format = STATEMENT\n#transaction-isolation = READ-COMMITTED\n",
    );
    let rows = planned(&desk, &[]);
    is_measured(&rows, "tmp_table_size+max_heap_table_size=default", "max_heap_table_size");
    is_measured(&rows, "character_set_server+collation_server=default", "character_set_");
    is_measured(&rows, "skip_log_bin", "without `log_replica_updates`");
    is_measured(&rows, "long_query_time=0+slow_query_log=ON", "");
    is_measured(&rows, "innodb_io_capacity+innodb_io_capacity_max=30000", "");
    is_measured(&rows, "transaction_isolation=READ-COMMITTED+binlog_format=ROW", "");
}

#[test]
fn options_that_need_each_other_start_together_on_mariadb() {
    let desk = Desk::new(mariadb_11_8);
    desk.write(
        "my.cnf",
        "[mariadb]\n#query_cache_type = 1\n#query_cache_size = 64M\n\
         #max_heap_table_size = 64M\n#log_queries_not_using_indexes\n",
    );
    let rows = planned(&desk, &[]);
    is_measured(&rows, "query_cache_type=1+query_cache_size=64M", "with `query_cache_size`");
    is_measured(&rows, "tmp_table_size+max_heap_table_size=64M", "");
    is_measured(&rows, "log_queries_not_using_indexes+slow_query_log=ON", "");
}

/// A file for 64 GB on whatever runs the tests: it is fitted, starts, and says what was changed;
/// asked not to, it is refused with its lines.
#[test]
fn the_file_of_a_bigger_machine_is_fitted_or_refused() {
    for (server, group) in [(mysql_9_7, "mysqld"), (mariadb_11_8, "mariadb")] {
        let desk = Desk::new(server);
        desk.write(
            "my.cnf",
            &format!("[{group}]\ninnodb_buffer_pool_size = 48G\n#key_buffer_size = 16G\n"),
        );
        let memory = ["--memory", "1g"];
        let done = desk.run(&[&["plan"][..], &desk.sweep(&memory)].concat()).expect(0);
        let done = done.left_nothing(&desk);
        assert!(done.stdout.contains("Fitted to this machine"), "{}", done.stdout);
        assert!(done.stdout.contains("`innodb_buffer_pool_size` 48G → "), "{}", done.stdout);
        assert!(!done.stdout.contains("Refused"), "{}", done.stdout);
        let off = [&memory[..], &["--scale", "off"]].concat();
        let done = desk.run(&[&["plan"][..], &desk.sweep(&off)].concat()).expect(1);
        let done = done.left_nothing(&desk);
        assert!(
            done.stderr.contains("my.cnf:2: innodb_buffer_pool_size, 49152 MB"),
            "{}",
            done.stderr
        );
        assert!(done.stderr.contains("--scale auto"), "{}", done.stderr);
    }
}
