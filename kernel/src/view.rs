//! Views of a text tally: what each classic estimator reads off the same counts.

use crate::cells::Count;
use crate::counts::TextCounts;

/// Which probabilities are read off the counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Model {
    /// Each class is an urn of tokens.
    Multinomial,
    /// The same, with each feature counted once per document.
    Binary,
    /// A document says of every feature whether it is there.
    Bernoulli,
    /// A class is judged by the urn of all the others.
    Complement,
}

/// An estimator with its settings. Nothing here changes what is counted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct View {
    pub model: Model,
    /// Added to every count; above zero for [`Model::Complement`].
    pub alpha: f64,
    /// A feature takes part while at least so many documents hold it.
    pub min_documents: u64,
}

/// The classes a caller speaks of, in its order: `rows[k]` documents of class `slots[k]`.
#[derive(Clone, Debug)]
pub struct Classes {
    pub slots: Vec<u32>,
    pub rows: Vec<u64>,
}

impl Classes {
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    /// Where each slot stands in the caller's order.
    fn positions(&self, slots: usize) -> Vec<u32> {
        let mut positions = vec![u32::MAX; slots];
        for (position, &slot) in self.slots.iter().enumerate() {
            if let Some(place) = positions.get_mut(slot as usize) {
                *place = position as u32;
            }
        }
        positions
    }
}

/// Up to this many classes, rows are kept whole: to know where a class stands is worth more than to
/// leave its zeros out.
pub const FEW: usize = 4;

/// The counts of a view's features, laid out for reading: a row per feature, its classes as the
/// caller orders them.
pub struct Rows {
    pub blocks: Vec<Block>,
    /// How many features take part.
    pub features: u64,
    /// Per class, the sum over those features.
    pub times: Vec<u64>,
    pub documents: Vec<u64>,
}

/// One block of [`Rows`]. A feature that takes no part has an empty row.
pub struct Block {
    starts: Vec<u32>,
    counts: Vec<Count>,
}

impl Block {
    pub fn features(&self) -> usize {
        self.starts.len() - 1
    }

    #[inline(always)]
    pub fn range(&self, id: u32) -> std::ops::Range<usize> {
        self.starts[id as usize] as usize..self.starts[id as usize + 1] as usize
    }

    #[inline(always)]
    pub fn row(&self, id: u32) -> &[Count] {
        &self.counts[self.range(id)]
    }

    /// Fills the row that begins at `start` up with zeros and puts it in the order of the classes.
    fn complete(&mut self, start: usize, classes: usize) {
        let mut row = [Count::default(); FEW];
        for (class, count) in row.iter_mut().enumerate() {
            count.class = class as u32;
        }
        for count in self.counts.drain(start..) {
            row[count.class as usize] = count;
        }
        self.counts.extend_from_slice(&row[..classes]);
    }

    pub fn counts(&self) -> &[Count] {
        &self.counts
    }

    pub fn rows(&self) -> impl Iterator<Item = &[Count]> + '_ {
        self.starts.windows(2).map(|pair| &self.counts[pair[0] as usize..pair[1] as usize])
    }
}

impl Rows {
    pub fn new(counts: &TextCounts, classes: &Classes, min_documents: u64) -> Self {
        let mut rows = Rows {
            blocks: Vec::new(),
            features: 0,
            times: vec![0; classes.len()],
            documents: vec![0; classes.len()],
        };
        let positions = classes.positions(counts.classes());
        for (cells, len) in counts.blocks().iter().zip(counts.dictionary().blocks()) {
            let mut block = Block { starts: Vec::with_capacity(len + 1), counts: Vec::new() };
            for id in 0..len {
                block.starts.push(block.counts.len() as u32);
                if min_documents > 1
                    && cells.row(id).map(|count| count.documents).sum::<u64>() < min_documents
                {
                    continue;
                }
                let start = block.counts.len();
                block.counts.extend(
                    cells
                        .row(id)
                        .map(|count| Count { class: positions[count.class as usize], ..count }),
                );
                let row = &mut block.counts[start..];
                rows.features += u64::from(!row.is_empty());
                if !row.is_empty() && classes.len() <= FEW {
                    block.complete(start, classes.len());
                }
                let row = &block.counts[start..];
                for count in row {
                    rows.times[count.class as usize] += count.times;
                    rows.documents[count.class as usize] += count.documents;
                }
            }
            block.starts.push(block.counts.len() as u32);
            rows.blocks.push(block);
        }
        rows
    }
}
