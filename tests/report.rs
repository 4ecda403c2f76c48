//! Reports from a finished sweep: what they say, that they hold together with values that mean
//! harm, and that nothing in them needs a network, a font or a script.

#![expect(clippy::unwrap_used, reason = "what can't be set up has failed")]

use std::path::{Path, PathBuf};

use cnfsweep::journal::{Label, Metric, Outcome, Status, SweepDir};
use cnfsweep::report::charts::{Chart, Width};
use cnfsweep::report::{
    CalibrationArm, Charset, Failure, Findings, Gate, Model, NoiseFloor, Ranking, Records,
    ReportError, Verdict, headline, html, markdown, table, write_all,
};

/// The sweep in `tests/fixtures/sweep`, with the findings that belong to it.
fn fixture() -> Model {
    let dir = SweepDir::new(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/sweep"));
    let toggles = dir.toggles().unwrap();
    let records = Records {
        sweep: dir.sweep().unwrap(),
        trials: dir.trials().unwrap(),
        cnfs: dir.cnfs(&toggles).unwrap(),
        toggles,
    };
    let arm = |name: &str, effect_pct, ci_low_pct, ci_high_pct| CalibrationArm {
        name: name.to_owned(),
        pairs: 4,
        effect_pct,
        ci_low_pct,
        ci_high_pct,
    };
    let findings = Findings {
        effects: dir.effects().unwrap(),
        calibration: vec![arm("aa-1", -1.406, -3.572, 0.809), arm("aa-2", 0.18, -2.021, 2.431)],
        noise: Some(NoiseFloor { low_pct: -2.1, high_pct: 2.2, pair_sd_pct: 1.59, pairs: 8 }),
        gate: Gate::Passed,
    };
    Model::gather(records, findings)
}

/// A sweep with so many toggles, of every verdict, with long names and labels among them.
fn with_toggles(n: usize) -> Model {
    const NAMES: [&str; 6] = [
        "innodb_flush_log_at_trx_commit=2",
        "sort_buffer_size=default",
        "optimizer_switch=index_merge=off,mrr_cost_based=on,materialization=off,semijoin=off",
        "binlog_transaction_dependency_history_size=25000",
        "sync_binlog=0",
        "max_heap_table_size=64M",
    ];
    const VERDICTS: [&str; 6] =
        ["faster", "no difference", "slower", "inconclusive", "not exercised", "failed"];
    let mut model = fixture();
    let throughput = |row: &&_| is_throughput(row);
    let pattern = model.effects.iter().find(throughput).unwrap().clone();
    model.effects.clear();
    model.toggles.retain(|row| row.status != Status::Planned);
    for i in 0..n {
        let verdict = VERDICTS[i % 6];
        let effect = match verdict {
            "faster" => Some(6.0 + (i % 13) as f64 * 2.1),
            "slower" => Some(-5.0 - (i % 7) as f64 * 1.3),
            "failed" => None,
            _ => Some((i % 5) as f64 * 0.6 - 1.2),
        };
        let half = if verdict == "inconclusive" { 9.0 } else { 1.5 };
        let mut row = pattern.clone();
        row.toggle = format!("{}_{i}", NAMES[i * 5 % 6]);
        row.effect_pct = effect;
        row.ci_low_pct = effect.map(|e| e - half);
        row.ci_high_pct = effect.map(|e| e + half);
        row.label = [Label::None, Label::None, Label::Durability, Label::Security][i % 4];
        row.verdict = verdict.to_owned();
        row.note = if i % 9 == 0 { "client-bound; leak".to_owned() } else { String::new() };
        model.effects.push(row);
    }
    model
}

fn is_throughput(row: &cnfsweep::journal::EffectRow) -> bool {
    row.metric == Metric::Throughput
}

/// Sets verdict, label and effect of the fixture's toggles, in the order of `effects.csv`.
fn judged(verdicts: [(&str, Label, f64); 5]) -> Model {
    let mut model = fixture();
    let rows = model.effects.iter_mut().filter(|row| is_throughput(row));
    for (row, (verdict, label, effect)) in rows.zip(verdicts) {
        row.verdict = verdict.to_owned();
        row.label = label;
        row.effect_pct = Some(effect);
        row.ci_low_pct = Some(effect - 1.0);
        row.ci_high_pct = Some(effect + 1.0);
    }
    model
}

const HOSTILE: &str = "<script>alert(1)</script>";
const HOSTILE_TAG: &str = "\"'><img src=http://evil.example/x onerror=alert(2)>";
const HOSTILE_TERMINAL: &str = "\u{1b}[31mred\u{7}\u{202e}txt";

/// The fixture, with values that mean harm wherever foreign text can stand.
fn hostile() -> Model {
    let mut model = fixture();
    let evil = format!("init_connect={HOSTILE}");
    let other = format!("`x|y`={HOSTILE_TAG}");
    for (from, to) in [("performance_schema=OFF", &evil), ("thread_cache_size=0", &other)] {
        let toggles = model.toggles.iter_mut().filter(|row| row.toggle == from);
        toggles.for_each(|row| {
            row.toggle.clone_from(to);
            row.from = Some(HOSTILE.to_owned());
            row.to = Some(HOSTILE_TAG.to_owned());
        });
        let effects = model.effects.iter_mut().filter(|row| row.toggle == from);
        effects.for_each(|row| {
            row.toggle.clone_from(to);
            row.note = HOSTILE.to_owned();
        });
        let lines = model.differences.remove(from).unwrap();
        model.differences.insert(to.clone(), lines);
    }
    for row in &mut model.toggles {
        row.detail = format!("{HOSTILE} `{HOSTILE_TAG}` {HOSTILE_TERMINAL} ``` | a");
        row.option.push_str(HOSTILE);
    }
    model.effects.iter_mut().for_each(|row| row.toggle.push_str(HOSTILE_TERMINAL));
    model.sweep.base.path = HOSTILE.to_owned();
    model.sweep.base.changed_in_both_arms.push(format!("line 1: `{HOSTILE}` {HOSTILE_TAG}"));
    model.sweep.bench = HOSTILE.to_owned();
    model.sweep.server.version = HOSTILE.to_owned();
    model.sweep.server.warnings.push(HOSTILE_TAG.to_owned());
    model.sweep.command_line.push(HOSTILE.to_owned());
    model.sweep.host.cpu = HOSTILE_TAG.to_owned();
    model.about = HOSTILE.to_owned();
    model.gate = Gate::Failed(HOSTILE.to_owned());
    model.calibration[0].name = HOSTILE.to_owned();
    model.failures.push(Failure {
        toggle: evil,
        pair: 30,
        outcome: Outcome::Crashed,
        message: HOSTILE_TAG.to_owned(),
    });
    model
}

/// Every tag of a text, without its attributes.
fn tags(text: &str) -> Vec<&str> {
    let starts = text.split('<').skip(1);
    starts.map(|t| t.split([' ', '>', '\n']).next().unwrap_or_default()).collect()
}

#[test]
fn the_ticket_says_what_was_found() {
    insta::assert_snapshot!("markdown", markdown(&fixture()).unwrap());
}

#[test]
fn the_table_fits_a_terminal_of_80_columns() {
    insta::assert_snapshot!("table_80", table(&fixture(), 80, false, Charset::Utf8));
}

#[test]
fn the_table_takes_two_lines_a_row_at_40_columns() {
    insta::assert_snapshot!("table_40", table(&fixture(), 40, false, Charset::Utf8));
}

#[test]
fn the_table_is_plain_where_the_locale_is() {
    let ascii = table(&fixture(), 120, false, Charset::Ascii);
    assert!(ascii.is_ascii());
    insta::assert_snapshot!("table_ascii", ascii);
}

#[test]
fn no_line_of_a_table_is_wider_than_the_terminal() {
    for model in [fixture(), with_toggles(60), with_toggles(0), hostile()] {
        for width in 30..150 {
            for charset in [Charset::Utf8, Charset::Ascii] {
                let text = table(&model, width, false, charset);
                let widest = text.lines().map(|line| line.chars().count()).max().unwrap();
                assert!(widest <= width, "{widest} > {width}:\n{text}");
                assert!(!text.contains('\u{1b}'));
            }
        }
    }
}

#[test]
fn colours_add_nothing_but_colours() {
    let (plain, coloured) =
        [false, true].map(|colour| table(&with_toggles(12), 80, colour, Charset::Utf8)).into();
    let mut stripped = String::new();
    for (i, part) in coloured.split('\u{1b}').enumerate() {
        stripped.push_str(if i == 0 { part } else { part.split_once('m').unwrap().1 });
    }
    assert!(coloured.len() > stripped.len());
    assert_eq!(stripped, plain);
}

#[test]
fn the_headline_names_the_finding_and_its_price() {
    let say = |verdicts| headline(&judged(verdicts)).to_string().replace('\u{a0}', " ");
    let (none, s, d) = (Label::None, Label::Security, Label::Durability);
    assert_eq!(
        headline(&fixture()).to_string().replace('\u{a0}', " "),
        "With performance_schema=OFF this server handles 46 % more connections per second; \
         skip_grant_tables (+6.3 %) trades away security (S), a diagnostic and never free speed; \
         3 of 5 measured toggles matter under churn."
    );
    let null = ("no difference", none, 0.2);
    assert_eq!(
        say([null, null, ("faster", s, 7.1), null, null]),
        "With skip_grant_tables this server handles 7.1 % more connections per second, at the \
         price of security (S): a diagnostic, never free speed; 1 of 5 measured toggles matters \
         under churn."
    );
    assert_eq!(
        say([null, null, ("inconclusive", none, 3.0), ("not exercised", d, 0.0), null]),
        "None of 5 measured toggles was shown to matter under churn: 3 no difference within \
         ±5 %, 1 inconclusive, 1 not exercised by this load."
    );
    let slower = say([("slower", none, -30.0), ("faster", none, 12.0), null, null, null]);
    assert!(slower.contains("handles 30 % fewer connections per second; 2 of 5"), "{slower}");
    let small = say([("faster", none, 12.0), ("slower", none, -2.6), null, null, null]);
    assert!(
        small.contains("2 of 5 measured toggles matter, 1 of them by less than 5 %"),
        "{small}"
    );
    let many = say([
        ("faster", d, 50.0),
        ("faster", d, 40.0),
        ("faster", s, 30.0),
        ("faster", none, 20.0),
        null,
    ]);
    assert!(many.contains("(+50.0 %) trades away durability (D), 2 more trade away"), "{many}");
    assert!(many.contains("diagnostics and never free speed; 4 of 5"), "{many}");
}

#[test]
fn a_strong_diagnostic_does_not_take_the_title_without_its_price() {
    let null = ("no difference", Label::None, 0.2);
    let model = judged([
        ("faster", Label::None, 20.0),
        null,
        ("faster", Label::Security, 80.0),
        null,
        null,
    ]);
    let svg = Chart::Effects.svg(&model, Width::Wide).unwrap();
    let title = svg.split("<title>").nth(1).unwrap().split('<').next().unwrap();
    assert_eq!(
        title.replace('\u{a0}', " "),
        "net_buffer_length=default: 20 % more connections per second (more only at the price of \
         security); 2 of 5 toggles matter"
    );
}

#[test]
fn the_page_shows_everything_that_a_ticket_needs() {
    let page = html(&fixture()).unwrap().replace('\u{a0}', " ");
    for words in [
        "<code>performance_schema=OFF</code> this server handles 46 % more",
        "[+42.8, +49.3]",
        "trades away security: a diagnostic",
        "the effect lies between −2.5 % and +6.2 %",
        "delete the line: it says what the server does anyway",
        "Error while setting value &#x27;pool-of-threads&#x27; to &#x27;thread_handling&#x27;",
        "<span class=\"added\">+performance_schema             = OFF</span>",
        "also changes skip_networking=ON",
        "CPU steal 3.4 % (limit 1.0 %)",
        "<code>datadir</code> commented out",
        "sha256:5b0d1f6f",
        "--also thread_cache_size=0 --rounds 4",
        "standard deviation of 1.6 %",
    ] {
        assert!(page.contains(words), "{words} is missing");
    }
    assert!(!page.contains("{{") && !page.contains("{%"));
}

#[test]
fn no_number_is_minus_zero() {
    let model = judged([("no difference", Label::None, -0.04); 5]);
    let all = [html(&model).unwrap(), markdown(&model).unwrap()].concat();
    assert!(all.contains("0.0\u{a0}%"));
    assert!(!all.contains("-0.0") && !all.contains("\u{2212}0.0") && !all.contains("+0.0"));
}

#[test]
fn the_page_loads_and_runs_nothing() {
    for model in [fixture(), hostile()] {
        let page = html(&model).unwrap();
        for tag in tags(&page) {
            let tag = tag.trim_start_matches('/');
            assert!(
                !["script", "img", "link", "iframe", "object", "embed", "a", "image"]
                    .contains(&tag),
                "<{tag}>"
            );
        }
        // A value may well hold an address, but only as text.
        let attributes = page.split('<').filter_map(|tag| tag.split('>').next());
        for attribute in attributes {
            for load in ["src=", "href=", "url(", "http:", "https:", "onerror"] {
                assert!(!attribute.contains(load), "{attribute}");
            }
        }
        let style = page.split("<style>").nth(1).unwrap().split("</style>").next().unwrap();
        assert!(!style.contains("url(") && !style.contains("@import") && !style.contains("http"));
        assert!(page.contains("default-src 'none'"));
    }
}

#[test]
fn hostile_values_come_out_as_text() {
    let model = hostile();
    let page = html(&model).unwrap();
    assert!(page.contains("&lt;script&gt;alert(1)"));
    for width in [Width::Wide, Width::Narrow] {
        for chart in Chart::ALL {
            let svg = chart.svg(&model, width).unwrap();
            let known = ["svg", "title", "rect", "text", "polygon", "polyline", "circle", "line"];
            for tag in tags(&svg) {
                let tag = tag.trim_start_matches('/').trim_end_matches("/");
                assert!(known.contains(&tag), "<{tag}>");
            }
            // Control characters would make it no XML at all.
            assert!(svg.chars().all(|c| c == '\n' || !c.is_control()));
        }
    }
    let effects = Chart::Effects.svg(&model, Width::Wide).unwrap();
    assert!(effects.contains("init_connect=&lt;"));

    let ticket = markdown(&model).unwrap();
    let outside_code = ticket.replace("```", "").split('`').step_by(2).collect::<String>();
    assert!(!outside_code.contains("\u{1b}"));
    assert!(ticket.chars().all(|c| c == '\n' || !c.is_control()));
    for row in ticket.lines().filter(|line| line.starts_with('|')) {
        let columns = row.replace("\\|", "").matches('|').count();
        assert_eq!(columns, 10, "{row}");
    }

    let terminal = table(&model, 80, false, Charset::Utf8);
    assert!(terminal.chars().all(|c| c == '\n' || !c.is_control()));
    assert!(!terminal.contains('\u{202e}'));
}

#[test]
fn a_failed_calibration_withholds_every_verdict() {
    let mut model = fixture();
    model.gate = Gate::Failed("2 of 2 A/A arms differ (p < 0.05)".to_owned());
    let ranking = Ranking::of(&model);
    assert!(ranking.rows().all(|row| row.verdict == Verdict::Withheld));
    let page = html(&model).unwrap();
    assert!(page.contains("Calibration failed: no verdicts."));
    assert!(page.contains("2 of 2 A&#x2f;A arms differ (p &lt; 0.05)"), "the reason");
    assert!(page.contains("+46.0"), "measurements are shown");
    assert!(!page.contains("class=\"verdict faster\"") && !page.contains("p, adjusted"));
    let ticket = markdown(&model).unwrap();
    assert!(ticket.contains("> **Calibration failed: no verdicts.**"));
    let terminal = table(&model, 80, false, Charset::Utf8);
    assert!(terminal.starts_with("Calibration failed, no verdicts: 2 of 2"));
    for text in [&ticket, &terminal] {
        assert!(!text.contains("faster") && !text.contains("slower"), "{text}");
    }
}

#[test]
fn an_interrupted_sweep_says_how_far_it_came() {
    let dir = SweepDir::new(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/sweep"));
    let mut trials = dir.trials().unwrap();
    trials.retain(|row| row.pair <= 17);
    let toggles = dir.toggles().unwrap();
    let records =
        Records { sweep: dir.sweep().unwrap(), trials, cnfs: dir.cnfs(&toggles).unwrap(), toggles };
    let findings =
        Findings { effects: Vec::new(), calibration: Vec::new(), noise: None, gate: Gate::Passed };
    let model = Model::gather(records, findings);
    assert!(model.interrupted);
    assert_eq!((model.rounds_done, model.pairs_done), (2, 17));
    assert_eq!(
        headline(&model).to_string(),
        "Nothing can be said yet: no toggle has a pair that counts."
    );
    let page = html(&model).unwrap().replace('\u{a0}', " ");
    assert!(page.contains("2 of 4 rounds were measured."));
    assert_eq!(Ranking::of(&model).with(Verdict::NotMeasured), 5);
    let terminal = table(&model, 80, false, Charset::Utf8);
    assert!(terminal.starts_with("Interrupted: 2 of 4 rounds were measured.\n"), "{terminal}");
}

#[test]
fn the_model_knows_what_happened() {
    let model = fixture();
    assert!(!model.interrupted);
    assert_eq!((model.rounds_done, model.pairs_done), (4, 29));
    assert_eq!(model.operations, "connections");
    assert_eq!(model.timeline.len(), 29);
    assert_eq!(model.timeline[0].minutes, 0.0);
    assert!(model.timeline.windows(2).all(|w| w[0].minutes < w[1].minutes));
    assert_eq!(model.failures.len(), 1);
    assert_eq!(model.failures[0].outcome, Outcome::Rejected);
    let lines: Vec<String> =
        model.differences["thread_cache_size=0"].iter().map(ToString::to_string).collect();
    assert_eq!(lines, ["@@ line 31", "+thread_cache_size = 0"]);
}

#[test]
fn a_single_pair_has_an_effect_without_an_interval() {
    let mut model = fixture();
    for row in model.effects.iter_mut() {
        (row.ci_low_pct, row.ci_high_pct, row.n) = (None, None, 1);
        row.verdict = "inconclusive".to_owned();
    }
    let page = html(&model).unwrap().replace('\u{a0}', " ");
    assert!(page.contains("a single pair gives no interval"));
    assert!(page.contains("+46.0 %"));
    let svg = Chart::Effects.svg(&model, Width::Wide).unwrap();
    assert!(svg.contains("+46.0"));
}

#[test]
fn charts_name_every_toggle() {
    let model = fixture();
    let svg = Chart::Effects.svg(&model, Width::Wide).unwrap();
    for row in Ranking::of(&model).rows() {
        assert!(svg.contains(&row.toggle), "{}", row.toggle);
    }
    assert!(svg.contains("S trades security, D durability: a diagnostic, never free speed."));
    assert!(svg.contains("aa-1") && svg.contains("noise floor"));
    let timeline = Chart::Timeline.svg(&model, Width::Wide).unwrap();
    assert!(timeline.contains("The same unchanged server, measured 28 times: 3,417 to 5,291"));
}

#[test]
fn charts_hold_any_number_of_toggles() {
    for n in [0, 1, 5, 60, 200] {
        let model = with_toggles(n);
        for width in [Width::Wide, Width::Narrow] {
            let svg = Chart::Effects.svg(&model, width).unwrap();
            assert!(svg.ends_with("</svg>\n"));
        }
    }
    let mut model = with_toggles(0);
    model.timeline.clear();
    model.calibration.clear();
    model.noise = None;
    let svg = Chart::Effects.svg(&model, Width::Wide).unwrap();
    assert!(svg.contains("No toggle was measured") && svg.contains("no measurement to show"));
    assert!(Chart::Timeline.svg(&model, Width::Narrow).unwrap().contains("was not measured"));
}

#[test]
fn rows_of_a_chart_never_overlap() {
    for n in [1, 5, 60, 200] {
        let svg = Chart::Effects.svg(&with_toggles(n), Width::Wide).unwrap();
        // Names are the texts that end before the plot.
        let names = svg.split("<text ").skip(1).filter(|t| t.contains("text-anchor=\"end\""));
        let at = |t: &str, key: &str| -> f64 {
            t.split(key).nth(1).unwrap().split('"').next().unwrap().parse().unwrap()
        };
        let left = |t: &&str| at(t, "x=\"") < 450.0;
        let ys: Vec<f64> = names.filter(left).map(|t| at(t, " y=\"")).collect();
        assert_eq!(ys.len(), n + 2, "toggles and A/A arms");
        assert!(ys.windows(2).all(|w| w[1] - w[0] >= 18.0), "{ys:?}");
    }
}

#[test]
fn an_effect_of_any_size_is_on_the_chart() {
    let null = ("no difference", Label::None, 0.2);
    let model = judged([
        ("faster", Label::None, 900.0),
        ("slower", Label::None, -90.0),
        ("faster", Label::None, 1e7),
        ("slower", Label::None, -99.99),
        null,
    ]);
    let svg = Chart::Effects.svg(&model, Width::Wide).unwrap();
    for words in ["+900\u{a0}%", "−90.0\u{a0}%", "equal ratios are equal lengths"] {
        assert!(svg.contains(words), "{words}");
    }
    for n in [f64::NAN, f64::INFINITY, -100.0, -250.0] {
        let mut model = fixture();
        model.effects.iter_mut().for_each(|row| row.ci_low_pct = Some(n));
        model.calibration[0].effect_pct = n;
        Chart::Effects.svg(&model, Width::Wide).unwrap();
        html(&model).unwrap();
    }
}

#[test]
fn all_files_are_written_and_replaced() {
    let temporary = tempfile::tempdir().unwrap();
    let dir = SweepDir::new(temporary.path());
    for model in [fixture(), with_toggles(60)] {
        let written = write_all(&model, &dir).unwrap();
        let names: Vec<PathBuf> = written
            .iter()
            .map(|path| path.strip_prefix(temporary.path()).unwrap().to_owned())
            .collect();
        let expected = [
            "charts/effects.svg",
            "charts/effects.png",
            "charts/timeline.svg",
            "charts/timeline.png",
            "report.html",
            "report.md",
        ];
        assert_eq!(names, expected.map(PathBuf::from));
        for path in written.iter().filter(|path| path.extension().unwrap() == "png") {
            let (width, height) = png_size(&std::fs::read(path).unwrap());
            assert!(width >= 1000 && height >= 300, "{width} × {height}");
        }
    }
    let left = walk(temporary.path());
    assert_eq!(left.len(), 6, "nothing half-written stays: {left:?}");
}

#[test]
fn a_directory_that_cannot_be_written_is_named() {
    let temporary = tempfile::tempdir().unwrap();
    let dir = SweepDir::new(temporary.path());
    // Not even root can make a folder where a file is.
    std::fs::write(dir.charts(), "").unwrap();
    let error = write_all(&fixture(), &dir).unwrap_err();
    assert!(matches!(error, ReportError::Io { .. }));
    let words = error.to_string();
    assert!(words.starts_with("could not write `") && words.contains("charts"), "{words}");

    let temporary = tempfile::tempdir().unwrap();
    let dir = SweepDir::new(temporary.path());
    std::fs::create_dir_all(dir.charts().join("effects.png")).unwrap();
    let words = write_all(&fixture(), &dir).unwrap_err().to_string();
    assert!(words.contains("effects.png"), "{words}");
    assert!(!walk(temporary.path()).iter().any(|p| p.to_string_lossy().contains(".new")));
}

fn walk(path: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(path).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { files.extend(walk(&path)) } else { files.push(path) }
    }
    files
}

/// Width and height from the header of a PNG file (ISO/IEC 15948, 11.2.2).
fn png_size(bytes: &[u8]) -> (u32, u32) {
    assert_eq!(&bytes[..8], b"\x89PNG\r\n\x1a\n");
    assert_eq!(&bytes[12..16], b"IHDR");
    assert_eq!(&bytes[bytes.len() - 8..bytes.len() - 4], b"IEND");
    let number = |at: usize| u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap());
    (number(16), number(20))
}
