//! Passwords and keys of an option file, in every kind of line, against every output: none of them
//! may appear in what is printed or in any file that a sweep leaves.

#![expect(clippy::unwrap_used, reason = "what can't be set up has failed")]

mod common;

use std::path::Path;

use common::{Ran, Test};

/// What every secret of these tests begins with.
const MARK: &str = "hush";

/// Secrets in lines of all kinds.
const BASE: &str = "\
# The root password: hush-prose
[mysqld]
performance_schema = ON
max_connections = 500
replica_password = hush-plain
master-password=\"hush quoted hush\" # it was hush-before
#report_password = hush-commented
;report-password='hush-semicolon'
## loose-wsrep_sst_auth=sst:hush-twice
wsrep_sst_auth = 'sst:hush#hash'
loose-ssl_passphrase=hush-passphrase
loose_group_replication_recovery_password = hush-loose
skip-loose-replica-password=hush-skip
authentication_ldap_simple_bind_root_pwd=hush-pwd
init_connect = \"SET PASSWORD FOR x IDENTIFIED BY 'hush-sql'\"
wsrep_provider_options=\"gcache.size=1G; socket.ssl_password=hush-item; a=b\"
#init_connect=\"ALTER USER x IDENTIFIED BY 'hush-commented-sql'\"
#wsrep_notify_cmd = mysql://root:hush-commented-url@host/db
wsrep_notify_cmd = mysql://root:hush-url@host/db
password hush-without-equals-sign
!include ./more.cnf
!include ./password=hush-path
!require password=hush-directive
[client]
password = hush-client
#password=hush-client-commented
[mysqldump]
password=\"hush-dump\"
[mysqld]
general_log = ON
";

const MORE: &str = "\
[mysqld]
replica-password = hush-included
#master_password=hush-included-commented
[client]
password=hush-included-client
";

/// Options of the base file that the server knows; the rest is unknown to it.
const KNOWN: &str = r#"
[[option]]
name = "master_password"
default = ""

[[option]]
name = "init_connect"
default = ""

[[option]]
name = "wsrep_sst_auth"
default = ""

[[option]]
name = "wsrep_provider_options"
default = ""

[[option]]
name = "wsrep_notify_cmd"
default = ""
"#;

fn with_more(test: Test) -> Test {
    test.file("more.cnf", MORE).script(KNOWN)
}

fn no_secret_in(place: &str, bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let told: Vec<&str> =
        text.lines().filter(|line| line.to_lowercase().contains(MARK)).take(5).collect();
    assert!(told.is_empty(), "{place} tells a secret: {told:#?}");
}

fn quiet(ran: Ran) -> Ran {
    no_secret_in("stdout", ran.out.as_bytes());
    no_secret_in("stderr", ran.err.as_bytes());
    ran
}

/// Looks through all files below a directory; gives how many there are.
fn search(dir: &Path) -> usize {
    std::fs::read_dir(dir)
        .unwrap()
        .map(|entry| {
            let path = entry.unwrap().path();
            if path.is_dir() {
                return search(&path);
            }
            no_secret_in(&path.display().to_string(), &std::fs::read(&path).unwrap());
            1
        })
        .sum()
}

#[test]
fn a_sweep_and_its_report_tell_none() {
    for more in [&["-v"][..], &["-q"]] {
        let test = with_more(Test::sweep(BASE))
            .args(["--rounds", "2", "--aa", "0", "--seed", "1", "--drop-unknown"])
            .args(["--both", "loose-replica_password=hush-both"])
            .args(["--both=master-password=hush quoted"])
            .args(["--both", "init_connect=ALTER USER x IDENTIFIED BY 'hush'"])
            .args(more.iter().copied());
        let ran = quiet(test.run().ok());
        let report = ran.report();
        no_secret_in("the report's stdout", &report.stdout);
        no_secret_in("the report's stderr", &report.stderr);
        let files = search(ran.results().root());
        assert!(files > 10, "{files}");
        assert!(ran.read("base.cnf").contains("replica_password = ********"));
        // The catalogue of the server's options is kept, too.
        if ran.path("cache").exists() {
            search(&ran.path("cache"));
        }
    }
}

#[test]
fn a_plan_tells_none() {
    for more in [&[][..], &["--format", "csv"]] {
        let test = with_more(Test::plan(BASE)).args(["--drop-unknown"]).args(more.iter().copied());
        quiet(test.run().ok());
    }
}

/// The arguments of a file are told as the server's own tool tells them: MySQL's hides `password`.
#[test]
fn arguments_are_what_my_print_defaults_prints() {
    let base = "[mysqld]\npassword = one\nreplica_password = two\npassword\n";
    for (product, more, hidden) in [
        ("mysql-9.7", &[][..], true),
        ("mysql-9.7", &["--show"], false),
        ("mariadb-11.8", &[], false),
        ("mariadb-10.5", &["--show"], false),
    ] {
        let test = Test::bare().file("my.cnf", base);
        let test = test.args(["args", "--base", "my.cnf", "--product", product]);
        let ran = test.args(more.iter().copied()).run().ok();
        let password = if hidden { "*****" } else { "one" };
        let all = format!("--password={password}\n--replica_password=two\n--password\n");
        assert_eq!(ran.out, all, "{product} {more:?}");
    }
}

#[test]
fn errors_tell_none() {
    let lines = [
        "replica_password=hush\n[mysqld]\n",
        "[mysqld]\npassword=hush\n[password=hush\n",
        "\u{feff}password = hush\n",
        "[mysqld]\n!includedir ./password=hush\n",
        "[mysqld]\n!includedir ./none # password=hush\n",
        "[client]\npassword=hush\n",
    ];
    for base in lines {
        quiet(Test::sweep(base).run().fails(1));
        let args = Test::bare().file("my.cnf", base);
        quiet(args.args(["args", "--base", "my.cnf", "--product", "mariadb-11.8"]).run());
    }
    // What the server doesn't know is told with its words, and line by line.
    quiet(with_more(Test::sweep(BASE)).run().fails(1)).says("unknown");
}

#[test]
fn a_server_that_repeats_its_arguments_tells_none() {
    let refuse = "\n[[refuse]]\noption = \"max_connections\"\nvalue = \"500\"\nmessage = \"\
                  [ERROR] [Server] unknown variable 'replica_password=hush-server'\"\n";
    quiet(with_more(Test::sweep(BASE)).args(["--drop-unknown"]).script(refuse).run().fails(1));
}

#[test]
fn a_command_line_that_is_wrong_tells_none() {
    for args in [
        &["--set", "replica_password=hush,hush2"][..],
        &["--also", "replica-password=hush"],
        &["--also=loose_replica_password=hush"],
        &["--set", "init_connect=SET PASSWORD FOR x IDENTIFIED BY 'hush'"],
        &["--also", "wsrep_notify_cmd=mysql://root:hush@host/"],
        &["--set", "no_such_password=hush"],
        &["--also", "no_such_password=hush"],
        &["--both", "no_such_password=hush"],
        &["--both", "replica_passwort_password=hush,hush"],
        &["--set", "password"],
    ] {
        let ran = with_more(Test::sweep(BASE)).args(["--drop-unknown"]).args(args.iter().copied());
        let ran = quiet(ran.run());
        assert!(ran.code == Some(2), "{args:?}: {}", ran.err);
    }
}
