//! The border to Python. Each function borrows its buffers, releases the GIL, and translates errors.

mod counts;
mod ledger;
mod moments;
mod opinion;
mod reading;
mod rules;
mod table;
mod texts;
mod together;
mod totals;
mod vectorizer;

use self::counts::{PyBlend, PyCodes, PyTextCounts, PyTextWeights};
use self::moments::{PyBlocks, PyGaussian, PyMoments};
use self::opinion::{PyLearner, PyOpinion};
use self::reading::PyReading;
use self::rules::PyRules;
use self::table::{PyFileBytes, PyTableReader};
use self::texts::Texts;
use self::totals::{PyTotals, PyWeightedMoments};
use self::vectorizer::PyVectorizer;
use crate::error::Error;
use crate::fronts::Fronts;
use crate::marks::Marks;
use crate::reading::Kind;
use crate::stems::Language;
use crate::tokens::UNICODE_VERSION;
use numpy::{IntoPyArray, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

/// Raises a class of `likely.errors`.
pub fn raise(py: Python<'_>, class: &str, message: String) -> PyErr {
    let raised = py
        .import("likely.errors")
        .and_then(|errors| errors.getattr(class))
        .and_then(|class| class.call1((message,)));
    match raised {
        Ok(error) => PyErr::from_value(error),
        Err(error) => error,
    }
}

pub fn translate(py: Python<'_>, error: Error) -> PyErr {
    let class = match error {
        Error::Shape { .. }
        | Error::Infinite { .. }
        | Error::TextTooLong { .. }
        | Error::TooManyFeatures
        | Error::TooWide { .. }
        | Error::Overflow => "DataError",
        Error::Singular { .. } => "SingularError",
        Error::NotLearned { .. } => "NotLearnedError",
        Error::Corrupt { .. } => "ModelError",
    };
    raise(py, class, error.to_string())
}

fn shaped(
    py: Python<'_>,
    scores: Vec<f64>,
    rows: usize,
    columns: usize,
) -> PyResult<Bound<'_, PyArray2<f64>>> {
    scores.into_pyarray(py).reshape([rows, columns])
}

/// One of several named arrays.
fn take<T: numpy::Element + Copy>(arrays: &Bound<'_, PyDict>, name: &str) -> PyResult<Vec<T>> {
    let missing = || pyo3::exceptions::PyKeyError::new_err(name.to_string());
    let array = arrays.get_item(name)?.ok_or_else(missing)?;
    Ok(array.extract::<PyReadonlyArray1<'_, T>>()?.as_slice()?.to_vec())
}

/// One of several named arrays of a model file, whose numbers may be narrower there than they are here.
fn widened<T: TryFrom<u64>>(arrays: &Bound<'_, PyDict>, name: &str) -> PyResult<Vec<T>> {
    fn each<S: numpy::Element + Copy + Into<u64>, T: TryFrom<u64>>(
        array: &Bound<'_, PyAny>,
    ) -> Option<Option<Vec<T>>> {
        let array = array.extract::<PyReadonlyArray1<'_, S>>().ok()?;
        Some(array.as_array().iter().map(|&number| T::try_from(number.into()).ok()).collect())
    }
    let missing = || pyo3::exceptions::PyKeyError::new_err(name.to_string());
    let array = arrays.get_item(name)?.ok_or_else(missing)?;
    let found = each::<u8, T>(&array)
        .or_else(|| each::<u16, T>(&array))
        .or_else(|| each::<u32, T>(&array))
        .or_else(|| each::<u64, T>(&array));
    found.flatten().ok_or_else(|| {
        let message = format!("its array `{name}` holds other numbers than such an array does");
        raise(arrays.py(), "ModelError", message)
    })
}

fn take_keys(arrays: &Bound<'_, PyDict>) -> PyResult<Fronts> {
    Ok(Fronts {
        shared: widened(arrays, "shared")?,
        lengths: widened(arrays, "lengths")?,
        bytes: widened(arrays, "bytes")?,
    })
}

fn set_keys(arrays: &Bound<'_, PyDict>, keys: Fronts) -> PyResult<()> {
    let py = arrays.py();
    arrays.set_item("shared", keys.shared.into_pyarray(py))?;
    arrays.set_item("lengths", keys.lengths.into_pyarray(py))?;
    arrays.set_item("bytes", keys.bytes.into_pyarray(py))
}

/// Where rows belong: each to one slot; to every slot in part, a row of parts per row; or to any number
/// of slots, given as where those of each row begin, and the slots.
#[derive(FromPyObject)]
enum Slots<'py> {
    Whole(PyReadonlyArray1<'py, u32>),
    Parts(PyReadonlyArray2<'py, u64>),
    Sets((PyReadonlyArray1<'py, u32>, PyReadonlyArray1<'py, u32>)),
}

/// Gives rows to classes as their scores say, in `whole` parts each: (parts, log-evidence of all).
#[pyfunction]
fn share_out<'py>(
    py: Python<'py>,
    scores: PyReadonlyArray2<'py, f64>,
    whole: u64,
    threads: usize,
) -> PyResult<(Bound<'py, PyArray2<u64>>, f64)> {
    let rows = scores.as_array().nrows();
    let (classes, scores) = cells(&scores)?;
    let (parts, evidence) = py.detach(|| crate::parts::share_out(scores, classes, whole, threads));
    Ok((parts.into_pyarray(py).reshape([rows, classes])?, evidence))
}

/// Bytes in fewer bytes. Others deflate as well, but not to the same bytes on every processor.
#[pyfunction]
fn deflate<'py>(py: Python<'py>, data: &[u8]) -> Bound<'py, PyBytes> {
    const LEVEL: u8 = 6;
    let packed = py.detach(|| miniz_oxide::deflate::compress_to_vec(data, LEVEL));
    PyBytes::new(py, &packed)
}

