//! Doubt about a single view: of n rows, one may have come from any class.
//!
//! ```text
//! log( P(x | c) + mean_k P(x | k) / n )
//! ```
//!
//! With n rows nobody knows how rare a thing is that none of them shows. So no view can rule a class out
//! by itself: it is behind the best by the logarithm of n times the number of classes, at most.

use crate::maths::{exp, log};
use crate::tuning::newton::LOST;

pub(crate) fn doubted(scores: &mut [f64], classes: usize, rows: f64) {
    for row in scores.chunks_exact_mut(classes.max(1)) {
        let best = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        if !best.is_finite() {
            // Nothing can be told apart.
            row.fill(0.0);
            continue;
        }
        let odds = |score: f64| exp((score - best).max(8.0 * LOST));
        let mean = row.iter().map(|&score| odds(score)).sum::<f64>() / classes as f64;
        row.iter_mut().for_each(|score| *score = best + log(odds(*score) + mean / rows));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn it_is_a_mixture_with_the_mean(row in prop::collection::vec(-30.0..30.0f64, 3), rows in 1.0..1e6) {
            let mut found = row.clone();
            doubted(&mut found, 3, rows);
            let mean = row.iter().map(|score| score.exp()).sum::<f64>() / 3.0;
            for (found, score) in found.iter().zip(&row) {
                prop_assert!((found - (score.exp() + mean / rows).ln()).abs() < 1e-9);
            }
        }
    }

    #[test]
    fn nothing_is_ruled_out() {
        let mut scores = vec![0.0, -1e6, f64::NEG_INFINITY, f64::NEG_INFINITY];
        doubted(&mut scores, 2, 100.0);
        assert!((scores[1] - (0.5f64 / 100.0).ln()).abs() < 1e-9);
        assert_eq!(scores[2..], [0.0, 0.0]);
    }
}
