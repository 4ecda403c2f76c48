//! Nobody gets in, and nothing gets out: what holds for every server, also for one that asks for no
//! password.

use std::net::TcpStream;
use std::os::unix::fs::MetadataExt as _;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use cnfsweep::engine::{Address, Server as _};
use serde_json::Value;

use crate::docker::{docker, inspect};
use crate::lab::{Lab, MEMORY, variable};
use crate::servers::Server;

/// Container, socket and ways in, from the outside; the same for a server without accounts.
async fn nobody_gets_in(server: Server) {
    let lab = Lab::open(server).await;
    let golden = lab.golden().await;
    for cnf in ["[mysqld]\n", "[mysqld]\nskip_grant_tables\n"] {
        let ready = lab.ready(&golden, cnf).await;
        let id = ready.server.id();
        let about = inspect(id);
        bounded(&about);
        only_loopback(&about);
        let Address::Socket(socket) = &ready.server.endpoint().address else {
            panic!("no socket");
        };
        only_its_user_may_connect(socket, &about);
        // It does listen, inside of its own network, where there is nobody else.
        let deaf = cnf.contains("grant") && server.is_mysql;
        let expected = if deaf { "ON" } else { "OFF" };
        assert_eq!(variable(&ready.target, "skip_networking").await, expected);
    }
}
on!(nobody_gets_in: mysql_9_7, mariadb_11_8);

fn bounded(about: &Value) {
    let host = &about["HostConfig"];
    assert_eq!(host["NetworkMode"], "none");
    assert_eq!(host["CapDrop"], serde_json::json!(["ALL"]));
    assert_eq!(host["CapAdd"], Value::Null);
    assert_eq!(host["Privileged"], false);
    assert_eq!(host["ReadonlyRootfs"], true);
    assert_eq!(host["Memory"], MEMORY);
    assert_eq!(host["MemorySwap"], MEMORY);
    assert!(host["PidsLimit"].as_i64().is_some_and(|n| n > 0), "{}", host["PidsLimit"]);
    let options = host["SecurityOpt"].as_array().expect("options");
    assert!(options.iter().any(|o| o == "no-new-privileges"), "{options:?}");
    assert!(!options.iter().any(|o| o.as_str().is_some_and(|o| o.contains("unconfined"))));
    for (what, published) in [("PortBindings", host), ("Ports", &about["NetworkSettings"])] {
        let ports = published[what].as_object().map(serde_json::Map::len).unwrap_or_default();
        assert_eq!(ports, 0, "{what}");
    }
    // What the kernel makes of it: no capability in any set, and none to be had.
    let status = std::fs::read_to_string(format!("/proc/{}/status", about["State"]["Pid"]));
    let status = status.expect("the server's process");
    let field = |name: &str| {
        let line = status.lines().find(|l| l.starts_with(name)).expect("a field of status");
        line.split_whitespace().nth(1).expect("a value").to_owned()
    };
    for set in ["CapInh:", "CapPrm:", "CapEff:", "CapBnd:", "CapAmb:"] {
        assert_eq!(field(set), "0000000000000000", "{set}");
    }
    assert_eq!(field("NoNewPrivs:"), "1");
    assert_eq!(field("Seccomp:"), "2");
    assert_ne!(field("Uid:"), "0");
}

