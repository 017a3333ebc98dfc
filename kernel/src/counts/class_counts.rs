//! The counts of one block of features while they are counted: for each feature, the classes it was seen in.

use crate::error::{Error, Result};

const NONE: u32 = u32::MAX;

/// How often a feature was seen in one class, and in how many of its documents.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Count {
    pub(crate) class: u32,
    pub(crate) occurrences: u64,
    pub(crate) documents: u64,
}

/// A [`Count`], and where the next one of its row stands.
#[derive(Clone, Copy)]
struct Cell {
    class: u32,
    next: u32,
    occurrences: u64,
    documents: u64,
}

impl Cell {
    #[inline(always)]
    fn count(&self) -> Count {
        Count { class: self.class, occurrences: self.occurrences, documents: self.documents }
    }
}

/// A row of [`Count`]s per feature. A feature seen in 3 of 1,000 classes costs 3 cells.
///
/// Rows are chains with the highest class first. Observing goes through the classes from the lowest
/// up, so a new cell is always put at the head; merging two rows walks both once.
#[derive(Clone, Default)]
pub(crate) struct ClassCounts {
    first: Vec<u32>,
    cells: Vec<Cell>,
    /// Per class: the occurrences of all features, and in how many documents, summed over features.
    pub(crate) occurrences: Vec<u64>,
    pub(crate) documents: Vec<u64>,
}

impl ClassCounts {
    pub(crate) fn new(classes: usize) -> Self {
        ClassCounts {
            occurrences: vec![0; classes],
            documents: vec![0; classes],
            ..ClassCounts::default()
        }
    }

    /// Makes room for ids below `features`.
    pub(crate) fn extend_to(&mut self, features: usize) {
        if features > self.first.len() {
            self.first.resize(features, NONE);
        }
    }

    pub(crate) fn features(&self) -> usize {
        self.first.len()
    }

    /// The counts of a feature, highest class first. Empty for a feature that is gone.
    pub(crate) fn row(&self, id: usize) -> impl Iterator<Item = Count> + '_ {
        let mut at = self.first.get(id).copied().unwrap_or(NONE);
        std::iter::from_fn(move || {
            let cell = self.cells.get(at as usize)?;
            at = cell.next;
            Some(cell.count())
        })
    }

    /// Adds counts to the row of feature `id`; they come with the highest class first.
    ///
    /// The caller has checked that the sum of all counts fits in 64 bits, so that none overflows.
    pub(crate) fn add_row(&mut self, id: usize, counts: impl IntoIterator<Item = Count>) {
        let mut before = NONE;
        let mut at = self.first[id];
        for count in counts {
            self.occurrences[count.class as usize] += count.occurrences;
            self.documents[count.class as usize] += count.documents;
            while at != NONE && self.cells[at as usize].class > count.class {
                before = at;
                at = self.cells[at as usize].next;
            }
            if at != NONE && self.cells[at as usize].class == count.class {
                let cell = &mut self.cells[at as usize];
                cell.occurrences += count.occurrences;
                cell.documents += count.documents;
                continue;
            }
            let Count { class, occurrences, documents } = count;
            let fresh = self.insert(Cell { class, next: at, occurrences, documents });
            self.link(id, before, fresh);
            before = fresh;
        }
    }

    fn insert(&mut self, cell: Cell) -> u32 {
        self.cells.push(cell);
        self.cells.len() as u32 - 1
    }

    fn link(&mut self, id: usize, before: u32, next: u32) {
        match before {
            NONE => self.first[id] = next,
            _ => self.cells[before as usize].next = next,
        }
    }

    /// Whether the cells of `other` still find a place; places are 32-bit numbers.
    pub(crate) fn check_room(&self, other: &ClassCounts) -> Result<()> {
        match self.cells.len() + other.cells.len() < NONE as usize {
            true => Ok(()),
            false => Err(Error::TooManyFeatures),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        #[test]
        fn rows_are_sparse_vectors(steps in prop::collection::vec((0usize..5, 0u32..6, 1u64..4), 0..60)) {
            let mut cells = ClassCounts::new(6);
            cells.extend_to(5);
            let mut model: BTreeMap<(usize, u32), u64> = BTreeMap::new();
            for (id, class, occurrences) in steps {
                cells.add_row(id, [Count { class, occurrences, documents: occurrences }]);
                *model.entry((id, class)).or_default() += occurrences;
            }
            for id in 0..5 {
                let row: Vec<_> = cells.row(id).map(|count| (count.class, count.occurrences)).collect();
                let mut expected: Vec<_> = model.range((id, 0)..(id + 1, 0)).map(|(key, &n)| (key.1, n)).collect();
                expected.reverse();
                prop_assert_eq!(row, expected);
            }
        }
    }
}
