//! Sums of weighted rows: of matrices of counts, and of numbers.

use super::{cells, shaped, take, translate};
use crate::numbers::exact_sums::ExactSum;
use crate::numbers::moments::Layout;
use crate::sklearn::feature_totals::{Cells, MatrixRows, Totals, Values};
use crate::sklearn::weighted_moments::{StoredSums, WeightedMoments};
use numpy::{IntoPyArray, PyArray1, PyArray2, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::sync::Arc;

fn dict<'py>(py: Python<'py>, stored: StoredSums) -> PyResult<Bound<'py, PyDict>> {
    let arrays = PyDict::new(py);
    arrays.set_item("negative", stored.negative.into_pyarray(py))?;
    arrays.set_item("lowest", stored.lowest.into_pyarray(py))?;
    arrays.set_item("lengths", stored.lengths.into_pyarray(py))?;
    arrays.set_item("limbs", stored.limbs.into_pyarray(py))?;
    Ok(arrays)
}

fn stored(arrays: &Bound<'_, PyDict>) -> PyResult<StoredSums> {
    Ok(StoredSums {
        negative: take(arrays, "negative")?,
        lowest: take(arrays, "lowest")?,
        lengths: take(arrays, "lengths")?,
        limbs: take(arrays, "limbs")?,
    })
}

/// Counts per class and column; classes are slots, numbered by the caller.
#[pyclass(frozen, name = "Totals", module = "likely._kernel")]
pub(crate) struct PyTotals {
    totals: Totals,
}

#[pymethods]
impl PyTotals {
    #[new]
    fn new(py: Python<'_>, slots: usize, columns: usize) -> PyResult<Self> {
        let totals = Totals::zero(slots, columns).map_err(|error| translate(py, error))?;
        Ok(PyTotals { totals })
    }

    /// The sum with the rows of a matrix in compressed sparse rows of at least so many columns.
    #[pyo3(signature = (shape, starts, columns, values, slots, weights=None))]
    #[allow(clippy::too_many_arguments)]
    fn plus(
        &self,
        py: Python<'_>,
        shape: usize,
        starts: PyReadonlyArray1<'_, i64>,
        columns: PyReadonlyArray1<'_, i64>,
        values: &Bound<'_, PyAny>,
        slots: PyReadonlyArray1<'_, u32>,
        weights: Option<PyReadonlyArray1<'_, f64>>,
    ) -> PyResult<Self> {
        let (whole, real): (PyReadonlyArray1<'_, i64>, PyReadonlyArray1<'_, f64>);
        let values = if let Ok(counts) = values.extract() {
            whole = counts;
            Values::Whole(whole.as_slice()?)
        } else {
            real = values.extract()?;
            Values::Real(real.as_slice()?)
        };
        let rows = MatrixRows { starts: starts.as_slice()?, columns: columns.as_slice()?, values };
        let slots = slots.as_slice()?;
        let weights = weights.as_ref().map(|weights| weights.as_slice()).transpose()?;
        py.detach(|| {
            let mut totals = self.totals.clone();
            totals.widen(shape)?;
            totals.add(rows, slots, weights)?;
            Ok(PyTotals { totals })
        })
        .map_err(|error| translate(py, error))
    }

