//! The tally of texts: how often each feature was seen in each class, and in how many documents.

pub(crate) mod class_counts;
pub(crate) mod distinct_rows;
pub(crate) mod features;
pub(crate) mod fractional;
pub(crate) mod labels;
pub(crate) mod matrix;
pub(crate) mod narrow;
pub(crate) mod stored;
pub(crate) mod text_counts;
