//! The cache of catalogues: one JSON file per image digest, below the user's cache directory.

use std::path::{Path, PathBuf};

use super::Catalog;

/// Raised whenever catalogues are built in another way.
const GENERATION: u32 = 3;

fn path(image_digest: &str) -> Option<PathBuf> {
    let not_empty = |name: &str| std::env::var_os(name).filter(|v| !v.is_empty());
    let cache = not_empty("XDG_CACHE_HOME")
        .map(PathBuf::from)
        .or_else(|| Some(Path::new(&not_empty("HOME")?).join(".cache")))?;
    let digest: String = image_digest.chars().filter(char::is_ascii_alphanumeric).collect();
    Some(cache.join("cnfsweep").join(format!("catalog-{GENERATION}-{digest}.json")))
}

/// The catalogue of an image, if it was asked before. A file that can't be read counts as none.
pub fn load(image_digest: &str) -> Option<Catalog> {
    serde_json::from_slice(&std::fs::read(path(image_digest)?).ok()?).ok()
}

/// Keeps a catalogue for the next time.
///
/// # Errors
/// When the file can't be written; the sweep can go on without.
pub fn save(image_digest: &str, catalog: &Catalog) -> std::io::Result<()> {
    let path = path(image_digest)
        .ok_or_else(|| std::io::Error::other("neither XDG_CACHE_HOME nor HOME is set"))?;
    if let Some(parent) = path.parent() {
        std::fs::create_dir_all(parent)?;
    }
    let beside = path.with_extension(format!("{}.new", std::process::id()));
    std::fs::write(&beside, serde_json::to_vec(catalog)?)?;
    std::fs::rename(&beside, &path)
}
