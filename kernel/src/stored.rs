//! The counts as plain arrays, in the one order that equal counts share.
//!
//! Features are sorted by their key: the byte of their kind, then their spelling. `docs/format.md`
//! specifies the arrays.

use crate::cells::{Cells, Count};
use crate::counts::TextCounts;
use crate::dictionary::{Dictionary, Spellings, pair};
use crate::error::{Result, corrupt};
use crate::fronts::Fronts;
use crate::key::without_negation;
use crate::reading::{Kind, Reading};
use crate::tokens::LONGEST_TOKEN;

/// Counts in canonical order. Each feature has a key and an entry in `cells`, and that many entries,
/// with rising classes, in the last three arrays.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Stored {
    pub keys: Fronts,
    pub cells: Vec<u32>,
    pub classes: Vec<u32>,
    pub times: Vec<u64>,
    pub documents: Vec<u64>,
}

impl Stored {
    /// The counts of the classes in `slots`, which become 0, 1, 2 … in that order.
    pub fn of(counts: &TextCounts, slots: &[u32]) -> Self {
        Self::of_features(counts, slots, &[])
    }

    /// The same, of those features that at least so many documents hold, block by block.
    pub fn of_features(counts: &TextCounts, slots: &[u32], min_documents: &[u64]) -> Self {
        let mut stored = Stored::default();
        let mut positions = vec![u32::MAX; counts.classes()];
        for (position, &slot) in slots.iter().enumerate() {
            positions[slot as usize] = position as u32;
        }
        let mut before = Vec::new();
        let mut row: Vec<Count> = Vec::new();
        let dictionary = counts.dictionary();
        let live = |block: usize, id: u32| counts.blocks()[block].row(id as usize).next().is_some();
        for feature in sorted(dictionary, counts.reading(), live) {
            row.clear();
            row.extend(counts.blocks()[feature.block].row(feature.id as usize));
            let least = min_documents.get(feature.block).copied().unwrap_or(1);
            if row.iter().map(|count| count.documents).sum::<u64>() < least {
                continue;
            }
            row.iter_mut().for_each(|count| count.class = positions[count.class as usize]);
            row.sort_unstable_by_key(|count| count.class);
            stored.keys.push(&before, &feature.key);
            stored.cells.push(row.len() as u32);
            for count in &row {
                stored.classes.push(count.class);
                stored.times.push(count.times);
                stored.documents.push(count.documents);
            }
            before = feature.key;
        }
        stored
    }

    /// The counts these arrays describe, for classes with `rows` documents each. Whatever could not
    /// have been written by [`Stored::of`] is refused.
    pub fn restore(&self, reading: &Reading, rows: &[u64]) -> Result<TextCounts> {
        if self.cells.len() != self.keys.shared.len() {
            return corrupt("its arrays of features differ in length");
        }
        if self.times.len() != self.classes.len() || self.documents.len() != self.classes.len() {
            return corrupt("its arrays of counts differ in length");
        }
        let mut dictionary = Dictionary::new(reading);
        let mut blocks = vec![Cells::new(rows.len()); reading.kinds().len()];
        let mut counts = 0;
        self.keys.each(|feature, key| {
            let (block, id) = enter(reading, &mut dictionary, key)?;
            let cells = self.cells[feature] as usize;
            let range = counts..counts + cells;
            counts += cells;
            if cells == 0 || counts > self.classes.len() {
                return corrupt("a feature has no counts");
            }
            blocks[block].extend_to(id as usize + 1);
            for place in range.clone().rev() {
                let count = Count {
                    class: self.classes[place],
                    times: self.times[place],
                    documents: self.documents[place],
                };
                let rising = place == range.start || self.classes[place - 1] < count.class;
                let Some(&rows) = rows.get(count.class as usize).filter(|_| rising) else {
                    return corrupt("the classes of a feature are not in order");
                };
                let documents = 1..=rows.min(count.times);
                if !documents.contains(&count.documents) {
                    return corrupt("a feature is in more documents than there are");
                }
                let total = &blocks[block].times[count.class as usize];
                if total.checked_add(count.times).is_none() {
                    return corrupt("its counts exceed 2^64 - 1");
                }
            }
            let row = range.rev().map(|place| Count {
                class: self.classes[place],
                times: self.times[place],
                documents: self.documents[place],
            });
            blocks[block].add_row(id as usize, row);
            Ok(())
        })?;
        if counts != self.classes.len() {
            return corrupt("it holds more than its features");
        }
        for (cells, len) in blocks.iter_mut().zip(dictionary.blocks()) {
            cells.extend_to(len);
        }
        TextCounts::from_parts(reading.clone(), dictionary, blocks)
    }
}

