//! Every feature that was met, with its id.
//!
//! Features come in blocks, one per kind: words, pairs of words, runs of three …, runs of
//! characters, marks, what a lexicon says. A run of n words is looked up by the id of its first n − 1 and the id of its last, so
//! long features cost two integers, and the blocks of word runs together form a trie.

use crate::bytes;
use crate::cast::Cast;
use crate::chunks::Chunks;
use crate::error::{Error, Result};
use crate::hash::Ids;
use crate::key::{Key, Keys};
use crate::reading::{Kind, Reading};
use crate::vocabulary::{PART, Vocabulary};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// Stands for a feature that is in no dictionary. No id reaches it.
pub const UNKNOWN: u32 = u32::MAX;

/// The two ways to read: with or without entering what is new.
pub(crate) trait Lookup {
    fn dictionary(&self) -> &Dictionary;
    fn word(&mut self, word: Key<'_>) -> u32;
    fn run(&mut self, n: usize, pair: u64) -> u32;
    /// A feature of the block `place` after those of the words.
    fn other(&mut self, place: usize, key: Key<'_>) -> u32;

    /// Appends the ids of the runs of characters of `text`, which are that block.
    fn chars(&mut self, chunks: &mut Chunks, place: usize, text: &str, ids: &mut Vec<u32>)
    where
        Self: Sized,
    {
        chunks.find(self, place, text, ids);
    }
}

pub(crate) struct Known<'a>(pub &'a Dictionary);

impl Lookup for Known<'_> {
    fn dictionary(&self) -> &Dictionary {
        self.0
    }

    #[inline(always)]
    fn word(&mut self, word: Key<'_>) -> u32 {
        self.0.words.find(word).unwrap_or(UNKNOWN)
    }

    #[inline(always)]
    fn run(&mut self, n: usize, pair: u64) -> u32 {
        self.0.runs[n - 2].find(pair).unwrap_or(UNKNOWN)
    }

    #[inline(always)]
    fn other(&mut self, place: usize, key: Key<'_>) -> u32 {
        self.0.others[place].find(key).unwrap_or(UNKNOWN)
    }
}

/// Reads what is known, but hands over the longest run of characters at each place instead of looking any up.
pub(crate) struct Handing<'a, F>(pub Known<'a>, pub F);

impl<F: FnMut(&Keys)> Lookup for Handing<'_, F> {
    fn dictionary(&self) -> &Dictionary {
        self.0.dictionary()
    }

    #[inline(always)]
    fn word(&mut self, word: Key<'_>) -> u32 {
        self.0.word(word)
    }

    #[inline(always)]
    fn run(&mut self, n: usize, pair: u64) -> u32 {
        self.0.run(n, pair)
    }

    #[inline(always)]
    fn other(&mut self, place: usize, key: Key<'_>) -> u32 {
        self.0.other(place, key)
    }

    #[inline(always)]
    fn chars(&mut self, chunks: &mut Chunks, _: usize, text: &str, _: &mut Vec<u32>) {
        chunks.longest(text, &mut self.1);
    }
}

pub(crate) struct Learn<'a>(pub &'a mut Dictionary);

impl Lookup for Learn<'_> {
    fn dictionary(&self) -> &Dictionary {
        self.0
    }

    #[inline(always)]
    fn word(&mut self, word: Key<'_>) -> u32 {
        let Dictionary { words, cast, .. } = &mut *self.0;
        words.enter(word, |word| cast.marks(word))
    }

    #[inline(always)]
    fn run(&mut self, n: usize, pair: u64) -> u32 {
        let runs = &mut self.0.runs[n - 2];
        let fresh = runs.len() as u32;
        runs.find_or_insert(pair, fresh)
    }

    #[inline(always)]
    fn other(&mut self, place: usize, key: Key<'_>) -> u32 {
        self.0.others[place].find_or_insert(key)
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
    bytes::places(bytes::padded(ids), places, |_, ids| bytes::highest(ids));
    ids.truncate(words);
}

/// Looks up in full the words whose ids a first glance did not give.
#[inline(always)]
pub(crate) fn settle(lookup: &mut impl Lookup, words: &Keys, ids: &mut [u32], missed: &[u32]) {
    for &place in missed {
        ids[place as usize] = lookup.word(words.get(place as usize));
    }
}

/// Every feature that was met, with its id in its block.
#[derive(Clone)]
pub struct Dictionary {
    kinds: Vec<Kind>,
    pub(crate) words: Vocabulary,
    pub(crate) runs: Vec<Ids<u64>>,
    /// One per kind that is not of words.
    others: Vec<Vocabulary>,
    /// Of its members, the ids are marked.
    cast: Arc<Cast>,
}

impl Dictionary {
    pub fn new(reading: &Reading) -> Self {
        let kinds = reading.kinds();
        let longest = reading.words.map_or(0, |(_, longest)| longest);
        Dictionary {
            words: Vocabulary::default(),
            runs: vec![Ids::default(); longest.saturating_sub(1)],
            others: vec![Vocabulary::default(); kinds.len() - longest],
            kinds,
            cast: Arc::new(Cast::new(reading)),
        }
    }

