//! Covariances made usable: factored, and shrunk where they are singular.

use crate::error::{Error, Result};

/// Below this, what a column adds to those before it is taken to be rounding.
const LEAST_PIVOT: f64 = 1e-10;

/// The least that a singular covariance is shrunk.
const LEAST_SHRINKAGE: f64 = 1e-4;

/// A covariance, ready for use.
#[derive(Clone)]
pub(crate) struct Shape {
    pub(crate) covariance: Vec<f64>,
    pub(crate) factor: Factor,
    pub(crate) shrinkage: f64,
    /// Whether it is that of other classes, this one having too few rows.
    pub(crate) borrowed: bool,
}

/// W with WᵀW = Σ⁻¹, lower triangular; log |Σ|; and the least that a column adds to those before it.
#[derive(Clone)]
pub(crate) struct Factor {
    pub(crate) whitening: Vec<f64>,
    pub(crate) log_det: f64,
    pub(crate) least_pivot: f64,
}

/// A covariance as it is if it is sound, and shrunk if it is not or if that is asked for: in units of
/// `unit`, which make the columns comparable, drawn to a multiple of the identity. Columns whose unit
/// is zero never vary; they take no part.
pub(crate) fn regular(
    matrix: &[f64],
    unit: &[f64],
    dof: u64,
    shrinkage: Option<f64>,
    class: Option<usize>,
) -> Result<Shape> {
    let all = unit.len();
    let varying: Vec<usize> = (0..all).filter(|&j| unit[j] > 0.0).collect();
    let pairs = || varying.iter().flat_map(|&i| varying.iter().map(move |&j| (i, j)));
    let mut part: Vec<f64> = pairs().map(|(i, j)| matrix[i * all + j]).collect();
    let mut amount = shrinkage.unwrap_or(0.0);
    let mut found = if amount == 0.0 { factor(&part, varying.len()) } else { None };
    if found.is_none() {
        let units: Vec<f64> = pairs().map(|(i, j)| unit[i] * unit[j]).collect();
        part.iter_mut().zip(&units).for_each(|(value, unit)| *value /= unit);
        if shrinkage.is_none() {
            amount = oracle_shrinkage(&part, varying.len(), dof).max(LEAST_SHRINKAGE);
        }
        let trace: f64 = part.iter().step_by(varying.len() + 1).sum();
        let target = amount * trace / varying.len() as f64;
        part.iter_mut().for_each(|value| *value *= 1.0 - amount);
        part.iter_mut().step_by(varying.len() + 1).for_each(|value| *value += target);
        part.iter_mut().zip(&units).for_each(|(value, unit)| *value *= unit);
        found = factor(&part, varying.len());
    }
    let mut factor = found.ok_or(Error::Singular { class })?;
    let whole = |part: &[f64]| {
        let mut whole = vec![0.0; all * all];
        pairs().zip(part).for_each(|((i, j), value)| whole[i * all + j] = *value);
        whole
    };
    factor.whitening = whole(&factor.whitening);
    Ok(Shape { covariance: whole(&part), factor, shrinkage: amount, borrowed: false })
}

/// How far to shrink, by the oracle approximating shrinkage of Chen, Wiesel, Eldar and Hero (2010),
/// in the form for many columns. Unlike Ledoit and Wolf's it needs no fourth moments, which a tally of
/// sums of products does not have.
fn oracle_shrinkage(matrix: &[f64], columns: usize, dof: u64) -> f64 {
    let trace: f64 = (0..columns).map(|j| matrix[j * columns + j]).sum();
    let squares: f64 = matrix.iter().map(|value| value * value).sum();
    let over = squares - trace * trace / columns as f64;
    let amount = (squares + trace * trace) / ((dof as f64 + 1.0) * over);
    if over > 0.0 { amount.min(1.0) } else { 1.0 }
}

/// Factors a covariance by way of its correlations; none if it is singular, or nearly.
pub(crate) fn factor(matrix: &[f64], columns: usize) -> Option<Factor> {
    let deviations: Vec<f64> = (0..columns).map(|j| matrix[j * columns + j].sqrt()).collect();
    let mut lower = vec![0.0; columns * columns];
    let (mut log_det, mut least_pivot) = (0.0, 1.0f64);
    for i in 0..columns {
        if !(deviations[i] > 0.0 && deviations[i].is_finite()) {
            return None;
        }
        for j in 0..=i {
            let (row, other) = (&lower[i * columns..][..j], &lower[j * columns..][..j]);
            let known: f64 = row.iter().zip(other).map(|(a, b)| a * b).sum();
            if i == j {
                let pivot = 1.0 - known;
                if pivot.is_nan() || pivot <= LEAST_PIVOT {
                    return None;
                }
                least_pivot = least_pivot.min(pivot);
                log_det += libm::log(pivot) + 2.0 * libm::log(deviations[i]);
                lower[i * columns + i] = pivot.sqrt();
            } else {
                let correlation = matrix[i * columns + j] / deviations[i] / deviations[j];
                lower[i * columns + j] = (correlation - known) / lower[j * columns + j];
            }
        }
    }
    // The inverse of the triangle, row by row, then in the units of the columns.
    let mut whitening = vec![0.0; columns * columns];
    for i in 0..columns {
        let diagonal = lower[i * columns + i];
        for j in 0..=i {
            let known: f64 =
                (j..i).map(|k| lower[i * columns + k] * whitening[k * columns + j]).sum();
            let identity = if i == j { 1.0 } else { 0.0 };
            whitening[i * columns + j] = (identity - known) / diagonal;
        }
    }
    for (place, weight) in whitening.iter_mut().enumerate() {
        *weight /= deviations[place % columns];
    }
    Some(Factor { whitening, log_det, least_pivot })
}

pub(crate) fn whiten(factor: &Factor, d: &[f64]) -> Vec<f64> {
    let rows = factor.whitening.chunks(d.len().max(1)).enumerate();
    rows.map(|(i, row)| row[..=i].iter().zip(d).map(|(w, d)| w * d).sum()).collect()
}

pub(crate) fn squared_length(z: &[f64]) -> f64 {
    z.iter().map(|z| z * z).sum()
}
