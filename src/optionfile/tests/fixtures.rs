//! Files in the manner of real ones, `tests/fixtures/cnf/`.

use super::super::*;

const MYSQL: Product = Product::mysql(9, 7);
const MARIA: Product = Product::mariadb(11, 8);

macro_rules! fixture {
    ($name:literal) => {
        ($name, include_bytes!(concat!("../../../tests/fixtures/cnf/", $name)).as_slice())
    };
}

const WELL_FORMED: [(&str, &[u8]); 33] = [
    fixture!("cloud-init.cnf"),
    fixture!("container-image.cnf"),
    fixture!("cpanel.cnf"),
    fixture!("debian-mariadb.cnf"),
    fixture!("delayed-replica.cnf"),
    fixture!("drupal-copy-paste.cnf"),
    fixture!("galera-three-nodes.cnf"),
    fixture!("games-myisam.cnf"),
    fixture!("handgrown-chinese.cnf"),
    fixture!("handgrown-german.cnf"),
    fixture!("handgrown-latin1.cnf"),
    fixture!("ispconfig.cnf"),
    fixture!("latin1-tabs.cnf"),
    fixture!("loose-dump.cnf"),
    fixture!("magento.cnf"),
    fixture!("mariadb-galera.cnf"),
    fixture!("mariadb-layered.cnf"),
    fixture!("moodle.cnf"),
    fixture!("multi-instance.cnf"),
    fixture!("mysql55-huge.cnf"),
    fixture!("mysql84-replica.cnf"),
    fixture!("percona-wizard.cnf"),
    fixture!("plesk.cnf"),
    fixture!("proxysql-backend.cnf"),
    fixture!("rds-export.cnf"),
    fixture!("secure-server.cnf"),
    fixture!("small-vps.cnf"),
    fixture!("terabyte-box.cnf"),
    fixture!("ubuntu-layered.cnf"),
    fixture!("windows-crlf.cnf"),
    fixture!("wordpress-blog.cnf"),
    fixture!("xampp-windows.cnf"),
    fixture!("zabbix.cnf"),
];

/// What they include.
const BELOW_ETC_MYSQL: [(&str, &[u8]); 9] = [
    fixture!("etc-mysql/conf.d/a.cnf"),
    fixture!("etc-mysql/conf.d/mysqldump.cnf"),
    fixture!("etc-mysql/conf.d/zz-local.cnf.dpkg-old"),
    fixture!("etc-mysql/local.cnf"),
    fixture!("etc-mysql/mariadb.conf.d/50-server.cnf"),
    fixture!("etc-mysql/mariadb.conf.d/60-broken.cnf"),
    fixture!("etc-mysql/mariadb.conf.d/60-galera.cnf"),
    fixture!("etc-mysql/mysql.conf.d/90-tuning.cnf"),
    fixture!("etc-mysql/mysql.conf.d/mysqld.cnf"),
];

/// The includes that the files name.
fn loader() -> MemoryLoader {
    BELOW_ETC_MYSQL.iter().fold(MemoryLoader::new(), |loader, (name, content)| {
        loader.with_file(name.replace("etc-mysql", "/etc/mysql"), *content)
    })
}

fn file(name: &str) -> OptionFile {
    let found = WELL_FORMED.iter().find(|(known, _)| *known == name);
    OptionFile::parse(found.expect("a known file").1).with_path(name)
}

fn arguments(name: &str, product: &Product) -> Vec<String> {
    let read = file(name).arguments(product, &loader()).unwrap();
    read.list.iter().map(ToString::to_string).collect()
}

/// Numbers of lines with an active and with a commented-out option in a server group.
fn options(name: &str, product: &Product) -> (usize, usize) {
    let file = file(name);
    let in_group = |line: &Line| line.group.is_some_and(|group| product.reads(group));
    let count = |is: fn(&LineKind) -> bool| {
        file.lines().filter(|line| in_group(line) && is(&line.kind)).count()
    };
    (
        count(|kind| matches!(kind, LineKind::Option { .. })),
        count(|kind| matches!(kind, LineKind::CommentedOption { .. })),
    )
}

