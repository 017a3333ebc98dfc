//! The stacked linear model: for each class a linear model of rows, one against the rest.
//!
//! ```text
//! score_c(x) = b_c + Σ_f w_cf · v_f(x)
//! ```
//!
//! Features come in blocks, a text or a column each. Weights are whole multiples of [`STEP`], so that
//! what is stored is what scores. For two classes of which each row has one, one model serves both.

use crate::counts::row_classes::members;
use crate::error::{Error, Result, corrupt};
use crate::linear::dual_coordinate_descent::{Lane, Settings, TrainingRows, learn};
use crate::linear::sparse_rows::Sparse;
use crate::linear::text_features::{Gone, TextFeatures};
use crate::maths::{fixed, real};
use std::ops::Range;
use std::sync::Arc;

/// The unit of weights. A row is of length one or a little more, so its score is off by a fraction of it.
const STEP: f32 = 1.0 / 128.0;

const SETTINGS: Settings = Settings { cost: 1.0, tolerance: 0.5 };

/// Some columns that follow one another: the features of a text, or so many others.
pub(crate) enum Block {
    Text(Arc<TextFeatures>),
    Columns(usize),
}

impl Block {
    pub(crate) fn width(&self) -> usize {
        match self {
            Block::Text(features) => features.width(),
            Block::Columns(width) => *width,
        }
    }
}

/// Holds the rows that a linear model learns from.
pub(crate) struct Learner {
    blocks: Vec<Block>,
    sparse: Sparse,
}

impl Learner {
    pub(crate) fn new(blocks: Vec<Block>) -> Self {
        Learner { blocks, sparse: Sparse::default() }
    }

    fn widths(&self) -> Vec<usize> {
        self.blocks.iter().map(Block::width).collect()
    }

    /// Takes more rows, block by block.
    pub(crate) fn read(&mut self, blocks: &[&Sparse]) -> Result<()> {
        self.sparse.append(Sparse::beside(blocks, &self.widths())?);
        Ok(())
    }

    /// The columns of each block.
    fn ranges(&self) -> Vec<Range<usize>> {
        let ends = self.widths().into_iter().scan(0, |end, width| {
            *end += width;
            Some(*end - width..*end)
        });
        ends.collect()
    }

    /// The model of all rows, and of each row the scores by the models of the rows outside its fold.
    pub(crate) fn learn(
        &self,
        given: &Given<'_>,
        threads: usize,
    ) -> Result<(LinearModel, Vec<f64>)> {
        let rows = self.sparse.rows();
        let truth = members(rows, given.sets)?;
        if [given.folds.len(), given.order.len()] != [rows; 2] {
            return Err(Error::Shape { what: format!("{rows} rows were read, others given") });
        }
        let paired = given.classes == 2 && !given.is_multilabel;
        let models = models(given.classes, paired);
        let folds = given.folds.iter().map(|&fold| fold + 1).max().unwrap_or(0);
        let of_class = |&class: &u32| {
            let without = std::iter::once(None).chain((0..folds).map(Some));
            without.map(move |without| Lane { class, without })
        };
        let lanes: Vec<Lane> = models.iter().flat_map(of_class).collect();
        let apart = self.apart(given.folds, folds as usize);
        let width = self.widths().iter().sum();
        let both = self.blocks.iter().zip(self.ranges());
        let texts: Vec<Range<usize>> = both
            .filter_map(|(block, columns)| matches!(block, Block::Text(_)).then_some(columns))
            .collect();
        let training =
            TrainingRows::new(&self.sparse, width, &texts, &truth, given.folds, given.order);
        let (size, walk): (usize, Walk) = match lanes.len().div_ceil(threads.max(1)) {
            0..=4 => (4, walk::<4>),
            5..=8 => (8, walk::<8>),
            _ => (16, walk::<16>),
        };
        let walks: Vec<&[Lane]> = lanes.chunks(size).collect();
        let shares = crate::parallel::shares(&walks, |_| 1, threads);
        let found = crate::parallel::each(shares, |share| {
            share.iter().map(|lanes| walk(&training, &apart, lanes)).collect::<Vec<_>>()
        });
        let mut model = LinearModel::new(self.widths(), given.classes, paired);
        let mut cells: Vec<(u32, Cell)> = Vec::new();
        let mut scores = vec![0.0; rows * given.classes];
        for walked in found.into_iter().flatten() {
            cells.extend(walked.cells);
            model.intercepts.extend(walked.intercepts);
            for (row, class, score) in walked.scores {
                scores[row as usize * given.classes + class as usize] = f64::from(score);
            }
        }
        if paired {
            scores.as_chunks_mut::<2>().0.iter_mut().for_each(|row| row[0] = -row[1]);
        }
        model.set(&cells);
        if given.is_multilabel {
            model.centre(&mut scores);
        }
        Ok((model, scores))
    }

