//! Adding weights up where there are many classes.
//!
//! Most features were seen in one class, some in a few, and those that occur most in nearly all. So a
//! feature has a list of weights or a whole row of them. To look at memory is what this costs, so
//! little of it is looked at: four bytes of a feature tell where its weights are, those that have one
//! weight share it with their like, and a row that a text has several times is added once. Which of
//! both comes next in a text is anyone's guess, so no branch depends on it.

use crate::dictionary::distinct_features::Distinct;
use std::collections::HashMap;
use wide::f64x4;

/// The weights of some features, laid out for adding.
#[derive(Default)]
pub(crate) struct Many {
    /// Where the weights of each feature are. A last place, of none, is for features that are unknown.
    places: Vec<Place>,
    lists: Vec<Weight>,
    rows: Vec<Lane>,
    /// How many lanes make a row.
    width: usize,
    /// How many features each row is the sum of.
    depths: Vec<u32>,
}

/// Where the weights of a feature are: where a list begins, or, marked by [`ROW`], the number of a row.
/// Zero is the list of nothing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Place(u32);

const ROW: u32 = 1 << 31;

impl Place {
    pub(crate) const NOWHERE: Place = Place(0);

    /// This place, or nowhere. Without a branch.
    #[inline(always)]
    pub(crate) fn only_if(self, here: bool) -> Self {
        Place(self.0 & u32::from(here).wrapping_neg())
    }

    pub(crate) fn is_row(self) -> bool {
        self.0 & ROW != 0
    }
}

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
pub(crate) struct Sums {
    lanes: Vec<Lane>,
    distinct: Distinct,
}

impl Sums {
    pub(crate) fn clear(&mut self, classes: usize) {
        self.lanes.clear();
        self.lanes.resize(classes.div_ceil(8), Lane::default());
    }

    /// The sum of each class, and some zeros behind them.
    pub(crate) fn iter(&self) -> impl Iterator<Item = f64> + '_ {
        self.lanes.iter().flat_map(|lane| lane.0).flat_map(f64x4::to_array)
    }
}

/// Weights that were found and are to be added.
#[derive(Default)]
pub(crate) struct Found {
    lists: Vec<u32>,
    rows: Vec<u32>,
}

impl Found {
    /// Lets `fill` push where the weights of at most `most` features are.
    #[inline(always)]
    pub(crate) fn extend(&mut self, most: usize, fill: impl FnOnce(&mut Room<'_>)) {
        let (listed, whole) = (self.lists.len(), self.rows.len());
        // One more, since what is pushed is written first and then counted or not.
        self.lists.resize(listed + most + 1, 0);
        self.rows.resize(whole + most + 1, 0);
        let mut room = Room { lists: &mut self.lists, rows: &mut self.rows, listed, whole };
        fill(&mut room);
        let Room { listed, whole, .. } = room;
        self.lists.truncate(listed);
        self.rows.truncate(whole);
    }
}

/// Room for so much as was asked for.
pub(crate) struct Room<'a> {
    lists: &'a mut [u32],
    rows: &'a mut [u32],
    listed: usize,
    whole: usize,
}

impl Room<'_> {
    #[inline(always)]
    pub(crate) fn push(&mut self, Place(place): Place) {
        self.lists[self.listed] = place;
        self.rows[self.whole] = place & !ROW;
        self.listed += usize::from((place != 0) & (place & ROW == 0));
        self.whole += usize::from(place & ROW != 0);
    }
}

/// So many rows are added in one walk over the sums, which are read and written once then.
const AT_ONCE: usize = 4;

