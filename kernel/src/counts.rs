//! The text tally: how often each feature was seen in each class, and in how many documents.

use crate::cells::{Cells, Count};
use crate::dictionary::{Dictionary, UNKNOWN};
use crate::error::{Error, Result};
use crate::reader::Reader;
use crate::reading::{Kind, Reading};
use crate::rows::{by_class, check_classes};
use std::sync::Arc;

/// Token totals and document counts, per class and feature. Exact, sparse, additive.
///
/// Classes are small numbers here; what they stand for is the caller's business.
#[derive(Clone)]
pub struct TextCounts {
    reading: Reading,
    /// Shared with the weights that score by it; copied only if it has to change meanwhile.
    dictionary: Arc<Dictionary>,
    blocks: Vec<Cells>,
}

/// What one class has shown of a feature since the last flush.
#[derive(Clone, Copy, Default)]
struct Running {
    times: u32,
    documents: u32,
    last_document: u32,
}

impl TextCounts {
    pub fn zero(reading: &Reading, classes: usize) -> Self {
        TextCounts {
            reading: reading.clone(),
            dictionary: Arc::new(Dictionary::new(reading)),
            blocks: vec![Cells::new(classes); reading.kinds().len()],
        }
    }

    /// Counts `texts`, each under its class.
    pub fn observe(
        reading: &Reading,
        texts: &[&str],
        classes: &[u32],
        n_classes: usize,
        threads: usize,
    ) -> Result<Self> {
        check_lengths(texts)?;
        check_classes(texts.len(), classes, n_classes)?;
        let order = by_class(classes, n_classes);
        let shares = crate::parallel::shares(&order, |&row| texts[row as usize].len() + 8, threads);
        let parts = crate::parallel::each(shares, |rows| {
            Self::observe_rows(reading, texts, classes, n_classes, rows)
        });
        let mut parts = parts.into_iter();
        let mut counts = parts.next().unwrap_or_else(|| Ok(Self::zero(reading, n_classes)))?;
        let same: Vec<u32> = (0..n_classes as u32).collect();
        for part in parts {
            counts.add(&part?, &same)?;
        }
        Ok(counts)
    }

    /// Counts the texts of `rows`, which come class by class. While a class lasts, its counts are
    /// kept in a plain array by feature id; when it ends, they move to their rows.
    fn observe_rows(
        reading: &Reading,
        texts: &[&str],
        classes: &[u32],
        n_classes: usize,
        rows: &[u32],
    ) -> Result<Self> {
        let mut dictionary = Dictionary::new(reading);
        let mut reader = Reader::new(reading, dictionary.cast());
        let kinds = reading.kinds();
        let mut blocks = vec![Cells::new(n_classes); kinds.len()];
        let mut running: Vec<Vec<Running>> = vec![Vec::new(); kinds.len()];
        let mut touched: Vec<Vec<u32>> = vec![Vec::new(); kinds.len()];
        for run in rows.chunk_by(|&a, &b| classes[a as usize] == classes[b as usize]) {
            let class = classes[run[0] as usize];
            let mut bytes = 0;
            let mut document = 0;
            for &row in run {
                let text = texts[row as usize];
                document += 1;
                bytes += text.len();
                reader.learn(&mut dictionary, text)?;
                for (block, ids) in reader.occurrences.blocks.iter().enumerate() {
                    if !reading.counts(kinds[block]) {
                        continue;
                    }
                    let running = &mut running[block];
                    let len = dictionary.blocks().nth(block).unwrap_or(0);
                    if running.len() < len {
                        running.resize(len, Running::default());
                    }
                    for &id in ids {
                        let seen = &mut running[id as usize];
                        if seen.times == 0 {
                            touched[block].push(id);
                        }
                        seen.times += 1;
                        seen.documents += u32::from(seen.last_document != document);
                        seen.last_document = document;
                    }
                }
                // No 32-bit counter can overflow before this many bytes were read.
                if bytes > u32::MAX as usize / 64 {
                    flush(class, &mut blocks, &mut running, &mut touched)?;
                    bytes = 0;
                }
            }
            flush(class, &mut blocks, &mut running, &mut touched)?;
        }
        for (cells, len) in blocks.iter_mut().zip(dictionary.blocks()) {
            cells.extend_to(len);
        }
        Ok(TextCounts { reading: reading.clone(), dictionary: Arc::new(dictionary), blocks })
    }

    pub fn reading(&self) -> &Reading {
        &self.reading
    }

    pub fn dictionary(&self) -> &Arc<Dictionary> {
        &self.dictionary
    }

    pub fn blocks(&self) -> &[Cells] {
        &self.blocks
    }

    pub fn classes(&self) -> usize {
        self.blocks.first().map_or(0, |cells| cells.times.len())
    }

