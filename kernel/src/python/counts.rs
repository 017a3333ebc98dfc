//! Counts of features, and views of them.

use super::reading::PyReading;
use super::texts::Texts;
use super::{raise, shaped, take, translate};
use crate::counts::TextCounts;
use crate::leave_one_out::{Learned, leave_one_out};
use crate::matrix::{Codes, matrix};
use crate::reading::Kind;
use crate::stored::{Stored, columns};
use crate::view::{Classes, Model, View};
use crate::weights::{Contribution, Weights};
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

/// A view: (name, min_documents, skip_top, tfidf).
type ViewOptions = (String, u64, usize, bool);

fn view(py: Python<'_>, (name, min_documents, skip_top, tfidf): ViewOptions) -> PyResult<View> {
    let model = match name.as_str() {
        "multinomial" => Model::Multinomial,
        "binary" => Model::Binary,
        "bernoulli" => Model::Bernoulli,
        "complement" => Model::Complement,
        _ => {
            let message = format!("no view of a text tally is called `{name}`");
            return Err(raise(py, "ModelError", message));
        }
    };
    Ok(View { model, min_documents, skip_top, tfidf })
}

fn classes(
    slots: &PyReadonlyArray1<'_, u32>,
    rows: &PyReadonlyArray1<'_, u64>,
) -> PyResult<Classes> {
    Ok(Classes { slots: slots.as_slice()?.to_vec(), rows: rows.as_slice()?.to_vec() })
}

/// Counts per class and feature; classes are slots, numbered by the caller.
#[pyclass(name = "TextCounts", module = "likely._kernel")]
pub struct PyTextCounts {
    counts: TextCounts,
}

#[pymethods]
impl PyTextCounts {
    #[staticmethod]
    fn zero(reading: &PyReading) -> Self {
        PyTextCounts { counts: TextCounts::zero(&reading.reading, 0) }
    }

    #[staticmethod]
    fn observe(
        py: Python<'_>,
        reading: &PyReading,
        texts: &Texts,
        slots: PyReadonlyArray1<'_, u32>,
        n_slots: usize,
        threads: usize,
    ) -> PyResult<Self> {
        let slots = slots.as_slice()?;
        let reading = &reading.reading;
        let counts =
            texts.with(py, |texts| TextCounts::observe(reading, texts, slots, n_slots, threads))?;
        Ok(PyTextCounts { counts })
    }

    fn copy(&self) -> Self {
        PyTextCounts { counts: self.counts.clone() }
    }

    fn add(
        &mut self,
        py: Python<'_>,
        other: &PyTextCounts,
        slot_map: PyReadonlyArray1<'_, u32>,
    ) -> PyResult<()> {
        let map = slot_map.as_slice()?;
        py.detach(|| self.counts.add(&other.counts, map)).map_err(|error| translate(py, error))
    }

    fn subtract(
        &mut self,
        py: Python<'_>,
        other: &PyTextCounts,
        slot_map: PyReadonlyArray1<'_, u32>,
    ) -> PyResult<()> {
        let map = slot_map.as_slice()?;
        py.detach(|| self.counts.subtract(&other.counts, map)).map_err(|error| translate(py, error))
    }