    /// The rows as they would be read if the rest of their fold had not been there.
    fn apart(&self, of_row: &[u32], folds: usize) -> Sparse {
        let ranges = self.ranges();
        let block_of = |column: u32| ranges.partition_point(|range| range.end <= column as usize);
        let nobody = |block: &Block| match block {
            Block::Text(features) => Some(Gone { rows: 0, documents: vec![0; features.width()] }),
            Block::Columns(_) => None,
        };
        let mut gone: Vec<Vec<Option<Gone>>> =
            (0..folds).map(|_| self.blocks.iter().map(nobody).collect()).collect();
        for (row, &fold) in of_row.iter().enumerate() {
            let gone = &mut gone[fold as usize];
            gone.iter_mut().flatten().for_each(|gone| gone.rows += 1);
            for (column, _) in self.sparse.row(row) {
                let block = block_of(column as u32);
                if let Some(gone) = &mut gone[block] {
                    gone.documents[column - ranges[block].start] += 1;
                }
            }
        }
        let mut apart = Sparse::default();
        let mut entries: Vec<(u32, f32)> = Vec::new();
        for (row, &fold) in of_row.iter().enumerate() {
            entries.clear();
            let read: Vec<(u32, f32)> =
                self.sparse.row(row).map(|(column, value)| (column as u32, value)).collect();
            for own in read.chunk_by(|a, b| block_of(a.0) == block_of(b.0)) {
                let block = block_of(own[0].0);
                if let (Block::Text(features), Some(gone)) =
                    (&self.blocks[block], &gone[fold as usize][block])
                {
                    let first = ranges[block].start as u32;
                    let own = own.iter().map(|&(column, value)| (column - first, value));
                    let left = features.without(gone, own).into_iter();
                    entries.extend(left.map(|(column, value)| (first + column, value)));
                } else {
                    entries.extend_from_slice(own);
                }
            }
            apart.push(entries.iter().copied());
        }
        apart
    }
}

/// What some models learn, and what those without a fold say of its rows.
fn walk<const T: usize>(rows: &TrainingRows<'_>, apart: &Sparse, lanes: &[Lane]) -> Walked {
    let mut learned = learn::<T>(rows, lanes, SETTINGS);
    let weights = learned.get_mut();
    weights.as_flattened_mut().iter_mut().for_each(|weight| *weight = (*weight / STEP).round());
    let intercepts = weights[weights.len() - 1];
    let mut walked = Walked::default();
    for (place, lane) in lanes.iter().enumerate().filter(|(_, lane)| lane.without.is_none()) {
        for (column, weights) in (0..).zip(&weights[..weights.len() - 1]) {
            if weights[place] != 0.0 {
                let cell = Cell { class: lane.class, steps: weights[place] as i32 };
                walked.cells.push((column, cell));
            }
        }
        walked.intercepts.push(intercepts[place] as i32);
    }
    for row in 0..apart.rows() {
        let is_of = |lane: &Lane| lane.without == Some(rows.folds[row]);
        if !lanes.iter().any(is_of) {
            continue;
        }
        let mut scores = [0.0f32; T];
        for (column, value) in apart.row(row) {
            for lane in 0..T {
                scores[lane] += weights[column][lane] * value;
            }
        }
        for (place, lane) in lanes.iter().enumerate().filter(|(_, lane)| is_of(lane)) {
            let score = intercepts[place] + scores[place];
            walked.scores.push((row as u32, lane.class, score * STEP));
        }
    }
    walked
}

