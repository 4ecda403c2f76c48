//! From the lines of a file to the list of toggles: what each line becomes, what is never tried,
//! what the user's wishes change.

#![expect(clippy::unwrap_used, reason = "what can't be set up has failed")]

mod company;
mod scale;
mod values;

use std::collections::BTreeMap;

use cnfsweep::catalog::{Argument, Catalog, Kind, OptionInfo};
use cnfsweep::optionfile::{MemoryLoader, OptionFile, Product};
use cnfsweep::toggle::{Label, Status, Toggle, ToggleError, Toggles, Wishes, build};

const MYSQL: Product = Product::mysql(9, 7);
const MARIADB: Product = Product::mariadb(11, 8);

/// Name, kind, default (none: no variable).
const OPTIONS: &[(&str, Kind, Option<&str>)] = &[
    ("performance_schema", Kind::Boolean, Some("ON")),
    ("skip_name_resolve", Kind::Boolean, Some("OFF")),
    ("general_log", Kind::Boolean, Some("OFF")),
    ("innodb_file_per_table", Kind::Boolean, Some("ON")),
    ("skip_grant_tables", Kind::Boolean, None),
    ("external_locking", Kind::Boolean, None),
    ("max_connections", Kind::Integer, Some("151")),
    ("sort_buffer_size", Kind::Integer, Some("262144")),
    ("innodb_buffer_pool_size", Kind::Integer, Some("134217728")),
    ("innodb_flush_log_at_trx_commit", Kind::Integer, Some("1")),
    ("sync_binlog", Kind::Integer, Some("1")),
    ("innodb_doublewrite", Kind::Enumeration, Some("ON")),
    ("sql_mode", Kind::Set, Some("STRICT_TRANS_TABLES")),
    ("log_bin", Kind::Text, Some("ON")),
    ("key_buffer_size", Kind::Integer, Some("8388608")),
    ("optimizer_switch", Kind::FlagSet, Some("index_merge=on")),
    ("datadir", Kind::Text, Some("/var/lib/mysql/")),
    ("port", Kind::Integer, Some("3306")),
    ("socket", Kind::Text, Some("/tmp/mysql.sock")),
    ("tmpdir", Kind::Text, Some("/tmp")),
    ("user", Kind::Text, None),
    ("ssl", Kind::Boolean, Some("ON")),
    ("ssl_ca", Kind::Text, Some("")),
    ("tls_version", Kind::Text, Some("")),
    ("log_error", Kind::Text, Some("stderr")),
    ("slow_query_log_file", Kind::Text, Some("")),
    ("general_log_file", Kind::Text, Some("")),
    ("server_id", Kind::Integer, Some("1")),
    ("relay_log", Kind::Text, Some("")),
    ("skip_networking", Kind::Boolean, Some("OFF")),
    ("plugin_load_add", Kind::Text, None),
    ("innodb_page_size", Kind::Integer, Some("16384")),
    ("lower_case_table_names", Kind::Integer, Some("0")),
    ("read_only", Kind::Boolean, Some("OFF")),
    ("master_password", Kind::Text, None),
    ("wsrep_on", Kind::Boolean, Some("OFF")),
    ("wsrep_sst_auth", Kind::Text, Some("")),
    ("innodb_force_recovery", Kind::Integer, Some("0")),
];

fn catalog_without(dropped: &[&str]) -> Catalog {
    let options = OPTIONS.iter().filter(|(name, ..)| !dropped.contains(name));
    let options = options
        .map(|(name, kind, default)| {
            let info = OptionInfo {
                argument: match kind {
                    Kind::Boolean => Argument::Optional,
                    _ if *name == "log_bin" => Argument::Optional,
                    _ => Argument::Required,
                },
                kind: *kind,
                default: default.or((*kind == Kind::Boolean).then_some("FALSE")).map(str::to_owned),
                min: None,
                max: None,
                block: None,
                values: Vec::new(),
                dynamic: None,
                variable: default.is_some(),
            };
            ((*name).to_owned(), info)
        })
        .collect();
    Catalog { version: "test".to_owned(), options }
}

