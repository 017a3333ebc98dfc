//! Gaussian likelihoods estimated from exact sums: a variance per column (Gaussian Naive Bayes), one
//! covariance for all classes (LDA), or one for each (QDA).
//!
//! ```text
//! log P(x | c) = − ½ Σ_j [ log 2πσ²_cj + (x_j − μ_cj)² / σ²_cj ]              diagonal
//! log P(x | c) = − ½ [ log |2πΣ_c| + (x − μ_c)ᵀ Σ_c⁻¹ (x − μ_c) ]             shared, full
//! ```
//!
//! Means keep twice the digits of an `f64`, so that `x − μ` is as good as `x` when the mean is large
//! beside the spread. Columns of extreme size are divided by a power of two, which changes nothing but
//! the exponents, so no square leaves the range of an `f64`. A missing number is integrated out.

mod covariance;
mod leave_one_out;

pub(crate) use leave_one_out::leave_one_out;

use self::covariance::{Factor, Shape, factor, regular, squared_length, whiten};
use crate::error::{Error, Result};
use crate::numbers::exact_sums::{covariance, mean_in_two, variance_exponent};
use crate::numbers::moments::{Layout, Moments, Sums, check_values, power_of_two};
use std::borrow::Cow;
use std::collections::HashMap;
use std::f64::consts::{LN_2, PI};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Covariance {
    Diagonal,
    Shared,
    Full,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Settings<'a> {
    pub(crate) covariance: Covariance,
    /// The variances of the columns, where they are known and only means are estimated.
    pub(crate) known: Option<&'a [f64]>,
    /// Times the largest variance of a column, added to each variance; taken together, columns
    /// without any spread within the classes get it times their own.
    pub(crate) floor: f64,
    pub(crate) regularization: Regularization,
}

/// What keeps a covariance of few rows from being taken at its word.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Regularization {
    /// It is drawn to a multiple of the identity only where it is singular.
    WhereSingular,
    /// It is drawn there by this share.
    Shrinkage(f64),
    /// It is estimated as if there were so many more rows, with independent columns that vary as they
    /// do within the classes.
    ///
    /// ```text
    /// Σ = (S + m · V) / (dof + m)        Σ_c = (S_c + m · V) / (n_c − 1 + m)        V = diag(S) / dof
    /// ```
    VirtualRows(f64),
    /// To the variance of each column this share of its variance in all rows is added.
    ///
    /// ```text
    /// Σ = S / dof + r · V        Σ_c = S_c / (n_c − 1) + r · V        V = diag(S_all) / n
    /// ```
    Added(f64),
}

impl Regularization {
    /// The share of each column's variance in all rows that is added.
    fn added(self) -> f64 {
        if let Regularization::Added(share) = self { share } else { 0.0 }
    }
}

impl Settings<'_> {
    /// The variance of a column in its unit: the one that is known, or else the one that was found.
    fn variance(&self, units: &Units, column: usize, found: f64) -> f64 {
        let scale = units.scale[column];
        self.known.map_or(found, |known| known[column] * scale * scale)
    }
}

/// Rows that are scored at a time, so that loops run over rows.
const TILE: usize = 64;

const LOG_TWO_PI: f64 = 1.837_877_066_409_345_3;

/// In standard deviations, how far apart means may be for rows to be whitened once for all classes.
const LONGEST_STEP: f64 = 1000.0;

/// Exponents within this are left alone.
const ORDINARY: i32 = 400;

/// Mean and spread of some rows: variances, or the whole covariance if columns are taken together.
#[derive(Clone)]
pub(crate) struct Summary {
    counts: Vec<u64>,
    means: Vec<(f64, f64)>,
    /// Divided by n, in the units of the model.
    spread: Vec<f64>,
    /// n / (n − 1), or what a row counts in place of 1: how much farther a row is from the mean of the
    /// others.
    grown: Vec<f64>,
}

/// The units of the columns, powers of two.
#[derive(Clone)]
struct Units {
    exponents: Vec<i32>,
    /// 1 / unit.
    scale: Vec<f64>,
    /// What the units take from a log-density.
    log_scale: Vec<f64>,
}

