//! Each row scored by the moments without it.

use super::covariance::{Shape, squared_length, whiten};
use super::{Covariance, Evidence, Form, Gaussian, Settings, Summary, assemble, distance};
use crate::error::{Error, Result};
use crate::exact::covariance;
use crate::moments::{Layout, Moments, Sums, check_values};
use std::f64::consts::PI;

/// Scores of rows that `moments` holds, each by the moments without it.
///
/// Taking a row out of a mean and a variance is a closed form, and out of a covariance a change of
/// rank one (Sherman and Morrison). Where digits would be lost, or where a covariance is shrunk or
/// lent, the row is taken out of the exact sums and everything is estimated anew.
pub fn leave_one_out(
    moments: &Moments,
    slots: &[u32],
    settings: Settings,
    values: &[f64],
    positions: &[u32],
    threads: usize,
) -> Result<Vec<f64>> {
    let layout = moments.layout;
    check_values(layout, values, positions.len())?;
    crate::rows::check_classes(positions.len(), positions, slots.len())?;
    let evidence = Evidence::of(moments, slots);
    let model = evidence.assemble(settings)?;
    let rows: Vec<(&[f64], usize)> =
        values.chunks(layout.columns.max(1)).zip(positions.iter().map(|&c| c as usize)).collect();
    let shares = crate::parallel::shares(&rows, |_| 1, threads);
    let without = Without { evidence: &evidence, model: &model, settings };
    let parts = crate::parallel::each(shares, |share| {
        let scores = share.iter().map(|&(row, class)| match layout.together {
            true => without.together(row, class),
            false => without.apart(row, class),
        });
        scores.collect::<Result<Vec<_>>>().map(|scores| scores.concat())
    });
    Ok(parts.into_iter().collect::<Result<Vec<_>>>()?.concat())
}

struct Without<'a> {
    evidence: &'a Evidence<'a>,
    model: &'a Gaussian,
    settings: Settings,
}

/// The share of a sum of squares that may go before too many digits go with it.
const SAFE: f64 = 1e-3;

/// The least pivot at which a change of rank one is as good as estimating anew.
const SAFE_PIVOT: f64 = 1e-6;

