//! Hashes of rows.

use super::{cells, translate};
use crate::tables::ledger::{self, Chain};
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;

/// Begins or continues a hash chain.
#[pyfunction]
#[pyo3(signature = (link, content, secret=None))]
pub(crate) fn chain(link: u64, content: &[u8], secret: Option<&[u8]>) -> u64 {
    Chain::new(secret).next(link, content)
}

/// Refuses rows that were not learned, naming one.
#[pyfunction]
pub(crate) fn ledger_check(
    py: Python<'_>,
    ledger: PyReadonlyArray1<'_, u64>,
    rows: PyReadonlyArray1<'_, u64>,
) -> PyResult<()> {
    let (ledger, rows) = (ledger.as_slice()?, rows.as_slice()?);
    py.detach(|| ledger::check(ledger, rows)).map_err(|error| translate(py, error))
}

#[pyfunction]
pub(crate) fn ledger_subtract<'py>(
    py: Python<'py>,
    ledger: PyReadonlyArray1<'py, u64>,
    rows: PyReadonlyArray1<'py, u64>,
) -> PyResult<Bound<'py, PyArray1<u64>>> {
    let (ledger, rows) = (ledger.as_slice()?, rows.as_slice()?);
    let left =
        py.detach(|| ledger::subtract(ledger, rows)).map_err(|error| translate(py, error))?;
    Ok(left.into_pyarray(py))
}

/// Continues the hash chain of each row with its numbers.
#[pyfunction]
#[pyo3(signature = (values, links, secret=None, threads=1))]
pub(crate) fn chain_numbers<'py>(
    py: Python<'py>,
    values: PyReadonlyArray2<'py, f64>,
    links: PyReadonlyArray1<'py, u64>,
    secret: Option<&[u8]>,
    threads: usize,
) -> PyResult<Bound<'py, PyArray1<u64>>> {
    let (columns, values) = cells(&values)?;
    let links = links.as_slice()?;
    let chain = Chain::new(secret);
    Ok(py.detach(|| chain.numbers(links, values, columns, threads)).into_pyarray(py))
}
