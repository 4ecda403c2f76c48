//! The test inputs of my-cnf-syntax.md, section 8, by their row numbers. Rows 55 (file
//! modes) and the refusals that depend on which options exist are the container
//! tests'.

use super::super::value::{self, BooleanArgument, IntegerType, Range, ValueError};
use super::super::*;

const MYSQL: Product = Product::mysql(9, 7);
const MARIA: Product = Product::mariadb(11, 8);

/// All that section 8 was run on, and its relatives with the same answers.
const ALL: [Product; 6] = [
    MYSQL,
    Product::mysql(8, 0),
    Product::mysql(8, 4),
    MARIA,
    Product::mariadb(10, 11),
    Product::mariadb(10, 5),
];

const OLD_INCLUDES: [Product; 5] = [
    Product::mysql(8, 0),
    Product::mysql(8, 4),
    MARIA,
    Product::mariadb(10, 11),
    Product::mariadb(10, 5),
];

fn read(product: &Product, text: &str, loader: &MemoryLoader) -> Result<Arguments, ReadError> {
    let file = OptionFile::parse(text).with_path("/base/my.cnf");
    let read = file.arguments(product, loader);
    // Whatever the file, it is the same without its includes.
    let flat = file.flatten(product, loader).map(|flat| {
        let read = flat.file.arguments(product, &MemoryLoader::new());
        read.map(|arguments| arguments.printed())
    });
    assert_eq!(
        flat,
        read.clone().map(|arguments| Ok(arguments.printed())),
        "{product}: flattening {text:?}"
    );
    read
}

/// The arguments, as text; the header `[mysqld]` is implied.
fn arguments(product: &Product, text: &str) -> Vec<String> {
    arguments_of_file(product, &format!("[mysqld]\n{text}\n"), &MemoryLoader::new())
}

fn arguments_of_file(product: &Product, text: &str, loader: &MemoryLoader) -> Vec<String> {
    let read = read(product, text, loader);
    let list = read.unwrap_or_else(|error| panic!("{product} refuses {text:?}: {error}")).list;
    list.iter().map(ToString::to_string).collect()
}

fn assert_arguments(text: &str, want: &[&str]) {
    for product in ALL {
        assert_eq!(arguments(&product, text), want, "{product}: {text:?}");
    }
}

/// The line that a server refuses.
fn refused_line(product: &Product, text: &str) -> Option<usize> {
    match read(product, text, &MemoryLoader::new()) {
        Err(ReadError::Syntax(error)) => {
            let all = OptionFile::parse(text).check(product).unwrap_err();
            assert_eq!(all[0].line, error.line);
            Some(error.line)
        }
        _ => None,
    }
}

#[test]
fn row_1_white_space_around_name_and_value() {
    assert_arguments("  max_connections   =   77   ", &["--max_connections=77"]);
}

#[test]
fn row_2_all_spellings_of_an_option_are_passed_on_and_the_last_counts() {
    // The third is no spelling of the same name, other than the document says: 9.7.4 and
    // 11.8.9 don't know it.
    let text = "max-connections=1\nmax_connections=2\nmax_con-nections=3";
    assert_arguments(text, &["--max-connections=1", "--max_connections=2", "--max_con-nections=3"]);
    let known: Names = ["max_connections"].into_iter().collect();
    for product in ALL {
        let file = OptionFile::parse(format!("[mysqld]\n{text}\n"));
        let list = file.arguments(&product, &MemoryLoader::new()).unwrap().list;
        let (options, unknown) = effective(&product, &list, &known);
        assert_eq!((options.len(), unknown.len()), (1, 1));
        assert_eq!((&options[0].counting[..], &options[0].superseded[..]), (&[1][..], &[0][..]));
        assert_eq!(unknown[0].0, 2);
    }
}

