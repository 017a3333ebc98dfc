//! Sums of real numbers that keep every bit.
//!
//! Floating-point addition rounds, so a sum remembers the order it was made in: `(a + b) + c` and
//! `a + (b + c)` differ in the last place. A tally must not. Rows come in any order, in any chunks,
//! on any number of machines, and forgetting a row must leave exactly what was there before. So Σx,
//! Σx² and Σxy are kept here as what they are, integers times a power of two, and rounding happens
//! once, when somebody asks for an estimate.
//!
//! A finite `f64` is a multiple of 2⁻¹⁰⁷⁴ below 2¹⁰²⁴, hence the product of two is a multiple of
//! 2⁻²¹⁴⁸ below 2²⁰⁴⁸. A sum is therefore a long integer in units of 2⁻²¹⁴⁸, cut every 32 bits, after
//! Radford Neal's small superaccumulator ("Fast exact summation using small and large
//! superaccumulators", 2015). Each cut piece, a *chunk*, lives in an `i64`: the spare bits take in a
//! thousand additions before any carry must travel, which makes adding two or four plain integer
//! additions. Only the chunks that the data reach are stored, since the columns of a table span a few
//! dozen binary exponents and a covariance needs thousands of sums.
//!
//! One value has many chunk patterns and a single canonical form, [`Limbs`]; equality and files go by
//! that form. What is estimated from sums ([`mean`], [`covariance`]) is computed
//! in integers too: `n·Σx² − (Σx)²` loses every digit in floating point when the mean is large beside
//! the spread, and none here.
//!
//! NaN and infinities have no place on this scale. Everything that adds refuses them with
//! [`NotFinite`] before anything has changed, so a sum that exists is always right.
#![forbid(unsafe_code)]

use std::{fmt, iter::repeat_n};

/// The smallest unit is `2^UNIT`, the square of the smallest positive `f64`.
const UNIT: i32 = 2 * -1074;

/// Limbs of the largest sum a file may hold: 2⁹² products of the largest kind, more than a `u64` can
/// count. In memory a sum just grows beyond that and stays right; only reading it back is refused.
const MOST_LIMBS: usize = 134;

const LIMB: i64 = u32::MAX as i64;

/// Additions between two carries. One addition moves a chunk by at most 2⁵², a merge may bring in as
/// many as are pending already, and 2 × 1000 × 2⁵² still leaves an `i64` room for the carry itself.
const ADDITIONS_PER_CARRY: usize = 1000;

/// A sum of finite `f64` values and of products of two of them, kept without any rounding.
#[derive(Clone, Default)]
pub(crate) struct ExactSum {
    /// The value is Σ chunks\[i\] · 2^(32·(lowest + i)) units; chunks are signed and may overlap.
    chunks: Vec<i64>,
    lowest: usize,
    pending: usize,
}

/// The one canonical form of a sum: ± Σ limbs\[i\] · 2^(32·(lowest + i) − 2148).
///
/// Neither the first nor the last limb is zero; zero itself has no limbs, `lowest` 0 and no sign.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Limbs {
    pub(crate) negative: bool,
    pub(crate) lowest: u16,
    pub(crate) limbs: Vec<u32>,
}

/// A NaN or an infinity was offered to a sum, which is unchanged.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct NotFinite {
    pub(crate) index: usize,
    pub(crate) value: f64,
}

/// Why [`ExactSum::from_limbs`] refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LimbsError {
    /// The same value has a shorter or plainer form.
    NotCanonical,
    /// The limbs reach beyond any sum of 2⁹² products.
    OutOfRange { end: usize },
}

impl ExactSum {
    pub(crate) fn zero() -> Self {
        Self::default()
    }

    /// Adds `x`.
    #[inline]
    pub(crate) fn add(&mut self, x: f64) -> Result<(), NotFinite> {
        finite(&[x])?;
        self.make_room(1);
        self.deposit(x);
        Ok(())
    }

    /// Adds the exact product `x · y`, all 106 bits of it, which never overflows or underflows.
    #[inline]
    pub(crate) fn add_product(&mut self, x: f64, y: f64) -> Result<(), NotFinite> {
        finite(&[x, y])?;
        self.make_room(1);
        self.deposit_product(x, y);
        Ok(())
    }

    /// Adds every value, or none of them if one is not finite.
    pub(crate) fn add_all(&mut self, xs: &[f64]) -> Result<(), NotFinite> {
        finite(xs)?;
        for block in xs.chunks(ADDITIONS_PER_CARRY) {
            self.make_room(block.len());
            block.iter().for_each(|&x| self.deposit(x));
        }
        Ok(())
    }

