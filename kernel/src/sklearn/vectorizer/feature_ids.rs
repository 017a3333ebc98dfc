//! Ids of features.

use super::Options;
use super::names::Names;
use crate::dictionary::feature_ids::{UNKNOWN, pair};
use crate::dictionary::feature_key::Key;
use crate::dictionary::hash_table::Ids;
use crate::dictionary::vocabulary::Vocabulary;

/// Ids of words (or of character n-grams), and of word n-grams by the id of all but the last and
/// the id of the last.
#[derive(Clone, Default)]
pub(crate) struct FeatureIds {
    pub(crate) single: Vocabulary,
    pub(crate) ngrams: Vec<Ids<u64>>,
}

impl FeatureIds {
    pub(crate) fn new(options: &Options) -> Self {
        FeatureIds { ngrams: vec![Ids::default(); options.blocks() - 1], ..Self::default() }
    }

    pub(crate) fn sizes(&self) -> impl Iterator<Item = usize> {
        std::iter::once(self.single.len()).chain(self.ngrams.iter().map(Ids::len))
    }

    /// What each single feature is, by id.
    pub(crate) fn spellings(&self) -> Names {
        let mut keys = vec![Key::new(&[]); self.single.len()];
        self.single.iter().for_each(|(key, id)| keys[id as usize] = key);
        let mut names = Names::default();
        for key in keys {
            key.append_to(&mut names.bytes);
            names.ends.push(names.bytes.len());
        }
        names
    }
}

/// With or without entering what is new.
pub(crate) trait Find {
    fn feature_ids(&self) -> &FeatureIds;
    fn single(&mut self, key: Key<'_>) -> u32;
    fn ngram(&mut self, n: usize, pair: u64) -> u32;
}

impl Find for &FeatureIds {
    fn feature_ids(&self) -> &FeatureIds {
        self
    }

    #[inline(always)]
    fn single(&mut self, key: Key<'_>) -> u32 {
        self.single.find(key).unwrap_or(UNKNOWN)
    }

    #[inline(always)]
    fn ngram(&mut self, n: usize, pair: u64) -> u32 {
        self.ngrams[n - 2].find(pair).unwrap_or(UNKNOWN)
    }
}

impl Find for &mut FeatureIds {
    fn feature_ids(&self) -> &FeatureIds {
        self
    }

    #[inline(always)]
    fn single(&mut self, key: Key<'_>) -> u32 {
        self.single.find_or_insert(key)
    }

    #[inline(always)]
    fn ngram(&mut self, n: usize, pair: u64) -> u32 {
        let fresh = self.ngrams[n - 2].len() as u32;
        self.ngrams[n - 2].find_or_insert(pair, fresh)
    }
}

/// Enters one feature by its name; none if no text can have it.
pub(crate) fn enter(
    feature_ids: &mut FeatureIds,
    options: &Options,
    name: &str,
) -> Option<(usize, u32)> {
    if name.is_empty() {
        return None;
    }
    let mut feature_ids = feature_ids;
    if !options.is_words() {
        return Some((0, Find::single(&mut feature_ids, Key::new(name.as_bytes()))));
    }
    let tokens: Vec<&str> = name.split(' ').collect();
    let length = tokens.len();
    if !(options.lengths.0..=options.lengths.1).contains(&length) || tokens.contains(&"") {
        return None;
    }
    let mut ngram = Find::single(&mut feature_ids, Key::new(tokens[0].as_bytes()));
    for (place, token) in tokens.iter().enumerate().skip(1) {
        let last = Find::single(&mut feature_ids, Key::new(token.as_bytes()));
        ngram = Find::ngram(&mut feature_ids, place + 1, pair(ngram, last));
    }
    Some((length - 1, ngram))
}
