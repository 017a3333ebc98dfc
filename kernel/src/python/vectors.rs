//! Vectors of one column.

use super::{check_arrays, shaped, take, translate, widened};
use crate::numbers::vectors::{Grid, Prior, VectorGaussian, VectorSums, leave_one_out, parsed};
use crate::python::texts::Texts;
use numpy::{IntoPyArray, PyArray1, PyArray2, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// How the covariance is regularized: virtual rows, and the variance of their entries.
type View = (f64, f64);

fn prior((m, variance): View) -> Prior {
    Prior { m, variance }
}

fn grid(values: &PyReadonlyArray2<'_, f32>, step: f64) -> Grid {
    Grid { length: values.as_array().ncols(), step }
}

/// The sums of vectors per class, and of the products of their entries over all classes.
#[pyclass(frozen, name = "VectorSums", module = "likely._kernel")]
pub(crate) struct PyVectorSums {
    sums: VectorSums,
}

#[pymethods]
impl PyVectorSums {
    #[staticmethod]
    fn zero(length: usize, classes: usize) -> Self {
        PyVectorSums { sums: VectorSums::zero(length, classes) }
    }

    /// Entries are rounded to multiples of `step`. A missing vector is NaN.
    #[staticmethod]
    fn observe(
        py: Python<'_>,
        step: f64,
        values: PyReadonlyArray2<'_, f32>,
        slots: PyReadonlyArray1<'_, u32>,
        n_slots: usize,
        threads: usize,
    ) -> PyResult<Self> {
        let grid = grid(&values, step);
        let (values, slots) = (values.as_slice()?, slots.as_slice()?);
        let sums = py.detach(|| VectorSums::observe(grid, values, slots, n_slots, threads));
        Ok(PyVectorSums { sums: sums.map_err(|error| translate(py, error))? })
    }

    fn plus(&self, py: Python<'_>, other: &PyVectorSums) -> PyResult<Self> {
        let sums = self.sums.plus(&other.sums).map_err(|error| translate(py, error))?;
        Ok(PyVectorSums { sums })
    }

    fn minus(&self, py: Python<'_>, other: &PyVectorSums) -> PyResult<Self> {
        let sums = self.sums.minus(&other.sums).map_err(|error| translate(py, error))?;
        Ok(PyVectorSums { sums })
    }

    /// The same sums with class `c` as class `class_map[c]` of so many; one beyond these has no vectors.
    fn reclassed(&self, class_map: PyReadonlyArray1<'_, u32>, classes: usize) -> PyResult<Self> {
        Ok(PyVectorSums { sums: self.sums.reclassed(class_map.as_slice()?, classes) })
    }

    /// Refuses sums that cannot come from so many rows of each class.
    #[pyo3(signature = (rows, _is_multilabel=false))]
    fn check_rows(
        &self,
        py: Python<'_>,
        rows: PyReadonlyArray1<'_, u64>,
        _is_multilabel: bool,
    ) -> PyResult<()> {
        self.sums.check_rows(rows.as_slice()?).map_err(|error| translate(py, error))
    }

    #[allow(clippy::type_complexity)]
    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyAny>, (usize, Bound<'py, PyArray1<u64>>, Bound<'py, PyDict>))> {
        let rows = vec![u64::MAX; self.sums.classes()].into_pyarray(py);
        let restore = py.get_type::<Self>().getattr("from_arrays")?;
        Ok((restore, (self.sums.length(), rows, self.arrays(py)?)))
    }

    /// The arrays of the model file.
    fn arrays<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let arrays = PyDict::new(py);
        arrays.set_item("counts", self.sums.counts().into_pyarray(py))?;
        arrays.set_item("sums", self.sums.sums().into_pyarray(py))?;
        arrays.set_item("products", self.sums.products().to_vec().into_pyarray(py))?;
        Ok(arrays)
    }

    #[staticmethod]
    fn from_arrays(
        py: Python<'_>,
        length: usize,
        rows: PyReadonlyArray1<'_, u64>,
        arrays: &Bound<'_, PyDict>,
    ) -> PyResult<Self> {
        check_arrays(arrays, 3)?;
        let counts = widened(arrays, "counts")?;
        let (sums, products) = (take::<i64>(arrays, "sums")?, take::<i64>(arrays, "products")?);
        let sums = VectorSums::restored(length, counts, &sums, products, rows.as_slice()?)
            .map_err(|error| translate(py, error))?;
        Ok(PyVectorSums { sums })
    }

    fn estimate(
        &self,
        py: Python<'_>,
        step: f64,
        view: View,
        slots: PyReadonlyArray1<'_, u32>,
    ) -> PyResult<PyVectorWeights> {
        let grid = Grid { length: self.sums.length(), step };
        let (slots, prior) = (slots.as_slice()?, prior(view));
        let gaussian = py
            .detach(|| VectorGaussian::estimate(&self.sums, slots, grid, prior))
            .map_err(|error| translate(py, error))?;
        Ok(PyVectorWeights { gaussian, classes: slots.len(), length: grid.length })
    }

    /// Scores of the summed vectors, each left out; zeros where one is missing.
    #[allow(clippy::too_many_arguments)]
    fn leave_one_out<'py>(
        &self,
        py: Python<'py>,
        step: f64,
        view: View,
        slots: PyReadonlyArray1<'py, u32>,
        values: PyReadonlyArray2<'py, f32>,
        positions: PyReadonlyArray1<'py, u32>,
        threads: usize,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let settings = (grid(&values, step), prior(view));
        let (slots, positions) = (slots.as_slice()?, positions.as_slice()?);
        let (sums, values) = (&self.sums, values.as_slice()?);
        let scores = py
            .detach(|| leave_one_out(sums, slots, settings, values, positions, threads))
            .map_err(|error| translate(py, error))?;
        shaped(py, scores, positions.len(), slots.len())
    }
}

