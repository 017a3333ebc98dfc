//! How far to trust each kind of evidence.
//!
//! A row has, for each kind g of evidence and each class c, a score s_g(c). Its probability is
//!
//! ```text
//! P(c | x) ∝ exp( log prior_c + b_c + Σ_g λ_g · s_g(c) )        λ_g ≥ 0
//! ```
//!
//! and λ and b maximise the probability of the labels, less a penalty for leaving where they start
//! (some λ, no b), as strong as a few rows would be. This is convex: Newton's steps, kept to λ ≥ 0,
//! find the one best answer. Sums over rows are sums of whole numbers, so that the order of the rows
//! never shows, and the exponential is computed in software, so that the processor does not either.

use crate::error::{Error, Result};
use crate::naive_bayes::logs::log;
use crate::tuning::exponential::exp;

/// The scores of some rows, and what is known before.
pub(crate) struct Weighed<'a> {
    /// For each kind of evidence, a row of scores per row, a score per class.
    pub(crate) scores: Vec<&'a [f64]>,
    /// The position of each row's class.
    pub(crate) truth: &'a [u32],
    pub(crate) log_prior: &'a [f64],
    /// Where each λ starts, and stays if there is little to learn from.
    pub(crate) start: Vec<f64>,
    /// Whether classes have a bias.
    pub(crate) has_bias: bool,
    /// The λ and biases that the search begins with, as fewer rows gave them.
    pub(crate) begin: Option<Begin>,
}

/// λ for each kind, and a bias for each class.
pub(crate) type Begin = (Vec<f64>, Vec<f64>);

/// What was found.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Weighing {
    pub(crate) lambda: Vec<f64>,
    pub(crate) bias: Vec<f64>,
    /// The log-probability of the labels, per row.
    pub(crate) log_likelihood: f64,
}

/// What it costs a λ to fall from where it starts to zero, in log-probability. A dozen rows cannot pay
/// it, a few hundred can.
const FALL: f64 = 10.0;

/// What it costs a λ that starts at zero, if the classes then differ by one more unit of log-odds.
const RISE: f64 = 2.0;

/// The penalty on a bias: its square, so many times over two.
pub(crate) const BIAS: f64 = 2.0;

pub(crate) const MOST_STEPS: usize = 60;

/// A step that promises less, in log-probability of all labels together, is not taken.
const NOTHING: f64 = 1e-8;

/// Real numbers are summed as multiples of 2⁻⁴⁰.
const UNIT: f64 = (1u64 << 40) as f64;

/// Classes less probable than this are left out of the curvature, which only has to lead the way.
const UNLIKELY: f64 = 1.0 / (1u64 << 20) as f64;

/// Classes so far below the most probable one, in log-probability, are lost in rounding.
pub(crate) const LOST: f64 = -40.0;

#[inline(always)]
pub(crate) fn fixed(x: f64) -> i128 {
    const MOST: f64 = (1u64 << 62) as f64;
    let units = x * UNIT;
    // Nearly all fit a register, to which the processor converts by itself.
    if units.abs() < MOST { i128::from(units as i64) } else { units as i128 }
}

pub(crate) fn real(sum: i128) -> f64 {
    sum as f64 / UNIT
}

/// A weight is a multiple of 2⁻²⁰.
pub(crate) fn rounded(x: f64) -> f64 {
    const GRID: f64 = (1 << 20) as f64;
    libm::round(x * GRID) / GRID
}

/// How strongly a λ is held where it starts; `scale` is the mean square of its scores.
pub(crate) fn hold(start: f64, scale: f64) -> f64 {
    if start > 0.0 { 2.0 * FALL / (start * start) } else { 2.0 * RISE * scale }
}