    /// Adds `integer · 2^exponent`, for an exponent from −2148 up.
    pub(crate) fn add_scaled(&mut self, integer: i128, exponent: i32) {
        self.make_room(1);
        let position = (exponent - UNIT) as usize;
        let sign = if integer < 0 { -1 } else { 1 };
        let shift = position % 32;
        let (mut rest, mut carry) = (integer.unsigned_abs(), 0);
        let mut chunks = [0i64; 5];
        for chunk in &mut chunks {
            let piece = (u64::from(rest as u32) << shift) + carry;
            *chunk = sign * (piece as i64 & LIMB);
            carry = piece >> 32;
            rest >>= 32;
        }
        self.deposit_at(position / 32, chunks, integer == 0);
    }

    /// Adds the other sum.
    pub(crate) fn merge(&mut self, other: &Self) {
        self.combine(other, |mine, theirs| mine + theirs);
    }

    /// Takes the other sum away, which undoes [`merge`](Self::merge) exactly.
    pub(crate) fn subtract(&mut self, other: &Self) {
        self.combine(other, |mine, theirs| mine - theirs);
    }

    /// The sum so many times.
    pub(crate) fn repeated(&self, factor: u64) -> Self {
        let Limbs { negative, lowest, limbs } = self.to_limbs();
        let factor = if negative { -i128::from(factor) } else { i128::from(factor) };
        let mut product = Self::zero();
        for (place, limb) in limbs.into_iter().enumerate() {
            let exponent = 32 * (usize::from(lowest) + place) as i32 + UNIT;
            product.add_scaled(i128::from(limb) * factor, exponent);
        }
        product
    }

    /// The sum as the nearest `f64`, ties to even; infinite where no finite one is near.
    pub(crate) fn value(&self) -> f64 {
        round(&self.to_limbs(), UNIT, false)
    }

    /// Whether nothing but zeros was ever added.
    pub(crate) fn is_untouched(&self) -> bool {
        self.chunks.is_empty()
    }

    pub(crate) fn is_zero(&self) -> bool {
        self.to_limbs().limbs.is_empty()
    }

    /// The canonical form: equal sums give equal limbs, however they were made.
    pub(crate) fn to_limbs(&self) -> Limbs {
        let mut sum = self.clone();
        sum.carry();
        // After a carry only the top chunk has a sign, so it is the sign of the whole.
        let negative = sum.chunks.last().is_some_and(|&top| top < 0);
        if negative {
            sum.chunks.iter_mut().for_each(|chunk| *chunk = -*chunk);
            sum.carry();
        }
        let used = |chunk: &i64| *chunk != 0;
        let Some(first) = sum.chunks.iter().position(used) else {
            return Limbs::default();
        };
        let last = sum.chunks.iter().rposition(used).unwrap_or(first);
        let limbs = sum.chunks[first..=last].iter().map(|&chunk| chunk as u32);
        Limbs { negative, lowest: (sum.lowest + first) as u16, limbs: limbs.collect() }
    }

    /// The sum whose canonical form this is.
    pub(crate) fn from_limbs(form: &Limbs) -> Result<Self, LimbsError> {
        let lowest = usize::from(form.lowest);
        let end = lowest + form.limbs.len();
        if end > MOST_LIMBS {
            return Err(LimbsError::OutOfRange { end });
        }
        let sign = if form.negative { -1 } else { 1 };
        let mut sum = Self::zero();
        let chunks = sum.cover(lowest, form.limbs.len());
        for (chunk, &limb) in chunks.iter_mut().zip(&form.limbs) {
            *chunk = sign * i64::from(limb);
        }
        if sum.to_limbs() == *form { Ok(sum) } else { Err(LimbsError::NotCanonical) }
    }

    #[inline]
    fn make_room(&mut self, additions: usize) {
        if self.pending + additions > ADDITIONS_PER_CARRY {
            self.carry();
        }
        self.pending += additions;
    }

    #[inline]
    fn deposit(&mut self, x: f64) {
        let (mantissa, exponent) = decompose(x);
        let position = exponent + 1074;
        let shift = position % 32;
        let high = mantissa >> (32 - shift);
        let parts = [(mantissa << shift) & LIMB, high];
        self.deposit_at(position / 32, parts, mantissa == 0);
    }

    #[inline]
    fn deposit_product(&mut self, x: f64, y: f64) {
        let (x_mantissa, x_exponent) = decompose(x);
        let (y_mantissa, y_exponent) = decompose(y);
        let product = i128::from(x_mantissa) * i128::from(y_mantissa);
        let position = x_exponent + y_exponent;
        let shift = position % 32;
        let high = product >> (32 - shift);
        let parts = [
            ((product as i64) << shift) & LIMB,
            high as i64 & LIMB,
            (high >> 32) as i64 & LIMB,
            (high >> 64) as i64,
        ];
        self.deposit_at(position / 32, parts, product == 0);
    }

