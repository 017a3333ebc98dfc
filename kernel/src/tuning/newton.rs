//! Weights of views and biases of classes, fit to leave-one-out scores by Newton's method.
//!
//! A row has, for each view g and each class c, a score s_g(c). The weights λ and the biases b make of it
//!
//! ```text
//! z_c = log prior_c + b_c + Σ_g λ_g · s_g(c)                    λ_g ≥ 0
//!
//! P(c | x) = exp(z_c) / Σ_k exp(z_k)                            softmax: a row has one class
//! P(c | x) = 1 / (1 + exp(−z_c))                                logistic: a row has a set of labels
//! ```
//!
//! where the logistic prior is in log-odds. λ and b maximise the log-likelihood of the labels, less a
//! penalty for leaving where they start (some λ, no b), as strong as a few rows would be. This is
//! convex: Newton's steps, kept to λ ≥ 0, find the one best answer. Sums over rows are sums of whole
//! numbers, so that the order of the rows never shows, and the exponential is computed in software, so
//! that the processor does not either.

use crate::error::{Error, Result};
use crate::maths::{dot, exp, fixed, log, real};

/// The scores of some rows, and what is known before.
pub(crate) struct Given<'a> {
    /// For each view, a row of scores per row, a score per class.
    pub(crate) scores: Vec<&'a [f64]>,
    pub(crate) truth: Truth<'a>,
    /// Of each class, the log-probability, or the log-odds if rows have sets of labels.
    pub(crate) log_prior: &'a [f64],
    /// Where each λ starts, and stays if there is little to learn from.
    pub(crate) start: Vec<f64>,
    /// Whether classes have a bias.
    pub(crate) has_bias: bool,
    /// The λ and biases that the search begins with, as fewer rows gave them.
    pub(crate) begin: Option<Begin>,
}

/// The labels of the rows, and with them the link from scores to probabilities.
#[derive(Clone, Copy)]
pub(crate) enum Truth<'a> {
    /// Softmax: the position of each row's class.
    Class(&'a [u32]),
    /// Logistic: row by row, whether it has each label.
    Labels(&'a [bool]),
}

/// λ for each view, and a bias for each class.
pub(crate) type Begin = (Vec<f64>, Vec<f64>);

/// What was found.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Fit {
    pub(crate) lambda: Vec<f64>,
    pub(crate) bias: Vec<f64>,
    /// The log-probability of the labels, per row.
    pub(crate) log_likelihood: f64,
    /// The log-probability of all labels, with λ and biases integrated out: Laplace's approximation. The
    /// penalty is then a Gaussian prior, and what is not needed to explain the labels costs evidence.
    pub(crate) evidence: f64,
}

/// What it costs a λ to fall from where it starts to zero, in log-probability. A dozen rows cannot pay
/// it, a few hundred can.
const FALL: f64 = 10.0;

/// What it costs a λ that starts at zero, if the classes then differ by one more unit of log-odds.
const RISE: f64 = 2.0;

/// The penalty on a bias: its square, so many times over two.
const BIAS: f64 = 2.0;

const MOST_STEPS: usize = 60;

/// Softmax: a step that promises less, in log-probability of all labels together, is not taken.
const PROMISED: f64 = 1e-8;

/// Logistic: a step that gains less is the last.
const GAINED: f64 = 1e-7;

/// Classes less probable than this are left out of the softmax's curvature, which only has to lead the
/// way.
const UNLIKELY: f64 = 1.0 / (1u64 << 20) as f64;

/// Labels of less variance than this are left out of the logistic's curvature.
const CERTAIN: f64 = 1.0 / (1u64 << 24) as f64;

/// Classes so far below the most probable one, in log-probability, are lost in rounding.
pub(crate) const LOST: f64 = -40.0;

/// A product as large as this is done with, long before it could overflow.
const LARGE: f64 = (1u128 << 100) as f64;