fn only_loopback(about: &Value) {
    let pid = &about["State"]["Pid"];
    let interfaces = std::fs::read_to_string(format!("/proc/{pid}/net/dev")).expect("interfaces");
    let names: Vec<&str> =
        interfaces.lines().filter_map(|l| l.split_once(':')).map(|(n, _)| n.trim()).collect();
    let up: Vec<&&str> = names.iter().filter(|n| !is_dormant_tunnel(n)).collect();
    assert_eq!(up, [&"lo"]);
    let routes = std::fs::read_to_string(format!("/proc/{pid}/net/route")).expect("routes");
    assert_eq!(routes.lines().count(), 1, "{routes}");
    // Nothing of it can be reached from here: no address, and nothing on the port where it
    // listens inside.
    assert_eq!(about["NetworkSettings"]["IPAddress"].as_str().unwrap_or_default(), "");
    let outside = std::fs::read_to_string("/proc/self/net/tcp").expect("sockets");
    let listening = |port: &str| {
        outside.lines().any(|l| {
            let fields: Vec<&str> = l.split_whitespace().collect();
            fields.get(1).is_some_and(|a| a.ends_with(port)) && fields.get(3) == Some(&"0A")
        })
    };
    if !listening(":0CEA") {
        let address = "127.0.0.1:3306".parse().expect("an address");
        assert!(TcpStream::connect_timeout(&address, Duration::from_secs(2)).is_err());
    }
}

/// Some kernels make these in every new network namespace; they are down.
fn is_dormant_tunnel(name: &str) -> bool {
    ["tunl", "sit", "ip6tnl", "gre", "erspan", "ip_vti", "ip6_vti", "ip6gre", "teql"]
        .iter()
        .any(|kind| name.starts_with(kind))
}

fn only_its_user_may_connect(socket: &Path, about: &Value) {
    let directory = socket.parent().expect("a directory");
    let meta = std::fs::metadata(directory).expect("the socket's directory");
    let user = about["Config"]["User"].as_str().expect("a user");
    assert_eq!(format!("{}:{}", meta.uid(), meta.gid()), user);
    assert_eq!(meta.mode() & 0o7777, 0o700);
    assert!(socket.as_os_str().len() < 100, "{}", socket.display());
    UnixStream::connect(socket).expect("its maker may connect");
    // Another user: the same, as a process of its own.
    let denied = as_nobody(&["test", "-e"], socket);
    assert!(!denied, "another user sees {}", socket.display());
    let denied = as_nobody(&["test", "-r"], &directory.join("my.cnf"));
    assert!(!denied, "another user reads the option file");
    assert!(as_nobody(&["test", "-e"], &PathBuf::from("/tmp")), "setpriv works");
    // And through the daemon's own door: with a program that really connects.
    let program = "use IO::Socket::UNIX; exit(IO::Socket::UNIX->new(Peer => $ARGV[0]) ? 0 : 1)";
    if as_nobody(&["perl", "-e", "use IO::Socket::UNIX", "--"], &PathBuf::new()) {
        assert!(!as_nobody(&["perl", "-e", program], socket), "another user connects");
    }
}

/// Whether a command goes well for a user who has nothing to do with it. Only root can ask.
fn as_nobody(command: &[&str], path: &Path) -> bool {
    let done = Command::new("setpriv")
        .args(["--reuid", "65534", "--regid", "65534", "--clear-groups"])
        .args(command)
        .arg(path)
        .output();
    done.expect("setpriv").status.success()
}

/// Not even what an image declares as a volume stays behind; and inside nothing can be written but
/// the data.
async fn nothing_can_be_written_but_data(server: Server) {
    let lab = Lab::open(server).await;
    let golden = lab.golden().await;
    let ready = lab.ready(&golden, "[mysqld]\n").await;
    let id = ready.server.id();
    for path in ["/", "/etc", "/usr", "/var", "/g", "/g/data"] {
        let script = format!("touch {path}/trace 2>&1 || echo denied");
        let said = docker(&["exec", id, "sh", "-c", &script]);
        assert!(said.contains("denied"), "{path}: {said}");
    }
    let mounts = inspect(id)["Mounts"].as_array().expect("mounts").clone();
    let mut places: Vec<String> =
        mounts.iter().map(|m| format!("{} {}", m["Destination"], m["RW"])).collect();
    places.sort();
    assert_eq!(places, ["\"/g\" false", "\"/s\" true", "\"/tmp\" true"]);
}
on!(nothing_can_be_written_but_data: mysql_9_7, mariadb_11_8);
