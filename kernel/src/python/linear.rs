//! The stacked linear model.

use super::counts::PyTextCounts;
use super::counts::shown_kind;
use super::reading::PyReading;
use super::texts::Texts;
use super::{check_arrays, set_features, shaped, take_features, translate, widened};
use crate::linear::linear_model::{Block, Given, Learner, LinearModel, StoredLinearModel};
use crate::linear::sparse_rows::Sparse;
use crate::linear::text_features::TextFeatures;
use numpy::{IntoPyArray, PyArray1, PyArray2, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Rows of a few entries each: where those of each row begin, and their columns and values.
#[pyclass(frozen, name = "SparseRows", module = "likely._kernel")]
pub(crate) struct PySparseRows {
    rows: Sparse,
}

#[pymethods]
impl PySparseRows {
    #[new]
    fn new(
        py: Python<'_>,
        starts: PyReadonlyArray1<'_, i64>,
        columns: PyReadonlyArray1<'_, u32>,
        values: PyReadonlyArray1<'_, f32>,
    ) -> PyResult<Self> {
        let starts = starts.as_slice()?.iter().map(|&start| start as usize).collect();
        let (columns, values) = (columns.as_slice()?.to_vec(), values.as_slice()?.to_vec());
        let rows =
            Sparse::checked(starts, columns, values).map_err(|error| translate(py, error))?;
        Ok(PySparseRows { rows })
    }

    fn __len__(&self) -> usize {
        self.rows.rows()
    }

    /// Where the entries of each row begin, and the column of each.
    fn entries<'py>(
        &self,
        py: Python<'py>,
    ) -> (Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<u32>>) {
        let starts: Vec<i64> = self.rows.starts.iter().map(|&start| start as i64).collect();
        (starts.into_pyarray(py), self.rows.columns.clone().into_pyarray(py))
    }
}

/// The features of a text that a linear model reads.
#[pyclass(frozen, name = "LinearText", module = "likely._kernel")]
pub(crate) struct PyLinearText {
    features: Arc<TextFeatures>,
}

#[pymethods]
impl PyLinearText {
    #[new]
    #[pyo3(signature = (counts, rows, every=None))]
    fn new(py: Python<'_>, counts: &PyTextCounts, rows: u64, every: Option<u32>) -> Self {
        let features = py.detach(|| TextFeatures::of(&counts.counts, rows, every));
        PyLinearText { features: Arc::new(features) }
    }

    #[staticmethod]
    fn from_arrays(
        py: Python<'_>,
        reading: &PyReading,
        rows: u64,
        arrays: &Bound<'_, PyDict>,
    ) -> PyResult<Self> {
        check_arrays(arrays, 2 * reading.reading.kinds().len() + 1)?;
        let sorted = take_features(py, &reading.reading, arrays)?;
        let documents = widened(arrays, "documents")?;
        let features = py
            .detach(|| TextFeatures::restore(&reading.reading, sorted, documents, rows))
            .map_err(|error| translate(py, error))?;
        Ok(PyLinearText { features: Arc::new(features) })
    }

    /// The arrays of the model file.
    fn arrays<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let (sorted, documents) = py.detach(|| self.features.stored());
        let arrays = PyDict::new(py);
        set_features(&arrays, self.features.kinds(), sorted)?;
        arrays.set_item("documents", documents.into_pyarray(py))?;
        Ok(arrays)
    }

    /// How many features there are.
    #[getter]
    fn width(&self) -> usize {
        self.features.width()
    }

    fn read(&self, py: Python<'_>, texts: &Texts, threads: usize) -> PyResult<PySparseRows> {
        let rows = texts.with(py, |texts| self.features.read(texts, threads))?;
        Ok(PySparseRows { rows })
    }

    /// The entries of one text, as (kind, name, count).
    fn named(&self, py: Python<'_>, text: &Texts) -> PyResult<Vec<(String, String, u32)>> {
        let found = text.with(py, |texts| self.features.named(texts.concat().as_str()))?;
        Ok(found.into_iter().map(|one| (shown_kind(one.kind), one.name, one.count)).collect())
    }
}

/// A text, or so many other columns.
#[derive(FromPyObject)]
enum GivenBlock<'py> {
    Text(PyRef<'py, PyLinearText>),
    Columns(usize),
}

