//! Each row scored by the moments without it.

use super::covariance::Shape;
use super::{
    Covariance, Form, Gaussian, LOG_TWO_PI, Regularization, Settings, Statistics, Summary,
    assemble, distance,
};
use crate::error::{Error, Result};
use crate::maths::dot;
use crate::numbers::exact_sums::covariance;
use crate::numbers::log_product::LogProduct;
use crate::numbers::moments::{Layout, Moments, Sums, check_values};

/// Scores of rows that `moments` holds, each by the moments without it.
///
/// Taking a row out of a mean and a variance is a closed form, and out of a covariance a change of
/// rank one (Sherman and Morrison). Where digits would be lost, or where a covariance is shrunk or
/// lent, the row is taken out of the exact sums and everything is estimated anew. A row counts
/// `per_row` in them: 1, or the whole of its fractions.
pub(crate) fn leave_one_out(
    moments: &Moments,
    slots: &[u32],
    settings: Settings,
    values: &[f64],
    positions: &[u32],
    per_row: u64,
    threads: usize,
) -> Result<Vec<f64>> {
    let layout = moments.layout;
    check_values(layout, values, positions.len())?;
    crate::counts::row_classes::check_classes(positions.len(), positions, slots.len())?;
    let statistics = Statistics::of(moments, slots, settings, per_row);
    let model = statistics.assemble(settings)?;
    let rows: Vec<(&[f64], usize)> =
        values.chunks(layout.columns.max(1)).zip(positions.iter().map(|&c| c as usize)).collect();
    let shares = crate::parallel::shares(&rows, |_| 1, threads);
    let without = Without { statistics: &statistics, model: &model, settings };
    let classes = slots.len();
    let rank_one = RankOne::of(&statistics, &model, settings);
    let drawn = Drawn::of(&statistics, &model, settings);
    let parts = crate::parallel::each(shares, |share| -> Result<Vec<f64>> {
        let mut scores = vec![0.0; share.len() * classes];
        let mut scratch = vec![[0.0; 3]; layout.columns];
        let mut room = drawn.as_ref().map(DrawnRoom::of);
        for (&(row, class), scores) in share.iter().zip(scores.chunks_mut(classes.max(1))) {
            if !layout.together {
                without.apart(row, class, scores)?;
            } else if row.iter().any(|x| x.is_nan()) {
                // A row with gaps was never summed up.
                scores.copy_from_slice(&model.score(row, 1)?);
            } else if let (Some(drawn), Some(room)) = (&drawn, &mut room)
                && drawn.score(row, class, scores, room)
            {
                continue;
            } else if !rank_one.as_ref().is_some_and(|r| r.score(row, class, scores, &mut scratch))
            {
                scores.copy_from_slice(&without.anew(row, class)?);
            }
        }
        Ok(scores)
    });
    Ok(parts.into_iter().collect::<Result<Vec<_>>>()?.concat())
}

struct Without<'a> {
    statistics: &'a Statistics<'a>,
    model: &'a Gaussian,
    settings: Settings<'a>,
}

/// The share of a sum of squares that may go before too many digits go with it.
const SAFE: f64 = 1e-3;

/// The least pivot at which a change of rank one is as good as estimating anew.
const SAFE_PIVOT: f64 = 1e-6;

