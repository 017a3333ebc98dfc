//! Sums per class and column of matrices of counts, for rows of any weight.
//!
//! Most counts are whole numbers, and those are summed as such: an `i64` holds what an `f64` would
//! round from 2⁵³ on. Fractions, and what an `i64` does not hold, go to sums that keep every bit.

use crate::counts::row_classes::check_classes;
use crate::error::{Error, Result};
use crate::numbers::exact_sums::ExactSum;
use std::sync::Arc;

/// Numbers, whole or not.
#[derive(Clone, Copy)]
pub(crate) enum Values<'a> {
    Whole(&'a [i64]),
    Real(&'a [f64]),
}

/// Rows of counts: row `i` has `values[starts[i]..starts[i + 1]]`, in the `columns` of the same places.
#[derive(Clone, Copy)]
pub(crate) struct MatrixRows<'a> {
    pub(crate) starts: &'a [i64],
    pub(crate) columns: &'a [i64],
    pub(crate) values: Values<'a>,
}

/// Sums, side by side.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Cells {
    pub(crate) whole: Vec<i64>,
    /// What is not in `whole`; empty until there is something.
    pub(crate) rest: Vec<ExactSum>,
}

/// Beyond this, an `f64` may stand for a whole number that was rounded, and an `i64` may overflow.
const LARGEST: f64 = (1i64 << 53) as f64;

impl Cells {
    /// A copy with so many sums, if there is memory for it.
    fn widened(&self, columns: usize) -> Result<Self> {
        let (mut whole, mut rest) = (Vec::new(), Vec::new());
        let rests = if self.rest.is_empty() { 0 } else { columns };
        let room = whole.try_reserve_exact(columns).and_then(|()| rest.try_reserve_exact(rests));
        room.map_err(|_| Error::TooWide { columns })?;
        whole.extend_from_slice(&self.whole);
        whole.resize(columns, 0);
        rest.extend_from_slice(&self.rest);
        rest.resize(rests, ExactSum::zero());
        Ok(Cells { whole, rest })
    }

    #[inline]
    fn add_whole(&mut self, cell: usize, count: i64) {
        match self.whole[cell].checked_add(count) {
            Some(sum) => self.whole[cell] = sum,
            None => self.spill(cell).merge(&exact(count)),
        }
    }

    /// Adds a number that was found finite.
    #[inline]
    fn add_real(&mut self, cell: usize, x: f64) {
        if x.abs() <= LARGEST && x as i64 as f64 == x {
            self.add_whole(cell, x as i64);
        } else {
            let added = self.spill(cell).add(x);
            debug_assert!(added.is_ok());
        }
    }

    fn spill(&mut self, cell: usize) -> &mut ExactSum {
        if self.rest.is_empty() {
            self.rest.resize(self.whole.len(), ExactSum::zero());
        }
        &mut self.rest[cell]
    }

    /// What an `i64` does not hold of a sum, if there is anything.
    fn rest(&self, cell: usize) -> Option<&ExactSum> {
        self.rest.get(cell).filter(|rest| !rest.is_untouched())
    }

    /// A sum, whole and rest together.
    fn sum(&self, cell: usize) -> ExactSum {
        let mut sum = exact(self.whole[cell]);
        self.rest(cell).inspect(|rest| sum.merge(rest));
        sum
    }

    fn value(&self, cell: usize) -> f64 {
        match (self.whole[cell], self.rest(cell)) {
            (whole, None) => whole as f64,
            (0, Some(rest)) => rest.value(),
            _ => self.sum(cell).value(),
        }
    }

    pub(crate) fn values(&self) -> Vec<f64> {
        (0..self.whole.len()).map(|cell| self.value(cell)).collect()
    }
}

fn exact(count: i64) -> ExactSum {
    let mut sum = ExactSum::zero();
    sum.add_scaled(i128::from(count), 0);
    sum
}

/// What each class has of each column, and how many rows. Copies share the classes that neither adds to.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Totals {
    pub(crate) columns: usize,
    /// The weight of the rows of each class.
    pub(crate) rows: Cells,
    pub(crate) classes: Vec<Arc<Cells>>,
}

impl Totals {
    pub(crate) fn zero(classes: usize, columns: usize) -> Result<Self> {
        let none = |cells: usize| Cells::default().widened(cells);
        let (rows, class) = (none(classes)?, Arc::new(none(columns)?));
        Ok(Totals { columns, rows, classes: vec![class; classes] })
    }

    /// Makes room for more columns. What is refused has changed nothing.
    pub(crate) fn widen(&mut self, columns: usize) -> Result<()> {
        if columns > self.columns {
            let wider = |cells: &Arc<Cells>| cells.widened(columns).map(Arc::new);
            self.classes = self.classes.iter().map(wider).collect::<Result<_>>()?;
            self.columns = columns;
        }
        Ok(())
    }