    #[inline]
    fn deposit_at<const N: usize>(&mut self, index: usize, parts: [i64; N], nothing: bool) {
        // A zero has the exponent of the subnormals. Where it lands does not matter, so it lands in
        // the window: no empty chunks on its account, and no branch to mispredict among small counts.
        let start = index.wrapping_sub(self.lowest);
        let start = if nothing { 0 } else { start };
        let window = self.chunks.get_mut(start..);
        match window.and_then(|chunks| chunks.first_chunk_mut::<N>()) {
            Some(chunks) => (0..N).for_each(|i| chunks[i] += parts[i]),
            None if nothing => {}
            None => self.deposit_outside(index, &parts),
        }
    }

    #[cold]
    fn deposit_outside(&mut self, index: usize, parts: &[i64]) {
        for (chunk, part) in self.cover(index, parts.len()).iter_mut().zip(parts) {
            *chunk += part;
        }
    }

    /// The chunks from `index` on, `length` of them, made if they are not there.
    fn cover(&mut self, index: usize, length: usize) -> &mut [i64] {
        if length == 0 {
            return &mut [];
        }
        if self.chunks.is_empty() {
            self.lowest = index;
        }
        let missing_below = self.lowest.saturating_sub(index);
        self.chunks.splice(0..0, repeat_n(0, missing_below));
        self.lowest -= missing_below;
        let start = index - self.lowest;
        if self.chunks.len() < start + length {
            self.chunks.resize(start + length, 0);
        }
        &mut self.chunks[start..start + length]
    }

    /// Brings every chunk but the top one into 0 ..= 2³² − 1, and the top one within ± that.
    fn carry(&mut self) {
        self.pending = 0;
        let Some((top, rest)) = self.chunks.split_last_mut() else {
            return;
        };
        let mut carry = 0;
        for chunk in rest {
            let total = *chunk + carry;
            *chunk = total & LIMB;
            carry = total >> 32;
        }
        *top += carry;
        // A negative top stays as it is: carried on, its sign would fill one more chunk each time.
        if top.abs() > LIMB {
            let above = *top >> 32;
            *top &= LIMB;
            self.chunks.push(above);
        }
    }

    fn combine(&mut self, other: &Self, operation: impl Fn(i64, i64) -> i64) {
        let chunks = self.cover(other.lowest, other.chunks.len());
        for (mine, theirs) in chunks.iter_mut().zip(&other.chunks) {
            *mine = operation(*mine, *theirs);
        }
        self.pending += other.pending + 1;
        if self.pending > ADDITIONS_PER_CARRY {
            self.carry();
        }
    }

    /// The product of two sums, in units of 2⁻⁴²⁹⁶.
    fn times(&self, other: &Self) -> Self {
        let (x, y) = (self.to_limbs(), other.to_limbs());
        let sign = if x.negative == y.negative { 1 } else { -1 };
        let lowest = usize::from(x.lowest) + usize::from(y.lowest);
        let mut product = Self::zero();
        let chunks = product.cover(lowest, x.limbs.len() + y.limbs.len());
        for (i, &x_limb) in x.limbs.iter().enumerate() {
            for (j, &y_limb) in y.limbs.iter().enumerate() {
                let bits = u64::from(x_limb) * u64::from(y_limb);
                chunks[i + j] += sign * (bits as i64 & LIMB);
                chunks[i + j + 1] += sign * (bits >> 32) as i64;
            }
        }
        product.carry();
        product
    }
}

impl PartialEq for ExactSum {
    fn eq(&self, other: &Self) -> bool {
        self.to_limbs() == other.to_limbs()
    }
}

impl Eq for ExactSum {}

impl fmt::Debug for ExactSum {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "ExactSum({:?})", self.value())
    }
}

impl From<u64> for ExactSum {
    fn from(count: u64) -> Self {
        let mut sum = Self::zero();
        sum.make_room(2);
        // Halves, because an `f64` holds 53 bits and a count may have 64.
        sum.deposit_product((count >> 32) as f64, (1u64 << 32) as f64);
        sum.deposit(f64::from(count as u32));
        sum
    }
}

/// Whether every value can be summed; else the first that cannot.
#[inline]
pub(crate) fn finite(values: &[f64]) -> Result<(), NotFinite> {
    match values.iter().position(|value| !value.is_finite()) {
        None => Ok(()),
        Some(index) => Err(NotFinite { index, value: values[index] }),
    }
}

/// Σx / n, correctly rounded, even where Σx itself is beyond `f64`.
///
/// Here and below, `n` is a count or a sum of weights; if it is not positive, the answer is NaN. A sum
/// of weights is read to 64 significant bits, so the result may then be off by one unit in the last
/// place. Counts have no more bits than that.
pub(crate) fn mean(n: impl Into<ExactSum>, sum: &ExactSum) -> f64 {
    quotient(sum, &n.into(), 1, 0)
}