/// The columns of a matrix and its cells, row by row.
fn cells<'a>(values: &'a PyReadonlyArray2<'_, f64>) -> PyResult<(usize, &'a [f64])> {
    Ok((values.as_array().ncols(), values.as_slice()?))
}

#[pymodule]
fn _kernel(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let (major, minor, update) = UNICODE_VERSION;
    module.add("UNICODE_VERSION", format!("{major}.{minor}.{update}"))?;
    let (major, minor, update) = crate::normal::UNICODE_VERSION;
    module.add("NORMAL_VERSION", format!("{major}.{minor}.{update}"))?;
    module.add("STEMMER_VERSION", crate::stems::VERSION)?;
    module.add("LONGEST_RUN", Kind::LONGEST_RUN)?;
    module.add("WHOLE", crate::parts::WHOLE)?;
    module.add_function(wrap_pyfunction!(share_out, module)?)?;
    module.add_function(wrap_pyfunction!(deflate, module)?)?;
    module.add_class::<Texts>()?;
    module.add("MARKS", Marks::NAMES.to_vec())?;
    module.add("STEMS", Language::names())?;
    module.add_class::<PyReading>()?;
    module.add_class::<PyTextCounts>()?;
    module.add_class::<PyTextWeights>()?;
    module.add_class::<PyBlend>()?;
    module.add_class::<PyCodes>()?;
    module.add_function(wrap_pyfunction!(counts::weigh, module)?)?;
    module.add_function(wrap_pyfunction!(counts::weigh_labels, module)?)?;
    module.add_function(wrap_pyfunction!(counts::rivals, module)?)?;
    module.add_class::<PyLearner>()?;
    module.add_class::<PyOpinion>()?;
    module.add_class::<PyBlocks>()?;
    module.add_class::<PyMoments>()?;
    module.add_class::<PyRules>()?;
    module.add_function(wrap_pyfunction!(rules::pattern_error, module)?)?;
    module.add_class::<PyFileBytes>()?;
    module.add_class::<PyTableReader>()?;
    module.add("LONGEST_ROW", crate::table::LONGEST_ROW)?;
    module.add_class::<PyTotals>()?;
    module.add_class::<PyWeightedMoments>()?;
    module.add_class::<PyVectorizer>()?;
    module.add_function(wrap_pyfunction!(table::head, module)?)?;
    module.add_function(wrap_pyfunction!(texts::csv_rows, module)?)?;
    module.add_function(wrap_pyfunction!(texts::parse_numbers, module)?)?;
    module.add_function(wrap_pyfunction!(texts::spelled_text, module)?)?;
    module.add_class::<PyGaussian>()?;
    module.add_function(wrap_pyfunction!(together::add_all, module)?)?;
    module.add_function(wrap_pyfunction!(together::subtract_all, module)?)?;
    module.add_function(wrap_pyfunction!(moments::first_infinite, module)?)?;
    module.add_function(wrap_pyfunction!(ledger::chain_numbers, module)?)?;
    module.add_function(wrap_pyfunction!(ledger::chain, module)?)?;
    module.add_function(wrap_pyfunction!(ledger::ledger_check, module)?)?;
    module.add_function(wrap_pyfunction!(ledger::ledger_subtract, module)?)?;
    module.add_function(wrap_pyfunction!(texts::words, module)?)?;
    module.add_function(wrap_pyfunction!(texts::count_buckets, module)?)?;
    module.add_function(wrap_pyfunction!(texts::score_buckets, module)?)?;
    Ok(())
}
