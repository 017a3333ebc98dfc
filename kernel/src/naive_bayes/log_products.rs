//! Sums of logarithms, kept as products.
//!
//! `Σ log f` is `log Π f`: a multiplication for each factor and one logarithm in the end, where a sum
//! would need a logarithm for each. A product would soon leave the range of a number, so every so
//! often its power of two is put aside.

use crate::maths::log;

/// The bits of 1.0; a number between 1 and 2 has its exponent.
const ONE: u64 = 1023 << 52;

/// A product for each class and each of several α.
pub(crate) struct Products<const A: usize> {
    values: Vec<[f64; A]>,
    twos: Vec<[i64; A]>,
    /// So many factors are within range, and so many more before powers of two are put aside.
    most: u64,
    room: u64,
}

impl<const A: usize> Products<A> {
    /// `bits`: factors are between 2⁻ᵇⁱᵗˢ and 2ᵇⁱᵗˢ; at most 1000.
    pub(crate) fn new(classes: usize, bits: f64) -> Self {
        let most = (1020.0 / bits.max(1.0)) as u64;
        let (values, twos) = (vec![[1.0; A]; classes], vec![[0; A]; classes]);
        Products { values, twos, most, room: most }
    }

    /// Multiplies the products of some classes, each by its factor to the power of `times`.
    #[inline(always)]
    pub(crate) fn multiply(
        &mut self,
        mut times: u64,
        factors: impl Iterator<Item = (usize, [f64; A])> + Clone,
    ) {
        while times > 0 {
            if self.room == 0 {
                self.put_aside();
            }
            let now = times.min(self.room);
            self.room -= now;
            times -= now;
            let values = &mut self.values;
            if now == 1 {
                factors.clone().for_each(|(class, factor)| {
                    for alpha in 0..A {
                        values[class][alpha] *= factor[alpha];
                    }
                });
                continue;
            }
            factors.clone().for_each(|(class, factor)| {
                // One by one: so it does not matter how many fit before powers of two are put aside.
                let mut value = values[class];
                for _ in 0..now {
                    for alpha in 0..A {
                        value[alpha] *= factor[alpha];
                    }
                }
                values[class] = value;
            });
        }
    }

    fn put_aside(&mut self) {
        for (value, twos) in self.values.iter_mut().zip(&mut self.twos) {
            for alpha in 0..A {
                let (rest, more) = split(value[alpha]);
                value[alpha] = rest;
                twos[alpha] += more;
            }
        }
        self.room = self.most;
    }

    /// The logarithms of the products of a class, which begin anew. When powers of two were put aside
    /// does not show.
    pub(crate) fn take(&mut self, class: usize) -> [f64; A] {
        let values = std::mem::replace(&mut self.values[class], [1.0; A]);
        let twos = std::mem::replace(&mut self.twos[class], [0; A]);
        std::array::from_fn(|alpha| {
            let (rest, more) = split(values[alpha]);
            log(rest) + (twos[alpha] + more) as f64 * std::f64::consts::LN_2
        })
    }
}

/// A number between 1 and 2, and by which power of two it was multiplied.
#[inline(always)]
fn split(value: f64) -> (f64, i64) {
    let bits = value.to_bits();
    (f64::from_bits(bits << 12 >> 12 | ONE), (bits >> 52) as i64 - 1023)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn they_are_sums_of_logarithms(
            drawn in prop::collection::vec((0usize..3, -40.0..40.0f64, 1u64..90), 0..60),
            before in 0u64..25,
        ) {
            let mut products = Products::<2>::new(3, 40.0);
            let mut used = Products::<2>::new(3, 40.0);
            used.multiply(before, std::iter::once((0, [2.0; 2])));
            used.take(0);
            let mut sums = [[0.0; 2]; 3];
            for (class, power, times) in drawn {
                let factor = [power.exp2(), (-power).exp2()];
                products.multiply(times, std::iter::once((class, factor)));
                used.multiply(times, std::iter::once((class, factor)));
                for alpha in 0..2 {
                    sums[class][alpha] += times as f64 * factor[alpha].ln();
                }
            }
            for (class, sum) in sums.iter().enumerate() {
                let found = products.take(class);
                for (a, b) in found.iter().zip(sum) {
                    prop_assert!((a - b).abs() <= 1e-10, "{a} {b}");
                }
                prop_assert_eq!(products.take(class), [0.0; 2]);
                prop_assert_eq!(used.take(class), found);
            }
        }
    }
}