impl Without<'_> {
    fn apart(&self, row: &[f64], class: usize, scores: &mut [f64]) -> Result<()> {
        let Statistics { units, sums, total_sums, summaries, total, .. } = self.statistics;
        let Form::Apart { lines } = &self.model.form else { return Ok(()) };
        let columns = row.len();
        let mut largest = 0.0f64;
        for (j, &x) in row.iter().enumerate() {
            let (count, _, spread) = self.left(total, total_sums, j, x)?;
            largest = if count > 0 { largest.max(spread) } else { largest };
        }
        if largest == 0.0 && self.settings.known.is_none() {
            return Ok(());
        }
        let floor = if self.settings.known.is_some() { 0.0 } else { self.settings.floor * largest };
        let share = self.settings.regularization.added();
        for (c, score) in scores.iter_mut().enumerate() {
            let mut logs = LogProduct::default();
            for (j, &x) in row.iter().enumerate().filter(|(_, x)| !x.is_nan()) {
                let (mut count, mut d, mut spread) = (summaries[c].counts[j], 0.0, 0.0);
                let mut changed = c == class || count == 0;
                if c == class {
                    (count, d, spread) = self.left(&summaries[c], &sums[c], j, x)?;
                } else if count > 0 {
                    d = self.model.distance(c, j, x);
                    spread = summaries[c].spread[j];
                }
                if count == 0 {
                    (count, d, spread) = self.left(total, total_sums, j, x)?;
                    if count == 0 {
                        continue;
                    }
                }
                let mut added = floor;
                if share > 0.0 {
                    added += share * self.left(total, total_sums, j, x)?.2;
                }
                let variance = self.settings.variance(units, j, spread + added);
                let line = lines[c * columns + j];
                changed |= (added - self.model.added[j]).abs() > 1e-14 * variance;
                if !changed {
                    *score += line.constant - line.half_precision * d * d;
                } else if variance > 0.0 {
                    logs.multiply(variance);
                    *score += units.log_scale[j] - 0.5 * (LOG_TWO_PI + d * d / variance);
                } else {
                    return Err(Error::Singular { class: Some(c) });
                }
            }
            *score -= 0.5 * logs.log();
        }
        Ok(())
    }

    /// Without x: how many numbers are left in a column, how far x is from their mean, their variance.
    fn left(&self, summary: &Summary, sums: &Sums, j: usize, x: f64) -> Result<(u64, f64, f64)> {
        let (count, per_row) = (summary.counts[j], self.statistics.per_row);
        if x.is_nan() || count == 0 {
            return Ok((count, 0.0, summary.spread[j]));
        }
        if count <= per_row {
            return Ok((0, 0.0, 0.0));
        }
        let others = count - per_row;
        let d = distance(summary.means[j], x) * self.statistics.units.scale[j];
        let farther = d * summary.grown[j];
        let gone = d * farther * (per_row as f64 / others as f64);
        let left = summary.spread[j] * summary.grown[j] - gone;
        if left >= SAFE * summary.spread[j] {
            return Ok((others, farther, left));
        }
        let layout = Layout { columns: 1, together: false };
        let mut left = Sums {
            counts: vec![count],
            sums: vec![sums.sums[j].clone()],
            products: vec![sums.products[j].clone()],
        };
        left.subtract(&self.row(layout, &[x])?);
        let exponent = self.statistics.units.exponents[j];
        let spread =
            covariance(others, &left.sums[0], &left.sums[0], &left.products[0], 2 * exponent);
        Ok((others, farther, spread))
    }

    /// The sums of one row.
    fn row(&self, layout: Layout, row: &[f64]) -> Result<Sums> {
        let found = Moments::observe(layout, row, &[0], 1, 1)?;
        let sums = found.classes.into_iter().next().unwrap_or_default();
        Ok(sums.repeated(self.statistics.per_row))
    }

    fn anew(&self, row: &[f64], class: usize) -> Result<Vec<f64>> {
        let Statistics { layout, units, sums, total_sums, summaries, per_row, .. } =
            self.statistics;
        let gone = self.row(*layout, row)?;
        let without = |sums: &Sums| {
            let mut left = sums.clone();
            left.subtract(&gone);
            Summary::of(&left, *layout, units, *per_row)
        };
        let mut left = summaries.clone();
        left[class] = without(&sums[class]);
        let model = assemble(self.settings, *layout, units, &left, &without(total_sums))?;
        model.score(row, 1)
    }
}

/// Covariances with virtual rows, whose variances change with the row too: factored anew for each row, but
/// from sums of squares that are already rounded.
struct Drawn<'a> {
    model: &'a Gaussian,
    covariance: Covariance,
    m: f64,
    per_row: u64,
    /// The columns that vary.
    columns: Vec<usize>,
    /// Rows of each class, and the sums of products of its columns, those that vary.
    classes: Vec<(u64, Vec<f64>)>,
    /// The sums of products within all classes.
    within: Vec<f64>,
    dof: u64,
}

/// Room for a covariance and a row.
struct DrawnRoom {
    matrix: Vec<f64>,
    variances: Vec<f64>,
    gone: Vec<f64>,
    distance: Vec<f64>,
}

impl DrawnRoom {
    fn of(drawn: &Drawn) -> Self {
        let n = drawn.columns.len();
        let zeros = vec![0.0; n];
        DrawnRoom {
            matrix: vec![0.0; n * n],
            variances: zeros.clone(),
            gone: zeros.clone(),
            distance: zeros,
        }
    }
}