/// Σx / n as a nearest `f64` and the nearest to what that leaves: twice the digits, for columns
/// whose mean dwarfs their spread.
pub(crate) fn mean_in_two(n: u64, sum: &ExactSum) -> (f64, f64) {
    let high = mean(n, sum);
    let mut rest = sum.clone();
    rest.make_room(2);
    rest.deposit_product((n >> 32) as f64 * (1u64 << 32) as f64, -high);
    rest.deposit_product(f64::from(n as u32), -high);
    (high, mean(n, &rest))
}

/// The population covariance (n·Σxy − Σx·Σy) / n² in units of `2^exponent`, correctly rounded.
pub(crate) fn covariance(
    n: impl Into<ExactSum>,
    sum_x: &ExactSum,
    sum_y: &ExactSum,
    sum_xy: &ExactSum,
    exponent: i32,
) -> f64 {
    let n = n.into();
    quotient(&scatter(&n, sum_x, sum_y, sum_xy), &n, 2, exponent)
}

/// n·Σxy − Σx·Σy, in units of 2⁻⁴²⁹⁶.
fn scatter(n: &ExactSum, sum_x: &ExactSum, sum_y: &ExactSum, sum_xy: &ExactSum) -> ExactSum {
    let mut scatter = n.times(sum_xy);
    scatter.subtract(&sum_x.times(sum_y));
    scatter
}

/// The exponent of the power of two just below a variance, within one; none if it is zero.
pub(crate) fn variance_exponent(n: u64, sum: &ExactSum, squares: &ExactSum) -> Option<i32> {
    let (_, exponent, _) = leading_bits(&scatter(&n.into(), sum, sum, squares).to_limbs())?;
    Some(exponent + 63 + 2 * UNIT - 2 * n.ilog2() as i32)
}

/// Whether (Σx)² ≤ n·Σx², with equality for one row: no numbers have other sums.
pub(crate) fn can_be_sums(n: u64, sum: &ExactSum, squares: &ExactSum) -> bool {
    let spread = scatter(&n.into(), sum, sum, squares).to_limbs();
    match n {
        0 => sum.is_zero() && squares.is_zero(),
        1 => spread.limbs.is_empty(),
        _ => !spread.negative,
    }
}

/// Whether the scatter of two columns is within that of each: no numbers have other sums.
pub(crate) fn can_be_products(
    n: u64,
    (sum_x, squares_x): (&ExactSum, &ExactSum),
    (sum_y, squares_y): (&ExactSum, &ExactSum),
    products: &ExactSum,
) -> bool {
    let n = n.into();
    let both = scatter(&n, sum_x, sum_y, products);
    let x = scatter(&n, sum_x, sum_x, squares_x);
    let mut left = x.times(&scatter(&n, sum_y, sum_y, squares_y));
    left.subtract(&both.times(&both));
    !left.to_limbs().negative
}

/// `numerator / divisor^power`, where the units cancel, in units of `2^scale`.
fn quotient(numerator: &ExactSum, divisor: &ExactSum, power: usize, scale: i32) -> f64 {
    let (mut quotient, divisor) = (numerator.to_limbs(), divisor.to_limbs());
    let (significand, exponent) = match leading_bits(&divisor) {
        Some((significand, exponent, _)) if !divisor.negative => (significand, exponent),
        _ => return f64::NAN,
    };
    // Each division takes at most two limbs off the front, and rounding wants two that are left.
    let appended = 2 * power + 2;
    quotient.limbs.splice(0..0, repeat_n(0, appended));
    let mut inexact = false;
    for _ in 0..power {
        let mut remainder = 0;
        for limb in quotient.limbs.iter_mut().rev() {
            let dividend = remainder << 32 | u128::from(*limb);
            *limb = (dividend / u128::from(significand)) as u32;
            remainder = dividend % u128::from(significand);
        }
        inexact |= remainder != 0;
    }
    let unit = -32 * appended as i32 - power as i32 * exponent - scale;
    round(&quotient, unit, inexact)
}

/// `x` as mantissa · 2^(exponent − 1074), without a branch for subnormals or the sign.
#[inline]
fn decompose(x: f64) -> (i64, usize) {
    let bits = x.to_bits();
    let biased = bits >> 52 & 0x7ff;
    let normal = u64::from(biased != 0);
    let magnitude = (bits & ((1 << 52) - 1) | normal << 52) as i64;
    let sign = bits as i64 >> 63;
    ((magnitude ^ sign) - sign, (biased - normal) as usize)
}

