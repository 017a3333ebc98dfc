//! Near-duplicates: texts that are nearly the same.
//!
//! A text is the set of its trigrams, in lower case. Two texts are near-duplicates if of all trigrams that
//! either has, both have a given share (the Jaccard similarity); and so are texts that a chain of
//! near-duplicates joins. Only
//! texts whose sketches agree somewhere are compared: of a set's smallest hashes under several
//! hash functions, three together. So two texts that are just alike enough may be overlooked, about one in a
//! thousand at four fifths, but none is made up. The order of the texts does not show.

use crate::dictionary::feature_key::Keys;
use crate::parallel;
use crate::text::tokens::Tokenizer;
use std::collections::BTreeMap;
use xxhash_rust::xxh3::xxh3_64;

const NGRAM: usize = 3;
const BANDS: usize = 10;
const MINIMA: usize = 3;

/// Of many texts in one place each is compared with so many others, next to it in the order of hashes.
const NEIGHBOURS: usize = 32;

/// Of each text, the first of the texts it is a near-duplicate of, which may be itself.
pub(crate) fn near_duplicates(texts: &[&str], similarity: f64, threads: usize) -> Vec<u32> {
    let shares = parallel::shares(texts, |text| text.len() + 8, threads);
    let read = parallel::each(shares, |share| {
        let (mut tokenizer, mut words) = (Tokenizer::new(true), Keys::default());
        let mut sketched = |text: &&str| {
            words.clear();
            tokenizer.words(text, &mut words);
            Sketched::of(&words)
        };
        share.iter().map(&mut sketched).collect::<Vec<_>>()
    });
    let sketched: Vec<Sketched> = read.into_iter().flatten().collect();
    let mut groups = Groups((0..texts.len() as u32).collect());
    for band in 0..BANDS {
        let mut places: BTreeMap<u64, Vec<(u64, u32)>> = BTreeMap::new();
        for (row, text) in sketched.iter().enumerate().filter(|(_, text)| !text.ngrams.is_empty()) {
            places.entry(text.bands[band]).or_default().push((text.hash, row as u32));
        }
        for here in places.values_mut().filter(|here| here.len() > 1) {
            here.sort_unstable();
            // Equal texts stand side by side; one of them is compared for all.
            let mut different: Vec<u32> = Vec::new();
            for &(hash, row) in here.iter() {
                match different.last() {
                    Some(&last) if sketched[last as usize].hash == hash => groups.join(last, row),
                    _ => different.push(row),
                }
            }
            for (place, &a) in different.iter().enumerate() {
                for &b in different[place + 1..].iter().take(NEIGHBOURS) {
                    let [one, other] = [a, b].map(|row| &sketched[row as usize].ngrams);
                    if groups.first(a) != groups.first(b) && share(one, other) >= similarity {
                        groups.join(a, b);
                    }
                }
            }
        }
    }
    (0..texts.len() as u32).map(|row| groups.first(row)).collect()
}

/// The trigrams of a text as hashes, sorted; one for the whole set; and its sketch.
struct Sketched {
    ngrams: Vec<u64>,
    hash: u64,
    bands: [u64; BANDS],
}

impl Sketched {
    fn of(words: &Keys) -> Self {
        let words: Vec<u64> = words.iter().map(|word| word.read(xxh3_64)).collect();
        // Fewer words are one n-gram.
        let size = NGRAM.min(words.len()).max(1);
        let mut ngrams: Vec<u64> = words.windows(size).map(of_several).collect();
        ngrams.sort_unstable();
        ngrams.dedup();
        let minimum = |function: usize| {
            let seed = 0x9e37_79b9_7f4a_7c15u64.wrapping_mul(function as u64 + 1);
            ngrams.iter().map(|&ngram| mixed(ngram ^ seed)).min().unwrap_or(0)
        };
        let band = |band: usize| {
            of_several(&std::array::from_fn::<u64, MINIMA, _>(|i| minimum(band * MINIMA + i)))
        };
        Sketched { hash: of_several(&ngrams), bands: std::array::from_fn(band), ngrams }
    }
}

fn of_several(hashes: &[u64]) -> u64 {
    hashes.iter().fold(hashes.len() as u64, |so_far, &hash| mixed(so_far.rotate_left(23) ^ hash))
}

/// The finisher of SplitMix64.
fn mixed(mut bits: u64) -> u64 {
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

/// How much of what either set has both have.
fn share(a: &[u64], b: &[u64]) -> f64 {
    let (mut at, mut both) = (0, 0);
    for &one in a {
        while at < b.len() && b[at] < one {
            at += 1;
        }
        both += usize::from(b.get(at) == Some(&one));
    }
    both as f64 / (a.len() + b.len() - both) as f64
}

/// Of each text another of its group that comes before it, or itself if none does.
struct Groups(Vec<u32>);

impl Groups {
    fn first(&mut self, mut row: u32) -> u32 {
        while self.0[row as usize] != row {
            self.0[row as usize] = self.0[self.0[row as usize] as usize];
            row = self.0[row as usize];
        }
        row
    }

    fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.first(a), self.first(b));
        self.0[a.max(b) as usize] = a.min(b);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    const LONG: &str = "the harbour office asks every owner of a boat to pay the mooring fee before \
                        the first of may or to bring the boat ashore until the fee is paid";

    #[test]
    fn a_word_more_is_a_near_duplicate_and_half_a_text_is_not() {
        let more = format!("{LONG} thank you");
        let half = &LONG[..LONG.len() / 2];
        let shouted = LONG.to_uppercase();
        let texts = ["", "yes", half, LONG, "Yes!", &more, "", "no", &shouted];
        assert_eq!(near_duplicates(&texts, 0.8, 2), [0, 1, 2, 3, 1, 3, 6, 7, 3]);
    }

    /// The partition, by what the texts are.
    fn partition(texts: &[&str], groups: &[u32]) -> BTreeSet<Vec<String>> {
        let mut found: BTreeMap<u32, Vec<String>> = BTreeMap::new();
        for (text, &group) in texts.iter().zip(groups) {
            found.entry(group).or_default().push(text.to_string());
        }
        found.into_values().map(|mut group| (group.sort(), group).1).collect()
    }

    proptest! {
        #[test]
        fn neither_order_nor_threads_show(texts in prop::collection::vec("[ab]( [ab]){2,9}", 0..40), threads in 1usize..4) {
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            let turned: Vec<&str> = texts.iter().rev().copied().collect();
            let (found, other) = (near_duplicates(&texts, 0.6, 1), near_duplicates(&turned, 0.6, threads));
            prop_assert_eq!(partition(&texts, &found), partition(&turned, &other));
        }

        #[test]
        fn each_is_alike_to_some_of_its_group(texts in prop::collection::vec("[ab]( [ab]){2,9}", 2..40)) {
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            let groups = near_duplicates(&texts, 0.6, 1);
            let ngrams = |row: usize| {
                let mut words = Keys::default();
                Tokenizer::new(true).words(texts[row], &mut words);
                Sketched::of(&words).ngrams
            };
            for (row, &group) in groups.iter().enumerate() {
                let others = (0..texts.len()).filter(|&other| other != row && groups[other] == group);
                let others: Vec<usize> = others.collect();
                prop_assert!(others.is_empty() || others.iter().any(|&other| share(&ngrams(row), &ngrams(other)) >= 0.6));
            }
        }
    }
}
