//! Docker as anybody else sees it: the command-line client, not the code that is tested.

use std::process::Command;

use serde_json::Value;

/// Runs `docker …`: whether it went well, and everything that it printed.
pub fn try_docker(arguments: &[&str]) -> (bool, String) {
    let done = Command::new("docker").args(arguments).output();
    let done = done.unwrap_or_else(|e| panic!("could not run `docker` ({e}); see `make deps`"));
    let text = [done.stdout, done.stderr].concat();
    (done.status.success(), String::from_utf8_lossy(&text).into_owned())
}

/// Runs `docker …` and gives what it printed.
pub fn docker(arguments: &[&str]) -> String {
    let (well, text) = try_docker(arguments);
    assert!(well, "`docker {}`: {text}", arguments.join(" "));
    text
}

/// What `docker inspect` says.
pub fn inspect(id: &str) -> Value {
    serde_json::from_str::<Value>(&docker(&["inspect", id])).expect("JSON")[0].take()
}

/// Ids of the containers with a label, dead or alive.
pub fn containers(label: &str) -> Vec<String> {
    let filter = format!("label={label}");
    words(&docker(&["ps", "--all", "--quiet", "--filter", &filter]))
}

/// Names of the volumes with a label.
pub fn volumes(label: &str) -> Vec<String> {
    let filter = format!("label={label}");
    words(&docker(&["volume", "ls", "--quiet", "--filter", &filter]))
}

/// What one process of cnfsweep started and has not removed: containers and volumes by name.
pub fn left_by(process: u32) -> Vec<String> {
    let is_its = |label: &str| label.split('/').nth(1) == Some(process.to_string().as_str());
    let mut left = Vec::new();
    for (list, what) in [(&["ps", "--all"][..], "container"), (&["volume", "ls"], "volume")] {
        let name = if what == "container" { "{{.Names}}" } else { "{{.Name}}" };
        let format = format!("{name} {{{{.Label \"cnfsweep.process\"}}}}");
        let mut arguments = list.to_vec();
        arguments.extend(["--filter", "label=cnfsweep.process", "--format", &format]);
        for line in docker(&arguments).lines() {
            let (name, label) = line.split_once(' ').unwrap_or((line, ""));
            if is_its(label) {
                left.push(format!("{what} {name}"));
            }
        }
    }
    left
}

fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}
