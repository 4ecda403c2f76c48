//! Options that need each other: one toggle with all its lines; and those that need a data
//! directory of their own.

use super::values::{of_lines, reaching};
use super::*;
use cnfsweep::toggle::Values;

/// Lines, reach, and toggles: id and what the toggled server reads.
type Joint<'a> = (&'a str, Values, &'a [(&'a str, &'a str)]);
/// Lines, what the base's data directory is made with, a toggle, and what its own is made with.
type Created<'a> = (&'a str, &'a [&'a str], &'a str, Option<&'a [&'a str]>);

/// Lines of the file, how far to go, and the toggles: id and what the toggled server reads.
#[test]
fn what_belongs_together_is_one_toggle() {
    use Values::{Default, Few};
    let table: &[Joint] = &[
        // Both active: both go.
        (
            "tmp_table_size = 64M\nmax_heap_table_size = 64M",
            Default,
            &[(
                "tmp_table_size+max_heap_table_size=default",
                "#tmp_table_size = 64M|#max_heap_table_size = 64M",
            )],
        ),
        // Alone it stays alone …
        ("tmp_table_size = 64M", Default, &[("tmp_table_size=default", "#tmp_table_size = 64M")]),
        // … but more of one is of no use without the other.
        (
            "tmp_table_size = 32M\nmax_heap_table_size = 32M",
            Few,
            &[
                (
                    "tmp_table_size+max_heap_table_size=default",
                    "#tmp_table_size = 32M|#max_heap_table_size = 32M",
                ),
                (
                    "tmp_table_size+max_heap_table_size=64M",
                    "tmp_table_size = 64M|max_heap_table_size = 64M",
                ),
                (
                    "tmp_table_size+max_heap_table_size=256M",
                    "tmp_table_size = 256M|max_heap_table_size = 256M",
                ),
            ],
        ),
        (
            "#max_heap_table_size = 64M",
            Default,
            &[(
                "tmp_table_size+max_heap_table_size=64M",
                "max_heap_table_size = 64M|tmp_table_size=64M",
            )],
        ),
        // Both commented out: enabled together.
        (
            "#query_cache_type = 1\n#query_cache_size = 64M",
            Default,
            &[(
                "query_cache_type=1+query_cache_size=64M",
                "query_cache_type = 1|query_cache_size = 64M",
            )],
        ),
        // A cache that is on needs room, and room needs a cache that is on.
        (
            "query_cache_size = 0\n#query_cache_type = 1",
            Default,
            &[
                ("query_cache_size=default", "#query_cache_size = 0|#query_cache_type = 1"),
                (
                    "query_cache_type=1+query_cache_size=1M",
                    "query_cache_size = 1M|query_cache_type = 1",
                ),
            ],
        ),
        (
            "#query_cache_size = 64M",
            Default,
            &[(
                "query_cache_type=ON+query_cache_size=64M",
                "query_cache_size = 64M|query_cache_type=ON",
            )],
        ),
        // GTIDs.
        (
            "gtid_mode = ON\nenforce-gtid-consistency = ON",
            Default,
            &[(
                "gtid_mode+enforce_gtid_consistency=default",
                "#gtid_mode = ON|#enforce-gtid-consistency = ON",
            )],
        ),
        (
            "#gtid_mode = ON",
            Default,
            &[(
                "gtid_mode+enforce_gtid_consistency=ON",
                "gtid_mode = ON|enforce_gtid_consistency=ON",
            )],
        ),
        // One bound pulls the other along.
        (
            "innodb_io_capacity = 200\ninnodb_io_capacity_max = 4000\n#innodb_io_capacity = 8000",
            Default,
            &[
                // The default of the one is above the line of the other, whose default will do.
                (
                    "innodb_io_capacity+innodb_io_capacity_max=default",
                    "#innodb_io_capacity = 200|#innodb_io_capacity_max = 4000|#innodb_io_capacity = 8000",
                ),
                (
                    "innodb_io_capacity_max=default",
                    "innodb_io_capacity = 200|#innodb_io_capacity_max = 4000|#innodb_io_capacity = 8000",
                ),
                (
                    "innodb_io_capacity+innodb_io_capacity_max=8000",
                    "#innodb_io_capacity = 200|innodb_io_capacity_max = 8000|innodb_io_capacity = 8000",
                ),
            ],
        ),
        // What acts only with the slow log on.
        (
            "#long_query_time = 1",
            Default,
            &[("long_query_time=1+slow_query_log=ON", "long_query_time = 1|slow_query_log=ON")],
        ),
        (
            "slow_query_log = ON\n#long_query_time = 1",
            Default,
            &[
                ("slow_query_log=default", "#slow_query_log = ON|#long_query_time = 1"),
                ("long_query_time=1", "slow_query_log = ON|long_query_time = 1"),
            ],
        ),
        // Reading committed data is refused to writers with statements in the binary log.
        (
            "binlog_format = STATEMENT\n#transaction-isolation = READ-COMMITTED",
            Default,
            &[
                (
                    "binlog_format=default",
                    "#binlog_format = STATEMENT|#transaction-isolation = READ-COMMITTED",
                ),
                (
                    "transaction_isolation=READ-COMMITTED+binlog_format=ROW",
                    "binlog_format = ROW|transaction-isolation = READ-COMMITTED",
                ),
            ],
        ),
        // A redo log of the new kind replaces the old one.
        (
            "innodb_log_file_size = 1G\n#innodb_redo_log_capacity = 2G",
            Default,
            &[
                (
                    "innodb_log_file_size=default",
                    "#innodb_log_file_size = 1G|#innodb_redo_log_capacity = 2G",
                ),
                (
                    "innodb_redo_log_capacity=2G",
                    "#innodb_log_file_size = 1G|innodb_redo_log_capacity = 2G",
                ),
            ],
        ),
        // Without a binary log there is nothing to log for replicas.
        (
            "log_bin = x\nlog_replica_updates = ON",
            Default,
            &[
                ("skip_log_bin", "log_bin = x|#log_replica_updates = ON|skip_log_bin"),
                ("log_replica_updates=default", "log_bin = x|#log_replica_updates = ON"),
                ("log_replica_updates=OFF", "log_bin = x|log_replica_updates = OFF"),
            ],
        ),
    ];
    for (lines, values, expected) in table {
        let toggles = of_lines(&MYSQL, lines, &reaching(*values));
        let ids: Vec<&str> = expected.iter().map(|(id, _)| *id).collect();
        assert_eq!(planned(&toggles), ids, "{lines}");
        for (id, cnf) in *expected {
            assert_eq!(toggled(&toggles, id), *cnf, "{lines}: {id}");
        }
    }
}

#[test]
fn a_joint_toggle_is_chosen_by_any_of_its_names() {
    let lines = "tmp_table_size = 64M\nmax_heap_table_size = 64M\nmax_connections = 7";
    for only in ["tmp_table_size", "max_heap_*", "tmp_table_size+max_heap_table_size=default"] {
        let wishes = Wishes { ..globs(&[only], &[]) };
        let toggles = of_lines(&MYSQL, lines, &wishes);
        assert_eq!(planned(&toggles), ["tmp_table_size+max_heap_table_size=default"], "{only}");
    }
    let toggles = of_lines(&MYSQL, lines, &globs(&[], &["max_heap_table_size"]));
    assert_eq!(planned(&toggles), ["max_connections=default"]);
    let row = of(
        &of_lines(&MYSQL, lines, &Wishes::default()),
        "tmp_table_size+max_heap_table_size=default",
    )
    .clone();
    assert_eq!((row.from.as_deref(), row.to.as_deref()), (Some("64M"), Some("16M")));
    assert_eq!(row.detail, "with `max_heap_table_size` (line 3)");
}

#[test]
fn what_the_user_decides_for_both_arms_is_no_companion() {
    let wishes = both("slow_query_log", Some("OFF"));
    let toggles = of_lines(&MYSQL, "#long_query_time = 1", &wishes);
    assert_eq!(planned(&toggles), ["long_query_time=1"]);
}

#[test]
fn an_option_that_acts_on_creation_gets_a_data_directory_of_its_own() {
    let table: &[Created] = &[
        // As it is by default: one directory, and another one for the toggle.
        (
            "innodb_file_per_table = 1",
            &[],
            "innodb_file_per_table=OFF",
            Some(&["--innodb-file-per-table=OFF"]),
        ),
        ("innodb_file_per_table = 1", &[], "innodb_file_per_table=default", None),
        // Away from the default: the base's own, and the usual one for the toggle.
        (
            "innodb_file_per_table = OFF",
            &["--innodb-file-per-table=OFF"],
            "innodb_file_per_table=default",
            Some(&[]),
        ),
        // Others stay with the base's.
        (
            "innodb_file_per_table = OFF\nmax_connections = 7",
            &["--innodb-file-per-table=OFF"],
            "max_connections=default",
            None,
        ),
        (
            "innodb_page_size = 8k\n#character_set_server = latin1",
            &["--innodb-page-size=8k"],
            "character_set_server=latin1",
            Some(&["--innodb-page-size=8k", "--character-set-server=latin1"]),
        ),
        (
            "character_set_server = latin1\ncollation_server = latin1_bin",
            &["--character-set-server=latin1", "--collation-server=latin1_bin"],
            "character_set_server+collation_server=default",
            Some(&[]),
        ),
    ];
    for (lines, base, id, own) in table {
        let toggles = of_lines(&MYSQL, lines, &Wishes::default());
        assert_eq!(toggles.initialise, *base, "{lines}");
        let toggle = of(&toggles, id);
        let own = own.map(|list| list.iter().map(|a| (*a).to_owned()).collect::<Vec<_>>());
        assert_eq!(toggle.data_dir, own, "{lines}: {id}");
        assert_eq!(toggle.detail.contains("data directory of its own"), own.is_some(), "{id}");
    }
    let wishes = both("innodb_file_per_table", Some("OFF"));
    let toggles = of_lines(&MYSQL, "max_connections = 7", &wishes);
    assert_eq!(toggles.initialise, ["--innodb-file-per-table=OFF"]);
    assert_eq!(of(&toggles, "max_connections=default").data_dir, None);
}
