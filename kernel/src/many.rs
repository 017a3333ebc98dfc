//! Adding weights up where there are many classes.
//!
//! Most features were seen in one class, some in a few, and those that occur most in nearly all. So a
//! feature has a list of weights or a whole row of them. To look at memory is what this costs, so
//! little of it is looked at: four bytes of a feature tell where its weights are, those that have one
//! weight share it with their like, and a row that a text has several times is added once. Which of
//! both comes next in a text is anyone's guess, so no branch depends on it.

use crate::distinct::Distinct;
use std::collections::HashMap;
use wide::f64x4;

/// The weights of some features, laid out for adding.
pub struct Many {
    /// Where the list of each feature begins, or, marked by [`ROW`], the number of its row. A last
    /// place, of no weight, is for features that are unknown.
    places: Vec<u32>,
    lists: Vec<Weight>,
    rows: Vec<Lane>,
    /// How many lanes make a row.
    width: usize,
}

const ROW: u32 = 1 << 31;

/// The weight of a class, and how many more of the list follow.
#[derive(Clone, Copy)]
struct Weight {
    class: u32,
    more: u32,
    log: f64,
}

/// Eight classes: a line of the cache.
#[derive(Clone, Copy, Default)]
#[repr(align(64))]
struct Lane([f64x4; 2]);

impl Lane {
    #[inline(always)]
    fn add(lanes: &mut [Lane], class: u32, log: f64) {
        let class = class as usize;
        lanes[class / 8].0[class / 4 % 2].as_mut_array()[class % 4] += log;
    }
}

/// Sums per class, and scratch space that is used again for each text.
#[derive(Default)]
pub struct Sums {
    lanes: Vec<Lane>,
    lists: Vec<u32>,
    rows: Vec<u32>,
    distinct: Distinct,
}

impl Sums {
    pub fn clear(&mut self, classes: usize) {
        self.lanes.clear();
        self.lanes.resize(classes.div_ceil(8), Lane::default());
    }

    /// The sum of each class, and some zeros behind them.
    pub fn iter(&self) -> impl Iterator<Item = f64> + '_ {
        self.lanes.iter().flat_map(|lane| lane.0).flat_map(f64x4::to_array)
    }
}

/// So many rows are added in one walk over the sums, which are read and written once then.
const AT_ONCE: usize = 4;

impl Many {
    /// `features` gives the class and weight of each feature wherever it has one.
    pub fn new<W>(classes: usize, features: impl Iterator<Item = W>) -> Self
    where
        W: ExactSizeIterator<Item = (u32, f64)>,
    {
        let mut many = Many {
            places: Vec::new(),
            lists: vec![Weight { class: 0, more: 0, log: 0.0 }],
            rows: Vec::new(),
            width: classes.div_ceil(8).max(1),
        };
        let mut alone = HashMap::new();
        for mut weights in features {
            let (len, next) = (weights.len(), many.lists.len() as u32);
            let mut place = if len == 0 { 0 } else { next };
            if len > 1 && len * 4 >= classes {
                place = ROW | (many.rows.len() / many.width) as u32;
                many.push_row(weights);
            } else if len > 1 {
                let more = (0..len as u32).rev();
                many.lists.extend(weights.zip(more).map(|((class, log), more)| Weight {
                    class,
                    more,
                    log,
                }));
            } else if let Some((class, log)) = weights.next() {
                place = *alone.entry((class, log.to_bits())).or_insert(next);
                if place == next {
                    many.lists.push(Weight { class, more: 0, log });
                }
            }
            many.places.push(place);
        }
        many.places.push(0);
        many
    }

    fn push_row(&mut self, weights: impl Iterator<Item = (u32, f64)>) {
        let start = self.rows.len();
        self.rows.resize(start + self.width, Lane::default());
        weights.for_each(|(class, log)| Lane::add(&mut self.rows[start..], class, log));
    }

    /// Adds the weights of `ids` and returns how many of them have any.
    pub fn add_up(&self, ids: &[u32], sums: &mut Sums) -> usize {
        let Sums { lanes, lists, rows, distinct } = sums;
        lists.resize(ids.len(), 0);
        rows.resize(ids.len(), 0);
        let unknown = self.places.len() - 1;
        let (mut listed, mut whole, mut nowhere) = (0, 0, 0);
        for &id in ids {
            let place = self.places[(id as usize).min(unknown)];
            lists[listed] = place;
            rows[whole] = place & !ROW;
            listed += usize::from(place & ROW == 0);
            whole += usize::from(place & ROW != 0);
            nowhere += usize::from(place == 0);
        }
        // A first look at all of them lets the processor fetch many at once.
        let ahead = lists[..listed].iter().map(|&place| self.lists[place as usize].class);
        std::hint::black_box(ahead.fold(0, u32::wrapping_add));
        let row = |&(row, times): &(u32, u32)| {
            (&self.rows[row as usize * self.width..][..self.width], f64::from(times))
        };
        let found = distinct.of(&rows[..whole], self.rows.len() / self.width);
        let (fours, others) = found.as_chunks::<AT_ONCE>();
        fours.iter().for_each(|four| add_rows(lanes, four.each_ref().map(row)));
        others.iter().for_each(|one| add_rows(lanes, [row(one)]));
        for place in lists[..listed].iter().map(|&place| place as usize) {
            let Weight { class, more, log } = self.lists[place];
            Lane::add(lanes, class, log);
            for weight in &self.lists[place + 1..][..more as usize] {
                Lane::add(lanes, weight.class, weight.log);
            }
        }
        ids.len() - nowhere
    }
}

/// Adds to the sums each row as many times as it says.
#[inline(always)]
fn add_rows<const N: usize>(sums: &mut [Lane], rows: [(&[Lane], f64); N]) {
    let rows = rows.map(|(row, times)| (&row[..sums.len()], f64x4::splat(times)));
    for (place, sum) in sums.iter_mut().enumerate() {
        for (row, times) in rows {
            sum.0[0] += times * row[place].0[0];
            sum.0[1] += times * row[place].0[1];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn it_adds_what_each_occurrence_has(
            classes in 1usize..40,
            rows in prop::collection::vec(prop::collection::btree_map(0u32..40, 1i32..4, 0..40), 0..12),
            ids in prop::collection::vec(0u32..14, 0..60),
        ) {
            // Weights that are whole numbers, so that no order of adding rounds.
            let weights = |row: &std::collections::BTreeMap<u32, i32>| -> Vec<(u32, f64)> {
                let here = row.iter().filter(|(class, _)| (**class as usize) < classes);
                here.map(|(&class, &log)| (class, log.into())).collect()
            };
            let rows: Vec<_> = rows.iter().map(weights).collect();
            let many = Many::new(classes, rows.iter().map(|row| row.iter().copied()));
            let mut sums = Sums::default();
            sums.clear(classes);
            let known = many.add_up(&ids, &mut sums);
            let mut expected = vec![0.0; classes];
            let here: Vec<_> = ids.iter().filter_map(|&id| rows.get(id as usize)).collect();
            for (class, log) in here.iter().copied().flatten() {
                expected[*class as usize] += log;
            }
            prop_assert_eq!(known, here.iter().filter(|row| !row.is_empty()).count());
            prop_assert_eq!(sums.iter().take(classes).collect::<Vec<_>>(), expected);
            prop_assert!(sums.iter().skip(classes).all(|zero| zero == 0.0));
        }
    }
}