/// A weight is a multiple of 2⁻²⁰.
fn rounded(x: f64) -> f64 {
    const GRID: f64 = (1 << 20) as f64;
    libm::round(x * GRID) / GRID
}

pub(crate) fn fit(given: &Given<'_>, threads: usize) -> Result<Fit> {
    let problem = Problem::new(given, threads)?;
    let (mut at, biases) = begin(given)?;
    at.extend(&biases[..problem.biases]);
    let mut here = problem.look(&at);
    for _ in 0..MOST_STEPS {
        let curvature = problem.curvature(&at, &here);
        let newton = problem.newton(&at, &here, &curvature);
        let is_softmax = matches!(given.truth, Truth::Class(_));
        if is_softmax && problem.promised(&at, &here, &newton) < PROMISED {
            break;
        }
        let advanced = problem
            .advance(&at, &here, &newton)
            .or_else(|| problem.advance(&at, &here, &problem.uphill(&at, &here, &curvature)));
        let Some((next, there)) = advanced else { break };
        let gained = problem.objective(&next, &there) - problem.objective(&at, &here);
        (at, here) = (next, there);
        if !is_softmax && gained < GAINED {
            break;
        }
    }
    let curvature = problem.curvature(&at, &here);
    let evidence = problem.objective(&at, &here) - 0.5 * problem.log_determinant(&curvature);
    let mut bias: Vec<f64> = at.split_off(problem.views).into_iter().map(rounded).collect();
    bias.resize(problem.classes, 0.0);
    let lambda: Vec<f64> = at.into_iter().map(rounded).collect();
    let log_likelihood = real(here.log_likelihood) / problem.rows.max(1) as f64;
    Ok(Fit { lambda, bias, log_likelihood, evidence })
}

/// Where a search begins unless it is told: with no weight on any view every class keeps its prior, and
/// from there the way is never steep.
fn begin(given: &Given<'_>) -> Result<Begin> {
    let (views, classes) = (given.scores.len(), given.log_prior.len());
    match &given.begin {
        None => Ok((vec![0.0; views], vec![0.0; classes])),
        Some((lambda, bias)) if lambda.len() == views && bias.len() == classes => {
            Ok((lambda.clone(), bias.clone()))
        }
        Some(_) => Err(Error::Shape { what: "a beginning of other views or classes".to_string() }),
    }
}

/// The parameters are the λ, then the biases, if there are any.
struct Problem<'a> {
    given: &'a Given<'a>,
    rows: usize,
    views: usize,
    classes: usize,
    biases: usize,
    /// How strongly each parameter is held where it starts.
    hold: Vec<f64>,
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
    /// The λ that may move.
    free: Vec<usize>,
    /// Of λ and λ, on and above the diagonal.
    lambda: Vec<i128>,
    biases: usize,
    /// Of each λ and each bias.
    both: Vec<i128>,
    /// Of bias and bias: on and above the diagonal for the softmax, the diagonal alone for the logistic,
    /// whose biases have nothing to do with each other.
    bias: Vec<i128>,
}

fn add(sums: &mut [i128], more: &[i128]) {
    sums.iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
}

impl<'a> Problem<'a> {
    fn new(given: &'a Given<'a>, threads: usize) -> Result<Self> {
        let (views, classes) = (given.scores.len(), given.log_prior.len());
        let (rows, fits) = match given.truth {
            Truth::Class(truth) => {
                (truth.len(), truth.iter().all(|&class| (class as usize) < classes))
            }
            Truth::Labels(truth) => {
                (truth.len() / classes.max(1), truth.len().is_multiple_of(classes.max(1)))
            }
        };
        let all_fit = given.scores.iter().all(|scores| scores.len() == rows * classes);
        if !fits || !all_fit || given.start.len() != views {
            let what = "scores, labels and classes do not match".to_string();
            return Err(Error::Shape { what });
        }
        let biases = if given.has_bias { classes } else { 0 };
        let mut problem =
            Problem { given, rows, views, classes, biases, hold: Vec::new(), threads };
        problem.hold = (0..views).map(|view| problem.hold_of(view)).collect();
        problem.hold.resize(views + biases, BIAS);
        Ok(problem)
    }

