//! Fractional counts: rows that EM assigns softly to classes, and multi-label rows.
//!
//! A responsibility is a whole number of 1 / [`WHOLE`]. So everything that holds for counts and exact sums
//! of whole rows holds for fractional counts: they add, they can be subtracted, and neither order nor chunks
//! nor threads show.

use crate::counts::class_counts::{ClassCounts, Count};
use crate::counts::row_classes::{check_classes, members};
use crate::counts::text_counts::{Counter, check_lengths};
use crate::dictionary::distinct_features::Distinct;
use crate::dictionary::feature_ids::{Dictionary, UNKNOWN};
use crate::error::{Error, Result};
use crate::maths::exp;
use crate::numbers::exact_sums::ExactSum;
use crate::text::feature_reader::Reader;
use crate::text::reading::Reading;

/// The responsibilities of a row sum to this. A product with a 31-bit count fits in 64 bits.
pub(crate) const WHOLE: u64 = 1 << 32;

/// A class this far behind the likeliest, in logs, adds nothing that an `f64` beside 1 would hold.
const NOTHING: f64 = -40.0;

/// Rows whose exponentials are computed together.
const BLOCK: usize = 64;

/// Checks that there is a fraction for every row and class, and that no sum of them overflows.
pub(crate) fn check_fractions(rows: usize, fractions: &[u64], classes: usize) -> Result<()> {
    if fractions.len() != rows * classes {
        let what =
            format!("there are {rows} rows but fractions for {}", fractions.len() / classes.max(1));
        return Err(Error::Shape { what });
    }
    let all: u128 = fractions.iter().map(|&fraction| u128::from(fraction)).sum();
    if all > u128::from(u64::MAX) { Err(Error::Overflow) } else { Ok(()) }
}

/// Soft assignment: the responsibilities of the classes for each row by their scores, in units of
/// 1 / `whole`; and beside them the log-evidence, the sum of log Σ_c exp(score) over the rows, which does not depend on their order. What rounding leaves of a
/// row goes to its likeliest class. A row that no class can have made is split evenly.
pub(crate) fn soft_assign(
    scores: &[f64],
    classes: usize,
    whole: u64,
    threads: usize,
) -> (Vec<u64>, f64) {
    let rows: Vec<&[f64]> = scores.chunks(classes.max(1)).collect();
    let shares = crate::parallel::shares(&rows, |_| 1, threads);
    let mut fractions = vec![0; scores.len()];
    let rooms = crate::parallel::with_room(shares, &mut fractions, classes);
    // What is rounded to the nearest may be too much, but by less than the likeliest class has, unless
    // `whole` is small.
    let half = if whole >= (classes * classes) as u64 { 0.5 } else { 0.0 };
    let found = crate::parallel::each(rooms, |(rows, fractions)| {
        let mut evidence = ExactSum::zero();
        let (mut odds, mut surprises) = (Vec::new(), Vec::with_capacity(rows.len()));
        let both = rows.chunks(BLOCK).zip(fractions.chunks_mut(BLOCK * classes.max(1)));
        for (rows, fractions) in both {
            odds.clear();
            for scores in rows {
                let top = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                let possible = top > f64::NEG_INFINITY;
                odds.extend(scores.iter().map(|score| if possible { score - top } else { 0.0 }));
                surprises.push(top);
            }
            for odds in &mut odds {
                *odds = if *odds < NOTHING { 0.0 } else { exp(*odds) };
            }
            let each = odds.chunks_exact(classes.max(1)).zip(fractions.chunks_mut(classes.max(1)));
            let first = surprises.len() - rows.len();
            for ((odds, fractions), surprise) in each.zip(&mut surprises[first..]) {
                let total: f64 = odds.iter().sum();
                let per_odds = whole as f64 / total;
                let mut left = whole;
                for (fraction, odds) in fractions.iter_mut().zip(odds) {
                    // A signed number holds it, and is the faster cast.
                    *fraction = (odds * per_odds + half) as i64 as u64;
                    left = left.wrapping_sub(*fraction);
                }
                let best = odds.iter().position(|&odds| odds == 1.0).unwrap_or(0);
                fractions[best] = fractions[best].wrapping_add(left);
                *surprise += libm::log(total);
            }
        }
        // What is infinite is refused, and remembered.
        let impossible = evidence.add_all(&surprises).is_err();
        (evidence, impossible)
    });
    let (mut sum, mut impossible) = (ExactSum::zero(), false);
    for (evidence, is_impossible) in found {
        sum.merge(&evidence);
        impossible |= is_impossible;
    }
    (fractions, if impossible { f64::NEG_INFINITY } else { sum.value() })
}