    /// The words that play a part.
    pub(crate) fn cast(&self) -> &Arc<Cast> {
        &self.cast
    }

    /// The features of the block `place` after those of the words.
    pub(crate) fn other(&self, place: usize) -> &Vocabulary {
        &self.others[place]
    }

    /// The features of a block that is not of words.
    pub(crate) fn own(&self, block: usize) -> &Vocabulary {
        self.other(block - self.word_blocks())
    }

    /// How many blocks are of words; the others follow.
    fn word_blocks(&self) -> usize {
        self.kinds.len() - self.others.len()
    }

    pub fn kinds(&self) -> &[Kind] {
        &self.kinds
    }

    /// How many ids each block has given.
    pub fn blocks(&self) -> impl Iterator<Item = usize> + '_ {
        let words = (self.word_blocks() > 0).then(|| self.words.len());
        let runs = self.runs.iter().map(Ids::len);
        words.into_iter().chain(runs).chain(self.others.iter().map(Vocabulary::len))
    }

    /// Where the ids of `other` stand in this dictionary, block by block; [`UNKNOWN`] if one is missing.
    pub fn locate(&self, other: &Dictionary) -> Vec<Vec<u32>> {
        other.translate(&mut Known(self))
    }

    /// The same, entering what is missing.
    pub fn absorb(&mut self, other: &Dictionary) -> Result<Vec<Vec<u32>>> {
        self.words.reserve(self.words.len().max(other.words.len()));
        for (ours, theirs) in self.others.iter_mut().zip(&other.others) {
            ours.reserve(ours.len().max(theirs.len()));
        }
        for (ours, theirs) in self.runs.iter_mut().zip(&other.runs) {
            ours.reserve(ours.len().max(theirs.len()));
        }
        let map = other.translate(&mut Learn(self));
        match self.blocks().max() {
            Some(longest) if longest >= PART as usize => Err(Error::TooManyFeatures),
            _ => Ok(map),
        }
    }

    fn translate(&self, lookup: &mut impl Lookup) -> Vec<Vec<u32>> {
        let mut maps: Vec<Vec<u32>> = self.blocks().map(|len| vec![UNKNOWN; len]).collect();
        for block in 0..self.kinds.len() {
            let (earlier, later) = maps.split_at_mut(block);
            let map = &mut later[0];
            match self.kinds[block] {
                Kind::Words(1) => {
                    for (word, id) in self.words.iter() {
                        map[id as usize] = lookup.word(word);
                    }
                }
                Kind::Words(n) => {
                    let theirs = |pair: u64| {
                        let (first, last) = ((pair >> 32) as usize, pair as u32 as usize);
                        self::pair(earlier[block - 1][first], earlier[0][last])
                    };
                    let runs: Vec<(u64, u32)> =
                        self.runs[n - 2].iter().map(|(pair, id)| (theirs(pair), id)).collect();
                    let known = &lookup.dictionary().runs[n - 2];
                    let glanced: Vec<u32> =
                        runs.iter().map(|&(pair, _)| known.glance(pair)).collect();
                    for ((pair, id), found) in runs.into_iter().zip(glanced) {
                        map[id as usize] = match found {
                            UNKNOWN if has_unknown(pair) => UNKNOWN,
                            UNKNOWN => lookup.run(n, pair),
                            found => found,
                        };
                    }
                }
                _ => {
                    let place = block - self.word_blocks();
                    for (key, id) in self.others[place].iter() {
                        map[id as usize] = lookup.other(place, key);
                    }
                }
            }
        }
        maps
    }

    /// Enters one feature given by its tokens (or its characters) and returns its block and id.
    pub fn enter(&mut self, kind: Kind, bytes: &[u8]) -> Option<(usize, u32)> {
        let block = self.kinds.iter().position(|&known| known == kind)?;
        let word_blocks = self.word_blocks();
        let mut lookup = Learn(self);
        let id = match kind {
            Kind::Words(n) => {
                let mut tokens = bytes.split(|&byte| byte == b' ');
                let mut run = lookup.word(Key::of_word(tokens.next()?));
                let mut length = 1;
                for token in tokens {
                    length += 1;
                    if length > n {
                        return None;
                    }
                    let last = lookup.word(Key::of_word(token));
                    run = lookup.run(length, pair(run, last));
                }
                if length != n {
                    return None;
                }
                run
            }
            Kind::Lexicon => lookup.other(block - word_blocks, Key::of_word(bytes)),
            _ => lookup.other(block - word_blocks, Key::new(bytes)),
        };
        Some((block, id))
    }

    /// For a block of runs: where each id's first words stand in the block before, and its last word
    /// among the words. `None` for blocks that spell their features themselves.
    pub fn ends(&self, block: usize) -> Option<Vec<(usize, usize)>> {
        let Kind::Words(n @ 2..) = self.kinds[block] else {
            return None;
        };
        let mut ends = vec![(0, 0); self.runs[n - 2].len()];
        for (pair, id) in self.runs[n - 2].iter() {
            ends[id as usize] = ((pair >> 32) as usize, pair as u32 as usize);
        }
        Some(ends)
    }

    /// For a block of runs of characters: where each stands without its last character, or [`UNKNOWN`].
    pub(crate) fn beginnings(&self, block: usize) -> Vec<u32> {
        let runs = self.own(block);
        let mut beginnings = vec![UNKNOWN; runs.len()];
        let (mut longer, mut shorter, mut found) = (Vec::new(), Keys::default(), Vec::new());
        let mut entries = runs.iter();
        loop {
            let some = entries.by_ref().take(TOGETHER);
            for (id, beginning) in some.filter_map(|(key, id)| Some((id, key.beginning()?))) {
                longer.push(id);
                shorter.push_key(beginning);
            }
            if longer.is_empty() {
                return beginnings;
            }
            look_up(&mut Known(self), block - self.word_blocks(), &shorter, &mut found);
            for (id, beginning) in longer.drain(..).zip(found.drain(..)) {
                beginnings[id as usize] = beginning;
            }
            shorter.clear();
        }
    }

    /// The spellings of some ids of a block.
    pub fn spelled(&self, block: usize, ids: &[u32]) -> Vec<Vec<u8>> {
        let of_key = |key: Key<'_>| key.to_vec();
        match self.kinds[block] {
            Kind::Words(1) => picked(self.words.iter().map(|(key, id)| (id, key)), ids, of_key),
            Kind::Words(n) => {
                let pairs =
                    picked(self.runs[n - 2].iter().map(|(pair, id)| (id, pair)), ids, |pair| pair);
                let of = |half: fn(u64) -> u32| pairs.iter().map(|&pair| half(pair)).collect();
                let (firsts, lasts): (Vec<u32>, Vec<u32>) =
                    (of(|pair| (pair >> 32) as u32), of(|pair| pair as u32));
                let joined = |(first, last): (Vec<u8>, Vec<u8>)| [first, last].join(&b' ');
                let firsts = self.spelled(block - 1, &firsts);
                firsts.into_iter().zip(self.spelled(0, &lasts)).map(joined).collect()
            }
            _ => {
                let others = self.own(block);
                picked(others.iter().map(|(key, id)| (id, key)), ids, of_key)
            }
        }
    }

    /// The spelling of every id, block by block: tokens joined by a space.
    pub fn spellings(&self) -> Vec<Spellings> {
        let mut blocks: Vec<Spellings> = Vec::new();
        for (block, &kind) in self.kinds.iter().enumerate() {
            let spellings = match kind {
                Kind::Words(1) => Spellings::of(self.words.len(), self.words.iter()),
                Kind::Words(_) => {
                    let (tokens, firsts) = (&blocks[0], &blocks[block - 1]);
                    let mut spellings = Spellings::default();
                    for (first, last) in self.ends(block).unwrap_or_default() {
                        spellings.bytes.extend_from_slice(firsts.get(first));
                        spellings.bytes.push(b' ');
                        spellings.bytes.extend_from_slice(tokens.get(last));
                        spellings.ends.push(spellings.bytes.len());
                    }
                    spellings
                }
                _ => {
                    let others = self.own(block);
                    Spellings::of(others.len(), others.iter())
                }
            };
            blocks.push(spellings);
        }
        blocks
    }
}