/// Means and the shared covariance, ready to score.
#[pyclass(frozen, name = "VectorWeights", module = "likely._kernel")]
pub(crate) struct PyVectorWeights {
    gaussian: VectorGaussian,
    classes: usize,
    length: usize,
}

#[pymethods]
impl PyVectorWeights {
    /// log P(x | c) of each vector; zeros where it is missing.
    fn score<'py>(
        &self,
        py: Python<'py>,
        values: PyReadonlyArray2<'py, f32>,
        threads: usize,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let (rows, values) = (values.as_array().nrows(), values.as_slice()?);
        let scores = py
            .detach(|| self.gaussian.score(values, threads))
            .map_err(|error| translate(py, error))?;
        shaped(py, scores, rows, self.classes)
    }

    /// The mean of each class, a row each.
    #[getter]
    fn means<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        shaped(py, self.gaussian.means(), self.classes, self.length)
    }

    /// How many vectors each class has.
    #[getter]
    fn counts<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u64>> {
        self.gaussian.counts().to_vec().into_pyarray(py)
    }
}

/// The vectors that cells spell, one after another; how many numbers each has, −1 where it is missing; and the
/// first entry that is no number, by its row and its place there.
#[pyfunction]
pub(crate) fn parse_vectors<'py>(
    py: Python<'py>,
    cells: &Texts,
    gone: Vec<String>,
) -> PyResult<(Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<i64>>, Option<(usize, usize)>)> {
    let (values, lengths, wrong) = cells.with(py, |texts| {
        let (mut values, mut lengths) = (Vec::new(), Vec::with_capacity(texts.len()));
        for (row, text) in texts.iter().map(|text| text.trim()).enumerate() {
            if text.is_empty() || gone.iter().any(|gone| gone == text) {
                lengths.push(-1);
                continue;
            }
            match parsed(text) {
                Ok(vector) => {
                    lengths.push(vector.len() as i64);
                    values.extend(vector);
                }
                Err(place) => return Ok((values, lengths, Some((row, place)))),
            }
        }
        Ok((values, lengths, None))
    })?;
    Ok((values.into_pyarray(py), lengths.into_pyarray(py), wrong))
}
