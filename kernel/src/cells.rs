//! The counts of one block of features: for each feature, the classes it was seen in.

use crate::error::{Error, Result};

const NONE: u32 = u32::MAX;

/// How often a feature was seen in one class, and in how many of its documents.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    pub class: u32,
    pub times: u64,
    pub documents: u64,
}

/// A [`Count`], and where the next one of its row stands.
#[derive(Clone, Copy)]
struct Cell {
    class: u32,
    next: u32,
    times: u64,
    documents: u64,
}

impl Cell {
    #[inline(always)]
    fn count(&self) -> Count {
        Count { class: self.class, times: self.times, documents: self.documents }
    }
}

/// A row of [`Count`]s per feature. A feature seen in 3 of 1,000 classes costs 3 cells.
///
/// Rows are chains with the highest class first. Observing goes through the classes from the lowest
/// up, so a new cell is always put at the head; merging two rows walks both once.
#[derive(Clone, Default)]
pub struct Cells {
    first: Vec<u32>,
    cells: Vec<Cell>,
    free: u32,
    /// Per class: the occurrences of all features, and in how many documents, summed over features.
    pub times: Vec<u64>,
    pub documents: Vec<u64>,
}

impl Cells {
    pub fn new(classes: usize) -> Self {
        Cells {
            free: NONE,
            times: vec![0; classes],
            documents: vec![0; classes],
            ..Cells::default()
        }
    }

    /// Makes room for ids below `features`.
    pub fn extend_to(&mut self, features: usize) {
        if features > self.first.len() {
            self.first.resize(features, NONE);
        }
    }

    pub fn features(&self) -> usize {
        self.first.len()
    }

    /// How many counts there are room for: no fewer than there are.
    pub fn len(&self) -> usize {
        self.cells.len()
    }

    /// How many features have a count.
    pub fn live(&self) -> usize {
        self.first.iter().filter(|&&first| first != NONE).count()
    }

    /// The counts of a feature, highest class first. Empty for a feature that is gone.
    pub fn row(&self, id: usize) -> impl Iterator<Item = Count> + '_ {
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
    pub fn add_row(&mut self, id: usize, counts: impl IntoIterator<Item = Count>) {
        let mut before = NONE;
        let mut at = self.first[id];
        for count in counts {
            self.times[count.class as usize] += count.times;
            self.documents[count.class as usize] += count.documents;
            while at != NONE && self.cells[at as usize].class > count.class {
                before = at;
                at = self.cells[at as usize].next;
            }
            if at != NONE && self.cells[at as usize].class == count.class {
                let cell = &mut self.cells[at as usize];
                cell.times += count.times;
                cell.documents += count.documents;
                continue;
            }
            let Count { class, times, documents } = count;
            let fresh = self.insert(Cell { class, next: at, times, documents });
            self.link(id, before, fresh);
            before = fresh;
        }
    }

    fn insert(&mut self, cell: Cell) -> u32 {
        if self.free == NONE {
            self.cells.push(cell);
            return self.cells.len() as u32 - 1;
        }
        let place = self.free;
        self.free = std::mem::replace(&mut self.cells[place as usize], cell).next;
        place
    }

    fn link(&mut self, id: usize, before: u32, next: u32) {
        match before {
            NONE => self.first[id] = next,
            _ => self.cells[before as usize].next = next,
        }
    }

    /// Whether the cells of `other` still find a place; places are 32-bit numbers.
    pub fn check_room(&self, other: &Cells) -> Result<()> {
        match self.cells.len() + other.cells.len() < NONE as usize {
            true => Ok(()),
            false => Err(Error::TooManyFeatures),
        }
    }

    /// Whether these counts can be taken from the row of `id` and leave something that could have been
    /// counted: as many documents as occurrences at the most, and none of one without the other.
    pub fn covers(&self, id: usize, count: Count) -> bool {
        self.row(id).find(|ours| ours.class == count.class).is_some_and(|ours| {
            let times = ours.times.checked_sub(count.times);
            let documents = ours.documents.checked_sub(count.documents);
            match (times, documents) {
                (Some(times), Some(documents)) => {
                    documents <= times && (times == 0) == (documents == 0)
                }
                _ => false,
            }
        })
    }

    /// Whether no feature is in more documents of a class than the class has.
    pub fn fits(&self, rows: &[u64]) -> bool {
        let fits = |count: Count| {
            rows.get(count.class as usize).is_some_and(|&rows| count.documents <= rows)
        };
        (0..self.features()).all(|id| self.row(id).all(fits))
    }

    /// Takes a count back that [`Cells::covers`]; a cell that falls to zero is gone.
    pub fn subtract(&mut self, id: usize, count: Count) {
        self.times[count.class as usize] -= count.times;
        self.documents[count.class as usize] -= count.documents;
        let mut before = NONE;
        let mut at = self.first[id];
        while at != NONE && self.cells[at as usize].class != count.class {
            before = at;
            at = self.cells[at as usize].next;
        }
        let Some(cell) = self.cells.get_mut(at as usize) else {
            return;
        };
        cell.times -= count.times;
        cell.documents -= count.documents;
        if cell.times == 0 {
            let next = std::mem::replace(&mut cell.next, self.free);
            self.free = at;
            self.link(id, before, next);
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
            let mut cells = Cells::new(6);
            cells.extend_to(5);
            let mut model: BTreeMap<(usize, u32), u64> = BTreeMap::new();
            for (id, class, times) in steps {
                let count = Count { class, times, documents: times };
                if times == 3 && cells.covers(id, count) {
                    cells.subtract(id, count);
                    let left = model.get_mut(&(id, class)).unwrap();
                    *left -= times;
                    if *left == 0 { model.remove(&(id, class)); }
                } else {
                    cells.add_row(id, [count]);
                    *model.entry((id, class)).or_default() += times;
                }
            }
            for id in 0..5 {
                let row: Vec<_> = cells.row(id).map(|count| (count.class, count.times)).collect();
                let mut expected: Vec<_> = model.range((id, 0)..(id + 1, 0)).map(|(key, &n)| (key.1, n)).collect();
                expected.reverse();
                prop_assert_eq!(row, expected);
            }
        }
    }
}