    /// Adds rows, each under its class and times its weight. What is refused has changed nothing.
    pub(crate) fn add(
        &mut self,
        rows: MatrixRows,
        classes: &[u32],
        weights: Option<&[f64]>,
    ) -> Result<()> {
        self.check(rows, classes, weights)?;
        for &class in classes {
            let cells = &mut self.classes[class as usize];
            if Arc::get_mut(cells).is_none() {
                *cells = Arc::new(cells.widened(self.columns)?);
            }
        }
        for (row, &class) in classes.iter().enumerate() {
            let cells = Arc::make_mut(&mut self.classes[class as usize]);
            let weight = weights.map_or(1.0, |weights| weights[row]);
            self.rows.add_real(class as usize, weight);
            for place in rows.starts[row] as usize..rows.starts[row + 1] as usize {
                let column = rows.columns[place] as usize;
                // The product of a count and a weight may be rounded; sums never are.
                match rows.values {
                    Values::Whole(counts) => match whole_product(counts[place], weight) {
                        Some(product) => cells.add_whole(column, product),
                        None => cells.add_real(column, counts[place] as f64 * weight),
                    },
                    Values::Real(counts) => cells.add_real(column, counts[place] * weight),
                }
            }
        }
        Ok(())
    }

    fn check(&self, rows: MatrixRows, classes: &[u32], weights: Option<&[f64]>) -> Result<()> {
        check_classes(rows.starts.len().saturating_sub(1), classes, self.classes.len())?;
        let entries = rows.columns.len();
        let values = match rows.values {
            Values::Whole(values) => values.len(),
            Values::Real(values) => values.len(),
        };
        let rising = rows.starts.is_sorted() && rows.starts.first() == Some(&0);
        let sound = rising
            && values == entries
            && rows.starts.last() == Some(&(entries as i64))
            && rows.columns.iter().all(|&c| usize::try_from(c).is_ok_and(|c| c < self.columns))
            && weights.is_none_or(|weights| weights.len() == classes.len());
        if !sound {
            let what = "the parts of the matrix do not fit together".to_string();
            return Err(Error::Shape { what });
        }
        for row in 0..classes.len() {
            let weight = weights.map_or(1.0, |weights| weights[row]);
            let finite = match rows.values {
                Values::Whole(_) => weight.is_finite(),
                Values::Real(values) => values
                    [rows.starts[row] as usize..rows.starts[row + 1] as usize]
                    .iter()
                    .all(|x| (x * weight).is_finite()),
            };
            if !finite || !weight.is_finite() {
                let what = format!("row {} has a count that is not finite", row + 1);
                return Err(Error::Shape { what });
            }
        }
        Ok(())
    }

    /// What each class has of each column, class by class.
    pub(crate) fn counts(&self) -> Vec<f64> {
        self.classes.iter().flat_map(|cells| cells.values()).collect()
    }

    /// What all other classes have of each column, class by class.
    pub(crate) fn complements(&self) -> Vec<f64> {
        let mut values = vec![0.0; self.classes.len() * self.columns];
        for column in 0..self.columns {
            let whole = |cells: &Arc<Cells>| i128::from(cells.whole[column]);
            let total: i128 = self.classes.iter().map(whole).sum();
            let mut rest = ExactSum::zero();
            let rests = self.classes.iter().filter_map(|cells| cells.rest(column));
            rests.for_each(|more| rest.merge(more));
            let all_rest = (!rest.is_untouched()).then(|| value(total, &rest));
            for (class, cells) in self.classes.iter().enumerate() {
                let others = total - whole(cells);
                values[class * self.columns + column] = match (all_rest, cells.rest(column)) {
                    (None, _) => others as f64,
                    (Some(all), None) if others == total => all,
                    (Some(_), None) => value(others, &rest),
                    (Some(_), Some(own)) => {
                        let mut rest = rest.clone();
                        rest.subtract(own);
                        value(others, &rest)
                    }
                };
            }
        }
        values
    }
}

fn value(whole: i128, rest: &ExactSum) -> f64 {
    if whole == 0 {
        return rest.value();
    }
    let mut sum = rest.clone();
    sum.add_scaled(whole, 0);
    sum.value()
}

