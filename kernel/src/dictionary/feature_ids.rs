//! The features of texts and their ids, found by hashing.
//!
//! Features come in blocks, one per kind: words, bigrams, trigrams …, character n-grams, surface
//! features, lexicon features. An n-gram of words is looked up by the id of its first n − 1 words
//! and the id of its last, so long features cost two integers, and the blocks of word n-grams together
//! form a trie.

use crate::dictionary::feature_key::{Key, Keys};
use crate::dictionary::hash_table::Ids;
use crate::dictionary::sorted_features::{BlockFeatures, Sorted};
use crate::dictionary::vocabulary::{HAS_ROLE, Vocabulary};
use crate::error::{Error, Result};
use crate::text::ascii_masks;
use crate::text::char_ngrams::CharNgrams;
use crate::text::reading::{FeatureKind, Reading};
use crate::text::word_roles::WordRoles;
use std::sync::Arc;

/// Stands for a feature that is in no dictionary. No id reaches it.
pub(crate) const UNKNOWN: u32 = u32::MAX;

/// What gives ids to features, one at a time: those it has, or new ones too.
pub(crate) trait Find {
    fn word(&mut self, word: Key<'_>) -> u32;
    /// An n-gram of words, by the id of its first n − 1 and the id of its last.
    fn ngram(&mut self, n: usize, pair: u64) -> u32;
    /// A feature of the block `place` after those of the words.
    fn other(&mut self, place: usize, key: Key<'_>) -> u32;

    /// The id of an n-gram if a first look finds it, else [`UNKNOWN`]. Many such looks in a row let the
    /// processor fetch many places at once.
    #[inline(always)]
    fn glance(&self, _n: usize, _pair: u64) -> u32 {
        UNKNOWN
    }
}

/// The two ways to read: with or without entering what is new.
pub(crate) trait Lookup: Find {
    /// Where most features are found at a glance.
    fn dictionary(&self) -> &Dictionary;

    /// Appends the ids of the character n-grams of `text`, which are that block.
    fn chars(&mut self, chunks: &mut CharNgrams, place: usize, text: &str, ids: &mut Vec<u32>)
    where
        Self: Sized,
    {
        chunks.find(self, place, text, ids);
    }
}

/// Finds the features of a dictionary, and of a second one that goes on where the first ends.
pub(crate) struct Known<'a> {
    base: &'a Dictionary,
    added: Option<&'a Dictionary>,
}

impl<'a> Known<'a> {
    pub(crate) fn new(base: &'a Dictionary, added: Option<&'a Dictionary>) -> Self {
        Known { base, added }
    }

    #[cold]
    fn added(&self, find: impl FnOnce(&Dictionary) -> Option<u32>) -> u32 {
        self.added.and_then(find).unwrap_or(UNKNOWN)
    }
}

impl Find for Known<'_> {
    #[inline(always)]
    fn word(&mut self, word: Key<'_>) -> u32 {
        self.base.words.find(word).unwrap_or_else(|| self.added(|more| more.words.find(word)))
    }

    #[inline(always)]
    fn ngram(&mut self, n: usize, pair: u64) -> u32 {
        let find = |dictionary: &Dictionary| dictionary.ngrams[n - 2].ids.find(pair);
        find(self.base).unwrap_or_else(|| self.added(find))
    }

    #[inline(always)]
    fn other(&mut self, place: usize, key: Key<'_>) -> u32 {
        let find = |dictionary: &Dictionary| dictionary.others[place].find(key);
        find(self.base).unwrap_or_else(|| self.added(find))
    }
}

impl Lookup for Known<'_> {
    fn dictionary(&self) -> &Dictionary {
        self.base
    }
}

/// Reads what is known, but hands over the longest character n-gram at each place instead of looking any up.
pub(crate) struct Handing<'a, F>(pub Known<'a>, pub F);

impl<F: FnMut(&Keys)> Find for Handing<'_, F> {
    #[inline(always)]
    fn word(&mut self, word: Key<'_>) -> u32 {
        self.0.word(word)
    }

    #[inline(always)]
    fn ngram(&mut self, n: usize, pair: u64) -> u32 {
        self.0.ngram(n, pair)
    }

    #[inline(always)]
    fn other(&mut self, place: usize, key: Key<'_>) -> u32 {
        self.0.other(place, key)
    }
}