#[test]
fn rows_3_and_4_bare_options_and_empty_values() {
    assert_arguments(
        "skip-name-resolve\nlow-priority-updates",
        &["--skip-name-resolve", "--low-priority-updates"],
    );
    assert_arguments("plugin-dir=\nftb=   ", &["--plugin-dir=", "--ftb="]);
}

#[test]
fn rows_5_to_8_in_line_comments() {
    assert_arguments("port=3310 # the port\nport=3311#tight", &["--port=3310", "--port=3311"]);
    assert_arguments("port=3312 ; semi", &["--port=3312 ; semi"]);
    assert_arguments("init-connect=\"SET @a='x#y'\" # tail", &["--init-connect=SET @a='x#y'"]);
    assert_arguments(
        "report-host=it's # not cut\nreport-host=its # cut",
        &["--report-host=it's # not cut", "--report-host=its"],
    );
}

#[test]
fn row_10_comments() {
    assert_arguments(
        "   # three\n\t; four\n#a=1\n;a=2\nmax_connections=4",
        &["--max_connections=4"],
    );
}

#[test]
fn rows_11_and_12_quotes() {
    for (value, want) in [
        ("\"x y\"", "x y"),
        ("'x y'", "x y"),
        ("\"x", "\"x"),
        ("\"", "\""),
        ("\"\"", ""),
        ("\"x\"y", "\"x\"y"),
        ("\"a'", "\"a'"),
        ("\"  x  \"", "  x  "),
    ] {
        assert_arguments(&format!("a={value}"), &[&format!("--a={want}")]);
    }
}

