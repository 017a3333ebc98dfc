//! Texts as a matrix of counts, read once: columns in the order of their names, rows with rising
//! columns.
//!
//! It counts no classes, so it keeps of a text only which features it has and how often; the columns
//! are put in order when all texts were read.

mod feature_ids;
mod names;
mod reader;

pub(crate) use self::names::Names;

use self::feature_ids::{FeatureIds, enter};
use self::names::{order, spelled};
use self::reader::Reader;
use crate::counts::text_counts::check_lengths;
use crate::dictionary::distinct_features::Distinct;
use crate::dictionary::feature_key::Key;
use crate::dictionary::vocabulary::Vocabulary;
use crate::error::{Error, Result};

/// What a text is cut into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Analyzer {
    /// Unicode words, as everywhere else here.
    Words,
    /// Words of two or more letters, digits and `_`.
    Pattern,
    /// Character n-grams within a word and the space around it.
    CharsWithin,
    /// Character n-grams.
    Chars,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Options {
    pub(crate) analyzer: Analyzer,
    /// The shortest and the longest n-gram of words or characters.
    pub(crate) lengths: (usize, usize),
    pub(crate) lowercase: bool,
    /// Words that are left out before n-grams are made.
    pub(crate) stop_words: Vec<String>,
}

/// Row `i` has the entries `starts[i]..starts[i + 1]`.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Counted {
    pub(crate) starts: Vec<i64>,
    pub(crate) columns: Vec<i32>,
    pub(crate) counts: Vec<i64>,
}

/// Finds the known features of texts.
#[derive(Clone)]
pub(crate) struct Vectorizer {
    pub(crate) options: Options,
    /// The feature of each column.
    pub(crate) names: Names,
    feature_ids: FeatureIds,
    stop: Vocabulary,
    /// The column of each id, block by block; [`NONE`] if it has none.
    columns: Vec<Vec<u32>>,
}

const NONE: u32 = u32::MAX;

impl Options {
    fn is_words(&self) -> bool {
        matches!(self.analyzer, Analyzer::Words | Analyzer::Pattern)
    }

    /// One for each length of word n-grams; one for all character n-grams.
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

impl Vectorizer {
    /// A vectorizer of the given features, a column each.
    pub(crate) fn of(options: Options, names: Names) -> Result<Self> {
        if names.len() >= i32::MAX as usize {
            return Err(Error::TooManyFeatures);
        }
        let mut feature_ids = FeatureIds::new(&options);
        let mut columns: Vec<Vec<u32>> = vec![Vec::new(); options.blocks()];
        for (column, name) in names.iter().enumerate() {
            let Some((block, id)) = enter(&mut feature_ids, &options, &name) else { continue };
            if columns[block].len() <= id as usize {
                columns[block].resize(id as usize + 1, NONE);
            }
            columns[block][id as usize] = column as u32;
        }
        for (columns, size) in columns.iter_mut().zip(feature_ids.sizes()) {
            columns.resize(size, NONE);
        }
        let stop = options.stop();
        Ok(Vectorizer { options, names, feature_ids, stop, columns })
    }

    /// The features of `texts`, and how often each is in each.
    pub(crate) fn learn(options: Options, texts: &[&str]) -> Result<(Self, Counted)> {
        check_lengths(texts)?;
        let mut feature_ids = FeatureIds::new(&options);
        let stop = options.stop();
        let mut reader = Reader::new(&options, &stop);
        let mut distinct: Vec<Distinct> =
            (0..options.blocks()).map(|_| Distinct::default()).collect();
        let mut entries: Vec<(u32, u32)> = Vec::with_capacity(likely_entries(texts));
        // Where the entries of each row end, block by block.
        let mut ends = Vec::with_capacity(texts.len() * options.blocks());
        for text in texts {
            reader.read(text, &mut feature_ids);
            for ((block, ids), size) in reader.blocks.iter().enumerate().zip(feature_ids.sizes()) {
                if size >= i32::MAX as usize {
                    return Err(Error::TooManyFeatures);
                }
                if !options.is_words() || block + 1 >= options.lengths.0 {
                    entries.extend(distinct[block].of(ids, size));
                }
                ends.push(entries.len());
            }
        }
        let spellings = feature_ids.spellings();
        let order = order(&feature_ids, &spellings, &options);
        if order.len() >= i32::MAX as usize {
            return Err(Error::TooManyFeatures);
        }
        let mut columns: Vec<Vec<u32>> = feature_ids.sizes().map(|size| vec![NONE; size]).collect();
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
        let names = spelled(&feature_ids, &spellings, &order);
        Ok((Vectorizer { names, feature_ids, stop, columns, options }, counted))
    }

    /// The same with some of the columns, in the order given.
    pub(crate) fn keep(&self, kept: &[u32]) -> Self {
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
    pub(crate) fn count(&self, texts: &[&str]) -> Result<Counted> {
        check_lengths(texts)?;
        let mut reader = Reader::new(&self.options, &self.stop);
        let mut distinct = Distinct::default();
        let mut counted = Counted::with_capacity(likely_entries(texts));
        let mut row = Vec::new();
        for text in texts {
            reader.read(text, &self.feature_ids);
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
    pub(crate) fn features(options: &Options, text: &str) -> Vec<String> {
        let stop = options.stop();
        let mut reader = Reader::new(options, &stop);
        let mut feature_ids = FeatureIds::new(options);
        reader.read(text, &mut feature_ids);
        let spellings = feature_ids.spellings();
        let spell = |id: u32| String::from_utf8_lossy(spellings.get(id as usize)).into_owned();
        let single: Vec<String> = reader.blocks[0].iter().map(|&id| spell(id)).collect();
        if !options.is_words() {
            return single;
        }
        let (shortest, longest) = options.lengths;
        (shortest..=longest).flat_map(|n| single.windows(n).map(|ngram| ngram.join(" "))).collect()
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
