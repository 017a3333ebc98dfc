//! The loops under Likely: texts in, exact counts and scores out.
#![forbid(unsafe_code)]

mod bytes;
pub mod cells;
pub mod counts;
pub mod dictionary;
mod distinct;
pub mod error;
pub mod exact;
mod hash;
mod key;
pub mod leave_one_out;
pub mod ledger;
mod logs;
pub mod matrix;
mod parallel;
#[cfg(feature = "python")]
mod python;
pub mod stored;
pub mod tokens;
pub mod view;
mod vocabulary;
pub mod weights;

/// The longest text, in bytes. Positions inside a text are 32-bit numbers.
pub const LONGEST_TEXT: usize = 1 << 31;

pub use counts::TextCounts;
pub use dictionary::Reading;
pub use error::Error;
