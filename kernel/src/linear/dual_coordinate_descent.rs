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
//! come, and along rows and columns in their order; whoever wants a result that no order of rows shows
//! in puts the rows in order first, and columns in the order of their keys.

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
    sparse: &'a Sparse,
    /// How many columns there are.
    width: usize,
    /// The columns of each text, rising.
    texts: &'a [Range<usize>],
    truth: &'a [&'a [u32]],
    pub(crate) folds: &'a [u32],
    /// In which order rows are first taken.
    order: &'a [u32],
    /// Column by column, the sum of its values in all rows, and in those outside each fold.
    sums: Vec<f32>,
    folds_and_all: usize,
}

impl<'a> TrainingRows<'a> {
    pub(crate) fn new(
        sparse: &'a Sparse,
        width: usize,
        texts: &'a [Range<usize>],
        truth: &'a [&'a [u32]],
        folds: &'a [u32],
        order: &'a [u32],
    ) -> Self {
        let folds_and_all = 1 + folds.iter().map(|&fold| fold as usize + 1).max().unwrap_or(0);
        let mut sums = vec![0.0f32; width * folds_and_all];
        for &row in order {
            let place = 1 + folds[row as usize] as usize;
            for (column, value) in sparse.row(row as usize) {
                sums[column * folds_and_all + place] += value;
            }
        }
        let mut within = vec![0.0; folds_and_all];
        for sums in sums.chunks_exact_mut(folds_and_all) {
            within.copy_from_slice(sums);
            for (place, sum) in sums.iter_mut().enumerate() {
                let others = (1..).zip(&within[1..]).filter(|&(other, _)| other != place);
                *sum = others.map(|(_, sum)| sum).sum();
            }
        }
        TrainingRows { sparse, width, texts, truth, folds, order, sums, folds_and_all }
    }

    /// How many rounds are taken at most.
    fn most_rounds(&self) -> usize {
        (MOST_ENTRIES / self.sparse.columns.len().max(1)).clamp(FEWEST_ROUNDS, MOST_ROUNDS)
    }
}

/// C, and when to stop: no two slopes differ by more than this.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Settings {
    pub(crate) cost: f32,
    pub(crate) tolerance: f32,
}

/// Past this many rounds a model is as good as it gets.
const MOST_ROUNDS: usize = 1000;

/// Large tables end before that: when so many entries were read, but not before so many rounds.
const MOST_ENTRIES: usize = 1 << 26;
const FEWEST_ROUNDS: usize = 6;

/// All rows are looked at in every so many rounds; in between, those that were not quiet.
const CYCLE: usize = 3;

/// A row is quiet, and left alone, where its slope is this small a part of the tolerance.
const QUIET: f32 = 0.1;

/// `T` numbers for each column. They begin where a cache line does, so that none lies across two.
pub(crate) struct Columns<const T: usize> {
    numbers: Vec<f32>,
    start: usize,
    len: usize,
}

impl<const T: usize> Columns<T> {
    /// So many numbers are a cache line.
    const LINE: usize = 16;

    fn zero(columns: usize) -> Self {
        let len = columns * T;
        let numbers = vec![0.0; len + Self::LINE];
        let start = numbers.as_ptr().align_offset(4 * Self::LINE).min(Self::LINE);
        Columns { numbers, start, len }
    }

    pub(crate) fn get(&self) -> &[[f32; T]] {
        self.numbers[self.start..self.start + self.len].as_chunks().0
    }

    pub(crate) fn get_mut(&mut self) -> &mut [[f32; T]] {
        self.numbers[self.start..self.start + self.len].as_chunks_mut().0
    }
}