pub(crate) fn weigh(given: &Weighed<'_>, threads: usize) -> Result<Weighing> {
    let (kinds, classes, rows) = (given.scores.len(), given.log_prior.len(), given.truth.len());
    let fits = |scores: &&[f64]| scores.len() == rows * classes;
    if !given.scores.iter().all(fits) || given.start.len() != kinds {
        return Err(Error::Shape { what: "scores, rows and classes do not match".to_string() });
    }
    if given.truth.iter().any(|&class| class as usize >= classes) {
        return Err(Error::Shape { what: "a label is no class".to_string() });
    }
    let problem = Problem { given, scale: scales(given), threads };
    let (lambda, bias) = begin(given.begin.as_ref(), kinds, classes)?;
    let mut at = lambda;
    at.extend(&bias[..problem.biases()]);
    let mut here = problem.look(&at);
    for _ in 0..MOST_STEPS {
        let curvature = problem.curvature(&at, &here);
        let newton = problem.step(&at, &here, &curvature);
        if problem.gain(&at, &here, &newton) < NOTHING {
            break;
        }
        let advanced = problem
            .advance(&at, &here, &newton)
            .or_else(|| problem.advance(&at, &here, &problem.slopes(&at, &here, &curvature)));
        let Some((next, there)) = advanced else { break };
        (at, here) = (next, there);
    }
    let mut bias: Vec<f64> = at.split_off(kinds).into_iter().map(rounded).collect();
    bias.resize(classes, 0.0);
    let lambda: Vec<f64> = at.into_iter().map(rounded).collect();
    let log_likelihood = real(here.log_likelihood) / rows.max(1) as f64;
    Ok(Weighing { lambda, bias, log_likelihood })
}

/// Where a search begins unless it is told: without any evidence every class keeps its prior, and from
/// there the way is never steep.
pub(crate) fn begin(given: Option<&Begin>, kinds: usize, classes: usize) -> Result<Begin> {
    match given {
        None => Ok((vec![0.0; kinds], vec![0.0; classes])),
        Some((lambda, bias)) if lambda.len() == kinds && bias.len() == classes => {
            Ok((lambda.clone(), bias.clone()))
        }
        Some(_) => Err(Error::Shape { what: "a beginning of other kinds or classes".to_string() }),
    }
}

struct Problem<'a> {
    given: &'a Weighed<'a>,
    /// How much the scores of each kind differ between classes: the mean square.
    scale: Vec<f64>,
    threads: usize,
}

/// The objective and its slope somewhere, before the penalty.
struct Look {
    log_likelihood: i128,
    gradient: Vec<i128>,
    /// The probability of each class, row by row.
    p: Vec<f64>,
}

/// The negative second derivatives of the objective, before the penalty, by the parameters that may
/// move: a λ that is zero and would fall stays.
struct Curvature {
    free: Vec<usize>,
    /// Row by row, what is on and above the diagonal.
    sums: Vec<i128>,
}

impl Curvature {
    fn of(&self, a: usize, b: usize) -> f64 {
        real(self.sums[a.min(b) * self.free.len() + a.max(b)])
    }
}

/// Σ a · b, in an order that processors take four at a time.
pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<4>(), b.as_chunks::<4>());
    let mut sums = [0.0; 4];
    for (a, b) in a.iter().zip(b) {
        for lane in 0..4 {
            sums[lane] += a[lane] * b[lane];
        }
    }
    let rest: f64 = a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum();
    (sums[0] + sums[1]) + (sums[2] + sums[3]) + rest
}

fn scales(given: &Weighed<'_>) -> Vec<f64> {
    let (classes, rows) = (given.log_prior.len(), given.truth.len());
    let of_kind = |scores: &&[f64]| {
        let mut sum = 0;
        for row in scores.chunks_exact(classes.max(1)) {
            let mean = row.iter().sum::<f64>() / classes as f64;
            sum += fixed(row.iter().map(|score| (score - mean) * (score - mean)).sum::<f64>());
        }
        (real(sum) / (rows * classes).max(1) as f64).max(1e-12)
    };
    given.scores.iter().map(of_kind).collect()
}