/// Enters a feature by its key, and returns its block and id.
pub(crate) fn enter(
    reading: &Reading,
    dictionary: &mut Dictionary,
    key: &[u8],
) -> Result<(usize, u32)> {
    let entered = kind_of(reading, key).and_then(|kind| dictionary.enter(kind, &key[1..]));
    entered.map_or_else(|| corrupt("a feature is not of a kind this model reads"), Ok)
}

/// The kind of a key, if the reading counts it and the rest of the key can be one of its features.
fn kind_of(reading: &Reading, key: &[u8]) -> Option<Kind> {
    let (&byte, spelling) = key.split_first()?;
    let mut kinds = reading.kinds().into_iter();
    let kind = kinds.find(|&kind| kind.byte() == byte && reading.counts(kind))?;
    std::str::from_utf8(spelling).ok()?;
    let well_formed = match kind {
        Kind::Whole | Kind::Marks | Kind::Lexicon => !spelling.is_empty(),
        Kind::Chars => {
            let longest = reading.chars.map_or(0, |(_, longest)| longest);
            (1..=longest).contains(&std::str::from_utf8(spelling).ok()?.chars().count())
        }
        Kind::Words(_) => spelling
            .split(|&byte| byte == b' ')
            .all(|token| (1..=LONGEST_TOKEN).contains(&without_negation(token).0.len())),
    };
    well_formed.then_some(kind)
}

/// A feature of a dictionary, with the key it is sorted by.
pub(crate) struct Feature {
    pub block: usize,
    pub id: u32,
    pub key: Vec<u8>,
}

/// The features of a dictionary that are `live`, sorted by key.
pub(crate) fn sorted(
    dictionary: &Dictionary,
    reading: &Reading,
    live: impl Fn(usize, u32) -> bool,
) -> impl Iterator<Item = Feature> {
    let spellings = dictionary.spellings();
    let order = order(dictionary, reading, &spellings, live);
    order.into_iter().map(move |(block, kind, id)| {
        let spelling = spellings[block].get(id as usize);
        let mut key = Vec::with_capacity(spelling.len() + 1);
        key.push(kind.byte());
        key.extend_from_slice(spelling);
        Feature { block, id, key }
    })
}

/// Block, kind and id of every feature that counts and is live, in the order of their keys.
///
/// Within a token no byte is as low as the space that joins tokens (one might only begin with such a
/// byte), so runs of words sort as their words do, and comparing the words' ranks is enough.
fn order(
    dictionary: &Dictionary,
    reading: &Reading,
    spellings: &[Spellings],
    live: impl Fn(usize, u32) -> bool,
) -> Vec<(usize, Kind, u32)> {
    let mut order = Vec::new();
    let mut ranks: Vec<Vec<u32>> = Vec::new();
    for (block, &kind) in dictionary.kinds().iter().enumerate() {
        let ids: Vec<u32> = match dictionary.ends(block) {
            None => {
                let mut ids: Vec<u32> = (0..spellings[block].len() as u32).collect();
                ids.sort_unstable_by_key(|&id| spellings[block].get(id as usize));
                ids
            }
            Some(ends) => {
                // Millions of them: ranks that stand beside the ids are compared without a look
                // elsewhere.
                let (firsts, words) = (&ranks[block - 1], &ranks[0]);
                let pair = |(first, last): (usize, usize)| pair(firsts[first], words[last]);
                let mut runs: Vec<(u64, u32)> = ends.into_iter().map(pair).zip(0..).collect();
                runs.sort_unstable();
                runs.into_iter().map(|(_, id)| id).collect()
            }
        };
        let mut rank = vec![0; ids.len()];
        for (place, &id) in ids.iter().enumerate() {
            rank[id as usize] = place as u32;
        }
        ranks.push(rank);
        if reading.counts(kind) {
            let live = ids.into_iter().filter(|&id| live(block, id));
            order.extend(live.map(|id| (block, kind, id)));
        }
    }
    order
}

