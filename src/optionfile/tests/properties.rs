//! What holds for all files, over random bytes and over generated files.

use proptest::prelude::*;

use super::super::*;
use super::generator::{self, Case, Dice, Wildness};

const PRODUCTS: [Product; 5] = [
    Product::mysql(9, 7),
    Product::mysql(8, 0),
    Product::mariadb(11, 8),
    Product::mariadb(10, 5),
    Product::mysql(5, 7),
];

fn product() -> impl Strategy<Value = Product> {
    proptest::sample::select(&PRODUCTS[..])
}

fn case(wildness: Wildness) -> impl Strategy<Value = Case> {
    any::<u64>().prop_map(move |seed| generator::case(seed, "/o", wildness))
}

/// Bytes that mean something more often than others.
fn bytes() -> impl Strategy<Value = Vec<u8>> {
    let byte = prop_oneof![
        3 => any::<u8>(),
        5 => proptest::sample::select(&b"\n\n\n\r\0 \t\xA0[]#;!?='\"\\ab1-_."[..]),
    ];
    proptest::collection::vec(byte, 0..300)
}

/// Any bytes, some of them often enough in a row for the limits of lines and paths.
fn long_bytes() -> impl Strategy<Value = Vec<u8>> {
    let run = (bytes(), prop_oneof![9 => 1usize..4, 1 => 400usize..600, 1 => 4_000usize..5_000]);
    let cut = |(piece, times): (Vec<u8>, usize)| {
        let most = if times < 4 { piece.len() * times } else { times };
        piece.into_iter().cycle().take(most).collect::<Vec<u8>>()
    };
    proptest::collection::vec(run.prop_map(cut), 0..5).prop_map(|runs| runs.concat())
}

fn base(case: &Case) -> OptionFile {
    OptionFile::parse(case.files["base.cnf"].clone()).with_path("/o/base.cnf")
}

fn loader(case: &Case) -> MemoryLoader {
    case.files.iter().fold(MemoryLoader::new().with_home("/o"), |loader, (name, content)| {
        loader.with_file(format!("/o/{name}"), content.clone())
    })
}

/// Lines that `pick` likes, by number.
fn lines_of(file: &OptionFile, pick: impl Fn(&LineKind) -> bool) -> Vec<usize> {
    let picked = file.lines().filter(|line| pick(&line.kind));
    picked.map(|line| line.number).collect()
}

fn arguments(file: &OptionFile, product: &Product) -> Option<Vec<u8>> {
    let read = file.arguments(product, &MemoryLoader::new().with_dir("/o/conf.d"));
    read.ok().map(|arguments| arguments.printed())
}

