//! The border to Python. Each function borrows its buffers, releases the GIL, and translates errors.

mod bins;
mod counts;
mod ledger;
mod linear;
mod moments;
mod reading;
mod rules;
mod table;
mod texts;
mod totals;
mod vectorizer;
mod vectors;

use self::bins::{PyBinWeights, PyBins};
use self::counts::{PyBlend, PyCodes, PyTextCounter, PyTextCounts, PyTextWeights};
use self::linear::{PyLinearLearner, PyLinearModel, PyLinearText, PySparseRows};
use self::moments::{PyFractionalRows, PyGaussian, PyMoments};
use self::reading::PyReading;
use self::rules::PyRules;
use self::table::{PyFileBytes, PyTableReader};
use self::texts::Texts;
use self::totals::{PyTotals, PyWeightedMoments};
use self::vectorizer::PyVectorizer;
use self::vectors::{PyVectorSums, PyVectorWeights};
use crate::counts::narrow_arrays::Narrow;
use crate::dictionary::sorted_features::{BlockFeatures, Sorted, Strings, Trie};
use crate::error::Error;
use crate::text::reading::{FeatureKind, Reading};
use crate::text::stems::Language;
use crate::text::surface_features::SurfaceFeatures;
use crate::text::tokens::UNICODE_VERSION;
use numpy::{IntoPyArray, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Raises a class of `likely.errors`.
pub(crate) fn raise(py: Python<'_>, class: &str, message: String) -> PyErr {
    let raised = py
        .import("likely.errors")
        .and_then(|errors| errors.getattr(class))
        .and_then(|class| class.call1((message,)));
    match raised {
        Ok(error) => PyErr::from_value(error),
        Err(error) => error,
    }
}

pub(crate) fn translate(py: Python<'_>, error: Error) -> PyErr {
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
fn widened<T: TryFrom<u64> + Default, C: FromIterator<T>>(
    arrays: &Bound<'_, PyDict>,
    name: &str,
) -> PyResult<C> {
    fn each<S, T, C>(array: &Bound<'_, PyAny>) -> Option<Option<C>>
    where
        S: numpy::Element + Copy + Ord + Into<u64>,
        T: TryFrom<u64> + Default,
        C: FromIterator<T>,
    {
        let array = array.extract::<PyReadonlyArray1<'_, S>>().ok()?;
        let numbers = array.as_slice().ok()?;
        // If the largest fits, all do: nothing has to be asked of each.
        let fits = numbers.iter().max().is_none_or(|&most| T::try_from(most.into()).is_ok());
        let widened = numbers.iter().map(|&number| T::try_from(number.into()).unwrap_or_default());
        Some(fits.then(|| widened.collect()))
    }
    let missing = || pyo3::exceptions::PyKeyError::new_err(name.to_string());
    let array = arrays.get_item(name)?.ok_or_else(missing)?;
    let found = each::<u8, T, C>(&array)
        .or_else(|| each::<u16, T, C>(&array))
        .or_else(|| each::<u32, T, C>(&array))
        .or_else(|| each::<u64, T, C>(&array));
    found.flatten().ok_or_else(|| {
        let message = format!("its array `{name}` holds other numbers than such an array does");
        raise(arrays.py(), "ModelError", message)
    })
}

/// Refuses arrays beside those that are read, which are so many.
fn check_arrays(arrays: &Bound<'_, PyDict>, read: usize) -> PyResult<()> {
    match arrays.len() > read {
        false => Ok(()),
        true => {
            Err(raise(arrays.py(), "ModelError", "it holds arrays that nobody reads".to_string()))
        }
    }
}

/// The features of a model file.
fn take_features(
    py: Python<'_>,
    reading: &Reading,
    arrays: &Bound<'_, PyDict>,
) -> PyResult<Sorted> {
    let mut blocks = Vec::new();
    for kind in reading.kinds() {
        let name = |what: &str| format!("{}/{what}", kind.name());
        blocks.push(match kind {
            FeatureKind::WordNgram(2..) => {
                let children: Vec<u32> = widened(arrays, &name("children"))?;
                let total: u64 = children.iter().map(|&children| u64::from(children)).sum();
                if total > u64::from(u32::MAX) {
                    let what = "it has more n-grams than there can be".to_string();
                    return Err(translate(py, Error::Corrupt { what }));
                }
                let ends = children.iter().scan(0, |end, children| {
                    *end += children;
                    Some(*end)
                });
                let starts = std::iter::once(0).chain(ends).collect();
                BlockFeatures::Ngrams(Trie { starts, lasts: widened(arrays, &name("lasts"))? })
            }
            _ => {
                let ends = ends(&widened::<u32, Vec<u32>>(arrays, &name("lengths"))?);
                BlockFeatures::Spelled(Strings { bytes: widened(arrays, &name("bytes"))?, ends })
            }
        });
    }
    Ok(Sorted { blocks })
}

fn set_features(
    arrays: &Bound<'_, PyDict>,
    kinds: &[FeatureKind],
    features: Sorted,
) -> PyResult<()> {
    let py = arrays.py();
    for (kind, block) in kinds.iter().zip(features.blocks) {
        let name = |what: &str| format!("{}/{what}", kind.name());
        match block {
            BlockFeatures::Spelled(Strings { bytes, ends }) => {
                arrays.set_item(name("lengths"), lengths(&ends).into_pyarray(py))?;
                arrays.set_item(name("bytes"), bytes.into_pyarray(py))?;
            }
            BlockFeatures::Ngrams(Trie { starts, lasts }) => {
                let children = starts.windows(2).map(|two| two[1] - two[0]);
                let most = children.clone().max().unwrap_or(0);
                let children = Narrow::of(children, starts.len() - 1, most);
                arrays.set_item(name("children"), narrow_array(py, children))?;
                arrays.set_item(name("lasts"), lasts.into_pyarray(py))?;
            }
        }
    }
    Ok(())
}

fn narrow_array(py: Python<'_>, numbers: Narrow) -> Bound<'_, PyAny> {
    match numbers {
        Narrow::U8(numbers) => numbers.into_pyarray(py).into_any(),
        Narrow::U16(numbers) => numbers.into_pyarray(py).into_any(),
        Narrow::U32(numbers) => numbers.into_pyarray(py).into_any(),
    }
}

/// Where things of these lengths end, one after another.
fn ends(lengths: &[u32]) -> Vec<usize> {
    let ends = lengths.iter().scan(0, |end, &length| {
        *end += length as usize;
        Some(*end)
    });
    ends.collect()
}

fn lengths(ends: &[usize]) -> Vec<u32> {
    let starts = std::iter::once(&0).chain(ends);
    ends.iter().zip(starts).map(|(end, start)| (end - start) as u32).collect()
}

/// Where rows belong: each to one slot; to every slot by a fraction, a row of fractions per row; or to a set of
/// slots, given as where those of each row begin, and the slots.
#[derive(FromPyObject)]
enum Slots<'py> {
    Whole(PyReadonlyArray1<'py, u32>),
    Fractions(PyReadonlyArray2<'py, u64>),
    Sets((PyReadonlyArray1<'py, u32>, PyReadonlyArray1<'py, u32>)),
}

/// Assigns rows softly to classes by their scores: (responsibilities in units of 1 / `whole`, log-evidence).
#[pyfunction]
fn soft_assign<'py>(
    py: Python<'py>,
    scores: PyReadonlyArray2<'py, f64>,
    whole: u64,
    threads: usize,
) -> PyResult<(Bound<'py, PyArray2<u64>>, f64)> {
    let rows = scores.as_array().nrows();
    let (classes, scores) = cells(&scores)?;
    let (fractions, evidence) = py
        .detach(|| crate::counts::fractional_counts::soft_assign(scores, classes, whole, threads));
    Ok((fractions.into_pyarray(py).reshape([rows, classes])?, evidence))
}

/// The columns of a matrix and its cells, row by row.
fn cells<'a>(values: &'a PyReadonlyArray2<'_, f64>) -> PyResult<(usize, &'a [f64])> {
    Ok((values.as_array().ncols(), values.as_slice()?))
}

#[pymodule]
fn _kernel(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let (major, minor, update) = UNICODE_VERSION;
    module.add("UNICODE_VERSION", format!("{major}.{minor}.{update}"))?;
    let (major, minor, update) = crate::text::normalize::UNICODE_VERSION;
    module.add("NORMAL_VERSION", format!("{major}.{minor}.{update}"))?;
    module.add("STEMMER_VERSION", crate::text::stems::VERSION)?;
    module.add("LONGEST_NGRAM", FeatureKind::LONGEST_NGRAM)?;
    module.add("WHOLE", crate::counts::fractional_counts::WHOLE)?;
    module.add_function(wrap_pyfunction!(soft_assign, module)?)?;
    module.add_class::<Texts>()?;
    module.add("SURFACE_FEATURES", SurfaceFeatures::NAMES.to_vec())?;
    module.add("STEMS", Language::names())?;
    module.add_class::<PyReading>()?;
    module.add_class::<PyTextCounter>()?;
    module.add_class::<PyTextCounts>()?;
    module.add_class::<PyTextWeights>()?;
    module.add_class::<PyBlend>()?;
    module.add_class::<PyCodes>()?;
    module.add_function(wrap_pyfunction!(counts::fit_weights, module)?)?;
    module.add_function(wrap_pyfunction!(counts::fit_label_weights, module)?)?;
    module.add_function(wrap_pyfunction!(counts::doubted, module)?)?;
    module.add_function(wrap_pyfunction!(counts::rivals, module)?)?;
    module.add_class::<PyLinearLearner>()?;
    module.add_class::<PyLinearModel>()?;
    module.add_class::<PyLinearText>()?;
    module.add_class::<PySparseRows>()?;
    module.add_class::<PyFractionalRows>()?;
    module.add_class::<PyMoments>()?;
    module.add_class::<PyBins>()?;
    module.add_class::<PyBinWeights>()?;
    module.add_class::<PyVectorSums>()?;
    module.add_class::<PyVectorWeights>()?;
    module.add_class::<PyRules>()?;
    module.add_function(wrap_pyfunction!(rules::pattern_error, module)?)?;
    module.add_class::<PyFileBytes>()?;
    module.add_class::<PyTableReader>()?;
    module.add("LONGEST_ROW", crate::tables::table_reader::LONGEST_ROW)?;
    module.add_class::<PyTotals>()?;
    module.add_class::<PyWeightedMoments>()?;
    module.add_class::<PyVectorizer>()?;
    module.add_function(wrap_pyfunction!(table::head, module)?)?;
    module.add_function(wrap_pyfunction!(texts::csv_rows, module)?)?;
    module.add_function(wrap_pyfunction!(texts::parse_numbers, module)?)?;
    module.add_function(wrap_pyfunction!(vectors::parse_vectors, module)?)?;
    module.add_function(wrap_pyfunction!(texts::spelled_text, module)?)?;
    module.add_class::<PyGaussian>()?;
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
