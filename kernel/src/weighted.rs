//! Moments of rows that may weigh more or less than one: per class the weight, the sums, and the sums
//! of squares or of all products.
//!
//! w·x and w·x·y are summed without rounding, as [`crate::moments`] sums x and x·y: a row of weight 3
//! is, to the last bit, three rows. Weights that are whole numbers of parts (see [`crate::parts`]) are
//! summed in integers, block by block.

use crate::error::{Error, Result};
use crate::exact::{ExactSum, Limbs, covariance, mean};
use crate::moments::{BLOCK, Grid, Layout, Moments, Sums, check_values, infinite};
use crate::parts::check_parts;
use crate::rows::check_classes;

/// The sums of one class.
#[derive(Clone, Debug, PartialEq)]
struct Class {
    weight: ExactSum,
    sums: Vec<ExactSum>,
    products: Vec<ExactSum>,
}

/// Weighted sums per class, over rows without gaps. Exact, additive.
#[derive(Clone, Debug, PartialEq)]
pub struct WeightedMoments {
    pub layout: Layout,
    classes: Vec<Class>,
}

impl Class {
    fn of(sums: Sums) -> Self {
        let weight = sums.counts.first().copied().unwrap_or(0).into();
        Class { weight, sums: sums.sums, products: sums.products }
    }

    fn all(&self) -> impl Iterator<Item = &ExactSum> {
        std::iter::once(&self.weight).chain(&self.sums).chain(&self.products)
    }

    fn all_mut(&mut self) -> impl Iterator<Item = &mut ExactSum> {
        std::iter::once(&mut self.weight).chain(&mut self.sums).chain(&mut self.products)
    }

    fn merge(&mut self, other: &Self) {
        self.all_mut().zip(other.all()).for_each(|(ours, theirs)| ours.merge(theirs));
    }

    /// Adds one row of finite numbers.
    fn add(&mut self, layout: Layout, row: &[f64], weight: f64) {
        let put = |sum: &mut ExactSum, x: f64, y: f64| {
            let added = sum.add_product(x, y);
            debug_assert!(added.is_ok());
        };
        put(&mut self.weight, weight, 1.0);
        for (j, &x) in row.iter().enumerate() {
            put(&mut self.sums[j], weight, x);
            let (high, low) = in_two(weight, x);
            for i in if layout.together { 0..j + 1 } else { j..j + 1 } {
                let product = &mut self.products[layout.product(i, j)];
                put(product, high, row[i]);
                put(product, low, row[i]);
            }
        }
    }
}

/// w·x as two numbers, so that w·x·y is whole.
fn in_two(weight: f64, x: f64) -> (f64, f64) {
    let high = weight * x;
    (high, weight.mul_add(x, -high))
}

/// Where a product of a number and its parts is cut in two, so that each half times another number
/// fits in 128 bits, a block of them; and where a square is, so that each half times its parts does.
const CUT: u32 = 46;
const CUT_SQUARE: u32 = 60;
const MOST_PARTS: u64 = 1 << 45;

impl Moments {
    /// Sums up rows of numbers, each under every class as often as its parts say: row by row in
    /// `parts`.
    pub fn observe_parts(
        layout: Layout,
        values: &[f64],
        parts: &[u64],
        n_classes: usize,
        threads: usize,
    ) -> Result<Self> {
        let n_rows = values.len() / layout.columns.max(1);
        check_values(layout, values, n_rows)?;
        check_parts(n_rows, parts, n_classes)?;
        if parts.iter().any(|&part| part > MOST_PARTS) {
            return Err(Error::Overflow);
        }
        let rows: Vec<u32> = (0..n_rows as u32).collect();
        let found = crate::parallel::each(
            crate::parallel::shares(&rows, |_| 1, threads),
            |share| -> Result<Self> {
                let mut moments = Self::zero(layout, n_classes);
                let mut block = Block::new(layout, values);
                let mut taken = Taken::new(layout);
                for rows in share.chunks(BLOCK) {
                    block.fill(rows)?;
                    for (class, sums) in moments.classes.iter_mut().enumerate() {
                        let part = |row: u32| parts[row as usize * n_classes + class];
                        taken.fill(block.rows.iter().map(|&row| part(row)));
                        block.add_to(sums, &mut taken)?;
                    }
                }
                Ok(moments)
            },
        );
        let mut moments = Self::zero(layout, n_classes);
        for more in found {
            moments.classes.iter_mut().zip(&more?.classes).for_each(|(a, b)| a.merge(b));
        }
        Ok(moments)
    }
}

