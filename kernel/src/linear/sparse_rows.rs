//! Rows of a few entries each, among many columns.

use crate::error::{Error, Result};

/// Row `i` has the entries `starts[i]..starts[i + 1]`, each of another column.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Sparse {
    pub(crate) starts: Vec<usize>,
    pub(crate) columns: Vec<u32>,
    pub(crate) values: Vec<f32>,
}

impl Default for Sparse {
    fn default() -> Self {
        Sparse { starts: vec![0], columns: Vec::new(), values: Vec::new() }
    }
}

impl Sparse {
    pub(crate) fn rows(&self) -> usize {
        self.starts.len() - 1
    }

    pub(crate) fn push(&mut self, entries: impl IntoIterator<Item = (u32, f32)>) {
        for (column, value) in entries {
            self.columns.push(column);
            self.values.push(value);
        }
        self.starts.push(self.columns.len());
    }

    /// Rows from plain arrays; those that are none are refused.
    pub(crate) fn checked(starts: Vec<usize>, columns: Vec<u32>, values: Vec<f32>) -> Result<Self> {
        let is_whole = starts.first() == Some(&0) && starts.last() == Some(&columns.len());
        if !is_whole || !starts.is_sorted() || columns.len() != values.len() {
            return Err(Error::Shape { what: "the entries of rows are not in order".to_string() });
        }
        Ok(Sparse { starts, columns, values })
    }

    /// Rows with the entries of several blocks, whose columns follow one another: so many in each.
    pub(crate) fn beside(blocks: &[&Sparse], widths: &[usize]) -> Result<Self> {
        let rows = blocks.first().map_or(0, |block| block.rows());
        let fits = |(block, &width): (&&Sparse, &usize)| {
            block.rows() == rows && block.columns.iter().all(|&column| (column as usize) < width)
        };
        if blocks.len() != widths.len() || !blocks.iter().zip(widths).all(fits) {
            return Err(Error::Shape { what: "blocks of rows do not fit together".to_string() });
        }
        let mut together = Sparse::default();
        for row in 0..rows {
            let mut first = 0;
            for (block, width) in blocks.iter().zip(widths) {
                let range = block.starts[row]..block.starts[row + 1];
                let columns = block.columns[range.clone()].iter();
                together.columns.extend(columns.map(|column| first + column));
                together.values.extend_from_slice(&block.values[range]);
                first += *width as u32;
            }
            together.starts.push(together.columns.len());
        }
        Ok(together)
    }

    pub(crate) fn append(&mut self, other: Sparse) {
        let before = self.columns.len();
        self.starts.extend(other.starts[1..].iter().map(|end| before + end));
        self.columns.extend(other.columns);
        self.values.extend(other.values);
    }

    #[inline(always)]
    pub(crate) fn row(&self, row: usize) -> impl Iterator<Item = (usize, f32)> + Clone + '_ {
        let range = self.starts[row]..self.starts[row + 1];
        let columns = self.columns[range.clone()].iter().map(|&column| column as usize);
        columns.zip(self.values[range].iter().copied())
    }
}
