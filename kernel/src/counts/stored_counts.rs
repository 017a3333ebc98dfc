//! The counts as plain arrays, in the one form that equal counts share. `docs/format.md` specifies it.
//!
//! A block has its features in order, the code of each, and the different rows of counts that codes stand
//! for, each row once and all in order.

use crate::counts::class_counts::Count;
use crate::counts::distinct_rows::{CountRows, DistinctRows, NOTHING, RowCodes};
use crate::counts::features::Features;
use crate::counts::narrow_arrays::Narrow;
use crate::counts::text_counts::{BlockCounts, TextCounts, is_within};
use crate::dictionary::sorted_features::Sorted;
use crate::error::{Result, corrupt};
use crate::text::reading::Reading;

/// Counts in their one form: `Stored<Narrow>` as they are written, `Stored<RowCodes>` as they are read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Stored<C> {
    pub(crate) features: Sorted,
    pub(crate) counts: Vec<StoredCounts<C>>,
}

/// The counts of the features of one block; of a block that is not counted, nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct StoredCounts<C> {
    /// Of each feature, the place of its row.
    pub(crate) codes: C,
    pub(crate) rows: CountRows,
}

impl Stored<Narrow> {
    pub(crate) fn of(counts: &TextCounts) -> Self {
        let ordered = counts.features().in_order(&alive(counts));
        let counted = counts.blocks().iter().enumerate().map(|(block, own)| {
            let (places, rows) = in_order(own.distinct_rows());
            let is_counted = counts.reading().counts(counts.features().kinds()[block]);
            let len = if is_counted { ordered.sorted.blocks[block].len() } else { 0 };
            let ids = ordered.ids(block).take(len);
            let codes = ids.map(|id| places[own.codes().get(id) as usize]);
            // Every row is that of some feature, so the last place is the largest.
            let codes = Narrow::of(codes, len, rows.len().saturating_sub(1) as u32);
            StoredCounts { codes, rows }
        });
        let counts = counted.collect();
        Stored { features: ordered.sorted, counts }
    }
}

impl Stored<RowCodes> {
    /// The counts that this is the form of, for classes with `rows` documents each; where rows have any
    /// number of classes, all of them are of the last. Whatever [`Stored::of`] could not have given is
    /// refused.
    pub(crate) fn restore(
        self,
        reading: &Reading,
        rows: &[u64],
        is_multilabel: bool,
    ) -> Result<TextCounts> {
        self.features.check(reading)?;
        let mut blocks = Vec::new();
        for ((kind, features), counts) in
            reading.kinds().into_iter().zip(&self.features.blocks).zip(self.counts)
        {
            let counted = if reading.counts(kind) { features.len() } else { 0 };
            if counts.codes.len() != counted {
                return corrupt("its features and their counts differ in number");
            }
            check_rows(&counts.rows, rows, is_multilabel)?;
            let (mut codes, mut distinct_rows) = (counts.codes, DistinctRows::of(counts.rows));
            let users = distinct_rows.users_mut();
            // The place of a row in a file is one below its code, since nothing has a code too.
            let has_row = codes.iter_mut().all(|code| match users.get_mut(*code as usize + 1) {
                Some(users) => {
                    *users += 1;
                    *code += 1;
                    true
                }
                None => false,
            });
            if !has_row {
                return corrupt("a feature has no counts");
            }
            if distinct_rows.users()[1..].contains(&0) {
                return corrupt("it holds counts of no feature");
            }
            let total: u128 = distinct_rows
                .rows()
                .flat_map(|(row, users)| row.iter().map(move |count| (count.occurrences, users)))
                .map(|(occurrences, users)| u128::from(occurrences) * u128::from(users))
                .sum();
            if total > u128::from(u64::MAX) {
                return corrupt("its counts exceed 2^64 - 1");
            }
            codes.extend_to(features.len());
            distinct_rows.users_mut()[NOTHING as usize] = (features.len() - counted) as u32;
            blocks.push(BlockCounts::new(codes, distinct_rows, rows.len()));
        }
        TextCounts::from_parts(Features::stored(reading, self.features), rows.len(), blocks)
    }
}

