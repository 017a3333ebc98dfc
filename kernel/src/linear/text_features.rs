//! The features of a text that a linear model reads, and how a text has them.
//!
//! ```text
//! v_f(x) = (1 + log x_f) · idf_f / ‖·‖
//! ```
//!
//! Features are those of a text tally that two documents or more hold, in the order of their keys;
//! word n-grams have length one together, and so have character n-grams.

use crate::counts::class_counts::Count;
use crate::counts::features::Features;
use crate::counts::text_counts::{TextCounts, check_lengths};
use crate::dictionary::distinct_features::Distinct;
use crate::dictionary::sorted_features::Sorted;
use crate::error::{Result, corrupt};
use crate::linear::sparse_rows::Sparse;
use crate::maths::log;
use crate::naive_bayes::views::idf;
use crate::text::feature_reader::Occurrences;
use crate::text::reading::{FeatureKind, Reading};

/// Features that fewer documents hold say nothing of other texts.
const LEAST_DOCUMENTS: u64 = 2;

const NONE: u32 = u32::MAX;

/// The features that take part.
pub(crate) struct TextFeatures {
    features: Features,
    /// The column of each id, block by block; [`NONE`] if it takes no part.
    of_id: Vec<Vec<u32>>,
    /// How many documents hold each, of how many.
    documents: Vec<u64>,
    rows: u64,
    idf: Vec<f32>,
    /// Which length each column shares.
    families: Vec<u8>,
}

/// Where a text has which feature.
struct Entry {
    column: u32,
    block: usize,
    id: u32,
    occurrences: u32,
    value: f32,
}

/// A feature of a text, and how often it occurs there.
pub(crate) struct Named {
    pub(crate) kind: FeatureKind,
    pub(crate) name: String,
    pub(crate) count: u32,
}

impl TextFeatures {
    /// The features of `counts`, which come from so many rows. Where these are multi-label, one
    /// class has `every` row.
    pub(crate) fn of(counts: &TextCounts, rows: u64, every: Option<u32>) -> Self {
        let features = counts.features();
        let mut held: Vec<Vec<u64>> = Vec::new();
        for (block, len) in features.blocks().enumerate() {
            let documents = |id: u32| {
                let of_rows = |count: &&Count| every.is_none_or(|class| count.class == class);
                let counted = counts.blocks()[block].row(id).iter().filter(of_rows);
                counted.map(|count| count.documents).sum()
            };
            held.push((0..len as u32).map(documents).collect());
        }
        let takes_part = |held: &Vec<u64>| held.iter().map(|&n| n >= LEAST_DOCUMENTS).collect();
        let mut alive: Vec<Option<Vec<bool>>> =
            held.iter().map(|held| Some(takes_part(held))).collect();
        let is_silent = |kind: &&FeatureKind| !features.reading().counts(**kind);
        features.mark_parts(features.kinds().iter().take_while(is_silent).count(), &mut alive);
        let ordered = features.in_order(&alive);
        let mut documents = Vec::new();
        for (block, (held, &kind)) in held.iter().zip(features.kinds()).enumerate() {
            if features.reading().counts(kind) {
                documents.extend(ordered.ids(block).map(|id| held[id as usize]));
            }
        }
        Self::in_order(features.reading(), ordered.sorted, documents, rows)
    }

    /// The features that these arrays describe. Whatever [`TextFeatures::stored`] could not have given is
    /// refused.
    pub(crate) fn restore(
        reading: &Reading,
        sorted: Sorted,
        documents: Vec<u64>,
        rows: u64,
    ) -> Result<Self> {
        sorted.check(reading)?;
        let kinds = reading.kinds();
        let counted = kinds.iter().zip(&sorted.blocks).filter(|(kind, _)| reading.counts(**kind));
        if documents.len() != counted.map(|(_, block)| block.len()).sum::<usize>() {
            return corrupt("the features of its linear model differ in number");
        }
        if documents.iter().any(|documents| !(LEAST_DOCUMENTS..=rows).contains(documents)) {
            return corrupt("a feature of its linear model is in too many documents, or too few");
        }
        Ok(Self::in_order(reading, sorted, documents, rows))
    }

    /// Features whose columns are in their order, block by block.
    fn in_order(reading: &Reading, sorted: Sorted, documents: Vec<u64>, rows: u64) -> Self {
        let mut of_id: Vec<Vec<u32>> = Vec::new();
        let mut families = Vec::new();
        for (kind, block) in reading.kinds().into_iter().zip(&sorted.blocks) {
            if reading.counts(kind) {
                let first = families.len() as u32;
                of_id.push((first..).take(block.len()).collect());
                families.extend(std::iter::repeat_n(family(kind), block.len()));
            } else {
                of_id.push(vec![NONE; block.len()]);
            }
        }
        let idf = documents.iter().map(|&documents| idf(rows, documents) as f32).collect();
        let features = Features::stored(reading, sorted);
        TextFeatures { features, of_id, documents, rows, idf, families }
    }

