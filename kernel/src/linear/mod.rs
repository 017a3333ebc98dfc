//! The linear model that is stacked on Naive Bayes.

pub(crate) mod dual_coordinate_descent;
pub(crate) mod linear_model;
pub(crate) mod sparse_rows;
pub(crate) mod text_features;
