//! How a command ends other than well: text for people, exit code for scripts.

use std::path::PathBuf;
use std::process::ExitCode;

use super::output;
use crate::engine::EngineError;
use crate::journal::JournalError;
use crate::profile::ProfileError;
use crate::sweep::SweepError;
use crate::toggle::ToggleError;

/// Why a command did not do what it was asked for.
#[derive(Debug)]
pub(super) enum Failure {
    /// The command line is wrong: exit 2.
    Usage(String),
    /// It could not be carried out: exit 1.
    CarryingOut(String),
    /// Someone said stop: exit 130. With what is kept.
    Interrupted(Option<PathBuf>),
    /// Nobody reads the output any more: nothing to say.
    NobodyReads,
}

impl Failure {
    pub(super) fn usage(text: impl Into<String>) -> Self {
        Self::Usage(text.into())
    }

    pub(super) fn carrying_out(text: impl Into<String>) -> Self {
        Self::CarryingOut(text.into())
    }

    /// Says it, and gives the exit code.
    pub(super) fn report(self) -> ExitCode {
        match self {
            Self::Usage(text) => {
                output::error(&text);
                ExitCode::from(2)
            }
            Self::CarryingOut(text) => {
                output::error(&text);
                ExitCode::from(1)
            }
            Self::Interrupted(kept) => {
                match kept {
                    Some(dir) => output::note(&format!(
                        "interrupted; what was measured is in {0}\nhint: `cnfsweep report {0}` \
                         shows it",
                        dir.display()
                    )),
                    None => output::note("interrupted"),
                }
                ExitCode::from(130)
            }
            Self::NobodyReads => ExitCode::SUCCESS,
        }
    }
}

impl From<EngineError> for Failure {
    fn from(e: EngineError) -> Self {
        Self::CarryingOut(e.to_string())
    }
}

impl From<JournalError> for Failure {
    fn from(e: JournalError) -> Self {
        Self::CarryingOut(e.to_string())
    }
}

impl From<SweepError> for Failure {
    fn from(e: SweepError) -> Self {
        Self::CarryingOut(e.to_string())
    }
}

impl From<ProfileError> for Failure {
    fn from(e: ProfileError) -> Self {
        Self::Usage(e.to_string())
    }
}

impl From<ToggleError> for Failure {
    fn from(e: ToggleError) -> Self {
        let mut text = e.to_string();
        if let Some(hint) = e.hint() {
            text.push_str(&format!("\nhint: {hint}"));
        }
        match e {
            ToggleError::Read(_) | ToggleError::Edit(_) | ToggleError::TooBig { .. } => {
                Self::CarryingOut(text)
            }
            ToggleError::Unknown { .. }
            | ToggleError::NothingToDrop { .. }
            | ToggleError::Never { .. } => Self::Usage(text),
        }
    }
}
