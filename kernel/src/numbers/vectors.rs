//! Vectors of one column, such as embeddings: a Gaussian per class, with a covariance that all share.
//!
//! ```text
//! log P(x | c) = −½ [ log |2πΣ| + (x − μ_c)ᵀ Σ⁻¹ (x − μ_c) ]        Σ = (S + m·τ²·I) / (n − K + m)
//! ```
//!
//! Entries are rounded to whole multiples of a step, so sums of them and of their products are whole
//! numbers: exact, in any order, and what was added can be taken back. Products are summed over all rows
//! together, which is what a shared covariance needs: S = Σ xxᵀ − Σ_c s_c s_cᵀ / n_c. The step and τ² are
//! settled before the first row is counted, so that leaving a row out changes S by a matrix of rank one.

use crate::counts::row_classes::check_classes;
use crate::error::{Error, Result, corrupt};
use crate::maths::dot;
use std::f64::consts::PI;

/// The largest multiple of the step; beyond it, entries are clipped.
const MOST: f64 = 32_767.0;

/// Rows whose products are summed at a time. Sums of so many are exact as `f64`.
const BLOCK: usize = 128;

/// Rows that are whitened at a time, so that the factor is read once for all of them.
const TILE: usize = 16;

/// What must be left of one where a row is left out by a change of rank one. Below it digits are lost, and
/// everything is estimated anew.
const SAFE: f64 = 1e-4;

/// How vectors are counted: their length, and the step that entries are multiples of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Grid {
    pub(crate) length: usize,
    pub(crate) step: f64,
}

impl Grid {
    fn multiple(&self, x: f32) -> f64 {
        (f64::from(x) / self.step).round_ties_even().clamp(-MOST, MOST)
    }

    fn check(&self, values: &[f32], rows: usize) -> Result<()> {
        if values.len() == rows * self.length {
            return Ok(());
        }
        let what = format!("there are {} numbers for {rows} vectors", values.len());
        Err(Error::Shape { what })
    }
}

/// A missing vector has no numbers.
fn is_missing(row: &[f32]) -> bool {
    row.first().is_none_or(|x| x.is_nan())
}

/// The vectors of one class: how many, and their sum.
#[derive(Clone, Debug, PartialEq, Eq)]
struct ClassSum {
    count: u64,
    sum: Vec<i64>,
}

/// The vectors of each class, and the products of their entries over all classes: entry i times entry
/// j ≤ i is at `i (i + 1) / 2 + j`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct VectorSums {
    length: usize,
    classes: Vec<ClassSum>,
    products: Vec<i64>,
}

impl VectorSums {
    pub(crate) fn zero(length: usize, classes: usize) -> Self {
        let none = ClassSum { count: 0, sum: vec![0; length] };
        let products = vec![0; length * (length + 1) / 2];
        VectorSums { length, classes: vec![none; classes], products }
    }

    /// Sums up vectors, one after another in `values`, each under its class.
    pub(crate) fn observe(
        grid: Grid,
        values: &[f32],
        classes: &[u32],
        n_classes: usize,
        threads: usize,
    ) -> Result<Self> {
        grid.check(values, classes.len())?;
        check_classes(classes.len(), classes, n_classes)?;
        let rows: Vec<(&[f32], u32)> =
            values.chunks(grid.length.max(1)).zip(classes.iter().copied()).collect();
        let shares = crate::parallel::shares(&rows, |_| 1, threads);
        let parts = crate::parallel::each(shares, |share| -> Result<Self> {
            let mut sums = Self::zero(grid.length, n_classes);
            let mut columns = vec![[0.0; BLOCK]; grid.length];
            let there: Vec<_> = share.iter().filter(|(row, _)| !is_missing(row)).collect();
            for block in there.chunks(BLOCK) {
                sums.add_block(grid, block, &mut columns)?;
            }
            Ok(sums)
        });
        let mut sums = Self::zero(grid.length, n_classes);
        for part in parts {
            sums = sums.plus(&part?)?;
        }
        Ok(sums)
    }

