//! Files that are read, batch by batch.

use super::raise;
use super::texts::Texts;
use crate::tables::table_reader::{Format, Limit, TableError, TableReader, decompressed, open};
use pyo3::prelude::*;
use std::borrow::Cow;
use std::io::{self, Read};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

/// What is read on, by one thread after another. They wait detached from Python, which a stream needs.
fn with<R: Send, T: Send>(
    py: Python<'_>,
    own: &Mutex<R>,
    read: impl FnOnce(&mut R) -> T + Send,
) -> T {
    py.detach(|| read(&mut own.lock().unwrap_or_else(PoisonError::into_inner)))
}

/// A table in a file.
#[pyclass(frozen, name = "TableReader", module = "likely._kernel")]
pub(crate) struct PyTableReader {
    path: PathBuf,
    reader: Mutex<TableReader>,
}

#[pymethods]
impl PyTableReader {
    /// Opens a file; `-` is standard input. The format is `json`, `labeled` or a delimiter;
    /// `names` are those of the JSON objects, if they are known. With a stream, an object that has
    /// `read1`, its bytes are read, once, and the path is what it is called.
    #[new]
    #[pyo3(signature = (path, format, replace, names=None, stream=None))]
    fn new(
        py: Python<'_>,
        path: PathBuf,
        format: &str,
        replace: bool,
        names: Option<Vec<String>>,
        stream: Option<Py<PyAny>>,
    ) -> PyResult<Self> {
        let format = match (format, format.as_bytes()) {
            ("json", _) => Format::JsonLines,
            ("labeled", _) => Format::LabeledLines,
            (_, &[delimiter]) => Format::Separated { delimiter },
            _ => {
                let message = format!("a delimiter is a single ASCII character, not `{format}`");
                return Err(raise(py, "OptionError", message));
            }
        };
        let reader = py
            .detach(|| match stream {
                None => TableReader::open(&path, format, replace, names),
                Some(stream) => TableReader::of(Box::new(Stream(stream)), format, replace, names),
            })
            .map_err(|error| translate(py, &path, error))?;
        Ok(PyTableReader { path, reader: Mutex::new(reader) })
    }

    #[getter]
    fn header(&self, py: Python<'_>) -> Vec<String> {
        with(py, &self.reader, |reader| reader.header().to_vec())
    }

    /// How many bytes of the file were read so far.
    #[getter]
    fn consumed(&self, py: Python<'_>) -> u64 {
        with(py, &self.reader, |reader| reader.consumed())
    }

    /// The next rows, a column of texts for each place in `wanted`; None at the end.
    fn next(
        &self,
        py: Python<'_>,
        wanted: Vec<usize>,
        rows: usize,
        bytes: usize,
    ) -> PyResult<Option<Vec<Texts>>> {
        let columns = with(py, &self.reader, |reader| reader.places());
        if let Some(place) = wanted.iter().find(|&&place| place >= columns) {
            let message = format!("there is no column {place}; there are {columns}");
            return Err(raise(py, "DataError", message));
        }
        let found = with(py, &self.reader, |reader| reader.next(&wanted, Limit { rows, bytes }));
        let batch = found.map_err(|error| translate(py, &self.path, error))?;
        Ok(batch.map(|columns| columns.into_iter().map(Texts::of_column).collect()))
    }
}

/// A Python object whose `read1` gives bytes; none at the end.
struct Stream(Py<PyAny>);

impl Read for Stream {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        Python::attach(|py| {
            let bytes = self.0.call_method1(py, "read1", (buffer.len(),))?;
            let bytes: &[u8] = bytes.extract(py)?;
            let target = buffer.get_mut(..bytes.len());
            let target = target.ok_or_else(|| {
                pyo3::exceptions::PyValueError::new_err("read1 gave more than it was asked for")
            })?;
            target.copy_from_slice(bytes);
            Ok(bytes.len())
        })
        .map_err(|error: PyErr| io::Error::other(error))
    }
}

/// The bytes of a file as they come, decompressed.
#[pyclass(frozen, name = "FileBytes", module = "likely._kernel")]
pub(crate) struct PyFileBytes {
    path: PathBuf,
    bytes: Mutex<Box<dyn Read + Send + Sync>>,
}

#[pymethods]
impl PyFileBytes {
    /// Opens a file. With a stream, an object that has `read1`, its bytes are read, and the path is what it
    /// is called.
    #[new]
    #[pyo3(signature = (path, stream=None))]
    fn new(py: Python<'_>, path: PathBuf, stream: Option<Py<PyAny>>) -> PyResult<Self> {
        let opened = py.detach(|| match stream {
            None => open(&path),
            Some(stream) => decompressed(Box::new(Stream(stream)), Arc::default()),
        });
        match opened {
            Ok(bytes) => Ok(PyFileBytes { path, bytes: Mutex::new(bytes) }),
            Err(error) => Err(translate(py, &path, error)),
        }
    }

    /// The next bytes, at most `size`; none at the end.
    #[pyo3(signature = (size=1 << 20, /))]
    fn read1(&self, py: Python<'_>, size: usize) -> PyResult<Cow<'static, [u8]>> {
        let mut buffer = vec![0; size.min(1 << 20)];
        let count = with(py, &self.bytes, |bytes| bytes.read(&mut buffer))
            .map_err(|error| translate(py, &self.path, error.into()))?;
        buffer.truncate(count);
        Ok(Cow::Owned(buffer))
    }
}

/// The first bytes of a file, decompressed.
#[pyfunction]
pub(crate) fn head(py: Python<'_>, path: PathBuf, length: u64) -> PyResult<Cow<'static, [u8]>> {
    let bytes = crate::tables::table_reader::head(&path, length)
        .map_err(|error| translate(py, &path, error))?;
    Ok(Cow::Owned(bytes))
}

fn translate(py: Python<'_>, path: &std::path::Path, error: TableError) -> PyErr {
    let name = if path == std::path::Path::new("-") {
        "standard input".to_string()
    } else {
        path.display().to_string()
    };
    match error {
        TableError::Io(error) if error.raw_os_error().is_some() => {
            let code = error.raw_os_error().unwrap_or(0);
            let strerror = py.import("os").and_then(|os| os.call_method1("strerror", (code,)));
            match strerror.and_then(|text| text.extract::<String>()) {
                Ok(text) => pyo3::exceptions::PyOSError::new_err((code, text, name)),
                Err(error) => error,
            }
        }
        TableError::Io(error) => match error.downcast::<PyErr>() {
            Ok(raised) => raised,
            Err(error) => raise(py, "DataError", format!("{name}: {error}")),
        },
        TableError::Line { .. } => raise(py, "DataError", format!("{name}, {error}")),
        TableError::File { .. } => raise(py, "DataError", format!("{name}: {error}")),
    }
}
