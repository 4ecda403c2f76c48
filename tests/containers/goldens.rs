//! Golden data directories: made once, kept, told apart.

use cnfsweep::engine::{Engine as _, Golden};
use cnfsweep::optionfile::OptionFile;
use cnfsweep::profile::Profile;
use cnfsweep::sweep::{Event, golden, goldens};
use cnfsweep::toggle::{Action, Label, Status, Toggle, Toggles};

use crate::binary::with_own_data;
use crate::docker::{docker, inspect, volumes};
use crate::lab::Lab;
use crate::servers::{Server, mariadb_11_8, mysql_9_7};

fn own(name: &str) -> Profile {
    Profile::parse(name, name, &with_own_data(name)).expect("a profile")
}

/// Removes the golden directories whose data set has a table of that name: a test's own.
pub fn remove_own(table: &str) {
    for volume in volumes("cnfsweep.kind=golden") {
        let place = docker(&["volume", "inspect", "--format", "{{.Mountpoint}}", &volume]);
        let file = std::path::Path::new(place.trim()).join("data/cnfsweep").join(table);
        if file.with_extension("ibd").exists() {
            docker(&["volume", "rm", &volume]);
        }
    }
}

/// Makes the golden directory if need be; whether it had to.
async fn made(lab: &Lab, profile: &Profile, initialise: &[String]) -> (String, bool) {
    let mut made = false;
    let mut listen = |event: Event<'_>| made |= matches!(event, Event::Rows { .. });
    let golden = golden(&lab.engine, profile, initialise, &mut listen).await.expect("a directory");
    (golden.volume, made)
}

/// Once, then found; it is there when its sweep is over; and only its volume is.
async fn made_once_and_kept(server: Server) {
    let name = format!("kept{}", server.is_mysql);
    let profile = own(&name);
    let lab = Lab::open(server).await;
    let first = made(&lab, &profile, &[]).await;
    assert!(first.1);
    lab.engine.clean_up().await.expect("a clean end");
    assert_eq!(lab.containers(), Vec::<String>::new());
    let next = Lab::open(server).await;
    let second = made(&next, &profile, &[]).await;
    // Another data set, and options that act when it is made: directories of their own.
    let mut bigger = profile.clone();
    bigger.tables[0].rows += 1;
    let third = made(&next, &bigger, &[]).await;
    let pages = ["--innodb-page-size=8192".to_owned()];
    let fourth = made(&next, &profile, &pages).await;
    remove_own(&name);
    assert_eq!(second, (first.0.clone(), false));
    assert!(third.1 && fourth.1);
    assert!(third.0 != first.0 && fourth.0 != first.0 && third.0 != fourth.0);
}
on!(made_once_and_kept: mysql_9_7, mariadb_11_8);

/// The same data set for two servers: two directories.
#[test]
fn servers_do_not_share_one() {
    let volume = |server: Server| {
        let mut volume = String::new();
        crate::lab::run(
            async |server| {
                let lab = Lab::open(server).await;
                volume = lab.golden().await.volume;
            },
            server,
        );
        volume
    };
    let (mysql, mariadb) = (volume(mysql_9_7), volume(mariadb_11_8));
    assert_ne!(mysql, mariadb);
    let kind = "{{index .Labels \"cnfsweep.kind\"}}";
    assert_eq!(docker(&["volume", "inspect", "--format", kind, &mysql]).trim(), "golden");
}

/// Two that want the same directory at the same moment: one makes it, the other waits for that.
async fn two_at_once_make_one(server: Server) {
    let profile = own("twins");
    let (a, b) = (Lab::open(server).await, Lab::open(server).await);
    let (first, second) = tokio::join!(made(&a, &profile, &[]), made(&b, &profile, &[]));
    remove_own("twins");
    assert_eq!(first.0, second.0);
    assert!(first.1 != second.1, "one of them made it: {first:?} {second:?}");
}
on!(two_at_once_make_one: mariadb_11_8);

/// A directory that goes away under a sweep is told as that, not as a refusal of the server.
async fn one_that_goes_away_is_missed(server: Server) {
    let profile = own("gone");
    let lab = Lab::open(server).await;
    let golden = golden(&lab.engine, &profile, &[], &mut |_| {}).await.expect("a directory");
    let ready = lab.ready(&golden, "[mysqld]\n").await;
    assert_eq!(inspect(ready.server.id())["State"]["Running"], true);
    lab.engine.remove(ready.server).wait().await;
    remove_own("gone");
    let request =
        cnfsweep::engine::StartRequest { role: "late", cnf: b"[mysqld]\n", golden: &golden };
    let missed = lab.engine.start(&request).await.map(|_| ()).expect_err("no directory");
    assert!(missed.to_string().contains("is gone"), "{missed}");
    let there = volumes("cnfsweep.kind=golden");
    assert!(!there.contains(&golden.volume), "an empty one was made");
}
on!(one_that_goes_away_is_missed: mariadb_11_8);

/// An option that acts on what is created: its server's data directory is made with it, and one
/// that the server can't make is a refusal in its words, not the end of the sweep.
async fn a_toggle_may_have_its_own(server: Server) {
    let name = format!("fresh{}", server.is_mysql);
    let profile = own(&name);
    let lab = Lab::open(server).await;
    let toggle = |id: &str, data_dir: Option<&str>| Toggle {
        id: id.to_owned(),
        option: "innodb_file_per_table".to_owned(),
        with: Vec::new(),
        place: None,
        action: Action::Append,
        from: None,
        to: Some("OFF".to_owned()),
        label: Label::None,
        status: Status::Planned,
        detail: String::new(),
        edits: Vec::new(),
        data_dir: data_dir.map(|argument| vec![argument.to_owned()]),
    };
    let mut toggles = Toggles {
        file: OptionFile::parse("[mysqld]\n"),
        appended: Vec::new(),
        changed_in_both_arms: Vec::new(),
        scaled: Vec::new(),
        initialise: Vec::new(),
        unknown: Vec::new(),
        list: vec![
            toggle("usual", None),
            toggle("own", Some("--innodb-file-per-table=OFF")),
            toggle("impossible", Some("--innodb-page-size=5000")),
        ],
    };
    let made = goldens(&lab.engine, &profile, &mut toggles, &mut |_| {}).await;
    let made = made.expect("directories");
    assert_eq!(made.count(), 2);
    assert_eq!(made.of(&toggles.list[0]), &made.base);
    let own = made.of(&toggles.list[1]).clone();
    assert_ne!(own, made.base);
    // The table is in the system tablespace there, and a file of its own in the other.
    let there = |golden: &Golden| {
        let place = docker(&["volume", "inspect", "--format", "{{.Mountpoint}}", &golden.volume]);
        let data = std::path::Path::new(place.trim()).join("data/cnfsweep");
        data.join(&name).with_extension("ibd").exists()
    };
    let files = (there(&made.base), there(&own));
    let impossible = toggles.list[2].clone();
    let left = volumes("cnfsweep.kind=golden");
    remove_own(&name);
    docker(&["volume", "rm", &own.volume]);
    assert_eq!(files, (true, false));
    assert_eq!(impossible.status, Status::Refused);
    assert!(impossible.detail.contains("its data directory can't be made: "), "{impossible:?}");
    assert_eq!(left.iter().filter(|v| **v == made.base.volume || **v == own.volume).count(), 2);
    assert_eq!(lab.containers(), Vec::<String>::new());
}
on!(a_toggle_may_have_its_own: mysql_9_7, mariadb_11_8);
