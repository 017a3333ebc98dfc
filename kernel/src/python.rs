//! The border to Python. Each function borrows its buffers, releases the GIL, and translates errors.

use crate::counts::TextCounts;
use crate::error::Error;
use crate::leave_one_out::{Learned, leave_one_out};
use crate::ledger::{self, Chain};
use crate::matrix::matrix;
use crate::reading::{Kind, Reading};
use crate::stored::Stored;
use crate::tokens::UNICODE_VERSION;
use crate::view::{Classes, Model, View};
use crate::weights::{Contribution, Weights};
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::pybacked::{PyBackedBytes, PyBackedStr};
use pyo3::types::{PyBytes, PyDict, PyList, PyString};

/// Raises a class of `likely.errors`.
fn raise(py: Python<'_>, class: &str, message: String) -> PyErr {
    let raised = py
        .import("likely.errors")
        .and_then(|errors| errors.getattr(class))
        .and_then(|class| class.call1((message,)));
    match raised {
        Ok(error) => PyErr::from_value(error),
        Err(error) => error,
    }
}

fn translate(py: Python<'_>, error: Error) -> PyErr {
    let class = match error {
        Error::Shape { .. }
        | Error::TextTooLong { .. }
        | Error::TooManyFeatures
        | Error::Overflow => "DataError",
        Error::NotLearned { .. } => "NotLearnedError",
        Error::Corrupt { .. } => "ModelError",
    };
    raise(py, class, error.to_string())
}

/// A batch of texts, borrowed from Python objects without copying them.
#[pyclass(frozen, module = "likely._kernel")]
struct Texts {
    held: Held,
}

enum Held {
    Strings(Vec<Item>),
    Arrow { bytes: Py<PyArray1<u8>>, offsets: Vec<usize> },
}

enum Item {
    Borrowed(PyBackedStr),
    Owned(String),
}

#[pymethods]
impl Texts {
    /// Borrows the strings of a sequence. Bytes are decoded; what is not UTF-8 is refused, or
    /// replaced by U+FFFD if asked.
    #[new]
    #[pyo3(signature = (texts, replace=false))]
    fn new(py: Python<'_>, texts: &Bound<'_, PyAny>, replace: bool) -> PyResult<Self> {
        let mut items = Vec::with_capacity(texts.len().unwrap_or(0));
        for (row, text) in texts.try_iter()?.enumerate() {
            let text = text?;
            let invalid = || {
                let message = format!(
                    "text {row} is not valid Unicode\nhint: `Text(invalid=\"replace\")` reads it with U+FFFD in place of what is broken"
                );
                raise(py, "DataError", message)
            };
            let item = if let Ok(string) = text.cast::<PyString>() {
                match PyBackedStr::try_from(string.clone()) {
                    Ok(borrowed) => Item::Borrowed(borrowed),
                    Err(_) if replace => Item::Owned(string.to_string_lossy().into_owned()),
                    Err(_) => return Err(invalid()),
                }
            } else if let Ok(bytes) = text.cast::<PyBytes>() {
                let bytes = PyBackedBytes::from(bytes.clone());
                match std::str::from_utf8(&bytes) {
                    Ok(valid) => Item::Owned(valid.to_string()),
                    Err(_) if replace => Item::Owned(String::from_utf8_lossy(&bytes).into_owned()),
                    Err(_) => return Err(invalid()),
                }
            } else {
                let kind = text.get_type().name()?;
                let shown =
                    if text.is_none() { String::new() } else { format!(" ({})", text.repr()?) };
                let message = format!("text {row} is {kind}{shown}, not a string");
                return Err(raise(py, "DataTypeError", message));
            };
            items.push(item);
        }
        Ok(Texts { held: Held::Strings(items) })
    }

    /// Borrows the buffers of an Arrow string array: text `i` is `bytes[offsets[i]:offsets[i + 1]]`.
    #[staticmethod]
    fn from_arrow(
        py: Python<'_>,
        content: Py<PyArray1<u8>>,
        offsets: PyReadonlyArray1<'_, i64>,
    ) -> PyResult<Self> {
        let length = content.bind(py).readonly().as_slice()?.len();
        let mut checked: Vec<usize> = Vec::with_capacity(offsets.len()?);
        for (place, &offset) in offsets.as_slice()?.iter().enumerate() {
            let before = checked.last().copied().unwrap_or(0);
            match usize::try_from(offset) {
                Ok(offset) if offset >= before && offset <= length => checked.push(offset),
                _ => {
                    let message = format!(
                        "offsets should rise up to {length}: offset {place} is {offset}, after {before}"
                    );
                    return Err(raise(py, "DataError", message));
                }
            }
        }
        let texts = Texts { held: Held::Arrow { bytes: content, offsets: checked } };
        texts.with(py, |_| Ok(()))?;
        Ok(texts)
    }

    fn __len__(&self) -> usize {
        match &self.held {
            Held::Strings(items) => items.len(),
            Held::Arrow { offsets, .. } => offsets.len().saturating_sub(1),
        }
    }

