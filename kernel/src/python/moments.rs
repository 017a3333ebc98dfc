//! Sums of numbers, and Gaussians estimated from them.

use super::{cells, check_arrays, raise, shaped, translate, widened};
use crate::numbers::fractional_moments::FractionalRows;
use crate::numbers::gaussian::{Covariance, Gaussian, Regularization, Settings, leave_one_out};
use crate::numbers::moments::{Layout, Moments, StoredMoments};
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// How sums are looked at: (covariance, floor, shrinkage, virtual rows, added
/// share of variances, known variances).
type View = (String, f64, Option<f64>, f64, f64, Option<Vec<f64>>);

fn settings<'a>(
    py: Python<'_>,
    columns: usize,
    (covariance, floor, shrinkage, virtual_rows, added, known): &'a View,
) -> PyResult<Settings<'a>> {
    let covariance = match covariance.as_str() {
        "diagonal" => Covariance::Diagonal,
        "shared" => Covariance::Shared,
        "full" => Covariance::Full,
        _ => {
            return Err(raise(py, "ModelError", format!("no covariance is called `{covariance}`")));
        }
    };
    let known = known.as_deref();
    if known.is_some_and(|known| known.len() != columns) {
        return Err(raise(py, "ModelError", "each column has one known variance".to_string()));
    }
    let regularization = match (*shrinkage, *virtual_rows) {
        (_, m) if m > 0.0 => Regularization::VirtualRows(m),
        (Some(share), _) => Regularization::Shrinkage(share),
        (None, _) if *added > 0.0 => Regularization::Added(*added),
        (None, _) => Regularization::WhereSingular,
    };
    Ok(Settings { covariance, known, floor: *floor, regularization })
}

/// Row and column of the first number that is infinite.
#[pyfunction]
pub(crate) fn first_infinite(
    py: Python<'_>,
    values: PyReadonlyArray2<'_, f64>,
) -> PyResult<Option<(usize, usize)>> {
    let (columns, values) = cells(&values)?;
    let found = py.detach(|| values.iter().position(|x| x.is_infinite()));
    Ok(found.map(|place| (place / columns, place % columns)))
}

/// Rows of numbers, ready to be summed up by fractions at each iteration of EM.
#[pyclass(frozen, name = "FractionalRows", module = "likely._kernel")]
pub(crate) struct PyFractionalRows {
    blocks: FractionalRows,
}

#[pymethods]
impl PyFractionalRows {
    #[new]
    fn new(py: Python<'_>, together: bool, values: PyReadonlyArray2<'_, f64>) -> PyResult<Self> {
        let (columns, values) = cells(&values)?;
        let blocks = py.detach(|| FractionalRows::of(Layout { columns, together }, values));
        Ok(PyFractionalRows { blocks: blocks.map_err(|error| translate(py, error))? })
    }

    /// Sums of the values that the blocks were made of; `fractions` has a row per row, a column per slot.
    fn observe(
        &self,
        py: Python<'_>,
        values: PyReadonlyArray2<'_, f64>,
        fractions: PyReadonlyArray2<'_, u64>,
        threads: usize,
    ) -> PyResult<PyMoments> {
        let (_, values) = cells(&values)?;
        let (n_slots, fractions) = (fractions.as_array().ncols(), fractions.as_slice()?);
        let moments = py.detach(|| self.blocks.observe(values, fractions, n_slots, threads));
        Ok(PyMoments { moments: moments.map_err(|error| translate(py, error))? })
    }
}

/// Sums of numbers per class; classes are slots, numbered by the caller.
#[pyclass(frozen, name = "Moments", module = "likely._kernel")]
pub(crate) struct PyMoments {
    pub(crate) moments: Moments,
}

#[pymethods]
impl PyMoments {
    #[staticmethod]
    fn zero(columns: usize, together: bool, classes: usize) -> Self {
        PyMoments { moments: Moments::zero(Layout { columns, together }, classes) }
    }

    #[staticmethod]
    fn observe(
        py: Python<'_>,
        together: bool,
        values: PyReadonlyArray2<'_, f64>,
        slots: PyReadonlyArray1<'_, u32>,
        n_slots: usize,
        threads: usize,
    ) -> PyResult<Self> {
        let (columns, values) = cells(&values)?;
        let (layout, slots) = (Layout { columns, together }, slots.as_slice()?);
        let moments = py.detach(|| Moments::observe(layout, values, slots, n_slots, threads));
        Ok(PyMoments { moments: moments.map_err(|error| translate(py, error))? })
    }

    fn plus(&self, py: Python<'_>, other: &PyMoments) -> PyResult<Self> {
        let moments = self.moments.plus(&other.moments).map_err(|error| translate(py, error))?;
        Ok(PyMoments { moments })
    }

    fn minus(&self, py: Python<'_>, other: &PyMoments) -> PyResult<Self> {
        let moments = self.moments.minus(&other.moments).map_err(|error| translate(py, error))?;
        Ok(PyMoments { moments })
    }

    /// The same sums with class `c` as class `class_map[c]` of so many; beyond these, it is left out.
    fn reclassed(&self, class_map: PyReadonlyArray1<'_, u32>, classes: usize) -> PyResult<Self> {
        Ok(PyMoments { moments: self.moments.reclassed(class_map.as_slice()?, classes) })
    }

    /// Refuses sums that cannot come from so many rows of each class.
    #[pyo3(signature = (rows, _is_multilabel=false))]
    fn check_rows(
        &self,
        py: Python<'_>,
        rows: PyReadonlyArray1<'_, u64>,
        _is_multilabel: bool,
    ) -> PyResult<()> {
        self.moments.check_rows(rows.as_slice()?).map_err(|error| translate(py, error))
    }

