//! How long a large option file takes: 10 MB of each of the shapes that the tests of linear time use.
//! `cargo bench --bench option_file_time`; results stand in `README.md` here.

#![expect(clippy::print_stdout, reason = "a benchmark's output")]
#![expect(clippy::unwrap_used, reason = "a benchmark may stop at once")]

use std::hint::black_box;
use std::time::{Duration, Instant};

use cnfsweep::optionfile::{MemoryLoader, Names, OptionFile, Product, effective};

#[path = "../src/optionfile/tests/shapes.rs"]
mod shapes;

const SIZE: usize = 10_000_000;
const REPETITIONS: usize = 3;

fn main() {
    let known: Names = ["port", "optimizer_switch", "plugin_load_add", "key_buffer_size", "a"]
        .into_iter()
        .collect();
    let products = [Product::mysql(9, 7), Product::mariadb(11, 8)];
    println!(
        "{:20} {:>8} {:>8} {:>8} {:>8} {:>8} {:>8}   ms, the slower of two products",
        "10 MB of", "parse", "check", "args", "flatten", "counts", "redact"
    );
    for (name, make) in shapes::SHAPES {
        let bytes = make(SIZE);
        let file = OptionFile::parse(bytes.clone());
        let none = MemoryLoader::new();
        let slower = |of: &dyn Fn(&Product)| {
            products.iter().map(|product| best(|| of(product))).max().unwrap()
        };
        let columns = [
            best(|| {
                let file = OptionFile::parse(black_box(bytes.clone()));
                black_box(file.lines().count());
                assert_eq!(file.render().len(), bytes.len());
            }),
            slower(&|product| drop(black_box(file.check(product)))),
            slower(&|product| drop(black_box(file.arguments(product, &none)))),
            slower(&|product| drop(black_box(file.flatten(product, &none)))),
            slower(&|product| {
                let list = file.arguments(product, &none).map(|read| read.list);
                black_box(effective(product, &list.unwrap_or_default(), &known));
            }),
            best(|| drop(black_box(file.redacted()))),
        ];
        let shown = columns.map(|took| format!("{:8.0}", took.as_secs_f64() * 1e3));
        println!("{name:20} {}", shown.join(" "));
    }
}

fn best(of: impl Fn()) -> Duration {
    let took = (0..REPETITIONS).map(|_| {
        let began = Instant::now();
        of();
        began.elapsed()
    });
    took.min().unwrap()
}
