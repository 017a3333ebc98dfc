//! Texts as matrices of counts.

use super::texts::Texts;
use super::{raise, translate};
use crate::sklearn::vectorizer::{Analyzer, Counted, Options, Vectorizer};
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;
use std::borrow::Cow;

/// How texts are read: (analyzer, (shortest, longest), lowercase, stop words).
type Given = (String, (usize, usize), bool, Vec<String>);

fn options(py: Python<'_>, (analyzer, lengths, lowercase, stop_words): Given) -> PyResult<Options> {
    let analyzer = match analyzer.as_str() {
        "words" => Analyzer::Words,
        "pattern" => Analyzer::Pattern,
        "char_wb" => Analyzer::CharsWithin,
        "char" => Analyzer::Chars,
        _ => return Err(raise(py, "OptionError", format!("no analyzer is called `{analyzer}`"))),
    };
    if !(1 <= lengths.0 && lengths.0 <= lengths.1) {
        let what = "n-grams are at least one long, and the longest no shorter than the shortest";
        return Err(raise(py, "OptionError", what.to_string()));
    }
    Ok(Options { analyzer, lengths, lowercase, stop_words })
}

/// Starts of rows, columns, counts.
type Matrix<'py> =
    (Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<i32>>, Bound<'py, PyArray1<i64>>);

fn matrix(py: Python<'_>, counted: Counted) -> Matrix<'_> {
    (
        counted.starts.into_pyarray(py),
        counted.columns.into_pyarray(py),
        counted.counts.into_pyarray(py),
    )
}

/// Known features, a column each.
#[pyclass(frozen, name = "Vectorizer", module = "likely._kernel")]
pub(crate) struct PyVectorizer {
    vectorizer: Vectorizer,
}

#[pymethods]
impl PyVectorizer {
    #[new]
    fn new(py: Python<'_>, given: Given, names: Vec<String>) -> PyResult<Self> {
        let options = options(py, given)?;
        let vectorizer = py
            .detach(|| Vectorizer::of(options, names.iter().collect()))
            .map_err(|error| translate(py, error))?;
        Ok(PyVectorizer { vectorizer })
    }

    /// A vectorizer of all features of some texts, and their matrix.
    #[staticmethod]
    fn learn<'py>(py: Python<'py>, given: Given, texts: &Texts) -> PyResult<(Self, Matrix<'py>)> {
        let options = options(py, given)?;
        let (vectorizer, counted) = texts.with(py, |texts| Vectorizer::learn(options, texts))?;
        Ok((PyVectorizer { vectorizer }, matrix(py, counted)))
    }

    fn __len__(&self) -> usize {
        self.vectorizer.names.len()
    }

    fn count<'py>(&self, py: Python<'py>, texts: &Texts) -> PyResult<Matrix<'py>> {
        let counted = texts.with(py, |texts| self.vectorizer.count(texts))?;
        Ok(matrix(py, counted))
    }

    /// The same with some of the columns.
    fn keep(&self, py: Python<'_>, kept: PyReadonlyArray1<'_, u32>) -> PyResult<Self> {
        let kept = kept.as_slice()?;
        Ok(PyVectorizer { vectorizer: py.detach(|| self.vectorizer.keep(kept)) })
    }

    /// The feature of each column.
    #[getter]
    fn names(&self) -> Vec<Cow<'_, str>> {
        self.vectorizer.names.iter().collect()
    }

    /// The features of one text, in its order.
    #[staticmethod]
    fn features(py: Python<'_>, given: Given, text: &str) -> PyResult<Vec<String>> {
        Ok(Vectorizer::features(&options(py, given)?, text))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> (Bound<'py, PyAny>, (Given, Vec<Cow<'_, str>>)) {
        let Options { analyzer, lengths, lowercase, stop_words } = self.vectorizer.options.clone();
        let analyzer = match analyzer {
            Analyzer::Words => "words",
            Analyzer::Pattern => "pattern",
            Analyzer::CharsWithin => "char_wb",
            Analyzer::Chars => "char",
        };
        let given = (analyzer.to_string(), lengths, lowercase, stop_words);
        (py.get_type::<Self>().into_any(), (given, self.names()))
    }
}
