//! How included files come in. The option-file module does no IO: it asks a
//! [`Loader`], which the caller brings along.

use std::collections::BTreeMap;

use thiserror::Error;

/// Reads the files that `!include` and `!includedir` name.
///
/// Paths are bytes, absolute or relative to the caller's working directory; a relative
/// path in an option file has already been put behind the directory of the base file.
pub trait Loader {
    /// The content of a file.
    ///
    /// # Errors
    /// Why it can't be had. A regular file that everybody may write to must answer
    /// [`LoadError::WorldWritable`]: servers skip it.
    fn read(&self, path: &[u8]) -> Result<Vec<u8>, LoadError>;

    /// The names of the entries of a directory, in any order, without `.` and `..`.
    ///
    /// # Errors
    /// Why it can't be listed.
    fn list_dir(&self, path: &[u8]) -> Result<Vec<Vec<u8>>, LoadError>;

    /// What a leading `~/` of an include stands for: `$HOME` of the server's process
    /// (seen in MySQL 9.7.4 and MariaDB). Unknown unless the caller knows better; such
    /// an include then counts as missing.
    fn home(&self) -> Option<Vec<u8>> {
        None
    }
}

/// Why a [`Loader`] has nothing to give.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum LoadError {
    /// No such file or directory.
    #[error("no such file or directory")]
    NotFound,
    /// It is there, but the server's user may not read it.
    #[error("permission denied")]
    PermissionDenied,
    /// A file was asked for and a directory is there; servers read nothing from it.
    #[error("it is a directory")]
    IsDirectory,
    /// The file has the world-writable bit, so servers ignore it.
    #[error("it is world-writable, and servers ignore such a file")]
    WorldWritable,
    /// Anything else, in the system's words.
    #[error("{0}")]
    Unreadable(String),
}

/// Files in memory: for tests, and for files that have no includes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MemoryLoader {
    files: BTreeMap<Vec<u8>, Vec<u8>>,
    directories: Vec<Vec<u8>>,
    home: Option<Vec<u8>>,
}

impl MemoryLoader {
    /// No files at all.
    pub fn new() -> MemoryLoader {
        MemoryLoader::default()
    }

    /// Adds a file; the directories above it exist from then on.
    #[must_use]
    pub fn with_file(mut self, path: impl Into<Vec<u8>>, content: impl Into<Vec<u8>>) -> Self {
        self.files.insert(path.into(), content.into());
        self
    }

    /// Adds an empty directory.
    #[must_use]
    pub fn with_dir(mut self, path: impl Into<Vec<u8>>) -> Self {
        self.directories.push(without_slash(&path.into()).to_vec());
        self
    }

    /// Says what `~/` stands for.
    #[must_use]
    pub fn with_home(mut self, path: impl Into<Vec<u8>>) -> Self {
        self.home = Some(path.into());
        self
    }
}

impl Loader for MemoryLoader {
    fn read(&self, path: &[u8]) -> Result<Vec<u8>, LoadError> {
        match self.files.get(path) {
            Some(content) => Ok(content.clone()),
            None if self.list_dir(path).is_ok() => Err(LoadError::IsDirectory),
            None => Err(LoadError::NotFound),
        }
    }

    fn list_dir(&self, path: &[u8]) -> Result<Vec<Vec<u8>>, LoadError> {
        let dir = without_slash(path);
        let mut names: Vec<Vec<u8>> = self
            .files
            .keys()
            .chain(&self.directories)
            .filter_map(|entry| entry.strip_prefix(dir)?.strip_prefix(b"/"))
            .filter_map(|below| below.split(|&b| b == b'/').next())
            .map(<[u8]>::to_vec)
            .collect();
        names.dedup();
        if names.is_empty() && !self.directories.iter().any(|d| d == dir) {
            return Err(LoadError::NotFound);
        }
        Ok(names)
    }

    fn home(&self) -> Option<Vec<u8>> {
        self.home.clone()
    }
}

fn without_slash(path: &[u8]) -> &[u8] {
    let kept = path.iter().rposition(|&b| b != b'/');
    &path[..kept.map_or(0, |at| at + 1)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directories_in_memory_are_listed_one_level_deep() {
        let loader = MemoryLoader::new()
            .with_file("/d/a.cnf", "")
            .with_file("/d/sub/b.cnf", "")
            .with_file("/d/sub/c.cnf", "")
            .with_dir("/empty/");
        assert_eq!(loader.list_dir(b"/d/"), Ok(vec![b"a.cnf".to_vec(), b"sub".to_vec()]));
        assert_eq!(loader.list_dir(b"/empty"), Ok(vec![]));
        assert_eq!(loader.list_dir(b"/none"), Err(LoadError::NotFound));
        assert_eq!(loader.read(b"/d/sub"), Err(LoadError::IsDirectory));
        assert_eq!(loader.read(b"/d/a.cnf"), Ok(vec![]));
        assert_eq!(loader.read(b"/d/x"), Err(LoadError::NotFound));
    }
}
