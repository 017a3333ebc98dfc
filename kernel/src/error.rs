//! What can go wrong, with its numbers. `python.rs` gives each kind its Python class.

use std::fmt;

#[derive(Debug, Clone, PartialEq)]
pub enum Error {
    /// Arguments that do not belong together.
    Shape { what: String },
    /// A text is longer than the kernel reads.
    TextTooLong { row: usize, bytes: usize },
    /// More features than ids.
    TooManyFeatures,
    /// A count left the range of 64 bits.
    Overflow,
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
                "text {row} has {bytes} bytes; the most that is read is {}",
                crate::LONGEST_TEXT
            ),
            Error::TooManyFeatures => {
                write!(f, "more than {} different features", u32::MAX - 1)
            }
            Error::Overflow => write!(f, "a count would exceed 2^64 - 1"),
            Error::Shape { what } | Error::NotLearned { what } | Error::Corrupt { what } => {
                write!(f, "{what}")
            }
        }
    }
}

impl std::error::Error for Error {}

/// Checks that there is one class per text and that each is below `classes`.
pub fn check_classes(texts: usize, labels: &[u32], classes: usize) -> Result<()> {
    if labels.len() != texts {
        let what = format!("there are {texts} texts but {} classes for them", labels.len());
        return Err(Error::Shape { what });
    }
    match labels.iter().position(|&label| label as usize >= classes) {
        None => Ok(()),
        Some(row) => Err(Error::Shape {
            what: format!("text {row} is of class {}, but there are {classes}", labels[row]),
        }),
    }
}

pub type Result<T> = std::result::Result<T, Error>;
