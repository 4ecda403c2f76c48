//! `--scale`: the file of a bigger machine on a smaller one.

use super::values::of_lines;
use super::*;
use cnfsweep::toggle::{Machine, Scale, Values};

const GIB: u64 = 1 << 30;

fn on(memory: u64, scale: Scale) -> Wishes {
    let machine = Machine { cpus: 2, memory, threads: 8 };
    Wishes { machine, scale, ..Wishes::default() }
}

#[test]
fn buffers_shrink_by_one_factor_in_both_arms_and_each_change_is_listed() {
    let lines = "innodb_buffer_pool_size = 48G\nkey_buffer_size=4G\ninnodb_log_file_size = 8G\n\
                 innodb_log_buffer_size = 8M\nmax_connections = 7";
    let toggles = of_lines(&MYSQL, lines, &on(8 * GIB, Scale::Auto));
    // (8192 − 350 − 8) MB × 0.8, shared 12 to 1.
    assert_eq!(
        base(&toggles),
        "innodb_buffer_pool_size = 5760M|key_buffer_size=384M|innodb_log_file_size = 896M|\
         innodb_log_buffer_size = 8M|max_connections = 7"
    );
    assert_eq!(
        toggles.scaled,
        [
            "line 2: `innodb_buffer_pool_size` 48G → 5760M",
            "line 3: `key_buffer_size` 4G → 384M",
            "line 4: `innodb_log_file_size` 8G → 896M",
        ]
    );
    assert!(toggles.changed_in_both_arms.is_empty());
    // The toggles go from the size that is measured.
    let toggle = of(&toggles, "innodb_buffer_pool_size=default");
    assert_eq!(toggle.from.as_deref(), Some("5760M"));
    let wishes = Wishes { values: Values::Few, ..on(8 * GIB, Scale::Auto) };
    let few = of_lines(&MYSQL, lines, &wishes);
    // No doubling: above half of the memory.
    assert_eq!(
        planned(&few)[..2],
        ["innodb_buffer_pool_size=default", "innodb_buffer_pool_size=2816M"]
    );
}

/// MySQL keeps multiples of chunk × instances; anything else would come out larger than it says.
#[test]
fn a_pool_of_several_instances_keeps_whole_chunks_in_each() {
    let lines = "innodb_buffer_pool_size = 48G\ninnodb_buffer_pool_instances = 8";
    let wishes = Wishes { values: Values::Few, ..on(8 * GIB, Scale::Auto) };
    let toggles = of_lines(&MYSQL, lines, &wishes);
    assert_eq!(base(&toggles), "innodb_buffer_pool_size = 6G|innodb_buffer_pool_instances = 8");
    assert_eq!(planned(&toggles)[1], "innodb_buffer_pool_size=3G");
}

#[test]
fn a_file_that_fits_stays_as_it_is() {
    let lines = "innodb_buffer_pool_size = 2G\ninnodb_log_file_size = 8G\n#key_buffer_size = 1G";
    for scale in [Scale::Auto, Scale::Off] {
        let toggles = of_lines(&MYSQL, lines, &on(8 * GIB, scale));
        assert_eq!(base(&toggles), lines.replace('\n', "|"));
        assert!(toggles.scaled.is_empty());
        assert_eq!(toggled(&toggles, "key_buffer_size=1G").matches('#').count(), 0);
    }
}

#[test]
fn what_is_commented_out_and_does_not_fit_is_shrunk_or_left_out() {
    let lines = "innodb_buffer_pool_size = 2G\n#innodb_buffer_pool_size = 48G";
    let toggles = of_lines(&MYSQL, lines, &on(8 * GIB, Scale::Auto));
    assert_eq!(base(&toggles), lines.replace('\n', "|"));
    let toggle = of(&toggles, "innodb_buffer_pool_size=6272M");
    assert_eq!(toggle.detail, "the line says 48G, which does not fit");
    assert_eq!(
        toggled(&toggles, "innodb_buffer_pool_size=6272M"),
        "#innodb_buffer_pool_size = 2G|innodb_buffer_pool_size = 6272M"
    );
    let toggles = of_lines(&MYSQL, lines, &on(8 * GIB, Scale::Off));
    assert_eq!(planned(&toggles), ["innodb_buffer_pool_size=default"]);
    assert!(toggles.list.iter().any(|t| t.detail.contains("don't fit into memory")));
}

#[test]
fn a_file_that_can_not_be_fitted_is_refused_with_its_lines() {
    let refused = |lines: &str, wishes: &Wishes| -> Vec<(Option<usize>, String)> {
        let text = format!("[mysqld]\n{lines}\n");
        let flat = OptionFile::parse(text).flatten(&MYSQL, &MemoryLoader::default()).unwrap();
        match build(&flat, &MYSQL, &super::values::catalog(), wishes) {
            Err(ToggleError::TooBig { buffers, .. }) => buffers
                .into_iter()
                .map(|b| (b.place.and_then(|p| p.line_of_base()), b.option))
                .collect(),
            other => panic!("{other:?}"),
        }
    };
    let pool = |line| (line, "innodb_buffer_pool_size".to_owned());
    let lines = "innodb_buffer_pool_size = 48G";
    assert_eq!(refused(lines, &on(8 * GIB, Scale::Off)), [pool(Some(2))]);
    // The server's own defaults count: 128 MB of buffer pool and 350 of rest.
    assert_eq!(refused("max_connections = 7", &on(450 << 20, Scale::Auto)), [pool(None)]);
    // What the user sets for both arms is not shrunk.
    let wishes = Wishes {
        scale: Scale::Auto,
        machine: on(8 * GIB, Scale::Auto).machine,
        ..both("innodb_buffer_pool_size", Some("48G"))
    };
    assert_eq!(refused("max_connections = 7", &wishes), [pool(None)]);
}
