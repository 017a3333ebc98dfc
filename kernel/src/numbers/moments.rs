//! The moments tally: per class, how many numbers each column has, their sum and their squares; or,
//! where columns are taken together, how many whole rows, the sums, and the products of all pairs.
//!
//! Every sum is exact (see [`crate::numbers::exact_sums`]), yet few numbers take the slow road of being entered one
//! by one. Rows of a class are taken in blocks. In a block, a column's numbers are whole multiples of
//! a power of two, its *grid*, fine enough for 60 bits below the largest; integer arithmetic sums
//! those multiples and their products in 128 bits without any rounding, and only the block's totals
//! are entered. A number too fine for the grid is entered by itself.

use crate::counts::row_classes::{by_class, check_classes};
use crate::error::{Error, Result};
use crate::numbers::exact_sums::{ExactSum, Limbs, can_be_products, can_be_sums};

/// Which sums are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Layout {
    pub(crate) columns: usize,
    /// Whether columns are taken together: products of pairs are summed, over rows without a gap.
    pub(crate) together: bool,
}

impl Layout {
    fn counts(self) -> usize {
        if self.together { 1 } else { self.columns }
    }

    fn products(self) -> usize {
        if self.together { self.columns * (self.columns + 1) / 2 } else { self.columns }
    }

    /// The columns i ≤ j whose products with column j are kept.
    pub(crate) fn partners(self, j: usize) -> std::ops::RangeInclusive<usize> {
        if self.together { 0..=j } else { j..=j }
    }

    /// Where the product of columns i ≤ j stands.
    pub(crate) fn product(self, i: usize, j: usize) -> usize {
        if self.together { j * (j + 1) / 2 + i } else { i }
    }
}

/// The sums of one class.
#[derive(Clone, Default)]
pub(crate) struct Sums {
    /// Rows that count: per column, or one number for all of them together.
    pub(crate) counts: Vec<u64>,
    pub(crate) sums: Vec<ExactSum>,
    pub(crate) products: Vec<ExactSum>,
}

/// Counts, sums and sums of products, per class. Exact, additive. A missing number is NaN.
#[derive(Clone)]
pub(crate) struct Moments {
    pub(crate) layout: Layout,
    pub(crate) classes: Vec<Sums>,
}

/// Rows of a block. 128 products of two 60-bit numbers stay below 2¹²⁷.
pub(crate) const BLOCK: usize = 128;
const BITS: i32 = 60;

/// The finest grid: its inverse is still an `f64`, and so is every square of it in a sum.
const FINEST: i32 = -1000;

impl Sums {
    pub(crate) fn zero(layout: Layout) -> Self {
        Sums {
            counts: vec![0; layout.counts()],
            sums: vec![ExactSum::zero(); layout.columns],
            products: vec![ExactSum::zero(); layout.products()],
        }
    }

    pub(crate) fn count(&self, column: usize) -> u64 {
        self.counts.get(column).or(self.counts.first()).copied().unwrap_or(0)
    }

    pub(crate) fn merge(&mut self, other: &Self) {
        self.combine(other, u64::wrapping_add, ExactSum::merge);
    }

    pub(crate) fn subtract(&mut self, other: &Self) {
        self.combine(other, u64::wrapping_sub, ExactSum::subtract);
    }

    /// Every row so many times.
    pub(crate) fn repeated(&self, factor: u64) -> Self {
        let repeated = |sums: &[ExactSum]| sums.iter().map(|sum| sum.repeated(factor)).collect();
        Sums {
            counts: self.counts.iter().map(|count| count.wrapping_mul(factor)).collect(),
            sums: repeated(&self.sums),
            products: repeated(&self.products),
        }
    }

    fn combine(
        &mut self,
        other: &Self,
        count: impl Fn(u64, u64) -> u64,
        sum: impl Fn(&mut ExactSum, &ExactSum),
    ) {
        for (ours, theirs) in self.counts.iter_mut().zip(&other.counts) {
            *ours = count(*ours, *theirs);
        }
        self.sums.iter_mut().zip(&other.sums).for_each(|(ours, theirs)| sum(ours, theirs));
        self.products.iter_mut().zip(&other.products).for_each(|(ours, theirs)| sum(ours, theirs));
    }

