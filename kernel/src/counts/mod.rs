//! The tally of texts: how often each feature was seen in each class, and in how many documents.

pub(crate) mod class_counts;
pub(crate) mod distinct_rows;
pub(crate) mod features;
pub(crate) mod fractional_counts;
pub(crate) mod matrix;
pub(crate) mod narrow_arrays;
pub(crate) mod row_classes;
pub(crate) mod stored_counts;
pub(crate) mod text_counts;
