//! Word n-grams in a fixed number of buckets, so that memory does not grow with what is read.
//!
//! Features that fall into one bucket are counted as one. The hash is the same everywhere, so counts
//! from several machines add up; it is not keyed, since a full bucket costs no more than an empty one.

use crate::counts::text_counts::check_lengths;
use crate::dictionary::feature_key::{Key, Keys};
use crate::error::{Error, Result};
use crate::text::tokens::Tokenizer;
use xxhash_rust::xxh3::xxh3_64;

/// What a bucket is: `2^bits` of them, for n-grams of up to `longest` words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Buckets {
    bits: u32,
    longest: usize,
}

const MOST_BITS: u32 = 28;

/// Digits of π, as good as any.
const ODD: [u64; 4] =
    [0x243f_6a88_85a3_08d3, 0x1319_8a2e_0370_7344, 0xa409_3822_299f_31d0, 0x082e_fa98_ec4e_6c89];

impl Buckets {
    pub(crate) fn new(bits: u32, longest: usize) -> Result<Self> {
        if !(1..=MOST_BITS).contains(&bits) || longest == 0 {
            let what =
                format!("there are 2^1 to 2^{MOST_BITS} buckets, for ngrams from one word on");
            return Err(Error::Shape { what });
        }
        Ok(Buckets { bits, longest })
    }

    /// How often each bucket is met in these texts.
    pub(crate) fn count(self, texts: &[&str], threads: usize) -> Result<Vec<u64>> {
        let counts = self.each_share(texts, threads, |reader, share| {
            let mut counts = vec![0u64; 1 << self.bits];
            share.iter().for_each(|text| reader.read(self, text, |bucket| counts[bucket] += 1));
            counts
        })?;
        let mut counts = counts.into_iter();
        let mut total = counts.next().unwrap_or_else(|| vec![0; 1 << self.bits]);
        for more in counts {
            total.iter_mut().zip(more).for_each(|(total, more)| *total += more);
        }
        Ok(total)
    }

    /// The sum of the weights of the buckets that each text meets.
    pub(crate) fn score(self, texts: &[&str], weights: &[f64], threads: usize) -> Result<Vec<f64>> {
        if weights.len() != 1 << self.bits {
            let what = format!("there are {} weights for 2^{} buckets", weights.len(), self.bits);
            return Err(Error::Shape { what });
        }
        let scores = self.each_share(texts, threads, |reader, share| {
            let score = |text: &&str| {
                let mut sum = 0.0;
                reader.read(self, text, |bucket| sum += weights[bucket]);
                sum
            };
            share.iter().map(score).collect::<Vec<f64>>()
        })?;
        Ok(scores.concat())
    }

    fn each_share<R: Send>(
        self,
        texts: &[&str],
        threads: usize,
        work: impl Fn(&mut Reader, &[&str]) -> R + Sync,
    ) -> Result<Vec<R>> {
        check_lengths(texts)?;
        let shares = crate::parallel::shares(texts, |text| text.len() + 8, threads);
        Ok(crate::parallel::each(shares, |share| work(&mut Reader::new(), share)))
    }
}

struct Reader {
    tokenizer: Tokenizer,
    words: Keys,
    /// For each word, the hash of the n-gram that ends there.
    ngrams: Vec<u64>,
    hashes: Vec<u64>,
}

impl Reader {
    fn new() -> Self {
        let tokenizer = Tokenizer::new(true);
        Reader { tokenizer, words: Keys::default(), ngrams: Vec::new(), hashes: Vec::new() }
    }

    fn read(&mut self, buckets: Buckets, text: &str, mut emit: impl FnMut(usize)) {
        self.tokenizer.words(text, &mut self.words);
        self.hashes.clear();
        self.hashes.extend(self.words.iter().map(hash));
        self.ngrams.clone_from(&self.hashes);
        for length in 1..=buckets.longest {
            if length > 1 {
                // From the end, so that the n-gram before a word is still one word shorter.
                for place in (length - 1..self.ngrams.len()).rev() {
                    self.ngrams[place] = joined(self.ngrams[place - 1], self.hashes[place]);
                }
            }
            let ngrams = self.ngrams.iter().skip(length - 1);
            ngrams.for_each(|ngram| emit((ngram >> (64 - buckets.bits)) as usize));
        }
    }
}

fn hash(word: Key<'_>) -> u64 {
    match word {
        Key::Short([low, high]) => folded(low ^ ODD[0], high ^ ODD[1]),
        Key::Long(bytes) => xxh3_64(bytes),
    }
}

fn joined(ngram: u64, word: u64) -> u64 {
    folded(ngram ^ ODD[2], word.rotate_left(32) ^ ODD[3])
}

/// Both halves of a product, together.
fn folded(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    (product >> 64) as u64 ^ product as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::collection::vec;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn texts_add_up_whatever_the_threads(texts in vec("[a-e ]{0,12}", 0..9), longest in 1usize..4, threads in 1usize..4) {
            let buckets = Buckets::new(8, longest).unwrap();
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            let together = buckets.count(&texts, threads).unwrap();
            let mut apart = vec![0; 256];
            let mut ngrams = 0;
            for text in &texts {
                let counts = buckets.count(&[text], 1).unwrap();
                apart.iter_mut().zip(counts).for_each(|(sum, more)| *sum += more);
                let words = text.split_whitespace().count();
                ngrams += (1..=longest).map(|n| (words + 1).saturating_sub(n)).sum::<usize>() as u64;
            }
            prop_assert_eq!(&together, &apart);
            prop_assert_eq!(together.iter().sum::<u64>(), ngrams);
            let ones = vec![1.0; 256];
            let scores = buckets.score(&texts, &ones, threads).unwrap();
            prop_assert_eq!(scores.iter().sum::<f64>(), ngrams as f64);
        }
    }

    #[test]
    fn runs_differ_by_their_words_and_their_order() {
        let buckets = Buckets::new(20, 2).unwrap();
        let met = |text: &str| -> Vec<usize> {
            let counts = buckets.count(&[text], 1).unwrap();
            (0..counts.len()).filter(|&bucket| counts[bucket] > 0).collect()
        };
        assert_eq!(met("good film"), met("Good, film!"));
        assert_eq!(met("good film").len(), 3);
        assert_ne!(met("good film"), met("film good"));
        let long = "donaudampfschifffahrtsgesellschaft";
        assert_ne!(met(long), met(&format!("{long}en")));
        assert!(Buckets::new(0, 1).is_err() && Buckets::new(40, 1).is_err());
        assert!(Buckets::new(4, 1).unwrap().score(&["a"], &[0.0], 1).is_err());
    }
}
