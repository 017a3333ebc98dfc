//! Hand-written rules, tried on columns of text.

use super::texts::Texts;
use super::{raise, translate};
use crate::tables::table_reader::Column;
use crate::text::rules::{Rule, Rules};
use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;

/// A rule: (column, words, senders, domains, pattern).
type Given = (usize, Vec<String>, Vec<String>, Vec<String>, Option<String>);

/// Rules that are ready to be tried.
#[pyclass(frozen, name = "Rules", module = "likely._kernel")]
pub(crate) struct PyRules {
    rules: Rules,
}

#[pymethods]
impl PyRules {
    #[new]
    fn new(py: Python<'_>, rules: Vec<Given>) -> PyResult<Self> {
        let rule = |(column, words, senders, domains, pattern)| Rule {
            column,
            words,
            senders,
            domains,
            pattern,
        };
        let rules: Vec<Rule> = rules.into_iter().map(rule).collect();
        let rules = py.detach(|| Rules::new(&rules)).map_err(|error| translate(py, error))?;
        Ok(PyRules { rules })
    }

    /// For each row the place of the first rule that fires, −1 if none does; and the places of all that
    /// do, as a text with a space between them.
    fn fired<'py>(
        &self,
        py: Python<'py>,
        columns: Vec<Bound<'py, Texts>>,
        threads: usize,
    ) -> PyResult<(Bound<'py, PyArray1<i32>>, Texts)> {
        let rows = columns.first().map_or(0, |column| column.get().__len__());
        let uneven = columns.iter().any(|column| column.get().__len__() != rows);
        if uneven || columns.len() != self.rules.columns() {
            let message = format!("the rules read {} columns of one length", self.rules.columns());
            return Err(raise(py, "DataError", message));
        }
        let mut fired: Vec<Vec<u32>> = vec![Vec::new(); rows];
        for (place, column) in columns.iter().enumerate() {
            let found =
                column.get().with(py, |texts| Ok(self.rules.fired(place, texts, threads)))?;
            fired.iter_mut().zip(found).for_each(|(row, found)| row.extend(found));
        }
        let (mut first, mut spelled) = (Vec::with_capacity(rows), Column::default());
        for row in &mut fired {
            row.sort_unstable();
            first.push(row.first().map_or(-1, |&place| place as i32));
            let places: Vec<String> = row.iter().map(u32::to_string).collect();
            spelled.push(&places.join(" "));
        }
        Ok((first.into_pyarray(py), Texts::of_column(spelled)))
    }
}

/// What is wrong with a pattern, if something is.
#[pyfunction]
pub(crate) fn pattern_error(pattern: &str) -> Option<String> {
    crate::text::rules::size_of(pattern).err()
}
