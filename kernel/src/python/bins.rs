//! Numbers in bins.

use super::{raise, shaped, translate};
use crate::numbers::bins::{BinTables, Bins};
use numpy::{IntoPyArray, PyArray1, PyArray2, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use std::sync::Arc;

/// The rows of one column: how many each class has in each cell.
#[pyclass(frozen, name = "Bins", module = "likely._kernel")]
pub(crate) struct PyBins {
    bins: Arc<Bins>,
    classes: usize,
}

#[pymethods]
impl PyBins {
    /// `cells` are spelled in hexadecimal digits, in order; `counts` has a row per cell, a column per class.
    #[new]
    fn new(
        py: Python<'_>,
        cells: Vec<String>,
        bits: u32,
        counts: PyReadonlyArray2<'_, f64>,
    ) -> PyResult<Self> {
        let parsed = cells.iter().map(|cell| u64::from_str_radix(cell, 16));
        let parsed: Result<Vec<u64>, _> = parsed.collect();
        let cells = parsed
            .map_err(|_| raise(py, "ModelError", "a bin of the model is none".to_string()))?;
        let classes = counts.as_array().ncols();
        let bins = Bins::of(&cells, bits, counts.as_slice()?, classes);
        Ok(PyBins { bins: Arc::new(bins.map_err(|error| translate(py, error))?), classes })
    }

    /// The number in the middle of each cell.
    #[getter]
    fn values<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        self.bins.values.clone().into_pyarray(py)
    }

    fn estimate(&self, py: Python<'_>, m: f64) -> PyBinWeights {
        let tables = py.detach(|| self.bins.estimate(m));
        PyBinWeights { bins: self.bins.clone(), classes: self.classes, tables }
    }

    /// The scores of counted numbers, each left out; zeros where one is missing.
    fn left_out<'py>(
        &self,
        py: Python<'py>,
        m: f64,
        values: PyReadonlyArray1<'py, f64>,
        own: PyReadonlyArray1<'py, u32>,
        threads: usize,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let (values, own) = (values.as_slice()?, own.as_slice()?);
        let scores = py.detach(|| self.bins.left_out(m, values, own, threads));
        shaped(py, scores.map_err(|error| translate(py, error))?, values.len(), self.classes)
    }
}

/// Bins, ready to score.
#[pyclass(frozen, name = "BinWeights", module = "likely._kernel")]
pub(crate) struct PyBinWeights {
    bins: Arc<Bins>,
    classes: usize,
    tables: BinTables,
}

#[pymethods]
impl PyBinWeights {
    /// log P(x | c) of each number; zeros where one is missing.
    fn score<'py>(
        &self,
        py: Python<'py>,
        values: PyReadonlyArray1<'py, f64>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let values = values.as_slice()?;
        let scores = py.detach(|| self.bins.score(&self.tables, values));
        shaped(py, scores, values.len(), self.classes)
    }

    /// log P(cell | c), a row per cell.
    #[getter]
    fn cells<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let scores = self.bins.of_cells(&self.tables);
        shaped(py, scores, self.bins.values.len(), self.classes)
    }
}
