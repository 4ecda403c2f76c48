//! What a toggle trades away: durability (D) or security (S), by option *and* value, as seen from
//! the value it comes from. The safe direction has no label.

use super::words::Label;

/// How risky a value is: durability, security, higher is worse.
fn risk(option: &str, value: &str) -> (Label, u8) {
    let value = value.trim().to_ascii_lowercase();
    let on = matches!(value.as_str(), "on" | "1" | "true" | "");
    let off = matches!(value.as_str(), "off" | "0" | "false");
    let durability = |level| (Label::Durability, level);
    let security = |level| (Label::Security, level);
    match option {
        "innodb_flush_log_at_trx_commit" => durability(match value.as_str() {
            "1" | "3" => 0,
            "2" => 1,
            _ => 2,
        }),
        // 0 leaves it to the system; N writes every N commits; 1 is safe.
        "sync_binlog" => durability(match value.as_str() {
            "1" => 0,
            "0" => 2,
            _ => 1,
        }),
        "innodb_doublewrite" => durability(match value.as_str() {
            "detect_only" => 1,
            _ if off => 2,
            _ => 0,
        }),
        "log_bin" => durability(u8::from(off)),
        "skip_log_bin" | "disable_log_bin" => durability(u8::from(on)),
        "innodb_flush_method" => durability(match value.as_str() {
            "nosync" | "littlesync" => 2,
            "o_direct_no_fsync" => 1,
            _ => 0,
        }),
        "innodb_checksum_algorithm" => durability(u8::from(value.ends_with("none"))),
        "innodb_flush_log_at_timeout" => {
            durability(u8::from(value.parse::<u32>().is_ok_and(|seconds| seconds > 1)))
        }
        "delay_key_write" => durability(u8::from(value == "all")),
        "innodb_redo_log_enabled" => durability(u8::from(off)),
        "skip_grant_tables" => security(u8::from(on)),
        "local_infile" => security(u8::from(on)),
        "require_secure_transport" => security(u8::from(off)),
        _ => (Label::None, 0),
    }
}

/// The label of going from one value to another.
pub fn label(option: &str, from: Option<&str>, to: Option<&str>) -> Label {
    let level = |value: Option<&str>| value.map_or((Label::None, 0), |v| risk(option, v));
    let ((kind, after), (_, before)) = (level(to), level(from));
    if after > before { kind } else { Label::None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_risky_direction_is_labelled() {
        let flush = |from, to| label("innodb_flush_log_at_trx_commit", Some(from), Some(to));
        assert_eq!(flush("1", "2"), Label::Durability);
        assert_eq!(flush("2", "1"), Label::None);
        assert_eq!(flush("2", "0"), Label::Durability);
        assert_eq!(label("skip_grant_tables", Some("OFF"), Some("")), Label::Security);
        assert_eq!(label("skip_grant_tables", Some("ON"), Some("OFF")), Label::None);
        assert_eq!(label("skip_log_bin", None, Some("")), Label::Durability);
        assert_eq!(label("sort_buffer_size", Some("1M"), Some("2M")), Label::None);
    }
}
