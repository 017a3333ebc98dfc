//! Features and their ids: found by hashing while texts are counted, by halving where they come from a file.

pub(crate) mod distinct;
pub(crate) mod hash_table;
pub(crate) mod ids;
pub(crate) mod key;
pub(crate) mod sorted;
pub(crate) mod vocabulary;
