//! Statistics that change together: all of them, or none.

use super::counts::PyTextCounts;
use super::moments::PyMoments;
use super::translate;
use crate::counts::TextCounts;
use crate::error::Result;
use crate::moments::Moments;
use numpy::PyReadonlyArray1;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyMapping};

#[derive(FromPyObject)]
pub enum Counter<'py> {
    Texts(Bound<'py, PyTextCounts>),
    Numbers(Bound<'py, PyMoments>),
}

/// A statistic that is changed, and the one it is changed by, both held for as long as that takes.
enum Held<'py> {
    Texts(PyRefMut<'py, PyTextCounts>, PyRef<'py, PyTextCounts>),
    Numbers(PyRefMut<'py, PyMoments>, PyRef<'py, PyMoments>),
}

enum Pair<'a> {
    Texts(&'a mut TextCounts, &'a TextCounts),
    Numbers(&'a mut Moments, &'a Moments),
}

type Change = fn(&mut Pair<'_>, &[u32]) -> Result<()>;

fn add(pair: &mut Pair<'_>, map: &[u32]) -> Result<()> {
    match pair {
        Pair::Texts(ours, theirs) => ours.add(theirs, map),
        Pair::Numbers(ours, theirs) => ours.add(theirs, map),
    }
}

fn subtract(pair: &mut Pair<'_>, map: &[u32]) -> Result<()> {
    match pair {
        Pair::Texts(ours, theirs) => ours.subtract(theirs, map),
        Pair::Numbers(ours, theirs) => ours.subtract(theirs, map),
    }
}

/// Adds what the others have seen, then sets `after` in `state`: one call, so that nothing, not even a
/// signal, comes in between.
#[pyfunction]
pub fn add_all<'py>(
    py: Python<'py>,
    ours: Vec<Counter<'py>>,
    others: Vec<Counter<'py>>,
    slot_map: PyReadonlyArray1<'py, u32>,
    state: &Bound<'py, PyDict>,
    after: &Bound<'py, PyMapping>,
) -> PyResult<()> {
    change_all(py, held(ours, others)?, slot_map.as_slice()?, [add, subtract])?;
    state.update(after)
}

/// Takes back what the others have seen, then sets `after` in `state`, likewise.
#[pyfunction]
pub fn subtract_all<'py>(
    py: Python<'py>,
    ours: Vec<Counter<'py>>,
    others: Vec<Counter<'py>>,
    slot_map: PyReadonlyArray1<'py, u32>,
    state: &Bound<'py, PyDict>,
    after: &Bound<'py, PyMapping>,
) -> PyResult<()> {
    change_all(py, held(ours, others)?, slot_map.as_slice()?, [subtract, add])?;
    state.update(after)
}

fn held<'py>(ours: Vec<Counter<'py>>, others: Vec<Counter<'py>>) -> PyResult<Vec<Held<'py>>> {
    let unlike = || PyTypeError::new_err("statistics of different kinds do not add up");
    if ours.len() != others.len() {
        return Err(unlike());
    }
    let pairs = ours.into_iter().zip(others).map(|pair| match pair {
        (Counter::Texts(a), Counter::Texts(b)) => {
            Ok(Held::Texts(a.try_borrow_mut()?, b.try_borrow()?))
        }
        (Counter::Numbers(a), Counter::Numbers(b)) => {
            Ok(Held::Numbers(a.try_borrow_mut()?, b.try_borrow()?))
        }
        _ => Err(unlike()),
    });
    pairs.collect()
}

fn change_all(
    py: Python<'_>,
    mut held: Vec<Held<'_>>,
    map: &[u32],
    [change, undo]: [Change; 2],
) -> PyResult<()> {
    let pairs = held.iter_mut().map(|held| match held {
        Held::Texts(ours, theirs) => Pair::Texts(&mut ours.counts, &theirs.counts),
        Held::Numbers(ours, theirs) => Pair::Numbers(&mut ours.moments, &theirs.moments),
    });
    let mut pairs: Vec<Pair<'_>> = pairs.collect();
    py.detach(|| {
        for place in 0..pairs.len() {
            if let Err(refused) = change(&mut pairs[place], map) {
                pairs[..place].iter_mut().try_for_each(|pair| undo(pair, map))?;
                return Err(refused);
            }
        }
        Ok(())
    })
    .map_err(|error| translate(py, error))
}
