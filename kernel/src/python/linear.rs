//! The stacked linear model.

use super::counts::{PyTextCounts, Shown, shown};
use super::reading::PyReading;
use super::texts::Texts;
use super::{check_arrays, set_features, shaped, take_features, translate, widened};
use crate::linear::linear_model::{Given, Learner, LinearModel, StoredLinearModel};
use numpy::{IntoPyArray, PyArray2, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Reads the rows that a linear model learns from, batch by batch.
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
    #[pyo3(signature = (counts, rows, every=None))]
    fn new(counts: &PyTextCounts, rows: u64, every: Option<u32>) -> Self {
        PyLinearLearner { learner: Mutex::new(Learner::new(&counts.counts, rows, every)) }
    }

    fn read(&self, py: Python<'_>, texts: &Texts, threads: usize) -> PyResult<()> {
        texts.with(py, |texts| self.learner().read(texts, threads))
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
        reading: &PyReading,
        rows: u64,
        classes: usize,
        arrays: &Bound<'_, PyDict>,
    ) -> PyResult<Self> {
        check_arrays(arrays, 2 * reading.reading.kinds().len() + 5)?;
        let stored = StoredLinearModel {
            features: take_features(py, &reading.reading, arrays)?,
            documents: widened(arrays, "documents")?,
            cells: widened(arrays, "cells")?,
            classes: widened(arrays, "classes")?,
            weights: widened(arrays, "weights")?,
            intercepts: widened(arrays, "intercepts")?,
        };
        let model = py
            .detach(|| stored.restore(&reading.reading, rows, classes))
            .map_err(|error| translate(py, error))?;
        Ok(PyLinearModel { model })
    }

    /// The arrays of the model file.
    fn arrays<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let stored = py.detach(|| self.model.stored());
        let arrays = PyDict::new(py);
        set_features(&arrays, self.model.kinds(), stored.features)?;
        arrays.set_item("documents", stored.documents.into_pyarray(py))?;
        arrays.set_item("cells", stored.cells.into_pyarray(py))?;
        arrays.set_item("classes", stored.classes.into_pyarray(py))?;
        arrays.set_item("weights", stored.weights.into_pyarray(py))?;
        arrays.set_item("intercepts", stored.intercepts.into_pyarray(py))?;
        Ok(arrays)
    }

    /// How many documents it was formed on.
    #[getter]
    fn rows(&self) -> u64 {
        self.model.rows()
    }

    /// What each class gets whatever the text.
    #[getter]
    fn intercepts(&self) -> Vec<f64> {
        self.model.intercepts()
    }

    fn score<'py>(
        &self,
        py: Python<'py>,
        texts: &Texts,
        threads: usize,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let scores = texts.with(py, |texts| self.model.score(texts, threads))?;
        shaped(py, scores, texts.__len__(), self.model.classes())
    }

    /// Each feature of one text that has a weight, as (kind, name, count, scores per class).
    fn contributions(&self, py: Python<'_>, text: &Texts) -> PyResult<Vec<Shown>> {
        let found = text.with(py, |texts| self.model.contributions(texts.concat().as_str()))?;
        Ok(found.into_iter().map(shown).collect())
    }
}
