//! The features of texts in the one order that equal tallies share, as a file has them.
//!
//! Words, character n-grams and the like rise by their bytes. Word n-grams rise by the place of their
//! first n − 1 words, then by the place of their last: a trie, in which the n-grams that begin alike stand
//! side by side. So every feature is found by halving, and nothing has to be built before the first text
//! can be scored.

use crate::dictionary::feature_ids::{Find, UNKNOWN, halves, pair, word_blocks};
use crate::dictionary::feature_key::{Key, without_negation};
use crate::error::{Result, corrupt};
use crate::text::reading::{FeatureKind, Reading};
use crate::text::tokens::LONGEST_TOKEN;
use std::ops::Range;

/// Byte strings that rise, one after another.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Strings {
    pub(crate) bytes: Vec<u8>,
    /// Where each ends.
    pub(crate) ends: Vec<usize>,
}

impl Strings {
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    #[inline(always)]
    pub(crate) fn get(&self, place: usize) -> &[u8] {
        let start = place.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.bytes[start..self.ends[place]]
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &[u8]> {
        (0..self.len()).map(|place| self.get(place))
    }

    pub(crate) fn push(&mut self, string: &[u8]) {
        self.bytes.extend_from_slice(string);
        self.ends.push(self.bytes.len());
    }

    /// Appends some strings of others.
    pub(crate) fn extend(&mut self, others: &Strings, places: Range<usize>) {
        let start = places.start.checked_sub(1).map_or(0, |before| others.ends[before]);
        let (ends, shift) = (&others.ends[places], self.bytes.len());
        self.ends.extend(ends.iter().map(|end| end - start + shift));
        self.bytes.extend_from_slice(&others.bytes[start..ends.last().copied().unwrap_or(start)]);
    }

    /// How many strings come before one.
    pub(crate) fn place(&self, string: &[u8]) -> usize {
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = (low + high) / 2;
            match self.get(middle) < string {
                true => low = middle + 1,
                false => high = middle,
            }
        }
        low
    }

    /// The place of a string, if it is there.
    fn find(&self, key: Key<'_>) -> u32 {
        key.read(|wanted| {
            let place = self.place(wanted);
            let is_here = place < self.len() && self.get(place) == wanted;
            if is_here { place as u32 } else { UNKNOWN }
        })
    }
}

/// N-grams of one length.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Trie {
    /// Where the n-grams begin that have the same first words, for each of these; and where the last end.
    pub(crate) starts: Vec<u32>,
    /// The place of the last word of each.
    pub(crate) lasts: Vec<u32>,
}

impl Trie {
    /// The place of the first words and that of the last, of each in turn.
    pub(crate) fn pairs(&self) -> impl Iterator<Item = u64> {
        let firsts = (0..).zip(self.starts.windows(2));
        firsts.flat_map(|(first, range)| {
            self.lasts[range[0] as usize..range[1] as usize]
                .iter()
                .map(move |&last| pair(first, last))
        })
    }

    fn find(&self, pair: u64) -> u32 {
        let (first, last) = halves(pair);
        // What was added to these features is in no n-gram here.
        let Some(&end) = self.starts.get(first as usize + 1) else { return UNKNOWN };
        let start = self.starts[first as usize] as usize;
        let found = self.lasts[start..end as usize].binary_search(&last);
        found.map_or(UNKNOWN, |place| (start + place) as u32)
    }
}

/// One block of features.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum BlockFeatures {
    Spelled(Strings),
    Ngrams(Trie),
}

impl BlockFeatures {
    pub(crate) fn len(&self) -> usize {
        match self {
            BlockFeatures::Spelled(strings) => strings.len(),
            BlockFeatures::Ngrams(trie) => trie.lasts.len(),
        }
    }
}

/// Features in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sorted {
    pub(crate) blocks: Vec<BlockFeatures>,
}

impl Sorted {
    /// The features of an empty tally.
    pub(crate) fn empty(kinds: &[FeatureKind]) -> Self {
        let block = |kind: &FeatureKind| match kind {
            FeatureKind::WordNgram(2..) => {
                BlockFeatures::Ngrams(Trie { starts: vec![0], lasts: Vec::new() })
            }
            _ => BlockFeatures::Spelled(Strings::default()),
        };
        Sorted { blocks: kinds.iter().map(block).collect() }
    }

    /// The spelling of a feature: its tokens joined by a space.
    pub(crate) fn spelling(&self, block: usize, place: usize) -> Vec<u8> {
        match &self.blocks[block] {
            BlockFeatures::Spelled(strings) => strings.get(place).to_vec(),
            BlockFeatures::Ngrams(trie) => {
                let first = trie.starts.partition_point(|&start| start as usize <= place) - 1;
                let last = self.spelling(0, trie.lasts[place] as usize);
                [self.spelling(block - 1, first), last].join(&b' ')
            }
        }
    }

