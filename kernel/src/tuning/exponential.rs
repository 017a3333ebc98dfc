//! eˣ without a branch, so that processors take several at a time, and the same on every one of them.

use std::f64::consts::LOG2_E;

/// ln 2 in two numbers. The first ends in zeros, so that a whole multiple of it is not rounded.
const LN_2: (f64, f64) = (0.693_147_180_369_123_8, 1.908_214_929_270_587_7e-10);

/// Added to a number, it leaves the nearest whole one in the lowest bits.
const ROUNDED: f64 = (3u64 << 51) as f64;

/// eˣ for x from −700 to 700, right to some units in the last place.
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
