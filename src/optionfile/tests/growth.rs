//! Time that grows with the size of a file and no faster. No time is compared with anything but the
//! time that a smaller file takes in the same run.

use std::hint::black_box;
use std::time::Duration;

use super::super::*;
use super::shapes::SHAPES;

/// Some pieces of a line that MariaDB takes at once.
const SMALL: usize = 10_000;
/// How much larger the large file is.
const FACTOR: usize = 8;
/// A linear operation takes `FACTOR` times as long, a quadratic one `FACTOR`² times.
const MOST: u32 = 30;
/// So often a bad ratio may be tried again: others use the processor's caches, too.
const ATTEMPTS: usize = 5;

type Operation = (&'static str, fn(&OptionFile, &Product));

const OPERATIONS: [Operation; 8] = [
    ("parse and render", |file, _| {
        let file = OptionFile::parse(file.as_bytes());
        black_box((file.lines().count(), file.render()));
    }),
    ("check", |file, product| drop(black_box(file.check(product)))),
    ("arguments", |file, product| {
        let read = file.arguments(product, &MemoryLoader::new());
        drop(black_box(read.map(|read| (read.printed(), read.redacted()))));
    }),
    ("flatten", |file, product| {
        drop(black_box(file.flatten(product, &MemoryLoader::new())));
    }),
    ("counting", |file, product| {
        let known: Names =
            ["port", "optimizer_switch", "plugin_load_add", "a"].into_iter().collect();
        let list = file.arguments(product, &MemoryLoader::new()).map(|read| read.list);
        black_box(effective(product, &list.unwrap_or_default(), &known));
    }),
    ("redaction", |file, _| drop(black_box(file.redacted()))),
    ("one edit", |file, product| {
        let line = file.line_count();
        drop(black_box(file.comment_out(product, line)));
        drop(black_box(file.append(product, b"port", Some(b"1"))));
    }),
    ("all edits", |file, product| {
        let options = file.lines().filter(|line| matches!(line.kind, LineKind::Option { .. }));
        let edits: Vec<_> = options.map(|line| Edit::CommentOut { line: line.number }).collect();
        drop(black_box(file.apply(product, &edits)));
    }),
];

/// What the thread had of the processor. By the clock on the wall a long operation is interrupted by
/// others more often than a short one.
fn time_of_this_thread() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::try_from(time).unwrap()
}

fn time_of(operation: fn(&OptionFile, &Product), file: &OptionFile, product: &Product) -> Duration {
    let began = time_of_this_thread();
    operation(file, product);
    // Never nothing: it is divided by.
    time_of_this_thread().saturating_sub(began).max(Duration::from_nanos(1))
}

#[test]
fn no_shape_of_file_takes_more_than_linear_time() {
    let mut slow = Vec::new();
    for (shape, make) in SHAPES {
        let [small, large] = [SMALL, SMALL * FACTOR].map(|size| OptionFile::parse(make(size)));
        for (name, operation) in OPERATIONS {
            for product in [Product::mysql(9, 7), Product::mariadb(11, 8)] {
                let ratio = || {
                    let took = time_of(operation, &small, &product);
                    time_of(operation, &large, &product).as_secs_f64() / took.as_secs_f64()
                };
                let ratios: Vec<f64> = std::iter::repeat_with(ratio)
                    .take(ATTEMPTS)
                    .scan(false, |done, ratio| {
                        let go_on = !*done;
                        *done = ratio <= f64::from(MOST);
                        go_on.then_some(ratio)
                    })
                    .collect();
                if ratios.iter().all(|ratio| *ratio > f64::from(MOST)) {
                    slow.push(format!("{name} of {shape}, {product}: {ratios:.0?} times as long"));
                }
            }
        }
    }
    assert!(slow.is_empty(), "{FACTOR} times the size:\n{}", slow.join("\n"));
}
