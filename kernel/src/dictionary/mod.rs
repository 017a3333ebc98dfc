//! Features and their ids: found by hashing while texts are counted, by halving where they come from a file.

pub(crate) mod distinct_features;
pub(crate) mod feature_ids;
pub(crate) mod feature_key;
pub(crate) mod hash_table;
pub(crate) mod sorted_features;
pub(crate) mod vocabulary;