impl Units {
    fn of(total: &Sums, layout: Layout, settings: Settings) -> Self {
        let size = |j: usize| {
            let squares = &total.products[layout.product(j, j)];
            let count = total.count(j);
            let exponent = (count > 0).then(|| variance_exponent(count, &total.sums[j], squares));
            exponent.flatten().map_or(0, |exponent| exponent / 2)
        };
        let ordinary = |exponent: i32| if exponent.abs() <= ORDINARY { 0 } else { exponent };
        let mut exponents: Vec<i32> = (0..layout.columns).map(size).collect();
        if !layout.together && settings.floor > 0.0 {
            // The floor compares columns, so they have one unit.
            let largest = exponents.iter().copied().max().unwrap_or(0);
            exponents.fill(largest);
        }
        exponents.iter_mut().for_each(|e| *e = ordinary(*e).clamp(-1000, 1000));
        let scale = exponents.iter().map(|&exponent| power_of_two(-exponent)).collect();
        let log_scale = exponents.iter().map(|&exponent| -LN_2 * f64::from(exponent)).collect();
        Units { exponents, scale, log_scale }
    }
}

impl Summary {
    /// Whether a column, taken together with others, is not the same in all rows.
    fn varies(&self, column: usize) -> bool {
        self.spread[column * self.means.len() + column] > 0.0
    }

    fn of(sums: &Sums, layout: Layout, units: &Units, per_row: u64) -> Self {
        let columns = layout.columns;
        let counts: Vec<u64> = (0..columns).map(|j| sums.count(j)).collect();
        let mean = |j: usize| match counts[j] {
            0 => (0.0, 0.0),
            count => mean_in_two(count, &sums.sums[j]),
        };
        let entry = |i: usize, j: usize| match counts[j] {
            0 => 0.0,
            count => {
                let product = &sums.products[layout.product(i.min(j), i.max(j))];
                let unit = units.exponents[i] + units.exponents[j];
                covariance(count, &sums.sums[i], &sums.sums[j], product, unit)
            }
        };
        let mut spread = Vec::new();
        if layout.together {
            spread = vec![0.0; columns * columns];
            for j in 0..columns {
                for i in 0..=j {
                    spread[i * columns + j] = entry(i, j);
                    spread[j * columns + i] = spread[i * columns + j];
                }
            }
        } else {
            spread.extend((0..columns).map(|j| entry(j, j)));
        }
        let grown = |&n: &u64| n as f64 / n.saturating_sub(per_row) as f64;
        let grown = counts.iter().map(grown).collect();
        Summary { means: (0..columns).map(mean).collect(), counts, spread, grown }
    }
}

/// One class's density of one column. A column that nobody has seen adds nothing.
#[derive(Clone, Copy, Default)]
struct Line {
    variance: f64,
    half_precision: f64,
    constant: f64,
}

#[derive(Clone)]
enum Form {
    Apart { lines: Vec<Line> },
    Together { shapes: Vec<Shape>, of_class: Vec<usize> },
}

/// The estimates, ready to score.
#[derive(Clone)]
pub(crate) struct Gaussian {
    layout: Layout,
    classes: usize,
    units: Units,
    /// Which columns add something.
    varies: Vec<bool>,
    means: Vec<(f64, f64)>,
    /// How many numbers each class has in each column.
    counts: Vec<u64>,
    /// What was added to the variance of each column.
    added: Vec<f64>,
    form: Form,
}

impl Gaussian {
    pub(crate) fn estimate(moments: &Moments, slots: &[u32], settings: Settings) -> Result<Self> {
        Statistics::of(moments, slots, settings, 1).assemble(settings)
    }

    /// log P(x | c): a row per row of `values`, a column per class.
    pub(crate) fn score(&self, values: &[f64], threads: usize) -> Result<Vec<f64>> {
        let columns = self.layout.columns;
        check_values(self.layout, values, values.len() / columns.max(1))?;
        let rows: Vec<&[f64]> = values.chunks(columns.max(1)).collect();
        let shares = crate::parallel::shares(&rows, |_| 1, threads);
        let mut scores = vec![0.0; rows.len() * self.classes];
        let rooms = crate::parallel::with_room(shares, &mut scores, self.classes);
        crate::parallel::each(rooms, |(share, scores)| {
            let mut scratch = Scratch::new(self);
            let tiles = share.chunks(TILE).zip(scores.chunks_mut(TILE * self.classes.max(1)));
            tiles.for_each(|(rows, scores)| self.score_tile(rows, scores, &mut scratch));
        });
        Ok(scores)
    }

