//! Log-probabilities that may hold zeros, and sums of them over a vocabulary.

use crate::counts::class_counts::Count;
use crate::naive_bayes::views::ViewRows;
use std::collections::BTreeMap;

/// A log-probability that may hold zeros: `log · 0^zeros`.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct LogProbability {
    pub(crate) log: f64,
    pub(crate) zeros: i64,
}

impl LogProbability {
    pub(crate) fn value(self) -> f64 {
        if self.zeros > 0 { f64::NEG_INFINITY } else { self.log }
    }
}

impl std::ops::Add for LogProbability {
    type Output = LogProbability;

    fn add(self, other: LogProbability) -> LogProbability {
        LogProbability { log: self.log + other.log, zeros: self.zeros + other.zeros }
    }
}

impl std::ops::Sub for LogProbability {
    type Output = LogProbability;

    fn sub(self, other: LogProbability) -> LogProbability {
        LogProbability { log: self.log - other.log, zeros: self.zeros - other.zeros }
    }
}

impl std::ops::Sub<f64> for LogProbability {
    type Output = LogProbability;

    fn sub(self, log: f64) -> LogProbability {
        LogProbability { log: self.log - log, ..self }
    }
}

impl std::ops::Mul<u64> for LogProbability {
    type Output = LogProbability;

    fn mul(self, times: u64) -> LogProbability {
        LogProbability { log: self.log * times as f64, zeros: self.zeros * times as i64 }
    }
}

/// How many features were in how many documents of a class. Sums over the vocabulary go by this
/// table, in order: ids are random, and the order of a floating-point sum shows in its last bits.
pub(crate) fn histogram(rows: &ViewRows, mask: u32, class: usize) -> BTreeMap<u64, u64> {
    let mut histogram = BTreeMap::new();
    for (row, users) in rows.of(mask).flat_map(|block| block.rows()).filter(|(_, users)| *users > 0)
    {
        let here = |count: &Count| count.class as usize == class && count.documents > 0;
        for count in row.iter().filter(here) {
            *histogram.entry(count.documents).or_default() += users;
        }
    }
    histogram
}

/// The sum of `each` over all features, given in how many documents of the class each was.
pub(crate) fn absent(
    histogram: &BTreeMap<u64, u64>,
    features: u64,
    mut each: impl FnMut(u64) -> LogProbability,
) -> LogProbability {
    let unseen = features - histogram.values().sum::<u64>();
    let mut sum = each(0) * unseen;
    for (&documents, &features) in histogram {
        sum = sum + each(documents) * features;
    }
    sum
}