    fn add_block(
        &mut self,
        grid: Grid,
        rows: &[&(&[f32], u32)],
        columns: &mut [[f64; BLOCK]],
    ) -> Result<()> {
        for (place, (row, class)) in rows.iter().enumerate() {
            let of_class = &mut self.classes[*class as usize];
            of_class.count += 1;
            for ((column, sum), &x) in columns.iter_mut().zip(&mut of_class.sum).zip(*row) {
                column[place] = grid.multiple(x);
                *sum += column[place] as i64;
            }
        }
        let mut products = self.products.iter_mut();
        for (i, column) in columns.iter().enumerate() {
            for other in &columns[..=i] {
                let product = dot(&column[..rows.len()], &other[..rows.len()]) as i64;
                let Some(sum) = products.next() else { return Ok(()) };
                *sum = sum.checked_add(product).ok_or(Error::Overflow)?;
            }
        }
        Ok(())
    }

    /// What both have seen together, of the same classes.
    pub(crate) fn plus(&self, other: &Self) -> Result<Self> {
        self.combined(other, u64::checked_add, i64::checked_add)?.ok_or(Error::Overflow)
    }

    /// What is left without what `other` has seen. Refused if there are fewer vectors here.
    pub(crate) fn minus(&self, other: &Self) -> Result<Self> {
        self.combined(other, u64::checked_sub, i64::checked_sub)?.ok_or_else(never_learned)
    }

    fn combined(
        &self,
        other: &Self,
        count: impl Fn(u64, u64) -> Option<u64>,
        sum: impl Fn(i64, i64) -> Option<i64>,
    ) -> Result<Option<Self>> {
        if self.length != other.length || self.classes.len() != other.classes.len() {
            return Err(Error::Shape { what: "the two sum up different vectors".to_string() });
        }
        let sums = |ours: &[i64], theirs: &[i64]| -> Option<Vec<i64>> {
            ours.iter().zip(theirs).map(|(&a, &b)| sum(a, b)).collect()
        };
        let of_class = |(ours, theirs): (&ClassSum, &ClassSum)| {
            let count = count(ours.count, theirs.count)?;
            Some(ClassSum { count, sum: sums(&ours.sum, &theirs.sum)? })
        };
        let both = self.classes.iter().zip(&other.classes);
        let found = || {
            Some(VectorSums {
                length: self.length,
                classes: both.map(of_class).collect::<Option<_>>()?,
                products: sums(&self.products, &other.products)?,
            })
        };
        Ok(found())
    }

    /// The same sums of other classes: class `c` is `class_map[c]` of `classes`. One that is mapped beyond
    /// them has no vectors.
    pub(crate) fn reclassed(&self, class_map: &[u32], classes: usize) -> Self {
        let mut other = Self::zero(self.length, classes);
        other.products.copy_from_slice(&self.products);
        for (sum, &class) in self.classes.iter().zip(class_map) {
            match other.classes.get_mut(class as usize) {
                Some(place) if sum.count > 0 => *place = sum.clone(),
                _ => (),
            }
        }
        other
    }

    /// Refuses sums that cannot come from so many rows of each class.
    pub(crate) fn check_rows(&self, rows: &[u64]) -> Result<()> {
        let counts = self.classes.iter().enumerate().all(|(class, sum)| {
            let most = i128::from(sum.count) * MOST as i128;
            sum.count <= rows.get(class).copied().unwrap_or(0)
                && sum.sum.iter().all(|&sum| i128::from(sum).abs() <= most)
        });
        if counts && self.can_be_products() { Ok(()) } else { Err(never_learned()) }
    }

    /// Whether squares are at least those of the means, and other products no larger than squares.
    fn can_be_products(&self) -> bool {
        let total: i128 = self.classes.iter().map(|sum| i128::from(sum.count)).sum();
        let most = total * (MOST * MOST) as i128;
        let square = |i: usize| i128::from(self.products[i * (i + 1) / 2 + i]);
        let least = |i: usize| -> i128 {
            let seen = self.classes.iter().filter(|sum| sum.count > 0);
            seen.map(|sum| i128::from(sum.sum[i]).pow(2) / i128::from(sum.count)).sum()
        };
        (0..self.length).all(|i| {
            let products = &self.products[i * (i + 1) / 2..][..i];
            (least(i)..=most).contains(&square(i))
                && products
                    .iter()
                    .enumerate()
                    .all(|(j, &product)| 2 * i128::from(product).abs() <= square(i) + square(j))
        })
    }

    pub(crate) fn length(&self) -> usize {
        self.length
    }

