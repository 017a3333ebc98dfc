//! Doubt about a single view: of n rows, one may have come from any class.
//!
//! ```text
//! log( ( n · P(x | c) + mean_k P(x | k) ) / ( n + 1 ) )
//! ```
//!
//! With n rows nobody knows how rare a thing is that none of them shows. So no view can rule a class out
//! by itself: it is behind the best by the logarithm of n times the number of classes, at most.

use crate::maths::{exp, log};
use crate::tuning::newton::LOST;

/// Scores, doubted. `class_rows` has the rows of each class; classes without any are no part of the mean.
/// Where rows are left out, `own` has the class of each, which then has one row less.
pub(crate) fn doubted(scores: &mut [f64], class_rows: &[f64], own: Option<&[u32]>) {
    let all: f64 = class_rows.iter().sum();
    for (place, row) in scores.chunks_exact_mut(class_rows.len().max(1)).enumerate() {
        let left_out = own.map(|own| own[place] as usize);
        let rows = (all - f64::from(u8::from(own.is_some()))).max(1.0);
        let counts =
            |class: usize| class_rows[class] - f64::from(u8::from(left_out == Some(class))) > 0.0;
        let counted = || row.iter().enumerate().filter(|&(class, _)| counts(class));
        let best = counted().map(|(_, &score)| score).fold(f64::NEG_INFINITY, f64::max);
        if !best.is_finite() {
            // Nothing can be told apart.
            row.fill(0.0);
            continue;
        }
        // A class without rows may be ahead of all others.
        let odds = |score: f64| exp((score - best).clamp(8.0 * LOST, -8.0 * LOST));
        let sum: f64 = counted().map(|(_, &score)| odds(score)).sum();
        let mean = sum / counted().count() as f64;
        let mixed = |score: f64| (rows * odds(score) + mean) / (rows + 1.0);
        row.iter_mut().for_each(|score| *score = best + log(mixed(*score)));
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
            doubted(&mut found, &[rows, 2.0, 1.0], None);
            let mean = row.iter().map(|score| score.exp()).sum::<f64>() / 3.0;
            for (found, score) in found.iter().zip(&row) {
                prop_assert!((found - ((rows + 3.0) * score.exp() + mean).ln() + (rows + 4.0).ln()).abs() < 1e-9);
            }
            let mut found = row.clone();
            doubted(&mut found, &[rows, 2.0, 1.0], Some(&[2]));
            let mean = row[..2].iter().map(|score| score.exp()).sum::<f64>() / 2.0;
            for (found, score) in found.iter().zip(&row) {
                prop_assert!((found - ((rows + 2.0) * score.exp() + mean).ln() + (rows + 3.0).ln()).abs() < 1e-9);
            }
        }
    }

    #[test]
    fn nothing_is_ruled_out() {
        let mut scores = vec![0.0, -1e6, f64::NEG_INFINITY, f64::NEG_INFINITY];
        doubted(&mut scores, &[60.0, 40.0], None);
        assert!((scores[1] - (0.5f64 / 101.0).ln()).abs() < 1e-9);
        assert_eq!(scores[2..], [0.0, 0.0]);
    }
}
