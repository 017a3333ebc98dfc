//! From a text to the ids of its features.
//!
//! Features come in blocks, one per kind: words, pairs of words, runs of three …, runs of
//! characters. A run of n words is looked up by the id of its first n − 1 and the id of its last, so
//! long features cost two integers, and the blocks of word runs together form a trie.

use crate::error::{Error, Result};
use crate::hash::Table;
use crate::key::Key;
use crate::tokens::Tokenizer;
use crate::vocabulary::Vocabulary;

/// Stands for a feature that is in no dictionary. No id reaches it.
pub const UNKNOWN: u32 = u32::MAX;

/// How a text is read. Settled before the first text and stored with the counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reading {
    /// Shortest and longest run of words, or none.
    pub words: Option<(usize, usize)>,
    /// Shortest and longest run of characters, within a word and the space around it, or none.
    pub chars: Option<(usize, usize)>,
    pub lowercase: bool,
}

/// What kind of feature a block holds. The byte is what files and keys begin with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    Words(usize),
    Chars,
}

impl Kind {
    pub const LONGEST_RUN: usize = 8;
    const CHARS: u8 = 0x10;

    pub fn byte(self) -> u8 {
        match self {
            Kind::Words(n) => n as u8,
            Kind::Chars => Self::CHARS,
        }
    }
}

impl Reading {
    /// The blocks of a dictionary. Runs of fewer words than asked for are there too, as the first
    /// parts of longer ones; [`Reading::counts`] tells which blocks count.
    pub fn kinds(&self) -> Vec<Kind> {
        let longest = self.words.map_or(0, |(_, longest)| longest);
        let words = (1..=longest).map(Kind::Words);
        words.chain(self.chars.map(|_| Kind::Chars)).collect()
    }

    pub fn counts(&self, kind: Kind) -> bool {
        match kind {
            Kind::Words(n) => self.words.is_some_and(|(shortest, _)| n >= shortest),
            Kind::Chars => true,
        }
    }
}

/// The occurrences of features in one text, block by block, in the order of the text.
#[derive(Default)]
pub struct Occurrences {
    pub blocks: Vec<Vec<u32>>,
}

/// Reads texts: scratch space that is used again for each.
pub struct Reader {
    reading: Reading,
    tokenizer: Tokenizer,
    chunk: String,
    pub occurrences: Occurrences,
}

impl Reader {
    pub fn new(reading: &Reading) -> Self {
        Reader {
            reading: reading.clone(),
            tokenizer: Tokenizer::new(reading.lowercase),
            chunk: String::new(),
            occurrences: Occurrences { blocks: vec![Vec::new(); reading.kinds().len()] },
        }
    }

    /// Finds the features of `text`; those not in the dictionary are [`UNKNOWN`].
    pub fn known(&mut self, dictionary: &Dictionary, text: &str) -> &Occurrences {
        self.read(&mut Known(dictionary), text);
        &self.occurrences
    }

    /// Finds the features of `text` and enters those that are new.
    pub fn learn(&mut self, dictionary: &mut Dictionary, text: &str) -> Result<&Occurrences> {
        self.read(&mut Learn(dictionary), text);
        let longest = dictionary.blocks().max().unwrap_or(0);
        if longest >= UNKNOWN as usize {
            return Err(Error::TooManyFeatures);
        }
        Ok(&self.occurrences)
    }

    #[inline(always)]
    fn read(&mut self, lookup: &mut impl Lookup, text: &str) {
        let blocks = &mut self.occurrences.blocks;
        blocks.iter_mut().for_each(Vec::clear);
        if self.reading.words.is_some() {
            let words = self.tokenizer.words(text);
            let dictionary = lookup.dictionary();
            let ids = &mut blocks[0];
            ids.extend(words.packed().iter().map(|&word| dictionary.words.glance(word)));
            for (place, id) in ids.iter_mut().enumerate().filter(|(_, id)| **id == UNKNOWN) {
                *id = lookup.word(words.get(place));
            }
        }
        if let Some((_, longest)) = self.reading.words {
            for n in 2..=longest {
                let (shorter, longer) = blocks.split_at_mut(n - 1);
                let (tokens, firsts, ids) = (&shorter[0], &shorter[n - 2], &mut longer[0]);
                let lasts = tokens.iter().skip(n - 1);
                let pairs = firsts.iter().zip(lasts).map(|(&first, &last)| pair(first, last));
                let runs = &lookup.dictionary().runs[n - 2];
                ids.extend(pairs.clone().map(|pair| runs.glance(pair)));
                for (id, pair) in ids.iter_mut().zip(pairs).filter(|(id, _)| **id == UNKNOWN) {
                    if !has_unknown(pair) {
                        *id = lookup.run(n, pair);
                    }
                }
            }
        }
        if let Some(lengths) = self.reading.chars {
            let mut found = self.occurrences.blocks.pop().unwrap_or_default();
            self.chunks(text, |chunk| {
                character_runs(chunk, lengths, |run| found.push(lookup.chars(Key::new(run))));
            });
            self.occurrences.blocks.push(found);
        }
    }
}

