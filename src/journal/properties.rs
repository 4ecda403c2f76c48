//! What is written comes back, whatever is in it.

use std::collections::HashMap;
use std::path::PathBuf;

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::strategy::ValueTree as _;

use super::read::slug;
use super::*;

/// Text as foreign as it gets: quotes, commas, line ends, other scripts.
fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        "[ -~]{0,12}",
        "[a\",;\r\n\t=#'\\\\]{0,8}",
        "\\PC{0,8}",
        Just("größer 中文 \u{1f600}".to_owned()),
        Just(String::new()),
    ]
}

/// An empty field of a CSV file is no value: there is no empty one.
fn value() -> impl Strategy<Value = Option<String>> {
    option::of(text()).prop_map(|text| text.filter(|text| !text.is_empty()))
}

fn number() -> impl Strategy<Value = Option<f64>> {
    option::of(prop_oneof![
        any::<f64>().prop_filter("finite", |n| n.is_finite()),
        Just(0.0),
        Just(-0.1),
        Just(1e-300),
        Just(1.0 / 3.0),
    ])
}

fn arm() -> impl Strategy<Value = Arm> {
    select(Arm::ALL)
}

prop_compose! {
    fn toggle_row()(
        (toggle, option, detail) in (text(), text(), text()),
        line in option::of(any::<usize>()),
        (from, to) in (value(), value()),
        action in select(Action::ALL),
        label in select(Label::ALL),
        status in select(Status::ALL),
    ) -> ToggleRow {
        ToggleRow { toggle, option, line, action, from, to, label, status, detail }
    }
}

prop_compose! {
    fn trial_row()(
        (order, toggle, engine, statement) in (text(), text(), text(), text()),
        (message, started_at) in (text(), text()),
        (round, pair, threads, slices) in any::<(u32, u32, u32, u32)>(),
        (ops, errors, stalls) in any::<(Option<u64>, Option<u64>, Option<u32>)>(),
        arm in arm(),
        outcome in select(Outcome::ALL),
        n in vec(number(), 10),
    ) -> TrialRow {
        TrialRow {
            round, pair, order, toggle, arm, threads, engine, statement, slices, ops, errors,
            seconds: n[0],
            ops_per_s: n[1],
            mean_us: n[2],
            p50_us: n[3],
            p95_us: n[4],
            p99_us: n[5],
            max_us: n[6],
            server_cpu_us_per_op: n[7],
            client_cpu_us_per_op: n[8],
            log_ratio: n[9],
            stalls, outcome, message, started_at,
        }
    }
}

prop_compose! {
    fn slice_row()(
        (pair, sequence, ops, errors) in any::<(u32, u32, u64, u64)>(),
        arm in arm(),
        seconds in 0.0..1e9_f64,
        n in vec(number(), 3),
    ) -> SliceRow {
        SliceRow {
            pair, arm, sequence, ops, errors, seconds,
            server_cpu_us: n[0],
            idle_cpu_us: n[1],
            client_cpu_us: n[2],
        }
    }
}

prop_compose! {
    fn histogram_row()(pair: u32, arm in arm(), statement in text(), hdr in text())
        -> HistogramRow
    {
        HistogramRow { pair, arm, statement, hdr }
    }
}

prop_compose! {
    fn status_row()(pair: u32, arm in arm(), counter in text(), delta in -1e18..1e18_f64)
        -> StatusRow
    {
        StatusRow { pair, arm, counter, delta }
    }
}

prop_compose! {
    fn effect_row()(
        (toggle, option, engine, statement) in (text(), text(), text(), text()),
        (verdict, note) in (text(), text()),
        (from, to) in (value(), value()),
        (threads, n) in any::<(u32, u32)>(),
        label in select(Label::ALL),
        metric in select(Metric::ALL),
        x in vec(number(), 6),
    ) -> EffectRow {
        EffectRow {
            toggle, option, from, to, label, threads, engine, statement, metric, n,
            effect_pct: x[0],
            ci_low_pct: x[1],
            ci_high_pct: x[2],
            p: x[3],
            p_adjusted: x[4],
            mde_pct: x[5],
            verdict, note,
        }
    }
}

/// TOML's whole numbers end at 2⁶³ − 1.
fn whole() -> impl Strategy<Value = u64> {
    0..=i64::MAX as u64
}

prop_compose! {
    fn redaction()(option in text(), included in option::of(text()), line in 0_usize..1 << 40)
        -> Redaction
    {
        Redaction { option, included, line }
    }
}

