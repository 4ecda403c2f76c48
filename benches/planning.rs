//! What comes before any server: the catalogue from the cache, and toggles of a file with 300
//! options. Asks nothing but the cache, which `cnfsweep options` fills.

#![expect(clippy::print_stdout, clippy::expect_used, reason = "a measurement for people")]

use std::hint::black_box;
use std::process::Command;
use std::time::{Duration, Instant};

use cnfsweep::catalog::{self, Catalog, Kind};
use cnfsweep::optionfile::{MemoryLoader, OptionFile, Product};
use cnfsweep::toggle::{Machine, Values, Wishes, build, never};

const IMAGE: &str = "cnfsweep/mysql:9.7";
const OPTIONS: usize = 300;
const TIMES: usize = 40;

fn main() {
    let output = Command::new("docker")
        .args(["image", "inspect", "--format", "{{.Id}}", IMAGE])
        .output()
        .expect("docker");
    let digest = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    let hint = "the catalogue is not in the cache: `cnfsweep options` first";
    let known = catalog::load(&digest).expect(hint);
    report("catalogue from the cache", || catalog::load(&digest).expect(hint));

    let text = option_file(&known);
    let product = Product::mysql(9, 7);
    for values in Values::ALL {
        let machine = Machine { cpus: 2, memory: 8 << 30, threads: 8 };
        let wishes = Wishes { values: *values, machine, ..Wishes::default() };
        let plan = || {
            let file = OptionFile::parse(text.clone());
            let flat = file.flatten(&product, &MemoryLoader::default()).expect("a file");
            let toggles = build(&flat, &product, &known, &wishes).expect("toggles");
            // The file of every server, as it will be read.
            let cnf = |toggle| toggles.toggled_cnf(&product, toggle).expect("a file").len();
            let bytes: usize = toggles.planned().map(cnf).sum();
            (toggles.planned().count(), bytes)
        };
        let (toggles, _) = plan();
        report(&format!("{OPTIONS} options, --values {values}: {toggles} toggles"), plan);
    }
}

/// Half of the lines active, half commented out, each at another value than the default.
fn option_file(known: &Catalog) -> String {
    let lines = known
        .options
        .iter()
        .filter(|(name, info)| never(name).is_none() && info.variable)
        .filter_map(|(name, info)| {
            let value = match (info.kind, info.default.as_deref()?) {
                (Kind::Integer, text) => (text.parse::<u64>().ok()? / 2 + 1).to_string(),
                (_, text) => text.to_owned(),
            };
            Some(format!("{name} = {value}"))
        })
        .take(OPTIONS)
        .enumerate()
        .map(|(i, line)| if i % 2 == 0 { line } else { format!("#{line}") });
    std::iter::once("[mysqld]".to_owned()).chain(lines).collect::<Vec<_>>().join("\n") + "\n"
}

fn report<T>(what: &str, work: impl Fn() -> T) {
    let mut times: Vec<Duration> = (0..TIMES)
        .map(|_| {
            let began = Instant::now();
            black_box(work());
            began.elapsed()
        })
        .collect();
    times.sort_unstable();
    let ms = |time: Duration| time.as_secs_f64() * 1e3;
    println!(
        "{what}: median {:.1} ms, slowest of {TIMES} {:.1} ms",
        ms(times[TIMES / 2]),
        ms(times[TIMES - 1])
    );
}