/// The rows of a block that a class has a part of. EM leaves most rows with few classes.
struct Taken {
    length: usize,
    places: [u8; BLOCK],
    // Signed, since a product of two signed 64-bit numbers is one instruction.
    weights: [i64; BLOCK],
    total: u64,
    /// The multiples of each column at these places.
    columns: Vec<[i64; BLOCK]>,
}

impl Taken {
    fn new(layout: Layout) -> Self {
        let columns = vec![[0; BLOCK]; layout.columns];
        Taken { length: 0, places: [0; BLOCK], weights: [0; BLOCK], total: 0, columns }
    }

    /// Without a branch, as no processor can guess who has a part of what.
    fn fill(&mut self, parts: impl Iterator<Item = u64>) {
        (self.length, self.total) = (0, 0);
        for (place, part) in parts.enumerate() {
            let at = self.length.min(BLOCK - 1);
            self.places[at] = place as u8;
            self.weights[at] = part as i64;
            self.length += usize::from(part != 0);
            self.total += part;
        }
    }

    fn each(&self) -> impl Iterator<Item = (usize, i64)> + '_ {
        let places = self.places[..self.length].iter().map(|&place| place as usize % BLOCK);
        places.zip(self.weights.iter().copied())
    }
}

/// Some rows, and each of their columns as whole multiples of a power of two.
struct Block<'a> {
    layout: Layout,
    values: &'a [f64],
    rows: Vec<u32>,
    grids: Vec<Grid>,
    /// Which columns have gaps here.
    gaps: Vec<bool>,
    /// The squares of each column's multiples, in two; empty where columns are taken together.
    squares: Vec<[(i64, i64); BLOCK]>,
}

impl<'a> Block<'a> {
    fn new(layout: Layout, values: &'a [f64]) -> Self {
        let columns = layout.columns;
        Block {
            layout,
            values,
            rows: Vec::with_capacity(BLOCK),
            grids: vec![Grid::default(); columns],
            gaps: vec![false; columns],
            squares: vec![[(0, 0); BLOCK]; if layout.together { 0 } else { columns }],
        }
    }

    fn fill(&mut self, rows: &[u32]) -> Result<()> {
        let (columns, values) = (self.layout.columns, self.values);
        let row_of = |row: u32| &values[row as usize * columns..][..columns];
        let together = self.layout.together;
        let counts = |row: &&u32| !together || row_of(**row).iter().all(|x| !x.is_nan());
        self.rows.clear();
        self.rows.extend(rows.iter().filter(counts));
        let mut numbers = [0.0; BLOCK];
        for (j, grid) in self.grids.iter_mut().enumerate() {
            self.gaps[j] = false;
            for (number, &row) in numbers.iter_mut().zip(&self.rows) {
                let x = row_of(row)[j];
                self.gaps[j] |= x.is_nan();
                *number = if x.is_nan() { 0.0 } else { x };
            }
            let found = grid.fill(&numbers[..self.rows.len()]);
            found.map_err(|row| infinite(self.rows[row], j))?;
        }
        for (squares, grid) in self.squares.iter_mut().zip(&self.grids) {
            for (square, &multiple) in squares.iter_mut().zip(grid.multiples()) {
                let whole = i128::from(multiple) * i128::from(multiple);
                *square = ((whole >> CUT_SQUARE) as i64, (whole & ((1 << CUT_SQUARE) - 1)) as i64);
            }
        }
        Ok(())
    }

    fn number(&self, place: usize, column: usize) -> f64 {
        self.values[self.rows[place] as usize * self.layout.columns + column]
    }

