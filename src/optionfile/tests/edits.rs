//! What edits make of files, as text.

use super::super::*;

const MYSQL: Product = Product::mysql(9, 7);
const MARIA: Product = Product::mariadb(11, 8);
const BOTH: [Product; 2] = [MYSQL, MARIA];

fn apply(product: &Product, text: &str, edits: &[Edit]) -> Result<String, EditError> {
    let edited = OptionFile::parse(text).apply(product, edits)?;
    Ok(String::from_utf8(edited.render()).unwrap())
}

fn append(name: &str, value: Option<&str>) -> Edit {
    Edit::Append { name: name.into(), value: value.map(Into::into) }
}

fn set(line: usize, value: &str) -> Edit {
    Edit::Set { line, value: Some(value.into()) }
}

/// `text` with `port=1` appended.
fn with_port(product: &Product, text: &str) -> String {
    apply(product, text, &[append("port", Some("1"))]).unwrap()
}

#[test]
fn commenting_out_and_enabling_keep_everything_else() {
    for product in &BOTH {
        let text = "[mysqld]\r\n  port = 1 # c\r\n#skip-networking\r\n;  user=x\r\n";
        let off = apply(product, text, &[Edit::CommentOut { line: 2 }]).unwrap();
        assert_eq!(off, text.replace("  port", "  #port"));
        assert_eq!(apply(product, &off, &[Edit::Enable { line: 2 }]).unwrap(), text);
        let on = apply(product, text, &[Edit::Enable { line: 3 }, Edit::Enable { line: 4 }]);
        assert_eq!(on.unwrap(), "[mysqld]\r\n  port = 1 # c\r\nskip-networking\r\nuser=x\r\n");
        let with = Edit::EnableWith { line: 4, value: Some(b"mysql".to_vec()) };
        let on = apply(product, text, &[with]).unwrap();
        assert_eq!(on, text.replace(";  user=x", "user=mysql"));
    }
}

#[test]
fn edits_name_the_lines_of_the_original() {
    let text = "[mysqld]\na=1\nb=2\n#c=3\nd=4\n[client]\ne=5\n";
    let edits = [
        append("f", None),
        Edit::CommentOut { line: 2 },
        append("g", Some("x # y")),
        Edit::CommentOut { line: 5 },
        set(3, "9"),
        Edit::Enable { line: 4 },
    ];
    for product in &BOTH {
        assert_eq!(
            apply(product, text, &edits).unwrap(),
            "[mysqld]\n#a=1\nb=9\nc=3\n#d=4\nf\ng=\"x # y\"\n[client]\ne=5\n"
        );
    }
}

#[test]
fn appending_goes_to_the_end_of_the_last_group_that_the_server_reads() {
    for product in &BOTH {
        for (text, want) in [
            ("[mysqld]\na=1\n", "[mysqld]\na=1\nport=1\n"),
            ("[mysqld]\na=1", "[mysqld]\na=1\nport=1\n"),
            ("[mysqld]\r\na=1", "[mysqld]\r\na=1\nport=1\n"),
            ("[mysqld]\r\na=1\r\n", "[mysqld]\r\na=1\r\nport=1\r\n"),
            ("[mysqld]\n\n\n", "[mysqld]\nport=1\n\n\n"),
            (
                "[mysqld]\na=1\n\n# clients\n[client]\n",
                "[mysqld]\na=1\nport=1\n\n# clients\n[client]\n",
            ),
            ("[mysqld]\na=1\n# b\n\n[client]\n", "[mysqld]\na=1\n# b\nport=1\n\n[client]\n"),
            ("[mysqld]\na=1\n#b=2\n[client]\n", "[mysqld]\na=1\n#b=2\nport=1\n[client]\n"),
            ("[mysqld]\n[server]\n[mysqld-5.7]\n", "[mysqld]\n[server]\nport=1\n[mysqld-5.7]\n"),
            ("[mysqld]\na=1\n# the end\n", "[mysqld]\na=1\n# the end\nport=1\n"),
            ("[MySQLd ] # x\n[ mysqld]\n", "[MySQLd ] # x\nport=1\n[ mysqld]\n"),
        ] {
            assert_eq!(with_port(product, text), want, "{product} {text:?}");
        }
    }
}

#[test]
fn a_file_without_a_server_group_gets_one() {
    for product in &BOTH {
        for (text, want) in [
            ("", "[mysqld]\nport=1\n"),
            ("# c\n", "# c\n\n[mysqld]\nport=1\n"),
            ("[client]\nuser=x\n\n", "[client]\nuser=x\n\n[mysqld]\nport=1\n"),
            ("[client]\r\nuser=x\r\n", "[client]\r\nuser=x\r\n\r\n[mysqld]\r\nport=1\r\n"),
        ] {
            assert_eq!(with_port(product, text), want, "{product} {text:?}");
        }
    }
}