/// count · weight, if that is a whole number that nothing was rounded to.
fn whole_product(count: i64, weight: f64) -> Option<i64> {
    let whole = weight.abs() <= LARGEST && weight as i64 as f64 == weight;
    if whole { count.checked_mul(weight as i64) } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::collection::vec;
    use proptest::prelude::*;

    fn add(
        totals: &mut Totals,
        values: Values,
        classes: &[u32],
        weights: Option<&[f64]>,
    ) -> Result<()> {
        let width = totals.columns as i64;
        let starts: Vec<i64> = (0..=classes.len() as i64).map(|row| row * width).collect();
        let columns: Vec<i64> =
            (0..classes.len() as i64 * width).map(|cell| cell % width).collect();
        totals.add(MatrixRows { starts: &starts, columns: &columns, values }, classes, weights)
    }

    fn number() -> impl Strategy<Value = f64> {
        prop_oneof![(0..9i32).prop_map(f64::from), 0.0..1e3, Just(9007199254740993.0), Just(1e300)]
    }

    proptest! {
        #[test]
        fn neither_order_nor_chunks_show(rows in vec((number(), number(), 0u32..3, 0u32..4), 0..12), cut in 0usize..12) {
            let all = |rows: &[(f64, f64, u32, u32)], totals: &mut Totals| {
                let values: Vec<f64> = rows.iter().flat_map(|row| [row.0, row.1]).collect();
                let classes: Vec<u32> = rows.iter().map(|row| row.2).collect();
                let weights: Vec<f64> = rows.iter().map(|row| f64::from(row.3) * 0.5).collect();
                add(totals, Values::Real(&values), &classes, Some(&weights)).unwrap();
            };
            let (mut whole, mut parts) = (Totals::zero(3, 2).unwrap(), Totals::zero(3, 2).unwrap());
            all(&rows, &mut whole);
            let cut = cut.min(rows.len());
            let backwards: Vec<_> = rows[cut..].iter().rev().copied().collect();
            all(&backwards, &mut parts);
            all(&rows[..cut], &mut parts);
            prop_assert_eq!(whole.counts(), parts.counts());
            prop_assert_eq!(whole.complements(), parts.complements());
            prop_assert_eq!(whole.rows.values(), parts.rows.values());
        }

        #[test]
        fn a_weight_is_a_number_of_rows(counts in vec(0i64..1 << 60, 1..6), weight in 0u32..5) {
            let (mut weighted, mut repeated) = (Totals::zero(1, 1).unwrap(), Totals::zero(1, 1).unwrap());
            let weights = vec![f64::from(weight); counts.len()];
            add(&mut weighted, Values::Whole(&counts), &vec![0; counts.len()], Some(&weights)).unwrap();
            for _ in 0..weight {
                add(&mut repeated, Values::Whole(&counts), &vec![0; counts.len()], None).unwrap();
            }
            prop_assert_eq!(weighted.classes[0].sum(0), repeated.classes[0].sum(0));
            prop_assert_eq!(weighted.rows.values(), repeated.rows.values());
        }
    }

    #[test]
    fn counts_beyond_what_a_float_holds_are_exact() {
        let mut totals = Totals::zero(2, 1).unwrap();
        let large = 1i64 << 53;
        add(&mut totals, Values::Whole(&[large, 1, 1, 7]), &[0, 0, 0, 1], None).unwrap();
        assert_eq!(totals.counts(), [(large + 2) as f64, 7.0]);
        assert_eq!(totals.complements(), [7.0, (large + 2) as f64]);
        add(&mut totals, Values::Whole(&[i64::MAX, i64::MAX]), &[1, 1], None).unwrap();
        assert_eq!(totals.complements()[0], 2f64.powi(64));
    }

    #[test]
    fn what_is_not_finite_or_out_of_place_is_refused_and_nothing_changes() {
        let mut totals = Totals::zero(1, 1).unwrap();
        let before = totals.clone();
        for wrong in [f64::NAN, f64::INFINITY] {
            assert!(add(&mut totals, Values::Real(&[1.0, wrong]), &[0, 0], None).is_err());
            assert!(add(&mut totals, Values::Real(&[1.0]), &[0], Some(&[wrong])).is_err());
        }
        assert!(add(&mut totals, Values::Real(&[1.0]), &[1], None).is_err());
        let rows = MatrixRows { starts: &[0, 1], columns: &[1], values: Values::Real(&[1.0]) };
        assert!(totals.add(rows, &[0], None).is_err());
        assert_eq!(totals, before);
    }

    #[test]
    fn columns_without_end_are_refused_and_change_nothing() {
        let mut totals = Totals::zero(2, 3).unwrap();
        for columns in [usize::MAX / 8, usize::MAX] {
            assert_eq!(totals.widen(columns), Err(Error::TooWide { columns }));
            assert_eq!(Totals::zero(2, columns), Err(Error::TooWide { columns }));
        }
        assert_eq!(totals, Totals::zero(2, 3).unwrap());
    }
}