/// Which features have counts, or begin such that have, block by block; nothing where all have.
fn alive(counts: &TextCounts) -> Vec<Option<Vec<bool>>> {
    let kinds = counts.features().kinds();
    let has_counts = |block: &BlockCounts| -> Option<Vec<bool>> {
        let is_gone = block.distinct_rows().users()[NOTHING as usize] > 0;
        is_gone.then(|| block.codes().iter().map(|code| code != NOTHING).collect())
    };
    let mut alive: Vec<Option<Vec<bool>>> = counts.blocks().iter().map(has_counts).collect();
    let uncounted = kinds.iter().take_while(|&&kind| !counts.reading().counts(kind)).count();
    counts.features().mark_parts(uncounted, &mut alive);
    alive
}

/// The rows that features have, each once and all in order, and the place of each code among them.
fn in_order(distinct_rows: &DistinctRows) -> (Vec<u32>, CountRows) {
    let users = distinct_rows.users().iter().enumerate();
    let mut used: Vec<u32> =
        users.filter(|(_, users)| **users > 0).map(|(code, _)| code as u32).collect();
    used.retain(|&code| code != NOTHING);
    used.sort_unstable_by_key(|&code| distinct_rows.row(code));
    let (mut places, mut rows) = (vec![0; distinct_rows.len()], CountRows::default());
    for alike in used.chunk_by(|&a, &b| distinct_rows.row(a) == distinct_rows.row(b)) {
        alike.iter().for_each(|&code| places[code as usize] = rows.len() as u32);
        rows.push(distinct_rows.row(alike[0]).iter().copied());
    }
    (places, rows)
}

fn check_rows(counts: &CountRows, rows: &[u64], is_multilabel: bool) -> Result<()> {
    let mut before: &[Count] = &[];
    for row in counts.iter() {
        if row.is_empty() {
            return corrupt("a feature has no counts");
        }
        if before >= row {
            return corrupt("its rows of counts are not in order");
        }
        let rising = row.is_sorted_by(|a, b| a.class < b.class);
        if !rising || row.last().is_some_and(|last| last.class as usize >= rows.len()) {
            return corrupt("the classes of a feature are not in order");
        }
        let fits = |count: &Count| {
            (1..=rows[count.class as usize].min(count.occurrences)).contains(&count.documents)
        };
        if !row.iter().all(fits) {
            return corrupt("a feature is in more documents than there are");
        }
        if is_multilabel && !is_within(row, rows.len()) {
            return corrupt("a class has more of a feature than all rows have");
        }
        before = row;
    }
    Ok(())
}

