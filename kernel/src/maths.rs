//! Exponentials, logarithms and sums that come out the same on every machine, in every order.

use std::f64::consts::LOG2_E;

/// ln 2 in two numbers. The first ends in zeros, so that a whole multiple of it is not rounded.
const LN_2: (f64, f64) = (0.693_147_180_369_123_8, 1.908_214_929_270_587_7e-10);

/// Added to a number, it leaves the nearest whole one in the lowest bits.
const ROUNDED: f64 = (3u64 << 51) as f64;

/// eˣ for x from −700 to 700, right to some units in the last place. There is no branch, so that
/// processors take several at a time.
#[inline(always)]
pub(crate) fn exp(x: f64) -> f64 {
    // eˣ = 2ᵏ · eʳ, where r is at most half of ln 2.
    let shifted = x * LOG2_E + ROUNDED;
    let k = shifted - ROUNDED;
    let r = (x - k * LN_2.0) - k * LN_2.1;
    let square = r * r;
    let even = series(square, [2.0, 24.0, 720.0, 40_320.0, 3_628_800.0, 479_001_600.0]);
    let odd = series(square, [6.0, 120.0, 5_040.0, 362_880.0, 39_916_800.0, 6_227_020_800.0]);
    let e = 1.0 + (square * even + (r + r * square * odd));
    f64::from_bits(e.to_bits().wrapping_add(shifted.to_bits() << 52))
}

/// Σ xⁿ / factorials\[n\]
#[inline(always)]
fn series(x: f64, factorials: [f64; 6]) -> f64 {
    let mut sum = 0.0;
    for factorial in factorials.into_iter().rev() {
        sum = sum * x + 1.0 / factorial;
    }
    sum
}

/// The natural logarithm; 0 for 0, so that sums stay finite. Who adds logarithms counts the zeros.
#[inline]
pub(crate) fn log(x: f64) -> f64 {
    if x == 0.0 { 0.0 } else { libm::log(x) }
}

/// Real numbers are summed as multiples of 2⁻⁴⁰, so that their order never shows.
const UNIT: f64 = (1u64 << 40) as f64;

#[inline(always)]
pub(crate) fn fixed(x: f64) -> i128 {
    const MOST: f64 = (1u64 << 62) as f64;
    let units = x * UNIT;
    // Nearly all fit a register, to which the processor converts by itself.
    if units.abs() < MOST { i128::from(units as i64) } else { units as i128 }
}

pub(crate) fn real(sum: i128) -> f64 {
    sum as f64 / UNIT
}

/// Σ a · b, in an order that processors take four at a time.
pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<4>(), b.as_chunks::<4>());
    let mut sums = [0.0; 4];
    for (a, b) in a.iter().zip(b) {
        for lane in 0..4 {
            sums[lane] += a[lane] * b[lane];
        }
    }
    let rest: f64 = a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum();
    (sums[0] + sums[1]) + (sums[2] + sums[3]) + rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn it_is_the_exponential(x in prop_oneof![-700.0..700.0f64, -1.0..1.0f64, -1e-9..1e-9f64]) {
            let expected = libm::exp(x);
            prop_assert!((exp(x) / expected - 1.0).abs() <= 2.0 * f64::EPSILON, "{} {}", exp(x), expected);
        }
    }

    #[test]
    fn nothing_is_one() {
        assert_eq!(exp(0.0), 1.0);
        assert_eq!(exp(-0.0), 1.0);
    }
}