    pub(crate) fn classes(&self) -> usize {
        self.classes.len()
    }

    pub(crate) fn counts(&self) -> Vec<u64> {
        self.classes.iter().map(|sum| sum.count).collect()
    }

    /// The sums of the classes, one after another.
    pub(crate) fn sums(&self) -> Vec<i64> {
        self.classes.iter().flat_map(|sum| sum.sum.iter().copied()).collect()
    }

    pub(crate) fn products(&self) -> &[i64] {
        &self.products
    }

    /// The sums of these arrays; those that no vectors could give are refused.
    pub(crate) fn restored(
        length: usize,
        counts: Vec<u64>,
        sums: &[i64],
        products: Vec<i64>,
        rows: &[u64],
    ) -> Result<Self> {
        let fits = counts.len() == rows.len()
            && sums.len() == counts.len() * length
            && products.len() == length * (length + 1) / 2;
        if !fits {
            return corrupt("its sums of vectors do not fit together");
        }
        let of_class = |(sum, count): (&[i64], u64)| ClassSum { count, sum: sum.to_vec() };
        let classes = sums.chunks(length.max(1)).zip(counts).map(of_class).collect();
        let found = VectorSums { length, classes, products };
        match found.check_rows(rows) {
            Ok(()) => Ok(found),
            Err(_) => corrupt("its sums of vectors are those of no vectors"),
        }
    }

    /// The vectors that were seen, in all classes.
    fn total(&self) -> ClassSum {
        let mut total = ClassSum { count: 0, sum: vec![0; self.length] };
        for class in &self.classes {
            total.count += class.count;
            total.sum.iter_mut().zip(&class.sum).for_each(|(sum, more)| *sum += more);
        }
        total
    }

    /// Without one vector of a class.
    fn without(&self, row: &[f64], class: usize) -> Self {
        let mut left = self.clone();
        left.classes[class].count -= 1;
        let multiples: Vec<i64> = row.iter().map(|&x| x as i64).collect();
        left.classes[class].sum.iter_mut().zip(&multiples).for_each(|(sum, x)| *sum -= x);
        let pairs = (0..self.length).flat_map(|i| (0..=i).map(move |j| (i, j)));
        for (product, (i, j)) in left.products.iter_mut().zip(pairs) {
            *product -= multiples[i] * multiples[j];
        }
        left
    }
}

fn never_learned() -> Error {
    Error::NotLearned { what: "some of these vectors were never learned".to_string() }
}

/// What the covariance is drawn to: `m` virtual rows of independent entries, each of this variance.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Prior {
    pub(crate) m: f64,
    pub(crate) variance: f64,
}

/// Means and the shared covariance, ready to score.
pub(crate) struct VectorGaussian {
    grid: Grid,
    /// L with LLᵀ = S + m·τ²·I, a triangle, in steps.
    factor: Vec<f64>,
    /// log |S + m·τ²·I|
    log_det: f64,
    /// n − K + m
    weight: f64,
    /// L⁻¹ μ of each class.
    means: Vec<f64>,
    /// Vectors of each class.
    counts: Vec<u64>,
}

impl VectorGaussian {
    /// `slots` are where the classes stand in the sums. A class without vectors has the mean of all.
    pub(crate) fn estimate(
        sums: &VectorSums,
        slots: &[u32],
        grid: Grid,
        prior: Prior,
    ) -> Result<Self> {
        if sums.length != grid.length {
            return Err(Error::Shape { what: "these are sums of other vectors".to_string() });
        }
        let length = grid.length;
        let seen: Vec<&ClassSum> = sums.classes.iter().filter(|sum| sum.count > 0).collect();
        let total = sums.total();
        let of_class: Vec<&ClassSum> = slots
            .iter()
            .map(|&slot| sums.classes.get(slot as usize).filter(|s| s.count > 0).unwrap_or(&total))
            .collect();
        let mut factor = scatter(sums, &seen);
        let added = prior.m * (prior.variance / grid.step) / grid.step;
        for i in 0..length {
            factor[start(i) + i] += added;
        }
        let log_det = factorize(&mut factor, length).ok_or(Error::Singular { class: None })?;
        let mut found = VectorGaussian {
            grid,
            factor,
            log_det,
            weight: total.count as f64 - seen.len() as f64 + prior.m,
            means: of_class.iter().flat_map(|sum| mean(sum)).collect(),
            counts: slots
                .iter()
                .map(|&slot| sums.classes.get(slot as usize).map_or(0, |sum| sum.count))
                .collect(),
        };
        let mut means = std::mem::take(&mut found.means);
        found.whiten(&mut means);
        found.means = means;
        Ok(found)
    }