/// Of each row that was read its classes and its fold, and in which order rows are taken.
pub(crate) struct Given<'a> {
    pub(crate) classes: usize,
    /// Whether rows are multi-label, each label a question of its own.
    pub(crate) is_multilabel: bool,
    /// Where the classes of each row begin, and the classes; those beyond `classes` are none.
    pub(crate) sets: (&'a [u32], &'a [u32]),
    pub(crate) folds: &'a [u32],
    pub(crate) order: &'a [u32],
}

type Walk = fn(&TrainingRows<'_>, &Sparse, &[Lane]) -> Walked;

#[derive(Default)]
struct Walked {
    cells: Vec<(u32, Cell)>,
    intercepts: Vec<i32>,
    /// Row, class, score.
    scores: Vec<(u32, u32, f32)>,
}

/// The classes that have a model: of two, the second serves both.
fn models(classes: usize, paired: bool) -> Vec<u32> {
    (u32::from(paired)..classes as u32).collect()
}

/// The weight of a feature for a class, in steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Cell {
    class: u32,
    steps: i32,
}

/// What was learned, ready to score.
pub(crate) struct LinearModel {
    /// How many columns each block has.
    widths: Vec<usize>,
    classes: usize,
    /// Whether there are two classes, and the score of one is the negative of the other's.
    paired: bool,
    /// In steps, a number for each model.
    intercepts: Vec<i32>,
    /// Where the cells of each column begin.
    starts: Vec<usize>,
    cells: Vec<Cell>,
}

/// A linear model as plain arrays: `cells` weights for each column, with rising classes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct StoredLinearModel {
    pub(crate) cells: Vec<u32>,
    pub(crate) classes: Vec<u32>,
    /// In steps, the sign in the lowest bit.
    pub(crate) weights: Vec<u32>,
    pub(crate) intercepts: Vec<u32>,
}

impl LinearModel {
    fn new(widths: Vec<usize>, classes: usize, paired: bool) -> Self {
        let starts = vec![0; widths.iter().sum::<usize>() + 1];
        LinearModel { widths, classes, paired, intercepts: Vec::new(), starts, cells: Vec::new() }
    }

    /// Takes the cells in, column by column; those of a column come with rising classes.
    fn set(&mut self, cells: &[(u32, Cell)]) {
        for &(column, _) in cells {
            self.starts[column as usize + 1] += 1;
        }
        for column in 1..self.starts.len() {
            self.starts[column] += self.starts[column - 1];
        }
        let mut ends = self.starts.clone();
        self.cells = vec![Cell { class: 0, steps: 0 }; cells.len()];
        for &(column, cell) in cells {
            self.cells[ends[column as usize]] = cell;
            ends[column as usize] += 1;
        }
    }

    /// Takes from every class what is said of it on average, of rows left out, whose scores these are. How
    /// rare a class is, is known before anything is read, and need not be said again.
    fn centre(&mut self, scores: &mut [f64]) {
        let rows = scores.len() / self.classes.max(1);
        for (class, intercept) in self.intercepts.iter_mut().enumerate() {
            let of_class = || (class..).step_by(self.classes).take(rows);
            let sum: i128 = of_class().map(|place| fixed(scores[place])).sum();
            let steps = (real(sum) / (rows.max(1) as f64 * f64::from(STEP))).round();
            *intercept -= steps as i32;
            of_class().for_each(|place| scores[place] -= steps * f64::from(STEP));
        }
    }

    fn of_column(&self, column: u32) -> &[Cell] {
        &self.cells[self.starts[column as usize]..self.starts[column as usize + 1]]
    }

    /// What the intercepts say of each class.
    pub(crate) fn intercepts(&self) -> Vec<f64> {
        let mut scores = vec![0.0; self.classes];
        for (class, &steps) in models(self.classes, self.paired).into_iter().zip(&self.intercepts) {
            self.say(&mut scores, Cell { class, steps }, 1.0);
        }
        scores
    }

    #[inline(always)]
    fn say(&self, scores: &mut [f64], cell: Cell, value: f32) {
        let score = f64::from(cell.steps) * f64::from(STEP * value);
        scores[cell.class as usize] += score;
        if self.paired {
            scores[0] -= score;
        }
    }

