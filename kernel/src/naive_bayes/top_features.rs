//! The features that a class has more of than the rest, ranked by their log-odds over the error of
//! these, so that a word seen twice does not come before one seen a hundred times.

use crate::counts::class_counts::Count;
use crate::counts::text_counts::TextCounts;
use crate::maths::log;
use crate::naive_bayes::views::most_frequent;
use crate::text::reading::FeatureKind;

/// What is compared.
pub(crate) struct Compared<'a> {
    /// The classes.
    pub(crate) slots: &'a [u32],
    /// The slot that counts every row, where rows are multi-label.
    pub(crate) every: Option<u32>,
    /// Documents that hold a feature, not occurrences.
    pub(crate) documents: bool,
    /// What a row counts.
    pub(crate) per_row: u64,
    /// Added to every count.
    pub(crate) alpha: f64,
    /// Of each block, how many documents must hold a feature that is listed.
    pub(crate) least: &'a [u64],
    /// So many of the most frequent words are not listed.
    pub(crate) skip_top: usize,
}

/// An informative feature of a class.
pub(crate) struct TopFeature {
    pub(crate) name: String,
    pub(crate) log_odds: f64,
    pub(crate) strength: f64,
}

struct Candidate {
    block: usize,
    id: u32,
    log_odds: f64,
    strength: f64,
}

/// The `n` most informative features of each class; of equals, those whose key comes first.
pub(crate) fn top_features(
    counts: &TextCounts,
    compared: &Compared,
    n: usize,
) -> Vec<Vec<TopFeature>> {
    let mut place = vec![usize::MAX; counts.classes()];
    for (class, &slot) in compared.slots.iter().enumerate() {
        if let Some(place) = place.get_mut(slot as usize) {
            *place = class;
        }
    }
    let number = |count: Count| {
        let counted = if compared.documents { count.documents } else { count.occurrences };
        counted as f64 / compared.per_row as f64
    };
    // What stands for all rows: one slot that counts them all, or the classes together.
    let is_all = |count: &Count| match compared.every {
        Some(slot) => count.class == slot,
        None => place[count.class as usize] != usize::MAX,
    };
    let kinds = counts.features().kinds();
    let skipped = most_frequent(counts, compared.skip_top);
    let is_told = |block: usize, id: usize| {
        let all = counts.blocks()[block].row(id as u32).iter().filter(|count| is_all(count));
        let documents = all.map(|count| count.documents).sum::<u64>();
        let fewer = compared.least.get(block).map_or(0, |least| least.saturating_sub(1));
        let is_skipped = block == 0 && skipped.binary_search(&(id as u32)).is_ok();
        !is_skipped && documents > fewer.saturating_mul(compared.per_row)
    };
    let (mut features, mut everything) = (0u64, 0.0);
    let mut sizes = vec![0.0; compared.slots.len()];
    let lengths: Vec<usize> = counts.features().blocks().collect();
    for (block, cells) in counts.blocks().iter().enumerate() {
        if !counts.reading().counts(kinds[block]) {
            continue;
        }
        for id in (0..lengths[block]).filter(|&id| is_told(block, id)) {
            features += 1;
            for &count in cells.row(id as u32) {
                everything += if is_all(&count) { number(count) } else { 0.0 };
                if let Some(size) = sizes.get_mut(place[count.class as usize]) {
                    *size += number(count);
                }
            }
        }
    }
    let smooth = compared.alpha * features as f64;
    let mut best: Vec<Best> = compared.slots.iter().map(|_| Best::new(n)).collect();
    for (block, cells) in counts.blocks().iter().enumerate() {
        if !counts.reading().counts(kinds[block]) {
            continue;
        }
        for id in (0..lengths[block]).filter(|&id| is_told(block, id)) {
            let all = cells.row(id as u32).iter().copied().filter(is_all);
            let total: f64 = all.map(number).sum();
            for &count in cells.row(id as u32) {
                let class = place[count.class as usize];
                let Some(best) = best.get_mut(class) else { continue };
                let here = number(count) + compared.alpha;
                let there = total - number(count) + compared.alpha;
                let (size, rest) = (sizes[class] + smooth, everything - sizes[class] + smooth);
                let log_odds = log(here / size) - log(there / rest);
                let strength = log_odds / (1.0 / here + 1.0 / there).sqrt();
                if log_odds > 0.0 {
                    best.push(Candidate { block, id: id as u32, log_odds, strength });
                }
            }
        }
    }
    best.into_iter().map(|best| best.named(counts)).collect()
}

/// A feature that nearly all documents of a class hold, and nearly no others.
pub(crate) struct Leak {
    pub(crate) class: usize,
    pub(crate) name: String,
    /// The documents of the class that hold it, and all that do.
    pub(crate) documents: u64,
    pub(crate) everywhere: u64,
}