    /// How many vectors each class has.
    pub(crate) fn counts(&self) -> &[u64] {
        &self.counts
    }

    /// The mean of each class, one after another.
    pub(crate) fn means(&self) -> Vec<f64> {
        let rows = self.means.chunks(self.grid.length.max(1));
        let unwhitened = |z: &[f64]| -> Vec<f64> {
            (0..z.len()).map(|i| self.grid.step * dot(self.row(i), &z[..=i])).collect()
        };
        rows.flat_map(unwhitened).collect()
    }

    /// log P(x | c) of each vector; zeros where it is missing.
    pub(crate) fn score(&self, values: &[f32], threads: usize) -> Result<Vec<f64>> {
        let length = self.grid.length.max(1);
        self.grid.check(values, values.len() / length)?;
        let rows: Vec<&[f32]> = values.chunks(length).collect();
        self.each(&rows, threads, |_, row, z, scores| {
            if !is_missing(row) {
                self.score_whitened(z, scores);
            }
            Ok(())
        })
    }

    fn score_whitened(&self, z: &[f64], scores: &mut [f64]) {
        let constant = self.constant(self.log_det, self.weight);
        for (score, mean) in scores.iter_mut().zip(self.means.chunks(z.len().max(1))) {
            *score = constant - 0.5 * self.weight * squared_distance(z, mean);
        }
    }

    /// −½ log |2πΣ|, of vectors in their own units.
    fn constant(&self, log_det: f64, weight: f64) -> f64 {
        let units = libm::log(2.0 * PI) + 2.0 * libm::log(self.grid.step) - libm::log(weight);
        -0.5 * (self.grid.length as f64 * units + log_det)
    }

    /// Calls `work` with each row, whitened, and with room for its scores.
    fn each(
        &self,
        rows: &[&[f32]],
        threads: usize,
        work: impl Fn(usize, &[f32], &[f64], &mut [f64]) -> Result<()> + Sync,
    ) -> Result<Vec<f64>> {
        let (length, classes) = (self.grid.length, self.counts.len());
        let places: Vec<(usize, &[f32])> = rows.iter().copied().enumerate().collect();
        let shares = crate::parallel::shares(&places, |_| 1, threads);
        let parts = crate::parallel::each(shares, |share| -> Result<Vec<f64>> {
            let mut scores = vec![0.0; share.len() * classes];
            let mut whitened = vec![0.0; TILE * length];
            let mut room = scores.chunks_mut(classes.max(1));
            for tile in share.chunks(TILE) {
                let whitened = &mut whitened[..tile.len() * length];
                for (z, (_, row)) in whitened.chunks_mut(length).zip(tile) {
                    z.iter_mut().zip(*row).for_each(|(z, &x)| *z = self.grid.multiple(x));
                }
                self.whiten(whitened);
                for ((place, row), z) in tile.iter().zip(whitened.chunks(length)) {
                    let Some(scores) = room.next() else { break };
                    work(*place, row, z, scores)?;
                }
            }
            Ok(scores)
        });
        Ok(parts.into_iter().collect::<Result<Vec<_>>>()?.concat())
    }

    fn row(&self, i: usize) -> &[f64] {
        &self.factor[start(i)..=start(i) + i]
    }

    /// L⁻¹ x of each vector x, one after another.
    fn whiten(&self, vectors: &mut [f64]) {
        let length = self.grid.length;
        for i in 0..length {
            let row = self.row(i);
            for x in vectors.chunks_mut(length) {
                x[i] = (x[i] - dot(&row[..i], &x[..i])) / row[i];
            }
        }
    }
}

