//! How a sweep was measured and where, in plain words: method, notes, environment, command line.

use serde::Serialize;

use crate::journal::HostFacts;
use crate::report::headline::server;
use crate::report::model::{ADAPTIVE, Model};
use crate::report::numbers::{bytes, count, counted, duration, percent, plain_percent};
use crate::report::ranking::Ranking;
use crate::report::text::clean;

/// A name and what it stands for.
#[derive(Debug, Serialize)]
pub(in crate::report) struct Fact {
    pub name: String,
    pub value: String,
}

fn fact(name: &str, value: impl AsRef<str>) -> Fact {
    Fact { name: name.to_owned(), value: clean(value.as_ref()) }
}

/// What the notes of the contract mean.
const NOTES: [(&str, &str); 6] = [
    (
        "stalls",
        "a server stood still part of the time, which the effect without those moments hides",
    ),
    ("unstable", "its pairs differ more from each other than those of the other toggles"),
    (
        "client-bound",
        "the load generator was the limit, not the servers: the true effect may be larger",
    ),
    ("leak", "the idle server still used CPU (above 2 % of a loaded one), billed to its neighbour"),
    ("burst", "measured on young servers, before write-back had settled"),
    (
        "shared machine",
        "others used the CPUs, all the time or beside pairs that were therefore thrown away",
    ),
];

/// The notes that occur, explained.
pub(super) fn notes(ranking: &Ranking) -> Vec<Fact> {
    let occurs = |note: &str| ranking.rows().any(|row| row.note.contains(note));
    NOTES.iter().filter(|(note, _)| occurs(note)).map(|(note, words)| fact(note, words)).collect()
}

/// How it was measured, a paragraph each.
pub(super) fn method(model: &Model) -> Vec<String> {
    let design = &model.sweep.design;
    let operations = &model.operations;
    let comparing = if design.kind == "pairs" {
        format!(
            "For every measurement two fresh servers were started from copies of the same data \
             directory. One read the file as it is (base.cnf), the other the same file with one \
             change. Both ran at the same time on the same CPUs, and the load went to one of them \
             at a time: at least {} on one, then on the other, {} each, in an order that favours \
             neither. Only neighbouring stretches are compared, so that whatever else the machine \
             did then hit both. Such a pair of servers gives one number.",
            duration(design.slice_seconds),
            counted(design.slices as usize, "stretch", "stretches"),
        )
    } else {
        "Servers were started and loaded one after another, each from a copy of the same data \
         directory, with an unchanged server before every few changed ones. A changed server is \
         compared with the unchanged ones before and after it."
            .to_owned()
    };
    let arms = counted(design.aa as usize, "pair", "pairs");
    let mut rounds = format!(
        "Every round measured each toggle once, in fresh random order, and {arms} in which nothing \
         was changed (A/A)."
    );
    if design.aa == 0 {
        rounds = "Every round measured each toggle once, in fresh random order.".to_owned();
    }
    if design.mode == ADAPTIVE {
        rounds = format!(
            "First every toggle was screened: measured in rounds, each once per round in fresh \
             random order beside {arms} in which nothing was changed (A/A), until its case was \
             clear. Those that seemed to matter were then measured in fresh rounds, and what is \
             said of them rests on these alone."
        );
    }
    if let Some(noise) = model.noise {
        let sd = percent(noise.pair_sd_pct.abs());
        rounds.push_str(&format!(
            " These show how far apart identical servers come out: over {} a single one scattered \
             with a standard deviation of {}, and a toggle that changes nothing would come out \
             between {} and {}, 95 times in 100.",
            counted(noise.pairs as usize, "such pair", "such pairs"),
            sd.trim_start_matches('+'),
            percent(noise.low_pct),
            percent(noise.high_pct),
        ));
    }
    let delta = plain_percent(design.delta * 100.0);
    vec![
        comparing,
        rounds,
        format!(
            "The effect is the mean over pairs, outliers clipped, in {operations} per second; the \
             interval is the 95 % interval of that mean. The p values are adjusted for the number \
             of toggles: the chance that this report calls even one toggle faster or slower that \
             is not is at most 5 %. “No difference” means that the whole interval lies within \
             ±{delta}; “inconclusive” that it does not, and does not exclude zero convincingly \
             either; “not exercised” that the load never reached the code behind the option."
        ),
        "All of this holds for this load, this server version and this machine. It does not say \
         what the same line does under another load."
            .to_owned(),
    ]
}

