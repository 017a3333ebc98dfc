//! How far to trust each kind of evidence, where a row may have any number of labels.
//!
//! A row has, for each kind g of evidence and each label c, a score s_g(c) that speaks for the label or
//! against it. Every label is a question of its own,
//!
//! ```text
//! P(c | x) = 1 / (1 + exp(−z_c))        z_c = log odds_c + b_c + Σ_g λ_g · s_g(c)        λ_g ≥ 0
//! ```
//!
//! but all share the λ, as classes do in [`crate::tuning::softmax`], whose penalties and whose ways with sums these
//! are. Given λ the biases have nothing to do with each other, so a step takes a system as large as there
//! are kinds, however many labels there are.

use crate::error::{Error, Result};
use crate::naive_bayes::logs::log;
use crate::tuning::exponential::exp;
use crate::tuning::softmax::{
    BIAS, Begin, LOST, MOST_STEPS, Weighing, begin, fixed, hold, real, rounded, solve,
};

/// The scores of some rows, and what is known before.
pub(crate) struct Weighed<'a> {
    /// For each kind of evidence, a row of scores per row, a score per label.
    pub(crate) scores: Vec<&'a [f64]>,
    /// Row by row, whether it has each label.
    pub(crate) truth: &'a [bool],
    pub(crate) log_odds: &'a [f64],
    /// Where each λ starts, and stays if there is little to learn from.
    pub(crate) start: Vec<f64>,
    /// Whether labels have a bias.
    pub(crate) has_bias: bool,
    /// The λ and biases that the search begins with, as fewer rows gave them.
    pub(crate) begin: Option<Begin>,
}

/// What is nearly certain is left out of the curvature, which only has to lead the way.
const CERTAIN: f64 = 1.0 / (1u64 << 24) as f64;

/// A product as large as this is done with, long before it could overflow.
const MANY: f64 = (1u128 << 100) as f64;

pub(crate) fn weigh(given: &Weighed<'_>, threads: usize) -> Result<Weighing> {
    let (kinds, labels) = (given.scores.len(), given.log_odds.len());
    let fits = |scores: &&[f64]| scores.len() == given.truth.len();
    let whole = given.truth.len().is_multiple_of(labels.max(1));
    if !given.scores.iter().all(fits) || given.start.len() != kinds || !whole {
        return Err(Error::Shape { what: "scores, rows and labels do not match".to_string() });
    }
    let problem = Problem { given, hold: holds(given), threads };
    let (lambda, bias) = begin(given.begin.as_ref(), kinds, labels)?;
    let mut at = At { lambda, bias };
    let mut here = problem.look(&at);
    for _ in 0..MOST_STEPS {
        let [newton, slopes] = problem.steps(&at, &here);
        let advanced = problem.advance(&at, &here, &newton);
        let advanced = advanced.or_else(|| problem.advance(&at, &here, &slopes));
        let Some((next, there)) = advanced else { break };
        let gained = problem.objective(&next, &there) - problem.objective(&at, &here);
        (at, here) = (next, there);
        if gained < 1e-7 {
            break;
        }
    }
    let rows = given.truth.len() / labels.max(1);
    Ok(Weighing {
        lambda: at.lambda.into_iter().map(rounded).collect(),
        bias: at.bias.into_iter().map(rounded).collect(),
        log_likelihood: real(here.log_likelihood) / rows.max(1) as f64,
    })
}

#[derive(Clone)]
struct At {
    lambda: Vec<f64>,
    bias: Vec<f64>,
}

struct Problem<'a> {
    given: &'a Weighed<'a>,
    /// How strongly each λ is held where it starts.
    hold: Vec<f64>,
    threads: usize,
}

/// The objective and its slope somewhere, before the penalty.
struct Look {
    log_likelihood: i128,
    lambda: Vec<i128>,
    bias: Vec<i128>,
    /// The probability of each label, row by row.
    p: Vec<f64>,
}

/// The negative second derivatives, before the penalty: of λ and λ, of λ and each bias, of each bias.
struct Curvature {
    lambda: Vec<i128>,
    both: Vec<i128>,
    bias: Vec<i128>,
}

fn add(sums: &mut [i128], more: &[i128]) {
    sums.iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
}