impl Without<'_> {
    fn apart(&self, row: &[f64], class: usize) -> Result<Vec<f64>> {
        let Evidence { units, sums, total_sums, summaries, total, .. } = self.evidence;
        let Form::Apart(lines) = &self.model.form else { return Ok(Vec::new()) };
        let columns = row.len();
        let totals: Vec<(u64, f64, f64)> =
            (0..columns).map(|j| self.left(total, total_sums, j, row[j])).collect();
        let seen = totals.iter().filter(|left| left.0 > 0).map(|left| left.2);
        let largest = seen.fold(0.0, f64::max);
        let added = self.settings.floor * largest;
        let before = self.settings.floor * total.spread.iter().copied().fold(0.0, f64::max);
        let mut scores = vec![0.0; summaries.len()];
        if largest == 0.0 {
            return Ok(scores);
        }
        for (c, score) in scores.iter_mut().enumerate() {
            for (j, &x) in row.iter().enumerate().filter(|(_, x)| !x.is_nan()) {
                if totals[j].0 == 0 {
                    continue;
                }
                let (mut count, mut d, mut spread) = (summaries[c].counts[j], 0.0, 0.0);
                if c == class {
                    (count, d, spread) = self.left(&summaries[c], &sums[c], j, x);
                } else if count > 0 {
                    d = self.model.distance(c, j, x);
                    spread = summaries[c].spread[j];
                }
                if count == 0 {
                    (_, d, spread) = totals[j];
                }
                let variance = spread + added;
                let line = lines[c * columns + j];
                let unchanged =
                    c != class && count > 0 && (added - before).abs() <= 1e-14 * variance;
                *score += if unchanged {
                    line.constant - line.half_precision * d * d
                } else if variance > 0.0 {
                    let log_variance = libm::log(2.0 * PI * variance);
                    -0.5 * (log_variance + d * d / variance) + units.log_scale[j]
                } else {
                    return Err(Error::Singular { class: c });
                };
            }
        }
        Ok(scores)
    }

    /// Without x: how many numbers are left in a column, how far x is from their mean, their variance.
    fn left(&self, summary: &Summary, sums: &Sums, j: usize, x: f64) -> (u64, f64, f64) {
        let count = summary.counts[j];
        if x.is_nan() || count == 0 {
            return (count, 0.0, summary.spread[j]);
        }
        if count == 1 {
            return (0, 0.0, 0.0);
        }
        let (n, rest) = (count as f64, (count - 1) as f64);
        let d = distance(summary.means[j], x) * self.evidence.units.scale[j];
        let (all, gone) = (n * summary.spread[j], d * d * n / rest);
        if all - gone >= SAFE * all {
            return (count - 1, d * n / rest, (all - gone) / rest);
        }
        let layout = Layout { columns: 1, together: false };
        let mut left = Sums {
            counts: vec![count],
            sums: vec![sums.sums[j].clone()],
            products: vec![sums.products[j].clone()],
        };
        left.subtract(&Sums::of_row(layout, &[x]));
        let exponent = self.evidence.units.exponents[j];
        let spread =
            covariance(count - 1, &left.sums[0], &left.sums[0], &left.products[0], 2 * exponent);
        (count - 1, d * n / rest, spread)
    }

    fn together(&self, row: &[f64], class: usize) -> Result<Vec<f64>> {
        if row.iter().any(|x| x.is_nan()) {
            // A row with gaps was never summed up.
            return self.model.score(row, 1);
        }
        match self.rank_one(row, class) {
            Some(scores) => Ok(scores),
            None => self.anew(row, class),
        }
    }

    fn anew(&self, row: &[f64], class: usize) -> Result<Vec<f64>> {
        let Evidence { layout, units, sums, total_sums, summaries, .. } = self.evidence;
        let gone = Sums::of_row(*layout, row);
        let without = |sums: &Sums| {
            let mut left = sums.clone();
            left.subtract(&gone);
            Summary::of(&left, *layout, units)
        };
        let mut left = summaries.clone();
        left[class] = without(&sums[class]);
        let model = assemble(self.settings, *layout, units, &left, &without(total_sums))?;
        model.score(row, 1)
    }

    /// The closed form, where it is safe.
    fn rank_one(&self, row: &[f64], class: usize) -> Option<Vec<f64>> {
        let Form::Together { shapes, of_class } = &self.model.form else { return None };
        let Evidence { summaries, total, .. } = self.evidence;
        let sound = |shape: &Shape| {
            shape.shrinkage == 0.0 && !shape.borrowed && shape.factor.least_pivot >= SAFE_PIVOT
        };
        let count = |summary: &Summary| summary.counts.first().copied().unwrap_or(0);
        let (n, classes) = (count(&summaries[class]), summaries.len() as u64);
        let full = self.settings.covariance == Covariance::Full;
        let dof = if full { n.checked_sub(1)? } else { count(total).checked_sub(classes)? };
        // Columns without spread have a floor, which a change of rank one does not know.
        let flat = (0..row.len())
            .any(|j| total.varies(j) && !summaries.iter().any(|summary| summary.varies(j)));
        if n < 2
            || dof < 2
            || flat
            || !shapes.iter().all(sound)
            || summaries.iter().any(|s| count(s) == 0)
        {
            return None;
        }
        let (n, dof, left) = (n as f64, dof as f64, (dof - 1) as f64);
        let grown = n / (n - 1.0);
        let whitened = |c: usize, shape: &Shape| {
            let d: Vec<f64> = (0..row.len()).map(|j| self.model.distance(c, j, row[j])).collect();
            whiten(&shape.factor, &d)
        };
        let gone = whitened(class, &shapes[of_class[class]]);
        let remains = 1.0 - grown * squared_length(&gone) / dof;
        if remains < SAFE {
            return None;
        }
        let varying = self.model.varies.iter().filter(|&&varies| varies).count();
        let log_det_change = varying as f64 * libm::log(dof / left) + libm::log(remains);
        let score = |c: usize| {
            let shape = &shapes[of_class[c]];
            let z = whitened(c, shape);
            let (mut squared, mut log_det) = (squared_length(&z), shape.factor.log_det);
            if of_class[c] == of_class[class] {
                let own = if c == class { grown } else { 1.0 };
                let along: f64 = z.iter().zip(&gone).map(|(a, b)| a * b).sum::<f64>() * own;
                squared = left
                    * (squared * own * own / dof + grown * along * along / (dof * dof * remains));
                log_det += log_det_change;
            }
            self.model.constant(log_det, 0..row.len()) - 0.5 * squared
        };
        Some((0..summaries.len()).map(score).collect())
    }
}