/// Server, load and machine.
pub(super) fn environment(model: &Model) -> Vec<Fact> {
    let sweep = &model.sweep;
    let (design, placement, host) = (&sweep.design, &sweep.placement, &sweep.host);
    let cpus = if placement.shared_cpus {
        format!("servers {}, load {} (shared)", placement.server_cpus, placement.client_cpus)
    } else {
        format!("servers {}, load {}", placement.server_cpus, placement.client_cpus)
    };
    let facts = [
        fact("Sweep", &sweep.id),
        fact("Started", &sweep.started_at),
        fact("cnfsweep", format!("{}, file format {}", sweep.cnfsweep, sweep.format)),
        fact("Option file", &sweep.base.path),
        fact("SHA-256", &sweep.base.sha256),
        fact("Server", format!("{} ({})", server(sweep), sweep.server.version)),
        fact("Image", format!("{}, {}", sweep.image.reference, sweep.image.digest)),
        fact("Benchmark", &sweep.bench),
        fact("Connections", count(u64::from(design.threads))),
        fact(
            "Rounds",
            format!(
                "{} of {} {}, {} started, {}",
                model.rounds_done,
                design.rounds,
                if design.mode == ADAPTIVE { "at most" } else { "planned" },
                counted(model.pairs_done as usize, "pair", "pairs"),
                counted(design.aa as usize, "A/A arm", "A/A arms"),
            ),
        ),
        fact(
            "Slices",
            format!(
                "{} per server and pair, at least {} each, after {} of warm-up",
                design.slices,
                duration(design.slice_seconds),
                duration(design.warmup_seconds)
            ),
        ),
        fact("Seed", design.seed.to_string()),
        fact("CPUs", cpus),
        fact("Memory per server", bytes(placement.memory_bytes)),
        fact("Data", &placement.data),
        fact("Transport", &placement.transport),
        fact("Native AIO", &sweep.server.native_aio),
        fact("Flush method", &sweep.server.flush_method),
        fact("Open files", &sweep.server.open_files_limit),
        fact("Processor", format!("{}, {}", host.cpu, counted(host.cpus as usize, "CPU", "CPUs"))),
        fact("Memory", bytes(host.memory_bytes)),
        fact("Kernel", &host.kernel),
        fact("Governor", &host.governor),
        fact("Transparent huge pages", &host.thp),
        fact("Docker", format!("{}, {}, cgroup {}", host.docker, host.storage_driver, host.cgroup)),
        fact("Load before", format!("{:.2}", host.load_average)),
        fact("Turbo", &host.turbo),
        fact(
            "Stolen CPU time before",
            host.steal_pct.map_or(String::new(), |s| format!("{s:.1} %")),
        ),
        fact("File system of data", &host.file_system),
        fact("Durable writes of 4 KiB", writes(host)),
    ];
    facts.into_iter().filter(|fact| !fact.value.trim().is_empty()).collect()
}

fn writes(host: &HostFacts) -> String {
    match (host.fsync_p50_us, host.fsync_p99_us) {
        (Some(p50), Some(p99)) => {
            format!("median {:.2} ms, 99 % within {:.2} ms", p50 / 1e3, p99 / 1e3)
        }
        _ => String::new(),
    }
}

/// The command line, quoted for a shell where it must be.
pub(super) fn command(words: &[String]) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./=:,@%+".contains(c);
    let quoted = words.iter().map(|word| {
        let word = clean(word);
        if !word.is_empty() && word.chars().all(plain) {
            word
        } else {
            format!("'{}'", word.replace('\'', r"'\''"))
        }
    });
    quoted.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::command;

    #[test]
    fn a_command_can_be_pasted_into_a_shell() {
        let words = ["cnfsweep", "--set", "sql_mode=", "--base", "it's mine.cnf", ""];
        let words: Vec<String> = words.iter().map(|w| (*w).to_owned()).collect();
        assert_eq!(command(&words), r"cnfsweep --set sql_mode= --base 'it'\''s mine.cnf' ''");
    }
}