    /// Refuses what no texts that are read like this could give.
    pub(crate) fn check(&self, reading: &Reading) -> Result<()> {
        let kinds = reading.kinds();
        for (block, (features, &kind)) in self.blocks.iter().zip(&kinds).enumerate() {
            match features {
                BlockFeatures::Spelled(strings) => check_strings(strings, reading, kind)?,
                BlockFeatures::Ngrams(trie) => {
                    check_trie(trie, self.blocks[block - 1].len(), self.blocks[0].len())?;
                }
            }
        }
        self.check_uncounted(reading, &kinds)
    }

    /// What is not counted is there only for n-grams that are.
    fn check_uncounted(&self, reading: &Reading, kinds: &[FeatureKind]) -> Result<()> {
        let words = word_blocks(kinds);
        if words == 0 || reading.counts(kinds[0]) {
            return Ok(());
        }
        let mut used: Vec<Vec<bool>> =
            self.blocks[..words].iter().map(|block| vec![false; block.len()]).collect();
        for block in (1..words).rev() {
            let BlockFeatures::Ngrams(trie) = &self.blocks[block] else { continue };
            for (first, range) in trie.starts.windows(2).enumerate() {
                used[block - 1][first] |= range[0] < range[1];
            }
            trie.lasts.iter().for_each(|&last| used[0][last as usize] = true);
        }
        let uncounted = used.iter().zip(kinds).filter(|(_, kind)| !reading.counts(**kind));
        match uncounted.flat_map(|(used, _)| used).all(|&used| used) {
            true => Ok(()),
            false => corrupt("a word is in no n-gram that is counted"),
        }
    }
}

fn check_strings(strings: &Strings, reading: &Reading, kind: FeatureKind) -> Result<()> {
    let Ok(text) = std::str::from_utf8(&strings.bytes) else {
        return corrupt("a feature's spelling is no Unicode");
    };
    let longest = reading.char_ngrams.map_or(0, |(_, longest)| longest);
    let (mut before, mut start): (&[u8], usize) = (&[], 0);
    for (place, &end) in strings.ends.iter().enumerate() {
        let Some(spelling) = text.get(start..end) else {
            return corrupt("a feature's spelling runs over its end");
        };
        let well_formed = match kind {
            FeatureKind::Value | FeatureKind::Surface | FeatureKind::Lexicon => {
                !spelling.is_empty()
            }
            FeatureKind::CharNgram => (1..=longest).contains(&spelling.chars().count()),
            FeatureKind::WordNgram(_) => {
                let word = without_negation(spelling.as_bytes()).0;
                (1..=LONGEST_TOKEN).contains(&word.len()) && !word.contains(&b' ')
            }
        };
        if !well_formed {
            return corrupt("a feature is not of a kind this model reads");
        }
        if place > 0 && before >= spelling.as_bytes() {
            return corrupt("its features are not in order");
        }
        (before, start) = (spelling.as_bytes(), end);
    }
    match start == text.len() {
        true => Ok(()),
        false => corrupt("it holds more than its features"),
    }
}

fn check_trie(trie: &Trie, firsts: usize, words: usize) -> Result<()> {
    let (starts, lasts) = (&trie.starts, &trie.lasts);
    let ends = (starts.first().copied(), starts.last().map(|&end| end as usize));
    if starts.len() != firsts + 1 || ends != (Some(0), Some(lasts.len())) {
        return corrupt("its n-grams do not belong to their first words");
    }
    let largest = lasts.iter().max().map_or(0, |&last| last as usize + 1);
    if !starts.is_sorted() || largest > words {
        return corrupt("its n-grams do not belong to their words");
    }
    // All places where last words do not rise are such where other first words begin. To count them is
    // faster than to look at each range, since most ranges are short.
    let falls = |place: usize| lasts[place - 1] >= lasts[place];
    let begins = |two: &&[u32]| 0 < two[0] && two[0] < two[1] && falls(two[0] as usize);
    let all = lasts.windows(2).filter(|two| two[0] >= two[1]).count();
    match all == starts.windows(2).filter(begins).count() {
        true => Ok(()),
        false => corrupt("its n-grams are not in order"),
    }
}

/// Finds features by halving.
pub(crate) struct Halving<'a> {
    pub(crate) sorted: &'a Sorted,
    pub(crate) word_blocks: usize,
}

impl Halving<'_> {
    fn spelled(&self, block: usize, key: Key<'_>) -> u32 {
        match &self.sorted.blocks[block] {
            BlockFeatures::Spelled(strings) => strings.find(key),
            BlockFeatures::Ngrams(_) => UNKNOWN,
        }
    }
}

impl Find for Halving<'_> {
    fn word(&mut self, word: Key<'_>) -> u32 {
        self.spelled(0, word)
    }

    fn ngram(&mut self, n: usize, pair: u64) -> u32 {
        match &self.sorted.blocks[n - 1] {
            BlockFeatures::Ngrams(trie) => trie.find(pair),
            BlockFeatures::Spelled(_) => UNKNOWN,
        }
    }

    fn other(&mut self, place: usize, key: Key<'_>) -> u32 {
        self.spelled(self.word_blocks + place, key)
    }
}
