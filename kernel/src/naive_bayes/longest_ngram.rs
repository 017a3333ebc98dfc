//! Scoring character n-grams by the longest one at each place of a text.
//!
//! An n-gram stands for all that it begins with: where a text has `abcd`, it has `abc`, `ab` and `a`. So
//! one look tells what all n-grams add that begin at a place: the weights of each are noted beside the
//! longest. And what begins an n-gram was seen in every class in which the n-gram was, so that where an n-gram
//! has a whole row of weights, those that begin it do: such a row is summed up beforehand. Mostly, two
//! lists and a row are left to be added.

use crate::counts::features::Features;
use crate::dictionary::feature_ids::UNKNOWN;
use crate::dictionary::feature_key::{Key, Keys, Packed};
use crate::dictionary::hash_table::{Hashed, Slot, Table};
use crate::naive_bayes::many_classes::{Found, Many, Place, Sums};

/// The weights of character n-grams, found by the longest at each place.
pub(crate) struct Longest {
    features: Features,
    /// Which block of the dictionary the n-grams are.
    block: usize,
    /// Their weights; each row is the sum of the rows that begin its n-gram.
    weights: Many,
    ngrams: Table<Ngram>,
    /// By id: the n-gram without its last character, unless its weights are in the row of this one. A last
    /// one is for n-grams that are unknown.
    shorter: Vec<u32>,
}

/// What was found of a text, and scratch space that is used again for each.
#[derive(Default)]
pub(crate) struct Scratch {
    found: Found,
    chains: Vec<Chain>,
    left: Vec<usize>,
    now: Wanted,
    next: Wanted,
}

/// N-grams that are looked for, each for a place of the text.
#[derive(Default)]
struct Wanted {
    ngrams: Keys,
    places: Vec<usize>,
}

/// The weights of an n-gram and of those that begin it, longest first; and the next of these, if there are
/// more, or [`UNKNOWN`].
#[derive(Clone, Copy)]
struct Chain {
    weights: [Place; 3],
    more: u32,
}

impl Chain {
    const EMPTY: Self = Chain { weights: [Place::NOWHERE; 3], more: UNKNOWN };

    /// This chain, or the empty one. Without a branch.
    #[inline(always)]
    fn only_if(self, here: bool) -> Self {
        Chain {
            weights: self.weights.map(|place| place.only_if(here)),
            more: self.more | u32::from(here).wrapping_sub(1),
        }
    }
}

/// An n-gram of at most 15 bytes: half a line of the cache.
#[derive(Clone, Copy)]
#[repr(align(32))]
struct Ngram {
    key: Packed,
    chain: Chain,
}

impl Slot for Ngram {
    type Key = Packed;
    const EMPTY: Self = Ngram { key: Packed::EMPTY, chain: Chain::EMPTY };

    #[inline(always)]
    fn key(&self) -> Packed {
        self.key
    }
}

impl Longest {
    /// Of the n-grams of a block and their weights.
    pub(crate) fn new(features: &Features, block: usize, weights: Many) -> Self {
        let mut shorter = beginnings(features, block);
        shorter.push(UNKNOWN);
        // What has no weight is passed over, so that n-grams that were forgotten do not show.
        for id in 0..shorter.len() {
            while shorter[id] != UNKNOWN && weights.place(shorter[id]) == Place::NOWHERE {
                shorter[id] = shorter[shorter[id] as usize];
            }
        }
        let (features, ngrams) = (features.clone(), Table::default());
        let mut longest = Longest { features, block, weights, ngrams, shorter };
        longest.sum_rows();
        let mut ngrams = Table::default();
        ngrams.reserve(longest.shorter.len());
        for (key, id) in longest.features.chars(block) {
            if let Key::Short(key) = key {
                ngrams.entry(Ngram { key, chain: longest.chain(id) });
            }
        }
        Longest { ngrams, ..longest }
    }

    /// The weights of an n-gram and of those that begin it.
    fn chain(&self, id: u32) -> Chain {
        let shorter = |id: u32| self.shorter[(id as usize).min(self.shorter.len() - 1)];
        let mut more = if self.weights.place(id) == Place::NOWHERE { shorter(id) } else { id };
        let weights = [(); 3].map(|()| {
            let weights = self.weights.place(more);
            more = shorter(more);
            weights
        });
        Chain { weights, more }
    }