    /// What each column adds to the score of each class, column by column; all together where they are.
    pub(crate) fn contributions(&self, row: &[f64]) -> Result<Vec<Vec<f64>>> {
        check_values(self.layout, row, 1)?;
        let Form::Apart { lines } = &self.form else {
            return Ok(vec![self.score(row, 1)?]);
        };
        let columns = self.layout.columns;
        let term = |class: usize, j: usize| {
            self.contribution(lines[class * columns + j], class, j, row[j])
        };
        let of_column = |j: usize| (0..self.classes).map(|class| term(class, j)).collect();
        Ok((0..columns).map(of_column).collect())
    }

    /// What one column adds to a class's score; a missing cell adds nothing.
    #[inline]
    fn contribution(&self, line: Line, class: usize, column: usize, x: f64) -> f64 {
        let ((high, low), scale) = (self.mean(class, column), self.units.scale[column]);
        let d = ((x - high) - low) * scale;
        let term = line.constant - line.half_precision * d * d;
        if x.is_nan() { 0.0 } else { term }
    }

    fn score_tile(&self, rows: &[&[f64]], scores: &mut [f64], scratch: &mut Scratch) {
        let (columns, n) = (self.layout.columns, rows.len());
        let Scratch { x, z, steps, marginals } = scratch;
        for j in 0..columns {
            rows.iter().zip(&mut x[j]).for_each(|(row, x)| *x = row[j]);
        }
        for class in 0..self.classes {
            let mut total = [0.0; TILE];
            match &self.form {
                Form::Apart { lines } => {
                    for j in 0..columns {
                        let line = lines[class * columns + j];
                        for (total, &x) in total[..n].iter_mut().zip(&x[j]) {
                            *total += self.contribution(line, class, j, x);
                        }
                    }
                }
                Form::Together { shapes, of_class } => {
                    let factor = &shapes[of_class[class]].factor;
                    let steps = steps.get(class * columns..).filter(|steps| !steps.is_empty());
                    if steps.is_none() || class == 0 {
                        self.whiten_tile(class, factor, x, z, n);
                    }
                    for (i, z) in z.iter().enumerate() {
                        let step = steps.map_or(0.0, |steps| steps[i]);
                        for (total, z) in total[..n].iter_mut().zip(z) {
                            *total += (z - step) * (z - step);
                        }
                    }
                    let constant = self.constant(factor.log_det, 0..columns);
                    for total in &mut total[..n] {
                        // Too far away to say how far is infinitely far.
                        let squared = if total.is_nan() { f64::INFINITY } else { *total };
                        *total = constant - 0.5 * squared;
                    }
                }
            }
            for (row, total) in total[..n].iter().enumerate() {
                scores[row * self.classes + class] = *total;
            }
        }
        if self.layout.together {
            for (row, scores) in rows.iter().zip(scores.chunks_mut(self.classes.max(1))) {
                if row.iter().any(|x| x.is_nan()) {
                    self.score_partial(row, scores, marginals);
                }
            }
        }
    }

    /// W (x − μ) of the rows of a tile.
    fn whiten_tile(
        &self,
        class: usize,
        factor: &Factor,
        x: &[[f64; TILE]],
        z: &mut [[f64; TILE]],
        n: usize,
    ) {
        let columns = self.layout.columns;
        z.iter_mut().for_each(|z| z.fill(0.0));
        for (j, x) in x.iter().enumerate() {
            let ((high, low), scale) = (self.mean(class, j), self.units.scale[j]);
            let mut d = [0.0; TILE];
            for (d, x) in d[..n].iter_mut().zip(x) {
                *d = ((x - high) - low) * scale;
            }
            for (i, z) in z.iter_mut().enumerate().skip(j) {
                let weight = factor.whitening[i * columns + j];
                z[..n].iter_mut().zip(&d).for_each(|(z, d)| *z += weight * d);
            }
        }
    }

    /// W (μ_c − μ_0), class by class, if one W serves all of them and no step is so long that
    /// W (x − μ_0) would lose digits that W (x − μ_c) has; nothing otherwise.
    fn steps(&self) -> Vec<f64> {
        let columns = self.layout.columns;
        let Form::Together { shapes, .. } = &self.form else { return Vec::new() };
        let [Shape { factor, .. }] = shapes.as_slice() else { return Vec::new() };
        let step = |class: usize| {
            let from = |j: usize| {
                let ((high, low), start) = (self.mean(class, j), self.mean(0, j));
                (distance(start, high) + low) * self.units.scale[j]
            };
            whiten(factor, &(0..columns).map(from).collect::<Vec<_>>())
        };
        let steps: Vec<f64> = (0..self.classes).flat_map(step).collect();
        let near = |step: &f64| step.abs() <= LONGEST_STEP;
        if steps.iter().all(near) { steps } else { Vec::new() }
    }

