//! Linear models of sparse rows by dual coordinate descent, several at once.
//!
//! ```text
//! min_w  ½ Σ_f w_f² / e_f + C · Σ_i max(0, 1 − y_i · w·x_i)²
//! ```
//!
//! In a text, a weight is held the less, the more the two sides differ in the column: e_f is the
//! absolute logarithm of the ratio of its shares, p_f = (1 + Σ x_f over one side) / (all of that, of
//! that text), as Naive Bayes would have it. All other columns, and the intercept, have e = 1.
//!
//! One model tells a class (y = 1) from the rest (y = −1), learned with all rows or without those of a
//! fold. All of them go through the same rows in the same order, so `T` of them share a walk: a row
//! is read once, and the weights of a column stand side by side. None of them notices the others,
//! so how they are dealt out to walks and threads does not show. Sums go along a row as its entries
//! come; whoever wants a result that no order of rows shows in puts the rows in order first.

use crate::linear::sparse_rows::Sparse;
use std::ops::Range;

/// What is learned: a class against the rest, from all rows or from those outside a fold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Lane {
    pub(crate) class: u32,
    pub(crate) without: Option<u32>,
}

/// Rows to learn from, with the classes and the fold of each.
pub(crate) struct TrainingRows<'a> {
    pub(crate) sparse: &'a Sparse,
    /// How many columns there are.
    pub(crate) width: usize,
    /// The columns of each text, rising.
    pub(crate) texts: &'a [Range<usize>],
    pub(crate) truth: &'a [&'a [u32]],
    pub(crate) folds: &'a [u32],
    /// In which order rows are first taken.
    pub(crate) order: &'a [u32],
}

/// C, and when to stop: no two slopes differ by more than this.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Settings {
    pub(crate) cost: f32,
    pub(crate) tolerance: f32,
}

/// Past this many rounds a model is as good as it gets.
const MOST_ROUNDS: usize = 1000;

/// All rows are looked at in every so many rounds; in between, those that were not quiet.
const CYCLE: usize = 3;

/// A row is quiet, and left alone, where its slope is this small a part of the tolerance.
const QUIET: f32 = 0.1;

/// The weights of a few models: a row for each column, and last the intercepts.
pub(crate) fn learn<const T: usize>(
    rows: &TrainingRows<'_>,
    lanes: &[Lane],
    settings: Settings,
) -> Vec<[f32; T]> {
    let mut weights = vec![[0.0f32; T]; rows.width + 1];
    let mut alphas = vec![[0.0f32; T]; rows.sparse.rows()];
    let mut learns = [false; T];
    learns[..lanes.len()].fill(true);
    let give = 0.5 / settings.cost;
    let eases = eases::<T>(rows, lanes);
    let hold = |row: usize| {
        let mut curvature = [1.0 + give; T];
        for (column, value) in rows.sparse.row(row) {
            for lane in 0..T {
                curvature[lane] += eases[column][lane] * value * value;
            }
        }
        curvature.map(|curvature| 1.0 / curvature)
    };
    let holds: Vec<[f32; T]> = (0..rows.sparse.rows()).map(hold).collect();
    let mut quiet = vec![[false; T]; rows.sparse.rows()];
    let mut order = rows.order.to_vec();
    let mut random = Random(0);
    for round in 0..MOST_ROUNDS {
        random.shuffle(&mut order);
        let looks_at_all = round % CYCLE == 0;
        let (mut highest, mut lowest) = ([f32::NEG_INFINITY; T], [f32::INFINITY; T]);
        for &row in &order {
            let row = row as usize;
            let mut sides = sides::<T>(lanes, &learns, rows.truth[row], rows.folds[row]);
            if !looks_at_all {
                for lane in 0..T {
                    sides[lane] = if quiet[row][lane] { 0.0 } else { sides[lane] };
                }
            }
            if sides == [0.0; T] {
                continue;
            }
            let mut margins = weights[rows.width];
            for (column, value) in rows.sparse.row(row) {
                let weights = &weights[column];
                for lane in 0..T {
                    margins[lane] += weights[lane] * value;
                }
            }
            let (alphas, quiet) = (&mut alphas[row], &mut quiet[row]);
            let mut steps = [0.0f32; T];
            for lane in 0..T {
                let (alpha, side) = (alphas[lane], sides[lane]);
                if side == 0.0 {
                    continue;
                }
                let slope = side * margins[lane] - 1.0 + alpha * give;
                let free = if alpha > 0.0 { slope } else { slope.min(0.0) };
                highest[lane] = highest[lane].max(free);
                lowest[lane] = lowest[lane].min(free);
                quiet[lane] = free.abs() <= QUIET * settings.tolerance;
                if !quiet[lane] {
                    alphas[lane] = (alpha - slope * holds[row][lane]).max(0.0);
                    steps[lane] = (alphas[lane] - alpha) * side;
                }
            }
            if steps == [0.0; T] {
                continue;
            }
            for lane in 0..T {
                weights[rows.width][lane] += steps[lane];
            }
            for (column, value) in rows.sparse.row(row) {
                let (weights, eases) = (&mut weights[column], &eases[column]);
                for lane in 0..T {
                    weights[lane] += steps[lane] * eases[lane] * value;
                }
            }
        }
        if looks_at_all {
            for lane in 0..T {
                learns[lane] &= highest[lane] - lowest[lane] > settings.tolerance;
            }
        }
        if learns == [false; T] {
            break;
        }
    }
    weights
}