    /// Adds the rows of one block, all of this class. An infinity is refused; part of the block may
    /// have been added then.
    fn add_block(&mut self, layout: Layout, values: &[f64], rows: &[u32]) -> Result<()> {
        if layout.together {
            self.add_together(layout, values, rows)
        } else {
            self.add_apart(layout.columns, values, rows)
        }
    }

    fn add_apart(&mut self, columns: usize, values: &[f64], rows: &[u32]) -> Result<()> {
        let mut numbers = [0.0; BLOCK];
        let mut grid = Grid::default();
        for j in 0..columns {
            let mut missing = 0;
            for (number, &row) in numbers.iter_mut().zip(rows) {
                let x = values[row as usize * columns + j];
                missing += usize::from(x.is_nan());
                *number = if x.is_nan() { 0.0 } else { x };
            }
            self.counts[j] += (rows.len() - missing) as u64;
            grid.fill(&numbers[..rows.len()]).map_err(|row| infinite(rows[row], j))?;
            self.sums[j].add_scaled(grid.sum(), grid.exponent);
            self.products[j].add_scaled(grid.times(&grid), 2 * grid.exponent);
            for &place in &grid.too_fine {
                let x = numbers[place as usize];
                add_finite(&mut self.sums[j], x, 1.0);
                add_finite(&mut self.products[j], x, x);
            }
        }
        Ok(())
    }

    fn add_together(&mut self, layout: Layout, values: &[f64], rows: &[u32]) -> Result<()> {
        let columns = layout.columns;
        let row_of = |row: u32| &values[row as usize * columns..][..columns];
        let whole = |row: &&u32| row_of(**row).iter().all(|x| !x.is_nan());
        let rows: Vec<u32> = rows.iter().filter(whole).copied().collect();
        self.counts[0] += rows.len() as u64;
        let mut grids = vec![Grid::default(); columns];
        let mut numbers = [0.0; BLOCK];
        for (j, grid) in grids.iter_mut().enumerate() {
            for (number, &row) in numbers.iter_mut().zip(&rows) {
                *number = row_of(row)[j];
            }
            grid.fill(&numbers[..rows.len()]).map_err(|row| infinite(rows[row], j))?;
        }
        for (j, grid) in grids.iter().enumerate() {
            self.sums[j].add_scaled(grid.sum(), grid.exponent);
            for (i, other) in grids[..=j].iter().enumerate() {
                let exponent = grid.exponent + other.exponent;
                self.products[layout.product(i, j)].add_scaled(grid.times(other), exponent);
            }
            for &place in &grid.too_fine {
                let row = row_of(rows[place as usize]);
                add_finite(&mut self.sums[j], row[j], 1.0);
                for i in 0..columns {
                    // A pair of two such numbers is entered once, by the first of them.
                    if i < j && grids[i].too_fine.contains(&place) {
                        continue;
                    }
                    add_finite(
                        &mut self.products[layout.product(i.min(j), i.max(j))],
                        row[i],
                        row[j],
                    );
                }
            }
        }
        Ok(())
    }
}

pub(crate) fn infinite(row: u32, column: usize) -> Error {
    Error::Infinite { row: row as usize, column }
}

/// Adds a product whose factors were found finite.
fn add_finite(sum: &mut ExactSum, x: f64, y: f64) {
    let added = sum.add_product(x, y);
    debug_assert!(added.is_ok());
}

/// A block of one column as whole multiples of `2^exponent`.
#[derive(Clone)]
pub(crate) struct Grid {
    pub(crate) exponent: i32,
    pub(crate) multiples: [i64; BLOCK],
    length: usize,
    /// The places of numbers that are no whole multiple; they stand as 0.
    pub(crate) too_fine: Vec<u32>,
}

impl Default for Grid {
    fn default() -> Self {
        Grid { exponent: 0, multiples: [0; BLOCK], length: 0, too_fine: Vec::new() }
    }
}

impl Grid {
    /// Takes up numbers; the place of an infinite one is an error.
    pub(crate) fn fill(&mut self, numbers: &[f64]) -> std::result::Result<(), usize> {
        self.too_fine.clear();
        self.length = numbers.len();
        let magnitude = |x: &f64| x.to_bits() & (u64::MAX >> 1);
        let largest = numbers.iter().map(magnitude).max().unwrap_or(0);
        if f64::from_bits(largest).is_infinite() {
            return Err(numbers.iter().position(|x| x.is_infinite()).unwrap_or(0));
        }
        // All numbers are below 2^(biased exponent − 1022).
        self.exponent = ((largest >> 52) as i32 - 1022 - BITS).max(FINEST);
        let (unit, per_unit) = (power_of_two(self.exponent), power_of_two(-self.exponent));
        for (place, (multiple, &x)) in self.multiples.iter_mut().zip(numbers).enumerate() {
            *multiple = (x * per_unit) as i64;
            if *multiple as f64 * unit != x {
                *multiple = 0;
                self.too_fine.push(place as u32);
            }
        }
        Ok(())
    }