/// The highest 64 bits, the first of them set, their exponent in units, and whether more bits follow.
fn leading_bits(Limbs { lowest, limbs, .. }: &Limbs) -> Option<(u64, i32, bool)> {
    let top = limbs.iter().rposition(|&limb| limb != 0)?;
    let limb = |below: usize| top.checked_sub(below).map_or(0, |i| u128::from(limbs[i]));
    let zeros = limbs[top].leading_zeros();
    let bits = (limb(0) << 64 | limb(1) << 32 | limb(2)) << zeros;
    let exponent = 32 * (i32::from(*lowest) + top as i32 - 1) - zeros as i32;
    let rest = &limbs[..top.saturating_sub(2)];
    let more = bits as u32 != 0 || rest.iter().any(|&limb| limb != 0);
    Some(((bits >> 32) as u64, exponent, more))
}

/// The nearest `f64`, ties to even, to a number of units of `2^unit`, and a little more if `inexact`.
fn round(number: &Limbs, unit: i32, inexact: bool) -> f64 {
    let Some((significand, exponent, more)) = leading_bits(number) else {
        return 0.0;
    };
    let exponent = exponent + unit;
    // The lowest bit lies far below the rounding point, where it can only break ties.
    let significand = u128::from(significand | u64::from(more || inexact));
    let last_place = (exponent + 11).max(-1074);
    let dropped = (last_place - exponent).min(100);
    let rest = significand & ((1 << dropped) - 1);
    let half = 1 << (dropped - 1);
    let mut kept = (significand >> dropped) as u64;
    kept += u64::from(rest > half || rest == half && kept % 2 == 1);
    // The leading bit of `kept` adds one to the exponent field, and a mantissa that rounded up to the
    // next power of two adds one more: subnormals, carries and the step to infinity need no case.
    let magnitude = match last_place {
        ..=971 => (((last_place + 1074) as u64) << 52) + kept,
        _ => f64::INFINITY.to_bits(),
    };
    f64::from_bits(magnitude | u64::from(number.negative) << 63)
}

impl fmt::Display for NotFinite {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Self { index, value } = self;
        write!(f, "value {index} is {value}; sums take finite numbers")
    }
}

impl fmt::Display for LimbsError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::NotCanonical => write!(f, "limbs should begin and end with a non-zero limb"),
            Self::OutOfRange { end } => write!(f, "limbs should end by {MOST_LIMBS}, not at {end}"),
        }
    }
}

impl std::error::Error for NotFinite {}
impl std::error::Error for LimbsError {}

#[cfg(test)]
mod tests {
    use super::*;
    use num_bigint::{BigInt, BigUint, Sign};
    use num_rational::BigRational;
    use num_traits::{One, Zero};
    use proptest::prelude::*;
    use proptest::{collection::vec, num::f64 as kinds, sample::select};

    /// Any finite number, with the kinds that break sums more often than chance would have them.
    fn number() -> impl Strategy<Value = f64> {
        let bits = kinds::POSITIVE | kinds::NEGATIVE | kinds::NORMAL | kinds::SUBNORMAL;
        let extremes = vec![f64::MAX, f64::MIN, 5e-324, -5e-324, f64::MIN_POSITIVE, 0.0, -0.0];
        prop_oneof![bits, -1e6..1e6, (-4..4i8).prop_map(f64::from), select(extremes)]
    }

    fn numbers() -> impl Strategy<Value = Vec<f64>> {
        vec(number(), 0..24)
    }

    /// Numbers with their negatives among them, so that much or everything cancels.
    fn cancelling() -> impl Strategy<Value = Vec<f64>> {
        (numbers(), numbers()).prop_flat_map(|(kept, gone)| {
            let opposite = gone.iter().map(|x| -x);
            Just([kept, gone.clone(), opposite.collect()].concat()).prop_shuffle()
        })
    }

    fn sum(xs: &[f64]) -> ExactSum {
        let mut sum = ExactSum::zero();
        sum.add_all(xs).unwrap();
        sum
    }

    fn squares(xs: &[f64]) -> ExactSum {
        products(xs, xs)
    }

    /// The population variance (n·Σx² − (Σx)²) / n².
    fn variance(n: impl Into<ExactSum>, sum: &ExactSum, squares: &ExactSum) -> f64 {
        covariance(n, sum, sum, squares, 0)
    }

    fn products(xs: &[f64], ys: &[f64]) -> ExactSum {
        let mut sum = ExactSum::zero();
        for (&x, &y) in xs.iter().zip(ys) {
            sum.add_product(x, y).unwrap();
        }
        sum
    }

    fn rational(x: f64) -> BigRational {
        BigRational::from_float(x).unwrap()
    }

    fn power_of_two(exponent: usize) -> BigRational {
        BigRational::from(BigInt::one() << exponent)
    }

    fn rational_sum(xs: impl IntoIterator<Item = BigRational>) -> BigRational {
        xs.into_iter().fold(BigRational::zero(), |sum, x| sum + x)
    }

