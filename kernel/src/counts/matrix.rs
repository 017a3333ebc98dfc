//! The document-term matrix, for those who want one: compressed sparse rows, columns in the order of
//! the model file.

use crate::counts::features::Features;
use crate::counts::stored_counts::columns;
use crate::counts::text_counts::{TextCounts, check_lengths};
use crate::dictionary::distinct_features::Distinct;
use crate::error::Result;

/// Row `i` has the entries `starts[i]..starts[i + 1]`, with rising columns.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Matrix {
    pub(crate) starts: Vec<u64>,
    pub(crate) columns: Vec<u32>,
    pub(crate) counts: Vec<u32>,
    /// The feature of each column.
    pub(crate) names: Vec<String>,
}

/// How often each counted feature is in each text. Features without a count are left out.
pub(crate) fn matrix(counts: &TextCounts, texts: &[&str], threads: usize) -> Result<Matrix> {
    let codes = Codes::of(counts);
    let found = codes.matrix(texts, threads)?;
    Ok(Matrix { names: codes.names, ..found })
}

/// The features of a tally, in the order of the model file, and what finds them.
pub(crate) struct Codes {
    features: Features,
    columns: Vec<Vec<u32>>,
    pub(crate) names: Vec<String>,
}

impl Codes {
    pub(crate) fn of(counts: &TextCounts) -> Self {
        let (columns, names) = columns(counts);
        Codes { features: counts.features().clone(), columns, names }
    }

    /// How many features each block has; their names come block by block.
    pub(crate) fn sizes(&self) -> Vec<usize> {
        let there = |block: &Vec<u32>| block.iter().filter(|&&column| column != u32::MAX).count();
        self.columns.iter().map(there).collect()
    }

    /// How often each feature is in each text; the columns have no names here.
    pub(crate) fn matrix(&self, texts: &[&str], threads: usize) -> Result<Matrix> {
        check_lengths(texts)?;
        let shares = crate::parallel::shares(texts, |text| text.len() + 8, threads);
        let parts = crate::parallel::each(shares, |share| {
            let mut part = Matrix::default();
            let mut reader = self.features.reader();
            let mut distinct = Distinct::default();
            let mut row = Vec::new();
            for text in share {
                let occurrences = self.features.read(&mut reader, text);
                row.clear();
                for (columns, ids) in self.columns.iter().zip(&occurrences.blocks) {
                    let found = distinct.of(ids, columns.len()).iter();
                    let placed = found.map(|&(id, count)| (columns[id as usize], count));
                    row.extend(placed.filter(|&(column, _)| column != u32::MAX));
                }
                row.sort_unstable();
                part.columns.extend(row.iter().map(|entry| entry.0));
                part.counts.extend(row.iter().map(|entry| entry.1));
                part.starts.push(part.columns.len() as u64);
            }
            part
        });
        let mut whole = Matrix { starts: vec![0], ..Matrix::default() };
        for part in parts {
            let before = whole.columns.len() as u64;
            whole.starts.extend(part.starts.iter().map(|end| before + end));
            whole.columns.extend(part.columns);
            whole.counts.extend(part.counts);
        }
        Ok(whole)
    }

    /// The place of each text's first feature; −1 if there is none.
    pub(crate) fn find(&self, texts: &[&str], threads: usize) -> Result<Vec<i32>> {
        check_lengths(texts)?;
        let shares = crate::parallel::shares(texts, |text| text.len() + 8, threads);
        let parts = crate::parallel::each(shares, |share| {
            let mut reader = self.features.reader();
            let mut find = |text: &&str| {
                let ids = self.features.read(&mut reader, text).blocks.first();
                let id = ids.and_then(|ids| ids.first()).map(|&id| id as usize);
                let column = id.and_then(|id| self.columns[0].get(id)).copied();
                column.and_then(|column| i32::try_from(column).ok()).unwrap_or(-1)
            };
            share.iter().map(&mut find).collect::<Vec<i32>>()
        });
        Ok(parts.concat())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::reading::Reading;

    #[test]
    fn a_whole_text_is_one_feature() {
        let reading = Reading::default();
        let texts = ["light rain", "", "sun", "light rain", "Sun "];
        let counts = TextCounts::observe(&reading, &texts, &[0, 0, 1, 1, 0], 2, 2).unwrap();
        let codes = Codes::of(&counts);
        assert_eq!(codes.names, ["Sun ", "light rain", "sun"]);
        assert_eq!(codes.find(&["sun", "rain", "", "light rain"], 2).unwrap(), [2, -1, -1, 1]);
    }

    #[test]
    fn a_row_per_text_a_column_per_feature() {
        let reading = Reading::word_ngrams(1, 2);
        let counts = TextCounts::observe(&reading, &["b a b", "c"], &[0, 1], 2, 1).unwrap();
        assert_eq!(Codes::of(&counts).sizes(), [3, 2]);
        let found = matrix(&counts, &["b a x b", "", "c c"], 2).unwrap();
        assert_eq!(found.names, ["a", "b", "c", "a b", "b a"]);
        assert_eq!(found.starts, [0, 3, 3, 4]);
        assert_eq!(found.columns, [0, 1, 4, 2]);
        assert_eq!(found.counts, [1, 2, 1, 2]);
    }
}