/// The position of every id among the features that have counts, block by block, and their names.
pub(crate) fn columns(counts: &TextCounts) -> (Vec<Vec<u32>>, Vec<String>) {
    let ordered = counts.features().in_order(&alive(counts));
    let mut columns: Vec<Vec<u32>> =
        counts.features().blocks().map(|len| vec![u32::MAX; len]).collect();
    let mut names = Vec::new();
    for (block, kind) in counts.counted() {
        for (place, id) in ordered.ids(block).enumerate() {
            columns[block][id as usize] = names.len() as u32;
            names.push(kind.shown(&ordered.sorted.spelling(block, place)));
        }
    }
    (columns, names)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counts::text_counts::Counter;
    use crate::dictionary::sorted_features::BlockFeatures as features;
    use crate::error::Error;
    use proptest::prelude::*;

    fn reading(longest: usize, chars: bool) -> Reading {
        Reading { char_ngrams: chars.then_some((2, 3)), ..Reading::word_ngrams(1, longest) }
    }

    /// What is written, as it is read.
    fn read(stored: Stored<Narrow>) -> Stored<RowCodes> {
        let codes = |counts: StoredCounts<Narrow>| StoredCounts {
            codes: counts.codes.iter().collect(),
            rows: counts.rows,
        };
        let counts = stored.counts.into_iter().map(codes).collect();
        Stored { features: stored.features, counts }
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
            let back = read(Stored::of(&counts)).restore(&reading, &rows_of(&labels), false).unwrap();
            prop_assert_eq!(Stored::of(&back), Stored::of(&counts));
        }

        #[test]
        fn chunks_threads_and_order_do_not_show(rows in some_rows(), cut in 0usize..8, threads in 1usize..4) {
            let (texts, labels) = split(&rows);
            let reading = reading(3, true);
            let observe = |texts: &[&str], labels: &[u32], threads| {
                TextCounts::observe(&reading, texts, labels, 3, threads).unwrap()
            };
            let whole = Stored::of(&observe(&texts, &labels, 1));
            let cut = cut.min(texts.len());
            let (one, other) = (observe(&texts[cut..], &labels[cut..], threads), observe(&texts[..cut], &labels[..cut], 1));
            // What came from a file is found otherwise, and gives the same.
            let stored = read(Stored::of(&one)).restore(&reading, &rows_of(&labels), false).unwrap();
            for one in [one, stored] {
                let both = one.plus(&other).unwrap();
                prop_assert_eq!(&Stored::of(&both), &whole);
                prop_assert_eq!(&Stored::of(&other.plus(&one).unwrap()), &whole);
                // Subtracting the second half leaves the first, as if it had been alone.
                prop_assert_eq!(Stored::of(&both.minus(&other).unwrap()), Stored::of(&one));
                prop_assert_eq!(Stored::of(&both.minus(&one).unwrap()), Stored::of(&other));
                let back = read(Stored::of(&both)).restore(&reading, &rows_of(&labels), false).unwrap();
                prop_assert_eq!(Stored::of(&back.minus(&other).unwrap()), Stored::of(&one));
            }
        }

        #[test]
        fn classes_may_be_numbered_otherwise(rows in some_rows()) {
            let (texts, labels) = split(&rows);
            let reading = reading(2, false);
            let counts = TextCounts::observe(&reading, &texts, &labels, 3, 1).unwrap();
            let turned: Vec<u32> = labels.iter().map(|label| (label + 1) % 3).collect();
            let mut counter = Counter::new(&reading, 3);
            counter.observe(&texts, &turned, 3, 1).unwrap();
            let other = counter.finish(&[2, 0, 1], 3).unwrap();
            prop_assert_eq!(Stored::of(&other), Stored::of(&counts));
            let wider = counts.reclassed(&[1, 2, 4], 6).reclassed(&[9, 0, 1, 9, 2, 9], 3);
            prop_assert_eq!(Stored::of(&wider), Stored::of(&counts));
        }

        #[test]
        fn altered_arrays_never_panic(rows in some_rows(), block in 0usize..3, array in 0usize..8, place: prop::sample::Index, value in 0u32..70000) {
            let (texts, labels) = split(&rows);
            let reading = reading(2, true);
            let mut stored = read(Stored::of(&TextCounts::observe(&reading, &texts, &labels, 3, 1).unwrap()));
            fn put<T>(values: &mut [T], place: prop::sample::Index, value: T) {
                if !values.is_empty() {
                    let place = place.index(values.len());
                    values[place] = value;
                }
            }
            let counts = &mut stored.counts[block];
            match (array, &mut stored.features.blocks[block]) {
                (0, features::Spelled(strings)) => put(&mut strings.bytes, place, value as u8),
                (1, features::Spelled(strings)) => put(&mut strings.ends, place, value as usize),
                (0, features::Ngrams(trie)) => put(&mut trie.lasts, place, value),
                (1, features::Ngrams(trie)) => put(&mut trie.starts, place, value),
                (2, _) if counts.codes.len() > 0 => {
                    counts.codes.replace(place.index(counts.codes.len()) as u32, value);
                }
                (3, _) => counts.rows.ends.truncate(value as usize % 4),
                (n, _) => {
                    let mut count = Count { class: value % 5, occurrences: 1, documents: 1 };
                    match n {
                        4 => count.occurrences = u64::MAX - u64::from(value),
                        5 => count.documents = u64::from(value),
                        _ => {}
                    }
                    put(&mut counts.rows.counts, place, count);
                }
            }
            let again = stored.clone();
            if let Ok(back) = stored.restore(&reading, &rows_of(&labels), false) {
                prop_assert_eq!(read(Stored::of(&back)), again);
            }
        }
    }

    #[test]
    fn what_was_never_learned_is_refused() {
        let reading = reading(1, false);
        let observe = |text, label| TextCounts::observe(&reading, &[text], &[label], 2, 1).unwrap();
        let counts = observe("a b b", 0);
        for (text, label) in [("a c", 0), ("a a", 0), ("a", 1)] {
            let refused = counts.minus(&observe(text, label));
            assert!(matches!(refused, Err(Error::NotLearned { .. })), "{text} {label}");
        }
    }
}