/// Possible target leakage: of each class, of `rows` documents each, the feature that best identifies it. At
/// least the share `least` of its documents hold it, and at least that share of those that hold it is of the
/// class.
///
/// Where rows are multi-label, `every` is the slot that counts them all. Character n-grams are
/// looked at only where no words are read.
pub(crate) fn leaking(
    counts: &TextCounts,
    slots: &[u32],
    rows: &[u64],
    every: Option<u32>,
    least: f64,
) -> Vec<Leak> {
    let classes = slots.iter().zip(rows).enumerate();
    let mut of_slot = vec![None; counts.classes()];
    for (class, (&slot, &rows)) in classes {
        if let Some(found) = of_slot.get_mut(slot as usize) {
            *found = Some((class, rows));
        }
    }
    let is_all = |count: &Count| match every {
        Some(slot) => count.class == slot,
        None => of_slot[count.class as usize].is_some(),
    };
    let kinds = counts.features().kinds();
    let lengths: Vec<usize> = counts.features().blocks().collect();
    // What somebody put in is a word; letters of a script tell its languages, and leak nothing.
    let has_words = kinds.iter().any(|&kind| matches!(kind, FeatureKind::WordNgram(_)));
    // Of each class the best so far, and those that equal it.
    let mut best: Vec<(f64, Vec<(usize, u32, u64, u64)>)> = vec![(least, Vec::new()); rows.len()];
    for (block, cells) in counts.blocks().iter().enumerate() {
        let is_piece = kinds[block] == FeatureKind::CharNgram && has_words;
        if !counts.reading().counts(kinds[block]) || is_piece {
            continue;
        }
        for id in 0..lengths[block] {
            let all = cells.row(id as u32).iter().filter(|count| is_all(count));
            let everywhere: u64 = all.map(|count| count.documents).sum();
            for &Count { class, documents, .. } in cells.row(id as u32) {
                let Some((class, rows)) = of_slot[class as usize] else { continue };
                let purity = documents as f64 / everywhere.max(rows).max(1) as f64;
                let (most, found) = &mut best[class];
                if purity > *most {
                    found.clear();
                    *most = purity;
                }
                if purity == *most {
                    found.push((block, id as u32, documents, everywhere));
                }
            }
        }
    }
    let first = |(class, (_, found)): (usize, (f64, Vec<(usize, u32, u64, u64)>))| {
        let features: Vec<(usize, u32)> =
            found.iter().map(|&(block, id, ..)| (block, id)).collect();
        // Of equals the first, which is a word rather than a piece of one.
        let keys = keys(counts, &features).into_iter().zip(found);
        let ((_, key), (block, _, documents, everywhere)) = keys.min_by(|a, b| a.0.cmp(&b.0))?;
        Some(Leak { class, name: kinds[block].shown(&key), documents, everywhere })
    };
    best.into_iter().enumerate().filter_map(first).collect()
}

/// What some features are sorted by: the byte of their kind, then their spelling.
fn keys(counts: &TextCounts, features: &[(usize, u32)]) -> Vec<(u8, Vec<u8>)> {
    let features_of = counts.features();
    let mut keys = vec![(0, Vec::new()); features.len()];
    for (block, kind) in features_of.kinds().iter().enumerate() {
        let places: Vec<usize> =
            (0..features.len()).filter(|&at| features[at].0 == block).collect();
        let ids: Vec<u32> = places.iter().map(|&place| features[place].1).collect();
        if ids.is_empty() {
            continue;
        }
        for (place, spelling) in places.into_iter().zip(features_of.spelled(block, &ids)) {
            keys[place] = (kind.byte(), spelling);
        }
    }
    keys
}

/// The best candidates so far, and all that equal the last of them.
struct Best {
    n: usize,
    /// From so many on, the others are dropped.
    full: usize,
    /// Weaker ones are not among the best.
    least: f64,
    candidates: Vec<Candidate>,
}

impl Best {
    fn new(n: usize) -> Self {
        Best { n, full: 2 * n + 64, least: 0.0, candidates: Vec::new() }
    }

    fn push(&mut self, candidate: Candidate) {
        if self.n == 0 || candidate.strength < self.least {
            return;
        }
        self.candidates.push(candidate);
        if self.candidates.len() >= self.full {
            self.drop_others();
            self.full = 2 * self.candidates.len() + 64;
        }
    }

    fn drop_others(&mut self) {
        if self.candidates.len() > self.n {
            let order = |a: &Candidate, b: &Candidate| b.strength.total_cmp(&a.strength);
            let (_, last, _) = self.candidates.select_nth_unstable_by(self.n - 1, order);
            self.least = last.strength;
            self.candidates.retain(|candidate| candidate.strength >= self.least);
        }
    }

    fn named(mut self, counts: &TextCounts) -> Vec<TopFeature> {
        self.drop_others();
        let kinds = counts.features().kinds();
        let of = |candidate: &Candidate| (candidate.block, candidate.id);
        let keys = keys(counts, &self.candidates.iter().map(of).collect::<Vec<_>>());
        let mut found: Vec<_> = self.candidates.into_iter().zip(keys).collect();
        found.sort_by(|(a, a_key), (b, b_key)| {
            b.strength.total_cmp(&a.strength).then_with(|| a_key.cmp(b_key))
        });
        found.truncate(self.n);
        let top = |(candidate, (_, key)): (Candidate, (u8, Vec<u8>))| TopFeature {
            name: kinds[candidate.block].shown(&key),
            log_odds: candidate.log_odds,
            strength: candidate.strength,
        };
        found.into_iter().map(top).collect()
    }
}