    /// Adds to the row of each n-gram the row of the one that begins it.
    fn sum_rows(&mut self) {
        let mut waiting = Vec::new();
        for id in 0..self.shorter.len() {
            let mut longer = id;
            while let shorter = self.shorter[longer]
                && shorter != UNKNOWN
                && self.weights.place(longer as u32).is_row()
                && self.weights.place(shorter).is_row()
            {
                waiting.push(longer);
                longer = shorter as usize;
            }
            while let Some(longer) = waiting.pop() {
                let shorter = self.shorter[longer];
                self.weights.add_row(shorter, longer as u32);
                self.shorter[longer] = self.shorter[shorter as usize];
            }
        }
    }

    /// Finds the weights of the longest n-grams at some places of a text, and of those that begin them.
    pub(crate) fn find(&self, ngrams: &Keys, scratch: &mut Scratch) {
        let Scratch { found, chains, left, now, next } = scratch;
        chains.clear();
        chains.resize(ngrams.len(), Chain::EMPTY);
        self.look(ngrams, |at| at, chains, left, now);
        while !now.places.is_empty() {
            self.look(&now.ngrams, |at| now.places[at], chains, left, next);
            std::mem::swap(now, next);
            next.ngrams.clear();
            next.places.clear();
        }
        found.extend(3 * chains.len(), |room| {
            chains.iter().flat_map(|chain| chain.weights).for_each(|place| room.push(place));
        });
        for chain in chains.iter().filter(|chain| chain.more != UNKNOWN) {
            let mut more = chain.more;
            while more != UNKNOWN {
                let chain = self.chain(more);
                found.extend(3, |room| chain.weights.into_iter().for_each(|at| room.push(at)));
                more = chain.more;
            }
        }
    }

    /// Looks for n-grams, each for a place of the text. Of those that are unknown, what begins them is to
    /// be looked for next.
    #[inline(always)]
    fn look(
        &self,
        ngrams: &Keys,
        place: impl Fn(usize) -> usize,
        chains: &mut [Chain],
        left: &mut Vec<usize>,
        next: &mut Wanted,
    ) {
        let keys = ngrams.packed();
        // A first look at all of them lets the processor fetch many at once.
        let ahead = keys.iter().map(|&key| self.ngrams.first(key).0.chain.more);
        std::hint::black_box(ahead.fold(0, u32::wrapping_add));
        left.clear();
        left.resize(keys.len() + 1, 0);
        let mut others = 0;
        for (at, &key) in keys.iter().enumerate() {
            let (ngram, is_here) = self.ngrams.first(key);
            chains[place(at)] = ngram.chain.only_if(is_here);
            left[others] = at;
            others += usize::from(!is_here);
        }
        for &at in &left[..others] {
            let ngram = ngrams.get(at);
            let known = match ngram {
                Key::Short(key) => self.ngrams.get(key).map(|ngram| ngram.chain),
                Key::Long(_) => match self.features.find_chars(self.block, ngram) {
                    UNKNOWN => None,
                    id => Some(self.chain(id)),
                },
            };
            match (known, ngram.beginning()) {
                (Some(chain), _) => chains[place(at)] = chain,
                (None, Some(shorter)) => {
                    next.ngrams.push_key(shorter);
                    next.places.push(place(at));
                }
                (None, None) => {}
            }
        }
    }

    /// Adds up what was found, and returns how many n-grams these were.
    pub(crate) fn add_up(&self, scratch: &mut Scratch, sums: &mut Sums) -> usize {
        self.weights.add_up(&mut scratch.found, sums)
    }
}

/// For a block of character n-grams: the id of each without its last character, or [`UNKNOWN`].
fn beginnings(features: &Features, block: usize) -> Vec<u32> {
    let mut beginnings = vec![UNKNOWN; features.blocks().nth(block).unwrap_or(0)];
    for (key, id) in features.chars(block) {
        if let Some(beginning) = key.beginning() {
            beginnings[id as usize] = features.find_chars(block, beginning);
        }
    }
    beginnings
}