    /// Scores a row with gaps by the covariances of the columns it has.
    fn score_partial(
        &self,
        row: &[f64],
        scores: &mut [f64],
        marginals: &mut HashMap<Vec<usize>, Vec<Factor>>,
    ) {
        let Form::Together { shapes, of_class } = &self.form else { return };
        let columns = self.layout.columns;
        let there: Vec<usize> =
            (0..columns).filter(|&j| !row[j].is_nan() && self.varies[j]).collect();
        let factors = marginals.entry(there.clone()).or_insert_with(|| {
            let entry = |shape: &Shape, i: usize, j: usize| shape.covariance[i * columns + j];
            let part = |shape: &Shape| -> Vec<f64> {
                there.iter().flat_map(|&i| there.iter().map(move |&j| entry(shape, i, j))).collect()
            };
            // A part of a sound covariance is sound.
            shapes.iter().filter_map(|shape| factor(&part(shape), there.len())).collect()
        });
        for (class, score) in scores.iter_mut().enumerate() {
            let Some(factor) = factors.get(of_class[class]) else { continue };
            let d: Vec<f64> = there.iter().map(|&j| self.distance(class, j, row[j])).collect();
            let squared = squared_length(&whiten(factor, &d));
            let squared = if squared.is_nan() { f64::INFINITY } else { squared };
            *score = self.constant(factor.log_det, there.iter().copied()) - 0.5 * squared;
        }
    }

    fn constant(&self, log_det: f64, columns: impl Iterator<Item = usize>) -> f64 {
        columns
            .filter(|&j| self.varies[j])
            .fold(-0.5 * log_det, |sum, j| sum - 0.5 * LOG_TWO_PI + self.units.log_scale[j])
    }

    fn mean(&self, class: usize, column: usize) -> (f64, f64) {
        self.means[class * self.layout.columns + column]
    }

    /// x − μ, in units.
    fn distance(&self, class: usize, column: usize, x: f64) -> f64 {
        distance(self.mean(class, column), x) * self.units.scale[column]
    }

    /// The means, class by class; NaN where nobody has seen the column.
    pub(crate) fn means(&self) -> Vec<f64> {
        let mean = |(place, mean): (usize, &(f64, f64))| {
            if self.is_seen(place % self.layout.columns) { mean.0 } else { f64::NAN }
        };
        self.means.iter().enumerate().map(mean).collect()
    }

    /// How many numbers each class has in each column; together, how many rows without a gap.
    pub(crate) fn counts(&self) -> &[u64] {
        &self.counts
    }

    fn is_seen(&self, column: usize) -> bool {
        self.counts.iter().skip(column).step_by(self.layout.columns).any(|&count| count > 0)
    }

    /// The standard deviations, class by class; NaN where nobody has seen the column.
    pub(crate) fn deviations(&self) -> Vec<f64> {
        let columns = self.layout.columns;
        let deviation = |place: usize| {
            let (class, j) = (place / columns, place % columns);
            let variance = match &self.form {
                _ if !self.is_seen(j) => f64::NAN,
                Form::Apart { lines } => lines[place].variance,
                Form::Together { shapes, of_class } => {
                    shapes[of_class[class]].covariance[j * columns + j]
                }
            };
            variance.sqrt() / self.units.scale[j]
        };
        (0..self.classes * columns).map(deviation).collect()
    }

    /// The correlations of columns taken together: one matrix, or one for each class.
    pub(crate) fn correlations(&self) -> Vec<f64> {
        let Form::Together { shapes, .. } = &self.form else { return Vec::new() };
        let columns = self.layout.columns;
        let mut all = Vec::new();
        for shape in shapes {
            let entry = |i: usize, j: usize| shape.covariance[i * columns + j];
            all.extend((0..columns * columns).map(|place| {
                let (i, j) = (place / columns, place % columns);
                let size = (entry(i, i) * entry(j, j)).sqrt();
                if i == j || size == 0.0 { f64::from(i == j) } else { entry(i, j) / size }
            }));
        }
        all
    }

