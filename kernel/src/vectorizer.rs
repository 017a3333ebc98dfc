//! Texts as a matrix of counts, read once: columns in the order of their names, rows with rising
//! columns.
//!
//! It counts no classes, so it keeps of a text only which features it has and how often; the columns
//! are put in order when all texts were read.

use crate::counts::check_lengths;
use crate::dictionary::{UNKNOWN, has_unknown, pair};
use crate::distinct::Distinct;
use crate::error::{Error, Result};
use crate::hash::Table;
use crate::key::Key;
use crate::tokens::{Tokenizer, Words};
use crate::vocabulary::Vocabulary;
use std::borrow::Cow;

/// What a text is cut into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Analyzer {
    /// Unicode words, as everywhere else here.
    Words,
    /// Runs of two or more letters, digits and `_`.
    Pattern,
    /// Runs of characters within a word and the space around it.
    CharsWithin,
    /// Runs of characters.
    Chars,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    pub analyzer: Analyzer,
    /// The shortest and the longest run of words or characters.
    pub lengths: (usize, usize),
    pub lowercase: bool,
    /// Words that are left out before runs are made.
    pub stop_words: Vec<String>,
}

/// Row `i` has the entries `starts[i]..starts[i + 1]`.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Counted {
    pub starts: Vec<i64>,
    pub columns: Vec<i32>,
    pub counts: Vec<i64>,
}

/// Finds the known features of texts.
#[derive(Clone)]
pub struct Vectorizer {
    pub options: Options,
    /// The feature of each column.
    pub names: Names,
    terms: Terms,
    stop: Vocabulary,
    /// The column of each id, block by block; [`NONE`] if it has none.
    columns: Vec<Vec<u32>>,
}

const NONE: u32 = u32::MAX;

/// Strings one after another.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Names {
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl Names {
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    fn get(&self, place: usize) -> &[u8] {
        let start = if place == 0 { 0 } else { self.ends[place - 1] };
        &self.bytes[start..self.ends[place]]
    }

    pub fn iter(&self) -> impl Iterator<Item = Cow<'_, str>> {
        (0..self.len()).map(|place| String::from_utf8_lossy(self.get(place)))
    }

    /// Adds a string made of parts with a space between each two.
    fn push<'a>(&mut self, parts: impl Iterator<Item = &'a [u8]>) {
        for (place, part) in parts.enumerate() {
            if place > 0 {
                self.bytes.push(b' ');
            }
            self.bytes.extend_from_slice(part);
        }
        self.ends.push(self.bytes.len());
    }
}

impl<S: AsRef<str>> FromIterator<S> for Names {
    fn from_iter<I: IntoIterator<Item = S>>(strings: I) -> Self {
        let mut names = Self::default();
        strings.into_iter().for_each(|s| names.push(std::iter::once(s.as_ref().as_bytes())));
        names
    }
}

/// Ids of words (or of runs of characters), and of runs of words by the id of all but the last and
/// the id of the last.
#[derive(Clone, Default)]
struct Terms {
    single: Vocabulary,
    runs: Vec<Table<u64>>,
}

impl Terms {
    fn new(options: &Options) -> Self {
        Terms { runs: vec![Table::default(); options.blocks() - 1], ..Self::default() }
    }

    fn sizes(&self) -> impl Iterator<Item = usize> {
        std::iter::once(self.single.len()).chain(self.runs.iter().map(Table::len))
    }