/// How little each weight is held. Sums go row by row: the numbering of columns may be anyone's.
fn eases<const T: usize>(rows: &TrainingRows<'_>, lanes: &[Lane]) -> Vec<[f32; T]> {
    let mut eases = vec![[1.0f32; T]; rows.width];
    for text in rows.texts {
        let of_text = eases_of_text(rows, text, lanes);
        eases[text.clone()].copy_from_slice(&of_text);
    }
    eases
}

fn eases_of_text<const T: usize>(
    rows: &TrainingRows<'_>,
    text: &Range<usize>,
    lanes: &[Lane],
) -> Vec<[f32; T]> {
    let mut sums = vec![([1.0f32; T], [1.0f32; T]); text.len()];
    let (mut ours, mut theirs) = ([text.len() as f64; T], [text.len() as f64; T]);
    for &row in rows.order {
        let row = row as usize;
        let sides = sides::<T>(lanes, &[true; T], rows.truth[row], rows.folds[row]);
        let (for_it, against) =
            (sides.map(|side| side.max(0.0)), sides.map(|side| (-side).max(0.0)));
        let mut length = 0.0;
        for (column, value) in rows.sparse.row(row).filter(|(column, _)| text.contains(column)) {
            length += value;
            let sums = &mut sums[column - text.start];
            for lane in 0..T {
                sums.0[lane] += for_it[lane] * value;
                sums.1[lane] += against[lane] * value;
            }
        }
        for lane in 0..T {
            ours[lane] += f64::from(for_it[lane] * length);
            theirs[lane] += f64::from(against[lane] * length);
        }
    }
    let apart: [f32; T] = std::array::from_fn(|lane| (theirs[lane] / ours[lane]) as f32);
    let ease = |(ours, theirs): ([f32; T], [f32; T])| {
        std::array::from_fn(|lane| libm::logf(ours[lane] / theirs[lane] * apart[lane]).abs())
    };
    sums.into_iter().map(ease).collect()
}

/// On which side of each model a row is; 0 where it takes no part.
#[inline(always)]
fn sides<const T: usize>(lanes: &[Lane], learns: &[bool; T], truth: &[u32], fold: u32) -> [f32; T] {
    let mut sides = [0.0; T];
    for ((side, lane), learns) in sides.iter_mut().zip(lanes).zip(learns) {
        if *learns && lane.without != Some(fold) {
            *side = if truth.contains(&lane.class) { 1.0 } else { -1.0 };
        }
    }
    sides
}

