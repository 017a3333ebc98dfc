//! Naive Bayes over counts: views of the tally, their weights, and scores; leave-one-out scores.

pub(crate) mod blended_views;
pub(crate) mod leave_one_out;
pub(crate) mod log_probability;
pub(crate) mod log_products;
pub(crate) mod longest_ngram;
pub(crate) mod many_classes;
pub(crate) mod smoothed_logs;
pub(crate) mod top_features;
pub(crate) mod views;
pub(crate) mod weights;