    /// How far each covariance was shrunk.
    pub(crate) fn shrinkage(&self) -> Vec<f64> {
        let Form::Together { shapes, .. } = &self.form else { return Vec::new() };
        shapes.iter().map(|shape| shape.shrinkage).collect()
    }

    /// Per class, how large a share of its variances was added to them, summed over the columns: the
    /// trace of Σ⁻¹ D, where D is what was added.
    pub(crate) fn lent(&self) -> Vec<f64> {
        let columns = self.layout.columns;
        let share = |line: &Line, added: f64| match line.variance > 0.0 {
            true => added / line.variance,
            false => 0.0,
        };
        let trace = |class: usize| match &self.form {
            Form::Apart { lines } => {
                let lines = &lines[class * columns..][..columns];
                lines.iter().zip(&self.added).map(|(line, &added)| share(line, added)).sum()
            }
            Form::Together { shapes, of_class } => {
                let factor = &shapes[of_class[class]].factor;
                let rows = factor.whitening.chunks(columns.max(1));
                rows.map(|row| row.iter().zip(&self.added).map(|(w, d)| w * w * d).sum::<f64>())
                    .sum()
            }
        };
        (0..self.classes).map(trace).collect()
    }

    /// Which covariances are those of other classes.
    pub(crate) fn borrowed(&self) -> Vec<bool> {
        let Form::Together { shapes, .. } = &self.form else { return Vec::new() };
        shapes.iter().map(|shape| shape.borrowed).collect()
    }
}

struct Scratch {
    x: Vec<[f64; TILE]>,
    /// The rows of a tile, whitened.
    z: Vec<[f64; TILE]>,
    steps: Vec<f64>,
    marginals: HashMap<Vec<usize>, Vec<Factor>>,
}

impl Scratch {
    fn new(model: &Gaussian) -> Self {
        let empty = vec![[0.0; TILE]; model.layout.columns];
        Scratch { x: empty.clone(), z: empty, steps: model.steps(), marginals: HashMap::new() }
    }
}

/// The sufficient statistics of the classes and of all rows, before anything is estimated.
struct Statistics<'a> {
    layout: Layout,
    /// What a row counts.
    per_row: u64,
    units: Units,
    sums: Vec<Cow<'a, Sums>>,
    total_sums: Sums,
    summaries: Vec<Summary>,
    total: Summary,
}

impl<'a> Statistics<'a> {
    fn of(moments: &'a Moments, slots: &[u32], settings: Settings, per_row: u64) -> Self {
        let layout = moments.layout;
        // A class may be known and unseen.
        let sums = |&slot: &u32| match moments.classes.get(slot as usize) {
            Some(sums) => Cow::Borrowed(sums),
            None => Cow::Owned(Sums::zero(layout)),
        };
        let sums: Vec<Cow<Sums>> = slots.iter().map(sums).collect();
        let mut total_sums = Sums::zero(layout);
        sums.iter().for_each(|sums| total_sums.merge(sums));
        let units = Units::of(&total_sums, layout, settings);
        let summary = |sums: &Sums| Summary::of(sums, layout, &units, per_row);
        let (summaries, total) =
            (sums.iter().map(|sums| summary(sums)).collect(), summary(&total_sums));
        Statistics { layout, per_row, units, sums, total_sums, summaries, total }
    }

    fn assemble(&self, settings: Settings) -> Result<Gaussian> {
        assemble(settings, self.layout, &self.units, &self.summaries, &self.total)
    }
}

fn assemble(
    settings: Settings,
    layout: Layout,
    units: &Units,
    summaries: &[Summary],
    total: &Summary,
) -> Result<Gaussian> {
    // A class that has not shown a column takes it to be as in all rows.
    let columns = layout.columns;
    let mean = |summary: &Summary, j: usize| match summary.counts[j] {
        0 => total.means[j],
        _ => summary.means[j],
    };
    let means: Vec<(f64, f64)> =
        summaries.iter().flat_map(|summary| (0..columns).map(move |j| mean(summary, j))).collect();
    let added = added(settings, layout, total);
    let form = match layout.together {
        false => apart(settings, units, summaries, total, &added)?,
        true => together(settings, columns, summaries, total, &added)?,
    };
    let varies = (0..columns).map(|j| !layout.together || total.varies(j)).collect();
    let units = units.clone();
    let counts = summaries.iter().flat_map(|summary| summary.counts.iter().copied()).collect();
    Ok(Gaussian { layout, classes: summaries.len(), units, varies, means, counts, added, form })
}