    fn add_to(&self, sums: &mut Sums, taken: &mut Taken) -> Result<()> {
        if taken.total == 0 {
            return Ok(());
        }
        if self.layout.together {
            self.add_together(sums, taken);
        } else {
            self.add_apart(sums, taken);
        }
        for (j, grid) in self.grids.iter().enumerate() {
            for &fine in &grid.too_fine {
                let found = taken.each().find(|&(place, _)| place == fine as usize);
                if let Some((place, weight)) = found {
                    self.add_alone(sums, place, j, weight as f64)?;
                }
            }
        }
        Ok(())
    }

    fn add_apart(&self, sums: &mut Sums, taken: &Taken) {
        for (j, (grid, squares)) in self.grids.iter().zip(&self.squares).enumerate() {
            let there = |&(place, _): &(usize, i64)| !self.number(place, j).is_nan();
            sums.counts[j] += match self.gaps[j] {
                true => taken.each().filter(there).map(|(_, weight)| weight as u64).sum(),
                false => taken.total,
            };
            let (mut sum, mut highs, mut lows) = (0i128, 0i128, 0i128);
            for (place, weight) in taken.each() {
                let (weight, (high, low)) = (i128::from(weight), squares[place]);
                sum += i128::from(grid.multiples[place]) * weight;
                highs += i128::from(high) * weight;
                lows += i128::from(low) * weight;
            }
            sums.sums[j].add_scaled(sum, grid.exponent);
            let exponent = 2 * grid.exponent;
            sums.products[j].add_scaled(highs, exponent + CUT_SQUARE as i32);
            sums.products[j].add_scaled(lows, exponent);
        }
    }

    fn add_together(&self, sums: &mut Sums, taken: &mut Taken) {
        sums.counts[0] += taken.total;
        let Taken { length, places, weights, columns, .. } = taken;
        let (mut highs, mut lows) = ([0i64; BLOCK], [0i64; BLOCK]);
        let n = *length;
        for (j, grid) in self.grids.iter().enumerate() {
            let mut sum = 0i128;
            let halves = highs.iter_mut().zip(&mut lows).zip(&mut columns[j]);
            for (((high, low), taken), (&place, &weight)) in
                halves.zip(places[..n].iter().zip(weights.iter()))
            {
                *taken = grid.multiples[place as usize % BLOCK];
                let whole = i128::from(*taken) * i128::from(weight);
                sum += whole;
                *high = (whole >> CUT) as i64;
                *low = (whole & ((1 << CUT) - 1)) as i64;
            }
            sums.sums[j].add_scaled(sum, grid.exponent);
            for (i, other) in columns[..=j].iter().enumerate() {
                let times = |halves: &[i64]| -> i128 {
                    let pairs = halves.iter().zip(other);
                    pairs.map(|(&half, &other)| i128::from(half) * i128::from(other)).sum()
                };
                let exponent = grid.exponent + self.grids[i].exponent;
                let product = &mut sums.products[self.layout.product(i, j)];
                product.add_scaled(times(&highs[..n]), exponent + CUT as i32);
                product.add_scaled(times(&lows[..n]), exponent);
            }
        }
    }

    /// Adds a number that is too fine for its grid.
    fn add_alone(&self, sums: &mut Sums, place: usize, j: usize, weight: f64) -> Result<()> {
        let (high, low) = in_two(weight, self.number(place, j));
        let too_large = |_| {
            let row = self.rows[place];
            Error::Shape { what: format!("row {row} is too large to be counted in parts") }
        };
        sums.sums[j].add_all(&[high, low]).map_err(too_large)?;
        for i in if self.layout.together { 0..self.layout.columns } else { j..j + 1 } {
            // A pair of two such numbers is entered once, by the first of them.
            if i < j && self.grids[i].too_fine.contains(&(place as u32)) {
                continue;
            }
            let y = self.number(place, i);
            let product = &mut sums.products[self.layout.product(i.min(j), i.max(j))];
            product.add_product(high, y).map_err(too_large)?;
            product.add_product(low, y).map_err(too_large)?;
        }
        Ok(())
    }
}

impl WeightedMoments {
    pub fn zero(layout: Layout, classes: usize) -> Self {
        WeightedMoments { layout, classes: vec![Class::of(Sums::zero(layout)); classes] }
    }

