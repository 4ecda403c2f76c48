//! The words of a toggle, as they stand in `toggles.csv` and `effects.csv`.

use crate::words::words;

words! {
    /// What a toggle does to the option file.
    Action {
        /// An active line is commented out, so that the server's default holds.
        CommentOut = "comment-out",
        /// An active line gets another value.
        Set = "set",
        /// A commented-out line becomes active.
        Enable = "enable",
        /// A line that the file does not have is added.
        Append = "append",
        /// Nothing is done: the line is only listed.
        Keep = "keep",
    }
}

words! {
    /// How many values of an option are tried.
    #[derive(Default)]
    Values {
        /// Lines are commented out, booleans flipped, commented-out lines enabled.
        #[default]
        Default = "default",
        /// Also the values that are known to make a difference; where none are known, half and
        /// twice the line's, or each other word.
        Few = "few",
        /// Also a quarter and four times the line's value, and each other word.
        All = "all",
    }
}

words! {
    /// What became of a toggle before any load.
    Status {
        /// It is measured.
        Planned = "planned",
        /// The server's variables are the same with it and without it.
        NoOp = "no-op",
        /// The server does not start with it.
        Refused = "refused",
        /// It is not tried; `detail` says why.
        LeftOut = "left-out",
    }
}

words! {
    /// What a toggle trades away.
    Label {
        /// Nothing that we know of.
        None = "",
        /// Durability: a crash may lose committed transactions or corrupt data.
        Durability = "D",
        /// Security: someone may get in who could not before.
        Security = "S",
    }
}