    /// Continues the hash chain of each row with its text.
    #[pyo3(signature = (links, secret=None, threads=1))]
    fn chain<'py>(
        &self,
        py: Python<'py>,
        links: PyReadonlyArray1<'py, u64>,
        secret: Option<&[u8]>,
        threads: usize,
    ) -> PyResult<Bound<'py, PyArray1<u64>>> {
        let links = links.as_slice()?;
        let chain = Chain::new(secret);
        let hashes = self.with(py, |texts| Ok(chain.rows(links, texts, threads)))?;
        Ok(hashes.into_pyarray(py))
    }
}

impl Texts {
    /// Gives the texts to `work` with the GIL released.
    fn with<R: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&[&str]) -> Result<R, Error> + Send,
    ) -> PyResult<R> {
        match &self.held {
            Held::Strings(items) => py.detach(|| {
                let views: Vec<&str> = items.iter().map(Item::as_str).collect();
                work(&views)
            }),
            Held::Arrow { bytes, offsets } => {
                let bytes = bytes.bind(py).readonly();
                let bytes = bytes.as_slice()?;
                // Checked at each use: the buffer is Python's, and may have been written to.
                let invalid = py.detach(|| {
                    let mut views = Vec::with_capacity(offsets.len());
                    for (row, pair) in offsets.windows(2).enumerate() {
                        match std::str::from_utf8(&bytes[pair[0]..pair[1]]) {
                            Ok(text) => views.push(text),
                            Err(_) => return Err(row),
                        }
                    }
                    Ok(work(&views))
                });
                match invalid {
                    Ok(result) => result,
                    Err(row) => {
                        return Err(raise(
                            py,
                            "DataError",
                            format!("text {row} is not valid UTF-8"),
                        ));
                    }
                }
            }
        }
        .map_err(|error| translate(py, error))
    }
}

impl Item {
    fn as_str(&self) -> &str {
        match self {
            Item::Borrowed(text) => text,
            Item::Owned(text) => text,
        }
    }
}

/// How a text is read: (words, chars, lowercase).
type Options = (Option<(usize, usize)>, Option<(usize, usize)>, bool);

fn reading((words, chars, lowercase): Options) -> Reading {
    Reading { words, chars, lowercase }
}

fn model(py: Python<'_>, name: &str) -> PyResult<Model> {
    match name {
        "multinomial" => Ok(Model::Multinomial),
        "binary" => Ok(Model::Binary),
        "bernoulli" => Ok(Model::Bernoulli),
        "complement" => Ok(Model::Complement),
        _ => Err(raise(py, "ModelError", format!("no view of a text tally is called `{name}`"))),
    }
}

fn classes(
    slots: &PyReadonlyArray1<'_, u32>,
    rows: &PyReadonlyArray1<'_, u64>,
) -> PyResult<Classes> {
    Ok(Classes { slots: slots.as_slice()?.to_vec(), rows: rows.as_slice()?.to_vec() })
}

/// Counts per class and feature; classes are slots, numbered by the caller.
#[pyclass(name = "TextCounts", module = "likely._kernel")]
struct PyTextCounts {
    counts: TextCounts,
}

#[pymethods]
impl PyTextCounts {
    #[staticmethod]
    fn zero(options: Options) -> Self {
        PyTextCounts { counts: TextCounts::zero(&reading(options), 0) }
    }