impl Reader {
    /// The features of the text that was just read, spelled out beside its occurrences.
    pub fn names(&mut self, text: &str) -> Vec<Vec<String>> {
        let mut names: Vec<Vec<String>> = Vec::new();
        if let Some((_, longest)) = self.reading.words {
            let words = self.tokenizer.words(text);
            let spell = |place| String::from_utf8_lossy(&words.get(place).to_vec()).into_owned();
            names.push((0..words.packed().len()).map(spell).collect());
            for n in 2..=longest {
                names.push(names[0].windows(n).map(|run| run.join(" ")).collect());
            }
        }
        if let Some(lengths) = self.reading.chars {
            let mut found = Vec::new();
            self.chunks(text, |chunk| {
                character_runs(chunk, lengths, |run| {
                    found.push(String::from_utf8_lossy(run).into_owned())
                });
            });
            names.push(found);
        }
        names
    }

    /// Calls `emit` with each run of non-space, a space on either side.
    fn chunks(&mut self, text: &str, mut emit: impl FnMut(&str)) {
        for chunk in text.split_whitespace() {
            self.chunk.clear();
            self.chunk.push(' ');
            if self.reading.lowercase {
                self.chunk.push_str(&chunk.to_lowercase());
            } else {
                self.chunk.push_str(chunk);
            }
            self.chunk.push(' ');
            emit(&self.chunk);
        }
    }
}

/// Calls `emit` with every run of `shortest` to `longest` characters of a padded `chunk`. A chunk
/// that is no longer than a run is given whole, once: what scikit-learn calls `char_wb`.
fn character_runs(chunk: &str, (shortest, longest): (usize, usize), mut emit: impl FnMut(&[u8])) {
    let bytes = chunk.as_bytes();
    if chunk.is_ascii() {
        for n in shortest..=longest {
            if n >= bytes.len() {
                return emit(bytes);
            }
            bytes.windows(n).for_each(&mut emit);
        }
        return;
    }
    let mut edges: Vec<usize> = chunk.char_indices().map(|(place, _)| place).collect();
    edges.push(bytes.len());
    for n in shortest..=longest {
        if n + 1 >= edges.len() {
            return emit(bytes);
        }
        edges.windows(n + 1).for_each(|run| emit(&bytes[run[0]..run[n]]));
    }
}

/// The two ways to read: with or without entering what is new.
trait Lookup {
    fn dictionary(&self) -> &Dictionary;
    fn word(&mut self, word: Key<'_>) -> u32;
    fn run(&mut self, n: usize, pair: u64) -> u32;
    fn chars(&mut self, chars: Key<'_>) -> u32;
}

struct Known<'a>(&'a Dictionary);

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
    fn chars(&mut self, chars: Key<'_>) -> u32 {
        self.0.chars.find(chars).unwrap_or(UNKNOWN)
    }
}

struct Learn<'a>(&'a mut Dictionary);

impl Lookup for Learn<'_> {
    fn dictionary(&self) -> &Dictionary {
        self.0
    }

    #[inline(always)]
    fn word(&mut self, word: Key<'_>) -> u32 {
        self.0.words.find_or_insert(word)
    }

    #[inline(always)]
    fn run(&mut self, n: usize, pair: u64) -> u32 {
        let runs = &mut self.0.runs[n - 2];
        let fresh = runs.len() as u32;
        runs.find_or_insert(pair, fresh)
    }

    #[inline(always)]
    fn chars(&mut self, chars: Key<'_>) -> u32 {
        self.0.chars.find_or_insert(chars)
    }
}

/// Every feature that was met, with its id in its block.
#[derive(Clone)]
pub struct Dictionary {
    kinds: Vec<Kind>,
    words: Vocabulary,
    runs: Vec<Table<u64>>,
    chars: Vocabulary,
}

impl Dictionary {
    pub fn new(reading: &Reading) -> Self {
        let kinds = reading.kinds();
        let longest = reading.words.map_or(0, |(_, longest)| longest);
        Dictionary {
            kinds,
            words: Vocabulary::default(),
            runs: vec![Table::default(); longest.saturating_sub(1)],
            chars: Vocabulary::default(),
        }
    }

    pub fn kinds(&self) -> &[Kind] {
        &self.kinds
    }