/// The weights of a few models: those of each column, and last the intercepts.
pub(crate) fn learn<const T: usize>(
    rows: &TrainingRows<'_>,
    lanes: &[Lane],
    settings: Settings,
) -> Columns<T> {
    let mut learned = Columns::zero(rows.width + 1);
    let weights = learned.get_mut();
    let mut alphas = vec![[0.0f32; T]; rows.sparse.rows()];
    let mut learns = [false; T];
    learns[..lanes.len()].fill(true);
    let give = 0.5 / settings.cost;
    let eases = eases::<T>(rows, lanes);
    let eases = eases.get();
    let hold = |row: usize| {
        let mut curvature = [1.0 + give; T];
        for (column, value) in rows.sparse.row(row) {
            for lane in 0..T {
                curvature[lane] += eases[column][lane] * value * value;
            }
        }
        curvature.map(|curvature| 1.0 / curvature)
    };
    let mut holds = vec![[0.0f32; T]; rows.sparse.rows()];
    let mut quiet = vec![[false; T]; rows.sparse.rows()];
    let mut order = rows.order.to_vec();
    let mut random = Random(0);
    for round in 0..rows.most_rounds() {
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
            if round == 0 {
                holds[row] = hold(row);
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
                // Copies, which cannot overlap, are added up side by side.
                let (mut sums, eases) = (weights[column], eases[column]);
                for lane in 0..T {
                    sums[lane] += steps[lane] * eases[lane] * value;
                }
                weights[column] = sums;
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
    learned
}

/// How little each weight is held.
fn eases<const T: usize>(rows: &TrainingRows<'_>, lanes: &[Lane]) -> Columns<T> {
    let mut found = Columns::zero(rows.width);
    let eases = found.get_mut();
    for &row in rows.order {
        let row = row as usize;
        let sides = sides::<T>(lanes, &[true; T], rows.truth[row], rows.folds[row]);
        let ours = sides.map(|side| side.max(0.0));
        if ours == [0.0; T] {
            continue;
        }
        for (column, value) in rows.sparse.row(row) {
            let sums = &mut eases[column];
            for lane in 0..T {
                sums[lane] += ours[lane] * value;
            }
        }
    }
    let mut places = [0; T];
    for (place, lane) in places.iter_mut().zip(lanes) {
        // A fold that no row is in leaves nothing out.
        let without = lane.without.map(|fold| 1 + fold as usize);
        *place = without.filter(|&place| place < rows.folds_and_all).unwrap_or(0);
    }
    // What the rows of each lane have in a column, whichever their side.
    let both = |column: usize| {
        let sums = &rows.sums[column * rows.folds_and_all..][..rows.folds_and_all];
        places.map(|place| sums[place])
    };
    let mut end = 0;
    for text in rows.texts {
        eases[end..text.start].fill([1.0; T]);
        end = text.end;
        let (mut ours, mut theirs) = ([text.len() as f64; T], [text.len() as f64; T]);
        for column in text.clone() {
            let both = both(column);
            for lane in 0..T {
                ours[lane] += f64::from(eases[column][lane]);
                theirs[lane] += f64::from(both[lane] - eases[column][lane]);
            }
        }
        let apart: [f32; T] = std::array::from_fn(|lane| (theirs[lane] / ours[lane]) as f32);
        for column in text.clone() {
            let both = both(column);
            for (lane, ease) in eases[column].iter_mut().enumerate() {
                // Of what is all on one side, rounding may leave less than nothing on the other.
                let theirs = 1.0 + (both[lane] - *ease).max(0.0);
                *ease = libm::logf((1.0 + *ease) / theirs * apart[lane]).abs();
            }
        }
    }
    eases[end..].fill([1.0; T]);
    found
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
        let texts = std::slice::from_ref(&text);
        let given = TrainingRows::new(&sparse, 3, texts, &truth, &folds, &order);
        let walk = |lanes: &[Lane]| {
            let weights = learn::<T>(&given, lanes, settings);
            let of_lane = |lane| weights.get().iter().map(|column| column[lane]).collect();
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
        fn columns_begin_with_a_cache_line(columns in 0usize..9) {
            let mut numbers = Columns::<16>::zero(columns);
            numbers.get_mut().iter_mut().for_each(|of_column| of_column.fill(1.0));
            prop_assert_eq!(numbers.get(), vec![[1.0; 16]; columns]);
            prop_assert_eq!(numbers.get().as_ptr().align_offset(64), 0);
        }

        #[test]
        fn models_do_not_notice_each_other(rows in some_rows()) {
            let settings = Settings { tolerance: 0.1, ..STRICT };
            prop_assert_eq!(learned::<1>(&rows, settings), learned::<16>(&rows, settings));
        }
    }

    #[test]
    fn many_entries_are_read_in_fewer_rounds() {
        let rounds = |entries: usize| {
            let mut sparse = Sparse::default();
            sparse.push((0..entries as u32).map(|column| (column, 1.0)));
            TrainingRows::new(&sparse, entries, &[], &[], &[], &[]).most_rounds()
        };
        assert_eq!([0, 1 << 10, 1 << 22, 1 << 25].map(rounds), [1000, 1000, 16, 6]);
    }
}