    pub(crate) fn multiples(&self) -> &[i64] {
        &self.multiples[..self.length]
    }

    fn sum(&self) -> i128 {
        self.multiples().iter().map(|&multiple| i128::from(multiple)).sum()
    }

    fn times(&self, other: &Self) -> i128 {
        let pairs = self.multiples().iter().zip(other.multiples());
        pairs.map(|(&a, &b)| i128::from(a) * i128::from(b)).sum()
    }
}

/// 2^exponent, for exponents of normal numbers.
pub(crate) fn power_of_two(exponent: i32) -> f64 {
    f64::from_bits(((exponent + 1023) as u64) << 52)
}

impl Moments {
    pub(crate) fn zero(layout: Layout, classes: usize) -> Self {
        Moments { layout, classes: vec![Sums::zero(layout); classes] }
    }

    /// Sums up rows of numbers, one row after another in `values`, each under its class.
    pub(crate) fn observe(
        layout: Layout,
        values: &[f64],
        classes: &[u32],
        n_classes: usize,
        threads: usize,
    ) -> Result<Self> {
        check_values(layout, values, classes.len())?;
        check_classes(classes.len(), classes, n_classes)?;
        let order = by_class(classes, n_classes);
        let shares = crate::parallel::shares(&order, |_| 1, threads);
        let parts = crate::parallel::each(shares, |rows| -> Result<Self> {
            let mut moments = Self::zero(layout, n_classes);
            for run in rows.chunk_by(|&a, &b| classes[a as usize] == classes[b as usize]) {
                let sums = &mut moments.classes[classes[run[0] as usize] as usize];
                run.chunks(BLOCK).try_for_each(|block| sums.add_block(layout, values, block))?;
            }
            Ok(moments)
        });
        let mut parts = parts.into_iter();
        let mut moments = parts.next().unwrap_or_else(|| Ok(Self::zero(layout, n_classes)))?;
        for part in parts {
            let part = part?;
            moments.classes.iter_mut().zip(&part.classes).for_each(|(a, b)| a.merge(b));
        }
        Ok(moments)
    }

    /// The same sums of other classes: class `c` is `class_map[c]` of `classes`. One that is mapped beyond
    /// them is left out.
    pub(crate) fn reclassed(&self, class_map: &[u32], classes: usize) -> Self {
        let mut other = Self::zero(self.layout, classes);
        for (sums, &class) in self.classes.iter().zip(class_map) {
            if let Some(place) = other.classes.get_mut(class as usize) {
                *place = sums.clone();
            }
        }
        other
    }

    /// What both have seen together, of the same classes.
    pub(crate) fn plus(&self, other: &Self) -> Result<Self> {
        self.check_match(other)?;
        let mut total = self.clone();
        total.classes.iter_mut().zip(&other.classes).for_each(|(sums, more)| sums.merge(more));
        Ok(total)
    }

    /// What is left without what `other` has seen. Refused if there are fewer rows here.
    pub(crate) fn minus(&self, other: &Self) -> Result<Self> {
        self.check_match(other)?;
        let mut left = self.clone();
        for (sums, fewer) in left.classes.iter_mut().zip(&other.classes) {
            if sums.counts.iter().zip(&fewer.counts).any(|(count, fewer)| count < fewer) {
                return Err(never_learned());
            }
            sums.subtract(fewer);
        }
        Ok(left)
    }

    /// Refuses sums that cannot come from so many rows of each class.
    pub(crate) fn check_rows(&self, rows: &[u64]) -> Result<()> {
        let sound = self.classes.iter().enumerate().all(|(class, sums)| {
            let rows = rows.get(class).copied().unwrap_or(0);
            sums.counts.iter().all(|&count| count <= rows) && self.can_be(sums)
        });
        if sound { Ok(()) } else { Err(never_learned()) }
    }