    /// What the limbs say, read by another's big integers.
    fn rational_limbs(sum: &ExactSum) -> BigRational {
        let form = sum.to_limbs();
        let magnitude = BigUint::new(form.limbs) << (32 * usize::from(form.lowest));
        let sign = if form.negative { Sign::Minus } else { Sign::Plus };
        BigRational::from(BigInt::from_biguint(sign, magnitude)) / power_of_two(2148)
    }

    /// No other `f64` is nearer to `exact`, and of two as near this is the even one.
    fn is_nearest(value: f64, exact: &BigRational) -> bool {
        let rank = |x: f64| match x {
            f64::INFINITY => power_of_two(1024),
            f64::NEG_INFINITY => -power_of_two(1024),
            _ => rational(x),
        };
        let twice = exact * power_of_two(1);
        let even = value.to_bits().is_multiple_of(2);
        let above = match value {
            f64::NEG_INFINITY => None,
            _ => Some((rank(value) + rank(value.next_down())).cmp(&twice)),
        };
        let below = match value {
            f64::INFINITY => None,
            _ => Some(twice.cmp(&(rank(value) + rank(value.next_up())))),
        };
        [above, below].iter().flatten().all(|order| order.is_lt() || even && order.is_eq())
    }

    proptest! {
        #[test]
        fn a_sum_is_the_rational_sum_and_its_value_the_nearest_number(xs in cancelling()) {
            let exact = rational_sum(xs.iter().map(|&x| rational(x)));
            prop_assert_eq!(rational_limbs(&sum(&xs)), exact.clone());
            prop_assert!(is_nearest(sum(&xs).value(), &exact));
            prop_assert_eq!(sum(&xs).is_zero(), exact.is_zero());
        }

        #[test]
        fn products_are_exact(pairs in vec((number(), number()), 0..24)) {
            let (xs, ys): (Vec<_>, Vec<_>) = pairs.iter().copied().unzip();
            let exact = rational_sum(pairs.iter().map(|&(x, y)| rational(x) * rational(y)));
            prop_assert_eq!(rational_limbs(&products(&xs, &ys)), exact.clone());
            prop_assert!(is_nearest(products(&xs, &ys).value(), &exact));
            prop_assert_eq!(squares(&xs), products(&xs, &xs));
        }

        #[test]
        fn numbers_and_products_share_one_scale(xs in numbers(), y in number()) {
            let mut mixed = sum(&xs);
            mixed.add_product(y, 1.0).unwrap();
            prop_assert_eq!(mixed, sum(&[xs, vec![y]].concat()));
        }

        #[test]
        fn neither_order_nor_chunks_show(
            (xs, shuffled) in cancelling().prop_flat_map(|xs| (Just(xs.clone()), Just(xs).prop_shuffle())),
            size in 1..9usize,
        ) {
            let mut merged = squares(&[]);
            for chunk in shuffled.chunks(size).rev() {
                merged.merge(&sum(chunk));
                merged.merge(&squares(chunk));
            }
            let mut one_by_one = sum(&xs);
            xs.iter().for_each(|&x| one_by_one.add_product(x, x).unwrap());
            prop_assert_eq!(merged.to_limbs(), one_by_one.to_limbs());
        }

        #[test]
        fn a_sum_so_many_times_is_so_many_sums(xs in numbers(), ys in numbers(), factor in prop_oneof![0u64..9, any::<u64>()]) {
            let mut original = sum(&xs);
            original.merge(&squares(&ys));
            let factor_alone = rational_limbs(&ExactSum::from(factor));
            prop_assert_eq!(rational_limbs(&original.repeated(factor)), rational_limbs(&original) * factor_alone);
        }

        #[test]
        fn subtracting_undoes_merging(xs in numbers(), ys in numbers()) {
            let (t, u) = (sum(&xs), squares(&ys));
            let mut both = t.clone();
            both.merge(&u);
            let mut other_way = u.clone();
            other_way.merge(&t);
            prop_assert_eq!(&both, &other_way);
            both.subtract(&u);
            prop_assert_eq!(both.to_limbs(), t.to_limbs());
            both.subtract(&t);
            prop_assert!(both.is_zero());
            both.subtract(&u);
            prop_assert_eq!(both.value(), 0.0 - u.value());
        }

        #[test]
        fn values_at_and_beside_a_tie_round_to_even(x in number(), side in select(vec![-1.0, 0.0, 1.0])) {
            let gap = x.abs() - x.abs().next_down().max(0.0);
            let mut tie = sum(&[x]);
            tie.add_product(gap, 0.5).unwrap();
            tie.add_product(5e-324 * side, 5e-324).unwrap();
            let exact = rational(x) + rational(gap) / power_of_two(1) + rational(side) / power_of_two(2148);
            prop_assert!(is_nearest(tie.value(), &exact));
        }

        #[test]
        fn limbs_survive_the_round_trip(xs in cancelling(), ys in numbers()) {
            let mut original = sum(&xs);
            original.merge(&squares(&ys));
            let form = original.to_limbs();
            let mut restored = ExactSum::from_limbs(&form).unwrap();
            prop_assert_eq!(restored.to_limbs(), form);
            restored.subtract(&original);
            prop_assert!(restored.is_zero());
        }

        #[test]
        fn estimates_are_the_rational_ones_correctly_rounded(
            pairs in vec((number(), number()), 1..9),
            extra_rows in prop_oneof![Just(0), any::<u64>().prop_map(|n| n >> 5)],
        ) {
            let (xs, ys): (Vec<_>, Vec<_>) = pairs.iter().copied().unzip();
            let rows = pairs.len() as u64 + extra_rows;
            let n = BigRational::from(BigInt::from(rows));
            let x_sum = rational_sum(xs.iter().map(|&x| rational(x)));
            let y_sum = rational_sum(ys.iter().map(|&y| rational(y)));
            let cross = |us: &[f64], vs: &[f64]| {
                rational_sum(us.iter().zip(vs).map(|(&u, &v)| rational(u) * rational(v)))
            };
            let exact = (cross(&xs, &ys) - &x_sum * y_sum / &n) / &n;
            let value = covariance(rows, &sum(&xs), &sum(&ys), &products(&xs, &ys), 0);
            prop_assert!(is_nearest(value, &exact));
            let exact = (cross(&xs, &xs) - &x_sum * &x_sum / &n) / &n;
            prop_assert!(is_nearest(variance(rows, &sum(&xs), &squares(&xs)), &exact));
            prop_assert!(is_nearest(mean(rows, &sum(&xs)), &(x_sum / n)));
        }

        #[test]
        fn estimates_under_weights_are_off_by_one_place_at_most(
            rows in vec((1e-9..1e3, -1e3..1e3), 1..9), tiny in select(vec![0.0, 1e-25]),
        ) {
            let (mut weights, xs): (Vec<f64>, Vec<f64>) = rows.iter().copied().unzip();
            weights.push(tiny);
            let (weight, weighted) = (sum(&weights), products(&weights, &xs));
            let exact = rational_limbs(&weighted) / rational_limbs(&weight);
            let value = mean(weight.clone(), &weighted);
            prop_assert!([value.next_down(), value, value.next_up()].iter().any(|&v| is_nearest(v, &exact)));
            let value = variance(weight.clone(), &weighted, &squares(&xs));
            let exact = rational_limbs(&squares(&xs)) / rational_limbs(&weight) - &exact * &exact;
            prop_assert!([value.next_down(), value, value.next_up()].iter().any(|&v| is_nearest(v, &exact)));
        }
    }