impl<F: FnMut(&Keys)> Lookup for Handing<'_, F> {
    fn dictionary(&self) -> &Dictionary {
        self.0.dictionary()
    }

    #[inline(always)]
    fn chars(&mut self, chunks: &mut CharNgrams, _: usize, text: &str, _: &mut Vec<u32>) {
        chunks.longest(text, &mut self.1);
    }
}

pub(crate) struct Learn<'a>(pub &'a mut Dictionary);

impl Find for Learn<'_> {
    #[inline(always)]
    fn word(&mut self, word: Key<'_>) -> u32 {
        let Dictionary { words, word_roles, .. } = &mut *self.0;
        words.enter(word, |word| word_roles.has_role(word))
    }

    #[inline(always)]
    fn ngram(&mut self, n: usize, pair: u64) -> u32 {
        self.0.ngrams[n - 2].enter(pair)
    }

    #[inline(always)]
    fn glance(&self, n: usize, pair: u64) -> u32 {
        self.0.ngrams[n - 2].glance(pair)
    }

    #[inline(always)]
    fn other(&mut self, place: usize, key: Key<'_>) -> u32 {
        self.0.others[place].find_or_insert(key)
    }
}

impl Lookup for Learn<'_> {
    fn dictionary(&self) -> &Dictionary {
        self.0
    }
}

/// So many features are looked up together: enough for the processor to fetch many at once.
pub(crate) const TOGETHER: usize = 512;

/// Appends the ids of `keys`, features of the block `place` after those of the words. A first look at all of them lets the processor fetch many at once.
pub(crate) fn look_up(lookup: &mut impl Lookup, place: usize, keys: &Keys, ids: &mut Vec<u32>) {
    let start = ids.len();
    let known = lookup.dictionary().other(place);
    known.glance(keys.packed(), ids);
    for (at, id) in ids[start..].iter_mut().enumerate().filter(|(_, id)| **id == UNKNOWN) {
        *id = lookup.other(place, keys.get(at));
    }
}

/// Finds the places of the words whose ids a first glance did not give.
#[inline(always)]
pub(crate) fn missed(ids: &mut Vec<u32>, places: &mut Vec<u32>) {
    let words = ids.len();
    ascii_masks::places(ascii_masks::padded(ids), places, |_, ids| ascii_masks::highest(ids));
    ids.truncate(words);
}

/// Looks up in full the words whose ids a first glance did not give.
#[inline(always)]
pub(crate) fn settle(lookup: &mut impl Lookup, words: &Keys, ids: &mut [u32], missed: &[u32]) {
    for &place in missed {
        ids[place as usize] = lookup.word(words.get(place as usize));
    }
}

/// N-grams of one length and their ids.
#[derive(Clone, Default)]
pub(crate) struct Ngrams {
    ids: Ids<u64>,
    len: usize,
}

impl Ngrams {
    /// The id of an n-gram if it is found at a glance, else [`UNKNOWN`].
    #[inline(always)]
    pub(crate) fn glance(&self, pair: u64) -> u32 {
        self.ids.glance(pair)
    }

    #[inline(always)]
    fn enter(&mut self, pair: u64) -> u32 {
        let fresh = self.len as u32;
        let id = self.ids.find_or_insert(pair, fresh);
        self.len += usize::from(id == fresh);
        id
    }
}

/// Every feature that was met, with its id in its block.
#[derive(Clone)]
pub(crate) struct Dictionary {
    kinds: Vec<FeatureKind>,
    pub(crate) words: Vocabulary,
    /// One per length, from two words up.
    pub(crate) ngrams: Vec<Ngrams>,
    /// One per kind that is not of words.
    others: Vec<Vocabulary>,
    /// Of its members, the ids are marked.
    word_roles: Arc<WordRoles>,
}