    #[staticmethod]
    fn observe(
        py: Python<'_>,
        options: Options,
        texts: &Texts,
        slots: PyReadonlyArray1<'_, u32>,
        n_slots: usize,
        threads: usize,
    ) -> PyResult<Self> {
        let slots = slots.as_slice()?;
        let reading = reading(options);
        let counts = texts
            .with(py, |texts| TextCounts::observe(&reading, texts, slots, n_slots, threads))?;
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
    ) -> PyResult<(Bound<'py, PyAny>, (Options, Bound<'py, PyArray1<u64>>, Bound<'py, PyDict>))>
    {
        let slots: Vec<u32> = (0..self.counts.classes() as u32).collect();
        let rows = vec![u64::MAX; slots.len()].into_pyarray(py);
        let arrays = self.arrays(py, slots.into_pyarray(py).readonly())?;
        let reading = self.counts.reading();
        let options = (reading.words, reading.chars, reading.lowercase);
        Ok((py.get_type::<Self>().getattr("from_arrays")?, (options, rows, arrays)))
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
        options: Options,
        rows: PyReadonlyArray1<'_, u64>,
        arrays: &Bound<'_, PyDict>,
    ) -> PyResult<Self> {
        fn take<T: numpy::Element + Copy>(
            arrays: &Bound<'_, PyDict>,
            name: &str,
        ) -> PyResult<Vec<T>> {
            let missing = || pyo3::exceptions::PyKeyError::new_err(name.to_string());
            let array = arrays.get_item(name)?.ok_or_else(missing)?;
            Ok(array.extract::<PyReadonlyArray1<'_, T>>()?.as_slice()?.to_vec())
        }
        let stored = Stored {
            shared: take(arrays, "shared")?,
            lengths: take(arrays, "lengths")?,
            cells: take(arrays, "cells")?,
            bytes: take(arrays, "bytes")?,
            classes: take(arrays, "classes")?,
            times: take(arrays, "times")?,
            documents: take(arrays, "documents")?,
        };
        let (reading, rows) = (reading(options), rows.as_slice()?);
        let counts =
            py.detach(|| stored.restore(&reading, rows)).map_err(|error| translate(py, error))?;
        Ok(PyTextCounts { counts })
    }

    /// How many features have a count.
    fn features(&self) -> usize {
        self.counts.counted().map(|(block, _)| self.counts.blocks()[block].live()).sum()
    }

    fn estimate(
        &self,
        py: Python<'_>,
        name: &str,
        alpha: f64,
        min_documents: u64,
        slots: PyReadonlyArray1<'_, u32>,
        rows: PyReadonlyArray1<'_, u64>,
    ) -> PyResult<PyTextWeights> {
        let classes = classes(&slots, &rows)?;
        let view = View { model: model(py, name)?, alpha, min_documents };
        let weights = py.detach(|| Weights::new(&self.counts, &classes, view));
        Ok(PyTextWeights { weights, classes: classes.len() })
    }

    /// Scores of the counted texts, each left out, for several α: one matrix per α.
    #[allow(clippy::too_many_arguments)]
    fn leave_one_out<'py>(
        &self,
        py: Python<'py>,
        name: &str,
        alphas: Vec<f64>,
        min_documents: u64,
        slots: PyReadonlyArray1<'py, u32>,
        rows: PyReadonlyArray1<'py, u64>,
        texts: &Texts,
        positions: PyReadonlyArray1<'py, u32>,
        threads: usize,
    ) -> PyResult<Bound<'py, PyList>> {
        let classes = classes(&slots, &rows)?;
        let view = (model(py, name)?, min_documents);
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

/// A view of some counts, ready to score.
#[pyclass(frozen, name = "TextWeights", module = "likely._kernel")]
struct PyTextWeights {
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
        };
        let row = |found: Contribution| (kind(found.kind), found.name, found.count, found.scores);
        Ok((found.into_iter().map(row).collect(), constants))
    }
}

fn shaped(
    py: Python<'_>,
    scores: Vec<f64>,
    rows: usize,
    columns: usize,
) -> PyResult<Bound<'_, PyArray2<f64>>> {
    scores.into_pyarray(py).reshape([rows, columns])
}

/// Begins or continues a hash chain.
#[pyfunction]
#[pyo3(signature = (link, content, secret=None))]
fn chain(link: u64, content: &[u8], secret: Option<&[u8]>) -> u64 {
    Chain::new(secret).next(link, content)
}

#[pyfunction]
fn ledger_add<'py>(
    py: Python<'py>,
    ledger: PyReadonlyArray1<'py, u64>,
    rows: PyReadonlyArray1<'py, u64>,
) -> PyResult<Bound<'py, PyArray1<u64>>> {
    let (ledger, rows) = (ledger.as_slice()?, rows.as_slice()?);
    Ok(py.detach(|| ledger::add(ledger, rows.to_vec())).into_pyarray(py))
}

#[pyfunction]
fn ledger_subtract<'py>(
    py: Python<'py>,
    ledger: PyReadonlyArray1<'py, u64>,
    rows: PyReadonlyArray1<'py, u64>,
) -> PyResult<Bound<'py, PyArray1<u64>>> {
    let (ledger, rows) = (ledger.as_slice()?, rows.as_slice()?);
    let left =
        py.detach(|| ledger::subtract(ledger, rows)).map_err(|error| translate(py, error))?;
    Ok(left.into_pyarray(py))
}

/// The words of a text, as the kernel reads them.
#[pyfunction]
fn words(text: &str, lowercase: bool) -> Vec<String> {
    let mut tokenizer = crate::tokens::Tokenizer::new(lowercase);
    let words = tokenizer.words(text);
    let spell = |place| String::from_utf8_lossy(&words.get(place).to_vec()).into_owned();
    (0..words.packed().len()).map(spell).collect()
}

#[pymodule]
fn _kernel(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let (major, minor, update) = UNICODE_VERSION;
    module.add("UNICODE_VERSION", format!("{major}.{minor}.{update}"))?;
    module.add("LONGEST_RUN", Kind::LONGEST_RUN)?;
    module.add_class::<Texts>()?;
    module.add_class::<PyTextCounts>()?;
    module.add_class::<PyTextWeights>()?;
    module.add_function(wrap_pyfunction!(chain, module)?)?;
    module.add_function(wrap_pyfunction!(ledger_add, module)?)?;
    module.add_function(wrap_pyfunction!(ledger_subtract, module)?)?;
    module.add_function(wrap_pyfunction!(words, module)?)?;
    Ok(())
}