/// What stands under each of `ids`, in their order, among entries in any order.
fn picked<T, R: Default + Clone>(
    entries: impl Iterator<Item = (u32, T)>,
    ids: &[u32],
    of: impl Fn(T) -> R,
) -> Vec<R> {
    let wanted: HashSet<u32> = ids.iter().copied().collect();
    let found: HashMap<u32, R> =
        entries.filter(|(id, _)| wanted.contains(id)).map(|(id, entry)| (id, of(entry))).collect();
    ids.iter().map(|id| found.get(id).cloned().unwrap_or_default()).collect()
}

pub(crate) fn pair(first: u32, last: u32) -> u64 {
    u64::from(first) << 32 | u64::from(last)
}

pub(crate) fn has_unknown(pair: u64) -> bool {
    (pair >> 32) as u32 == UNKNOWN || pair as u32 == UNKNOWN
}

/// Byte strings one after another.
#[derive(Default)]
pub struct Spellings {
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl Spellings {
    fn of<'a>(len: usize, keys: impl Iterator<Item = (Key<'a>, u32)>) -> Self {
        let mut by_id = vec![None; len];
        for (key, id) in keys {
            by_id[id as usize] = Some(key);
        }
        let mut spellings = Spellings::default();
        for key in by_id {
            if let Some(key) = key {
                key.append_to(&mut spellings.bytes);
            }
            spellings.ends.push(spellings.bytes.len());
        }
        spellings
    }

    pub fn get(&self, id: usize) -> &[u8] {
        let start = if id == 0 { 0 } else { self.ends[id - 1] };
        &self.bytes[start..self.ends[id]]
    }

    pub fn len(&self) -> usize {
        self.ends.len()
    }
}