#[test]
fn appending_stays_behind_includes() {
    for product in &BOTH {
        let text = "[mysqld]\na=1\n!includedir /d\n";
        assert_eq!(with_port(product, text), format!("{text}port=1\n"));
        let text = "[mysqld]\na=1\n[client]\n!includedir /d\n";
        assert_eq!(with_port(product, text), format!("{text}\n[mysqld]\nport=1\n"));
    }
    // The newline that MariaDB misses would make it read the file.
    let text = "[mysqld]\na=1\n!include /x.cnf";
    assert_eq!(with_port(&MARIA, text), "[mysqld]\na=1\nport=1\n!include /x.cnf");
    assert_eq!(with_port(&MYSQL, text), format!("{text}\nport=1\n"));
}

#[test]
fn includes_and_options_before_any_group_can_be_commented_out() {
    for product in &BOTH {
        let text = "port=1\n!include /x\n[mysqld]\na=1\n";
        let edits = [Edit::CommentOut { line: 1 }, Edit::CommentOut { line: 2 }];
        let edited = apply(product, text, &edits).unwrap();
        assert_eq!(edited, "#port=1\n#!include /x\n[mysqld]\na=1\n");
    }
}

#[test]
fn lines_can_be_replaced_by_options_and_comments() {
    for product in &BOTH {
        let text = "[mysqld]\na=1\r\n\n";
        let replace = |line, text: &str| Edit::Replace { line, text: text.into() };
        let edited = apply(product, text, &[replace(2, "b = 2"), replace(3, "# c")]);
        assert_eq!(edited.unwrap(), "[mysqld]\nb = 2\r\n# c\n");
        for bad in ["[x]", "!include /x", "a\nb", "a\0b"] {
            let refused = apply(product, text, &[replace(2, bad)]);
            assert!(matches!(refused, Err(EditError::NotALine { line: 2 })), "{bad:?}");
        }
    }
}

#[test]
fn what_makes_no_sense_is_refused_with_a_reason() {
    let text = "[mysqld]\na=1\n# prose it is\n#b=2\n\n";
    for (edits, want) in [
        (vec![set(9, "1")], "there is no line 9, the file has 5"),
        (vec![set(1, "1")], "line 1 can't be set: it is a group header"),
        (vec![set(4, "1")], "line 4 can't be set: it is a commented-out option"),
        (vec![Edit::CommentOut { line: 5 }], "line 5 can't be commented out: it is empty"),
        (vec![Edit::Enable { line: 3 }], "line 3 can't be enabled: it is a comment"),
        (vec![Edit::Enable { line: 2 }], "line 2 can't be enabled: it is an active option"),
        (vec![set(2, "1"), Edit::CommentOut { line: 2 }], "line 2 is changed twice"),
        (
            vec![set(2, "a\0b")],
            "the value can't be written so that a server reads it back: it has a NUL byte, or the name has quotes",
        ),
        (
            vec![append("max connections", None)],
            "`max connections` is no option name: a letter, then letters, digits, `_`, `-`, `.`",
        ),
    ] {
        for product in &BOTH {
            let refused = apply(product, text, &edits).unwrap_err();
            assert_eq!(refused.to_string(), want);
        }
    }
}

#[test]
fn an_edit_that_would_be_read_otherwise_is_refused() {
    let differs = |product: &Product, text: &str, edit: Edit| {
        let refused = apply(product, text, &[edit]);
        matches!(refused, Err(EditError::ReadsDifferently { .. }))
    };
    // Longer than MariaDB takes at once.
    let long = "x".repeat(4095);
    assert!(differs(&MARIA, "[mysqld]\na=1\n", set(2, &long)));
    assert!(!differs(&MYSQL, "[mysqld]\na=1\n", set(2, &long)));
    let text = format!("[mysqld]\na={long}\n");
    assert!(differs(&MARIA, &text, Edit::CommentOut { line: 2 }));
    assert!(!differs(&MYSQL, &text, Edit::CommentOut { line: 2 }));
    // Glued to the line above.
    let text = "[mysqld]\na=1\0\nb=2\n";
    assert!(differs(&MYSQL, text, set(3, "3")));
    assert!(!differs(&MARIA, text, set(3, "3")));
    // No group in force.
    for product in &BOTH {
        assert!(differs(product, "#a=1\n[mysqld]\n", Edit::Enable { line: 1 }));
    }
    // Nothing behind the NUL is read.
    assert!(differs(&MYSQL, "[mysqld]\na=1\n\0\nb=2\n", append("port", None)));
}