/// Scores of vectors that were summed up, each under the sums without it.
///
/// Without a vector x of class c, S is S − n_c / (n_c − 1) · ddᵀ with d = x − μ_c, whose inverse and
/// determinant are closed forms (Sherman and Morrison). Where digits would be lost, everything is
/// estimated anew.
pub(crate) fn leave_one_out(
    sums: &VectorSums,
    slots: &[u32],
    (grid, prior): (Grid, Prior),
    values: &[f32],
    positions: &[u32],
    threads: usize,
) -> Result<Vec<f64>> {
    grid.check(values, positions.len())?;
    check_classes(positions.len(), positions, slots.len())?;
    let model = VectorGaussian::estimate(sums, slots, grid, prior)?;
    let rows: Vec<&[f32]> = values.chunks(grid.length.max(1)).collect();
    let anew = |row: &[f32], class: usize, scores: &mut [f64]| -> Result<()> {
        let multiples: Vec<f64> = row.iter().map(|&x| grid.multiple(x)).collect();
        let left = sums.without(&multiples, slots[class] as usize);
        let model = VectorGaussian::estimate(&left, slots, grid, prior)?;
        scores.copy_from_slice(&model.score(row, 1)?);
        Ok(())
    };
    model.each(&rows, threads, |place, row, z, scores| {
        let class = positions[place] as usize;
        if is_missing(row) {
            return Ok(());
        }
        match model.counts[class] {
            0 => Err(never_learned()),
            // Nothing is left of the class, and others may have the mean of all.
            1 => anew(row, class, scores),
            _ if model.without(z, class, scores) => Ok(()),
            _ => anew(row, class, scores),
        }
    })
}

impl VectorGaussian {
    /// The scores of a whitened vector without it; false if digits would be lost.
    fn without(&self, z: &[f64], class: usize, scores: &mut [f64]) -> bool {
        // The mean of all would change too.
        if self.counts.contains(&0) {
            return false;
        }
        let length = self.grid.length;
        let n = self.counts[class] as f64;
        let farther = n / (n - 1.0);
        let d: Vec<f64> =
            z.iter().zip(&self.means[class * length..]).map(|(z, mean)| z - mean).collect();
        let left = 1.0 - farther * dot(&d, &d);
        if left.is_nan() || left < SAFE {
            return false;
        }
        let weight = self.weight - 1.0;
        let constant = self.constant(self.log_det + libm::log(left), weight);
        let mut e = vec![0.0; length];
        for (other, (score, mean)) in scores.iter_mut().zip(self.means.chunks(length)).enumerate() {
            let grown = if other == class { farther } else { 1.0 };
            e.iter_mut().zip(z).zip(mean).for_each(|((e, z), mean)| *e = grown * (z - mean));
            let along = dot(&e, &d);
            let distance = dot(&e, &e) + farther * along * along / left;
            *score = constant - 0.5 * weight * distance;
        }
        true
    }
}

/// Where row i of a triangle starts.
fn start(i: usize) -> usize {
    i * (i + 1) / 2
}

fn mean(sum: &ClassSum) -> Vec<f64> {
    let count = sum.count.max(1) as f64;
    sum.sum.iter().map(|&sum| sum as f64 / count).collect()
}

/// S = Σ xxᵀ − Σ_c s_c s_cᵀ / n_c, a triangle.
fn scatter(sums: &VectorSums, seen: &[&ClassSum]) -> Vec<f64> {
    let mut scatter: Vec<f64> = sums.products.iter().map(|&product| product as f64).collect();
    for class in seen {
        let sum: Vec<f64> = class.sum.iter().map(|&sum| sum as f64).collect();
        for (i, mean) in mean(class).into_iter().enumerate() {
            let row = &mut scatter[start(i)..=start(i) + i];
            row.iter_mut().zip(&sum).for_each(|(value, sum)| *value -= mean * sum);
        }
    }
    scatter
}

/// Makes a triangle of A that of L, LLᵀ = A, and returns log |A|; none if A is singular.
fn factorize(triangle: &mut [f64], length: usize) -> Option<f64> {
    let mut log_det = 0.0;
    for i in 0..length {
        let (before, rest) = triangle.split_at_mut(start(i));
        let row = &mut rest[..=i];
        let largest = row[i];
        for j in 0..i {
            let other = &before[start(j)..=start(j) + j];
            row[j] = (row[j] - dot(&row[..j], &other[..j])) / other[j];
        }
        let pivot = largest - dot(&row[..i], &row[..i]);
        // Rounding leaves less than this of what is nothing.
        let least = 1e-13 * largest;
        if !(pivot > least && pivot.is_finite()) {
            return None;
        }
        log_det += libm::log(pivot);
        row[i] = pivot.sqrt();
    }
    Some(log_det)
}