/// The position of every id among the features that have counts, block by block, and their names.
pub fn columns(counts: &TextCounts) -> (Vec<Vec<u32>>, Vec<String>) {
    let spellings = counts.dictionary().spellings();
    let mut columns: Vec<Vec<u32>> =
        spellings.iter().map(|block| vec![u32::MAX; block.len()]).collect();
    let mut names = Vec::new();
    let live = |block: usize, id: u32| counts.blocks()[block].row(id as usize).next().is_some();
    for (block, kind, id) in order(counts.dictionary(), counts.reading(), &spellings, live) {
        columns[block][id as usize] = names.len() as u32;
        names.push(kind.shown(spellings[block].get(id as usize)));
    }
    (columns, names)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;
    use proptest::prelude::*;

    fn reading(longest: usize, chars: bool) -> Reading {
        Reading { chars: chars.then_some((2, 3)), ..Reading::words(1, longest) }
    }

    fn rows_of(labels: &[u32]) -> Vec<u64> {
        (0..3).map(|class| labels.iter().filter(|&&label| label == class).count() as u64).collect()
    }

    fn some_rows() -> impl Strategy<Value = Vec<(String, u32)>> {
        prop::collection::vec(("[a-c.]{0,3}( [a-d\u{e9}']{1,20}){0,6}", 0u32..3), 0..8)
    }

    fn split(rows: &[(String, u32)]) -> (Vec<&str>, Vec<u32>) {
        rows.iter().map(|(text, label)| (text.as_str(), *label)).unzip()
    }

    proptest! {
        #[test]
        fn restoring_gives_the_counts_back(rows in some_rows(), longest in 1usize..4, chars: bool) {
            let (texts, labels) = split(&rows);
            let reading = reading(longest, chars);
            let counts = TextCounts::observe(&reading, &texts, &labels, 3, 1).unwrap();
            let stored = Stored::of(&counts, &[0, 1, 2]);
            let back = stored.restore(&reading, &rows_of(&labels)).unwrap();
            prop_assert_eq!(Stored::of(&back, &[0, 1, 2]), stored);
        }

        #[test]
        fn chunks_threads_and_order_do_not_show(rows in some_rows(), cut in 0usize..8, threads in 1usize..4) {
            let (texts, labels) = split(&rows);
            let reading = reading(2, true);
            let observe = |texts: &[&str], labels: &[u32], threads| {
                TextCounts::observe(&reading, texts, labels, 3, threads).unwrap()
            };
            let whole = Stored::of(&observe(&texts, &labels, 1), &[0, 1, 2]);
            let cut = cut.min(texts.len());
            let mut parts = observe(&texts[cut..], &labels[cut..], threads);
            parts.add(&observe(&texts[..cut], &labels[..cut], 1), &[0, 1, 2]).unwrap();
            prop_assert_eq!(&Stored::of(&parts, &[0, 1, 2]), &whole);
            // Taking the second part back leaves the first, as if it had been alone.
            parts.subtract(&observe(&texts[..cut], &labels[..cut], 1), &[0, 1, 2]).unwrap();
            let alone = observe(&texts[cut..], &labels[cut..], 1);
            prop_assert_eq!(Stored::of(&parts, &[0, 1, 2]), Stored::of(&alone, &[0, 1, 2]));
        }

        #[test]
        fn classes_may_be_numbered_otherwise(rows in some_rows()) {
            let (texts, labels) = split(&rows);
            let reading = reading(2, false);
            let counts = TextCounts::observe(&reading, &texts, &labels, 3, 1).unwrap();
            let turned: Vec<u32> = labels.iter().map(|label| (label + 1) % 3).collect();
            let mut other = TextCounts::zero(&reading, 0);
            other.add(&TextCounts::observe(&reading, &texts, &turned, 3, 1).unwrap(), &[2, 0, 1]).unwrap();
            prop_assert_eq!(Stored::of(&other, &[0, 1, 2]), Stored::of(&counts, &[0, 1, 2]));
        }

        #[test]
        fn altered_arrays_never_panic(rows in some_rows(), array in 0usize..7, place: prop::sample::Index, value in 0u32..70000) {
            let (texts, labels) = split(&rows);
            let reading = reading(2, true);
            let counts = TextCounts::observe(&reading, &texts, &labels, 3, 1).unwrap();
            let mut stored = Stored::of(&counts, &[0, 1, 2]);
            fn put<T>(values: &mut [T], place: prop::sample::Index, value: T) {
                if !values.is_empty() {
                    let place = place.index(values.len());
                    values[place] = value;
                }
            }
            match array {
                0 => put(&mut stored.keys.shared, place, value),
                1 => put(&mut stored.keys.lengths, place, value),
                2 => put(&mut stored.cells, place, value),
                3 => put(&mut stored.keys.bytes, place, value as u8),
                4 => put(&mut stored.classes, place, value),
                5 => put(&mut stored.times, place, u64::MAX - u64::from(value)),
                _ => put(&mut stored.documents, place, u64::from(value)),
            }
            if let Ok(back) = stored.restore(&reading, &rows_of(&labels)) {
                prop_assert_eq!(Stored::of(&back, &[0, 1, 2]), stored);
            }
        }
    }

    #[test]
    fn what_was_never_learned_is_refused_and_nothing_changes() {
        let reading = reading(1, false);
        let observe = |text, label| TextCounts::observe(&reading, &[text], &[label], 2, 1).unwrap();
        let mut counts = observe("a b b", 0);
        let before = Stored::of(&counts, &[0, 1]);
        for (text, label) in [("a c", 0), ("a a", 0), ("a", 1)] {
            let refused = counts.subtract(&observe(text, label), &[0, 1]);
            assert!(matches!(refused, Err(Error::NotLearned { .. })), "{text} {label}");
            assert_eq!(Stored::of(&counts, &[0, 1]), before);
        }
    }
}