impl Counter {
    /// Counts texts, each under every class by its fraction: row by row in `fractions`.
    pub(crate) fn observe_fractions(
        &mut self,
        texts: &[&str],
        fractions: &[u64],
        n_classes: usize,
        threads: usize,
    ) -> Result<()> {
        check_lengths(texts)?;
        check_fractions(texts.len(), fractions, n_classes)?;
        let rows: Vec<(&str, &[u64])> =
            texts.iter().copied().zip(fractions.chunks(n_classes.max(1))).collect();
        let belongs = |&(row, fractions): &(u32, &[u64])| {
            let fractions = fractions.iter().enumerate().filter(|(_, fraction)| **fraction > 0);
            fractions.map(|(class, &fraction)| (class, (row, fraction))).collect::<Vec<_>>()
        };
        self.observe_members(&rows, n_classes, threads, belongs)
    }

    /// Counts texts, each under every class that it belongs to: from `starts[row]` on in `classes`, up to
    /// where the next begins.
    pub(crate) fn observe_sets(
        &mut self,
        texts: &[&str],
        sets: (&[u32], &[u32]),
        n_classes: usize,
        threads: usize,
    ) -> Result<()> {
        check_lengths(texts)?;
        check_classes(sets.1.len(), sets.1, n_classes)?;
        let sets = members(texts.len(), sets)?;
        let rows: Vec<(&str, &[u32])> = texts.iter().copied().zip(sets).collect();
        let belongs = |&(row, classes): &(u32, &[u32])| {
            classes.iter().map(|&class| (class as usize, (row, 1))).collect::<Vec<_>>()
        };
        self.observe_members(&rows, n_classes, threads, belongs)
    }

    /// Counts texts that each come with what `belongs` makes classes of, and the fraction of each.
    fn observe_members<T: Copy + Sync>(
        &mut self,
        rows: &[(&str, T)],
        n_classes: usize,
        threads: usize,
        belongs: impl Fn(&(u32, T)) -> Vec<(usize, (u32, u64))> + Sync,
    ) -> Result<()> {
        let shares = crate::parallel::shares(rows, |(text, _)| text.len() + 8, threads);
        let found = crate::parallel::each(shares, |share| {
            let texts: Vec<&str> = share.iter().map(|(text, _)| *text).collect();
            let mut members = vec![Vec::new(); n_classes];
            for (row, (_, given)) in share.iter().enumerate() {
                for (class, member) in belongs(&(row as u32, *given)) {
                    members[class].push(member);
                }
            }
            count(self.reading(), &texts, &members)
        });
        self.absorb_all(found)
    }
}

/// The different features of some rows, row after row, with their counts.
#[derive(Clone, Default)]
struct Found {
    ends: Vec<usize>,
    features: Vec<(u32, u32)>,
}