impl Dictionary {
    pub(crate) fn new(reading: &Reading) -> Self {
        let kinds = reading.kinds();
        let starts = vec![0; kinds.len()];
        Self::starting_at(kinds, &starts, Arc::new(WordRoles::new(reading)))
    }

    /// An empty dictionary whose ids begin at `starts`, block by block.
    pub(crate) fn starting_at(
        kinds: Vec<FeatureKind>,
        starts: &[usize],
        word_roles: Arc<WordRoles>,
    ) -> Self {
        let of_words = word_blocks(&kinds);
        let (words, others) = starts.split_at(of_words);
        let ngrams = words.iter().skip(1).map(|&len| Ngrams { len, ..Ngrams::default() }).collect();
        Dictionary {
            words: Vocabulary::starting_at(words.first().copied().unwrap_or(0)),
            ngrams,
            others: others.iter().map(|&first| Vocabulary::starting_at(first)).collect(),
            kinds,
            word_roles,
        }
    }

    /// The words that have a role.
    pub(crate) fn word_roles(&self) -> &Arc<WordRoles> {
        &self.word_roles
    }

    /// The features of the block `place` after those of the words.
    pub(crate) fn other(&self, place: usize) -> &Vocabulary {
        &self.others[place]
    }

    /// The features of a block that is not of words.
    pub(crate) fn own(&self, block: usize) -> &Vocabulary {
        self.other(block - word_blocks(&self.kinds))
    }

    pub(crate) fn kinds(&self) -> &[FeatureKind] {
        &self.kinds
    }

