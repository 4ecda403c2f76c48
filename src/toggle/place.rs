//! Where a line of the user stands: in the base file, or in a file that it includes.

use crate::optionfile::{Flattened, LineOrigin};

/// A line of the base file or of an included one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// Its line in [`Toggles::file`](super::Toggles::file), which has the includes in place.
    pub at: usize,
    /// The included file; none for the base file itself.
    pub included: Option<String>,
    /// Its line in the file that has it, from 1.
    pub line: usize,
}

impl Place {
    /// The place of a line of a flattened file.
    pub fn of(file: &Flattened, at: usize) -> Self {
        match file.origin(at) {
            Some(LineOrigin { file: path, line }) => {
                let is_base = path[..] == *file.file.path();
                let included = (!is_base).then(|| String::from_utf8_lossy(path).into_owned());
                Self { at, included, line: *line }
            }
            None => Self { at, included: None, line: at },
        }
    }

    /// The line, where it is one of the base file.
    pub fn line_of_base(&self) -> Option<usize> {
        self.included.is_none().then_some(self.line)
    }

    /// As editors and compilers write it, `base` being the base file: `my.cnf:3`.
    pub fn in_full(&self, base: &impl std::fmt::Display) -> String {
        match &self.included {
            Some(file) => format!("{file}:{}", self.line),
            None => format!("{base}:{}", self.line),
        }
    }
}

/// `line 3` in the base file, `/etc/my.cnf.d/x.cnf:3` in an included one.
impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.included {
            Some(file) => write!(f, "{file}:{}", self.line),
            None => write!(f, "line {}", self.line),
        }
    }
}