    fn can_be(&self, sums: &Sums) -> bool {
        let empty = sums.counts.iter().all(|&count| count == 0);
        (0..self.layout.columns).all(|j| {
            let squares = &sums.products[self.layout.product(j, j)];
            can_be_sums(sums.count(j), &sums.sums[j], squares)
        }) && !(empty && sums.products.iter().any(|product| !product.is_zero()))
            && (!self.layout.together || self.pairs_can_be(sums))
    }

    fn pairs_can_be(&self, sums: &Sums) -> bool {
        let square = |j: usize| (&sums.sums[j], &sums.products[self.layout.product(j, j)]);
        (0..self.layout.columns).all(|j| {
            (0..j).all(|i| {
                let product = &sums.products[self.layout.product(i, j)];
                can_be_products(sums.count(j), square(i), square(j), product)
            })
        })
    }

    fn check_match(&self, other: &Self) -> Result<()> {
        if self.layout != other.layout || self.classes.len() != other.classes.len() {
            return Err(Error::Shape { what: "the two sum up different columns".to_string() });
        }
        Ok(())
    }
}

/// Refuses rows of the wrong length.
pub(crate) fn check_values(layout: Layout, values: &[f64], rows: usize) -> Result<()> {
    let columns = layout.columns;
    if values.len() == rows * columns {
        return Ok(());
    }
    let what = format!("there are {} numbers for {rows} rows of {columns}", values.len());
    Err(Error::Shape { what })
}

fn never_learned() -> Error {
    Error::NotLearned { what: "some of these numbers were never learned".to_string() }
}

/// The sums as plain arrays: class by class, the sums of the columns and then the products.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct StoredMoments {
    pub(crate) counts: Vec<u64>,
    pub(crate) negative: Vec<u8>,
    pub(crate) lowest: Vec<u32>,
    pub(crate) lengths: Vec<u32>,
    pub(crate) limbs: Vec<u32>,
}

impl StoredMoments {
    pub(crate) fn of(moments: &Moments) -> Self {
        let mut stored = Self::default();
        for sums in &moments.classes {
            stored.counts.extend(&sums.counts);
            for sum in sums.sums.iter().chain(&sums.products) {
                let Limbs { negative, lowest, limbs } = sum.to_limbs();
                stored.negative.push(u8::from(negative));
                stored.lowest.push(u32::from(lowest));
                stored.lengths.push(limbs.len() as u32);
                stored.limbs.extend(limbs);
            }
        }
        stored
    }