prop_compose! {
    fn sweep_file()(
        t in vec(text(), 27),
        lists in vec(vec(text(), 0..3), 3),
        redacted in vec(redaction(), 0..3),
        (seed, memory, host_memory) in (whole(), whole(), whole()),
        (rounds, aa, slices, threads, cpus) in any::<(u32, u32, u32, u32, u32)>(),
        (delta, slice_seconds, load) in (0.0..1.0_f64, 0.0..100.0_f64, 0.0..100.0_f64),
        shared_cpus: bool,
    ) -> SweepFile {
        let mut texts = t.into_iter();
        let mut t = || texts.next().unwrap_or_default();
        let mut lists = lists.into_iter();
        let mut list = || lists.next().unwrap_or_default();
        SweepFile {
            format: 1,
            id: t(),
            cnfsweep: t(),
            started_at: t(),
            command_line: list(),
            bench: t(),
            profile: t(),
            base: BaseInfo { path: t(), sha256: t(), changed_in_both_arms: list(), scaled: list(), redacted },
            image: ImageInfo { reference: t(), digest: t() },
            server: ServerInfo {
                product: t(),
                version: t(),
                native_aio: t(),
                flush_method: t(),
                open_files_limit: t(),
                warnings: list(),
            },
            design: Design {
                kind: t(),
                seed,
                schedule: 1,
                mode: t(),
                rounds,
                aa,
                delta,
                slices,
                slice_seconds,
                warmup_seconds: slice_seconds / 3.0,
                threads,
            },
            placement: Placement {
                server_cpus: t(),
                client_cpus: t(),
                shared_cpus,
                memory_bytes: memory,
                data: t(),
                transport: t(),
            },
            host: HostFacts {
                cpu: t(),
                cpus,
                memory_bytes: host_memory,
                kernel: t(),
                governor: t(),
                thp: t(),
                docker: t(),
                storage_driver: t(),
                cgroup: t(),
                load_average: load,
                turbo: t(),
                smt_shared: shared_cpus,
                steal_pct: Some(load),
                swap_used_bytes: memory,
                memory_free_bytes: memory,
                file_system: t(),
                disk_free_bytes: memory,
                fsync_p50_us: None,
                fsync_p99_us: Some(load),
                warnings: list(),
            },
        }
    }
}

/// A directory that goes away with the test's case.
fn somewhere() -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().expect("a directory for the test");
    let path = dir.path().join("sweep");
    (dir, path)
}

proptest! {
    // Each case writes and fsyncs ten files.
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn a_directory_comes_back_as_it_was_written(
        sweep in sweep_file(),
        toggles in vec(toggle_row(), 0..4),
        pairs in vec((vec(trial_row(), 1..3), vec(slice_row(), 0..3)), 0..3),
        histograms in vec(histogram_row(), 0..3),
        status in vec(status_row(), 0..3),
        effects in vec(effect_row(), 0..4),
    ) {
        let (_gone_with_it, path) = somewhere();
        let mut journal = Journal::create(&path, &sweep, &toggles, &[])?;
        for (trials, slices) in &pairs {
            journal.append_pair(trials, slices, &histograms, &status)?;
        }
        let dir = journal.dir();
        write_effects(dir, &effects)?;
        prop_assert_eq!(dir.sweep()?, sweep);
        prop_assert_eq!(dir.toggles()?, toggles);
        prop_assert_eq!(dir.effects()?, effects);
        let trials: Vec<TrialRow> = pairs.iter().flat_map(|(trials, _)| trials.clone()).collect();
        let slices: Vec<SliceRow> = pairs.iter().flat_map(|(_, slices)| slices.clone()).collect();
        prop_assert_eq!(dir.trials()?, trials);
        prop_assert_eq!(dir.slices()?, slices);
        let histograms = vec![histograms; pairs.len()].concat();
        let status = vec![status; pairs.len()].concat();
        prop_assert_eq!(dir.histograms()?, histograms);
        prop_assert_eq!(dir.status()?, status);
    }
}

proptest! {
    #[test]
    fn a_slug_is_a_safe_file_name(id in "\\PC{1,120}|[./=_a-z-]{1,120}|[a-z_]+=[/.a-z0-9,]{0,200}") {
        let slug = slug(&id);
        prop_assert!(!slug.is_empty() && slug.len() <= 100, "{}", slug);
        prop_assert!(!slug.starts_with('.'), "{}", slug);
        let safe = |c: char| c.is_ascii_alphanumeric() || "_-=.".contains(c);
        prop_assert!(slug.chars().all(safe), "{}", slug);
    }

    #[test]
    fn ids_have_slugs_of_their_own(ids in vec("[a-c/,. _=-]{1,6}|[a-c,/]{78,84}", 1..60)) {
        let mut owners: HashMap<String, &String> = HashMap::new();
        for id in &ids {
            let owner = owners.entry(slug(id)).or_insert(id);
            prop_assert_eq!(*owner, id);
        }
    }
}

#[test]
fn a_slug_reads_like_the_toggle() {
    assert_eq!(slug("performance_schema=OFF"), "performance_schema=OFF");
    assert!(slug("sql_mode=A,B").starts_with("sql_mode=A_B-"));
    assert!(!slug("../../etc/passwd=x").contains('/'));
}

#[test]
fn a_second_sweep_does_not_write_over_the_first() {
    let (_gone_with_it, path) = somewhere();
    std::fs::create_dir(&path).expect("made");
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let sweep = sweep_file().new_tree(&mut runner).expect("a value").current();
    let error = Journal::create(&path, &sweep, &[], &[]).expect_err("it is there already");
    assert!(error.to_string().starts_with("could not create `"), "{error}");
}