    /// The score of each row and class; rows come block by block.
    pub(crate) fn score(&self, blocks: &[&Sparse], threads: usize) -> Result<Vec<f64>> {
        let rows = Sparse::beside(blocks, &self.widths)?;
        let intercepts = self.intercepts();
        let every: Vec<usize> = (0..rows.rows()).collect();
        let shares = crate::parallel::shares(&every, |_| 1, threads);
        let parts = crate::parallel::each(shares, |share| {
            let mut scores = intercepts.repeat(share.len());
            for (&row, total) in share.iter().zip(scores.chunks_mut(self.classes)) {
                for (column, value) in rows.row(row) {
                    let cells = self.of_column(column as u32).iter();
                    cells.for_each(|&cell| self.say(total, cell, value));
                }
            }
            scores
        });
        Ok(parts.concat())
    }

    /// What each entry of rows adds to the score of each class, one row per entry.
    pub(crate) fn contributions(&self, blocks: &[&Sparse]) -> Result<Vec<f64>> {
        let rows = Sparse::beside(blocks, &self.widths)?;
        let mut scores = vec![0.0; rows.columns.len() * self.classes];
        let entries = rows.columns.iter().zip(&rows.values);
        for ((&column, &value), scores) in entries.zip(scores.chunks_mut(self.classes)) {
            self.of_column(column).iter().for_each(|&cell| self.say(scores, cell, value));
        }
        Ok(scores)
    }

    pub(crate) fn classes(&self) -> usize {
        self.classes
    }

    pub(crate) fn stored(&self) -> StoredLinearModel {
        StoredLinearModel {
            cells: self.starts.windows(2).map(|ends| (ends[1] - ends[0]) as u32).collect(),
            classes: self.cells.iter().map(|cell| cell.class).collect(),
            weights: self.cells.iter().map(|cell| folded(cell.steps)).collect(),
            intercepts: self.intercepts.iter().map(|&steps| folded(steps)).collect(),
        }
    }
}

impl StoredLinearModel {
    /// The linear model these arrays describe. Whatever [`LinearModel::stored`] could not have given is refused.
    pub(crate) fn restore(self, widths: Vec<usize>, classes: usize) -> Result<LinearModel> {
        if self.cells.len() != widths.iter().sum::<usize>() {
            return corrupt("the features of its linear model differ in number");
        }
        let paired = classes == 2 && self.intercepts.len() == 1;
        let models = models(classes, paired);
        if classes == 0 || self.intercepts.len() != models.len() {
            return corrupt("its linear model is not one of its classes");
        }
        let mut cells: Vec<(u32, Cell)> = Vec::new();
        for (column, &len) in (0..).zip(&self.cells) {
            let range = cells.len()..cells.len() + len as usize;
            let (Some(of), Some(weights)) =
                (self.classes.get(range.clone()), self.weights.get(range))
            else {
                return corrupt("the weights of its linear model run over their end");
            };
            let rising = of.is_sorted_by(|a, b| a < b);
            let known = of.iter().all(|class| models.contains(class));
            if !rising || !known || weights.contains(&0) {
                return corrupt("the weights of its linear model are not in order");
            }
            let both = of.iter().zip(weights);
            cells.extend(
                both.map(|(&class, &weight)| (column, Cell { class, steps: unfolded(weight) })),
            );
        }
        if cells.len() != self.classes.len() || cells.len() != self.weights.len() {
            return corrupt("its linear model holds more than its features");
        }
        let mut model = LinearModel::new(widths, classes, paired);
        model.intercepts.extend(self.intercepts.iter().map(|&steps| unfolded(steps)));
        model.set(&cells);
        Ok(model)
    }
}

/// A number with its sign in the lowest bit, so that small ones stay small.
fn folded(steps: i32) -> u32 {
    (steps << 1 ^ steps >> 31) as u32
}

