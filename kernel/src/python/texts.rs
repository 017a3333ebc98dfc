//! Columns of text, borrowed from Python.

use super::{raise, translate};
use crate::error::Error;
use crate::tables::cell_spelling::{spelled, truth_number};
use crate::tables::decimal_commas::{Written, pointed, written};
use crate::tables::ledger::Chain;
use crate::tables::table_reader::Column;
use crate::text::hashed_ngrams::Buckets;
use crate::text::near_duplicates::near_duplicates;
use crate::text::neutral_terms::Neutral;
use numpy::{IntoPyArray, PyArray1, PyArrayMethods, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::pybacked::{PyBackedBytes, PyBackedStr};
use pyo3::types::{PyBytes, PyString};
use std::borrow::Cow;

/// Stands between the texts of a joined row.
const JOINT: char = '\u{1f}';

/// A batch of texts, borrowed from Python objects without copying them.
#[pyclass(frozen, module = "likely._kernel")]
pub(crate) struct Texts {
    held: Held,
}

enum Held {
    Strings(Vec<Item>),
    Arrow { bytes: Py<PyArray1<u8>>, offsets: Vec<usize> },
    Column(Column),
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
        for (row, text) in (1..).zip(texts.try_iter()?) {
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
                let message = match text.is_none() {
                    true => {
                        format!("text {row} is None, not a string; leave the row out, or give \"\"")
                    }
                    false => {
                        let (kind, shown) = (text.get_type().name()?, text.repr()?);
                        format!("text {row} is {kind} ({shown}), not a string")
                    }
                };
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

    /// The rows of several columns, each row's texts joined by the unit separator; empty where one
    /// of them is.
    #[staticmethod]
    fn joined(py: Python<'_>, columns: Vec<Bound<'_, Texts>>) -> PyResult<Self> {
        let mut rows: Vec<Option<String>> = Vec::new();
        for (place, column) in columns.iter().enumerate() {
            column.get().with(py, |texts| {
                rows.resize(texts.len(), Some(String::new()));
                for (row, text) in rows.iter_mut().zip(texts) {
                    match row {
                        Some(row) if !text.is_empty() => {
                            if place > 0 {
                                row.push(JOINT);
                            }
                            row.push_str(text);
                        }
                        _ => *row = None,
                    }
                }
                Ok(())
            })?;
        }
        let items = rows.into_iter().map(|row| Item::Owned(row.unwrap_or_default())).collect();
        Ok(Texts { held: Held::Strings(items) })
    }

    pub(crate) fn __len__(&self) -> usize {
        match &self.held {
            Held::Strings(items) => items.len(),
            Held::Arrow { offsets, .. } => offsets.len().saturating_sub(1),
            Held::Column(column) => column.len(),
        }
    }

    /// The texts as strings.
    pub(crate) fn tolist(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        self.with(py, |texts| Ok(texts.iter().map(|text| text.to_string()).collect()))
    }

    /// Some of the texts as strings.
    fn take(&self, py: Python<'_>, rows: PyReadonlyArray1<'_, i64>) -> PyResult<Vec<String>> {
        let rows = rows.as_slice()?;
        self.with(py, |texts| {
            let text = |&row: &i64| usize::try_from(row).ok().and_then(|row| texts.get(row));
            Ok(rows.iter().map(|row| text(row).map_or("", |text| text).to_string()).collect())
        })
    }

    /// The same texts, with those in `gone` (spaces around them aside) empty.
    fn without(slf: Bound<'_, Self>, gone: Vec<String>) -> PyResult<Bound<'_, Self>> {
        let py = slf.py();
        let column = slf.get().with(py, |texts| {
            let is_gone =
                |text: &&str| !text.is_empty() && gone.iter().any(|gone| gone == text.trim());
            if !texts.iter().any(is_gone) {
                return Ok(None);
            }
            let mut column = Column::default();
            texts.iter().for_each(|text| column.push(if is_gone(text) { "" } else { text }));
            Ok(Some(column))
        })?;
        match column {
            None => Ok(slf),
            Some(column) => Bound::new(py, Texts::of_column(column)),
        }
    }

    /// The cells that these texts stand for, in their one spelling; those in `gone` are empty.
    #[pyo3(signature = (gone=Vec::new()))]
    fn spelled(slf: Bound<'_, Self>, gone: Vec<String>) -> PyResult<Bound<'_, Self>> {
        let py = slf.py();
        let gone: Vec<String> =
            gone.iter().flat_map(|gone| [gone.clone(), spelled(gone).into_owned()]).collect();
        let column = slf.get().with(py, |texts| {
            let cell = |text| {
                let found = spelled(text);
                let is_gone = gone.iter().any(|gone| gone == text.trim() || *gone == *found);
                if is_gone { Cow::Borrowed("") } else { found }
            };
            if texts.iter().all(|text| cell(text) == *text) {
                return Ok(None);
            }
            let mut column = Column::default();
            texts.iter().for_each(|text| column.push(&cell(text)));
            Ok(Some(column))
        })?;
        match column {
            None => Ok(slf),
            Some(column) => Bound::new(py, Texts::of_column(column)),
        }
    }

    /// Whether any cell, but those in `gone`, is no number; the first with a decimal point; whether any has a
    /// comma; and whether any has one that can only be decimal.
    fn decimal_marks(
        &self,
        py: Python<'_>,
        gone: Vec<String>,
    ) -> PyResult<(bool, Option<usize>, bool, bool)> {
        self.with(py, |texts| {
            let (mut other, mut point, mut comma, mut is_clear) = (false, None, false, false);
            for (row, text) in texts.iter().map(|text| text.trim()).enumerate() {
                match written(text) {
                    Written::Whole => {}
                    Written::Point => point = point.or(Some(row)),
                    Written::Comma { could_be_thousands } => {
                        comma = true;
                        is_clear |= !could_be_thousands;
                    }
                    Written::Other => other |= !gone.iter().any(|gone| gone == text),
                }
            }
            Ok((other, point, comma, is_clear))
        })
    }

    /// The same texts, with a point in those that are numbers with a comma.
    fn pointed(&self, py: Python<'_>) -> PyResult<Self> {
        self.with(py, |texts| {
            let mut column = Column::default();
            texts.iter().for_each(|text| column.push(&pointed(text)));
            Ok(Texts::of_column(column))
        })
    }

    /// The same texts, with a word that nobody uses wherever one of `terms` stands.
    fn masked(&self, py: Python<'_>, terms: Vec<String>) -> PyResult<Self> {
        let neutral = Neutral::new(&terms).map_err(|error| translate(py, error))?;
        let column = self.with(py, |texts| {
            let mut column = Column::default();
            texts.iter().for_each(|text| column.push(&neutral.masked(text)));
            Ok(column)
        })?;
        Ok(Texts::of_column(column))
    }

    /// The first text that holds the character which joins columns.
    fn first_joint(&self, py: Python<'_>) -> PyResult<Option<usize>> {
        self.with(py, |texts| Ok(texts.iter().position(|text| text.contains(JOINT))))
    }

    /// Which texts are empty.
    fn empty<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<bool>>> {
        let empty: Vec<bool> =
            self.with(py, |texts| Ok(texts.iter().map(|text| text.is_empty()).collect()))?;
        Ok(empty.into_pyarray(py))
    }

    /// Of each text, the first of its near-duplicates.
    fn near_duplicates<'py>(
        &self,
        py: Python<'py>,
        similarity: f64,
        threads: usize,
    ) -> PyResult<Bound<'py, PyArray1<u32>>> {
        let found = self.with(py, |texts| Ok(near_duplicates(texts, similarity, threads)))?;
        Ok(found.into_pyarray(py))
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
    pub(crate) fn of_column(column: Column) -> Self {
        Texts { held: Held::Column(column) }
    }

    /// Gives the texts to `work` with the GIL released.
    pub(crate) fn with<R: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&[&str]) -> Result<R, Error> + Send,
    ) -> PyResult<R> {
        match &self.held {
            Held::Column(column) => py.detach(|| {
                let views: Vec<&str> = column.iter().collect();
                work(&views)
            }),
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
                    for (row, pair) in (1..).zip(offsets.windows(2)) {
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

/// Rows of CSV, one for each row of some columns.
#[pyfunction]
pub(crate) fn csv_rows<'py>(
    py: Python<'py>,
    columns: Vec<Bound<'py, Texts>>,
) -> PyResult<Bound<'py, PyBytes>> {
    let rows = columns.first().map_or(0, |column| column.get().__len__());
    let mut copied: Vec<Column> = Vec::with_capacity(columns.len());
    for column in &columns {
        copied.push(column.get().with(py, |texts| {
            let mut copy = Column::default();
            texts.iter().for_each(|text| copy.push(text));
            Ok(copy)
        })?);
    }
    let written = py.detach(|| {
        let mut writer = csv::Writer::from_writer(Vec::new());
        for row in 0..rows.min(copied.iter().map(Column::len).min().unwrap_or(0)) {
            writer.write_record(copied.iter().map(|column| column.get(row)))?;
        }
        writer.into_inner().map_err(|error| error.into_error().into())
    });
    let written: Result<Vec<u8>, csv::Error> = written;
    match written {
        Ok(bytes) => Ok(PyBytes::new(py, &bytes)),
        Err(error) => Err(raise(py, "DataError", error.to_string())),
    }
}

/// The one spelling of a cell that some text stands for.
#[pyfunction]
#[pyo3(name = "spelled")]
pub(crate) fn spelled_text(text: &str) -> Cow<'_, str> {
    spelled(text)
}

/// Whether a whole number lost digits on its way into a float.
fn rounds(text: &str, value: f64) -> bool {
    text.len() > 15 && text.parse::<i128>().is_ok_and(|whole| value as i128 != whole)
}

/// Columns of texts as numbers, row by row; what is empty or in `gone` is NaN. If a text is no number,
/// its row and column are given too.
#[pyfunction]
pub(crate) fn parse_numbers<'py>(
    py: Python<'py>,
    columns: Vec<Bound<'py, Texts>>,
    gone: Vec<String>,
) -> PyResult<(Bound<'py, PyArray1<f64>>, Option<(usize, usize)>)> {
    let rows = columns.first().map_or(0, |column| column.get().__len__());
    let width = columns.len();
    let mut values = vec![f64::NAN; rows * width];
    let mut wrong = None;
    for (place, column) in columns.iter().enumerate() {
        let found = column.get().with(py, |texts| {
            let mut wrong = None;
            for (row, text) in texts.iter().enumerate() {
                let text = text.trim();
                if text.is_empty() || gone.iter().any(|gone| gone == text) {
                    continue;
                }
                match text.parse().or_else(|_| truth_number(text).ok_or(())) {
                    Ok(value) if !rounds(text, value) => values[row * width + place] = value,
                    _ => wrong = wrong.or(Some((row, place))),
                }
            }
            Ok(wrong)
        })?;
        wrong = wrong.or(found);
    }
    Ok((values.into_pyarray(py), wrong))
}

/// How often each of `2^bits` buckets is met in texts, by n-grams of up to `longest` words.
#[pyfunction]
pub(crate) fn count_buckets<'py>(
    py: Python<'py>,
    texts: &Texts,
    bits: u32,
    longest: usize,
    threads: usize,
) -> PyResult<Bound<'py, PyArray1<u64>>> {
    let counts = texts.with(py, |texts| Buckets::new(bits, longest)?.count(texts, threads))?;
    Ok(counts.into_pyarray(py))
}

/// The sum of the weights of the buckets that each text meets, of n-grams of up to `longest` words.
#[pyfunction]
pub(crate) fn score_buckets<'py>(
    py: Python<'py>,
    texts: &Texts,
    weights: PyReadonlyArray1<'py, f64>,
    longest: usize,
    threads: usize,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let weights = weights.as_slice()?;
    let bits = weights.len().max(1).ilog2();
    let score = |texts: &[&str]| Buckets::new(bits, longest)?.score(texts, weights, threads);
    Ok(texts.with(py, score)?.into_pyarray(py))
}

/// The words of a text, as the kernel reads them.
#[pyfunction]
pub(crate) fn words(text: &str, lowercase: bool) -> Vec<String> {
    let mut words = crate::dictionary::feature_key::Keys::default();
    crate::text::tokens::Tokenizer::new(lowercase).words(text, &mut words);
    words.spellings()
}
