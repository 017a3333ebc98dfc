//! Logarithms of smoothed counts. Counts being integers, most are looked up.

use crate::maths::log;

/// Counts below this have a place of their own; larger ones share as many places again.
const OWN: u64 = 1 << 13;

/// log(n + α) for several α at once.
///
/// A zero is counted, not computed: `log 0` is given as 0 and [`Logs::is_zero`] tells, so that sums
/// stay finite and impossible things can be added and taken away.
pub(crate) struct Logs<const A: usize> {
    alphas: [f64; A],
    /// What was computed, with the count it belongs to. The frequent words have few different counts,
    /// so a large count is mostly found as it was left.
    kept: Vec<(u64, [f64; A])>,
}

impl<const A: usize> Logs<A> {
    pub(crate) fn new(alphas: [f64; A]) -> Self {
        let places = (0..2 * OWN).map(|n| (n, logs(n, &alphas)));
        Logs { alphas, kept: places.collect() }
    }

    /// One comparison that nearly always comes out the same: guessing wrong would cost more than
    /// the rest of the lookup.
    #[inline(always)]
    pub(crate) fn of(&mut self, n: u64) -> [f64; A] {
        let place = if n < OWN { n } else { OWN + n % OWN };
        let kept = &mut self.kept[place as usize];
        if kept.0 != n {
            *kept = (n, logs(n, &self.alphas));
        }
        kept.1
    }

    /// Whether `n + α` is zero, as 1 or 0 for each α.
    #[inline(always)]
    pub(crate) fn is_zero(&self, n: u64) -> [i64; A] {
        self.alphas.map(|alpha| i64::from(n == 0 && alpha == 0.0))
    }
}

fn logs<const A: usize>(n: u64, alphas: &[f64; A]) -> [f64; A] {
    alphas.map(|alpha| log(n as f64 + alpha))
}