fn holds(given: &Weighed<'_>) -> Vec<f64> {
    let labels = given.log_odds.len().max(1);
    let scale = |scores: &&[f64]| {
        let squares = |row: &[f64]| fixed(row.iter().map(|score| score * score).sum());
        let sum: i128 = scores.chunks_exact(labels).map(squares).sum();
        (real(sum) / scores.len().max(1) as f64).max(1e-12)
    };
    given
        .scores
        .iter()
        .zip(&given.start)
        .map(|(scores, &start)| hold(start, scale(scores)))
        .collect()
}

impl Problem<'_> {
    fn labels(&self) -> usize {
        self.given.log_odds.len()
    }

    /// The objective less the penalty.
    fn objective(&self, at: &At, look: &Look) -> f64 {
        let mut value = real(look.log_likelihood);
        for ((lambda, start), hold) in at.lambda.iter().zip(&self.given.start).zip(&self.hold) {
            value -= hold * (lambda - start) * (lambda - start) / 2.0;
        }
        value - at.bias.iter().map(|bias| BIAS * bias * bias / 2.0).sum::<f64>()
    }

    /// Cuts the rows into a share for each thread.
    fn each<R: Send>(&self, work: impl Fn(&[usize]) -> R + Sync) -> Vec<R> {
        let all: Vec<usize> = (0..self.given.truth.len() / self.labels().max(1)).collect();
        crate::parallel::each(crate::parallel::shares(&all, |_| 1, self.threads), work)
    }

    fn look(&self, at: &At) -> Look {
        let zero = || Look {
            log_likelihood: 0,
            lambda: vec![0; at.lambda.len()],
            bias: vec![0; at.bias.len()],
            p: Vec::new(),
        };
        self.each(|share| self.look_at(at, share, zero())).into_iter().fold(
            zero(),
            |mut sum, part| {
                sum.log_likelihood += part.log_likelihood;
                add(&mut sum.lambda, &part.lambda);
                add(&mut sum.bias, &part.bias);
                sum.p.extend(part.p);
                sum
            },
        )
    }

    fn look_at(&self, at: &At, share: &[usize], mut look: Look) -> Look {
        let labels = self.labels();
        let before: Vec<f64> =
            self.given.log_odds.iter().zip(&at.bias).map(|(a, b)| a + b).collect();
        look.p.resize(share.len() * labels, 0.0);
        let mut missing = vec![0.0; labels];
        for (&row, p) in share.iter().zip(look.p.chunks_exact_mut(labels.max(1))) {
            let range = row * labels..(row + 1) * labels;
            p.copy_from_slice(&before);
            for (scores, &lambda) in self.given.scores.iter().zip(&at.lambda) {
                if lambda != 0.0 {
                    let scores = &scores[range.clone()];
                    p.iter_mut().zip(scores).for_each(|(p, score)| *p += lambda * score);
                }
            }
            let mut of_row = 0.0;
            let mut certain = 1.0;
            for ((p, missing), &truth) in
                p.iter_mut().zip(&mut missing).zip(&self.given.truth[range.clone()])
            {
                let z = *p;
                let small = if z.abs() < -LOST { exp(-z.abs()) } else { 0.0 };
                *p = if z > 0.0 { 1.0 / (1.0 + small) } else { small / (1.0 + small) };
                of_row -= if truth { (-z).max(0.0) } else { z.max(0.0) };
                // One logarithm for many labels; a product of so many factors up to 2 is finite.
                certain *= 1.0 + small;
                if certain > MANY {
                    of_row -= log(certain);
                    certain = 1.0;
                }
                *missing = f64::from(u8::from(truth)) - *p;
            }
            look.log_likelihood += fixed(of_row - log(certain));
            for (gradient, scores) in look.lambda.iter_mut().zip(&self.given.scores) {
                *gradient += fixed(crate::tuning::softmax::dot(&missing, &scores[range.clone()]));
            }
            if self.given.has_bias {
                look.bias.iter_mut().zip(&missing).for_each(|(sum, &more)| *sum += fixed(more));
            }
        }
        look
    }

    /// The curvature of the λ in `free` and of all biases.
    fn curvature(&self, free: &[usize], look: &Look) -> Curvature {
        let (kinds, labels) = (free.len(), self.labels());
        let zero = || Curvature {
            lambda: vec![0; kinds * kinds],
            both: vec![0; kinds * labels],
            bias: vec![0; labels],
        };
        let parts = self.each(|share| self.curvature_at(free, look, share, zero()));
        parts.into_iter().fold(zero(), |mut sum, part| {
            add(&mut sum.lambda, &part.lambda);
            add(&mut sum.both, &part.both);
            add(&mut sum.bias, &part.bias);
            sum
        })
    }

    fn curvature_at(
        &self,
        free: &[usize],
        look: &Look,
        share: &[usize],
        mut sums: Curvature,
    ) -> Curvature {
        let (kinds, labels) = (free.len(), self.labels());
        let scores: Vec<&[f64]> = free.iter().map(|&kind| self.given.scores[kind]).collect();
        let mut of_row = vec![0.0; kinds * kinds];
        let mut here = vec![0.0; kinds];
        for &row in share {
            of_row.fill(0.0);
            for label in 0..labels {
                let place = row * labels + label;
                let width = look.p[place] * (1.0 - look.p[place]);
                if width < CERTAIN {
                    continue;
                }
                here.iter_mut().zip(&scores).for_each(|(here, scores)| *here = scores[place]);
                for a in 0..kinds {
                    let ours = width * here[a];
                    let both = of_row[a * kinds..][a..kinds].iter_mut().zip(&here[a..]);
                    both.for_each(|(sum, theirs)| *sum += ours * theirs);
                    if self.given.has_bias {
                        sums.both[a * labels + label] += fixed(ours);
                    }
                }
                if self.given.has_bias {
                    sums.bias[label] += fixed(width);
                }
            }
            sums.lambda.iter_mut().zip(&of_row).for_each(|(sum, &more)| *sum += fixed(more));
        }
        sums
    }

    /// Newton's step, and one up the slope, each parameter by itself, which helps where Newton's runs into
    /// λ = 0; a λ that is zero and would fall stays.
    fn steps(&self, at: &At, look: &Look) -> [At; 2] {
        let slope = |kind: usize| {
            let away = at.lambda[kind] - self.given.start[kind];
            real(look.lambda[kind]) - self.hold[kind] * away
        };
        let moves = |&kind: &usize| at.lambda[kind] > 0.0 || slope(kind) > 0.0;
        let free: Vec<usize> = (0..at.lambda.len()).filter(moves).collect();
        let (kinds, labels) = (free.len(), self.labels());
        let curvature = self.curvature(&free, look);
        let both = |a: usize, label: usize| real(curvature.both[a * labels + label]);
        let slopes: Vec<f64> =
            (0..labels).map(|label| real(look.bias[label]) - BIAS * at.bias[label]).collect();
        let widths: Vec<f64> = curvature.bias.iter().map(|&width| real(width) + BIAS).collect();
        // In units in which every λ is held alike, so that nothing is lost to scale; without the
        // biases, which follow from λ.
        let unit: Vec<f64> = free.iter().map(|&kind| 1.0 / libm::sqrt(self.hold[kind])).collect();
        let mut matrix = vec![0.0; kinds * kinds];
        let mut right = vec![0.0; kinds];
        for a in 0..kinds {
            for b in a..kinds {
                let follows =
                    (0..labels).map(|label| both(a, label) * both(b, label) / widths[label]);
                let all = real(curvature.lambda[a * kinds + b]) - follows.sum::<f64>();
                matrix[a * kinds + b] = all * unit[a] * unit[b];
                matrix[b * kinds + a] = matrix[a * kinds + b];
            }
            matrix[a * kinds + a] += 1.0;
            let follows = (0..labels).map(|label| both(a, label) * slopes[label] / widths[label]);
            right[a] = (slope(free[a]) - follows.sum::<f64>()) * unit[a];
        }
        let mut step = At { lambda: vec![0.0; at.lambda.len()], bias: slopes };
        let mut apart = step.clone();
        for (a, &kind) in free.iter().enumerate() {
            let width = real(curvature.lambda[a * kinds + a]) + self.hold[kind];
            apart.lambda[kind] = slope(kind) / width;
        }
        apart.bias.iter_mut().zip(&widths).for_each(|(bias, width)| *bias /= width);
        for (a, solved) in solve(matrix, right).into_iter().enumerate() {
            let moved = solved * unit[a];
            step.lambda[free[a]] = moved;
            (0..labels).for_each(|label| step.bias[label] -= both(a, label) * moved);
        }
        step.bias.iter_mut().zip(&widths).for_each(|(bias, width)| *bias /= width);
        [step, apart]
    }

    /// Goes as far along a step as it helps, keeping λ ≥ 0.
    fn advance(&self, at: &At, here: &Look, step: &At) -> Option<(At, Look)> {
        let before = self.objective(at, here);
        let mut share = 1.0;
        for _ in 0..30 {
            let moved = |from: &[f64], by: &[f64]| -> Vec<f64> {
                from.iter().zip(by).map(|(from, by)| from + share * by).collect()
            };
            let mut next =
                At { lambda: moved(&at.lambda, &step.lambda), bias: moved(&at.bias, &step.bias) };
            next.lambda.iter_mut().for_each(|lambda| *lambda = lambda.max(0.0));
            let there = self.look(&next);
            if self.objective(&next, &there) > before {
                return Some((next, there));
            }
            share /= 2.0;
        }
        None
    }
}