/// Raw lines but the ones with these numbers.
fn others<'a>(file: &'a OptionFile, but: &[usize]) -> Vec<&'a [u8]> {
    let kept = file.lines().filter(|line| !but.contains(&line.number));
    kept.map(|line| line.raw).collect()
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 400,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn rendering_gives_the_bytes_back(bytes in bytes()) {
        let file = OptionFile::parse(bytes.clone());
        prop_assert_eq!(file.render(), &bytes[..]);
        let lines: Vec<u8> = file.lines().flat_map(|line| line.raw.to_vec()).collect();
        prop_assert_eq!(lines, bytes);
    }

    #[test]
    fn no_byte_is_lost_of_long_lines(bytes in long_bytes(), product in product()) {
        let file = OptionFile::parse(bytes.clone());
        prop_assert_eq!(file.render(), &bytes[..]);
        prop_assert!((1..=file.line_count()).filter_map(|n| file.line(n)).eq(file.lines()));
        let loader = MemoryLoader::new().with_file("a", bytes.clone());
        let read = file.arguments(&product, &loader);
        prop_assert_eq!(read.is_ok(), file.flatten(&product, &loader).is_ok());
        if file.check(&product).is_err() {
            prop_assert!(read.is_err());
        }
        if let Ok(read) = read {
            let known: Names = ["port", "a_b", "optimizer_switch", "user"].into_iter().collect();
            let (options, unknown) = effective(&product, &read.list, &known);
            let told = options.iter().map(|o| o.counting.len() + o.superseded.len());
            // An emptied list of plugins is told of by nobody; there is none here.
            prop_assert_eq!(told.sum::<usize>() + unknown.len(), read.list.len());
            for message in &read.messages {
                prop_assert!(!message.to_string().is_empty());
            }
        }
        let redacted = OptionFile::parse(file.redacted());
        prop_assert_eq!(redacted.line_count(), file.line_count());
    }

    #[test]
    fn nothing_panics_on_any_bytes(bytes in long_bytes(), product in product(), line in 0usize..12) {
        let file = OptionFile::parse(bytes.clone());
        let loader = MemoryLoader::new().with_file("a", bytes.clone());
        let _ = file.check(&product);
        let _ = file.arguments(&product, &loader);
        let _ = file.flatten(&product, &loader);
        let _ = file.redacted();
        for edit in [
            Edit::CommentOut { line },
            Edit::Enable { line },
            Edit::Set { line, value: Some(bytes.clone()) },
            Edit::Set { line, value: None },
            Edit::EnableWith { line, value: Some(bytes.clone()) },
            Edit::Replace { line, text: bytes.clone() },
            Edit::Append { name: b"port".to_vec(), value: Some(bytes.clone()) },
        ] {
            let _ = file.apply(&product, &[edit]);
        }
        let known: Names = ["port", "a_b", "ab"].into_iter().collect();
        let _ = resolve(&product, &bytes, Some(&bytes), &known);
        let _ = is_secret(&bytes);
        for ty in [value::IntegerType::ULong, value::IntegerType::Long] {
            let _ = value::integer(&product, &bytes, ty);
        }
        let _ = value::double(&product, &bytes);
        let _ = value::enumeration(&product, &bytes, &["a", "ab", "b"]);
        let _ = value::set(&product, &bytes, &["a", "ab", "b"]);
        let _ = value::flag_set(&product, &bytes, &["a", "ab", "b"], 0, 0);
    }

    #[test]
    fn flattening_changes_no_argument(case in case(Wildness::Wild), product in product()) {
        let (file, loader) = (base(&case), loader(&case));
        let read = file.arguments(&product, &loader);
        let flat = file.flatten(&product, &loader);
        prop_assert_eq!(read.is_ok(), flat.is_ok());
        let (Ok(read), Ok(flat)) = (read, flat) else { return Ok(()) };
        let again = flat.file.arguments(&product, &MemoryLoader::new());
        let again = again.map_err(|error| TestCaseError::fail(error.to_string()))?;
        prop_assert_eq!(again.printed(), read.printed());
        for message in &again.messages {
            prop_assert_eq!(&message.kind, &MessageKind::LoneCarriageReturn);
        }
        prop_assert_eq!(flat.origins.len(), flat.file.line_count());
        // Each argument of the flat file leads back to the place of the original's.
        for (flat_argument, argument) in again.list.iter().zip(&read.list) {
            let origin = flat.origin(flat_argument.origin.line);
            prop_assert_eq!(
                origin.map(|origin| (&origin.file, origin.line)),
                Some((&argument.origin.file, argument.origin.line))
            );
        }
    }

    #[test]
    fn a_tame_file_without_includes_is_flat(case in case(Wildness::Tame), product in product()) {
        let file = base(&case);
        let directives = lines_of(&file, |kind| {
            use Malformed::IncludeWithoutArgument;
            matches!(kind, LineKind::Directive(_) | LineKind::Malformed(IncludeWithoutArgument))
        });
        let has_mark = file.as_bytes().contains(&b'?');
        if directives.is_empty() && !has_mark
            && let Ok(flat) = file.flatten(&product, &MemoryLoader::new())
        {
            prop_assert_eq!(flat.file.as_bytes(), file.as_bytes());
        }
    }

    #[test]
    fn commenting_out_can_be_taken_back(case in case(Wildness::Tame), product in product()) {
        let file = base(&case);
        let before = arguments(&file, &product);
        for line in lines_of(&file, |kind| matches!(kind, LineKind::Option { .. })) {
            // Refused where a NUL or a long line would make it go wrong; none here.
            let off = file.comment_out(&product, line).map_err(|error| {
                TestCaseError::fail(format!("line {line}: {error}"))
            })?;
            prop_assert_eq!(others(&off, &[line]), others(&file, &[line]));
            let kind = off.line(line).map(|line| line.kind);
            if matches!(kind, Some(LineKind::CommentedOption { .. })) {
                let on = off.enable(&product, line);
                let on = on.map_err(|error| TestCaseError::fail(error.to_string()))?;
                prop_assert_eq!(arguments(&on, &product), before.clone());
            }
        }
    }

    #[test]
    fn a_value_that_is_set_is_read(
        case in case(Wildness::Tame),
        product in product(),
        value in proptest::collection::vec(
            proptest::sample::select(&b" \t\n\r\x08\xA0\xC2#;'\"\\=[]!nbtsrq17a"[..]), 0..12),
    ) {
        let file = base(&case);
        for line in lines_of(&file, |kind| matches!(kind, LineKind::Option { .. })) {
            let set = file.set_value(&product, line, Some(&value));
            let Ok(set) = set else {
                // Only a name with a quote or a `=` in front can be in the way.
                let name = file.line(line).map(|line| line.kind);
                let Some(LineKind::Option { name, .. }) = name else { unreachable!() };
                let is_odd = name.is_empty()
                    || name.iter().any(|b| matches!(b, b'\'' | b'"' | b'?'));
                prop_assert!(is_odd, "{:?}", set);
                continue;
            };
            prop_assert_eq!(others(&set, &[line]), others(&file, &[line]));
            let Some(LineKind::Option { value: read, .. }) = set.line(line).map(|l| l.kind) else {
                return Err(TestCaseError::fail("no option any more"));
            };
            prop_assert_eq!(read.as_deref(), Some(&value[..]));
            // Setting the old value gives the old arguments.
            let Some(LineKind::Option { value: old, .. }) = file.line(line).map(|l| l.kind) else {
                unreachable!()
            };
            if let Ok(back) = set.set_value(&product, line, old.as_deref()) {
                prop_assert_eq!(arguments(&back, &product), arguments(&file, &product));
            }
        }
    }

    #[test]
    fn what_is_appended_is_read_last(
        case in case(Wildness::Wild),
        product in product(),
        value in proptest::option::of(proptest::collection::vec(1u8.., 0..12)),
    ) {
        let flat = base(&case).flatten(&product, &loader(&case));
        let Ok(flat) = flat else { return Ok(()) };
        let file = flat.file;
        let before = arguments(&file, &product);
        let edited = file.append(&product, b"zz-probe", value.as_deref());
        let edited = edited.map_err(|error| TestCaseError::fail(error.to_string()))?;
        let mut probe = b"--zz-probe".to_vec();
        if let Some(value) = &value {
            probe.push(b'=');
            probe.extend(value);
        }
        probe.push(b'\n');
        let want = before.map(|before| [before, probe].concat());
        prop_assert_eq!(arguments(&edited, &product), want);
    }

    #[test]
    fn edits_can_be_combined(case in case(Wildness::Tame), product in product(), seed: u64) {
        let file = base(&case);
        let mut dice = Dice::new(seed);
        let mut touched = Vec::new();
        let mut edits = Vec::new();
        for line in lines_of(&file, |kind| {
            matches!(kind, LineKind::Option { .. } | LineKind::CommentedOption { .. })
        }) {
            let is_active = matches!(
                file.line(line).map(|line| line.kind),
                Some(LineKind::Option { .. })
            );
            let edit = match (is_active, dice.below(3)) {
                (_, 0) => continue,
                (true, 1) => Edit::CommentOut { line },
                (true, _) => Edit::Set { line, value: Some(b"v".to_vec()) },
                (false, _) => Edit::Enable { line },
            };
            touched.push(line);
            edits.push(edit);
        }
        let Ok(together) = file.apply(&product, &edits) else { return Ok(()) };
        prop_assert_eq!(others(&together, &touched), others(&file, &touched));
        let one_by_one = edits.iter().try_fold(file, |file, edit| {
            file.apply(&product, std::slice::from_ref(edit))
        });
        prop_assert_eq!(Ok(together), one_by_one);
    }

    #[test]
    fn redacting_keeps_lines_and_hides_passwords(case in case(Wildness::Wild)) {
        let file = base(&case);
        let redacted = OptionFile::parse(file.redacted());
        prop_assert_eq!(redacted.line_count(), file.line_count());
        for line in redacted.lines() {
            if let LineKind::Option { name, value: Some(value) } = line.kind
                && is_secret(name)
                && !value.is_empty()
            {
                prop_assert_eq!(value, b"********");
            }
        }
    }
}