    /// Adds rows, one after another in `values`, each under its class and with its weight. What is
    /// refused has changed nothing.
    pub fn add(&mut self, values: &[f64], classes: &[u32], weights: Option<&[f64]>) -> Result<()> {
        let (layout, n) = (self.layout, self.classes.len());
        check_values(layout, values, classes.len())?;
        check_classes(classes.len(), classes, n)?;
        let columns = layout.columns.max(1);
        if let Some(place) = values.iter().position(|x| !x.is_finite()) {
            return Err(Error::Infinite { row: place / columns, column: place % columns });
        }
        let Some(weights) = weights else {
            // Rows that weigh one have a faster way.
            let more = Moments::observe(layout, values, classes, n, 1)?;
            let more = more.classes.into_iter().map(Class::of);
            self.classes.iter_mut().zip(more).for_each(|(ours, more)| ours.merge(&more));
            return Ok(());
        };
        let rows = || values.chunks(columns).zip(weights);
        let sound = |(row, weight): (&[f64], &f64)| row.iter().all(|x| (x * weight).is_finite());
        if weights.len() != classes.len() || !rows().all(sound) {
            let what = "a weight is missing, or too large for its row".to_string();
            return Err(Error::Shape { what });
        }
        for ((row, &weight), &class) in rows().zip(classes) {
            self.classes[class as usize].add(layout, row, weight);
        }
        Ok(())
    }

    /// Of each class its weight, its means, and its spread (variances, or the covariance as a whole
    /// matrix) over its weight; at the end the same of all rows. NaN where there are none.
    pub fn estimates(&self) -> (Vec<f64>, Vec<f64>, Vec<f64>) {
        let mut total = Class::of(Sums::zero(self.layout));
        self.classes.iter().for_each(|class| total.merge(class));
        let (mut weights, mut means, mut spread) = (Vec::new(), Vec::new(), Vec::new());
        for class in self.classes.iter().chain([&total]) {
            weights.push(class.weight.value());
            means.extend(class.sums.iter().map(|sum| mean(class.weight.clone(), sum)));
            let entry = |i: usize, j: usize| {
                let product = &class.products[self.layout.product(i.min(j), i.max(j))];
                covariance(class.weight.clone(), &class.sums[i], &class.sums[j], product, 0)
            };
            let columns = self.layout.columns;
            if !self.layout.together {
                spread.extend((0..columns).map(|j| entry(j, j)));
                continue;
            }
            let start = spread.len();
            spread.resize(start + columns * columns, 0.0);
            for j in 0..columns {
                for i in 0..=j {
                    let value = entry(i, j);
                    spread[start + i * columns + j] = value;
                    spread[start + j * columns + i] = value;
                }
            }
        }
        (weights, means, spread)
    }

    pub fn stored(&self) -> StoredSums {
        StoredSums::of(self.classes.iter().flat_map(Class::all))
    }

    pub fn restore(layout: Layout, classes: usize, stored: &StoredSums) -> Result<Self> {
        let mut moments = Self::zero(layout, classes);
        stored.put(moments.classes.iter_mut().flat_map(Class::all_mut))?;
        Ok(moments)
    }
}

/// Sums as plain arrays.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct StoredSums {
    pub negative: Vec<u8>,
    pub lowest: Vec<u32>,
    pub lengths: Vec<u32>,
    pub limbs: Vec<u32>,
}