fn unfolded(folded: u32) -> i32 {
    (folded >> 1) as i32 ^ -((folded & 1) as i32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counts::text_counts::TextCounts;
    use crate::text::reading::Reading;
    use proptest::prelude::*;

    fn reading() -> Reading {
        Reading { char_ngrams: Some((2, 3)), ..Reading::word_ngrams(1, 2) }
    }

    /// A number and a flag beside each text.
    fn beside(rows: usize) -> Sparse {
        let mut sparse = Sparse::default();
        for row in 0..rows {
            let number = (row % 5) as f32 / 2.0 - 1.0;
            sparse.push([(0, number), (1, 1.0)].into_iter().take(1 + row % 2));
        }
        sparse
    }

    /// The features of some texts, and the linear model of them and of numbers, the class of each being
    /// its place modulo `classes`.
    fn formed(
        texts: &[&str],
        classes: usize,
        is_multilabel: bool,
        threads: usize,
    ) -> (Arc<TextFeatures>, LinearModel, Vec<f64>) {
        let truth: Vec<u32> = (0..texts.len()).map(|row| (row % classes) as u32).collect();
        let folds: Vec<u32> = (0..texts.len()).map(|row| (row % 3) as u32).collect();
        let order: Vec<u32> = (0..texts.len() as u32).collect();
        let counts = TextCounts::observe(&reading(), texts, &truth, classes, 1).unwrap();
        let features = Arc::new(TextFeatures::of(&counts, texts.len() as u64, None));
        let mut learner = Learner::new(vec![Block::Text(features.clone()), Block::Columns(2)]);
        let read = features.read(texts, threads).unwrap();
        learner.read(&[&read, &beside(texts.len())]).unwrap();
        let starts: Vec<u32> = (0..=texts.len() as u32).collect();
        let sets = (starts.as_slice(), truth.as_slice());
        let given = Given { classes, is_multilabel, sets, folds: &folds, order: &order };
        let (model, scores) = learner.learn(&given, threads).unwrap();
        (features, model, scores)
    }

    fn some_texts() -> impl Strategy<Value = Vec<String>> {
        prop::collection::vec("[a-c]{1,3}( [a-d\u{e9}]{1,3}){0,5}", 4..12)
    }

    proptest! {
        #[test]
        fn what_is_stored_says_the_same(texts in some_texts(), classes in 2usize..5, is_multilabel: bool, threads in 1usize..4) {
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            let (features, model, apart) = formed(&texts, classes, is_multilabel, threads);
            prop_assert_eq!(&formed(&texts, classes, is_multilabel, 1).2, &apart);
            let (sorted, documents) = features.stored();
            let again = TextFeatures::restore(&reading(), sorted, documents, texts.len() as u64).unwrap();
            prop_assert_eq!(again.stored(), features.stored());
            let back = model.stored().restore(vec![again.width(), 2], classes).unwrap();
            prop_assert_eq!(back.stored(), model.stored());
            let more = beside(texts.len());
            let (read, reread) = (features.read(&texts, threads).unwrap(), again.read(&texts, 1).unwrap());
            prop_assert_eq!(&read, &reread);
            let scores = model.score(&[&read, &more], threads).unwrap();
            prop_assert_eq!(&back.score(&[&read, &more], 1).unwrap(), &scores);
            let said = back.contributions(&[&read, &more]).unwrap();
            let mut said = said.chunks(classes);
            for (row, scores) in scores.chunks(classes).enumerate() {
                let mut sums = back.intercepts();
                let entries = read.row(row).count() + more.row(row).count();
                prop_assert_eq!(features.named(texts[row]).unwrap().len(), read.row(row).count());
                for said in said.by_ref().take(entries) {
                    sums.iter_mut().zip(said).for_each(|(sum, score)| *sum += score);
                }
                for (sum, score) in sums.iter().zip(scores) {
                    prop_assert!((sum - score).abs() < 1e-9);
                }
            }
        }

        #[test]
        fn altered_arrays_never_panic(texts in some_texts(), array in 2usize..6, place: prop::sample::Index, value in 0u32..70000) {
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            let (features, model, _) = formed(&texts, 3, false, 1);
            let mut stored = model.stored();
            let numbers = match array {
                2 => &mut stored.cells,
                3 => &mut stored.classes,
                4 => &mut stored.weights,
                _ => &mut stored.intercepts,
            };
            if !numbers.is_empty() {
                let at = place.index(numbers.len());
                numbers[at] = value;
            }
            let again = stored.clone();
            if let Ok(back) = stored.restore(vec![features.width(), 2], 3) {
                prop_assert_eq!(back.stored(), again);
            }
        }
    }

    #[test]
    fn signs_fold() {
        for steps in [0, 1, -1, 127, -128, i32::MAX, i32::MIN] {
            assert_eq!(unfolded(folded(steps)), steps);
        }
        assert_eq!([0, -1, 1, -2].map(folded), [0, 1, 2, 3]);
    }
}