fn sparse<'a>(blocks: &'a [PyRef<'_, PySparseRows>]) -> Vec<&'a Sparse> {
    blocks.iter().map(|block| &block.rows).collect()
}

/// Holds the rows that a linear model learns from.
#[pyclass(frozen, name = "LinearLearner", module = "likely._kernel")]
pub(crate) struct PyLinearLearner {
    learner: Mutex<Learner>,
}

impl PyLinearLearner {
    fn learner(&self) -> MutexGuard<'_, Learner> {
        self.learner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl PyLinearLearner {
    #[new]
    fn new(blocks: Vec<GivenBlock<'_>>) -> Self {
        let block = |block: GivenBlock<'_>| match block {
            GivenBlock::Text(text) => Block::Text(text.features.clone()),
            GivenBlock::Columns(width) => Block::Columns(width),
        };
        PyLinearLearner {
            learner: Mutex::new(Learner::new(blocks.into_iter().map(block).collect())),
        }
    }

    /// Takes more rows, block by block.
    fn read(&self, py: Python<'_>, blocks: Vec<PyRef<'_, PySparseRows>>) -> PyResult<()> {
        let blocks = sparse(&blocks);
        py.detach(|| self.learner().read(&blocks)).map_err(|error| translate(py, error))
    }

    /// The model of all rows, and the scores of each by the rows outside its fold.
    #[allow(clippy::too_many_arguments)]
    fn learn<'py>(
        &self,
        py: Python<'py>,
        classes: usize,
        is_multilabel: bool,
        sets: (PyReadonlyArray1<'py, u32>, PyReadonlyArray1<'py, u32>),
        folds: PyReadonlyArray1<'py, u32>,
        order: PyReadonlyArray1<'py, u32>,
        threads: usize,
    ) -> PyResult<(PyLinearModel, Bound<'py, PyArray2<f64>>)> {
        let sets = (sets.0.as_slice()?, sets.1.as_slice()?);
        let (folds, order) = (folds.as_slice()?, order.as_slice()?);
        let given = Given { classes, is_multilabel, sets, folds, order };
        let (model, scores) = py
            .detach(|| self.learner().learn(&given, threads))
            .map_err(|error| translate(py, error))?;
        Ok((PyLinearModel { model }, shaped(py, scores, folds.len(), classes)?))
    }
}

/// Linear models that tell each class from the rest.
#[pyclass(frozen, name = "LinearModel", module = "likely._kernel")]
pub(crate) struct PyLinearModel {
    model: LinearModel,
}

#[pymethods]
impl PyLinearModel {
    #[staticmethod]
    fn from_arrays(
        py: Python<'_>,
        widths: Vec<usize>,
        classes: usize,
        arrays: &Bound<'_, PyDict>,
    ) -> PyResult<Self> {
        check_arrays(arrays, 4)?;
        let stored = StoredLinearModel {
            cells: widened(arrays, "cells")?,
            classes: widened(arrays, "classes")?,
            weights: widened(arrays, "weights")?,
            intercepts: widened(arrays, "intercepts")?,
        };
        let model =
            py.detach(|| stored.restore(widths, classes)).map_err(|error| translate(py, error))?;
        Ok(PyLinearModel { model })
    }

    /// The arrays of the model file.
    fn arrays<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let stored = py.detach(|| self.model.stored());
        let arrays = PyDict::new(py);
        arrays.set_item("cells", stored.cells.into_pyarray(py))?;
        arrays.set_item("classes", stored.classes.into_pyarray(py))?;
        arrays.set_item("weights", stored.weights.into_pyarray(py))?;
        arrays.set_item("intercepts", stored.intercepts.into_pyarray(py))?;
        Ok(arrays)
    }

    /// What each class gets whatever the row.
    #[getter]
    fn intercepts(&self) -> Vec<f64> {
        self.model.intercepts()
    }

    /// The scores of rows, which come block by block.
    fn score<'py>(
        &self,
        py: Python<'py>,
        blocks: Vec<PyRef<'py, PySparseRows>>,
        threads: usize,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let blocks = sparse(&blocks);
        let rows = blocks.first().map_or(0, |block| block.rows());
        let scores = py
            .detach(|| self.model.score(&blocks, threads))
            .map_err(|error| translate(py, error))?;
        shaped(py, scores, rows, self.model.classes())
    }

    /// What each entry of rows adds to the scores, a row for each.
    fn contributions<'py>(
        &self,
        py: Python<'py>,
        blocks: Vec<PyRef<'py, PySparseRows>>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let scores = self.model.contributions(&sparse(&blocks));
        let scores = scores.map_err(|error| translate(py, error))?;
        let entries = scores.len() / self.model.classes();
        shaped(py, scores, entries, self.model.classes())
    }
}