/// SplitMix64: the same numbers everywhere.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn shuffle(&mut self, items: &mut [u32]) {
        for last in (1..items.len()).rev() {
            let place = (u128::from(self.next()) * (last as u128 + 1)) >> 64;
            items.swap(last, place as usize);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const STRICT: Settings = Settings { cost: 1.0, tolerance: 1e-4 };

    /// Entries of each row, in three columns, its classes and its fold.
    type Some = Vec<(Vec<(u32, f32)>, Vec<u32>, u32)>;

    fn some_rows() -> impl Strategy<Value = Some> {
        let values = prop::collection::vec(0.0..1.0f32, 0..=3);
        let entries = values.prop_map(|values| (0u32..).zip(values).collect());
        let classes = prop::sample::subsequence(vec![0u32, 1, 2], 0..=3);
        prop::collection::vec((entries, classes, 0u32..2), 1..20)
    }

    fn lanes() -> Vec<Lane> {
        let folds = [None, Some(0), Some(1)];
        let of_class = |class| folds.map(|without| Lane { class, without });
        (0..3).flat_map(of_class).collect()
    }

    /// The weights of every model, dealt out to walks of `T`.
    fn learned<const T: usize>(rows: &Some, settings: Settings) -> Vec<Vec<f32>> {
        let mut sparse = Sparse::default();
        rows.iter().for_each(|row| sparse.push(row.0.iter().copied()));
        let truth: Vec<&[u32]> = rows.iter().map(|row| row.1.as_slice()).collect();
        let folds: Vec<u32> = rows.iter().map(|row| row.2).collect();
        let order: Vec<u32> = (0..rows.len() as u32).collect();
        let text = 0..2;
        let given = TrainingRows {
            sparse: &sparse,
            width: 3,
            texts: std::slice::from_ref(&text),
            truth: &truth,
            folds: &folds,
            order: &order,
        };
        let walk = |lanes: &[Lane]| {
            let weights = learn::<T>(&given, lanes, settings);
            let of_lane = |lane| weights.iter().map(|column| column[lane]).collect();
            (0..lanes.len()).map(of_lane).collect::<Vec<Vec<f32>>>()
        };
        lanes().chunks(T).flat_map(walk).collect()
    }

    /// Of each column, and of the intercept, how little its weight is held; two columns are a text.
    fn eases(rows: &Some, lane: Lane) -> Vec<f64> {
        let mut sums = [[1.0; 2]; 2];
        for (entries, classes, _) in rows.iter().filter(|row| lane.without != Some(row.2)) {
            let side = usize::from(classes.contains(&lane.class));
            let of_text = entries.iter().filter(|&&(column, _)| column < 2);
            of_text.for_each(|&(c, value)| sums[side][c as usize] += f64::from(value));
        }
        let share =
            |side: usize, column: usize| sums[side][column] / sums[side].iter().sum::<f64>();
        let ease = |column| (share(1, column) / share(0, column)).ln().abs();
        (0..2).map(ease).chain([1.0, 1.0]).collect()
    }

    fn objective(rows: &Some, lane: Lane, weights: &[f64]) -> f64 {
        let held = weights.iter().zip(eases(rows, lane));
        let mut sum: f64 = held.map(|(weight, ease)| weight * weight / ease.max(1e-9) / 2.0).sum();
        for (entries, classes, fold) in rows {
            let entries = entries.iter().map(|&(c, value)| weights[c as usize] * f64::from(value));
            let margin = weights[3] + entries.sum::<f64>();
            let side = if classes.contains(&lane.class) { 1.0 } else { -1.0 };
            if lane.without != Some(*fold) {
                sum += (1.0 - side * margin).max(0.0).powi(2);
            }
        }
        sum
    }

    proptest! {
        #[test]
        fn nothing_near_is_better(rows in some_rows(), nudge in -0.2..0.2f64, which in 0usize..4) {
            for (lane, weights) in lanes().into_iter().zip(learned::<4>(&rows, STRICT)) {
                let at: Vec<f64> = weights.iter().map(|&weight| f64::from(weight)).collect();
                let mut near = at.clone();
                near[which] += nudge;
                prop_assert!(objective(&rows, lane, &at) <= objective(&rows, lane, &near) + 1e-5);
            }
        }

        #[test]
        fn models_do_not_notice_each_other(rows in some_rows()) {
            let settings = Settings { tolerance: 0.1, ..STRICT };
            prop_assert_eq!(learned::<1>(&rows, settings), learned::<16>(&rows, settings));
        }
    }
}