/// What is added to the variance of each column.
fn added(settings: Settings, layout: Layout, total: &Summary) -> Vec<f64> {
    let (columns, share) = (layout.columns, settings.regularization.added());
    if layout.together {
        return (0..columns).map(|j| share * total.spread[j * columns + j]).collect();
    }
    if settings.known.is_some() {
        return vec![0.0; columns];
    }
    let largest = total.spread.iter().copied().fold(0.0, f64::max);
    total.spread.iter().map(|spread| settings.floor * largest + share * spread).collect()
}

fn apart(
    settings: Settings,
    units: &Units,
    summaries: &[Summary],
    total: &Summary,
    added: &[f64],
) -> Result<Form> {
    let largest = total.spread.iter().copied().fold(0.0, f64::max);
    let mut lines = Vec::new();
    for (class, summary) in summaries.iter().enumerate() {
        for j in 0..summary.counts.len() {
            let spread = if summary.counts[j] == 0 { total.spread[j] } else { summary.spread[j] };
            let variance = settings.variance(units, j, spread + added[j]);
            lines.push(match total.counts[j] {
                // Where nothing varies, nothing is added.
                0 => Line::default(),
                _ if largest == 0.0 && settings.known.is_none() => Line::default(),
                _ if variance > 0.0 => Line {
                    variance,
                    half_precision: 0.5 / variance,
                    constant: -0.5 * libm::log(2.0 * PI * variance) + units.log_scale[j],
                },
                _ => return Err(Error::Singular { class: Some(class) }),
            });
        }
    }
    Ok(Form::Apart { lines })
}

fn together(
    settings: Settings,
    columns: usize,
    summaries: &[Summary],
    total: &Summary,
    added: &[f64],
) -> Result<Form> {
    let count = |summary: &Summary| summary.counts.first().copied().unwrap_or(0);
    let (n, seen) = (count(total), summaries.iter().filter(|&s| count(s) > 0).count() as u64);
    let mut pooled = vec![0.0; columns * columns];
    let dof = if n > seen { n - seen } else { n.max(2) - 1 };
    let parts = if n > seen { summaries } else { std::slice::from_ref(total) };
    for summary in parts {
        let share = count(summary) as f64 / dof as f64;
        pooled.iter_mut().zip(&summary.spread).for_each(|(sum, spread)| *sum += share * spread);
    }
    let add = |matrix: &mut [f64]| {
        let diagonal = matrix.iter_mut().step_by(columns + 1);
        diagonal.zip(added).for_each(|(variance, added)| *variance += added);
    };
    add(&mut pooled);
    for j in (0..columns).map(|j| j * columns + j) {
        if pooled[j] == 0.0 && total.spread[j] > 0.0 {
            pooled[j] = settings.floor * total.spread[j];
            if pooled[j] == 0.0 {
                return Err(Error::Singular { class: None });
            }
        }
    }
    // A column that never varies has a unit of zero, and adds nothing.
    let unit: Vec<f64> = (0..columns)
        .map(|j| if total.varies(j) { pooled[j * columns + j].sqrt() } else { 0.0 })
        .collect();
    let (shrinkage, virtual_rows) = match settings.regularization {
        Regularization::WhereSingular => (None, 0.0),
        Regularization::Shrinkage(share) => (Some(share), 0.0),
        Regularization::VirtualRows(m) => (None, m),
        Regularization::Added(_) => (None, 0.0),
    };
    let variances: Vec<f64> = (0..columns).map(|j| pooled[j * columns + j]).collect();
    draw(&mut pooled, dof as f64, &variances, virtual_rows);
    let shared = regular(&pooled, &unit, dof, shrinkage, None)?;
    if settings.covariance != Covariance::Full {
        return Ok(Form::Together { shapes: vec![shared], of_class: vec![0; summaries.len()] });
    }
    let own = |(class, summary): (usize, &Summary)| {
        let n = count(summary);
        if virtual_rows > 0.0 || settings.regularization.added() > 0.0 && n > 0 {
            let (dof, unbias) = degrees(n);
            let mut matrix: Vec<f64> =
                summary.spread.iter().map(|spread| spread * unbias).collect();
            draw(&mut matrix, dof, &variances, virtual_rows);
            add(&mut matrix);
            return regular(&matrix, &unit, n.max(1), shrinkage, Some(class));
        }
        let flat = !(0..columns).any(|j| summary.varies(j)) && unit.iter().any(|&unit| unit > 0.0);
        if n > 0 && flat && shrinkage == Some(0.0) {
            return Err(Error::Singular { class: Some(class) });
        }
        if n > 0 && flat {
            return Ok(Shape { borrowed: true, ..shared.clone() });
        }
        let (from, n) = if n > 0 { (summary, n) } else { (total, count(total).max(2)) };
        let unbias = n as f64 / (n - 1) as f64;
        let mut matrix: Vec<f64> = from.spread.iter().map(|spread| spread * unbias).collect();
        add(&mut matrix);
        regular(&matrix, &unit, n - 1, shrinkage, Some(class))
    };
    let shapes = summaries.iter().enumerate().map(own).collect::<Result<Vec<_>>>()?;
    Ok(Form::Together { of_class: (0..shapes.len()).collect(), shapes })
}