    /// Refuses counts that cannot come from so many rows of each slot.
    fn check_rows(&self, py: Python<'_>, rows: PyReadonlyArray1<'_, u64>) -> PyResult<()> {
        self.counts.check_rows(rows.as_slice()?).map_err(|error| translate(py, error))
    }

    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyAny>, (PyReading, Bound<'py, PyArray1<u64>>, Bound<'py, PyDict>))>
    {
        let slots: Vec<u32> = (0..self.counts.classes() as u32).collect();
        let rows = vec![u64::MAX; slots.len()].into_pyarray(py);
        let arrays = self.arrays(py, slots.into_pyarray(py).readonly())?;
        let reading = PyReading { reading: self.counts.reading().clone() };
        Ok((py.get_type::<Self>().getattr("from_arrays")?, (reading, rows, arrays)))
    }

    /// The arrays of the model file, for the classes in `slots`, in that order.
    fn arrays<'py>(
        &self,
        py: Python<'py>,
        slots: PyReadonlyArray1<'py, u32>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let slots = slots.as_slice()?;
        let stored = py.detach(|| Stored::of(&self.counts, slots));
        let arrays = PyDict::new(py);
        arrays.set_item("shared", stored.shared.into_pyarray(py))?;
        arrays.set_item("lengths", stored.lengths.into_pyarray(py))?;
        arrays.set_item("cells", stored.cells.into_pyarray(py))?;
        arrays.set_item("bytes", stored.bytes.into_pyarray(py))?;
        arrays.set_item("classes", stored.classes.into_pyarray(py))?;
        arrays.set_item("times", stored.times.into_pyarray(py))?;
        arrays.set_item("documents", stored.documents.into_pyarray(py))?;
        Ok(arrays)
    }

    #[staticmethod]
    fn from_arrays(
        py: Python<'_>,
        reading: &PyReading,
        rows: PyReadonlyArray1<'_, u64>,
        arrays: &Bound<'_, PyDict>,
    ) -> PyResult<Self> {
        let stored = Stored {
            shared: take(arrays, "shared")?,
            lengths: take(arrays, "lengths")?,
            cells: take(arrays, "cells")?,
            bytes: take(arrays, "bytes")?,
            classes: take(arrays, "classes")?,
            times: take(arrays, "times")?,
            documents: take(arrays, "documents")?,
        };
        let (reading, rows) = (&reading.reading, rows.as_slice()?);
        let counts =
            py.detach(|| stored.restore(reading, rows)).map_err(|error| translate(py, error))?;
        Ok(PyTextCounts { counts })
    }

    /// How many features have a count.
    fn features(&self) -> usize {
        self.counts.counted().map(|(block, _)| self.counts.blocks()[block].live()).sum()
    }

    fn estimate(
        &self,
        py: Python<'_>,
        view: ViewOptions,
        alpha: f64,
        slots: PyReadonlyArray1<'_, u32>,
        rows: PyReadonlyArray1<'_, u64>,
    ) -> PyResult<PyTextWeights> {
        let classes = classes(&slots, &rows)?;
        let view = self::view(py, view)?;
        let weights = py.detach(|| Weights::new(&self.counts, &classes, view, alpha));
        Ok(PyTextWeights { weights, classes: classes.len() })
    }

    /// Scores of the counted texts, each left out, for several α: one matrix per α.
    #[allow(clippy::too_many_arguments)]
    fn leave_one_out<'py>(
        &self,
        py: Python<'py>,
        view: ViewOptions,
        alphas: Vec<f64>,
        slots: PyReadonlyArray1<'py, u32>,
        rows: PyReadonlyArray1<'py, u64>,
        texts: &Texts,
        positions: PyReadonlyArray1<'py, u32>,
        threads: usize,
    ) -> PyResult<Bound<'py, PyList>> {
        let classes = classes(&slots, &rows)?;
        let view = self::view(py, view)?;
        let positions = positions.as_slice()?;
        let scores = texts.with(py, |texts| {
            let learned = Learned { texts, classes: positions };
            leave_one_out(&self.counts, &classes, view, &alphas, &learned, threads)
        })?;
        let matrices: PyResult<Vec<_>> = scores
            .into_iter()
            .map(|scores| shaped(py, scores, positions.len(), classes.len()))
            .collect();
        PyList::new(py, matrices?)
    }

    /// The features in order, and what finds them in texts that are read whole.
    fn codes(&self) -> PyCodes {
        PyCodes { codes: Codes::of(&self.counts) }
    }

    /// A view as a linear form: (names, a row of weights per feature, constants).
    fn linear<'py>(
        &self,
        py: Python<'py>,
        view: ViewOptions,
        alpha: f64,
        slots: PyReadonlyArray1<'py, u32>,
        rows: PyReadonlyArray1<'py, u64>,
    ) -> PyResult<(Vec<String>, Bound<'py, PyArray2<f64>>, Bound<'py, PyArray1<f64>>)> {
        let classes = classes(&slots, &rows)?;
        let view = self::view(py, view)?;
        let (places, names) = columns(&self.counts);
        let weights = Weights::new(&self.counts, &classes, view, alpha);
        let (weights, constants) = weights.linear(&places, names.len());
        let weights = shaped(py, weights, names.len(), classes.len())?;
        Ok((names, weights, constants.into_pyarray(py)))
    }

    /// The document-term matrix: (starts, columns, counts, names).
    fn matrix<'py>(
        &self,
        py: Python<'py>,
        texts: &Texts,
        threads: usize,
    ) -> PyResult<(
        Bound<'py, PyArray1<u64>>,
        Bound<'py, PyArray1<u32>>,
        Bound<'py, PyArray1<u32>>,
        Vec<String>,
    )> {
        let found = texts.with(py, |texts| matrix(&self.counts, texts, threads))?;
        Ok((
            found.starts.into_pyarray(py),
            found.columns.into_pyarray(py),
            found.counts.into_pyarray(py),
            found.names,
        ))
    }
}

/// Which feature each text is, for texts that are read whole.
#[pyclass(frozen, name = "Codes", module = "likely._kernel")]
pub struct PyCodes {
    codes: Codes,
}

#[pymethods]
impl PyCodes {
    /// The place of each text among the features; −1 if it is none of them.
    fn of<'py>(
        &self,
        py: Python<'py>,
        texts: &Texts,
        threads: usize,
    ) -> PyResult<Bound<'py, PyArray1<i32>>> {
        let codes = texts.with(py, |texts| self.codes.find(texts, threads))?;
        Ok(codes.into_pyarray(py))
    }

    #[getter]
    fn names(&self) -> Vec<String> {
        self.codes.names.clone()
    }
}

/// A view of some counts, ready to score.
#[pyclass(frozen, name = "TextWeights", module = "likely._kernel")]
pub struct PyTextWeights {
    weights: Weights,
    classes: usize,
}

#[pymethods]
impl PyTextWeights {
    fn score<'py>(
        &self,
        py: Python<'py>,
        texts: &Texts,
        threads: usize,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let scores = texts.with(py, |texts| self.weights.score(texts, threads))?;
        shaped(py, scores, texts.__len__(), self.classes)
    }

    /// Each feature of one text that takes part, as (kind, name, count, scores per class), and what
    /// each class adds to begin with.
    fn contributions(
        &self,
        py: Python<'_>,
        text: &Texts,
    ) -> PyResult<(Vec<(String, String, u32, Vec<f64>)>, Vec<f64>)> {
        let (found, constants) =
            text.with(py, |texts| self.weights.contributions(texts.concat().as_str()))?;
        let kind = |kind| match kind {
            Kind::Words(1) => "word".to_string(),
            Kind::Words(n) => format!("{n} words"),
            Kind::Chars => "characters".to_string(),
            Kind::Whole => "category".to_string(),
            Kind::Marks => "mark".to_string(),
            Kind::Lexicon => "lexicon".to_string(),
        };
        let row = |found: Contribution| (kind(found.kind), found.name, found.count, found.scores);
        Ok((found.into_iter().map(row).collect(), constants))
    }
}