    /// The next id of each block.
    pub(crate) fn blocks(&self) -> impl Iterator<Item = usize> + '_ {
        let words = (word_blocks(&self.kinds) > 0).then(|| self.words.len());
        let ngrams = self.ngrams.iter().map(|ngrams| ngrams.len);
        words.into_iter().chain(ngrams).chain(self.others.iter().map(Vocabulary::len))
    }

    /// Makes room for as many features more as `other` has.
    pub(crate) fn reserve(&mut self, other: &Dictionary) {
        self.words.reserve(self.words.len().max(other.words.len()));
        for (ours, theirs) in self.others.iter_mut().zip(&other.others) {
            ours.reserve(ours.len().max(theirs.len()));
        }
        for (ours, theirs) in self.ngrams.iter_mut().zip(&other.ngrams) {
            ours.ids.reserve(ours.len.max(theirs.len));
        }
    }

    /// Whether all ids are below what marks some of them.
    pub(crate) fn check_size(&self) -> Result<()> {
        match self.blocks().max() {
            Some(longest) if longest >= HAS_ROLE as usize => Err(Error::TooManyFeatures),
            _ => Ok(()),
        }
    }

    /// Enters all features of `other`, and returns their ids here, block by block.
    pub(crate) fn absorb(&mut self, other: &Dictionary) -> Result<Vec<Vec<u32>>> {
        self.reserve(other);
        let mut maps: Vec<Vec<u32>> = other.blocks().map(|len| vec![UNKNOWN; len]).collect();
        other.translate(&mut Learn(self), &mut maps);
        self.check_size().map(|()| maps)
    }

    /// Enters the features of a dictionary that goes on where this one ends, under the ids they have.
    pub(crate) fn extend(&mut self, added: &Dictionary) {
        fn by_id<T>(entries: impl Iterator<Item = (T, u32)>) -> impl Iterator<Item = T> {
            let mut entries: Vec<(T, u32)> = entries.collect();
            entries.sort_unstable_by_key(|&(_, id)| id);
            entries.into_iter().map(|(entry, _)| entry)
        }
        let mut learn = Learn(self);
        by_id(added.words.iter()).for_each(|word| {
            learn.word(word);
        });
        for (n, ngrams) in (2..).zip(&added.ngrams) {
            by_id(ngrams.ids.iter()).for_each(|pair| {
                learn.ngram(n, pair);
            });
        }
        for (place, others) in added.others.iter().enumerate() {
            by_id(others.iter()).for_each(|key| {
                learn.other(place, key);
            });
        }
    }

    /// Enters features in order, so that each has its place as its id.
    pub(crate) fn enter_all(&mut self, sorted: &Sorted) {
        for (block, features) in sorted.blocks.iter().enumerate() {
            match (features, self.kinds[block]) {
                (BlockFeatures::Spelled(strings), FeatureKind::WordNgram(_)) => {
                    self.words.reserve(strings.len());
                    let Dictionary { words, word_roles, .. } = self;
                    strings.iter().map(Key::of_word).for_each(|word| {
                        words.enter(word, |word| word_roles.has_role(word));
                    });
                }
                (BlockFeatures::Spelled(strings), kind) => {
                    let key = if kind == FeatureKind::Lexicon { Key::of_word } else { Key::new };
                    let others = &mut self.others[block - word_blocks(&self.kinds)];
                    others.reserve(strings.len());
                    strings.iter().for_each(|string| {
                        others.find_or_insert(key(string));
                    });
                }
                (BlockFeatures::Ngrams(trie), _) => {
                    let ngrams = &mut self.ngrams[block - 1];
                    ngrams.ids.reserve(trie.lasts.len());
                    trie.pairs().for_each(|pair| {
                        ngrams.enter(pair);
                    });
                }
            }
        }
    }

    /// Writes for each id what `find` has for its feature. Maps of a dictionary that goes on where another
    /// ends hold what was written for that one.
    pub(crate) fn translate(&self, find: &mut impl Find, maps: &mut [Vec<u32>]) {
        for block in 0..self.kinds.len() {
            let (earlier, later) = maps.split_at_mut(block);
            let map = &mut later[0];
            match self.kinds[block] {
                FeatureKind::WordNgram(1) => {
                    for (word, id) in self.words.iter() {
                        map[id as usize] = find.word(word);
                    }
                }
                FeatureKind::WordNgram(n) => {
                    let theirs = |(pair, id): (u64, u32)| {
                        let (first, last) = halves(pair);
                        let first = earlier[block - 1][first as usize];
                        (self::pair(first, earlier[0][last as usize]), id)
                    };
                    let mut ngrams = self.ngrams[n - 2].ids.iter().map(theirs);
                    let mut some = Vec::with_capacity(TOGETHER);
                    loop {
                        some.clear();
                        some.extend(ngrams.by_ref().take(TOGETHER));
                        if some.is_empty() {
                            break;
                        }
                        for &(pair, id) in &some {
                            map[id as usize] = find.glance(n, pair);
                        }
                        for &(pair, id) in &some {
                            if map[id as usize] == UNKNOWN && !has_unknown(pair) {
                                map[id as usize] = find.ngram(n, pair);
                            }
                        }
                    }
                }
                _ => {
                    let place = block - word_blocks(&self.kinds);
                    for (key, id) in self.others[place].iter() {
                        map[id as usize] = find.other(place, key);
                    }
                }
            }
        }
    }

    /// The features of a block that spells them itself, with their ids.
    pub(crate) fn spelled(&self, block: usize) -> impl Iterator<Item = (Key<'_>, u32)> + '_ {
        match self.kinds[block] {
            FeatureKind::WordNgram(_) => self.words.iter(),
            _ => self.own(block).iter(),
        }
    }

    /// The features of a block of n-grams: the ids of the first words and of the last, and their own.
    pub(crate) fn pairs(&self, block: usize) -> impl Iterator<Item = (u64, u32)> + '_ {
        self.ngrams[block - 1].ids.iter()
    }
}

/// How many of the blocks are of words; they come first.
pub(crate) fn word_blocks(kinds: &[FeatureKind]) -> usize {
    kinds.iter().take_while(|kind| matches!(kind, FeatureKind::WordNgram(_))).count()
}

#[inline(always)]
pub(crate) fn pair(first: u32, last: u32) -> u64 {
    u64::from(first) << 32 | u64::from(last)
}

#[inline(always)]
pub(crate) fn halves(pair: u64) -> (u32, u32) {
    ((pair >> 32) as u32, pair as u32)
}

#[inline(always)]
pub(crate) fn has_unknown(pair: u64) -> bool {
    let (first, last) = halves(pair);
    first == UNKNOWN || last == UNKNOWN
}