    /// Every bit of the mantissa set, at every place within a chunk, both signs: the worst a chunk
    /// can meet. Overflow would panic, since tests check it.
    fn full_mantissas() -> impl Iterator<Item = f64> {
        let full = (1u64 << 53) as f64 - 1.0;
        (0..32).flat_map(move |exponent| [full, -full].map(|x| x * 2f64.powi(exponent)))
    }

    #[test]
    fn long_sums_never_overflow_a_chunk() {
        for x in full_mantissas() {
            assert_eq!(sum(&[x; 5003]), products(&[x], &[5003.0]));
            let twice = products(&[x; 5003], &[x * 2.0; 5003]);
            let mut merged = squares(&[x; 5003]);
            merged.merge(&merged.clone());
            assert_eq!(merged, twice);
        }
    }

    #[test]
    fn merging_is_safe_however_much_is_pending() {
        for x in full_mantissas() {
            let pending = sum(&[x; ADDITIONS_PER_CARRY]);
            let rows = ADDITIONS_PER_CARRY as f64;
            let mut total = pending.clone();
            for _ in 1..100 {
                total.merge(&pending);
            }
            assert_eq!(total, products(&[x], &[100.0 * rows]));
            total = pending.clone();
            for _ in 0..100 {
                total.subtract(&pending);
            }
            assert_eq!(total, products(&[x], &[-99.0 * rows]));
            assert!(total.chunks.len() < 6, "a sign should not creep upwards");
        }
    }