    #[allow(clippy::type_complexity)]
    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyAny>, (usize, bool, Bound<'py, PyArray1<u64>>, Bound<'py, PyDict>))>
    {
        let rows = vec![u64::MAX; self.moments.classes.len()].into_pyarray(py);
        let Layout { columns, together } = self.moments.layout;
        let restore = py.get_type::<Self>().getattr("from_arrays")?;
        Ok((restore, (columns, together, rows, self.arrays(py)?)))
    }

    /// The arrays of the model file.
    fn arrays<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let stored = StoredMoments::of(&self.moments);
        let arrays = PyDict::new(py);
        arrays.set_item("counts", stored.counts.into_pyarray(py))?;
        arrays.set_item("negative", stored.negative.into_pyarray(py))?;
        arrays.set_item("lowest", stored.lowest.into_pyarray(py))?;
        arrays.set_item("lengths", stored.lengths.into_pyarray(py))?;
        arrays.set_item("limbs", stored.limbs.into_pyarray(py))?;
        Ok(arrays)
    }

    #[staticmethod]
    fn from_arrays(
        py: Python<'_>,
        columns: usize,
        together: bool,
        rows: PyReadonlyArray1<'_, u64>,
        arrays: &Bound<'_, PyDict>,
    ) -> PyResult<Self> {
        check_arrays(arrays, 5)?;
        let stored = StoredMoments {
            counts: widened(arrays, "counts")?,
            negative: widened(arrays, "negative")?,
            lowest: widened(arrays, "lowest")?,
            lengths: widened(arrays, "lengths")?,
            limbs: widened(arrays, "limbs")?,
        };
        let moments = stored
            .restore(Layout { columns, together }, rows.as_slice()?)
            .map_err(|error| translate(py, error))?;
        Ok(PyMoments { moments })
    }

    #[getter]
    fn columns(&self) -> usize {
        self.moments.layout.columns
    }

    fn estimate(
        &self,
        py: Python<'_>,
        view: View,
        slots: PyReadonlyArray1<'_, u32>,
    ) -> PyResult<PyGaussian> {
        let settings = settings(py, self.moments.layout.columns, &view)?;
        let slots = slots.as_slice()?;
        let gaussian = py
            .detach(|| Gaussian::estimate(&self.moments, slots, settings))
            .map_err(|error| translate(py, error))?;
        Ok(PyGaussian { gaussian, classes: slots.len(), columns: self.moments.layout.columns })
    }

    /// Scores of the summed rows, each left out; a row counts `per_row` in the sums.
    #[allow(clippy::too_many_arguments)]
    fn leave_one_out<'py>(
        &self,
        py: Python<'py>,
        view: View,
        slots: PyReadonlyArray1<'py, u32>,
        values: PyReadonlyArray2<'py, f64>,
        positions: PyReadonlyArray1<'py, u32>,
        per_row: u64,
        threads: usize,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let settings = settings(py, self.moments.layout.columns, &view)?;
        let (_, values) = cells(&values)?;
        let (slots, positions) = (slots.as_slice()?, positions.as_slice()?);
        let moments = &self.moments;
        let scores = py
            .detach(|| leave_one_out(moments, slots, settings, values, positions, per_row, threads))
            .map_err(|error| translate(py, error))?;
        shaped(py, scores, positions.len(), slots.len())
    }
}

/// Gaussians, ready to score.
#[pyclass(frozen, name = "GaussianWeights", module = "likely._kernel")]
pub(crate) struct PyGaussian {
    gaussian: Gaussian,
    classes: usize,
    columns: usize,
}

#[pymethods]
impl PyGaussian {
    fn score<'py>(
        &self,
        py: Python<'py>,
        values: PyReadonlyArray2<'py, f64>,
        threads: usize,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let rows = values.as_array().nrows();
        let (_, values) = cells(&values)?;
        let scores = py
            .detach(|| self.gaussian.score(values, threads))
            .map_err(|error| translate(py, error))?;
        shaped(py, scores, rows, self.classes)
    }

    /// What each column of one row adds to the score of each class; one entry where columns are taken together.
    fn contributions(
        &self,
        py: Python<'_>,
        values: PyReadonlyArray2<'_, f64>,
    ) -> PyResult<Vec<Vec<f64>>> {
        let (_, values) = cells(&values)?;
        self.gaussian.contributions(values).map_err(|error| translate(py, error))
    }

    #[getter]
    fn means<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        shaped(py, self.gaussian.means(), self.classes, self.columns)
    }

    #[getter]
    fn deviations<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        shaped(py, self.gaussian.deviations(), self.classes, self.columns)
    }

    /// The correlations of columns taken together, matrix after matrix.
    #[getter]
    fn correlations<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        self.gaussian.correlations().into_pyarray(py)
    }

    /// How many numbers each class has in each column; together, how many rows without a gap.
    #[getter]
    fn counts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<u64>>> {
        let counts = self.gaussian.counts().to_vec().into_pyarray(py);
        counts.reshape([self.classes, self.columns])
    }

    #[getter]
    fn shrinkage(&self) -> Vec<f64> {
        self.gaussian.shrinkage()
    }

    /// Per class, how large a share of its variances was added to them, summed over the columns.
    #[getter]
    fn lent<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        self.gaussian.lent().into_pyarray(py)
    }

    #[getter]
    fn borrowed(&self) -> Vec<bool> {
        self.gaussian.borrowed()
    }
}
