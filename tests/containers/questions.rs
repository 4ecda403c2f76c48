//! What a server is asked about option files without being started.

use cnfsweep::engine::{Engine as _, Inquiry, Question};

use crate::binary::Desk;
use crate::lab::Lab;
use crate::servers::{Server, mariadb_11_8, mysql_9_7};

/// Many files in one go: each answer is about its own file, whatever the others are like.
async fn each_file_has_its_own_answer(server: Server) {
    let lab = Lab::open(server).await;
    let asked = |cnf: &str, question| Inquiry { cnf: cnf.as_bytes().to_vec(), question };
    let values = || Question::Values(vec!["sort_buffer_size".to_owned()]);
    let mut inquiries = vec![
        asked("[mysqld]\nmax_connections = 37\n", Question::Takes),
        asked("[mysqld]\nno_such_option = 1\n", Question::Takes),
        asked("[mysqld]\nsort_buffer_size = 1 M\n", Question::Takes),
        asked("[mysqld]\ninnodb_flush_method = sideways\n", Question::Takes),
        asked("[mysqld]\nloose_no_such_option = 1\n", Question::Takes),
        asked("[mysqld]\ninnodb_flush_method = sideways\n", values()),
    ];
    for n in 0..10 {
        inquiries.push(asked(&format!("[mysqld]\nsort_buffer_size = {n}M\n"), values()));
    }
    let answers = lab.engine.ask(&inquiries).await.expect("answers").expect("it can be asked");
    assert_eq!(answers.len(), inquiries.len());
    let refused: Vec<bool> = answers.iter().map(|a| a.refused.is_some()).collect();
    assert_eq!(refused[..6], [false, true, true, true, false, true]);
    let words = |i: usize| answers[i].refused.clone().unwrap_or_default();
    assert!(words(1).contains("no_such_option"), "{}", words(1));
    assert!(words(2).contains("sort_buffer_size"), "{}", words(2));
    assert!(words(3).contains("Error while setting value 'sideways'"), "{}", words(3));
    for (n, answer) in answers[7..].iter().enumerate() {
        let bytes = ((n + 1) << 20).to_string();
        assert_eq!(answer.values["sort_buffer_size"], bytes, "{answer:?}");
    }
    assert_eq!(lab.containers(), Vec::<String>::new());
    assert_eq!(lab.volumes(), Vec::<String>::new());
}
on!(each_file_has_its_own_answer: mysql_9_7, mariadb_11_8, mariadb_10_5);

/// What a server makes of a value is told: clamped, brought down to a whole block; and where that
/// is the value it had before, there is nothing to measure.
#[test]
fn a_value_that_came_out_as_another_is_told() {
    for server in [mysql_9_7, mariadb_11_8] {
        let desk = Desk::new(server);
        desk.write("my.cnf", "[mysqld]\nmax_connections = 37\n");
        let sets = ["--set", "read_buffer_size=131073,266241", "--set", "long_query_time=0.5"];
        let plan = [&["plan", "--format", "csv"][..], &desk.sweep(&sets)].concat();
        let done = desk.run(&plan).expect(0).left_nothing(&desk);
        let row = |id: &str| {
            let found = done.stdout.lines().find(|line| line.starts_with(id));
            found.unwrap_or_else(|| panic!("no {id} in {}", done.stdout)).to_owned()
        };
        let same = row("read_buffer_size=131073");
        assert!(same.contains(",no-op,"), "{same}");
        assert!(same.contains("clamped: asked 131073, got 131072"), "{same}");
        let block = row("read_buffer_size=266241");
        assert!(block.contains(",planned,"), "{block}");
        assert!(block.contains("clamped: asked 266241, got 266240"), "{block}");
        assert!(!row("long_query_time=0.5").contains("clamped"), "{}", done.stdout);
    }
}