/// Counts texts, given for each class the rows that belong to it and the fraction of each.
fn count(reading: &Reading, texts: &[&str], members: &[Vec<(u32, u64)>]) -> Result<Counter> {
    let mut dictionary = Dictionary::new(reading);
    let mut reader = Reader::new(reading, dictionary.word_roles());
    let mut distinct = Distinct::default();
    let kinds = reading.kinds();
    let mut found = vec![Found::default(); kinds.len()];
    let mut fractions = vec![0u128; texts.len()];
    for &(row, fraction) in members.iter().flatten() {
        fractions[row as usize] += u128::from(fraction);
    }
    let mut total = 0u128;
    for (text, &fractions) in texts.iter().zip(&fractions) {
        if fractions > 0 {
            reader.learn(&mut dictionary, text)?;
        }
        for (block, found) in found.iter_mut().enumerate() {
            let ids = &reader.occurrences.blocks[block];
            if fractions > 0 && reading.counts(kinds[block]) {
                let len = dictionary.blocks().nth(block).unwrap_or(0);
                found.features.extend(distinct.of(ids, len));
                total += ids.len() as u128 * fractions;
            }
            found.ends.push(found.features.len());
        }
    }
    if total > u128::from(u64::MAX) {
        return Err(Error::Overflow);
    }
    let mut blocks = vec![ClassCounts::new(members.len()); kinds.len()];
    for ((cells, found), len) in blocks.iter_mut().zip(&found).zip(dictionary.blocks()) {
        cells.extend_to(len);
        let mut running = vec![(0u64, 0u64); len];
        let mut touched = Vec::new();
        // From the lowest class up, as cells like it.
        for (class, members) in members.iter().enumerate() {
            for &(row, fraction) in members {
                let start = row.checked_sub(1).map_or(0, |before| found.ends[before as usize]);
                for &(id, count) in &found.features[start..found.ends[row as usize]] {
                    let (occurrences, documents) = &mut running[id as usize];
                    if *occurrences == 0 {
                        touched.push(id);
                    }
                    *occurrences += u64::from(count) * fraction;
                    *documents += fraction;
                }
            }
            if cells.features() as u64 + touched.len() as u64 >= u64::from(UNKNOWN) {
                return Err(Error::TooManyFeatures);
            }
            for id in touched.drain(..) {
                let (occurrences, documents) = std::mem::take(&mut running[id as usize]);
                cells.add_row(id as usize, [Count { class: class as u32, occurrences, documents }]);
            }
        }
    }
    Ok(Counter::from_parts(reading, dictionary, blocks))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counts::stored_counts::Stored;
    use crate::counts::text_counts::TextCounts;
    use proptest::collection::vec;
    use proptest::prelude::*;

    fn counted(
        reading: &Reading,
        classes: usize,
        observe: impl FnOnce(&mut Counter) -> Result<()>,
    ) -> Result<TextCounts> {
        let mut counter = Counter::new(reading, classes);
        observe(&mut counter)?;
        let same: Vec<u32> = (0..classes as u32).collect();
        counter.finish(&same, classes)
    }

    proptest! {
        #[test]
        fn fractions_are_repetitions_of_a_row(
            rows in vec(("[abc ]{0,8}", vec(0u64..4, 3)), 0..9), longest in 1usize..3, threads in 1usize..3,
        ) {
            let reading = Reading::word_ngrams(1, longest);
            let texts: Vec<&str> = rows.iter().map(|row| row.0.as_str()).collect();
            let fractions: Vec<u64> = rows.iter().flat_map(|row| row.1.clone()).collect();
            let (mut repeated, mut classes) = (Vec::new(), Vec::new());
            for (text, fractions) in &rows {
                for (class, &fraction) in fractions.iter().enumerate() {
                    for _ in 0..fraction {
                        repeated.push(text.as_str());
                        classes.push(class as u32);
                    }
                }
            }
            let in_fractions = counted(&reading, 3, |counter| counter.observe_fractions(&texts, &fractions, 3, threads)).unwrap();
            let expected = TextCounts::observe(&reading, &repeated, &classes, 3, 1).unwrap();
            prop_assert_eq!(Stored::of(&in_fractions), Stored::of(&expected));
        }

        #[test]
        fn a_multilabel_row_is_counted_in_each_class(
            rows in vec(("[abc ]{0,8}", prop::sample::subsequence(vec![0u32, 1, 2, 3], 0..5)), 0..9),
            threads in 1usize..3,
        ) {
            let reading = Reading::word_ngrams(1, 2);
            let texts: Vec<&str> = rows.iter().map(|row| row.0.as_str()).collect();
            let mut starts = vec![0];
            let (mut repeated, mut classes) = (Vec::new(), Vec::new());
            for (text, set) in &rows {
                repeated.extend(set.iter().map(|_| text.as_str()));
                classes.extend_from_slice(set);
                starts.push(classes.len() as u32);
            }
            let sets = counted(&reading, 4, |counter| counter.observe_sets(&texts, (&starts, &classes), 4, threads)).unwrap();
            let expected = TextCounts::observe(&reading, &repeated, &classes, 4, 1).unwrap();
            prop_assert_eq!(Stored::of(&sets), Stored::of(&expected));
        }

        #[test]
        fn responsibilities_sum_to_a_row(
            scores in vec(prop_oneof![4 => -1e3..1e3, 1 => Just(f64::NEG_INFINITY), 4 => Just(-0.5)], 1..9), whole in prop_oneof![0..=WHOLE, 0..9u64],
        ) {
            let (fractions, evidence) = soft_assign(&scores, scores.len(), whole, 2);
            prop_assert_eq!(fractions.iter().sum::<u64>(), whole);
            let sum: f64 = scores.iter().map(|score| libm::exp(score - evidence)).sum();
            prop_assert!(evidence == f64::NEG_INFINITY || (sum - 1.0).abs() < 1e-9);
        }
    }

    #[test]
    fn what_overflows_is_refused() {
        let reading = Reading::word_ngrams(1, 1);
        let of = |text: &str, fractions: &[u64]| {
            counted(&reading, 1, |counter| counter.observe_fractions(&[text], fractions, 1, 1))
                .err()
        };
        assert_eq!(of("a a a", &[u64::MAX / 2]), Some(Error::Overflow));
        assert!(of("a", &[1, 2]).is_some());
        assert_eq!(check_fractions(2, &[u64::MAX, 1], 1), Err(Error::Overflow));
    }
}