    /// How strongly the λ of a view is held. One that starts at zero is held by the mean square of its
    /// scores; the softmax sees only how they differ between classes.
    fn hold_of(&self, view: usize) -> f64 {
        let (scores, start) = (self.given.scores[view], self.given.start[view]);
        if start > 0.0 {
            return 2.0 * FALL / (start * start);
        }
        let mut sum = 0;
        for row in scores.chunks_exact(self.classes.max(1)) {
            let mean = match self.given.truth {
                Truth::Class(_) => row.iter().sum::<f64>() / self.classes as f64,
                Truth::Labels(_) => 0.0,
            };
            sum += fixed(row.iter().map(|score| (score - mean) * (score - mean)).sum::<f64>());
        }
        2.0 * RISE * (real(sum) / scores.len().max(1) as f64).max(1e-12)
    }

    fn start(&self, place: usize) -> f64 {
        self.given.start.get(place).copied().unwrap_or(0.0)
    }

    /// The objective less the penalty.
    fn objective(&self, at: &[f64], look: &Look) -> f64 {
        let penalty = |(place, &value): (usize, &f64)| {
            let away = value - self.start(place);
            self.hold[place] * away * away / 2.0
        };
        let (all, mut penalties) = (real(look.log_likelihood), at.iter().enumerate().map(penalty));
        // Two orders of the same sum: either has fitted models that are to stay as they are.
        match self.given.truth {
            Truth::Class(_) => all - penalties.sum::<f64>(),
            Truth::Labels(_) => {
                let of_lambda = penalties.by_ref().take(self.views);
                let left = of_lambda.fold(all, |left, penalty| left - penalty);
                left - penalties.sum::<f64>()
            }
        }
    }

    /// The slope of the objective less the penalty.
    fn slope(&self, at: &[f64], look: &Look, place: usize) -> f64 {
        real(look.gradient[place]) - self.hold[place] * (at[place] - self.start(place))
    }

    /// Cuts the rows into a share for each thread.
    fn each<R: Send>(&self, work: impl Fn(&[usize]) -> R + Sync) -> Vec<R> {
        let all: Vec<usize> = (0..self.rows).collect();
        crate::parallel::each(crate::parallel::shares(&all, |_| 1, self.threads), work)
    }

    fn look(&self, at: &[f64]) -> Look {
        let zero = Look { log_likelihood: 0, gradient: vec![0; at.len()], p: Vec::new() };
        self.each(|share| self.look_at(at, share)).into_iter().fold(zero, |mut sum, part| {
            sum.log_likelihood += part.log_likelihood;
            add(&mut sum.gradient, &part.gradient);
            sum.p.extend(part.p);
            sum
        })
    }

    fn look_at(&self, at: &[f64], share: &[usize]) -> Look {
        let (lambda, bias) = at.split_at(self.views);
        let mut before = self.given.log_prior.to_vec();
        before.iter_mut().zip(bias).for_each(|(before, bias)| *before += bias);
        let mut look = Look {
            log_likelihood: 0,
            gradient: vec![0; at.len()],
            p: vec![0.0; share.len() * self.classes],
        };
        let mut residual = vec![0.0; self.classes];
        for (&row, p) in share.iter().zip(look.p.chunks_exact_mut(self.classes.max(1))) {
            let range = row * self.classes..(row + 1) * self.classes;
            p.copy_from_slice(&before);
            for (scores, &lambda) in self.given.scores.iter().zip(lambda) {
                if lambda != 0.0 {
                    let scores = &scores[range.clone()];
                    p.iter_mut().zip(scores).for_each(|(p, score)| *p += lambda * score);
                }
            }
            look.log_likelihood += fixed(match self.given.truth {
                Truth::Class(truth) => softmax(p, truth[row] as usize, &mut residual),
                Truth::Labels(truth) => logistic(p, &truth[range.clone()], &mut residual),
            });
            let (lambda, bias) = look.gradient.split_at_mut(self.views);
            for (gradient, scores) in lambda.iter_mut().zip(&self.given.scores) {
                let scores = &scores[range.clone()];
                *gradient += fixed(match self.given.truth {
                    Truth::Class(truth) => scores[truth[row] as usize] - dot(p, scores),
                    Truth::Labels(_) => dot(&residual, scores),
                });
            }
            bias.iter_mut().zip(&residual).for_each(|(sum, &residual)| *sum += fixed(residual));
        }
        look
    }

