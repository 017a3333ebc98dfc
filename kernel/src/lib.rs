//! The loops under Likely: texts in, exact counts and scores out.
//!
//! # What it does
//!
//! A classifier of texts is a table of counts: how often each feature (a word, a word n-gram, a
//! character n-gram) was seen in each class, and in how many documents. This crate makes that table from
//! raw text, adds and subtracts such tables, and scores texts by them.
//!
//! ```
//! use _kernel::{Reading, TextCounts};
//!
//! let reading = Reading::word_ngrams(1, 2);
//! let observe = |texts: &[&str], classes: &[u32]| {
//!     TextCounts::observe(&reading, texts, classes, 2, 1).unwrap()
//! };
//! let counts = observe(&["buy now", "see you"], &[0, 1]);
//! let counts = counts.plus(&observe(&["buy cheap"], &[0])).unwrap();
//! let counts = counts.minus(&observe(&["see you"], &[1])).unwrap();
//! assert_eq!(counts.blocks()[0].occurrences, [4, 0]); // four words of class 0, none of class 1
//! ```
//!
//! # How it is laid out
//!
//! The folders follow a table on its way to a prediction. `tables` reads files, a batch of rows at a time.
//! `text` cuts texts into tokens, preprocesses them and finds their features; `dictionary` gives features
//! their ids. `counts` is the tally of texts, features per class; `numbers` is that of numeric columns,
//! exact sums and the Gaussians estimated from them. `naive_bayes` estimates views of the counts and
//! scores texts by them, also each training text by the counts without it. `tuning` fits the weights of
//! views to such leave-one-out scores, `linear` is the linear model that is stacked on Naive Bayes. `sklearn` holds
//! what scikit-learn's estimators need beside that, `python` is the border.
//!
//! # What it promises
//!
//! Counts are 64-bit integers; what would overflow is refused. The order of texts, the chunks they come
//! in and the number of threads never show in a result. Ids are given in the order of first sight and hashing
//! is keyed at random, so neither may show either: what leaves the crate is sorted, and sums over the
//! whole vocabulary go by tables of counts. An operation that fails has changed nothing.
//!
//! # When not to use it
//!
//! Without Python around it, nothing here knows what a class is called, what a file is, or which
//! estimator suits your data. PyO3 sits behind the feature `python`, so `cargo test` needs no libpython.

#![forbid(unsafe_code)]
// Without the border to Python, most of the crate has no caller.
#![cfg_attr(not(feature = "python"), allow(dead_code, unused_imports))]

mod counts;
mod dictionary;
mod error;
mod linear;
mod maths;
mod naive_bayes;
mod numbers;
mod parallel;
#[cfg(feature = "python")]
mod python;
mod sklearn;
mod tables;
mod text;
mod tuning;

/// The longest text, in bytes. Positions inside a text are 32-bit numbers.
pub const LONGEST_TEXT: usize = 1 << 31;

pub use counts::text_counts::TextCounts;
pub use error::Error;
pub use text::reading::Reading;