#[test]
fn they_are_accepted_and_rendered_as_they_are() {
    for (name, bytes) in WELL_FORMED {
        let file = file(name);
        assert_eq!(file.render(), bytes, "{name}");
        for product in [MYSQL, MARIA, Product::mysql(8, 0), Product::mariadb(10, 5)] {
            assert_eq!(file.check(&product), Ok(()), "{name}");
            let has_group = match name {
                "mariadb-galera.cnf" | "mariadb-layered.cnf" => product.vendor == Vendor::MariaDb,
                // All it has is in its includes.
                "ubuntu-layered.cnf" => false,
                _ => true,
            };
            assert_eq!(file.has_server_group(&product), has_group, "{name}");
            let flat = file.flatten(&product, &loader()).unwrap();
            let read = flat.file.arguments(&product, &MemoryLoader::new()).unwrap();
            let direct = file.arguments(&product, &loader()).unwrap();
            assert_eq!(read.printed(), direct.printed(), "{name}");
        }
    }
}

#[test]
fn their_options_are_counted_right() {
    for (name, mysql, maria) in [
        ("cloud-init.cnf", (10, 0), (10, 0)),
        ("container-image.cnf", (7, 5), (7, 5)),
        ("debian-mariadb.cnf", (6, 22), (6, 22)),
        ("games-myisam.cnf", (29, 1), (29, 1)),
        ("latin1-tabs.cnf", (7, 0), (7, 0)),
        ("loose-dump.cnf", (24, 0), (24, 0)),
        ("mariadb-galera.cnf", (0, 0), (22, 1)),
        ("multi-instance.cnf", (2, 0), (2, 0)),
        ("mysql55-huge.cnf", (23, 15), (23, 15)),
        ("mysql84-replica.cnf", (27, 0), (27, 0)),
        ("percona-wizard.cnf", (36, 0), (36, 0)),
        ("small-vps.cnf", (14, 2), (14, 2)),
        ("windows-crlf.cnf", (23, 3), (23, 3)),
        ("delayed-replica.cnf", (17, 3), (17, 3)),
        ("handgrown-german.cnf", (11, 5), (11, 5)),
        ("handgrown-latin1.cnf", (5, 1), (5, 1)),
        ("ispconfig.cnf", (11, 0), (13, 0)),
        ("mariadb-layered.cnf", (0, 0), (1, 1)),
        ("moodle.cnf", (12, 0), (12, 0)),
        ("ubuntu-layered.cnf", (0, 0), (0, 0)),
        ("wordpress-blog.cnf", (14, 0), (14, 0)),
        ("xampp-windows.cnf", (16, 2), (16, 2)),
    ] {
        assert_eq!((options(name, &MYSQL), options(name, &MARIA)), (mysql, maria), "{name}");
    }
}

#[test]
fn includes_differ_by_server() {
    // The include on the last line has no newline.
    let ports = |product| {
        let mut list = arguments("cloud-init.cnf", product);
        list.retain(|argument| argument.starts_with("--port"));
        list
    };
    assert_eq!(ports(&MYSQL), ["--port=3307", "--port=3308"]);
    assert_eq!(ports(&MARIA), ["--port=3307"]);
}