    pub(crate) fn width(&self) -> usize {
        self.documents.len()
    }

    pub(crate) fn kinds(&self) -> &[FeatureKind] {
        self.features.kinds()
    }

    /// The features in order, and how many documents hold each.
    pub(crate) fn stored(&self) -> (Sorted, Vec<u64>) {
        let every = vec![None; self.kinds().len()];
        (self.features.in_order(&every).sorted, self.documents.clone())
    }

    /// The features of each text, in its order.
    pub(crate) fn read(&self, texts: &[&str], threads: usize) -> Result<Sparse> {
        check_lengths(texts)?;
        let shares = crate::parallel::shares(texts, |text| text.len() + 8, threads);
        let parts = crate::parallel::each(shares, |share| {
            let (mut distinct, mut part) = (Distinct::default(), Sparse::default());
            self.features.each(share, |_, reader| {
                let entries = self.entries(&reader.occurrences, &mut distinct);
                part.push(entries.iter().map(|entry| (entry.column, entry.value)));
            })?;
            Ok(part)
        });
        let mut rows = Sparse::default();
        for part in parts {
            rows.append(part?);
        }
        Ok(rows)
    }

    /// What the entries of one text are, in the order in which it is read.
    pub(crate) fn named(&self, text: &str) -> Result<Vec<Named>> {
        check_lengths(&[text])?;
        let mut found = Vec::new();
        self.features.each(&[text], |_, reader| {
            let (names, kinds) = (reader.names(text), self.kinds());
            let blocks = &reader.occurrences.blocks;
            for entry in self.entries(&reader.occurrences, &mut Distinct::default()) {
                let place = blocks[entry.block].iter().position(|&id| id == entry.id);
                let name = place.map(|place| names[entry.block][place].clone()).unwrap_or_default();
                found.push(Named { kind: kinds[entry.block], name, count: entry.occurrences });
            }
        })?;
        Ok(found)
    }

    fn entries(&self, occurrences: &Occurrences, distinct: &mut Distinct) -> Vec<Entry> {
        let mut entries: Vec<Entry> = Vec::new();
        for (block, (columns, ids)) in self.of_id.iter().zip(&occurrences.blocks).enumerate() {
            for &(id, occurrences) in distinct.of(ids, columns.len()) {
                let column = columns[id as usize];
                if column != NONE {
                    let value =
                        (1.0 + log(f64::from(occurrences))) as f32 * self.idf[column as usize];
                    entries.push(Entry { column, block, id, occurrences, value });
                }
            }
        }
        let same = |a: &Entry, b: &Entry| self.share_a_length(a.column, b.column);
        for family in entries.chunk_by_mut(same) {
            let length = norm(family.iter().map(|entry| entry.value));
            family.iter_mut().for_each(|entry| entry.value /= length);
        }
        entries
    }

    fn share_a_length(&self, one: u32, other: u32) -> bool {
        self.families[one as usize] == self.families[other as usize]
    }

    /// Reads rows as if others had not been there, of which so many held each feature.
    pub(crate) fn without(
        &self,
        gone: &Gone,
        row: impl Iterator<Item = (u32, f32)>,
    ) -> Vec<(u32, f32)> {
        let left = |(column, value): (u32, f32)| {
            let left = self.documents[column as usize] - gone.documents[column as usize];
            let idf = (left >= LEAST_DOCUMENTS).then(|| idf(self.rows - gone.rows, left) as f32)?;
            Some((column, value / self.idf[column as usize] * idf))
        };
        let mut entries: Vec<(u32, f32)> = row.filter_map(left).collect();
        for family in entries.chunk_by_mut(|a, b| self.share_a_length(a.0, b.0)) {
            let length = norm(family.iter().map(|entry| entry.1));
            family.iter_mut().for_each(|entry| entry.1 /= length);
        }
        entries
    }
}

/// How many rows are left out, and how many of them hold each feature.
pub(crate) struct Gone {
    pub(crate) rows: u64,
    pub(crate) documents: Vec<u64>,
}

/// Kinds of one family share a length.
fn family(kind: FeatureKind) -> u8 {
    if let FeatureKind::WordNgram(_) = kind { 0 } else { kind.byte() }
}

/// The length of some values; of none, one.
fn norm(values: impl Iterator<Item = f32>) -> f32 {
    let square: f32 = values.map(|value| value * value).sum();
    if square > 0.0 { libm::sqrtf(square) } else { 1.0 }
}
