//! Moments of rows of any weight: per class the weight, the sums, and the sums
//! of squares or of all products.
//!
//! w·x and w·x·y are summed without rounding, as [`crate::numbers::moments`] sums x and x·y: a row of weight 3
//! is, to the last bit, three rows.

use crate::counts::row_classes::check_classes;
use crate::error::{Error, Result};
use crate::numbers::exact_sums::{ExactSum, Limbs, covariance, mean};
use crate::numbers::moments::{Layout, Moments, Sums, check_values};
use std::sync::Arc;

/// The sums of one class.
#[derive(Clone, Debug, PartialEq)]
struct Class {
    weight: ExactSum,
    sums: Vec<ExactSum>,
    products: Vec<ExactSum>,
}

/// Weighted sums per class, over rows without gaps. Exact, additive. Copies share the classes that neither
/// adds to.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct WeightedMoments {
    pub(crate) layout: Layout,
    classes: Vec<Arc<Class>>,
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
            for i in layout.partners(j) {
                let product = &mut self.products[layout.product(i, j)];
                put(product, high, row[i]);
                put(product, low, row[i]);
            }
        }
    }
}

/// w·x as two numbers, so that w·x·y is whole.
pub(crate) fn in_two(weight: f64, x: f64) -> (f64, f64) {
    let high = weight * x;
    (high, weight.mul_add(x, -high))
}

impl WeightedMoments {
    pub(crate) fn zero(layout: Layout, classes: usize) -> Self {
        let none = Arc::new(Class::of(Sums::zero(layout)));
        WeightedMoments { layout, classes: vec![none; classes] }
    }

    /// Adds rows, one after another in `values`, each under its class and with its weight. What is
    /// refused has changed nothing.
    pub(crate) fn add(
        &mut self,
        values: &[f64],
        classes: &[u32],
        weights: Option<&[f64]>,
    ) -> Result<()> {
        let (layout, n) = (self.layout, self.classes.len());
        check_values(layout, values, classes.len())?;
        check_classes(classes.len(), classes, n)?;
        let columns = layout.columns.max(1);
        if let Some(place) = values.iter().position(|x| !x.is_finite()) {
            return Err(Error::Infinite { row: place / columns, column: place % columns });
        }
        let Some(weights) = weights else {
            // Rows of weight one have a faster way.
            let more = Moments::observe(layout, values, classes, n, 1)?;
            for (ours, more) in self.classes.iter_mut().zip(more.classes) {
                if more.counts.first().is_some_and(|&rows| rows > 0) {
                    Arc::make_mut(ours).merge(&Class::of(more));
                }
            }
            return Ok(());
        };
        let rows = || values.chunks(columns).zip(weights);
        let sound = |(row, weight): (&[f64], &f64)| row.iter().all(|x| (x * weight).is_finite());
        if weights.len() != classes.len() || !rows().all(sound) {
            let what = "a weight is missing, or too large for its row".to_string();
            return Err(Error::Shape { what });
        }
        for ((row, &weight), &class) in rows().zip(classes) {
            Arc::make_mut(&mut self.classes[class as usize]).add(layout, row, weight);
        }
        Ok(())
    }

    /// Of each class its weight, its means, and its spread (variances, or the covariance as a whole
    /// matrix) over its weight; at the end the same of all rows. NaN where there are none.
    pub(crate) fn estimates(&self) -> (Vec<f64>, Vec<f64>, Vec<f64>) {
        let mut total = Class::of(Sums::zero(self.layout));
        self.classes.iter().for_each(|class| total.merge(class));
        let (mut weights, mut means, mut spread) = (Vec::new(), Vec::new(), Vec::new());
        for class in self.classes.iter().map(Arc::as_ref).chain([&total]) {
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

    pub(crate) fn stored(&self) -> StoredSums {
        StoredSums::of(self.classes.iter().flat_map(|class| class.all()))
    }

    pub(crate) fn restore(layout: Layout, classes: usize, stored: &StoredSums) -> Result<Self> {
        let mut moments = Self::zero(layout, classes);
        stored.put(moments.classes.iter_mut().flat_map(|class| Arc::make_mut(class).all_mut()))?;
        Ok(moments)
    }
}

/// Sums as plain arrays.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct StoredSums {
    pub(crate) negative: Vec<u8>,
    pub(crate) lowest: Vec<u32>,
    pub(crate) lengths: Vec<u32>,
    pub(crate) limbs: Vec<u32>,
}

impl StoredSums {
    pub(crate) fn of<'a>(sums: impl Iterator<Item = &'a ExactSum>) -> Self {
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
    pub(crate) fn put<'a>(&self, sums: impl Iterator<Item = &'a mut ExactSum>) -> Result<()> {
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
    use proptest::collection::vec;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_weight_is_a_number_of_rows(
            rows in vec((-1e3..1e3, prop_oneof![-1.0..1.0, Just(1e8)], 0u32..2, 0u32..4), 0..9), together: bool,
        ) {
            let layout = Layout { columns: 2, together };
            let (mut weighted, mut repeated) = (WeightedMoments::zero(layout, 2), WeightedMoments::zero(layout, 2));
            for &(x, y, class, weight) in &rows {
                weighted.add(&[x, y], &[class], Some(&[f64::from(weight)])).unwrap();
                let n = weight as usize;
                repeated.add(&[x, y].repeat(n), &vec![class; n], None).unwrap();
            }
            prop_assert_eq!(&weighted, &repeated);
            let stored = weighted.stored();
            prop_assert_eq!(&WeightedMoments::restore(layout, 2, &stored).unwrap(), &weighted);
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