    fn curvature(&self, at: &[f64], look: &Look) -> Curvature {
        let moves = |&view: &usize| at[view] > 0.0 || self.slope(at, look, view) > 0.0;
        let free: Vec<usize> = (0..self.views).filter(moves).collect();
        let bias = match self.given.truth {
            Truth::Class(_) => self.biases * self.biases,
            Truth::Labels(_) => self.biases,
        };
        let zero = || Curvature {
            lambda: vec![0; free.len() * free.len()],
            both: vec![0; free.len() * self.biases],
            bias: vec![0; bias],
            biases: self.biases,
            free: free.clone(),
        };
        let parts = self.each(|share| match self.given.truth {
            Truth::Class(_) => self.softmax_curvature(look, share, zero()),
            Truth::Labels(_) => self.logistic_curvature(look, share, zero()),
        });
        parts.into_iter().fold(zero(), |mut sum, part| {
            add(&mut sum.lambda, &part.lambda);
            add(&mut sum.both, &part.both);
            add(&mut sum.bias, &part.bias);
            sum
        })
    }

    fn softmax_curvature(&self, look: &Look, share: &[usize], mut sums: Curvature) -> Curvature {
        let (views, classes) = (sums.free.len(), self.classes);
        let scores: Vec<&[f64]> = sums.free.iter().map(|&view| self.given.scores[view]).collect();
        let mut likely: Vec<(usize, f64)> = Vec::new();
        // Of each likely class: the scores of every view, less their mean under p.
        let mut apart = Vec::new();
        let mut of_row = vec![0.0; views * views];
        for &row in share {
            let range = row * classes..(row + 1) * classes;
            let p = &look.p[range.clone()];
            likely.clear();
            likely.extend(p.iter().copied().enumerate().filter(|&(_, p)| p > UNLIKELY));
            apart.clear();
            apart.resize(likely.len() * views, 0.0);
            for (view, scores) in scores.iter().enumerate() {
                let scores = &scores[range.clone()];
                let mean: f64 = likely.iter().map(|&(class, p)| p * scores[class]).sum();
                for (place, &(class, _)) in likely.iter().enumerate() {
                    apart[place * views + view] = scores[class] - mean;
                }
            }
            of_row.fill(0.0);
            for (place, &(class, p)) in likely.iter().enumerate() {
                sums.add_class(class, p, &apart[place * views..][..views], &mut of_row);
            }
            sums.add_row(&of_row);
            if self.given.has_bias {
                for (class, &p) in p.iter().enumerate() {
                    sums.bias[class * classes + class] += fixed(p);
                }
                for (place, &(class, p)) in likely.iter().enumerate() {
                    let sums = &mut sums.bias[class * classes..][..classes];
                    for &(other, q) in &likely[place..] {
                        sums[other] -= fixed(p * q);
                    }
                }
            }
        }
        sums
    }