    /// What each single term is, by id.
    fn spellings(&self) -> Names {
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
trait Find {
    fn terms(&self) -> &Terms;
    fn single(&mut self, key: Key<'_>) -> u32;
    fn run(&mut self, n: usize, pair: u64) -> u32;
}

impl Find for &Terms {
    fn terms(&self) -> &Terms {
        self
    }

    #[inline(always)]
    fn single(&mut self, key: Key<'_>) -> u32 {
        self.single.find(key).unwrap_or(UNKNOWN)
    }

    #[inline(always)]
    fn run(&mut self, n: usize, pair: u64) -> u32 {
        self.runs[n - 2].find(pair).unwrap_or(UNKNOWN)
    }
}

impl Find for &mut Terms {
    fn terms(&self) -> &Terms {
        self
    }

    #[inline(always)]
    fn single(&mut self, key: Key<'_>) -> u32 {
        self.single.find_or_insert(key)
    }

    #[inline(always)]
    fn run(&mut self, n: usize, pair: u64) -> u32 {
        let fresh = self.runs[n - 2].len() as u32;
        self.runs[n - 2].find_or_insert(pair, fresh)
    }
}

impl Options {
    fn is_words(&self) -> bool {
        matches!(self.analyzer, Analyzer::Words | Analyzer::Pattern)
    }

    /// One for each length of a run of words; one for all runs of characters.
    fn blocks(&self) -> usize {
        if self.is_words() { self.lengths.1.max(1) } else { 1 }
    }

    fn stop(&self) -> Vocabulary {
        let mut stop = Vocabulary::default();
        for word in self.stop_words.iter().filter(|word| !word.is_empty()) {
            stop.find_or_insert(Key::new(word.as_bytes()));
        }
        stop
    }
}

/// Scratch space for reading texts.
struct Reader<'a> {
    options: &'a Options,
    stop: &'a Vocabulary,
    tokenizer: Tokenizer,
    text: String,
    runs: Words,
    /// The ids of a text's features, block by block, in the order of the text.
    blocks: Vec<Vec<u32>>,
}

impl<'a> Reader<'a> {
    fn new(options: &'a Options, stop: &'a Vocabulary) -> Self {
        Reader {
            options,
            stop,
            tokenizer: Tokenizer::new(options.lowercase),
            text: String::new(),
            runs: Words::default(),
            blocks: vec![Vec::new(); options.blocks()],
        }
    }

    fn read(&mut self, text: &str, mut find: impl Find) {
        self.blocks.iter_mut().for_each(Vec::clear);
        let words = match self.options.analyzer {
            Analyzer::Words => self.tokenizer.words(text),
            Analyzer::Pattern => self.tokenizer.runs(text),
            Analyzer::CharsWithin | Analyzer::Chars => {
                self.runs.clear();
                let text = prepared(self.options, text, &mut self.text);
                character_runs(self.options, text, |run| self.runs.add(run));
                &self.runs
            }
        };
        let ids = &mut self.blocks[0];
        let known = &find.terms().single;
        if self.stop.len() == 0 {
            // All first looks at once: the processor fetches many slots at a time.
            ids.extend(words.packed().iter().map(|&word| known.glance(word)));
            for (place, id) in ids.iter_mut().enumerate().filter(|(_, id)| **id == UNKNOWN) {
                *id = find.single(words.get(place));
            }
        } else {
            let kept = (0..words.packed().len()).map(|place| words.get(place));
            let kept = kept.filter(|&word| self.stop.find(word).is_none());
            ids.extend(kept.map(|word| find.single(word)));
        }
        for n in 2..=self.options.blocks() {
            let (shorter, longer) = self.blocks.split_at_mut(n - 1);
            let (tokens, firsts, ids) = (&shorter[0], &shorter[n - 2], &mut longer[0]);
            let lasts = tokens.iter().skip(n - 1);
            let pairs = firsts.iter().zip(lasts).map(|(&first, &last)| pair(first, last));
            let runs = &find.terms().runs[n - 2];
            ids.extend(pairs.clone().map(|pair| runs.glance(pair)));
            for (id, pair) in ids.iter_mut().zip(pairs).filter(|(id, _)| **id == UNKNOWN) {
                if !has_unknown(pair) {
                    *id = find.run(n, pair);
                }
            }
        }
    }
}

impl Vectorizer {
    /// A vectorizer of the given features, a column each.
    pub fn of(options: Options, names: Names) -> Result<Self> {
        if names.len() >= i32::MAX as usize {
            return Err(Error::TooManyFeatures);
        }
        let mut terms = Terms::new(&options);
        let mut columns: Vec<Vec<u32>> = vec![Vec::new(); options.blocks()];
        for (column, name) in names.iter().enumerate() {
            let Some((block, id)) = enter(&mut terms, &options, &name) else { continue };
            if columns[block].len() <= id as usize {
                columns[block].resize(id as usize + 1, NONE);
            }
            columns[block][id as usize] = column as u32;
        }
        for (columns, size) in columns.iter_mut().zip(terms.sizes()) {
            columns.resize(size, NONE);
        }
        let stop = options.stop();
        Ok(Vectorizer { options, names, terms, stop, columns })
    }

    /// The features of `texts`, and how often each is in each.
    pub fn learn(options: Options, texts: &[&str]) -> Result<(Self, Counted)> {
        check_lengths(texts)?;
        let mut terms = Terms::new(&options);
        let stop = options.stop();
        let mut reader = Reader::new(&options, &stop);
        let mut distinct: Vec<Distinct> =
            (0..options.blocks()).map(|_| Distinct::default()).collect();
        let mut entries: Vec<(u32, u32)> = Vec::with_capacity(likely_entries(texts));
        // Where the entries of each row end, block by block.
        let mut ends = Vec::with_capacity(texts.len() * options.blocks());
        for text in texts {
            reader.read(text, &mut terms);
            for ((block, ids), size) in reader.blocks.iter().enumerate().zip(terms.sizes()) {
                if size >= i32::MAX as usize {
                    return Err(Error::TooManyFeatures);
                }
                if !options.is_words() || block + 1 >= options.lengths.0 {
                    entries.extend(distinct[block].of(ids, size));
                }
                ends.push(entries.len());
            }
        }
        let spellings = terms.spellings();
        let order = order(&terms, &spellings, &options);
        if order.len() >= i32::MAX as usize {
            return Err(Error::TooManyFeatures);
        }
        let mut columns: Vec<Vec<u32>> = terms.sizes().map(|size| vec![NONE; size]).collect();
        for (column, &(block, id)) in order.iter().enumerate() {
            columns[block as usize][id as usize] = column as u32;
        }
        let mut counted = Counted::with_capacity(entries.len());
        let (mut row, mut start) = (Vec::new(), 0);
        for ends in ends.chunks(options.blocks()) {
            row.clear();
            for (columns, &end) in columns.iter().zip(ends) {
                let found = entries[start..end].iter();
                row.extend(found.map(|&(id, count)| entry(columns[id as usize], count)));
                start = end;
            }
            counted.push(&mut row);
        }
        let names = spelled(&terms, &spellings, &order);
        Ok((Vectorizer { names, terms, stop, columns, options }, counted))
    }

    /// The same with some of the columns, in the order given.
    pub fn keep(&self, kept: &[u32]) -> Self {
        let known = self.names.len();
        let mut new = vec![NONE; known];
        let mut names = Names::default();
        for (&column, place) in kept.iter().filter(|&&column| (column as usize) < known).zip(0..) {
            new[column as usize] = place;
            names.push(std::iter::once(self.names.get(column as usize)));
        }
        let mut vectorizer = Vectorizer { names, ..self.clone() };
        for column in vectorizer.columns.iter_mut().flatten().filter(|column| **column != NONE) {
            *column = new[*column as usize];
        }
        vectorizer
    }

    /// How often each known feature is in each text.
    pub fn count(&self, texts: &[&str]) -> Result<Counted> {
        check_lengths(texts)?;
        let mut reader = Reader::new(&self.options, &self.stop);
        let mut distinct = Distinct::default();
        let mut counted = Counted::with_capacity(likely_entries(texts));
        let mut row = Vec::new();
        for text in texts {
            reader.read(text, &self.terms);
            row.clear();
            for (columns, ids) in self.columns.iter().zip(&reader.blocks) {
                let found = distinct.of(ids, columns.len()).iter();
                let placed = found.map(|&(id, count)| (columns[id as usize], count));
                let known = placed.filter(|&(column, _)| column != NONE);
                row.extend(known.map(|(column, count)| entry(column, count)));
            }
            counted.push(&mut row);
        }
        Ok(counted)
    }

    /// The features of one text, spelled out: all of one length, then those of the next.
    pub fn features(options: &Options, text: &str) -> Vec<String> {
        let stop = options.stop();
        let mut reader = Reader::new(options, &stop);
        let mut terms = Terms::new(options);
        reader.read(text, &mut terms);
        let spellings = terms.spellings();
        let spell = |id: u32| String::from_utf8_lossy(spellings.get(id as usize)).into_owned();
        let single: Vec<String> = reader.blocks[0].iter().map(|&id| spell(id)).collect();
        if !options.is_words() {
            return single;
        }
        let (shortest, longest) = options.lengths;
        (shortest..=longest).flat_map(|n| single.windows(n).map(|run| run.join(" "))).collect()
    }
}

/// A column and a count in one number, so that a row is sorted as numbers are.
fn entry(column: u32, count: u32) -> u64 {
    u64::from(column) << 32 | u64::from(count)
}

/// How many entries some texts may have; memory that is never touched costs nothing.
fn likely_entries(texts: &[&str]) -> usize {
    texts.iter().map(|text| text.len()).sum::<usize>() / 8
}

impl Counted {
    fn with_capacity(entries: usize) -> Self {
        let (columns, counts) = (Vec::with_capacity(entries), Vec::with_capacity(entries));
        Counted { starts: vec![0], columns, counts }
    }

    /// Adds a row of entries.
    fn push(&mut self, row: &mut [u64]) {
        row.sort_unstable();
        self.columns.extend(row.iter().map(|entry| (entry >> 32) as i32));
        self.counts.extend(row.iter().map(|&entry| i64::from(entry as u32)));
        self.starts.push(self.columns.len() as i64);
    }
}

/// Enters one feature by its name; none if no text can have it.
fn enter(terms: &mut Terms, options: &Options, name: &str) -> Option<(usize, u32)> {
    if name.is_empty() {
        return None;
    }
    let mut terms = terms;
    if !options.is_words() {
        return Some((0, Find::single(&mut terms, Key::new(name.as_bytes()))));
    }
    let tokens: Vec<&str> = name.split(' ').collect();
    let length = tokens.len();
    if !(options.lengths.0..=options.lengths.1).contains(&length) || tokens.contains(&"") {
        return None;
    }
    let mut run = Find::single(&mut terms, Key::new(tokens[0].as_bytes()));
    for (place, token) in tokens.iter().enumerate().skip(1) {
        let last = Find::single(&mut terms, Key::new(token.as_bytes()));
        run = Find::run(&mut terms, place + 1, pair(run, last));
    }
    Some((length - 1, run))
}

/// For each run of `n` words, its words one after another.
fn sequences(terms: &Terms, of_single: &[u32]) -> Vec<Vec<u32>> {
    let mut blocks = vec![of_single.to_vec()];
    for (place, runs) in terms.runs.iter().enumerate() {
        let n = place + 2;
        let mut block = vec![0; runs.len() * n];
        for (pair, id) in runs.iter() {
            let (first, last) = ((pair >> 32) as usize, pair as u32 as usize);
            let run = &mut block[id as usize * n..][..n];
            run[..n - 1].copy_from_slice(&blocks[place][first * (n - 1)..][..n - 1]);
            run[n - 1] = of_single[last];
        }
        blocks.push(block);
    }
    blocks
}

/// Block and id of every feature, in the order of their names.
///
/// No byte of a word is as low as the space between two, so runs of words sort as the ranks of their
/// words do, and a run comes before those it begins.
fn order(terms: &Terms, spellings: &Names, options: &Options) -> Vec<(u32, u32)> {
    let mut ids: Vec<(u128, u32)> =
        (0..spellings.len()).map(|id| (first_bytes(spellings.get(id)), id as u32)).collect();
    ids.sort_unstable_by(|a, b| {
        let spelling = |id: u32| spellings.get(id as usize);
        a.0.cmp(&b.0).then_with(|| spelling(a.1).cmp(spelling(b.1)))
    });
    let ids = ids.into_iter().map(|(_, id)| id);
    if options.blocks() == 1 {
        return ids.map(|id| (0, id)).collect();
    }
    let mut ranks = vec![0; spellings.len()];
    ids.zip(1..).for_each(|(id, rank)| ranks[id as usize] = rank);
    let blocks = sequences(terms, &ranks);
    let run = |block: u32, id: u32| {
        let n = block as usize + 1;
        &blocks[block as usize][id as usize * n..][..n]
    };
    // As with the first bytes of words: the first ranks settle most comparisons.
    let head = |run: &[u32]| {
        (0..4).fold(0, |head: u128, place| head << 32 | u128::from(*run.get(place).unwrap_or(&0)))
    };
    let counted = options.lengths.0.max(1) as u32 - 1..options.blocks() as u32;
    let mut order: Vec<(u128, u32, u32)> = counted
        .flat_map(|block| {
            let size = blocks[block as usize].len() as u32 / (block + 1);
            (0..size).map(move |id| (block, id))
        })
        .map(|(block, id)| (head(run(block, id)), block, id))
        .collect();
    order.sort_unstable_by(|a, b| a.0.cmp(&b.0).then_with(|| run(a.1, a.2).cmp(run(b.1, b.2))));
    order.into_iter().map(|(_, block, id)| (block, id)).collect()
}

fn spelled(terms: &Terms, spellings: &Names, order: &[(u32, u32)]) -> Names {
    let ids: Vec<u32> = (0..spellings.len() as u32).collect();
    let blocks = sequences(terms, &ids);
    let mut names = Names::default();
    for &(block, id) in order {
        let n = block as usize + 1;
        let words = &blocks[block as usize][id as usize * n..][..n];
        names.push(words.iter().map(|&word| spellings.get(word as usize)));
    }
    names
}

/// The first bytes of a spelling as a number that sorts alike; it settles most comparisons without
/// following a pointer.
fn first_bytes(spelling: &[u8]) -> u128 {
    let mut window = [0; 16];
    let length = spelling.len().min(16);
    window[..length].copy_from_slice(&spelling[..length]);
    u128::from_be_bytes(window)
}

/// White space as Python sees it: what Unicode calls so, and the four ASCII separators.
fn is_space(c: char) -> bool {
    c.is_whitespace() || ('\x1c'..='\x1f').contains(&c)
}

/// A text to take runs of characters from: lower-cased if asked; where runs may cross words, each
/// stretch of white space one space.
fn prepared<'a>(options: &Options, text: &'a str, scratch: &'a mut String) -> &'a str {
    scratch.clear();
    match options.lowercase {
        true if text.is_ascii() => {
            scratch.push_str(text);
            scratch.make_ascii_lowercase();
        }
        true => scratch.push_str(&text.to_lowercase()),
        false => scratch.push_str(text),
    }
    if options.analyzer == Analyzer::Chars {
        let mut squeezed = String::with_capacity(scratch.len());
        let mut characters = scratch.chars().peekable();
        while let Some(c) = characters.next() {
            let mut stretch = false;
            while is_space(c) && characters.next_if(|&next| is_space(next)).is_some() {
                stretch = true;
            }
            squeezed.push(if stretch { ' ' } else { c });
        }
        *scratch = squeezed;
    }
    scratch
}

/// Calls `emit` with each run of characters.
fn character_runs(options: &Options, text: &str, mut emit: impl FnMut(&[u8])) {
    if options.analyzer == Analyzer::Chars {
        return windows(text, options.lengths, false, &mut emit);
    }
    let mut padded = String::new();
    for word in text.split(is_space).filter(|word| !word.is_empty()) {
        padded.clear();
        padded.push(' ');
        padded.push_str(word);
        padded.push(' ');
        windows(&padded, options.lengths, true, &mut emit);
    }
}

/// Calls `emit` with each run of so many characters; a text that is shorter is given whole, once, if
/// asked.
fn windows(
    text: &str,
    (shortest, longest): (usize, usize),
    short: bool,
    emit: &mut impl FnMut(&[u8]),
) {
    let bytes = text.as_bytes();
    // An ASCII character is its byte; elsewhere the edges of characters are found first.
    let mut edges = Vec::new();
    if !text.is_ascii() {
        edges.extend(text.char_indices().map(|(place, _)| place));
        edges.push(bytes.len());
    }
    let length = edges.len().checked_sub(1).unwrap_or(bytes.len());
    for n in shortest..=longest {
        if n > length || short && n == length {
            if short {
                emit(bytes);
            }
            return;
        }
        if edges.is_empty() {
            bytes.windows(n).for_each(&mut *emit);
        } else {
            edges.windows(n + 1).for_each(|run| emit(&bytes[run[0]..run[n]]));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn options(analyzer: Analyzer, lengths: (usize, usize)) -> Options {
        Options { analyzer, lengths, lowercase: true, stop_words: Vec::new() }
    }

    fn dense(counted: &Counted, columns: usize) -> Vec<Vec<i64>> {
        let row = |ends: &[i64]| {
            let mut row = vec![0; columns];
            for place in ends[0] as usize..ends[1] as usize {
                row[counted.columns[place] as usize] += counted.counts[place];
            }
            row
        };
        counted.starts.windows(2).map(row).collect()
    }

    #[test]
    fn columns_are_sorted_by_name() {
        let texts = ["b a b", "ab a b"];
        let (learned, counted) =
            Vectorizer::learn(options(Analyzer::Words, (1, 2)), &texts).unwrap();
        assert_eq!(learned.names, Names::from_iter(["a", "a b", "ab", "ab a", "b", "b a"]));
        assert_eq!(dense(&counted, 6), [[1, 1, 0, 0, 2, 1], [1, 1, 1, 1, 1, 0]]);
    }

    #[test]
    fn stop_words_are_left_out_before_runs_are_made() {
        let stop_words = vec!["the".to_string(), String::new()];
        let options = Options { stop_words, ..options(Analyzer::Pattern, (2, 2)) };
        let (learned, _) = Vectorizer::learn(options, &["over the hill"]).unwrap();
        assert_eq!(learned.names, Names::from_iter(["over hill"]));
    }

    #[test]
    fn runs_of_characters_are_those_of_scikit_learn() {
        let features =
            |analyzer, text: &str| Vectorizer::features(&options(analyzer, (2, 3)), text);
        assert_eq!(
            features(Analyzer::CharsWithin, "Aé b"),
            [" a", "aé", "é ", " aé", "aé ", " b", "b ", " b "]
        );
        assert_eq!(features(Analyzer::Chars, "a \n b"), ["a ", " b", "a b"]);
        assert!(features(Analyzer::Chars, "a").is_empty());
    }

    #[test]
    fn names_that_no_text_can_have_are_columns_without_counts() {
        let names = Names::from_iter(["", "a b c", "a  b", "a b"]);
        let given = Vectorizer::of(options(Analyzer::Words, (1, 2)), names).unwrap();
        assert_eq!(dense(&given.count(&["a b c"]).unwrap(), 4), [[0, 0, 0, 1]]);
    }

    proptest! {
        #[test]
        fn reading_again_gives_the_same_counts(
            texts in prop::collection::vec("[aB\u{e9} .']{0,12}", 0..6), kind in 0usize..4, shortest in 1usize..3, more in 0usize..5,
        ) {
            let kinds = [Analyzer::Words, Analyzer::Pattern, Analyzer::CharsWithin, Analyzer::Chars];
            let options = options(kinds[kind], (shortest, shortest + more));
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            let (learned, counted) = Vectorizer::learn(options.clone(), &texts).unwrap();
            prop_assert!(learned.names.iter().is_sorted());
            prop_assert_eq!(&learned.count(&texts).unwrap(), &counted);
            let given = Vectorizer::of(options.clone(), learned.names.clone()).unwrap();
            prop_assert_eq!(&given.count(&texts).unwrap(), &counted);
            let kept: Vec<u32> = (0..learned.names.len() as u32).step_by(2).collect();
            let some = learned.keep(&kept);
            for (whole, part) in dense(&counted, learned.names.len())
                .iter()
                .zip(dense(&some.count(&texts).unwrap(), kept.len()))
            {
                prop_assert_eq!(&part, &whole.iter().step_by(2).copied().collect::<Vec<i64>>());
            }
            for (text, row) in texts.iter().zip(dense(&counted, learned.names.len())) {
                let features = Vectorizer::features(&options, text);
                for (name, count) in learned.names.iter().zip(row) {
                    prop_assert_eq!(features.iter().filter(|f| **f == name).count() as i64, count);
                }
            }
        }
    }
}