fn squared_distance(a: &[f64], b: &[f64]) -> f64 {
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<4>(), b.as_chunks::<4>());
    let mut sums = [0.0; 4];
    for (a, b) in a.iter().zip(b) {
        for lane in 0..4 {
            sums[lane] += (a[lane] - b[lane]) * (a[lane] - b[lane]);
        }
    }
    let rest: f64 = a_rest.iter().zip(b_rest).map(|(a, b)| (a - b) * (a - b)).sum();
    (sums[0] + sums[1]) + (sums[2] + sums[3]) + rest
}

/// The vector that a cell spells: numbers with commas or spaces between them, in brackets or not. The
/// place of what is no number is an error.
pub(crate) fn parsed(cell: &str) -> std::result::Result<Vec<f64>, usize> {
    let cell = cell.trim();
    let inner = cell.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(cell);
    let between = |c: char| c == ',' || c.is_ascii_whitespace();
    let entries = inner.split(between).filter(|entry| !entry.is_empty());
    entries.enumerate().map(|(place, entry)| entry.parse().map_err(|_| place)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::collection::vec;
    use proptest::prelude::*;

    const CLASSES: [u32; 3] = [0, 1, 2];

    fn grid(length: usize) -> Grid {
        Grid { length, step: 0.125 }
    }

    fn observe(length: usize, values: &[f32], classes: &[u32], threads: usize) -> VectorSums {
        VectorSums::observe(grid(length), values, classes, 3, threads).unwrap()
    }

    fn entry(outlier: f32) -> impl Strategy<Value = f32> {
        prop_oneof![8 => -3.0..3.0f32, 1 => Just(outlier), 1 => Just(0.0f32)]
    }

    fn close(a: f64, b: f64) -> bool {
        (a - b).abs() <= 1e-8 * (1.0 + a.abs().max(b.abs()))
    }

    /// Rows of this length, of which every seventh is missing, and their classes.
    fn table(entries: &[f32], length: usize) -> (Vec<f32>, Vec<u32>) {
        let rows = entries.len() / length;
        let mut values = entries[..rows * length].to_vec();
        values.chunks_mut(length).skip(3).step_by(7).for_each(|row| row.fill(f32::NAN));
        (values, (0..rows as u32).map(|row| row * row % 7 % 3).collect())
    }

    proptest! {
        #[test]
        fn sums_are_exact_and_can_be_taken_back(
            entries in vec(entry(1e9), 6..900), length in 2usize..5, threads in 1usize..4,
        ) {
            let (values, classes) = table(&entries, length);
            let all = observe(length, &values, &classes, threads);
            let mut slow = VectorSums::zero(length, 3);
            for (row, &class) in values.chunks(length).zip(&classes).filter(|(row, _)| !is_missing(row)) {
                let x: Vec<i64> = row.iter().map(|&x| ((f64::from(x) * 8.0).round_ties_even() as i64).clamp(-32_767, 32_767)).collect();
                let of_class = &mut slow.classes[class as usize];
                of_class.count += 1;
                for i in 0..length {
                    of_class.sum[i] += x[i];
                    for j in 0..=i {
                        slow.products[start(i) + j] += x[i] * x[j];
                    }
                }
            }
            prop_assert_eq!(&all, &slow);
            let half = classes.len() / 2;
            let first = observe(length, &values[..half * length], &classes[..half], 1);
            let second = observe(length, &values[half * length..], &classes[half..], 1);
            prop_assert_eq!(&first.plus(&second).unwrap(), &all);
            prop_assert_eq!(&all.minus(&second).unwrap(), &first);
            let rows = all.counts();
            prop_assert!(all.check_rows(&rows).is_ok());
            let back = VectorSums::restored(length, all.counts(), &all.sums(), all.products().to_vec(), &rows).unwrap();
            prop_assert_eq!(back, all);
        }

        #[test]
        fn leaving_out_is_training_without(
            entries in vec(entry(40.0), 6..160), length in 2usize..5,
            m in prop_oneof![Just(0.05), 0.5..40.0f64], threads in 1usize..3,
        ) {
            let (values, classes) = table(&entries, length);
            let settings = (grid(length), Prior { m, variance: 2.0 });
            let sums = observe(length, &values, &classes, 1);
            let fast = leave_one_out(&sums, &CLASSES, settings, &values, &classes, threads).unwrap();
            for (place, row) in values.chunks(length).enumerate() {
                let left = sums.minus(&observe(length, row, &classes[place..=place], 1)).unwrap();
                let model = VectorGaussian::estimate(&left, &CLASSES, settings.0, settings.1).unwrap();
                for (class, slow) in model.score(row, 1).unwrap().into_iter().enumerate() {
                    let fast = fast[place * 3 + class];
                    prop_assert!(close(fast, slow), "{} {}", fast, slow);
                }
            }
        }

        #[test]
        fn neither_threads_nor_tiles_show(entries in vec(entry(1e9), 200..400)) {
            let (values, classes) = table(&entries, 3);
            let sums = observe(3, &values, &classes, 1);
            let model = VectorGaussian::estimate(&sums, &CLASSES, grid(3), Prior { m: 2.0, variance: 1.0 }).unwrap();
            let together = model.score(&values, 3).unwrap();
            let apart: Vec<f64> = values.chunks(3).flat_map(|row| model.score(row, 1).unwrap()).collect();
            prop_assert_eq!(together, apart);
        }
    }

    #[test]
    fn the_density_is_that_of_a_gaussian_by_hand() {
        // Class 0 has (0, 0) and (2, 2), class 1 has (1, 3): S = [[2, 2], [2, 2]], n − K = 1.
        let values = [0.0, 0.0, 2.0, 2.0, 1.0, 3.0];
        let sums = observe(2, &values, &[0, 0, 1], 1);
        let prior = Prior { m: 1.0, variance: 2.0 };
        let model = VectorGaussian::estimate(&sums, &[0, 1], grid(2), prior).unwrap();
        assert!(model.means().iter().zip([1.0, 1.0, 1.0, 3.0]).all(|(&a, b)| close(a, b)));
        // Σ = [[4, 2], [2, 4]] / 2, of determinant 3 and inverse [[2, −1], [−1, 2]] / 3.
        let expected = |squared: f64| -libm::log(2.0 * PI) - 0.5 * (libm::log(3.0) + squared / 3.0);
        let found = model.score(&[2.0, 1.0], 1).unwrap();
        assert!(close(found[0], expected(2.0)), "{found:?}");
        assert!(close(found[1], expected(2.0 + 4.0 + 8.0)), "{found:?}");
        assert_eq!(model.score(&[f32::NAN; 2], 1).unwrap(), [0.0, 0.0]);
    }

    #[test]
    fn the_largest_multiples_do_not_overflow_a_block() {
        let values = vec![f32::MAX; 2 * 300];
        let sums = observe(2, &values, &[1; 300], 1);
        assert_eq!(sums.products(), [300 * 32_767 * 32_767; 3]);
        assert_eq!(sums.sums()[2..4], [300 * 32_767; 2]);
    }

    #[test]
    fn sums_of_no_vectors_are_refused() {
        let all = observe(2, &[1.0, 2.0, 3.0, 1.0], &[0, 0], 1);
        assert!(all.minus(&observe(2, &[1.0; 6], &[0; 3], 1)).is_err());
        let odd = all.minus(&observe(2, &[3.0, 3.0], &[0], 1)).unwrap();
        assert!(odd.check_rows(&[1, 0, 0]).is_err());
        assert!(all.check_rows(&[1, 1, 0]).is_err());
        assert!(VectorSums::restored(2, vec![2], &[1, 2], vec![0; 3], &[2]).is_err());
        assert!(VectorSums::restored(2, vec![2], &[1], vec![0; 3], &[2]).is_err());
        assert!(all.plus(&observe(3, &[1.0; 3], &[0], 1)).is_err());
        assert!(VectorSums::observe(grid(2), &[1.0; 3], &[0], 1, 1).is_err());
    }

    #[test]
    fn cells_spell_vectors() {
        assert_eq!(parsed("[0.5, -2e1,3]"), Ok(vec![0.5, -20.0, 3.0]));
        assert_eq!(parsed(" 0.5 -2\n 3 "), Ok(vec![0.5, -2.0, 3.0]));
        assert_eq!(parsed("[1, two, 3]"), Err(1));
        assert_eq!(parsed("[]"), Ok(vec![]));
    }
}
