//! What a pair costs beyond warm-up and slices, against the floor: two servers started side by side
//! with plain `docker run`, cloned, ready, flushed, removed. Both in turns within one run, since the
//! machine's mood changes. `cargo bench --bench harness_time`; results stand in `README.md` here.

#![expect(clippy::print_stdout, reason = "a benchmark's output")]
#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a benchmark may stop at once")]

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use cnfsweep::journal::{SweepDir, is_calibration_arm};
use cnfsweep::load::{Address, Target, ping};

const IMAGE: &str = "cnfsweep/mysql:9.7";
const UID: u32 = 61_234;
/// Turns; each has as many floors and pairs as follow.
const TURNS: usize = 4;
const FLOORS: usize = 4;
const ROUNDS: usize = 2;

fn main() {
    let dir = std::env::temp_dir().join(format!("cnfsweep-bench-{}", std::process::id()));
    std::fs::create_dir_all(&dir).unwrap();
    let profile = dir.join("short.toml");
    let churn = include_str!("../profiles/churn.toml");
    let short = churn
        .replace("warmup = \"1s\"", "warmup = \"200ms\"")
        .replace("slice = \"200ms\"", "slice = \"100ms\"")
        .replace("slices = 20", "slices = 4");
    std::fs::write(&profile, short).unwrap();
    let base = dir.join("base.cnf");
    std::fs::write(&base, "[mysqld]\nsort_buffer_size = 256K\n").unwrap();
    // Makes the golden data directory, so that the first turn is like the others.
    sweep(&dir, &profile, &base, "warm");
    let golden = golden_volume();

    let (mut floors, mut pairs) = (Vec::new(), Vec::new());
    for turn in 0..TURNS {
        for _ in 0..FLOORS {
            floors.push(floor(&dir, &golden));
        }
        pairs.extend(sweep(&dir, &profile, &base, &format!("turn-{turn}")));
    }
    let (floor, pair) = (median(&mut floors), median(&mut pairs));
    println!("floor, two servers with plain docker run: {}", shown(&floors));
    println!("cnfsweep, a pair without warm-up and slices: {}", shown(&pairs));
    println!("ratio of medians: {:.2}", pair / floor);
    std::fs::remove_dir_all(&dir).unwrap();
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn shown(sorted: &[f64]) -> String {
    let at = |part: f64| sorted[((sorted.len() - 1) as f64 * part).round() as usize];
    format!(
        "median {:.2} s, quartiles {:.2} and {:.2} s, n = {}",
        at(0.5),
        at(0.25),
        at(0.75),
        sorted.len()
    )
}

/// Seconds of each pair beyond warm-up and slices, from the start of one to that of the next.
fn sweep(dir: &Path, profile: &Path, base: &Path, name: &str) -> Vec<f64> {
    let status = Command::new(env!("CARGO_BIN_EXE_cnfsweep"))
        .args(["--base".as_ref(), base.as_os_str(), "--bench".as_ref(), profile.as_os_str()])
        .args(["--also", "group_concat_max_len=2048", "--rounds", &ROUNDS.to_string()])
        .args(["--aa", "2", "--quiet", "--image", IMAGE, "--name", name])
        .args(["--out".as_ref(), dir.as_os_str()])
        .stdout(Stdio::null())
        .status()
        .expect("cnfsweep runs");
    // 1 is a failed calibration, which four slices of a tenth of a second may well give.
    assert!(matches!(status.code(), Some(0 | 1)), "the sweep failed: {status}");
    let sweep = SweepDir::new(dir.join(name));
    let file = sweep.sweep().expect("sweep.toml");
    let (trials, slices) = (sweep.trials().expect("trials"), sweep.slices().expect("slices"));
    let mut starts: Vec<(u32, jiff::Timestamp)> = trials
        .iter()
        .map(|t| {
            assert!(is_calibration_arm(&t.toggle) || t.toggle.starts_with("group_concat"));
            (t.pair, t.started_at.parse().expect("a time stamp"))
        })
        .collect();
    starts.dedup();
    starts
        .windows(2)
        .map(|two| {
            let all = two[1].1.duration_since(two[0].1).as_secs_f64();
            let load: f64 = slices.iter().filter(|s| s.pair == two[0].0).map(|s| s.seconds).sum();
            all - load - 2.0 * file.design.warmup_seconds
        })
        .collect()
}

fn golden_volume() -> String {
    let out = Command::new("docker")
        .args(["volume", "ls", "--quiet", "--filter", "label=cnfsweep.kind=golden"])
        .output()
        .expect("docker runs");
    let names = String::from_utf8(out.stdout).unwrap();
    // The newest has the data set that was just made.
    let created = |name: &str| {
        let format = ["volume", "inspect", "--format", "{{.CreatedAt}}", name];
        String::from_utf8(Command::new("docker").args(format).output().unwrap().stdout).unwrap()
    };
    names.lines().max_by_key(|name| created(name)).expect("a golden volume").to_owned()
}

/// Seconds for two servers: started, cloned, both answering, flushed, removed.
fn floor(dir: &Path, golden: &str) -> f64 {
    let sockets = [socket_dir(dir, "a"), socket_dir(dir, "b")];
    let began = Instant::now();
    let run = |socket: &PathBuf| {
        Command::new("docker")
            .args(["run", "--detach", "--network", "none", "--read-only", "--cap-drop", "ALL"])
            .args(["--security-opt", "no-new-privileges", "--user", &format!("{UID}:{UID}")])
            .args(["--cpuset-cpus", "0", "--memory", "4g", "--mount", "type=volume,dst=/tmp"])
            .args(["--mount", &format!("type=volume,src={golden},dst=/g,readonly,volume-nocopy")])
            .args(["--mount", &format!("type=bind,src={},dst=/s", socket.display())])
            .args(["--entrypoint", "/bin/sh", IMAGE, "-c", START])
            .stdout(Stdio::piped())
            .spawn()
            .expect("docker runs")
    };
    let started: Vec<_> = sockets.iter().map(run).collect();
    let ids: Vec<String> = started
        .into_iter()
        .map(|child| {
            let out = child.wait_with_output().unwrap();
            assert!(out.status.success(), "docker run failed");
            String::from_utf8(out.stdout).unwrap().trim().to_owned()
        })
        .collect();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        for socket in &sockets {
            let target = Target { address: Address::Socket(socket.join("m.sock")), cpu: None };
            while ping(&target, Duration::from_secs(5)).await.is_err() {
                assert!(began.elapsed() < Duration::from_secs(60), "a server is not ready");
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        }
    });
    rustix::fs::syncfs(std::fs::File::open("/var/lib/docker/volumes").expect("root")).unwrap();
    let removed = Command::new("docker")
        .args(["rm", "--force", "--volumes"])
        .args(&ids)
        .stdout(Stdio::null())
        .status()
        .unwrap();
    assert!(removed.success());
    let took = began.elapsed().as_secs_f64();
    sockets.iter().for_each(|dir| std::fs::remove_dir_all(dir).unwrap());
    took
}

const START: &str = "cp -a --reflink=auto --no-preserve=ownership /g/data /tmp/ && exec mysqld \
    --no-defaults --datadir=/tmp/data --socket=/s/m.sock --pid-file=/tmp/server.pid --tmpdir=/tmp \
    --secure-file-priv= --loose-mysqlx=OFF";

fn socket_dir(dir: &Path, name: &str) -> PathBuf {
    let path = dir.join(name);
    std::fs::create_dir(&path).unwrap();
    std::os::unix::fs::chown(&path, Some(UID), Some(UID)).expect("root");
    path
}
