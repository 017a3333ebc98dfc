//! What can go wrong, with its numbers. `python/mod.rs` gives each kind its Python class.

use std::fmt;

#[derive(Debug, Clone, PartialEq)]
pub enum Error {
    /// Arguments that do not belong together.
    Shape { what: String },
    /// A text is longer than the kernel reads.
    TextTooLong { row: usize, bytes: usize },
    /// More features than ids.
    TooManyFeatures,
    /// A number that has no place in a sum.
    Infinite { row: usize, column: usize },
    /// A class (or all of them) whose rows have no spread in some direction, where none may be lent.
    Singular { class: Option<usize> },
    /// A count left the range of 64 bits.
    Overflow,
    /// More columns than fit into memory.
    TooWide { columns: usize },
    /// Something is to be taken back that was never learned.
    NotLearned { what: String },
    /// Stored arrays contradict each other or the rules of the format.
    Corrupt { what: String },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::TextTooLong { row, bytes } => write!(
                f,
                "text {} has {bytes} bytes; the most that is read is {}",
                row + 1,
                crate::LONGEST_TEXT
            ),
            Error::TooManyFeatures => {
                write!(f, "more than {} different features", u32::MAX - 1)
            }
            Error::Infinite { row, column } => {
                write!(
                    f,
                    "row {} is infinite in column {}; leave it out, or make it missing (NaN)",
                    row + 1,
                    column + 1
                )
            }
            Error::Singular { class: Some(class) } => write!(f, "{class}"),
            Error::Singular { class: None } => Ok(()),
            Error::Overflow => write!(f, "a count would exceed 2^64 - 1"),
            Error::TooWide { columns } => {
                write!(f, "there is no memory for {columns} columns of counts per class")
            }
            Error::Shape { what } | Error::NotLearned { what } | Error::Corrupt { what } => {
                write!(f, "{what}")
            }
        }
    }
}

impl std::error::Error for Error {}

pub(crate) type Result<T> = std::result::Result<T, Error>;

/// Stored arrays that nobody here can have written.
pub(crate) fn corrupt<T>(what: &str) -> Result<T> {
    Err(Error::Corrupt { what: what.to_string() })
}