    fn logistic_curvature(&self, look: &Look, share: &[usize], mut sums: Curvature) -> Curvature {
        let (views, labels) = (sums.free.len(), self.classes);
        let scores: Vec<&[f64]> = sums.free.iter().map(|&view| self.given.scores[view]).collect();
        let mut of_row = vec![0.0; views * views];
        let mut here = vec![0.0; views];
        for &row in share {
            of_row.fill(0.0);
            for label in 0..labels {
                let place = row * labels + label;
                let variance = look.p[place] * (1.0 - look.p[place]);
                if variance < CERTAIN {
                    continue;
                }
                here.iter_mut().zip(&scores).for_each(|(here, scores)| *here = scores[place]);
                sums.add_class(label, variance, &here, &mut of_row);
                if self.given.has_bias {
                    sums.bias[label] += fixed(variance);
                }
            }
            sums.add_row(&of_row);
        }
        sums
    }

    /// A step up the slope, each parameter by itself: it helps where Newton's runs into λ = 0.
    fn uphill(&self, at: &[f64], look: &Look, curvature: &Curvature) -> Vec<f64> {
        let mut step = vec![0.0; at.len()];
        for (i, place) in self.moving(curvature).enumerate() {
            let own = self.curvature_of(curvature, i, i) + self.hold[place];
            step[place] = self.slope(at, look, place) / own;
        }
        step
    }

    /// The parameters that may move.
    fn moving(&self, curvature: &Curvature) -> impl Iterator<Item = usize> {
        curvature.free.iter().copied().chain(self.views..self.views + self.biases)
    }

    /// The curvature of two of the parameters that may move.
    fn curvature_of(&self, curvature: &Curvature, i: usize, j: usize) -> f64 {
        let (views, low, high) = (curvature.free.len(), i.min(j), i.max(j));
        real(match (low < views, high < views, self.given.truth) {
            (true, true, _) => curvature.lambda[low * views + high],
            (true, false, _) => curvature.both[low * self.biases + high - views],
            (_, _, Truth::Class(_)) => curvature.bias[(low - views) * self.biases + high - views],
            (_, _, Truth::Labels(_)) => curvature.bias[low - views],
        })
    }

    fn newton(&self, at: &[f64], look: &Look, curvature: &Curvature) -> Vec<f64> {
        match self.given.truth {
            Truth::Class(_) => self.softmax_newton(at, look, curvature),
            Truth::Labels(_) => self.logistic_newton(at, look, curvature),
        }
    }

    /// How much more curved the objective is, with its penalty, than the penalty alone: the logarithm
    /// of the ratio of determinants, over the parameters that may move.
    fn log_determinant(&self, curvature: &Curvature) -> f64 {
        match self.given.truth {
            Truth::Class(_) => log_determinant(self.softmax_matrix(curvature).2),
            Truth::Labels(_) => {
                let (widths, _, matrix) = self.logistic_matrix(curvature);
                let of_biases: f64 = widths.iter().map(|width| libm::log(width / BIAS)).sum();
                of_biases + log_determinant(matrix)
            }
        }
    }

    /// The parameters that may move, units in which every one of them is held alike, so that nothing is
    /// lost to scale, and the curvature in these.
    fn softmax_matrix(&self, curvature: &Curvature) -> (Vec<usize>, Vec<f64>, Vec<f64>) {
        let moving: Vec<usize> = self.moving(curvature).collect();
        let unit: Vec<f64> =
            moving.iter().map(|&place| 1.0 / libm::sqrt(self.hold[place])).collect();
        let n = moving.len();
        let mut matrix = vec![0.0; n * n];
        for i in 0..n {
            for j in 0..n {
                matrix[i * n + j] = self.curvature_of(curvature, i, j) * unit[i] * unit[j];
            }
            matrix[i * n + i] += 1.0;
        }
        (moving, unit, matrix)
    }

    fn softmax_newton(&self, at: &[f64], look: &Look, curvature: &Curvature) -> Vec<f64> {
        let (moving, unit, matrix) = self.softmax_matrix(curvature);
        let slope = |(&place, unit): (&usize, &f64)| self.slope(at, look, place) * unit;
        let solved = solve(matrix, moving.iter().zip(&unit).map(slope).collect());
        let mut step = vec![0.0; at.len()];
        for ((&place, unit), solved) in moving.iter().zip(&unit).zip(solved) {
            step[place] = solved * unit;
        }
        step
    }

