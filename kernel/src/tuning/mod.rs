//! Tuning: the weight of each text view or number view, and the biases, from leave-one-out scores.

pub(crate) mod doubt;
pub(crate) mod newton;
pub(crate) mod rival_scores;