#[test]
fn values_come_out_as_the_server_gets_them() {
    for (name, product, argument) in [
        ("windows-crlf.cnf", MYSQL, "--datadir=C:/ProgramData/MySQL/MySQL Server 8.0/Data"),
        ("windows-crlf.cnf", MYSQL, "--secure-file-priv=C:\\ProgramData\\MySQL\\Uploads"),
        ("small-vps.cnf", MYSQL, "--wait_timeout=60"),
        ("small-vps.cnf", MYSQL, "--myisam_sort_buffer_size"),
        ("mariadb-galera.cnf", MARIA, "--wsrep_cluster_name=shop cluster #2"),
        ("mysql84-replica.cnf", MYSQL, "--replicate-wild-ignore-table=shop.tmp\\_%"),
        ("mysql84-replica.cnf", MYSQL, "--innodb_doublewrite=OFF"),
        ("latin1-tabs.cnf", MYSQL, "--max_connections=200"),
        ("latin1-tabs.cnf", MYSQL, "--log-error=C:\neu\tmp\\fehler.log"),
        ("loose-dump.cnf", MYSQL, "--loose-max_allowed_packet="),
        ("handgrown-german.cnf", MYSQL, "--init_connect=SET @büro = \"Zürich #1\""),
        ("handgrown-chinese.cnf", MARIA, "--report-host=主库#1"),
        ("handgrown-chinese.cnf", MARIA, "--\u{3000}thread_cache_size=64"),
        ("wordpress-blog.cnf", MYSQL, "--innodb_flush_method=“O_DIRECT”"),
        ("wordpress-blog.cnf", MYSQL, "--thread_cache_size: 100"),
        ("xampp-windows.cnf", MYSQL, "--plugin_dir=C:\\xampp\\mysql\\lib\\plugin\\"),
        ("xampp-windows.cnf", MYSQL, "--innodb_data_home_dir=C:\\xampp\new\\data\\"),
        ("proxysql-backend.cnf", MYSQL, "--slow_query_log=1;long_query_time=0.1"),
        ("mariadb-layered.cnf", MARIA, "--innodb_snapshot_isolation=OFF"),
        ("ubuntu-layered.cnf", MYSQL, "--max_connections=300"),
        ("galera-three-nodes.cnf", MARIA, "--wsrep_sst_auth=sstuser:auch-geheim#2"),
    ] {
        let list = arguments(name, &product);
        assert!(list.iter().any(|found| found == argument), "{name}: {argument:?} in {list:?}");
    }
    let latin1 = file("latin1-tabs.cnf").arguments(&MYSQL, &loader()).unwrap().printed();
    let value = b"--init-connect=SET @firma='M\xFCller & S\xF6hne #1'\n";
    assert!(latin1.windows(value.len()).any(|window| window == value));
}

#[test]
fn every_option_can_be_commented_out_set_and_enabled() {
    for (name, _) in WELL_FORMED {
        let file = file(name);
        for product in [MYSQL, MARIA] {
            for line in file.lines() {
                let n = line.number;
                match line.kind {
                    LineKind::Option { .. } => {
                        let off = file.comment_out(&product, n);
                        let off = off.unwrap_or_else(|error| panic!("{name}:{n}: {error}"));
                        // What is no option's name makes a comment like any other.
                        let kind = off.line(n).map(|line| line.kind);
                        if matches!(kind, Some(LineKind::CommentedOption { .. })) {
                            assert_eq!(off.enable(&product, n), Ok(file.clone()), "{name}:{n}");
                        }
                        file.set_value(&product, n, Some(b"a # \"b\" 'c'\\n"))
                            .unwrap_or_else(|error| panic!("{name}:{n}: {error}"));
                    }
                    LineKind::CommentedOption { .. } if line.group.is_some() => {
                        file.enable(&product, n)
                            .unwrap_or_else(|error| panic!("{name}:{n}: {error}"));
                    }
                    _ => {}
                }
            }
            let flat = file.flatten(&product, &loader()).unwrap().file;
            let probed = flat.append(&product, b"zz-probe", None).unwrap();
            let list = probed.arguments(&product, &MemoryLoader::new()).unwrap().list;
            assert_eq!(list.last().unwrap().name, b"zz-probe", "{name}");
        }
    }
}

#[test]
fn no_secret_survives_redaction() {
    let mut redacted = 0;
    for (name, bytes) in WELL_FORMED {
        let shown = file(name).redacted();
        let text = String::from_utf8_lossy(&shown).to_lowercase();
        for secret in ["geheim", "klartext"] {
            assert!(!text.contains(secret), "{name} shows {secret}");
        }
        redacted += usize::from(shown != bytes);
    }
    // Everywhere else nothing is touched.
    assert_eq!(redacted, 9);
}

#[test]
fn a_broken_file_tells_all_its_faults() {
    let (_, bytes) = fixture!("all-broken.cnf");
    let file = OptionFile::parse(bytes).with_path("all-broken.cnf");
    for product in [MYSQL, MARIA] {
        let errors = file.check(&product).unwrap_err();
        let told: Vec<_> = errors.iter().map(ToString::to_string).collect();
        assert_eq!(
            told,
            [
                "all-broken.cnf:1:1: an option must stand below a group header such as `[mysqld]`",
                "all-broken.cnf:4:1: a line that begins with `[` must have a `]`",
                "all-broken.cnf:6:1: `!include` and `!includedir` need a path behind them",
            ]
        );
    }
}
