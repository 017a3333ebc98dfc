//! Moments of rows that EM assigns softly to classes, ready to be summed up at each iteration.
//!
//! In a block of rows a number is a whole multiple of its column's grid (see [`crate::numbers::moments`]), and
//! the responsibility of a class is a whole number too ([`crate::counts::fractional_counts`]). So what a class has of a sum is
//! found in integers. The grids stay the same however the rows are assigned.

use crate::counts::fractional_counts::check_fractions;
use crate::error::{Error, Result};
use crate::numbers::moments::{BLOCK, Grid, Layout, Moments, Sums, check_values, infinite};
use crate::sklearn::weighted_moments::in_two;

/// Where a product of a number and its fraction is cut in two, so that each half times another number
/// fits in 128 bits, a block of them.
const CUT: u32 = 46;
const LARGEST_FRACTION: u64 = 1 << 45;

/// Rows of numbers, cut into blocks.
pub(crate) struct FractionalRows {
    layout: Layout,
    rows: usize,
    blocks: Vec<RowBlock>,
    /// The sums of all rows.
    all: Sums,
}

/// Some rows, and each of their columns as whole multiples of a power of two.
struct RowBlock {
    first: usize,
    grids: Vec<Grid>,
    /// Which columns have gaps here.
    gaps: Vec<bool>,
    /// Which rows count. Where columns are taken together, one with a gap does not.
    counts: Vec<bool>,
}

impl FractionalRows {
    pub(crate) fn of(layout: Layout, values: &[f64]) -> Result<Self> {
        let rows = values.len() / layout.columns.max(1);
        check_values(layout, values, rows)?;
        let all = Moments::observe(layout, values, &vec![0; rows], 1, 1)?;
        let block = |first: usize| RowBlock::of(layout, values, first..rows.min(first + BLOCK));
        Ok(FractionalRows {
            layout,
            rows,
            blocks: (0..rows).step_by(BLOCK).map(block).collect::<Result<_>>()?,
            all: all.classes.into_iter().next().unwrap_or_default(),
        })
    }

    /// Sums up the rows, each under every class by its fraction: row by row in `fractions`.
    /// `values` are those that the blocks were made of.
    pub(crate) fn observe(
        &self,
        values: &[f64],
        fractions: &[u64],
        n_classes: usize,
        threads: usize,
    ) -> Result<Moments> {
        check_values(self.layout, values, self.rows)?;
        check_fractions(self.rows, fractions, n_classes)?;
        if fractions.iter().any(|&fraction| fraction > LARGEST_FRACTION) {
            return Err(Error::Overflow);
        }
        // Where the fractions of all rows sum to the same, the last class has what the others leave.
        let whole =
            all_the_same(fractions.chunks(n_classes.max(1)).map(|row| row.iter().sum::<u64>()));
        let counted = n_classes - usize::from(whole.is_some());
        let found = crate::parallel::each(
            crate::parallel::shares(&self.blocks, |_| 1, threads),
            |blocks| -> Result<Moments> {
                let mut moments = Moments::zero(self.layout, counted);
                let mut taken = Taken::new(self.layout);
                for block in blocks {
                    for (class, sums) in moments.classes.iter_mut().enumerate() {
                        taken.fill(block.fractions(fractions, n_classes, class));
                        block.add_to(self.layout, values, sums, &mut taken)?;
                    }
                }
                Ok(moments)
            },
        );
        let mut moments = Moments::zero(self.layout, counted);
        for more in found {
            moments.classes.iter_mut().zip(&more?.classes).for_each(|(a, b)| a.merge(b));
        }
        if let Some(whole) = whole {
            let mut rest = self.all.repeated(whole);
            moments.classes.iter().for_each(|sums| rest.subtract(sums));
            moments.classes.push(rest);
        }
        Ok(moments)
    }
}

fn all_the_same(mut numbers: impl Iterator<Item = u64>) -> Option<u64> {
    let first = numbers.next()?;
    numbers.all(|number| number == first).then_some(first)
}

/// The rows of a block that a class has a fraction of. EM leaves most rows with few classes.
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

    /// Without a branch, as no processor can guess which class has a fraction of which row.
    fn fill(&mut self, fractions: impl Iterator<Item = u64>) {
        (self.length, self.total) = (0, 0);
        for (place, fraction) in fractions.enumerate() {
            let at = self.length.min(BLOCK - 1);
            self.places[at] = place as u8;
            self.weights[at] = fraction as i64;
            self.length += usize::from(fraction != 0);
            self.total += fraction;
        }
    }

    fn each(&self) -> impl Iterator<Item = (usize, i64)> + '_ {
        let places = self.places[..self.length].iter().map(|&place| place as usize % BLOCK);
        places.zip(self.weights.iter().copied())
    }
}

impl RowBlock {
    fn of(layout: Layout, values: &[f64], rows: std::ops::Range<usize>) -> Result<Self> {
        let columns = layout.columns;
        let first = rows.start;
        let rows: Vec<&[f64]> = rows.map(|row| &values[row * columns..][..columns]).collect();
        let counts = rows.iter().map(|row| !layout.together || row.iter().all(|x| !x.is_nan()));
        let mut block = RowBlock {
            first,
            grids: vec![Grid::default(); columns],
            gaps: vec![false; columns],
            counts: counts.collect(),
        };
        let mut numbers = [0.0; BLOCK];
        for (j, grid) in block.grids.iter_mut().enumerate() {
            for (number, row) in numbers.iter_mut().zip(&rows) {
                let missing = row[j].is_nan();
                block.gaps[j] |= missing;
                *number = if missing { 0.0 } else { row[j] };
            }
            let found = grid.fill(&numbers[..rows.len()]);
            found.map_err(|row| infinite((first + row) as u32, j))?;
        }
        Ok(block)
    }