    /// Given λ, the biases have nothing to do with each other: they are eliminated, and the system is as
    /// large as there are views, however many labels there are. The curvature of each bias, the units of
    /// the views, and the curvature of what is left, in these.
    fn logistic_matrix(&self, curvature: &Curvature) -> (Vec<f64>, Vec<f64>, Vec<f64>) {
        let (views, labels) = (curvature.free.len(), self.biases);
        let both = |a: usize, label: usize| real(curvature.both[a * labels + label]);
        let widths: Vec<f64> = curvature.bias.iter().map(|&width| real(width) + BIAS).collect();
        let unit = curvature.free.iter().map(|&view| 1.0 / libm::sqrt(self.hold[view]));
        let unit: Vec<f64> = unit.collect();
        let mut matrix = vec![0.0; views * views];
        for a in 0..views {
            for b in a..views {
                let follows =
                    (0..labels).map(|label| both(a, label) * both(b, label) / widths[label]);
                let all = real(curvature.lambda[a * views + b]) - follows.sum::<f64>();
                matrix[a * views + b] = all * unit[a] * unit[b];
                matrix[b * views + a] = matrix[a * views + b];
            }
            matrix[a * views + a] += 1.0;
        }
        (widths, unit, matrix)
    }

    fn logistic_newton(&self, at: &[f64], look: &Look, curvature: &Curvature) -> Vec<f64> {
        let (views, labels) = (curvature.free.len(), self.biases);
        let both = |a: usize, label: usize| real(curvature.both[a * labels + label]);
        let mut step = vec![0.0; at.len()];
        let (lambda, bias) = step.split_at_mut(self.views);
        for (label, bias) in bias.iter_mut().enumerate() {
            *bias = self.slope(at, look, self.views + label);
        }
        let (widths, unit, matrix) = self.logistic_matrix(curvature);
        let mut right = vec![0.0; views];
        for a in 0..views {
            let follows = (0..labels).map(|label| both(a, label) * bias[label] / widths[label]);
            let slope = self.slope(at, look, curvature.free[a]);
            right[a] = (slope - follows.sum::<f64>()) * unit[a];
        }
        for (a, solved) in solve(matrix, right).into_iter().enumerate() {
            let moved = solved * unit[a];
            lambda[curvature.free[a]] = moved;
            (0..labels).for_each(|label| bias[label] -= both(a, label) * moved);
        }
        bias.iter_mut().zip(&widths).for_each(|(bias, width)| *bias /= width);
        step
    }

