//! The benchmarks that are compiled into the binary.

/// Name and TOML text of every shipped profile, by name.
pub const BUILTIN: &[(&str, &str)] = &[
    ("churn", include_str!("../../profiles/churn.toml")),
    ("page300", include_str!("../../profiles/page300.toml")),
    ("point-select", include_str!("../../profiles/point-select.toml")),
];

/// The names, for messages: `churn, page300, point-select`.
pub fn builtin_names() -> String {
    BUILTIN.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ")
}