    /// What a class has of each row that counts.
    fn fractions<'a>(
        &'a self,
        fractions: &'a [u64],
        n_classes: usize,
        class: usize,
    ) -> impl Iterator<Item = u64> + 'a {
        let ours = fractions[self.first * n_classes..].chunks_exact(n_classes);
        ours.zip(&self.counts).map(move |(row, &counts)| row[class] * u64::from(counts))
    }

    fn add_to(
        &self,
        layout: Layout,
        values: &[f64],
        sums: &mut Sums,
        taken: &mut Taken,
    ) -> Result<()> {
        if taken.total == 0 {
            return Ok(());
        }
        self.add_counts(layout, values, sums, taken);
        self.add_multiples(layout, sums, taken);
        for (j, grid) in self.grids.iter().enumerate() {
            for &fine in &grid.too_fine {
                let found = taken.each().find(|&(place, _)| place == fine as usize);
                if let Some((place, weight)) = found {
                    self.add_alone(layout, values, sums, place, j, weight as f64)?;
                }
            }
        }
        Ok(())
    }

    fn add_counts(&self, layout: Layout, values: &[f64], sums: &mut Sums, taken: &Taken) {
        for (j, count) in sums.counts.iter_mut().enumerate() {
            let there = |&(place, _): &(usize, i64)| !self.row(layout, values, place)[j].is_nan();
            *count += match self.gaps[j] && !layout.together {
                true => taken.each().filter(there).map(|(_, weight)| weight as u64).sum(),
                false => taken.total,
            };
        }
    }

    fn add_multiples(&self, layout: Layout, sums: &mut Sums, taken: &mut Taken) {
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
            for i in layout.partners(j) {
                let times = |halves: &[i64]| -> i128 {
                    let pairs = halves.iter().zip(&columns[i]);
                    pairs.map(|(&half, &other)| i128::from(half) * i128::from(other)).sum()
                };
                let exponent = grid.exponent + self.grids[i].exponent;
                let product = &mut sums.products[layout.product(i, j)];
                product.add_scaled(times(&highs[..n]), exponent + CUT as i32);
                product.add_scaled(times(&lows[..n]), exponent);
            }
        }
    }

    /// Adds a number that is too fine for its grid.
    fn add_alone(
        &self,
        layout: Layout,
        values: &[f64],
        sums: &mut Sums,
        place: usize,
        j: usize,
        weight: f64,
    ) -> Result<()> {
        let row = self.row(layout, values, place);
        let (high, low) = in_two(weight, row[j]);
        let too_large = |_| {
            let row = self.first + place + 1;
            Error::Shape { what: format!("row {row} is too large to be counted in fractions") }
        };
        sums.sums[j].add_all(&[high, low]).map_err(too_large)?;
        for i in if layout.together { 0..layout.columns } else { j..j + 1 } {
            // A pair of two such numbers is entered once, by the first of them.
            if i < j && self.grids[i].too_fine.contains(&(place as u32)) {
                continue;
            }
            let product = &mut sums.products[layout.product(i.min(j), i.max(j))];
            product.add_product(high, row[i]).map_err(too_large)?;
            product.add_product(low, row[i]).map_err(too_large)?;
        }
        Ok(())
    }

    fn row<'a>(&self, layout: Layout, values: &'a [f64], place: usize) -> &'a [f64] {
        &values[(self.first + place) * layout.columns..][..layout.columns]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numbers::moments::StoredMoments;
    use proptest::collection::vec;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn fractions_are_repetitions_of_a_row(
            cells in vec(prop_oneof![4 => -1e3..1e3, 1 => Just(1e8), 1 => Just(f64::NAN), 1 => Just(1e-9)], 0..40),
            weights in vec(prop_oneof![0u64..3, Just(1 << 32), Just((1 << 32) - 7)], 40), together: bool, threads in 1usize..3,
        ) {
            let layout = Layout { columns: 2, together };
            let rows = cells.len() / 2;
            let (values, fractions) = (&cells[..rows * 2], &weights[..rows * 2]);
            let found = FractionalRows::of(layout, values).unwrap().observe(values, fractions, 2, threads).unwrap();
            let mut slow = Moments::zero(layout, 2);
            for (row, fractions) in values.chunks(2).zip(fractions.chunks(2)) {
                for (class, &fraction) in fractions.iter().enumerate() {
                    // Doubling and adding: the row as often as the fraction says.
                    let mut repeated = Moments::observe(layout, row, &[class as u32], 2, 1).unwrap();
                    for bit in 0..33 {
                        if fraction >> bit & 1 == 1 {
                            slow = slow.plus(&repeated).unwrap();
                        }
                        repeated = repeated.plus(&repeated).unwrap();
                    }
                }
            }
            prop_assert_eq!(StoredMoments::of(&found), StoredMoments::of(&slow));
        }
    }
}