#[test]
fn rows_13_to_16_escapes() {
    for (value, want) in [
        (r#"p\sq\tr\\s\'t\"u"#, "p q\tr\\s't\"u"),
        (r"C:\ProgramData\new\table", "C:\\ProgramData\new\table"),
        (r"end\", r"end\"),
        (r"\q\x", r"\q\x"),
        (r"trail\s", "trail "),
    ] {
        assert_arguments(&format!("a={value}"), &[&format!("--a={want}")]);
    }
}

#[test]
fn rows_18_and_19_options_need_a_group_and_headers_a_bracket() {
    for product in ALL {
        assert_eq!(refused_line(&product, "max_connections=5\n[mysqld]\nport=1"), Some(1));
        assert_eq!(refused_line(&product, "[mysqld]\nport=1\n[mysqld\nport=2"), Some(3));
        assert_eq!(refused_line(&product, "[client]\nport=1\n[mysqld\nport=2"), Some(3));
    }
}

#[test]
fn rows_20_and_21_headers() {
    assert_arguments("[mysqld] # c = y\nport=1\n[mysqld]junk\nport=2", &["--port=1", "--port=2"]);
    assert_arguments(
        "[ mysqld]\nport=1\n[mysqld ]\nport=2\n[MYSQLD]\nport=3",
        &["--port=2", "--port=3"],
    );
}

#[test]
fn row_23_each_server_reads_its_groups() {
    let groups = [
        ("mysqld-9.7", 97),
        ("mysqld-8.4", 84),
        ("mysqld-11.8", 118),
        ("mariadb", 1),
        ("mariadb-11.8", 2),
        ("mariadb-11", 3),
        ("mariadbd", 4),
        ("mariadbd-11.8", 5),
        ("mariadb-10.11", 6),
        ("client-server", 7),
        ("galera", 8),
        ("mysql_cluster", 9),
        ("mariadb-server", 10),
    ];
    let text: String =
        groups.iter().map(|(group, port)| format!("[{group}]\nport={port}\n")).collect();
    for (product, want) in [
        (MYSQL, &[97, 9][..]),
        (Product::mysql(8, 4), &[84, 9]),
        (MARIA, &[118, 1, 2, 3, 4, 5, 7, 8]),
        (Product::mariadb(10, 11), &[1, 4, 6, 7, 8]),
        (Product::mariadb(10, 5), &[1, 4, 7, 8]),
    ] {
        let want: Vec<_> = want.iter().map(|port| format!("--port={port}")).collect();
        assert_eq!(arguments_of_file(&product, &text, &MemoryLoader::new()), want, "{product}");
    }
}

#[test]
fn row_24_programs_have_groups_of_their_own() {
    assert_arguments(
        "[client]\nport=1\n[mysqld_safe]\nport=2\n[mysqld]\nport=3\n[mysqldump]\nquick",
        &["--port=3"],
    );
}

#[test]
fn rows_26_and_29_carriage_returns() {
    assert_arguments("[mysqld]\r\ndatadir=\"C:/x\"\r\n", &["--datadir=C:/x"]);
    for product in ALL {
        let text = "[mysqld]\rport=1\ruser=x\r";
        let none = Vec::<String>::new();
        assert_eq!(arguments_of_file(&product, text, &MemoryLoader::new()), none);
    }
}

#[test]
fn row_27_a_byte_order_mark_is_fatal() {
    for product in ALL {
        for text in ["\u{feff}[mysqld]\nport=1\n", "\u{feff}# hello\n[mysqld]\n"] {
            assert_eq!(refused_line(&product, text), Some(1));
        }
    }
}

fn with_good() -> MemoryLoader {
    MemoryLoader::new()
        .with_file("/x/good.cnf", "[mysqld]\nport=2\n")
        .with_file("/x/bad.cnf", "port=7\n[mysqld]\nport=8\n")
}

#[test]
fn row_32_an_include_on_a_last_line_without_newline() {
    let text = "[mysqld]\nport=1\n!include /x/good.cnf";
    for product in OLD_INCLUDES {
        assert_eq!(arguments_of_file(&product, text, &with_good()), ["--port=1"]);
    }
    assert_eq!(arguments_of_file(&MYSQL, text, &with_good()), ["--port=1", "--port=2"]);
}

#[test]
fn rows_33_and_34_groups_go_on_after_an_include_even_a_broken_one() {
    for product in ALL {
        let text = "[mysqld]\nport=1\n!include /x/good.cnf\nport=3\n";
        let list = arguments_of_file(&product, text, &with_good());
        assert_eq!(list, ["--port=1", "--port=2", "--port=3"]);

        let text = "[mysqld]\nport=1\n!include /x/bad.cnf\nport=3\n";
        let read = read(&product, text, &with_good()).unwrap();
        assert_eq!(read.printed(), b"--port=1\n--port=3\n");
        let [message] = &read.messages[..] else { panic!("one message") };
        assert_eq!(message.line, 3);
        assert!(matches!(message.kind, MessageKind::RestDropped(_)));
    }
}

#[test]
fn row_35_a_missing_file_is_passed_over_and_a_missing_directory_is_not() {
    for product in ALL {
        let read_text = |text| read(&product, text, &MemoryLoader::new());
        let read = read_text("[mysqld]\n!include /missing\nport=1\n").unwrap();
        assert_eq!(read.printed(), b"--port=1\n");
        assert!(matches!(read.messages[0].kind, MessageKind::NotIncluded { .. }));
        let refused = read_text("[mysqld]\n!includedir /missing\nport=1\n").unwrap_err();
        assert!(matches!(refused, ReadError::IncludeDir { line: 2, .. }));
    }
}

#[test]
fn rows_37_and_38_includes_have_no_quotes_and_exact_names() {
    for product in ALL {
        for line in ["!include \"/x/good.cnf\"", "!require /x/good.cnf", "!INCLUDE /x/good.cnf"] {
            let text = format!("[mysqld]\nport=1\n{line}\n");
            assert_eq!(arguments_of_file(&product, &text, &with_good()), ["--port=1"]);
        }
    }
}

#[test]
fn section_4_a_comment_behind_the_path_is_cut_by_mysql_9_only() {
    let text = "[mysqld]\n!include /x/good.cnf # c\n";
    assert_eq!(arguments_of_file(&MYSQL, text, &with_good()), ["--port=2"]);
    for product in OLD_INCLUDES {
        let none = Vec::<String>::new();
        assert_eq!(arguments_of_file(&product, text, &with_good()), none);
    }
}

#[test]
fn section_4_directories_are_read_in_byte_order_and_not_entered() {
    let mut loader = MemoryLoader::new();
    for (at, name) in [
        "a.cnf",
        "A.cnf",
        "2-b.cnf",
        "10-a.cnf",
        ".hid.cnf",
        "w.bak.cnf",
        ".cnf",
        "x.cnf.bak",
        "y.CNF",
        "q.conf",
        "z.ini",
        "sub.cnf/in.cnf",
    ]
    .iter()
    .enumerate()
    {
        loader = loader.with_file(format!("/d/{name}"), format!("[mysqld]\nport={at}\n"));
    }
    for product in ALL {
        for dir in ["/d", "/d/"] {
            let text = format!("!includedir {dir}\n[mysqld]\n");
            let want = [".cnf", ".hid.cnf", "10-a", "2-b", "A", "a", "w.bak"];
            let ports = ["6", "4", "3", "2", "1", "0", "5"].map(|port| format!("--port={port}"));
            let got = arguments_of_file(&product, &text, &loader);
            assert_eq!(got, ports, "{product} {want:?}");
        }
    }
}

#[test]
fn section_4_relative_paths_start_at_the_base_file() {
    let loader = MemoryLoader::new()
        .with_file("/base/sub/a.cnf", "[mysqld]\na=1\n!include sub/b.cnf\n")
        .with_file("/base/sub/b.cnf", "[mysqld]\nb=1\n")
        .with_home("/home/me")
        .with_file("/home/me/c.cnf", "[mysqld]\nc=1\n");
    for product in ALL {
        let text = "!includedir sub\n[mysqld]\n!include ~/c.cnf\n";
        let got = arguments_of_file(&product, text, &loader);
        assert_eq!(got, ["--a=1", "--b=1", "--b=1", "--c=1"]);
    }
}

#[test]
fn section_4_a_file_that_includes_itself_is_read_eleven_times() {
    let text = "[mysqld]\na=1\n!include /base/my.cnf\n";
    let loader = MemoryLoader::new().with_file("/base/my.cnf", text);
    for product in ALL {
        let read = read(&product, text, &loader).unwrap();
        assert_eq!(read.list.len(), 11);
        assert_eq!(read.messages.len(), 1);
        assert_eq!(read.messages[0].kind, MessageKind::TooDeep);
    }
    // Twice each would be more than a million: we don't wait for that.
    let text =
        "[mysqld]\n!include /base/my.cnf\n".to_owned() + &"!include /base/my.cnf\n".repeat(5);
    let loader = MemoryLoader::new().with_file("/base/my.cnf", text.clone());
    let refused = read(&MARIA, &text, &loader).unwrap_err();
    assert!(matches!(refused, ReadError::TooManyIncludes { .. }));
}

#[test]
fn section_4_question_marks_are_for_new_mariadb_servers() {
    let text = "[mysqld]\n?include /x/good.cnf\n?includedir /x\n";
    let got = arguments_of_file(&MARIA, text, &with_good());
    assert_eq!(got, ["--port=2", "--port=2"]);
    let as_options = ["--?include /x/good.cnf", "--?includedir /x"];
    for product in [MYSQL, Product::mariadb(10, 11), Product::mariadb(10, 5)] {
        assert_eq!(arguments_of_file(&product, text, &with_good()), as_options);
    }
    // A missing directory is fatal with `?` too; one that may not be read is not.
    struct Denied;
    impl Loader for Denied {
        fn read(&self, _: &[u8]) -> Result<Vec<u8>, LoadError> {
            Err(LoadError::PermissionDenied)
        }
        fn list_dir(&self, _: &[u8]) -> Result<Vec<Vec<u8>>, LoadError> {
            Err(LoadError::PermissionDenied)
        }
    }
    let file = |mark| OptionFile::parse(format!("[mysqld]\n{mark}includedir /x\n"));
    assert!(file('?').arguments(&MARIA, &Denied).is_ok());
    assert!(file('!').arguments(&MARIA, &Denied).is_err());
    assert!(file('?').arguments(&MARIA, &MemoryLoader::new()).is_err());
}

#[test]
fn section_3_nul_and_long_lines() {
    let nul = "port=1\0junk\nuser=x";
    assert_eq!(arguments(&MARIA, nul), ["--port=1", "--user=x"]);
    for product in [MYSQL, Product::mysql(8, 0), Product::mysql(8, 4)] {
        assert_eq!(arguments(&product, nul), ["--port=1user=x"]);
    }
    let long = format!("{}port=1", "#".repeat(4094));
    assert_eq!(arguments(&MARIA, &long), ["--port=1"]);
    assert_eq!(arguments(&MYSQL, &long), Vec::<String>::new());
    let value = "v".repeat(200_000);
    assert_eq!(arguments(&MYSQL, &format!("a={value}")), [format!("--a={value}")]);
}

#[test]
fn section_3_lines_that_are_not_what_they_seem_are_remarked_on() {
    let long = format!("[mysqld]\n#{}\n", "x".repeat(9000));
    for (product, text, want) in [
        (MARIA, long.as_str(), &[(2, MessageKind::CutLine)][..]),
        (MYSQL, &long, &[]),
        (MARIA, "[mysqld]\nport=1\0\n", &[(2, MessageKind::NulByte)]),
        (MYSQL, "[mysqld]\nport=1\0\n", &[(2, MessageKind::NulByte)]),
        (MYSQL, "[mysqld]\rport=1\r", &[(1, MessageKind::LoneCarriageReturn)]),
        (MYSQL, "[mysqld]\r\nport=1\r\n", &[]),
    ] {
        let messages = read(&product, text, &MemoryLoader::new()).unwrap().messages;
        let got: Vec<_> = messages.into_iter().map(|m| (m.line, m.kind)).collect();
        assert_eq!(got, want, "{product}");
    }
}

#[test]
fn row_40_odd_names_are_unknown_to_every_server() {
    let known: Names = ["port", "max_connections"].into_iter().collect();
    for product in ALL {
        for line in ["max connections=5", "port 3306", "--port=1"] {
            let file = OptionFile::parse(format!("[mysqld]\n{line}\n"));
            let list = file.arguments(&product, &MemoryLoader::new()).unwrap().list;
            let found = resolve(&product, &list[0].name, list[0].value.as_deref(), &known);
            let is_unknown = matches!(found, Err(NameError::Unknown { is_loose: false, .. }));
            assert!(is_unknown, "{product} {line}");
        }
        assert_eq!(arguments(&product, "=5"), ["--=5"]);
        // Seen in 9.7.4 and 11.8.9: an indented one drags its line along.
        assert_eq!(arguments(&product, "  =5 # c"), ["--=5 =5"]);
    }
}

#[test]
fn row_41_yes_is_no_boolean() {
    for product in ALL {
        let read =
            |text: &str| value::boolean(&product, Some(text.as_bytes()), BooleanArgument::Optional);
        assert_eq!((read("1").value, read("1").warns), (Some(true), false));
        assert_eq!((read("yes").value, read("yes").warns), (Some(false), true));
    }
}

#[test]
fn rows_6_44_and_45_sizes() {
    let packet = Range { min: 1024, max: 1 << 30, block: 1024, ty: IntegerType::ULong };
    for product in ALL {
        let read = |text: &str| {
            let found = value::integer(&product, text.as_bytes(), packet.ty)?;
            Ok::<_, ValueError>(value::clamp(found.value, &packet).value)
        };
        for (text, want) in [
            ("16m", 16_777_216),
            ("16MB", 16_777_216),
            ("1e6", 1 << 30),
            ("16777217", 16_777_216),
            ("16M", 16_777_216),
        ] {
            assert_eq!(read(text), Ok(want), "{product} {text}");
        }
        for text in ["1.5M", "16 M", "0x100000", "3312 ; semi"] {
            assert!(read(text).is_err(), "{product} {text}");
        }
    }
}

#[test]
fn rows_47_48_and_54_names() {
    let known: Names = ["key_buffer_size", "slow_query_log", "port"].into_iter().collect();
    for product in ALL {
        let is_maria = product.vendor == Vendor::MariaDb;
        let find = |name: &str| resolve(&product, name.as_bytes(), Some(b"1"), &known);
        assert_eq!(
            find("key_buffer").map(|found| found.is_abbreviated).ok(),
            is_maria.then_some(true)
        );
        assert_eq!(find("SLOW_QUERY_LOG").is_ok(), is_maria, "{product}");
        assert!(matches!(find("loose-foo"), Err(NameError::Unknown { is_loose: true, .. })));
        assert!(matches!(find("foo"), Err(NameError::Unknown { is_loose: false, .. })));
        let set_variable = find("set-variable");
        assert!(matches!(set_variable, Err(NameError::Unknown { is_loose: false, .. })));
    }
}

#[test]
fn row_50_sql_mode_neither_merges_nor_takes_blanks() {
    assert_eq!(repeat_rule("sql_mode"), Repeat::LastWins);
    for product in ALL {
        let modes = ["ANSI_QUOTES", "NO_ZERO_DATE"];
        assert_eq!(value::set(&product, b"ANSI_QUOTES,NO_ZERO_DATE", &modes), Ok(3));
        assert!(value::set(&product, b"ANSI_QUOTES, NO_ZERO_DATE", &modes).is_err());
    }
}

#[test]
fn rows_51_and_52_log_bin_and_user() {
    let known: Names = ["log_bin", "user"].into_iter().collect();
    for product in ALL {
        let off = resolve(&product, b"skip-log-bin", None, &known).unwrap();
        assert_eq!((off.name.as_str(), off.value.as_deref()), ("log_bin", Some(&b"0"[..])));
        let named = resolve(&product, b"log_bin", Some(b"OFF"), &known).unwrap();
        assert_eq!(named.value.as_deref(), Some(&b"OFF"[..]));
    }
    assert_eq!(repeat_rule("user"), Repeat::FirstWins);
}

#[test]
fn every_argument_knows_its_file_line_and_group() {
    let text = "[mysqld]\nport=1\n!include /x/good.cnf\n\n[Server]\nport=3\n";
    for product in ALL {
        let list = read(&product, text, &with_good()).unwrap().list;
        let places: Vec<_> = list
            .iter()
            .map(|a| format!("{} [{}]", a.origin, String::from_utf8_lossy(&a.origin.group)))
            .collect();
        assert_eq!(
            places,
            ["/base/my.cnf:2 [mysqld]", "/x/good.cnf:2 [mysqld]", "/base/my.cnf:6 [Server]"]
        );
        let flat = OptionFile::parse(text).with_path("/base/my.cnf");
        let flat = flat.flatten(&product, &with_good()).unwrap();
        let lines: Vec<_> = flat
            .file
            .lines()
            .map(|line| {
                let origin = flat.origin(line.number).unwrap();
                let file = String::from_utf8_lossy(&origin.file);
                let text = String::from_utf8_lossy(line.raw);
                format!("{file}:{} {}", origin.line, text.trim_end())
            })
            .collect();
        assert_eq!(
            lines,
            [
                "/base/my.cnf:1 [mysqld]",
                "/base/my.cnf:2 port=1",
                "/base/my.cnf:3 #!include /x/good.cnf",
                "/x/good.cnf:1 [mysqld]",
                "/x/good.cnf:2 port=2",
                "/base/my.cnf:3 [mysqld]",
                "/base/my.cnf:4 ",
                "/base/my.cnf:5 [Server]",
                "/base/my.cnf:6 port=3",
            ]
        );
    }
}