/// (dof · Σ + m · V) / (dof + m): the covariance of rows, and of m more whose columns are independent.
fn draw(matrix: &mut [f64], dof: f64, variances: &[f64], m: f64) {
    if m == 0.0 {
        return;
    }
    let (columns, share) = (variances.len(), dof / (dof + m));
    matrix.iter_mut().for_each(|value| *value *= share);
    for (j, variance) in variances.iter().enumerate() {
        matrix[j * columns + j] += (1.0 - share) * variance;
    }
}

/// n − 1, and n / (n − 1); nothing varies in fewer than two rows.
fn degrees(n: u64) -> (f64, f64) {
    if n < 2 { (0.0, 0.0) } else { ((n - 1) as f64, n as f64 / (n - 1) as f64) }
}

fn distance((high, low): (f64, f64), x: f64) -> f64 {
    (x - high) - low
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numbers::fractional_moments::FractionalRows;
    use proptest::collection::vec;
    use proptest::prelude::*;

    const KINDS: [Covariance; 3] = [Covariance::Diagonal, Covariance::Shared, Covariance::Full];

    fn observe(covariance: Covariance, columns: usize, values: &[f64], classes: &[u32]) -> Moments {
        let layout = Layout { columns, together: covariance != Covariance::Diagonal };
        Moments::observe(layout, values, classes, 3, 1).unwrap()
    }

    fn close(a: f64, b: f64) -> bool {
        a == b || (a - b).abs() <= 1e-9 * (1.0 + a.abs().max(b.abs()))
    }

    proptest! {
        #[test]
        fn leaving_out_is_training_without(
            cells in vec(prop_oneof![4 => -3.0..3.0, 1 => Just(1.0), 1 => Just(f64::NAN)], 12..90),
            columns in 1usize..4, kind in 0usize..3, offset in prop_oneof![Just(0.0), Just(1e8)],
            per_row in prop_oneof![Just(1u64), Just(5), Just(1 << 32)], is_known: bool, m in prop_oneof![Just(0.0), 0.5..9.0],
            share in prop_oneof![Just(0.0), Just(1e-6), Just(0.1)],
        ) {
            let rows = cells.len() / columns;
            let values: Vec<f64> = cells[..rows * columns].iter().map(|x| x + offset).collect();
            let classes: Vec<u32> = (0..rows as u32).map(|row| row * row % 7 % 3).collect();
            let known = is_known.then_some(&[0.5, 2.0, 9.0][..columns]);
            let regularization = match m {
                0.0 if share > 0.0 => Regularization::Added(share),
                0.0 => Regularization::WhereSingular,
                _ => Regularization::VirtualRows(m * per_row as f64),
            };
            let settings = Settings { covariance: KINDS[kind], floor: 1e-9, regularization, known };
            let slots = [0, 1, 2];
            let layout = Layout { columns, together: KINDS[kind] != Covariance::Diagonal };
            let observe = |values: &[f64], classes: &[u32]| {
                let part = |&class: &u32| (0..3).map(move |c| if c == class { per_row } else { 0 });
                let parts: Vec<u64> = classes.iter().flat_map(part).collect();
                FractionalRows::of(layout, values).unwrap().observe(values, &parts, 3, 1).unwrap()
            };
            let moments = observe(&values, &classes);
            let fast = leave_one_out(&moments, &slots, settings, &values, &classes, per_row, 2).unwrap();
            for row in 0..rows {
                let one = &values[row * columns..][..columns];
                let rest = moments.minus(&observe(one, &classes[row..=row])).unwrap();
                let model = Gaussian::estimate(&rest, &slots, settings).unwrap();
                let slow = model.score(one, 1).unwrap();
                for (class, slow) in slow.iter().enumerate() {
                    prop_assert!(close(fast[row * 3 + class], *slow), "{} {}", fast[row * 3 + class], slow);
                }
            }
        }

        #[test]
        fn neither_threads_nor_tiles_show(cells in vec(-9.0..9.0, 300..600), kind in 0usize..3) {
            let classes: Vec<u32> = (0..cells.len() as u32 / 2).map(|row| row % 3).collect();
            let values = &cells[..classes.len() * 2];
            let settings = Settings { covariance: KINDS[kind], floor: 1e-9, regularization: Regularization::WhereSingular, known: None };
            let moments = observe(KINDS[kind], 2, values, &classes);
            let model = Gaussian::estimate(&moments, &[0, 1, 2], settings).unwrap();
            let together = model.score(values, 3).unwrap();
            let apart: Vec<f64> = values.chunks(2).flat_map(|row| model.score(row, 1).unwrap()).collect();
            prop_assert_eq!(together, apart);
        }
    }

    #[test]
    fn classes_near_and_far_from_each_other_keep_their_digits() {
        for apart in [1.0, 900.0, 1e9] {
            let x = [-1.0, 0.0, 1.0, apart - 1.0, apart, apart + 1.0];
            let settings = Settings {
                covariance: Covariance::Shared,
                floor: 0.0,
                regularization: Regularization::WhereSingular,
                known: None,
            };
            let moments = observe(Covariance::Shared, 1, &x, &[0, 0, 0, 1, 1, 1]);
            let model = Gaussian::estimate(&moments, &[0, 1], settings).unwrap();
            let found = model.score(&[apart + 0.5], 1).unwrap()[1];
            assert!((found - -0.5 * (LOG_TWO_PI + 0.25)).abs() < 1e-12, "{apart} {found}");
        }
    }

    #[test]
    fn a_missing_number_is_integrated_out() {
        let values = [1.0, 2.0, 2.0, 1.0, 4.0, 5.0, 0.0, 3.0, 3.0, 3.5, 6.0, 1.0];
        let settings = Settings {
            covariance: Covariance::Full,
            floor: 1e-9,
            regularization: Regularization::WhereSingular,
            known: None,
        };
        let moments = observe(Covariance::Full, 2, &values, &[0; 6]);
        let model = Gaussian::estimate(&moments, &[0], settings).unwrap();
        let (step, x) = (0.001, 2.5);
        let density = |y: f64| libm::exp(model.score(&[x, y], 1).unwrap()[0]);
        let integral: f64 = (-30_000..40_000).map(|i| density(f64::from(i) * step) * step).sum();
        let marginal = model.score(&[x, f64::NAN], 1).unwrap()[0];
        assert!(close(libm::log(integral), marginal));
        assert_eq!(model.score(&[f64::NAN, f64::NAN], 1).unwrap(), [0.0]);
    }

    #[test]
    fn huge_and_tiny_columns_have_densities() {
        for size in [1e300, 1e-290, 1e150] {
            for kind in KINDS {
                let values: Vec<f64> = (0..30).map(|i| f64::from(i * i % 11) * size).collect();
                let classes: Vec<u32> = (0..30).map(|i| i % 3).collect();
                let settings = Settings {
                    covariance: kind,
                    floor: 1e-9,
                    regularization: Regularization::WhereSingular,
                    known: None,
                };
                let moments = observe(kind, 1, &values, &classes);
                let model = Gaussian::estimate(&moments, &[0, 1, 2], settings).unwrap();
                let scores = model.score(&values, 1).unwrap();
                let plain: Vec<f64> = values.iter().map(|x| x / size).collect();
                let moments = observe(kind, 1, &plain, &classes);
                let model = Gaussian::estimate(&moments, &[0, 1, 2], settings).unwrap();
                for (huge, plain) in scores.iter().zip(model.score(&plain, 1).unwrap()) {
                    assert!((huge + size.ln() - plain).abs() < 1e-9, "{huge} {plain}");
                }
            }
        }
    }
}