impl<'a> Drawn<'a> {
    fn of(statistics: &Statistics, model: &'a Gaussian, settings: Settings) -> Option<Self> {
        let Regularization::VirtualRows(m) = settings.regularization else { return None };
        let Form::Together { shapes, .. } = &model.form else { return None };
        let Statistics { summaries, total, layout, per_row, .. } = statistics;
        let all = layout.columns;
        let count = |summary: &Summary| summary.counts.first().copied().unwrap_or(0);
        let columns: Vec<usize> = (0..all).filter(|&j| total.varies(j)).collect();
        let sums = |summary: &Summary| -> (u64, Vec<f64>) {
            let n = count(summary);
            let entry = |i: usize, j: usize| n as f64 * summary.spread[i * all + j];
            let pairs = columns.iter().flat_map(|&i| columns.iter().map(move |&j| (i, j)));
            (n, pairs.map(|(i, j)| entry(i, j)).collect())
        };
        let classes: Vec<(u64, Vec<f64>)> = summaries.iter().map(sums).collect();
        let mut within = vec![0.0; columns.len() * columns.len()];
        for (_, products) in &classes {
            within.iter_mut().zip(products).for_each(|(sum, product)| *sum += product);
        }
        // A class without rows is where all rows are, and moves with each of them.
        let is_anywhere = classes.iter().any(|(n, _)| *n == 0);
        let dof = count(total).checked_sub(classes.len() as u64)?;
        let flat = (0..columns.len()).any(|j| within[j * (columns.len() + 1)] == 0.0);
        let sound = |shape: &Shape| shape.shrinkage == 0.0;
        let covariance = settings.covariance;
        (!flat && !is_anywhere && shapes.iter().all(sound)).then_some(Drawn {
            model,
            covariance,
            m,
            per_row: *per_row,
            columns,
            classes,
            within,
            dof,
        })
    }

    /// Scores a row; false if that would lose digits.
    fn score(&self, row: &[f64], class: usize, scores: &mut [f64], room: &mut DrawnRoom) -> bool {
        let (n, size) = (self.classes[class].0, self.columns.len());
        if n <= self.per_row || self.dof <= self.per_row {
            return false;
        }
        let dof = (self.dof - self.per_row) as f64;
        let grown = n as f64 / (n - self.per_row) as f64;
        // What the row takes with it: a multiple of its products.
        let taken = self.per_row as f64 * grown;
        for (gone, &j) in room.gone.iter_mut().zip(&self.columns) {
            *gone = self.model.distance(class, j, row[j]);
        }
        for j in 0..size {
            let before = self.within[j * (size + 1)];
            let left = before - taken * room.gone[j] * room.gone[j];
            if left < SAFE * before {
                return false;
            }
            room.variances[j] = left / dof;
        }
        let mut factored = None;
        for (c, score) in scores.iter_mut().enumerate() {
            let own = if c == class { grown } else { 1.0 };
            for (d, &j) in room.distance.iter_mut().zip(&self.columns) {
                *d = own * self.model.distance(c, j, row[j]);
            }
            let (products, freedom, takes) = match self.covariance {
                Covariance::Full => {
                    let (n, products) = &self.classes[c];
                    let left = if c == class { n - self.per_row } else { *n };
                    (products, left.saturating_sub(1) as f64, c == class)
                }
                _ => (&self.within, dof, true),
            };
            if factored.is_none() || self.covariance == Covariance::Full {
                let taken = if takes { taken } else { 0.0 };
                for i in 0..size {
                    for j in 0..=i {
                        let left = products[i * size + j] - taken * room.gone[i] * room.gone[j];
                        room.matrix[i * size + j] = left / (freedom + self.m);
                    }
                    room.matrix[i * (size + 1)] += self.m * room.variances[i] / (freedom + self.m);
                }
                factored = cholesky(&mut room.matrix, size);
            }
            let Some(log_det) = factored else { return false };
            let squared = squared_after(&room.matrix, &mut room.distance);
            *score = self.model.constant(log_det, self.columns.iter().copied()) - 0.5 * squared;
        }
        true
    }
}

/// Puts the lower triangle L of LLᵀ in the place of a matrix, and gives its log-determinant; none where
/// a pivot has lost its digits.
fn cholesky(matrix: &mut [f64], size: usize) -> Option<f64> {
    let mut determinant = LogProduct::default();
    for i in 0..size {
        let (before, rest) = matrix.split_at_mut(i * size);
        let row = &mut rest[..size];
        for j in 0..i {
            let other = &before[j * size..][..size];
            row[j] = (row[j] - dot(&row[..j], &other[..j])) / other[j];
        }
        let pivot = row[i] - dot(&row[..i], &row[..i]);
        if pivot.is_nan() || pivot <= SAFE_PIVOT * row[i] {
            return None;
        }
        determinant.multiply(pivot);
        row[i] = pivot.sqrt();
    }
    Some(determinant.log())
}