/// Of each label of a row, log Σ exp(score) over all other labels: what speaks for something else.
pub(crate) fn rivals(scores: &[f64], labels: usize, threads: usize) -> Vec<f64> {
    let rows: Vec<&[f64]> = scores.chunks_exact(labels.max(1)).collect();
    let shares = crate::parallel::shares(&rows, |_| 1, threads);
    let parts = crate::parallel::each(shares, |rows| {
        let mut found = Vec::with_capacity(rows.len() * labels);
        let mut odds = Vec::with_capacity(labels);
        for row in rows {
            let first =
                |best: usize, label: usize| if row[label] > row[best] { label } else { best };
            let best = (0..labels).fold(0, first);
            odds.clear();
            odds.extend(row.iter().map(|score| exp((score - row[best]).max(2.0 * LOST))));
            let all: f64 = odds.iter().sum();
            // Beside the best, others would be lost to rounding; so they are added up by themselves.
            let others = (0..labels).filter(|&label| label != best);
            let next = others.clone().map(|label| row[label]).fold(f64::NEG_INFINITY, f64::max);
            let behind: f64 = others.map(|label| exp((row[label] - next).max(2.0 * LOST))).sum();
            found.extend((0..labels).map(|label| match label == best {
                true => next + log(behind),
                false => row[best] + log(all - odds[label]),
            }));
        }
        found
    });
    parts.concat()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Two scores for each of three labels, and which labels there are.
    type Row = (Vec<f64>, Vec<f64>, Vec<bool>);

    fn some_rows() -> impl Strategy<Value = Vec<Row>> {
        let scores = || prop::collection::vec(-5.0..5.0f64, 3);
        prop::collection::vec((scores(), scores(), prop::collection::vec(any::<bool>(), 3)), 1..40)
    }

    fn with<T>(rows: &[Row], then: impl FnOnce(&Weighed<'_>) -> T) -> T {
        let first: Vec<f64> = rows.iter().flat_map(|row| row.0.clone()).collect();
        let second: Vec<f64> = rows.iter().flat_map(|row| row.1.clone()).collect();
        let truth: Vec<bool> = rows.iter().flat_map(|row| row.2.clone()).collect();
        then(&Weighed {
            scores: vec![&first, &second],
            truth: &truth,
            log_odds: &[-1.0, 0.1, -1.2],
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

        #[test]
        fn nothing_near_is_better(rows in some_rows(), nudge in -0.05..0.05f64, which in 0usize..5) {
            let best = found(&rows, 1);
            let at = At { lambda: best.lambda, bias: best.bias };
            let mut near = at.clone();
            match which {
                0 | 1 => near.lambda[which] = (near.lambda[which] + nudge).max(0.0),
                _ => near.bias[which - 2] += nudge,
            }
            let values = with(&rows, |given| {
                let problem = Problem { given, hold: holds(given), threads: 1 };
                [&at, &near].map(|at| problem.objective(at, &problem.look(at)))
            });
            // Rounding to a grid costs a little.
            prop_assert!(values[1] <= values[0] + 1e-4);
        }

        #[test]
        fn rivals_are_all_others(scores in prop::collection::vec(-60.0..60.0f64, 8), threads in 1usize..3) {
            for (row, found) in scores.chunks(4).zip(rivals(&scores, 4, threads).chunks(4)) {
                for label in 0..4 {
                    let others = (0..4).filter(|&other| other != label);
                    let most = others.clone().map(|other| row[other]).fold(f64::NEG_INFINITY, f64::max);
                    let sum: f64 = others.map(|other| (row[other] - most).exp()).sum();
                    prop_assert!((found[label] - most - sum.ln()).abs() < 1e-9);
                }
            }
        }
    }

    #[test]
    fn what_does_not_match_is_refused() {
        let given = Weighed {
            scores: vec![&[0.0; 4]],
            truth: &[true; 3],
            log_odds: &[0.0; 2],
            start: vec![0.0],
            has_bias: true,
            begin: None,
        };
        assert!(weigh(&given, 1).is_err());
    }
}
