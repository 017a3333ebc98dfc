//! From a text to its features: tokens, preprocessing, word and character n-grams, surface features,
//! a lexicon. Beside that: near-duplicates, neutral terms, hand-written rules.

pub(crate) mod ascii_masks;
pub(crate) mod char_ngrams;
pub(crate) mod feature_reader;
pub(crate) mod hashed_ngrams;
pub(crate) mod lexicon;
pub(crate) mod near_duplicates;
pub(crate) mod neutral_terms;
pub(crate) mod normalize;
pub(crate) mod preprocessing;
pub(crate) mod reading;
pub(crate) mod rules;
pub(crate) mod stems;
pub(crate) mod surface_features;
pub(crate) mod tokens;
pub(crate) mod word_roles;