    /// How many ids each block has given.
    pub fn blocks(&self) -> impl Iterator<Item = usize> + '_ {
        self.kinds.iter().map(|kind| match kind {
            Kind::Words(1) => self.words.len(),
            Kind::Words(n) => self.runs[n - 2].len(),
            Kind::Chars => self.chars.len(),
        })
    }

    /// Where the ids of `other` stand in this dictionary, block by block; `None` if one is missing.
    pub fn locate(&self, other: &Dictionary) -> Vec<Vec<u32>> {
        other.translate(&mut Known(self))
    }

    /// The same, entering what is missing.
    pub fn absorb(&mut self, other: &Dictionary) -> Result<Vec<Vec<u32>>> {
        self.words.reserve(self.words.len().max(other.words.len()));
        self.chars.reserve(self.chars.len().max(other.chars.len()));
        for (ours, theirs) in self.runs.iter_mut().zip(&other.runs) {
            ours.reserve(ours.len().max(theirs.len()));
        }
        let map = other.translate(&mut Learn(self));
        match self.blocks().max() {
            Some(longest) if longest >= UNKNOWN as usize => Err(Error::TooManyFeatures),
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
                Kind::Chars => {
                    for (chars, id) in self.chars.iter() {
                        map[id as usize] = lookup.chars(chars);
                    }
                }
            }
        }
        maps
    }

    /// Enters one feature given by its tokens (or its characters) and returns its block and id.
    pub fn enter(&mut self, kind: Kind, bytes: &[u8]) -> Option<(usize, u32)> {
        let block = self.kinds.iter().position(|&known| known == kind)?;
        let mut lookup = Learn(self);
        let id = match kind {
            Kind::Chars => lookup.chars(Key::new(bytes)),
            Kind::Words(n) => {
                let mut tokens = bytes.split(|&byte| byte == b' ');
                let mut run = lookup.word(Key::new(tokens.next()?));
                let mut length = 1;
                for token in tokens {
                    length += 1;
                    if length > n {
                        return None;
                    }
                    let last = lookup.word(Key::new(token));
                    run = lookup.run(length, pair(run, last));
                }
                if length != n {
                    return None;
                }
                run
            }
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

    /// The spelling of every id, block by block: tokens joined by a space.
    pub fn spellings(&self) -> Vec<Spellings> {
        let mut blocks: Vec<Spellings> = Vec::new();
        for &kind in &self.kinds {
            let spellings = match kind {
                Kind::Words(1) => Spellings::of(self.words.len(), self.words.iter()),
                Kind::Chars => Spellings::of(self.chars.len(), self.chars.iter()),
                Kind::Words(n) => {
                    let (tokens, firsts) = (&blocks[0], &blocks[n - 2]);
                    let mut spellings = Spellings::default();
                    for (first, last) in self.ends(n - 1).unwrap_or_default() {
                        spellings.bytes.extend_from_slice(firsts.get(first));
                        spellings.bytes.push(b' ');
                        spellings.bytes.extend_from_slice(tokens.get(last));
                        spellings.ends.push(spellings.bytes.len());
                    }
                    spellings
                }
            };
            blocks.push(spellings);
        }
        blocks
    }
}

fn pair(first: u32, last: u32) -> u64 {
    u64::from(first) << 32 | u64::from(last)
}

fn has_unknown(pair: u64) -> bool {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn read(reading: &Reading, text: &str) -> Vec<Vec<String>> {
        let mut dictionary = Dictionary::new(reading);
        let mut reader = Reader::new(reading);
        reader.learn(&mut dictionary, text).unwrap();
        let spellings = dictionary.spellings();
        let occurrences = &reader.occurrences.blocks;
        let spell = |(block, ids): (usize, &Vec<u32>)| {
            let name =
                |&id: &u32| String::from_utf8(spellings[block].get(id as usize).to_vec()).unwrap();
            ids.iter().map(name).collect()
        };
        occurrences.iter().enumerate().map(spell).collect()
    }

    #[test]
    fn runs_of_words_follow_the_text() {
        let reading = Reading { words: Some((1, 3)), chars: None, lowercase: true };
        let blocks = read(&reading, "To be, or not to be");
        assert_eq!(blocks[0], ["to", "be", "or", "not", "to", "be"]);
        assert_eq!(blocks[1], ["to be", "be or", "or not", "not to", "to be"]);
        assert_eq!(blocks[2], ["to be or", "be or not", "or not to", "not to be"]);
    }

    #[test]
    fn runs_of_characters_stay_within_their_chunk() {
        let reading = Reading { words: None, chars: Some((3, 4)), lowercase: true };
        let blocks = read(&reading, "Oh n\u{e9}e");
        let expected =
            [" oh", "oh ", " oh ", " n\u{e9}", "n\u{e9}e", "\u{e9}e ", " n\u{e9}e", "n\u{e9}e "];
        assert_eq!(blocks[0], expected);
    }

    #[test]
    fn a_chunk_shorter_than_a_run_is_given_once() {
        let reading = Reading { words: None, chars: Some((4, 6)), lowercase: true };
        assert_eq!(read(&reading, "a")[0], [" a "]);
    }

    #[test]
    fn what_is_not_in_the_dictionary_is_unknown() {
        let reading = Reading { words: Some((1, 2)), chars: None, lowercase: true };
        let mut dictionary = Dictionary::new(&reading);
        let mut reader = Reader::new(&reading);
        reader.learn(&mut dictionary, "a b c").unwrap();
        let found = reader.known(&dictionary, "a c b c x");
        assert_eq!(found.blocks[0], [0, 2, 1, 2, UNKNOWN]);
        assert_eq!(found.blocks[1], [UNKNOWN, UNKNOWN, 1, UNKNOWN]);
    }
}