    /// Adds what `other` has seen. Its class `c` is `class_map[c]` here.
    pub fn add(&mut self, other: &TextCounts, class_map: &[u32]) -> Result<()> {
        self.check_match(other, class_map)?;
        if self.total() + other.total() > u128::from(u64::MAX) {
            return Err(Error::Overflow);
        }
        for (ours, theirs) in self.blocks.iter().zip(&other.blocks) {
            ours.check_room(theirs)?;
        }
        let ids = Arc::make_mut(&mut self.dictionary).absorb(&other.dictionary)?;
        let classes = class_map.iter().map(|&class| class as usize + 1).max().unwrap_or(0);
        let in_order = class_map.is_sorted();
        let mut sorted = Vec::new();
        for ((ours, theirs), (map, len)) in
            self.blocks.iter_mut().zip(&other.blocks).zip(ids.iter().zip(self.dictionary.blocks()))
        {
            ours.extend_to(len);
            ours.times.resize(ours.times.len().max(classes), 0);
            ours.documents.resize(ours.documents.len().max(classes), 0);
            for (id, &place) in map.iter().enumerate() {
                let row = theirs.row(id).map(|count| mapped(count, class_map));
                if in_order {
                    ours.add_row(place as usize, row);
                } else {
                    sorted.clear();
                    sorted.extend(row);
                    sorted.sort_unstable_by_key(|count| std::cmp::Reverse(count.class));
                    ours.add_row(place as usize, sorted.iter().copied());
                }
            }
        }
        Ok(())
    }

    /// Whether these counts could come from so many rows of each class.
    pub fn check_rows(&self, rows: &[u64]) -> Result<()> {
        match self.blocks.iter().all(|cells| cells.fits(rows)) {
            true => Ok(()),
            false => Err(Error::NotLearned {
                what: "more rows are to be forgotten than can have been learned".to_string(),
            }),
        }
    }

    /// The occurrences of everything in every class: each sum in an estimate is at most this.
    fn total(&self) -> u128 {
        self.blocks.iter().flat_map(|cells| &cells.times).map(|&times| u128::from(times)).sum()
    }

    /// Takes back what `other` has seen. If any of it was never added, nothing is changed.
    pub fn subtract(&mut self, other: &TextCounts, class_map: &[u32]) -> Result<()> {
        self.check_match(other, class_map)?;
        let ids = self.dictionary.locate(&other.dictionary);
        for (block, (ours, theirs)) in self.blocks.iter().zip(&other.blocks).enumerate() {
            for (id, &place) in ids[block].iter().enumerate() {
                let known = |count| place != UNKNOWN && ours.covers(place as usize, count);
                if !theirs.row(id).all(|count| known(mapped(count, class_map))) {
                    let spelling = other.dictionary.spellings()[block].get(id).to_vec();
                    return Err(Error::NotLearned {
                        what: format!(
                            "`{}` was not learned as often as it is to be forgotten",
                            String::from_utf8_lossy(&spelling)
                        ),
                    });
                }
            }
        }
        for (block, (ours, theirs)) in self.blocks.iter_mut().zip(&other.blocks).enumerate() {
            for (id, &place) in ids[block].iter().enumerate() {
                for count in theirs.row(id) {
                    ours.subtract(place as usize, mapped(count, class_map));
                }
            }
        }
        Ok(())
    }

    fn check_match(&self, other: &TextCounts, class_map: &[u32]) -> Result<()> {
        let what = if self.reading != other.reading {
            "the texts were read differently".to_string()
        } else if class_map.len() < other.classes() {
            format!("{} classes are mapped, but there are {}", class_map.len(), other.classes())
        } else {
            return Ok(());
        };
        Err(Error::Shape { what })
    }

    /// Counts put together from outside; too large a total is refused.
    pub(crate) fn from_parts(
        reading: Reading,
        dictionary: Dictionary,
        blocks: Vec<Cells>,
    ) -> Result<Self> {
        let counts = TextCounts { reading, dictionary: Arc::new(dictionary), blocks };
        match counts.total() > u128::from(u64::MAX) {
            true => Err(Error::Corrupt { what: "its counts exceed 2^64 - 1".to_string() }),
            false => Ok(counts),
        }
    }

    /// The kinds of features that count, with the block of each.
    pub fn counted(&self) -> impl Iterator<Item = (usize, Kind)> + '_ {
        let kinds = self.dictionary.kinds().iter().copied().enumerate();
        kinds.filter(|&(_, kind)| self.reading.counts(kind))
    }
}

fn mapped(count: Count, class_map: &[u32]) -> Count {
    Count { class: class_map[count.class as usize], ..count }
}

/// Texts are measured in 32 bits inside the kernel.
pub fn check_lengths(texts: &[&str]) -> Result<()> {
    match texts.iter().position(|text| text.len() > crate::LONGEST_TEXT) {
        None => Ok(()),
        Some(row) => Err(Error::TextTooLong { row, bytes: texts[row].len() }),
    }
}

fn flush(
    class: u32,
    blocks: &mut [Cells],
    running: &mut [Vec<Running>],
    touched: &mut [Vec<u32>],
) -> Result<()> {
    for ((cells, running), touched) in blocks.iter_mut().zip(running).zip(touched) {
        cells.extend_to(running.len());
        if cells.features() as u64 + touched.len() as u64 >= u64::from(UNKNOWN) {
            return Err(Error::TooManyFeatures);
        }
        for id in touched.drain(..) {
            let seen = std::mem::take(&mut running[id as usize]);
            let count =
                Count { class, times: u64::from(seen.times), documents: u64::from(seen.documents) };
            cells.add_row(id as usize, [count]);
        }
    }
    Ok(())
}