impl Problem<'_> {
    fn kinds(&self) -> usize {
        self.given.scores.len()
    }

    fn biases(&self) -> usize {
        if self.given.has_bias { self.given.log_prior.len() } else { 0 }
    }

    fn size(&self) -> usize {
        self.kinds() + self.biases()
    }

    /// How strongly a parameter is held where it starts.
    fn hold(&self, place: usize) -> f64 {
        self.scale.get(place).map_or(BIAS, |&scale| hold(self.start(place), scale))
    }

    fn start(&self, place: usize) -> f64 {
        self.given.start.get(place).copied().unwrap_or(0.0)
    }

    /// The objective less the penalty.
    fn objective(&self, at: &[f64], look: &Look) -> f64 {
        let penalty = |(place, &value): (usize, &f64)| {
            let away = value - self.start(place);
            self.hold(place) * away * away / 2.0
        };
        real(look.log_likelihood) - at.iter().enumerate().map(penalty).sum::<f64>()
    }

    /// The slope of the objective less the penalty.
    fn slope(&self, at: &[f64], look: &Look, place: usize) -> f64 {
        real(look.gradient[place]) - self.hold(place) * (at[place] - self.start(place))
    }

    /// Cuts the rows into a share for each thread.
    fn each<R: Send>(&self, work: impl Fn(&[usize]) -> R + Sync) -> Vec<R> {
        let all: Vec<usize> = (0..self.given.truth.len()).collect();
        crate::parallel::each(crate::parallel::shares(&all, |_| 1, self.threads), work)
    }

    fn look(&self, at: &[f64]) -> Look {
        let zero = Look { log_likelihood: 0, gradient: vec![0; self.size()], p: Vec::new() };
        self.each(|share| self.look_at(at, share)).into_iter().fold(zero, |mut sum, part| {
            sum.log_likelihood += part.log_likelihood;
            sum.gradient.iter_mut().zip(part.gradient).for_each(|(a, b)| *a += b);
            sum.p.extend(part.p);
            sum
        })
    }

    fn look_at(&self, at: &[f64], share: &[usize]) -> Look {
        let (kinds, classes) = (self.kinds(), self.given.log_prior.len());
        let (lambda, bias) = at.split_at(kinds);
        let mut before = self.given.log_prior.to_vec();
        before.iter_mut().zip(bias).for_each(|(before, bias)| *before += bias);
        let mut look = Look {
            log_likelihood: 0,
            gradient: vec![0; self.size()],
            p: vec![0.0; share.len() * classes],
        };
        for (&row, p) in share.iter().zip(look.p.chunks_exact_mut(classes.max(1))) {
            let truth = self.given.truth[row] as usize;
            let range = row * classes..(row + 1) * classes;
            p.copy_from_slice(&before);
            for (scores, &lambda) in self.given.scores.iter().zip(lambda) {
                if lambda != 0.0 {
                    let scores = &scores[range.clone()];
                    p.iter_mut().zip(scores).for_each(|(p, score)| *p += lambda * score);
                }
            }
            let most = p.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let at_truth = p[truth] - most;
            for p in &mut *p {
                let below = *p - most;
                *p = if below > LOST { exp(below) } else { 0.0 };
            }
            let sum: f64 = p.iter().sum();
            p.iter_mut().for_each(|p| *p /= sum);
            look.log_likelihood += fixed(at_truth - log(sum));
            for (gradient, scores) in look.gradient.iter_mut().zip(&self.given.scores) {
                let scores = &scores[range.clone()];
                *gradient += fixed(scores[truth] - dot(p, scores));
            }
            for (class, gradient) in look.gradient[kinds..].iter_mut().enumerate() {
                *gradient += fixed(f64::from(u8::from(class == truth)) - p[class]);
            }
        }
        look
    }

    fn curvature(&self, at: &[f64], look: &Look) -> Curvature {
        let moves = |&place: &usize| {
            place >= self.kinds() || at[place] > 0.0 || self.slope(at, look, place) > 0.0
        };
        let free: Vec<usize> = (0..self.size()).filter(moves).collect();
        let zero = vec![0; free.len() * free.len()];
        let parts = self.each(|share| self.curvature_at(&free, look, share));
        let sums = parts.into_iter().fold(zero, |mut sums, part| {
            sums.iter_mut().zip(part).for_each(|(a, b)| *a += b);
            sums
        });
        Curvature { free, sums }
    }

    fn curvature_at(&self, free: &[usize], look: &Look, share: &[usize]) -> Vec<i128> {
        let (classes, size) = (self.given.log_prior.len(), free.len());
        let scores = free.iter().filter_map(|&place| self.given.scores.get(place));
        let scores: Vec<&[f64]> = scores.copied().collect();
        let kinds = scores.len();
        let mut sums = vec![0; size * size];
        let mut likely: Vec<(usize, f64)> = Vec::new();
        // Of each likely class: the scores of every kind, less their mean under p.
        let mut apart = Vec::new();
        let mut of_row = vec![0.0; kinds * kinds];
        for &row in share {
            let range = row * classes..(row + 1) * classes;
            let p = &look.p[range.clone()];
            likely.clear();
            likely.extend(p.iter().copied().enumerate().filter(|&(_, p)| p > UNLIKELY));
            apart.clear();
            apart.resize(likely.len() * kinds, 0.0);
            for (kind, scores) in scores.iter().enumerate() {
                let scores = &scores[range.clone()];
                let mean: f64 = likely.iter().map(|&(class, p)| p * scores[class]).sum();
                for (place, &(class, _)) in likely.iter().enumerate() {
                    apart[place * kinds + kind] = scores[class] - mean;
                }
            }
            of_row.fill(0.0);
            for (place, &(class, p)) in likely.iter().enumerate() {
                let apart = &apart[place * kinds..][..kinds];
                for a in 0..kinds {
                    let ours = p * apart[a];
                    let both = of_row[a * kinds..][a..kinds].iter_mut().zip(&apart[a..]);
                    both.for_each(|(sum, theirs)| *sum += ours * theirs);
                    if self.given.has_bias {
                        sums[a * size + kinds + class] += fixed(ours);
                    }
                }
            }
            for a in 0..kinds {
                for b in a..kinds {
                    sums[a * size + b] += fixed(of_row[a * kinds + b]);
                }
            }
            if self.given.has_bias {
                for (class, &p) in p.iter().enumerate() {
                    sums[(kinds + class) * size + kinds + class] += fixed(p);
                }
                for (place, &(class, p)) in likely.iter().enumerate() {
                    let sums = &mut sums[(kinds + class) * size + kinds..];
                    for &(other, q) in &likely[place..] {
                        sums[other] -= fixed(p * q);
                    }
                }
            }
        }
        sums
    }

    /// A step up the slope, each parameter by itself: it helps where Newton's runs into λ = 0.
    fn slopes(&self, at: &[f64], look: &Look, curvature: &Curvature) -> Vec<f64> {
        let mut step = vec![0.0; self.size()];
        for (i, &place) in curvature.free.iter().enumerate() {
            step[place] = self.slope(at, look, place) / (curvature.of(i, i) + self.hold(place));
        }
        step
    }

    /// Newton's step.
    fn step(&self, at: &[f64], look: &Look, curvature: &Curvature) -> Vec<f64> {
        let free = &curvature.free;
        // In units in which every parameter is held alike, so that nothing is lost to scale.
        let unit: Vec<f64> = free.iter().map(|&place| 1.0 / libm::sqrt(self.hold(place))).collect();
        let n = free.len();
        let mut matrix = vec![0.0; n * n];
        for i in 0..n {
            for j in 0..n {
                matrix[i * n + j] = curvature.of(i, j) * unit[i] * unit[j];
            }
            matrix[i * n + i] += 1.0;
        }
        let right = free.iter().zip(&unit).map(|(&place, unit)| self.slope(at, look, place) * unit);
        let solved = solve(matrix, right.collect());
        let mut step = vec![0.0; self.size()];
        for ((&place, unit), solved) in free.iter().zip(&unit).zip(solved) {
            step[place] = solved * unit;
        }
        step
    }

    /// Goes as far along a step as it helps, keeping λ ≥ 0.
    fn advance(&self, at: &[f64], here: &Look, step: &[f64]) -> Option<(Vec<f64>, Look)> {
        let before = self.objective(at, here);
        let mut share = 1.0;
        for _ in 0..30 {
            let moved = at.iter().zip(step).enumerate().map(|(place, (&value, &step))| {
                let moved = value + share * step;
                if place < self.kinds() { moved.max(0.0) } else { moved }
            });
            let next: Vec<f64> = moved.collect();
            let there = self.look(&next);
            if self.objective(&next, &there) > before {
                return Some((next, there));
            }
            share /= 2.0;
        }
        None
    }

    /// What a step promises: twice the gain, were the objective a parabola.
    fn gain(&self, at: &[f64], look: &Look, step: &[f64]) -> f64 {
        step.iter().enumerate().map(|(place, step)| self.slope(at, look, place) * step).sum()
    }
}