    /// The sums these arrays describe, for classes of `rows` rows each. What no rows could give is
    /// refused.
    pub(crate) fn restore(&self, layout: Layout, rows: &[u64]) -> Result<Moments> {
        let corrupt = |what: &str| Error::Corrupt { what: what.to_string() };
        let sums = rows.len().checked_mul(layout.columns + layout.products());
        let lengths = [self.negative.len(), self.lowest.len(), self.lengths.len()];
        if self.counts.len() != rows.len() * layout.counts()
            || lengths.iter().any(|&length| Some(length) != sums)
        {
            return Err(corrupt("its arrays of sums differ in length"));
        }
        let in_all: u64 = self.lengths.iter().map(|&length| u64::from(length)).sum();
        if in_all != self.limbs.len() as u64 {
            return Err(corrupt("it holds more than its sums, or less"));
        }
        let mut limbs = self.limbs.as_slice();
        let mut at = 0;
        let mut next = || {
            let length = self.lengths[at] as usize;
            if length > limbs.len() || self.negative[at] > 1 {
                return Err(corrupt("a sum runs over its end"));
            }
            let (mine, rest) = limbs.split_at(length);
            limbs = rest;
            let lowest = u16::try_from(self.lowest[at]).unwrap_or(u16::MAX);
            let form = Limbs { negative: self.negative[at] == 1, lowest, limbs: mine.to_vec() };
            at += 1;
            ExactSum::from_limbs(&form).map_err(|_| corrupt("a sum is not written as sums are"))
        };
        let mut moments = Moments::zero(layout, 0);
        for class in 0..rows.len() {
            let counts = self.counts[class * layout.counts()..][..layout.counts()].to_vec();
            let sums = (0..layout.columns).map(|_| next()).collect::<Result<_>>()?;
            let products = (0..layout.products()).map(|_| next()).collect::<Result<_>>()?;
            moments.classes.push(Sums { counts, sums, products });
        }
        moments.check_rows(rows).map_err(|_| corrupt("its sums are of no rows"))?;
        Ok(moments)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::collection::vec;
    use proptest::prelude::*;

    fn number() -> impl Strategy<Value = f64> {
        let odd = vec![f64::NAN, 0.0, -0.0, 5e-324, -1e-310, f64::MAX, f64::MIN, 1e300, 1e8 + 1e-3];
        let kinds = proptest::num::f64::NORMAL | proptest::num::f64::SUBNORMAL;
        prop_oneof![-4.0..4.0, -1e-9..1e-9, proptest::sample::select(odd), kinds]
    }

    /// The same sums, number by number.
    fn slowly(layout: Layout, values: &[f64], classes: &[u32], n_classes: usize) -> Moments {
        let mut moments = Moments::zero(layout, n_classes);
        for (row, &class) in values.chunks(layout.columns).zip(classes) {
            let sums = &mut moments.classes[class as usize];
            if layout.together && row.iter().any(|x| x.is_nan()) {
                continue;
            }
            sums.counts[0] += u64::from(layout.together);
            for (j, &x) in row.iter().enumerate().filter(|(_, x)| !x.is_nan()) {
                sums.sums[j].add(x).unwrap();
                if !layout.together {
                    sums.counts[j] += 1;
                    sums.products[j].add_product(x, x).unwrap();
                }
                for i in 0..=j * usize::from(layout.together) {
                    if layout.together {
                        sums.products[layout.product(i, j)].add_product(row[i], x).unwrap();
                    }
                }
            }
        }
        moments
    }

    fn stored(moments: &Moments) -> StoredMoments {
        StoredMoments::of(moments)
    }

    proptest! {
        #[test]
        fn blocks_sum_up_to_what_single_numbers_do(
            values in vec(number(), 0..900), columns in 1usize..4, together: bool, threads in 1usize..4,
        ) {
            let layout = Layout { columns, together };
            let rows = values.len() / columns;
            let values = &values[..rows * columns];
            let classes: Vec<u32> = (0..rows as u32).map(|row| row * 7 % 3).collect();
            let fast = Moments::observe(layout, values, &classes, 3, threads).unwrap();
            let slow = slowly(layout, values, &classes, 3);
            prop_assert_eq!(stored(&fast), stored(&slow));
            let rows: Vec<u64> = (0..3).map(|c| classes.iter().filter(|&&k| k == c).count() as u64).collect();
            let back = stored(&fast).restore(layout, &rows).unwrap();
            prop_assert_eq!(stored(&back), stored(&fast));
        }
    }

    #[test]
    fn full_blocks_of_the_largest_multiples_do_not_overflow() {
        let layout = Layout { columns: 2, together: true };
        let x = 1.0 - f64::EPSILON / 2.0;
        for signs in [[x, x], [-x, x], [-x, -x]] {
            let values = signs.repeat(5 * BLOCK);
            let classes = vec![0; 5 * BLOCK];
            let fast = Moments::observe(layout, &values, &classes, 1, 1).unwrap();
            assert_eq!(stored(&fast), stored(&slowly(layout, &values, &classes, 1)));
        }
    }

    #[test]
    fn infinities_and_wrong_lengths_are_refused() {
        let layout = Layout { columns: 2, together: false };
        let values = [1.0, 2.0, 3.0, f64::NEG_INFINITY];
        let found = Moments::observe(layout, &values, &[0, 0], 1, 1).err();
        assert_eq!(found, Some(Error::Infinite { row: 1, column: 1 }));
        assert!(Moments::observe(layout, &values[..3], &[0, 0], 1, 1).is_err());
    }

    #[test]
    fn sums_of_no_rows_are_refused() {
        let layout = Layout { columns: 1, together: false };
        let observe = |values: &[f64]| {
            Moments::observe(layout, values, &vec![0; values.len()], 1, 1).unwrap()
        };
        let moments = observe(&[1.0, 2.0, 3.0]);
        assert!(moments.minus(&observe(&[1.0; 4])).is_err());
        let moments = moments.minus(&observe(&[2.5])).unwrap();
        // Two rows with Σx = 3.5 and Σx² = 7.75 exist; one row without them, 1 and 5.5, does not.
        assert!(moments.check_rows(&[2]).is_ok());
        let moments = moments.minus(&observe(&[2.5])).unwrap();
        assert!(moments.check_rows(&[1]).is_err());
        assert!(stored(&moments).restore(layout, &[1]).is_err());
    }
}