    /// The weight of the rows of each slot.
    #[getter]
    fn rows<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        self.totals.rows.values().into_pyarray(py)
    }

    /// A row per slot.
    #[getter]
    fn counts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        shaped(py, self.totals.counts(), self.totals.classes.len(), self.totals.columns)
    }

    /// What all other slots have, a row per slot.
    #[getter]
    fn complements<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        shaped(py, self.totals.complements(), self.totals.classes.len(), self.totals.columns)
    }

    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyAny>, (usize, usize, Bound<'py, PyDict>))> {
        let all = || {
            std::iter::once(&self.totals.rows).chain(self.totals.classes.iter().map(Arc::as_ref))
        };
        let arrays = dict(py, StoredSums::of(all().flat_map(|cells| &cells.rest)))?;
        let whole: Vec<i64> = all().flat_map(|cells| &cells.whole).copied().collect();
        let real: Vec<bool> = all().map(|cells| !cells.rest.is_empty()).collect();
        arrays.set_item("whole", whole.into_pyarray(py))?;
        arrays.set_item("real", real.into_pyarray(py))?;
        let restore = py.get_type::<Self>().getattr("from_arrays")?;
        Ok((restore, (self.totals.classes.len(), self.totals.columns, arrays)))
    }

    #[staticmethod]
    fn from_arrays(
        py: Python<'_>,
        slots: usize,
        columns: usize,
        arrays: &Bound<'_, PyDict>,
    ) -> PyResult<Self> {
        let (whole, real): (Vec<i64>, Vec<bool>) = (take(arrays, "whole")?, take(arrays, "real")?);
        let mut totals = Totals::zero(slots, columns).map_err(|error| translate(py, error))?;
        let mut left = whole.into_iter();
        let mut all: Vec<&mut Cells> = std::iter::once(&mut totals.rows)
            .chain(totals.classes.iter_mut().map(Arc::make_mut))
            .collect();
        for (cells, real) in all.iter_mut().zip(real) {
            cells.whole.iter_mut().zip(&mut left).for_each(|(cell, whole)| *cell = whole);
            if real {
                cells.rest = vec![ExactSum::zero(); cells.whole.len()];
            }
        }
        let sums = all.into_iter().flat_map(|cells| cells.rest.iter_mut());
        stored(arrays)?.put(sums).map_err(|error| translate(py, error))?;
        Ok(PyTotals { totals })
    }
}

/// Sums of weighted numbers per class; classes are slots, numbered by the caller.
#[pyclass(frozen, name = "WeightedMoments", module = "likely._kernel")]
pub(crate) struct PyWeightedMoments {
    moments: WeightedMoments,
    slots: usize,
}

#[pymethods]
impl PyWeightedMoments {
    #[new]
    fn new(slots: usize, columns: usize, together: bool) -> Self {
        let moments = WeightedMoments::zero(Layout { columns, together }, slots);
        PyWeightedMoments { moments, slots }
    }

    /// The sum with rows of numbers.
    #[pyo3(signature = (values, slots, weights=None))]
    fn plus(
        &self,
        py: Python<'_>,
        values: PyReadonlyArray2<'_, f64>,
        slots: PyReadonlyArray1<'_, u32>,
        weights: Option<PyReadonlyArray1<'_, f64>>,
    ) -> PyResult<Self> {
        let (_, values) = cells(&values)?;
        let slots = slots.as_slice()?;
        let weights = weights.as_ref().map(|weights| weights.as_slice()).transpose()?;
        let mut moments = self.moments.clone();
        py.detach(|| moments.add(values, slots, weights)).map_err(|error| translate(py, error))?;
        Ok(PyWeightedMoments { moments, slots: self.slots })
    }

    /// The weight, the means and the spread (variances, or covariances one after another) of each
    /// slot, and at the end of all rows.
    #[allow(clippy::type_complexity)]
    fn estimates<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyArray1<f64>>, Bound<'py, PyArray2<f64>>, Bound<'py, PyArray2<f64>>)>
    {
        let (weights, means, spread) = py.detach(|| self.moments.estimates());
        let (rows, columns) = (self.slots + 1, self.moments.layout.columns);
        let width = spread.len() / rows;
        Ok((
            weights.into_pyarray(py),
            shaped(py, means, rows, columns)?,
            shaped(py, spread, rows, width)?,
        ))
    }

    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyAny>, (usize, usize, bool, Bound<'py, PyDict>))> {
        let Layout { columns, together } = self.moments.layout;
        let arrays = dict(py, self.moments.stored())?;
        let restore = py.get_type::<Self>().getattr("from_arrays")?;
        Ok((restore, (self.slots, columns, together, arrays)))
    }

    #[staticmethod]
    fn from_arrays(
        py: Python<'_>,
        slots: usize,
        columns: usize,
        together: bool,
        arrays: &Bound<'_, PyDict>,
    ) -> PyResult<Self> {
        let layout = Layout { columns, together };
        let moments = WeightedMoments::restore(layout, slots, &stored(arrays)?)
            .map_err(|error| translate(py, error))?;
        Ok(PyWeightedMoments { moments, slots })
    }
}