/// Solves a positive definite system by Cholesky's factors.
pub(crate) fn solve(mut matrix: Vec<f64>, mut right: Vec<f64>) -> Vec<f64> {
    let n = right.len();
    for j in 0..n {
        for k in 0..j {
            let factor = matrix[j * n + k];
            for i in j..n {
                matrix[i * n + j] -= matrix[i * n + k] * factor;
            }
        }
        let root = libm::sqrt(matrix[j * n + j].max(1e-300));
        for i in j..n {
            matrix[i * n + j] /= root;
        }
    }
    for i in 0..n {
        for k in 0..i {
            right[i] -= matrix[i * n + k] * right[k];
        }
        right[i] /= matrix[i * n + i];
    }
    for i in (0..n).rev() {
        for k in i + 1..n {
            right[i] -= matrix[k * n + i] * right[k];
        }
        right[i] /= matrix[i * n + i];
    }
    right
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Two scores for each of three classes, and the class.
    type Row = (Vec<f64>, Vec<f64>, u32);

    fn some_rows() -> impl Strategy<Value = Vec<Row>> {
        let scores = || prop::collection::vec(-5.0..5.0f64, 3);
        prop::collection::vec((scores(), scores(), 0u32..3), 1..40)
    }

    /// Hands the rows to `then` as they are weighed.
    fn with<T>(rows: &[Row], then: impl FnOnce(&Weighed<'_>) -> T) -> T {
        let first: Vec<f64> = rows.iter().flat_map(|row| row.0.clone()).collect();
        let second: Vec<f64> = rows.iter().flat_map(|row| row.1.clone()).collect();
        let truth: Vec<u32> = rows.iter().map(|row| row.2).collect();
        then(&Weighed {
            scores: vec![&first, &second],
            truth: &truth,
            log_prior: &[-1.0, -1.1, -1.2],
            start: vec![1.0, 0.0],
            has_bias: true,
            begin: None,
        })
    }

    fn found(rows: &[Row], threads: usize) -> Weighing {
        with(rows, |given| weigh(given, threads).unwrap())
    }

    proptest! {
        #[test]
        fn neither_order_nor_threads_show(rows in some_rows(), threads in 1usize..4) {
            let mut turned = rows.clone();
            turned.reverse();
            prop_assert_eq!(found(&rows, 1), found(&turned, threads));
        }

        /// A search ends where a step promises less than [`NOTHING`]. The objective is then as close to
        /// its best, and, being held, so is every parameter, in the units in which it is held.
        #[test]
        fn it_ends_the_same_wherever_it_begins(rows in some_rows(), lambda in prop::collection::vec(0.0..3.0f64, 2), bias in prop::collection::vec(-2.0..2.0f64, 3)) {
            let end = found(&rows, 1);
            with(&rows, |given| {
                let begin = Some((lambda, bias));
                let other = weigh(&Weighed { begin, scores: given.scores.clone(), start: given.start.clone(), ..*given }, 1).unwrap();
                let problem = Problem { given, scale: scales(given), threads: 1 };
                let [a, b] = [&end, &other].map(|end| [&end.lambda[..], &end.bias[..]].concat());
                let [at_a, at_b] = [&a, &b].map(|at| problem.objective(at, &problem.look(at)));
                prop_assert!((at_a - at_b).abs() < 2.0 * NOTHING, "{} {}", at_a, at_b);
                for (place, (a, b)) in a.iter().zip(&b).enumerate() {
                    let apart = (a - b).abs() * libm::sqrt(problem.hold(place));
                    prop_assert!(apart < 4.0 * libm::sqrt(NOTHING), "{} {} at {}", a, b, place);
                }
                Ok(())
            })?;
        }

        #[test]
        fn nothing_near_is_better(rows in some_rows(), nudge in -0.05..0.05f64, which in 0usize..5) {
            let best = found(&rows, 1);
            let at: Vec<f64> = best.lambda.iter().chain(&best.bias).copied().collect();
            let mut near = at.clone();
            near[which] += nudge;
            if which < 2 {
                near[which] = near[which].max(0.0);
            }
            let values = with(&rows, |given| {
                let problem = Problem { given, scale: scales(given), threads: 1 };
                [&at, &near].map(|at| problem.objective(at, &problem.look(at)))
            });
            // Rounding to a grid costs a little.
            prop_assert!(values[1] <= values[0] + 1e-4);
        }
    }

    #[test]
    fn evidence_that_misleads_gets_no_weight() {
        let rows: Vec<_> = (0..200)
            .map(|row| {
                let truth = row % 3;
                let mut right = vec![0.0; 3];
                right[truth as usize] = if row % 5 == 0 { -1.0 } else { 2.0 };
                let wrong = right.iter().map(|score| -score).collect();
                (right, wrong, truth)
            })
            .collect();
        let best = found(&rows, 1);
        assert_eq!(best.lambda[1], 0.0);
        assert!(best.lambda[0] > 0.3);
    }
}