    #[test]
    fn the_extremes_of_the_scale_hold() {
        assert_eq!(sum(&[1e300, 1.0, -1e300]).value(), 1.0);
        assert_eq!(sum(&[f64::MAX, f64::MAX]).value(), f64::INFINITY);
        assert_eq!(sum(&[f64::MIN, f64::MIN]).value(), f64::NEG_INFINITY);
        assert_eq!(sum(&[f64::MAX, f64::MAX, f64::MIN]).value(), f64::MAX);
        assert_eq!(sum(&[5e-324, f64::MAX, f64::MIN]).value(), 5e-324);
        assert_eq!(sum(&[0.1; 10]).value(), 1.0);
        let largest = squares(&[f64::MAX]).to_limbs();
        assert_eq!(usize::from(largest.lowest) + largest.limbs.len(), 132);
        let smallest = squares(&[5e-324]).to_limbs();
        assert_eq!((smallest.lowest, smallest.limbs), (0, vec![1]));
        let mut far_apart = products(&[1e300, 1e-300], &[1e300, 1e-300]);
        far_apart.subtract(&products(&[1e300], &[1e300]));
        assert_eq!(far_apart, products(&[1e-300], &[1e-300]));
    }

    #[test]
    fn zero_has_one_form() {
        for zero in [sum(&[]), sum(&[0.0, -0.0]), sum(&[7.5, -7.5]), squares(&[0.0])] {
            assert_eq!(zero.to_limbs(), Limbs::default());
            assert!(zero.is_zero() && zero.value().is_sign_positive());
        }
    }

    #[test]
    fn counts_convert_without_rounding() {
        let exact = BigRational::from(BigInt::from(u64::MAX));
        assert_eq!(rational_limbs(&u64::MAX.into()), exact);
        assert!(ExactSum::from(0).is_zero());
    }

    #[test]
    fn only_the_chunks_in_use_are_stored() {
        let mut column = sum(&[0.0, 3.0, 0.0, 1024.5]);
        column.merge(&ExactSum::zero());
        assert!(column.chunks.len() <= 3);
    }

    #[test]
    fn what_is_not_finite_is_refused_and_nothing_changes() {
        for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            let mut total = sum(&[1.0]);
            assert_eq!(total.add(value).unwrap_err().index, 0);
            assert_eq!(total.add_product(2.0, value).unwrap_err().index, 1);
            assert_eq!(total.add_all(&[2.0, 3.0, value]).unwrap_err().index, 2);
            assert_eq!(total, sum(&[1.0]));
        }
        let message = finite(&[1.0, f64::NAN]).unwrap_err().to_string();
        assert_eq!(message, "value 1 is NaN; sums take finite numbers");
    }

    #[test]
    fn limbs_that_are_not_canonical_are_refused() {
        let refused = |negative, lowest, limbs: &[u32]| {
            let limbs = limbs.to_vec();
            ExactSum::from_limbs(&Limbs { negative, lowest, limbs }).unwrap_err()
        };
        assert_eq!(refused(false, 3, &[0, 1]), LimbsError::NotCanonical);
        assert_eq!(refused(false, 3, &[1, 0]), LimbsError::NotCanonical);
        assert_eq!(refused(false, 3, &[0]), LimbsError::NotCanonical);
        assert_eq!(refused(false, 3, &[]), LimbsError::NotCanonical);
        assert_eq!(refused(true, 0, &[]), LimbsError::NotCanonical);
        assert_eq!(refused(true, 133, &[1, 1]), LimbsError::OutOfRange { end: 135 });
        assert_eq!(refused(true, u16::MAX, &[1]), LimbsError::OutOfRange { end: 65536 });
        let zero = ExactSum::from_limbs(&Limbs::default()).unwrap();
        assert!(zero.is_zero());
    }

    #[test]
    fn a_quotient_a_hair_above_a_tie_rounds_up() {
        // 2¹⁰⁰ − 1 is this count times an odd 54-bit number, so the quotient of a power of two is a
        // tie for a hundred bits, and only the remainder of the division tells that it is not.
        let n = 140_629_732_223_875u64;
        let exact = rational(0.0625) / BigRational::from(BigInt::from(n));
        assert!(is_nearest(mean(n, &sum(&[0.0625])), &exact));
    }

    #[test]
    fn a_variance_survives_a_mean_that_dwarfs_it() {
        let variance = |xs: &[f64]| variance(xs.len() as u64, &sum(xs), &squares(xs));
        let (low, high) = (1e8 - 1e-3, 1e8 + 1e-3);
        let half_spread = (high - low) / 2.0;
        assert_eq!(variance(&[low, high]), half_spread * half_spread);
        assert_eq!(variance(&[0.1; 1000]), 0.0);
        assert_eq!(variance(&[1e300, 1e300]), 0.0);
        assert_eq!(variance(&[1e300, -1e300]), f64::INFINITY);
        let gap = 1e150_f64.next_up() - 1e150;
        assert_eq!(variance(&[1e150, 1e150 + gap]), gap * gap / 4.0);
        assert_eq!(variance(&[5e-324, 0.0]), 0.0);
        assert_eq!(mean(2u64, &sum(&[f64::MAX, f64::MAX])), f64::MAX);
        assert!(variance(&[]).is_nan() && mean(sum(&[-1.0]), &sum(&[1.0])).is_nan());
    }
}