impl StoredSums {
    pub fn of<'a>(sums: impl Iterator<Item = &'a ExactSum>) -> Self {
        let mut stored = Self::default();
        for Limbs { negative, lowest, limbs } in sums.map(ExactSum::to_limbs) {
            stored.negative.push(u8::from(negative));
            stored.lowest.push(u32::from(lowest));
            stored.lengths.push(limbs.len() as u32);
            stored.limbs.extend(limbs);
        }
        stored
    }

    /// Puts the sums in place, as many as there are.
    pub fn put<'a>(&self, sums: impl Iterator<Item = &'a mut ExactSum>) -> Result<()> {
        let corrupt = || Error::Corrupt { what: "its sums make no sense".to_string() };
        let (mut limbs, mut place) = (self.limbs.as_slice(), 0);
        for sum in sums {
            let length = *self.lengths.get(place).ok_or_else(corrupt)? as usize;
            let (mine, others) = limbs.split_at_checked(length).ok_or_else(corrupt)?;
            let lowest = self.lowest.get(place).and_then(|&lowest| u16::try_from(lowest).ok());
            let form = Limbs {
                negative: *self.negative.get(place).ok_or_else(corrupt)? != 0,
                lowest: lowest.ok_or_else(corrupt)?,
                limbs: mine.to_vec(),
            };
            *sum = ExactSum::from_limbs(&form).map_err(|_| corrupt())?;
            limbs = others;
            place += 1;
        }
        if limbs.is_empty() && place == self.lengths.len() { Ok(()) } else { Err(corrupt()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::moments::StoredMoments;
    use proptest::collection::vec;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_weight_is_a_number_of_rows(
            rows in vec((-1e3..1e3, prop_oneof![-1.0..1.0, Just(1e8)], 0u32..2, 0u32..4), 0..9), together: bool,
        ) {
            let layout = Layout { columns: 2, together };
            let (mut weighed, mut repeated) = (WeightedMoments::zero(layout, 2), WeightedMoments::zero(layout, 2));
            for &(x, y, class, weight) in &rows {
                weighed.add(&[x, y], &[class], Some(&[f64::from(weight)])).unwrap();
                let n = weight as usize;
                repeated.add(&[x, y].repeat(n), &vec![class; n], None).unwrap();
            }
            prop_assert_eq!(&weighed, &repeated);
            let stored = weighed.stored();
            prop_assert_eq!(&WeightedMoments::restore(layout, 2, &stored).unwrap(), &weighed);
        }
    }

    proptest! {
        #[test]
        fn parts_are_copies_of_a_row(
            cells in vec(prop_oneof![4 => -1e3..1e3, 1 => Just(1e8), 1 => Just(f64::NAN), 1 => Just(1e-9)], 0..40),
            weights in vec(prop_oneof![0u64..3, Just(1 << 32), Just((1 << 32) - 7)], 40), together: bool, threads in 1usize..3,
        ) {
            let layout = Layout { columns: 2, together };
            let rows = cells.len() / 2;
            let (values, parts) = (&cells[..rows * 2], &weights[..rows * 2]);
            let slots = [0, 1];
            let found = Moments::observe_parts(layout, values, parts, 2, threads).unwrap();
            let mut slow = Moments::zero(layout, 2);
            for (row, parts) in values.chunks(2).zip(parts.chunks(2)) {
                for (class, &part) in parts.iter().enumerate() {
                    // Doubling and adding: as many copies as there are parts.
                    let mut copies = Moments::observe(layout, row, &[class as u32], 2, 1).unwrap();
                    for bit in 0..33 {
                        if part >> bit & 1 == 1 {
                            slow.add(&copies, &slots).unwrap();
                        }
                        copies.add(&copies.clone(), &slots).unwrap();
                    }
                }
            }
            prop_assert_eq!(StoredMoments::of(&found, &slots), StoredMoments::of(&slow, &slots));
        }
    }

    #[test]
    fn means_and_spreads_are_those_of_the_weighted_rows() {
        let layout = Layout { columns: 2, together: true };
        let mut moments = WeightedMoments::zero(layout, 2);
        moments.add(&[1.0, 2.0, 5.0, 0.0], &[1, 1], Some(&[0.5, 1.5])).unwrap();
        let (weights, means, spread) = moments.estimates();
        assert_eq!(weights, [0.0, 2.0, 2.0]);
        assert!(means[0].is_nan() && spread[0].is_nan());
        assert_eq!(means[2..], [4.0, 0.5, 4.0, 0.5]);
        assert_eq!(spread[4..8], [3.0, -1.5, -1.5, 0.75]);
    }

    #[test]
    fn what_cannot_be_summed_is_refused_and_nothing_changes() {
        let layout = Layout { columns: 1, together: false };
        let mut moments = WeightedMoments::zero(layout, 1);
        let before = moments.clone();
        assert!(moments.add(&[1.0, f64::NAN], &[0, 0], None).is_err());
        assert!(moments.add(&[1e300], &[0], Some(&[1e300])).is_err());
        assert!(moments.add(&[1.0], &[0], Some(&[f64::NAN])).is_err());
        assert!(moments.add(&[1.0], &[0], Some(&[])).is_err());
        assert_eq!(moments, before);
    }
}
