//! Names of features, and the order they give them.

use super::Options;
use super::feature_ids::FeatureIds;
use std::borrow::Cow;

/// Strings one after another.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Names {
    pub(super) bytes: Vec<u8>,
    pub(super) ends: Vec<usize>,
}

impl Names {
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    pub(super) fn get(&self, place: usize) -> &[u8] {
        let start = if place == 0 { 0 } else { self.ends[place - 1] };
        &self.bytes[start..self.ends[place]]
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = Cow<'_, str>> {
        (0..self.len()).map(|place| String::from_utf8_lossy(self.get(place)))
    }

    /// Adds a string made of parts with a space between each two.
    pub(super) fn push<'a>(&mut self, parts: impl Iterator<Item = &'a [u8]>) {
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

/// For each n-gram, its words one after another.
fn sequences(feature_ids: &FeatureIds, of_single: &[u32]) -> Vec<Vec<u32>> {
    let mut blocks = vec![of_single.to_vec()];
    for (place, ngrams) in feature_ids.ngrams.iter().enumerate() {
        let n = place + 2;
        let mut block = vec![0; ngrams.len() * n];
        for (pair, id) in ngrams.iter() {
            let (first, last) = ((pair >> 32) as usize, pair as u32 as usize);
            let ngram = &mut block[id as usize * n..][..n];
            ngram[..n - 1].copy_from_slice(&blocks[place][first * (n - 1)..][..n - 1]);
            ngram[n - 1] = of_single[last];
        }
        blocks.push(block);
    }
    blocks
}

/// Block and id of every feature, in the order of their names.
///
/// No byte of a word is as low as the space between two, so word n-grams sort as the ranks of their
/// words do, and an n-gram comes before those it begins.
pub(crate) fn order(
    feature_ids: &FeatureIds,
    spellings: &Names,
    options: &Options,
) -> Vec<(u32, u32)> {
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
    let blocks = sequences(feature_ids, &ranks);
    let ngram = |block: u32, id: u32| {
        let n = block as usize + 1;
        &blocks[block as usize][id as usize * n..][..n]
    };
    // As with the first bytes of words: the first ranks settle most comparisons.
    let head = |ngram: &[u32]| {
        (0..4).fold(0, |head: u128, place| head << 32 | u128::from(*ngram.get(place).unwrap_or(&0)))
    };
    let counted = options.lengths.0.max(1) as u32 - 1..options.blocks() as u32;
    let mut order: Vec<(u128, u32, u32)> = counted
        .flat_map(|block| {
            let size = (blocks[block as usize].len() / (block as usize + 1)) as u32;
            (0..size).map(move |id| (block, id))
        })
        .map(|(block, id)| (head(ngram(block, id)), block, id))
        .collect();
    order.sort_unstable_by(|a, b| a.0.cmp(&b.0).then_with(|| ngram(a.1, a.2).cmp(ngram(b.1, b.2))));
    order.into_iter().map(|(_, block, id)| (block, id)).collect()
}

pub(crate) fn spelled(feature_ids: &FeatureIds, spellings: &Names, order: &[(u32, u32)]) -> Names {
    let ids: Vec<u32> = (0..spellings.len() as u32).collect();
    let blocks = sequences(feature_ids, &ids);
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