/// |L⁻¹ d|², with d overwritten.
fn squared_after(lower: &[f64], d: &mut [f64]) -> f64 {
    let size = d.len();
    for i in 0..size {
        let row = &lower[i * size..][..size];
        d[i] = (d[i] - dot(&row[..i], &d[..i])) / row[i];
    }
    dot(d, d)
}

/// Covariances that are safe to change by rank one: as they are, and well conditioned.
struct RankOne<'a> {
    model: &'a Gaussian,
    shapes: &'a [Shape],
    of_class: &'a [usize],
    /// Rows, and the degrees of freedom of the covariance, of each class.
    rows: Vec<(u64, u64)>,
    /// What a row counts.
    per_row: u64,
    varying: f64,
}

impl<'a> RankOne<'a> {
    fn of(statistics: &Statistics, model: &'a Gaussian, settings: Settings) -> Option<Self> {
        let Form::Together { shapes, of_class } = &model.form else { return None };
        if matches!(
            settings.regularization,
            Regularization::VirtualRows(_) | Regularization::Added(_)
        ) {
            return None;
        }
        let Statistics { summaries, total, layout, per_row, .. } = statistics;
        let sound = |shape: &Shape| {
            shape.shrinkage == 0.0 && !shape.borrowed && shape.factor.least_pivot >= SAFE_PIVOT
        };
        let count = |summary: &Summary| summary.counts.first().copied().unwrap_or(0);
        let shared = count(total).checked_sub(summaries.len() as u64)?;
        // Columns without spread have a floor, which a change of rank one does not know.
        let flat = (0..layout.columns)
            .any(|j| total.varies(j) && !summaries.iter().any(|summary| summary.varies(j)));
        if flat || !shapes.iter().all(sound) || summaries.iter().any(|s| count(s) == 0) {
            return None;
        }
        let rows = summaries.iter().map(count);
        let rows = rows.map(|n| match settings.covariance {
            Covariance::Full => (n, n - 1),
            _ => (n, shared),
        });
        let varying = model.varies.iter().filter(|&&varies| varies).count() as f64;
        Some(RankOne { model, shapes, of_class, rows: rows.collect(), per_row: *per_row, varying })
    }

    /// Scores a row by the closed form; false if that would lose digits.
    fn score(
        &self,
        row: &[f64],
        class: usize,
        scores: &mut [f64],
        scratch: &mut [[f64; 3]],
    ) -> bool {
        let (n, dof) = self.rows[class];
        if n <= self.per_row || dof <= self.per_row {
            return false;
        }
        let (left, others) = ((dof - self.per_row) as f64, (n - self.per_row) as f64);
        let (n, dof, per_row) = (n as f64, dof as f64, self.per_row as f64);
        let grown = n / others;
        self.whiten(row, class, scratch);
        scratch.iter_mut().for_each(|[_, z, gone]| *gone = *z);
        let remains = 1.0
            - per_row * grown * scratch.iter().map(|[_, _, gone]| gone * gone).sum::<f64>() / dof;
        if remains < SAFE {
            return false;
        }
        let log_det_change = self.varying * libm::log(dof / left) + libm::log(remains);
        for (c, score) in scores.iter_mut().enumerate() {
            self.whiten(row, c, scratch);
            let mut squared: f64 = scratch.iter().map(|[_, z, _]| z * z).sum();
            let mut log_det = self.shapes[self.of_class[c]].factor.log_det;
            if self.of_class[c] == self.of_class[class] {
                let own = if c == class { grown } else { 1.0 };
                let along = own * scratch.iter().map(|[_, z, gone]| z * gone).sum::<f64>();
                let along = per_row * grown * along * along / (dof * dof * remains);
                squared = left * (squared * own * own / dof + along);
                log_det += log_det_change;
            }
            *score = self.model.constant(log_det, 0..row.len()) - 0.5 * squared;
        }
        true
    }

    /// Puts W(x − μ) of a class into the second places of `scratch`.
    fn whiten(&self, row: &[f64], class: usize, scratch: &mut [[f64; 3]]) {
        for (j, place) in scratch.iter_mut().enumerate() {
            place[0] = self.model.distance(class, j, row[j]);
        }
        let whitening = &self.shapes[self.of_class[class]].factor.whitening;
        for (i, weights) in whitening.chunks(row.len().max(1)).enumerate() {
            let z = weights[..=i].iter().zip(&*scratch).map(|(w, [d, ..])| w * d).sum();
            scratch[i][1] = z;
        }
    }
}