fn built(product: &Product, base: &str, wishes: &Wishes) -> Result<Toggles, ToggleError> {
    let file = OptionFile::parse(base.as_bytes()).with_path(b"my.cnf");
    let flat = file.flatten(product, &MemoryLoader::default()).unwrap();
    build(&flat, product, &catalog_without(&[]), wishes)
}

/// Of a file with one `[mysqld]` group, for MySQL.
fn toggles_with(lines: &str, wishes: &Wishes) -> Toggles {
    built(&MYSQL, &format!("[mysqld]\n{lines}\n"), wishes).unwrap()
}

fn toggles(lines: &str) -> Toggles {
    toggles_with(lines, &Wishes::default())
}

/// Ids of the planned ones.
fn planned(toggles: &Toggles) -> Vec<&str> {
    toggles.planned().map(|t| t.id.as_str()).collect()
}

#[track_caller]
fn of<'t>(toggles: &'t Toggles, id: &str) -> &'t Toggle {
    let found = toggles.list.iter().find(|t| t.id == id);
    found.unwrap_or_else(|| panic!("no {id} in {:?}", toggles.list))
}

/// The lines of the base that both arms read, without the header.
fn base(toggles: &Toggles) -> String {
    lines(toggles.base_cnf(&MYSQL).unwrap())
}

fn lines(cnf: Vec<u8>) -> String {
    let text = String::from_utf8(cnf).unwrap();
    text.lines().skip(1).collect::<Vec<_>>().join("|")
}

#[track_caller]
fn toggled(toggles: &Toggles, id: &str) -> String {
    lines(toggles.toggled_cnf(&MYSQL, of(toggles, id)).unwrap())
}