#[cfg(test)]
mod tests {
    use crate::counts::text_counts::TextCounts;
    use crate::naive_bayes::views::{Classes, Model, View, ViewRows};
    use crate::naive_bayes::weights::{Scratch, Weights};
    use crate::text::reading::Reading;
    use proptest::prelude::*;

    /// Letters of one to four bytes, and spaces; few enough for texts to share n-grams.
    fn texts(most: usize) -> impl Strategy<Value = Vec<String>> {
        prop::collection::vec("[abAß語🦀 ]{0,14}", 1..most)
    }

    fn labels(rows: usize, classes: usize) -> Vec<u32> {
        (0..rows).map(|row| (row * row % classes) as u32).collect()
    }

    fn counted(
        reading: &Reading,
        texts: &[&str],
        labels: &[u32],
        n: usize,
    ) -> (TextCounts, Classes) {
        let counts = TextCounts::observe(reading, texts, labels, n, 1).unwrap();
        let rows = (0..n as u32).map(|class| labels.iter().filter(|l| **l == class).count() as u64);
        (counts, Classes { slots: (0..n as u32).collect(), rows: rows.collect() })
    }

    proptest! {
        #[test]
        fn neither_order_nor_what_was_forgotten_shows_in_the_last_bit(
            learned in texts(24),
            new in texts(8),
            n in 5usize..30,
        ) {
            let reading = Reading { char_ngrams: Some((1, 4)), ..Reading::default() };
            let view = View::plain(Model::Multinomial);
            let new: Vec<&str> = new.iter().map(String::as_str).collect();
            let mut rows: Vec<(&str, u32)> =
                learned.iter().map(String::as_str).zip(labels(learned.len(), n)).collect();
            let mut score = || {
                rows.reverse();
                let (texts, labels): (Vec<_>, Vec<_>) = rows.iter().copied().unzip();
                let (counts, classes) = counted(&reading, &texts, &labels, n);
                let (others, _) = counted(&reading, &new, &vec![0; new.len()], n);
                let forgot = counts.plus(&others).unwrap().minus(&others).unwrap();
                let weights = |counts| Weights::new(counts, &classes, view, 0.3).unwrap();
                [&counts, &forgot].map(|counts| weights(counts).score(&new, 1).unwrap())
            };
            let ([one, two], [three, four]) = (score(), score());
            prop_assert!(one == two && one == three && one == four);
        }

        #[test]
        fn scores_are_those_of_all_runs(
            learned in texts(24),
            new in texts(8),
            lengths in prop::sample::select(vec![(1, 4), (1, 1), (2, 3), (3, 5), (4, 6), (1, 9)]),
            classes in 5usize..30,
            least in 1u64..3,
        ) {
            let reading = Reading { char_ngrams: Some(lengths), lowercase: true, ..Reading::word_ngrams(1, 1) };
            let learned: Vec<&str> = learned.iter().map(String::as_str).collect();
            let labels = labels(learned.len(), classes);
            let (counts, classes) = counted(&reading, &learned, &labels, classes);
            let view = View { min_documents: least, ..View::plain(Model::Multinomial) };
            let rows = ViewRows::new(&counts, &classes, &[view]).unwrap();
            let all = Weights::of_rows(&counts, &rows, &classes, view, 0.3).ready();
            let new: Vec<&str> = new.iter().map(String::as_str).chain(learned).collect();
            let scores = Weights::new(&counts, &classes, view, 0.3).unwrap().score(&new, 2).unwrap();
            let (mut reader, mut scratch) = (counts.features().reader(), Scratch::default());
            let mut expected = vec![0.0; classes.len()];
            for (text, scores) in new.iter().zip(scores.chunks(classes.len())) {
                all.score_one(counts.features().read(&mut reader, text), &mut scratch, &mut expected);
                for (score, expected) in scores.iter().zip(&expected) {
                    prop_assert!((score - expected).abs() < 1e-9 * (1.0 + expected.abs()), "{text:?}");
                }
            }
        }
    }
}