    /// Goes as far along a step as it helps, keeping λ ≥ 0.
    fn advance(&self, at: &[f64], here: &Look, step: &[f64]) -> Option<(Vec<f64>, Look)> {
        let before = self.objective(at, here);
        let mut share = 1.0;
        for _ in 0..30 {
            let moved = at.iter().zip(step).enumerate().map(|(place, (&value, &step))| {
                let moved = value + share * step;
                if place < self.views { moved.max(0.0) } else { moved }
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
    fn promised(&self, at: &[f64], look: &Look, step: &[f64]) -> f64 {
        step.iter().enumerate().map(|(place, step)| self.slope(at, look, place) * step).sum()
    }
}

impl Curvature {
    /// Adds a class of one row: its `weight` times the products of its scores.
    #[inline(always)]
    fn add_class(&mut self, class: usize, weight: f64, scores: &[f64], of_row: &mut [f64]) {
        let views = scores.len();
        for a in 0..views {
            let ours = weight * scores[a];
            let both = of_row[a * views..][a..views].iter_mut().zip(&scores[a..]);
            both.for_each(|(sum, theirs)| *sum += ours * theirs);
            if self.biases > 0 {
                self.both[a * self.biases + class] += fixed(ours);
            }
        }
    }

    fn add_row(&mut self, of_row: &[f64]) {
        self.lambda.iter_mut().zip(of_row).for_each(|(sum, &more)| *sum += fixed(more));
    }
}

/// Turns the scores of a row into probabilities. Gives the log-probability of its class, and by how much
/// each class is less probable than it should be.
fn softmax(z: &mut [f64], truth: usize, residual: &mut [f64]) -> f64 {
    let most = z.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let at_truth = z[truth] - most;
    for z in &mut *z {
        let below = *z - most;
        *z = if below > LOST { exp(below) } else { 0.0 };
    }
    let sum: f64 = z.iter().sum();
    for (p, residual) in z.iter_mut().zip(&mut *residual) {
        *p /= sum;
        *residual = 0.0 - *p;
    }
    residual[truth] = 1.0 - z[truth];
    at_truth - log(sum)
}

/// The same for a row with a set of labels, each by itself.
fn logistic(z: &mut [f64], truth: &[bool], residual: &mut [f64]) -> f64 {
    let mut log_likelihood = 0.0;
    let mut certain = 1.0;
    for ((p, residual), &truth) in z.iter_mut().zip(residual).zip(truth) {
        let z = *p;
        let small = if z.abs() < -LOST { exp(-z.abs()) } else { 0.0 };
        *p = if z > 0.0 { 1.0 / (1.0 + small) } else { small / (1.0 + small) };
        log_likelihood -= if truth { (-z).max(0.0) } else { z.max(0.0) };
        // One logarithm for many labels; a product of so many factors up to 2 is finite.
        certain *= 1.0 + small;
        if certain > LARGE {
            log_likelihood -= log(certain);
            certain = 1.0;
        }
        *residual = f64::from(u8::from(truth)) - *p;
    }
    log_likelihood - log(certain)
}

/// Cholesky's factor of a positive definite matrix, in its lower triangle.
fn cholesky(matrix: &mut [f64], n: usize) {
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
}

fn log_determinant(mut matrix: Vec<f64>) -> f64 {
    let n = matrix.len().isqrt();
    cholesky(&mut matrix, n);
    2.0 * (0..n).map(|i| libm::log(matrix[i * n + i])).sum::<f64>()
}

/// Solves a positive definite system.
fn solve(mut matrix: Vec<f64>, mut right: Vec<f64>) -> Vec<f64> {
    let n = right.len();
    cholesky(&mut matrix, n);
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

    /// Two scores for each of three classes, and which of them are labels; the first or the last is the
    /// class, where a row has one.
    type Row = (Vec<f64>, Vec<f64>, Vec<bool>);

    fn some_rows() -> impl Strategy<Value = Vec<Row>> {
        let scores = || prop::collection::vec(-5.0..5.0f64, 3);
        prop::collection::vec((scores(), scores(), prop::collection::vec(any::<bool>(), 3)), 1..40)
    }

    /// Hands the rows to `then`, once with one class each and once with sets of labels.
    fn with<T>(rows: &[Row], mut then: impl FnMut(&Given<'_>) -> T) -> [T; 2] {
        let first: Vec<f64> = rows.iter().flat_map(|row| row.0.clone()).collect();
        let second: Vec<f64> = rows.iter().flat_map(|row| row.1.clone()).collect();
        let labels: Vec<bool> = rows.iter().flat_map(|row| row.2.clone()).collect();
        let class = |row: &Row| row.2.iter().position(|&is_label| is_label).unwrap_or(2) as u32;
        let classes: Vec<u32> = rows.iter().map(class).collect();
        [Truth::Class(&classes), Truth::Labels(&labels)].map(|truth| {
            then(&Given {
                scores: vec![&first, &second],
                truth,
                log_prior: &[-1.0, 0.1, -1.2],
                start: vec![1.0, 0.0],
                has_bias: true,
                begin: None,
            })
        })
    }

    fn found(rows: &[Row], threads: usize) -> [Fit; 2] {
        with(rows, |given| fit(given, threads).unwrap())
    }

    proptest! {
        #[test]
        fn neither_order_nor_threads_show(rows in some_rows(), threads in 1usize..4) {
            let mut turned = rows.clone();
            turned.reverse();
            prop_assert_eq!(found(&rows, 1), found(&turned, threads));
        }

        /// A search ends where a step promises or gains next to nothing. The objective is then as close
        /// to its best, and, being held, so is every parameter, in the units in which it is held.
        #[test]
        fn it_ends_the_same_wherever_it_begins(rows in some_rows(), lambda in prop::collection::vec(0.0..3.0f64, 2), bias in prop::collection::vec(-2.0..2.0f64, 3)) {
            for outcome in with(&rows, |given| {
                let end = fit(given, 1).unwrap();
                let begin = Some((lambda.clone(), bias.clone()));
                let other = fit(&Given { begin, scores: given.scores.clone(), start: given.start.clone(), ..*given }, 1).unwrap();
                let problem = Problem::new(given, 1).unwrap();
                let close = if matches!(given.truth, Truth::Class(_)) { PROMISED } else { GAINED };
                let [a, b] = [&end, &other].map(|end| [&end.lambda[..], &end.bias[..]].concat());
                let [at_a, at_b] = [&a, &b].map(|at| problem.objective(at, &problem.look(at)));
                prop_assert!((at_a - at_b).abs() < 2.0 * close, "{} {}", at_a, at_b);
                for (place, (a, b)) in a.iter().zip(&b).enumerate() {
                    let apart = (a - b).abs() * libm::sqrt(problem.hold[place]);
                    prop_assert!(apart < 4.0 * libm::sqrt(close), "{} {} at {}", a, b, place);
                }
                Ok(())
            }) {
                outcome?;
            }
        }

        #[test]
        fn nothing_near_is_better(rows in some_rows(), nudge in -0.05..0.05f64, which in 0usize..5) {
            let values = with(&rows, |given| {
                let best = fit(given, 1).unwrap();
                let at = [best.lambda, best.bias].concat();
                let mut near = at.clone();
                near[which] += nudge;
                if which < 2 {
                    near[which] = near[which].max(0.0);
                }
                let problem = Problem::new(given, 1).unwrap();
                [&at, &near].map(|at| problem.objective(at, &problem.look(at)))
            });
            // Rounding to a grid costs a little.
            prop_assert!(values.iter().all(|[best, near]| *near <= best + 1e-4));
        }
    }

    #[test]
    fn a_view_that_misleads_gets_no_weight() {
        let rows: Vec<Row> = (0..200)
            .map(|row| {
                let mut labels = vec![false; 3];
                labels[row % 3] = true;
                let mut right = vec![0.0; 3];
                right[row % 3] = if row % 5 == 0 { -1.0 } else { 2.0 };
                let wrong = right.iter().map(|score| -score).collect();
                (right, wrong, labels)
            })
            .collect();
        for best in found(&rows, 1) {
            assert_eq!(best.lambda[1], 0.0);
            assert!(best.lambda[0] > 0.3);
        }
    }

    #[test]
    fn what_does_not_match_is_refused() {
        let refused = |truth: Truth<'_>| {
            let (scores, start) = (vec![&[0.0; 4][..]], vec![0.0]);
            let log_prior = &[0.0; 2];
            fit(&Given { scores, truth, log_prior, start, has_bias: true, begin: None }, 1).is_err()
        };
        assert!(refused(Truth::Class(&[0])) && refused(Truth::Class(&[0, 2])));
        assert!(refused(Truth::Labels(&[true; 3])) && refused(Truth::Labels(&[true; 2])));
        assert!(!refused(Truth::Class(&[0, 1])) && !refused(Truth::Labels(&[true; 4])));
    }
}
