//! What scikit-learn's estimators need beside the tally: a vectorizer, and sums over weighted rows.

pub(crate) mod feature_totals;
pub(crate) mod vectorizer;
pub(crate) mod weighted_moments;