fn named(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

fn also(name: &str, value: Option<&str>) -> Wishes {
    Wishes { also: vec![(name.to_owned(), value.map(str::to_owned))], ..Wishes::default() }
}

fn both(name: &str, value: Option<&str>) -> Wishes {
    Wishes { both: vec![(name.to_owned(), value.map(str::to_owned))], ..Wishes::default() }
}

fn set(name: &str, values: &[&str]) -> Wishes {
    Wishes { set: vec![(name.to_owned(), named(values))], ..Wishes::default() }
}

fn drop(names: &[&str]) -> Wishes {
    Wishes { drop: named(names), ..Wishes::default() }
}

fn globs(only: &[&str], skip: &[&str]) -> Wishes {
    let patterns = |globs: &[&str]| globs.iter().map(|g| glob::Pattern::new(g).unwrap()).collect();
    Wishes { only: patterns(only), skip: patterns(skip), ..Wishes::default() }
}

/// A line of the file, and its toggles: id and the lines that the toggled server reads.
#[test]
fn what_a_line_becomes() {
    let table: &[(&str, &[(&str, &str)])] = &[
        // Active: commented out.
        ("max_connections = 500", &[("max_connections=default", "#max_connections = 500")]),
        ("innodb-doublewrite=0", &[("innodb_doublewrite=default", "#innodb-doublewrite=0")]),
        // A boolean at its default: flipped too; commenting it out is for the probe to judge.
        (
            "performance_schema = ON",
            &[
                ("performance_schema=default", "#performance_schema = ON"),
                ("performance_schema=OFF", "performance_schema = OFF"),
            ],
        ),
        // A boolean away from its default: flipping is what commenting out does.
        ("performance_schema = 0", &[("performance_schema=default", "#performance_schema = 0")]),
        ("general_log=1", &[("general_log=default", "#general_log=1")]),
        // Bare and prefixed spellings.
        ("skip-name-resolve", &[("skip_name_resolve=default", "#skip-name-resolve")]),
        ("skip-performance-schema", &[("performance_schema=default", "#skip-performance-schema")]),
        (
            "skip-general-log",
            &[
                ("general_log=default", "#skip-general-log"),
                ("general_log=ON", "#skip-general-log|general_log=ON"),
            ],
        ),
        (
            "loose-innodb_file_per_table = 1",
            &[
                ("innodb_file_per_table=default", "#loose-innodb_file_per_table = 1"),
                (
                    "innodb_file_per_table=OFF",
                    "#loose-innodb_file_per_table = 1|innodb_file_per_table=OFF",
                ),
            ],
        ),
        // No variables.
        ("skip-grant-tables", &[("skip_grant_tables=default", "#skip-grant-tables")]),
        (
            "skip-external-locking",
            &[
                ("external_locking=default", "#skip-external-locking"),
                ("external_locking=ON", "#skip-external-locking|external_locking"),
            ],
        ),
        // Commented out: enabled.
        ("#max_connections = 500", &[("max_connections=500", "max_connections = 500")]),
        ("# skip-grant-tables", &[("skip_grant_tables", "skip-grant-tables")]),
        ("#skip-performance-schema", &[("skip_performance_schema", "skip-performance-schema")]),
        (";general_log", &[("general_log", "general_log")]),
        // Another value of an active line.
        (
            "max_connections = 5\n#max_connections = 9",
            &[
                ("max_connections=default", "#max_connections = 5|#max_connections = 9"),
                ("max_connections=9", "#max_connections = 5|max_connections = 9"),
            ],
        ),
        // Repeated: the last one counts, all of them go.
        (
            "max_connections = 5\nsort_buffer_size = 1M\nmax-connections = 9",
            &[
                (
                    "sort_buffer_size=default",
                    "max_connections = 5|#sort_buffer_size = 1M|max-connections = 9",
                ),
                (
                    "max_connections=default",
                    "#max_connections = 5|sort_buffer_size = 1M|#max-connections = 9",
                ),
            ],
        ),
        // Prose, headings, unknown names, other groups: no toggles.
        ("# max_connections is high because of the shop", &[]),
        ("# sort_buffer_size", &[]),
        ("# set general_log = ON to see all queries", &[]),
        ("#no_such_option = 5", &[]),
        ("[mysqldump]\n#max_connections = 500\nmax_connections = 6", &[]),
        // Binary logging is switched off; only its name would change otherwise.
        ("log_bin", &[("skip_log_bin", "log_bin|skip_log_bin")]),
        ("log-bin = mysql-bin", &[("skip_log_bin", "log-bin = mysql-bin|skip_log_bin")]),
        ("skip-log-bin", &[("log_bin=default", "#skip-log-bin")]),
        ("disable_log_bin", &[("log_bin=default", "#disable_log_bin")]),
        ("#skip-log-bin", &[("skip_log_bin", "skip-log-bin")]),
        ("#log_bin = /var/log/mysql/bin", &[]),
        // Key caches of their own.
        (
            "hot.key_buffer_size = 1M",
            &[("hot.key_buffer_size=default", "#hot.key_buffer_size = 1M")],
        ),
    ];
    for (lines, expected) in table {
        let toggles = toggles(lines);
        let ids: Vec<&str> = expected.iter().map(|(id, _)| *id).collect();
        assert_eq!(planned(&toggles), ids, "{lines}");
        for (id, cnf) in *expected {
            assert_eq!(toggled(&toggles, id), *cnf, "{lines}: {id}");
        }
        assert_eq!(
            base(&toggles),
            lines.replace('\n', "|"),
            "both arms read the lines as they are"
        );
    }
}

#[test]
fn from_and_to_are_what_people_write() {
    let toggles = toggles(
        "skip-performance-schema\nmax_connections = 500\nskip-name-resolve\n#general_log\n\
         #innodb_flush_log_at_trx_commit = 2\nlog_bin = x",
    );
    let values = |id: &str| {
        let toggle = of(&toggles, id);
        (toggle.from.as_deref().unwrap(), toggle.to.as_deref().unwrap())
    };
    assert_eq!(values("performance_schema=default"), ("OFF", "ON"));
    assert_eq!(values("max_connections=default"), ("500", "151"));
    assert_eq!(values("skip_name_resolve=default"), ("ON", "OFF"));
    assert_eq!(values("general_log"), ("OFF", "ON"));
    assert_eq!(values("innodb_flush_log_at_trx_commit=2"), ("1", "2"));
    assert_eq!(values("skip_log_bin"), ("x", "OFF"));
    // Defaults are written as the line writes its value.
    let sized = self::toggles("sort_buffer_size = 4M\n#key_buffer_size = 64M\n#skip-grant-tables");
    let values = |id: &str| {
        let toggle = of(&sized, id);
        (toggle.from.as_deref().unwrap(), toggle.to.as_deref().unwrap())
    };
    assert_eq!(values("sort_buffer_size=default"), ("4M", "256K"));
    assert_eq!(values("key_buffer_size=64M"), ("8M", "64M"));
    assert_eq!(values("skip_grant_tables"), ("OFF", "ON"));
    assert!(toggles.list.iter().all(|t| t.place.is_some()));
    let lines: Vec<usize> =
        toggles.list.iter().filter_map(|t| t.place.as_ref()?.line_of_base()).collect();
    assert!(lines.is_sorted() && lines[0] == 2, "{lines:?}");
}

#[test]
fn what_the_sweep_owns_is_neutralised_with_its_reason() {
    // Line, what both arms read instead, a word of the reason.
    let table = [
        ("datadir = /srv/mysql", "#datadir = /srv/mysql", "path"),
        ("tmpdir=/x", "#tmpdir=/x", "path"),
        ("log-error = /var/log/e.log", "#log-error = /var/log/e.log", "path"),
        ("slow_query_log_file = /a/s.log", "slow_query_log_file = /tmp/slow.log", "path"),
        ("general_log_file=x.log", "general_log_file=/tmp/general.log", "path"),
        ("relay-log = r", "#relay-log = r", "path"),
        ("port = 3307", "#port = 3307", "path"),
        ("user = mysql", "#user = mysql", "who gets in"),
        ("ssl-ca = /etc/ca.pem", "#ssl-ca = /etc/ca.pem", "who gets in"),
        ("skip-ssl", "#skip-ssl", "who gets in"),
        ("tls_version = TLSv1.3", "#tls_version = TLSv1.3", "who gets in"),
        ("wsrep_on = ON", "#wsrep_on = ON", "cluster"),
        ("loose-wsrep_provider_none = 1", "#loose-wsrep_provider_none = 1", "cluster"),
        ("read_only = 1", "#read_only = 1", "writes"),
        ("innodb_force_recovery = 1", "#innodb_force_recovery = 1", "writing"),
        ("server_id = 7", "server_id = 7", "identity"),
        ("skip-networking", "skip-networking", "how clients reach"),
        ("innodb_page_size = 8k", "innodb_page_size = 8k", "data directory is made"),
        ("plugin_load_add = a.so", "plugin_load_add = a.so", "plugin"),
    ];
    for (line, instead, reason) in table {
        let toggles = toggles(line);
        assert_eq!(base(&toggles), instead);
        let [row] = &toggles.list[..] else { panic!("{:?}", toggles.list) };
        assert_eq!(row.status, Status::LeftOut, "{line}");
        assert!(row.detail.contains(reason), "{line}: {}", row.detail);
        assert_eq!(row.place.as_ref().unwrap().line_of_base(), Some(2));
        let changed = toggles.changed_in_both_arms.len();
        assert_eq!(changed, usize::from(line != instead), "{line}");
        // Commented out it is not offered either, and stays as it is.
        let commented = self::toggles(&format!("#{line}"));
        assert_eq!(planned(&commented), [""; 0], "#{line}");
        assert_eq!(base(&commented), format!("#{line}"));
    }
    assert_eq!(toggles("innodb_page_size = 8k").initialise, ["--innodb-page-size=8k"]);
}

#[test]
fn a_binary_log_with_a_directory_keeps_its_name_only() {
    let toggles = toggles("log_bin = /var/log/mysql/mysql-bin\n#log_bin = /srv/other");
    assert_eq!(base(&toggles), "log_bin = mysql-bin|#log_bin = /srv/other");
    assert_eq!(toggles.changed_in_both_arms.len(), 1);
    assert!(toggles.changed_in_both_arms[0].starts_with("line 2: `log_bin` now `mysql-bin`"));
    assert_eq!(planned(&toggles), ["skip_log_bin"]);
    assert_eq!(of(&toggles, "skip_log_bin").label, Label::Durability);
    assert_eq!(base(&self::toggles("log_bin = /var/log/mysql/")), "log_bin = binlog");
    // Where binary logging is off, enabling the line is a toggle, without the directory.
    let mut catalog = catalog_without(&[]);
    catalog.options.get_mut("log_bin").unwrap().default = Some("OFF".to_owned());
    let file = OptionFile::parse(b"[mysqld]\n#log_bin = /var/log/mysql/mysql-bin.log\n");
    let flat = file.flatten(&MARIADB, &MemoryLoader::default()).unwrap();
    let toggles = build(&flat, &MARIADB, &catalog, &Wishes::default()).unwrap();
    assert_eq!(planned(&toggles), ["log_bin=mysql-bin.log"]);
    assert_eq!(toggled(&toggles, "log_bin=mysql-bin.log"), "log_bin = mysql-bin.log");
}

#[test]
fn risky_directions_are_labelled_by_value() {
    let table = [
        (
            "innodb_flush_log_at_trx_commit = 1\n#innodb_flush_log_at_trx_commit = 2",
            "innodb_flush_log_at_trx_commit=2",
            Label::Durability,
        ),
        (
            "innodb_flush_log_at_trx_commit = 2",
            "innodb_flush_log_at_trx_commit=default",
            Label::None,
        ),
        ("sync_binlog = 1\n#sync_binlog = 0", "sync_binlog=0", Label::Durability),
        ("sync_binlog = 0\n#sync_binlog = 1", "sync_binlog=1", Label::None),
        ("#skip-grant-tables", "skip_grant_tables", Label::Security),
        ("skip-grant-tables", "skip_grant_tables=default", Label::None),
        ("#skip-innodb_doublewrite", "skip_innodb_doublewrite", Label::Durability),
        ("#skip-log-bin", "skip_log_bin", Label::Durability),
        ("skip-log-bin", "log_bin=default", Label::None),
    ];
    for (lines, id, label) in table {
        assert_eq!(of(&toggles(lines), id).label, label, "{lines}");
    }
    let wished = toggles_with("", &also("skip-log-bin", None));
    assert_eq!(of(&wished, "skip_log_bin").label, Label::Durability);
    let wished = toggles_with("sync_binlog = 1", &set("sync-binlog", &["0", "100", "1"]));
    let labels: Vec<Label> = wished.planned().skip(1).map(|t| t.label).collect();
    assert_eq!(labels, [Label::Durability, Label::Durability, Label::None]);
}

#[test]
fn set_tries_values_of_options_in_the_file_and_not() {
    let wishes = set("max-connections", &["10", "2000"]);
    let there = toggles_with("max_connections = 5 # few", &wishes);
    assert_eq!(
        planned(&there),
        ["max_connections=default", "max_connections=10", "max_connections=2000"]
    );
    assert_eq!(toggled(&there, "max_connections=10"), "max_connections = 10 # few");
    let repeated = toggles_with("max_connections = 5\nmax_connections = 6", &wishes);
    assert_eq!(
        toggled(&repeated, "max_connections=10"),
        "max_connections = 5|max_connections = 10"
    );
    let missing = toggles_with("general_log", &wishes);
    assert_eq!(toggled(&missing, "max_connections=10"), "general_log|max_connections=10");
    assert_eq!(of(&missing, "max_connections=10").from.as_deref(), Some("151"));
    // A prefixed line can't hold the value: it goes, and another one comes.
    let prefixed = toggles_with("skip-performance-schema", &set("performance_schema", &["ON"]));
    assert_eq!(
        toggled(&prefixed, "performance_schema=ON"),
        "#skip-performance-schema|performance_schema=ON"
    );
    // Asked for twice is once.
    let twice = toggles_with("#max_connections = 10", &wishes);
    assert_eq!(planned(&twice), ["max_connections=10", "max_connections=2000"]);
}

#[test]
fn also_adds_toggles_that_the_file_does_not_have() {
    let bare = toggles_with("general_log", &also("skip-grant-tables", None));
    assert_eq!(toggled(&bare, "skip_grant_tables"), "general_log|skip_grant_tables");
    assert_eq!(of(&bare, "skip_grant_tables").label, Label::Security);
    let prefixed = toggles_with("", &also("skip_performance_schema", None));
    let row = of(&prefixed, "skip_performance_schema");
    // It is that option, whatever its prefix: the probe looks at its variable.
    assert_eq!((row.option.as_str(), row.to.as_deref()), ("performance_schema", Some("OFF")));
    let value = toggles_with("max_connections = 5", &also("max_connections", Some("7")));
    assert_eq!(toggled(&value, "max_connections=7"), "max_connections = 5|max_connections=7");
    assert_eq!(of(&value, "max_connections=7").from.as_deref(), Some("5"));
}

#[test]
fn only_and_skip_choose_by_name_and_id() {
    let lines = "max_connections = 5\nsort_buffer_size = 1M\nperformance_schema = ON";
    let chosen = |only: &[&str], skip: &[&str]| -> Vec<String> {
        let toggles = toggles_with(lines, &globs(only, skip));
        planned(&toggles).into_iter().map(str::to_owned).collect()
    };
    assert_eq!(chosen(&["max_*"], &[]), ["max_connections=default"]);
    assert_eq!(chosen(&["performance_schema=OFF"], &[]), ["performance_schema=OFF"]);
    assert_eq!(
        chosen(&[], &["performance_schema"]),
        ["max_connections=default", "sort_buffer_size=default"]
    );
    assert_eq!(chosen(&["*_size", "max_*"], &["max_*"]), ["sort_buffer_size=default"]);
    let toggles = toggles_with(lines, &globs(&["max_*", "myisam_*"], &["nothing"]));
    let left = of(&toggles, "sort_buffer_size=default");
    assert_eq!((left.status, left.detail.as_str()), (Status::LeftOut, "not asked for (--only)"));
    let wishes = globs(&["max_*", "myisam_*"], &["nothing"]);
    assert_eq!(wishes.unmatched(&toggles.list), ["--only myisam_*", "--skip nothing"]);
}

#[test]
fn both_sets_an_option_in_both_arms_and_toggles_it_no_more() {
    let lines = "innodb_buffer_pool_size = 48G\n#innodb_buffer_pool_size = 64G\ngeneral_log = 1";
    let toggles = toggles_with(lines, &both("innodb-buffer-pool-size", Some("1G")));
    assert_eq!(planned(&toggles), ["general_log=default"]);
    assert_eq!(
        base(&toggles),
        "#innodb_buffer_pool_size = 48G|#innodb_buffer_pool_size = 64G|general_log = 1|\
         innodb_buffer_pool_size=1G"
    );
    assert_eq!(
        toggled(&toggles, "general_log=default"),
        "#innodb_buffer_pool_size = 48G|#innodb_buffer_pool_size = 64G|#general_log = 1|\
         innodb_buffer_pool_size=1G"
    );
    assert_eq!(toggles.changed_in_both_arms, ["`innodb_buffer_pool_size=1G` in both arms: --both"]);
    // A prefix does not hide which option it is.
    let off = toggles_with("performance_schema = ON", &both("skip-performance-schema", None));
    assert_eq!(planned(&off), [""; 0]);
    assert_eq!(base(&off), "#performance_schema = ON|skip_performance_schema");
    // Another value of it can still be asked for, and is compared with that of both.
    let wishes =
        Wishes { set: set("max_connections", &["9"]).set, ..both("max_connections", Some("5")) };
    let toggles = toggles_with("max_connections = 100", &wishes);
    assert_eq!(planned(&toggles), ["max_connections=9"]);
    assert_eq!(of(&toggles, "max_connections=9").from.as_deref(), Some("5"));
    assert_eq!(
        toggled(&toggles, "max_connections=9"),
        "#max_connections = 100|max_connections=5|max_connections=9"
    );
    // What acts when a data directory is made, acts there too.
    let page = toggles_with("innodb_page_size = 4k", &both("innodb_page_size", Some("8k")));
    assert_eq!(page.initialise, ["--innodb-page-size=8k"]);
}

#[test]
fn drop_leaves_lines_out_of_both_arms() {
    let lines = "max_connections = 5\nmax_connections = 6\n#max_connections = 7\ngeneral_log = 1";
    let toggles = toggles_with(lines, &drop(&["max-connections"]));
    assert_eq!(
        base(&toggles),
        "#max_connections = 5|#max_connections = 6|#max_connections = 7|general_log = 1"
    );
    // The alternative is still one, of the default now.
    assert_eq!(planned(&toggles), ["max_connections=7", "general_log=default"]);
    assert_eq!(of(&toggles, "max_connections=7").from.as_deref(), Some("151"));
    assert_eq!(
        toggled(&toggles, "max_connections=7"),
        "#max_connections = 5|#max_connections = 6|max_connections = 7|general_log = 1"
    );
    // Whatever the spelling, and twice is no harm.
    let prefixed = toggles_with("skip-performance-schema", &drop(&["performance_schema"]));
    assert_eq!(base(&prefixed), "#skip-performance-schema");
    let prefixed = toggles_with(
        "performance_schema=1",
        &drop(&["skip_performance_schema", "performance-schema"]),
    );
    assert_eq!(base(&prefixed), "#performance_schema=1");
    // And a value of it can be tried all the same.
    let wishes = Wishes { set: set("sync_binlog", &["0"]).set, ..drop(&["sync_binlog"]) };
    let toggles = toggles_with("sync_binlog = 7", &wishes);
    assert_eq!(toggled(&toggles, "sync_binlog=0"), "#sync_binlog = 7|sync_binlog=0");
    // `--both` with it: the line goes once.
    let wishes = Wishes { both: both("sync_binlog", Some("3")).both, ..drop(&["sync_binlog"]) };
    assert_eq!(base(&toggles_with("sync_binlog = 7", &wishes)), "#sync_binlog = 7|sync_binlog=3");
}

#[test]
fn lines_that_the_server_does_not_know() {
    let lines =
        "query_cache_size = 1M\nloose-tokudb_x = 1\nmax_connections = 5\nold-passwords-x = 1";
    let told = toggles(lines);
    let unknown: Vec<(usize, &str)> =
        told.unknown.iter().map(|(place, name)| (place.line, name.as_str())).collect();
    assert_eq!(unknown, [(2, "query_cache_size"), (5, "old-passwords-x")]);
    assert_eq!(of(&told, "loose_tokudb_x").status, Status::LeftOut);
    let dropped = toggles_with(lines, &drop(&["query-cache-size"]));
    assert_eq!(dropped.unknown.len(), 1);
    assert!(base(&dropped).starts_with("#query_cache_size = 1M|loose-tokudb_x"));
    let all = toggles_with(lines, &Wishes { drop_unknown: true, ..Wishes::default() });
    assert!(all.unknown.is_empty());
    assert_eq!(
        base(&all),
        "#query_cache_size = 1M|loose-tokudb_x = 1|max_connections = 5|#old-passwords-x = 1"
    );
    assert_eq!(planned(&all), ["max_connections=default"]);
}

#[test]
fn wishes_that_can_not_be_met() {
    let fails = |wishes: &Wishes| {
        let error = built(&MYSQL, "[mysqld]\nmax_connections = 5\n", wishes).unwrap_err();
        (error.to_string(), error.hint().unwrap_or_default())
    };
    let (text, hint) = fails(&also("max_conections", None));
    assert_eq!(text, "--also max_conections: this server has no such option");
    assert_eq!(hint, "did you mean `max_connections`?");
    assert!(fails(&set("nothing_like_it", &["1"])).1.contains("cnfsweep options"));
    assert_eq!(fails(&drop(&["max_connection"])).1, "did you mean `max_connections`?");
    assert!(fails(&drop(&["general_log"])).0.contains("no active line"));
    for wishes in [
        also("datadir", Some("/x")),
        also("skip-ssl", None),
        also("disable_ssl", None),
        set("user", &["root"]),
        both("slow_query_log_file", Some("/x")),
        both("skip_ssl", None),
        also("master_password", Some("hunter2")),
        set("loose_master_password", &["hunter2"]),
    ] {
        let (text, _) = fails(&wishes);
        assert!(text.contains("not possible: ") && !text.contains("hunter2"), "{text}");
    }
}

#[test]
fn secrets_are_in_no_row() {
    let lines = "master_password = hunter2\n#master_password = hunter2\nwsrep_sst_auth = a:hunter2\n\
                 loose-clone_password = hunter2\nmax_connections = 5";
    let mut toggles = toggles_with(lines, &both("loose_master_password", Some("hunter2")));
    toggles.list.extend(self::toggles(lines).list);
    for toggle in &toggles.list {
        let shown = (&toggle.id, &toggle.from, &toggle.to, &toggle.detail);
        assert!(!format!("{shown:?}").contains("hunter2"), "{shown:?}");
    }
    let changed = toggles.changed_in_both_arms.join("\n");
    assert!(changed.contains("master_password") && !changed.contains("hunter2"), "{changed}");
}

#[test]
fn included_lines_are_told_with_their_file() {
    let more = b"# more\n[mysqld]\nmax_connections = 5\n#general_log\nnonsense\nport = 7\n";
    let loader = MemoryLoader::new().with_file(b"/etc/more.cnf", more);
    let base = b"[mysqld]\nsync_binlog = 0\n!include /etc/more.cnf\nsort_buffer_size = 1M\n";
    let file = OptionFile::parse(base.as_slice()).with_path(b"my.cnf");
    let flat = file.flatten(&MYSQL, &loader).unwrap();
    let toggles = build(&flat, &MYSQL, &catalog_without(&[]), &Wishes::default()).unwrap();
    let places: BTreeMap<&str, String> = toggles
        .list
        .iter()
        .map(|t| (t.id.as_str(), t.place.as_ref().unwrap().in_full(&"my.cnf")))
        .collect();
    assert_eq!(places["sync_binlog=default"], "my.cnf:2");
    assert_eq!(places["max_connections=default"], "/etc/more.cnf:3");
    assert_eq!(places["general_log"], "/etc/more.cnf:4");
    assert_eq!(places["port=7"], "/etc/more.cnf:6");
    assert_eq!(places["sort_buffer_size=default"], "my.cnf:4");
    assert_eq!(toggles.unknown[0].0.to_string(), "/etc/more.cnf:5");
    assert!(toggles.changed_in_both_arms[0].starts_with("/etc/more.cnf:6: `port` commented out"));
    // The change is made on the right line of the file that both servers read.
    let cnf = toggles.toggled_cnf(&MYSQL, of(&toggles, "max_connections=default")).unwrap();
    assert!(String::from_utf8(cnf).unwrap().contains("\n#max_connections = 5\n"));
}

#[test]
fn mariadb_takes_abbreviations_and_its_own_groups() {
    let base = "[mariadb]\ninnodb_flush_log_at_trx = 2\n[mysqld]\nskip-name-res\n";
    let toggles = built(&MARIADB, base, &Wishes::default()).unwrap();
    assert_eq!(
        planned(&toggles),
        ["innodb_flush_log_at_trx_commit=default", "skip_name_resolve=default"]
    );
    // MySQL 9.7 knows neither the group nor the abbreviation.
    let toggles = built(&MYSQL, base, &Wishes::default()).unwrap();
    assert_eq!(planned(&toggles), [""; 0]);
    assert_eq!(toggles.unknown.len(), 1);
}