impl Many {
    /// `features` gives the class and weight of each feature wherever it has one. Equal rows are `shared`,
    /// unless they are to change: so whatever was counted beside it, what has the same weights is added up in the
    /// same order.
    pub(crate) fn new<W>(classes: usize, features: impl Iterator<Item = W>, shared: bool) -> Self
    where
        W: ExactSizeIterator<Item = (u32, f64)>,
    {
        let mut many = Many {
            places: Vec::new(),
            lists: vec![Weight { class: 0, more: 0, log: 0.0 }],
            rows: Vec::new(),
            width: classes.div_ceil(8).max(1),
            depths: Vec::new(),
        };
        let mut alone = HashMap::new();
        let mut known: HashMap<Vec<(u32, u64)>, u32> = HashMap::new();
        for mut weights in features {
            let (len, next) = (weights.len(), many.lists.len() as u32);
            let mut place = if len == 0 { 0 } else { next };
            if len > 1 && len * 6 >= classes {
                let row: Vec<(u32, f64)> = weights.collect();
                let fresh = ROW | many.depths.len() as u32;
                place = match shared {
                    true => {
                        let bits = row.iter().map(|&(class, log)| (class, log.to_bits()));
                        *known.entry(bits.collect()).or_insert(fresh)
                    }
                    false => fresh,
                };
                if place == fresh {
                    many.push_row(row.into_iter());
                }
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
            many.places.push(Place(place));
        }
        many.places.push(Place::NOWHERE);
        many
    }

    fn push_row(&mut self, weights: impl Iterator<Item = (u32, f64)>) {
        let start = self.rows.len();
        self.rows.resize(start + self.width, Lane::default());
        weights.for_each(|(class, log)| Lane::add(&mut self.rows[start..], class, log));
        self.depths.push(1);
    }

    /// Adds the row of one feature to that of another, which from then on stands for both.
    pub(crate) fn add_row(&mut self, id: u32, to: u32) {
        let row = |id| (self.place(id).0 & !ROW) as usize;
        let (row, to) = (row(id), row(to));
        for lane in 0..self.width {
            let more = self.rows[row * self.width + lane];
            let sum = &mut self.rows[to * self.width + lane];
            sum.0[0] += more.0[0];
            sum.0[1] += more.0[1];
        }
        self.depths[to] += self.depths[row];
    }

    /// Where the weights of a feature are.
    #[inline(always)]
    pub(crate) fn place(&self, id: u32) -> Place {
        self.places[(id as usize).min(self.places.len() - 1)]
    }

    /// Adds what was found, which is then done with, and returns how many features these were.
    pub(crate) fn add_up(&self, found: &mut Found, sums: &mut Sums) -> usize {
        let Sums { lanes, distinct } = sums;
        let Found { lists, rows } = found;
        // A first look at all of them lets the processor fetch many at once.
        let ahead = lists.iter().map(|&place| self.lists[place as usize].class);
        std::hint::black_box(ahead.fold(0, u32::wrapping_add));
        let mut features = lists.len();
        let rows_found = distinct.of(rows, self.depths.len());
        for &(row, times) in rows_found {
            features += self.depths[row as usize] as usize * times as usize;
        }
        let row = |&(row, times): &(u32, u32)| {
            (&self.rows[row as usize * self.width..][..self.width], f64::from(times))
        };
        let (fours, others) = rows_found.as_chunks::<AT_ONCE>();
        fours.iter().for_each(|four| add_rows(lanes, four.each_ref().map(row)));
        others.iter().for_each(|one| add_rows(lanes, [row(one)]));
        for place in lists.iter().map(|&place| place as usize) {
            let Weight { class, more, log } = self.lists[place];
            Lane::add(lanes, class, log);
            for weight in &self.lists[place + 1..][..more as usize] {
                Lane::add(lanes, weight.class, weight.log);
            }
        }
        lists.clear();
        rows.clear();
        features
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
            let many = Many::new(classes, rows.iter().map(|row| row.iter().copied()), true);
            let mut sums = Sums::default();
            sums.clear(classes);
            let mut found = Found::default();
            found.extend(ids.len(), |room| ids.iter().for_each(|&id| room.push(many.place(id))));
            let known = many.add_up(&mut found, &mut sums);
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
