//! Files of any size that would be slow to read if anything were done twice: one per way of being
//! large. Uses nothing but std, so that the benchmark takes this very file in by `#[path]`.

/// A way of being large, and the file of about so many bytes.
pub type Shape = (&'static str, fn(usize) -> Vec<u8>);

pub const SHAPES: &[Shape] = &[
    ("one value", |size| below_header(b"a=", b"x", size)),
    ("one comment", |size| below_header(b"#", b"x", size)),
    ("one name", |size| below_header(b"", b"abc", size)),
    ("blanks", |size| below_header(b"a", b" ", size)),
    ("empty lines", |size| below_header(b"", b"\n", size)),
    ("tiny lines", |size| below_header(b"", b"a\n", size)),
    ("headers", |size| repeated(b"[mysqld]\n", size)),
    ("different headers", |size| numbered("[g", "]\na=1\n", size)),
    ("quotes in one line", |size| below_header(b"a=", b"'\"\"'\"", size)),
    ("lines of quotes", |size| below_header(b"", b"a='\n", size)),
    ("backslashes", |size| below_header(b"a=\"", b"\\", size)),
    ("equals signs", |size| below_header(b"a", b"=", size)),
    ("carriage returns", |size| repeated(b"[mysqld]\ra=1\r", size)),
    ("bytes 0", |size| below_header(b"a=1", b"\0", size)),
    ("lines with a byte 0", |size| below_header(b"", b"a=1\0\n", size)),
    ("commented options", |size| below_header(b"", b"#port = 3306 # usual\n", size)),
    ("one option repeated", |size| below_header(b"", b"port = 3306\n", size)),
    ("different options", |size| numbered("o", " = 1\n", size)),
    ("flags repeated", |size| below_header(b"", b"optimizer_switch=mrr=on,a=off\n", size)),
    ("flags in one value", |size| below_header(b"optimizer_switch=", b"mrr=on,", size)),
    ("a list", |size| below_header(b"", b"plugin_load_add=x.so\n", size)),
    ("prefixes", |size| below_header(b"", b"loose-", size)),
    ("lines with prefixes", |size| below_header(b"", b"loose-skip-port=1\n", size)),
    ("secrets", |size| below_header(b"", b"password = a:b;c=d\n", size)),
    ("secrets in one line", |size| below_header(b"o=", b"password=x;a://b:c@d/,", size)),
    ("colons", |size| below_header(b"o=", b"a: ://", size)),
    ("an ordinary file", |size| {
        repeated(
            b"# The buffers\n[mysqld]\nkey_buffer_size = 16M # MyISAM\n#sort_buffer_size=2M\n\
              init_connect = 'SET NAMES utf8mb4'\n\n[client]\nport = 3306\n",
            size,
        )
    }),
];

fn below_header(start: &[u8], piece: &[u8], size: usize) -> Vec<u8> {
    let mut file = b"[mysqld]\n".to_vec();
    file.extend_from_slice(start);
    file.extend(piece.iter().cycle().take(size));
    file.push(b'\n');
    file
}

fn repeated(piece: &[u8], size: usize) -> Vec<u8> {
    piece.iter().copied().cycle().take(size / piece.len() * piece.len()).collect()
}

fn numbered(before: &str, behind: &str, size: usize) -> Vec<u8> {
    let mut file = b"[mysqld]\n".to_vec();
    for number in 0.. {
        if file.len() >= size {
            break;
        }
        file.extend_from_slice(format!("{before}{number}{behind}").as_bytes());
    }
    file
}
