//! How strong the other labels of a row are, for rows with a set of labels.

use crate::maths::{exp, log};
use crate::tuning::newton::LOST;

/// Of each label of a row, log Σ exp(score) over all other labels.
pub(crate) fn rivals(scores: &[f64], labels: usize, threads: usize) -> Vec<f64> {
    let rows: Vec<&[f64]> = scores.chunks_exact(labels.max(1)).collect();
    let shares = crate::parallel::shares(&rows, |_| 1, threads);
    let parts = crate::parallel::each(shares, |rows| {
        let mut found = Vec::with_capacity(rows.len() * labels);
        let mut odds = Vec::with_capacity(labels);
        for row in rows {
            let first =
                |best: usize, label: usize| if row[label] > row[best] { label } else { best };
            let best = (0..labels).fold(0, first);
            odds.clear();
            odds.extend(row.iter().map(|score| exp((score - row[best]).max(2.0 * LOST))));
            let all: f64 = odds.iter().sum();
            // Beside the best, others would be lost to rounding; so they are added up by themselves.
            let others = (0..labels).filter(|&label| label != best);
            let next = others.clone().map(|label| row[label]).fold(f64::NEG_INFINITY, f64::max);
            let behind: f64 = others.map(|label| exp((row[label] - next).max(2.0 * LOST))).sum();
            found.extend((0..labels).map(|label| match label == best {
                true => next + log(behind),
                false => row[best] + log(all - odds[label]),
            }));
        }
        found
    });
    parts.concat()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn rivals_are_all_others(scores in prop::collection::vec(-60.0..60.0f64, 8), threads in 1usize..3) {
            for (row, found) in scores.chunks(4).zip(rivals(&scores, 4, threads).chunks(4)) {
                for label in 0..4 {
                    let others = (0..4).filter(|&other| other != label);
                    let most = others.clone().map(|other| row[other]).fold(f64::NEG_INFINITY, f64::max);
                    let sum: f64 = others.map(|other| (row[other] - most).exp()).sum();
                    prop_assert!((found[label] - most - sum.ln()).abs() < 1e-9);
                }
            }
        }
    }
}
