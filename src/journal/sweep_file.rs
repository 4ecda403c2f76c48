//! `sweep.toml`: what was measured, with what and where. Written once, before the first pair;
//! secrets are redacted before they get here.

use serde::{Deserialize, Serialize};

/// The contents of `sweep.toml`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SweepFile {
    /// Version of the file formats of this directory.
    pub format: u32,
    /// `<UTC time>-<bench>-<short random>`, also the directory's name unless `--name` was given.
    pub id: String,
    /// Version of cnfsweep.
    pub cnfsweep: String,
    /// UTC.
    pub started_at: String,
    /// The command line, secrets redacted.
    pub command_line: Vec<String>,
    /// Name of the profile.
    pub bench: String,
    /// Profile, as TOML text, in full.
    pub profile: String,
    /// The option file.
    pub base: BaseInfo,
    /// The server image.
    pub image: ImageInfo,
    /// The unchanged server, as it was seen in the probe.
    pub server: ServerInfo,
    /// The plan.
    pub design: Design,
    /// Where the two servers and the load ran.
    pub placement: Placement,
    /// The machine.
    pub host: HostFacts,
}

/// The option file of a sweep.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BaseInfo {
    /// Path as it was given.
    pub path: String,
    /// SHA-256 of its bytes, in hex.
    pub sha256: String,
    /// What was changed in both arms, a line each: paths remapped, `--both`, `--drop`.
    pub changed_in_both_arms: Vec<String>,
    /// Sizes that were shrunk in both arms to fit this machine, a line each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scaled: Vec<String>,
    /// Values that were redacted in every file of the directory.
    pub redacted: Vec<Redaction>,
}

/// A secret that was left out of every file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Redaction {
    /// The option's name.
    pub option: String,
    /// The included file that has the line; none for the base file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub included: Option<String>,
    /// Line in that file.
    pub line: usize,
}

/// The server image of a sweep.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ImageInfo {
    /// As it was given.
    pub reference: String,
    /// Docker's image id (`sha256:…`).
    pub digest: String,
}

/// The unchanged server of a sweep.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ServerInfo {
    /// `mysql-9.7`, `mariadb-11.8` …
    pub product: String,
    /// VERSION().
    pub version: String,
    /// Value of `innodb_use_native_aio`, as it came out.
    pub native_aio: String,
    /// Value of `innodb_flush_method`, as it came out.
    pub flush_method: String,
    /// Open files that the server may have.
    pub open_files_limit: String,
    /// Every `[Warning]` of the unchanged server's start.
    pub warnings: Vec<String>,
}

/// The plan of a sweep.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Design {
    /// `pairs`.
    pub kind: String,
    /// Seed of every draw.
    pub seed: u64,
    /// Version of the way the schedule is drawn.
    pub schedule: u32,
    /// `rounds`: as many for all toggles; `adaptive`: screening, then confirmation.
    pub mode: String,
    /// Rounds planned; the most there can be, where the mode is adaptive.
    pub rounds: u32,
    /// A/A arms per round.
    pub aa: u32,
    /// The smallest difference of interest, as a fraction (0.05).
    pub delta: f64,
    /// Slices per arm and pair.
    pub slices: u32,
    /// Shortest slice, in seconds.
    pub slice_seconds: f64,
    /// Warm-up per arm, in seconds.
    pub warmup_seconds: f64,
    /// Connections.
    pub threads: u32,
}

/// Where servers and load ran.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Placement {
    /// CPUs of both servers (`0-1`).
    pub server_cpus: String,
    /// CPUs of the load (`2`).
    pub client_cpus: String,
    /// Whether the load had to share the servers' CPUs.
    pub shared_cpus: bool,
    /// Memory of each server, bytes.
    pub memory_bytes: u64,
    /// `volume` or `tmpfs`.
    pub data: String,
    /// `socket` or `tcp`.
    pub transport: String,
}

/// The machine of a sweep.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HostFacts {
    /// CPU model.
    pub cpu: String,
    /// Logical CPUs.
    pub cpus: u32,
    /// Memory, bytes.
    pub memory_bytes: u64,
    /// Kernel release.
    pub kernel: String,
    /// CPU frequency governor, or `unknown`.
    pub governor: String,
    /// Transparent huge pages, or `unknown`.
    pub thp: String,
    /// Docker's version.
    pub docker: String,
    /// Docker's storage driver.
    pub storage_driver: String,
    /// cgroup version.
    pub cgroup: String,
    /// Load average over a minute before the sweep.
    pub load_average: f64,
    /// Whether CPUs raise their clock above its nominal value: `on`, `off`, `unknown`.
    #[serde(default)]
    pub turbo: String,
    /// Whether a CPU of the servers and one of the load are one core.
    #[serde(default)]
    pub smt_shared: bool,
    /// CPU time that the hypervisor took in the second before the sweep, percent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steal_pct: Option<f64>,
    /// Swap in use, bytes.
    #[serde(default)]
    pub swap_used_bytes: u64,
    /// Memory that was free before the sweep, bytes.
    #[serde(default)]
    pub memory_free_bytes: u64,
    /// The file system that data directories are on.
    #[serde(default)]
    pub file_system: String,
    /// What is free on it, bytes.
    #[serde(default)]
    pub disk_free_bytes: u64,
    /// Median of the times of 200 durable writes of 4 KiB on it, µs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fsync_p50_us: Option<f64>,
    /// Their 99th percentile, µs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fsync_p99_us: Option<f64>,
    /// What is wrong with the machine, and what helps, a line each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}
