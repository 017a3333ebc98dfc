//! The stacked linear model: for each class a linear model of texts, one against the rest.
//!
//! ```text
//! score_c(x) = b_c + Σ_f w_cf · v_f(x)        v_f(x) = (1 + log x_f) · idf_f / ‖·‖
//! ```
//!
//! Features are those of a text tally that two documents or more hold; word n-grams have length one
//! together, and so have character n-grams. Weights are whole multiples of [`STEP`], so that
//! what is stored is what scores. For two classes of which each row has one, one model serves both.

use crate::counts::class_counts::Count;
use crate::counts::features::Features;
use crate::counts::row_classes::members;
use crate::counts::text_counts::{TextCounts, check_lengths};
use crate::dictionary::distinct_features::Distinct;
use crate::dictionary::sorted_features::Sorted;
use crate::error::{Error, Result, corrupt};
use crate::linear::dual_coordinate_descent::{Lane, Settings, Sparse, TrainingRows, learn};
use crate::maths::{fixed, log, real};
use crate::naive_bayes::views::idf;
use crate::naive_bayes::weights::Contribution;
use crate::text::feature_reader::Occurrences;
use crate::text::reading::{FeatureKind, Reading};

/// Features that fewer documents hold say nothing of other texts.
const LEAST_DOCUMENTS: u64 = 2;

/// The unit of weights. A text is of length one or a little more, so its score is off by a fraction of it.
const STEP: f32 = 1.0 / 128.0;

const SETTINGS: Settings = Settings { cost: 1.0, tolerance: 0.5 };

const NONE: u32 = u32::MAX;

/// The features that take part, and how a text has them.
#[derive(Clone)]
struct Columns {
    features: Features,
    /// The column of each id, block by block; [`NONE`] if it takes no part.
    of_id: Vec<Vec<u32>>,
    /// How many documents hold each, of how many.
    documents: Vec<u64>,
    rows: u64,
    idf: Vec<f32>,
}

/// Where a text has which feature.
struct Entry {
    column: u32,
    block: usize,
    id: u32,
    occurrences: u32,
    value: f32,
}

impl Columns {
    fn new(features: Features, of_id: Vec<Vec<u32>>, documents: Vec<u64>, rows: u64) -> Self {
        let idf = documents.iter().map(|&documents| idf(rows, documents) as f32).collect();
        Columns { features, of_id, documents, rows, idf }
    }

    /// The features of a text, in its order.
    fn of(&self, occurrences: &Occurrences, distinct: &mut Distinct) -> Vec<Entry> {
        let mut entries: Vec<Entry> = Vec::new();
        for (block, (columns, ids)) in self.of_id.iter().zip(&occurrences.blocks).enumerate() {
            for &(id, occurrences) in distinct.of(ids, columns.len()) {
                let column = columns[id as usize];
                if column != NONE {
                    let value =
                        (1.0 + log(f64::from(occurrences))) as f32 * self.idf[column as usize];
                    entries.push(Entry { column, block, id, occurrences, value });
                }
            }
        }
        let kinds = self.features.kinds();
        for family in entries.chunk_by_mut(|a, b| family(kinds[a.block]) == family(kinds[b.block]))
        {
            let length = norm(family.iter().map(|entry| entry.value));
            family.iter_mut().for_each(|entry| entry.value /= length);
        }
        entries
    }
}

/// Kinds of one family share a length.
fn family(kind: FeatureKind) -> u8 {
    if let FeatureKind::WordNgram(_) = kind { 0 } else { kind.byte() }
}

/// The length of some values; of none, one.
fn norm(values: impl Iterator<Item = f32>) -> f32 {
    let square: f32 = values.map(|value| value * value).sum();
    if square > 0.0 { libm::sqrtf(square) } else { 1.0 }
}

/// Reads the rows that a linear model learns from.
pub(crate) struct Learner {
    columns: Columns,
    sparse: Sparse,
}

impl Learner {
    /// The features of `counts`, which come from so many rows. Where these are multi-label, one
    /// class has `every` row.
    pub(crate) fn new(counts: &TextCounts, rows: u64, every: Option<u32>) -> Self {
        let mut documents = Vec::new();
        let mut columns = Vec::new();
        for (block, len) in counts.features().blocks().enumerate() {
            let mut of_block = vec![NONE; len];
            for (id, column) in of_block.iter_mut().enumerate() {
                let of_rows = |count: &&Count| every.is_none_or(|class| count.class == class);
                let counted = counts.blocks()[block].row(id as u32).iter().filter(of_rows);
                let held = counted.map(|count| count.documents).sum();
                if held >= LEAST_DOCUMENTS {
                    *column = documents.len() as u32;
                    documents.push(held);
                }
            }
            columns.push(of_block);
        }
        let columns = Columns::new(counts.features().clone(), columns, documents, rows);
        Learner { columns, sparse: Sparse::default() }
    }

    pub(crate) fn read(&mut self, texts: &[&str], threads: usize) -> Result<()> {
        check_lengths(texts)?;
        let shares = crate::parallel::shares(texts, |text| text.len() + 8, threads);
        let parts = crate::parallel::each(shares, |share| {
            let (mut distinct, mut part) = (Distinct::default(), Sparse::default());
            self.columns.features.each(share, |_, reader| {
                let entries = self.columns.of(&reader.occurrences, &mut distinct);
                part.push(entries.iter().map(|entry| (entry.column, entry.value)));
            })?;
            Ok(part)
        });
        for part in parts {
            self.sparse.append(part?);
        }
        Ok(())
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
        let (size, walk): (usize, Walk) = match lanes.len().div_ceil(threads.max(1)) {
            0..=4 => (4, Self::walk::<4>),
            5..=8 => (8, Self::walk::<8>),
            _ => (16, Self::walk::<16>),
        };
        let walks: Vec<&[Lane]> = lanes.chunks(size).collect();
        let shares = crate::parallel::shares(&walks, |_| 1, threads);
        let found = crate::parallel::each(shares, |share| {
            share.iter().map(|lanes| walk(self, given, &truth, &apart, lanes)).collect::<Vec<_>>()
        });
        let mut model = LinearModel::new(self.columns.clone(), given.classes, paired);
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
        model.set(cells);
        if given.is_multilabel {
            model.centre(&mut scores);
        }
        Ok((model, scores))
    }

    /// The rows as they would be read if the rest of their fold had not been there.
    fn apart(&self, of_row: &[u32], folds: usize) -> Sparse {
        let mut rows = vec![0u64; folds];
        let mut documents = vec![vec![0u64; self.columns.idf.len()]; folds];
        for (row, &fold) in of_row.iter().enumerate() {
            rows[fold as usize] += 1;
            for (column, _) in self.sparse.row(row) {
                documents[fold as usize][column] += 1;
            }
        }
        let kinds = self.columns.features.kinds();
        let mut families = Vec::new();
        for (columns, &kind) in self.columns.of_id.iter().zip(kinds) {
            let there = columns.iter().filter(|&&column| column != NONE);
            families.extend(there.map(|_| family(kind)));
        }
        let mut apart = Sparse::default();
        let mut entries: Vec<(u32, f32)> = Vec::new();
        for (row, &fold) in of_row.iter().enumerate() {
            entries.clear();
            for (column, value) in self.sparse.row(row) {
                let left = self.columns.documents[column] - documents[fold as usize][column];
                if left >= LEAST_DOCUMENTS {
                    let idf = idf(self.columns.rows - rows[fold as usize], left) as f32;
                    entries.push((column as u32, value / self.columns.idf[column] * idf));
                }
            }
            let same =
                |a: &(u32, f32), b: &(u32, f32)| families[a.0 as usize] == families[b.0 as usize];
            for family in entries.chunk_by_mut(same) {
                let length = norm(family.iter().map(|entry| entry.1));
                family.iter_mut().for_each(|entry| entry.1 /= length);
            }
            apart.push(entries.iter().copied());
        }
        apart
    }

    /// What some models learn, and what those without a fold say of its rows.
    fn walk<const T: usize>(
        &self,
        given: &Given<'_>,
        truth: &[&[u32]],
        apart: &Sparse,
        lanes: &[Lane],
    ) -> Walked {
        let width = self.columns.idf.len();
        let rows = TrainingRows {
            sparse: &self.sparse,
            width,
            truth,
            folds: given.folds,
            order: given.order,
        };
        let mut weights = learn::<T>(&rows, lanes, SETTINGS);
        weights.as_flattened_mut().iter_mut().for_each(|weight| *weight = (*weight / STEP).round());
        let mut walked = Walked::default();
        for (place, lane) in lanes.iter().enumerate() {
            let Some(fold) = lane.without else {
                for (column, weights) in weights[..width].iter().enumerate() {
                    if weights[place] != 0.0 {
                        let cell = Cell { class: lane.class, steps: weights[place] as i32 };
                        walked.cells.push((column as u32, cell));
                    }
                }
                walked.intercepts.push(weights[width][place] as i32);
                continue;
            };
            for row in (0..apart.rows()).filter(|&row| given.folds[row] == fold) {
                let said = apart.row(row).map(|(column, value)| weights[column][place] * value);
                let score = weights[width][place] + said.sum::<f32>();
                walked.scores.push((row as u32, lane.class, score * STEP));
            }
        }
        walked
    }
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

type Walk = fn(&Learner, &Given<'_>, &[&[u32]], &Sparse, &[Lane]) -> Walked;

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
    columns: Columns,
    classes: usize,
    /// Whether there are two classes, and the score of one is the negative of the other's.
    paired: bool,
    /// In steps, a number for each model.
    intercepts: Vec<i32>,
    /// Where the cells of each column begin.
    starts: Vec<usize>,
    cells: Vec<Cell>,
}

/// A linear model as plain arrays: features in the order of their keys, and `cells` weights for each, with
/// rising classes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct StoredLinearModel {
    pub(crate) features: Sorted,
    pub(crate) documents: Vec<u64>,
    pub(crate) cells: Vec<u32>,
    pub(crate) classes: Vec<u32>,
    /// In steps, the sign in the lowest bit.
    pub(crate) weights: Vec<u32>,
    pub(crate) intercepts: Vec<u32>,
}

impl LinearModel {
    fn new(columns: Columns, classes: usize, paired: bool) -> Self {
        let starts = vec![0; columns.idf.len() + 1];
        LinearModel { columns, classes, paired, intercepts: Vec::new(), starts, cells: Vec::new() }
    }

    /// Takes the cells in, column by column.
    fn set(&mut self, mut cells: Vec<(u32, Cell)>) {
        cells.sort_unstable_by_key(|&(column, cell)| (column, cell.class));
        for &(column, _) in &cells {
            self.starts[column as usize + 1] += 1;
        }
        for column in 1..self.starts.len() {
            self.starts[column] += self.starts[column - 1];
        }
        self.cells = cells.into_iter().map(|(_, cell)| cell).collect();
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

    /// The score of each text and class, one row per text.
    pub(crate) fn score(&self, texts: &[&str], threads: usize) -> Result<Vec<f64>> {
        check_lengths(texts)?;
        let intercepts = self.intercepts();
        let shares = crate::parallel::shares(texts, |text| text.len() + 8, threads);
        let parts = crate::parallel::each(shares, |share| {
            let mut distinct = Distinct::default();
            let mut scores = vec![0.0; share.len() * self.classes];
            self.columns.features.each(share, |row, reader| {
                let total = &mut scores[row * self.classes..][..self.classes];
                total.copy_from_slice(&intercepts);
                for entry in self.columns.of(&reader.occurrences, &mut distinct) {
                    for &cell in self.of_column(entry.column) {
                        self.say(total, cell, entry.value);
                    }
                }
            })?;
            Ok(scores)
        });
        parts.into_iter().collect::<Result<Vec<_>>>().map(|parts| parts.concat())
    }

    /// The features of `text` that have a weight, in order, and what each adds.
    pub(crate) fn contributions(&self, text: &str) -> Result<Vec<Contribution>> {
        check_lengths(&[text])?;
        let mut found = Vec::new();
        self.columns.features.each(&[text], |_, reader| {
            let names = reader.names(text);
            found = self.contributions_of(&reader.occurrences, &names);
        })?;
        Ok(found)
    }

    fn contributions_of(&self, text: &Occurrences, names: &[Vec<String>]) -> Vec<Contribution> {
        let (entries, blocks) = (self.columns.of(text, &mut Distinct::default()), &text.blocks);
        let spoken = entries.iter().filter(|entry| !self.of_column(entry.column).is_empty());
        let contribution = |entry: &Entry| {
            let place = blocks[entry.block].iter().position(|&id| id == entry.id)?;
            let mut scores = vec![0.0; self.classes];
            let cells = self.of_column(entry.column).iter();
            cells.for_each(|&cell| self.say(&mut scores, cell, entry.value));
            Some(Contribution {
                kind: self.columns.features.kinds()[entry.block],
                name: names[entry.block][place].clone(),
                count: entry.occurrences,
                scores,
            })
        };
        spoken.filter_map(contribution).collect()
    }

    pub(crate) fn classes(&self) -> usize {
        self.classes
    }

    pub(crate) fn kinds(&self) -> &[FeatureKind] {
        self.columns.features.kinds()
    }

    /// How many documents it was formed on.
    pub(crate) fn rows(&self) -> u64 {
        self.columns.rows
    }

    pub(crate) fn stored(&self) -> StoredLinearModel {
        let Columns { features, of_id, documents, .. } = &self.columns;
        let takes_part =
            |columns: &Vec<u32>| columns.iter().map(|&column| column != NONE).collect();
        let mut alive: Vec<Option<Vec<bool>>> =
            of_id.iter().map(|columns| Some(takes_part(columns))).collect();
        let counts = |kind: &&FeatureKind| !features.reading().counts(**kind);
        features.mark_parts(features.kinds().iter().take_while(counts).count(), &mut alive);
        let ordered = features.in_order(&alive);
        let mut stored = StoredLinearModel {
            intercepts: self.intercepts.iter().map(|&steps| folded(steps)).collect(),
            ..StoredLinearModel::default()
        };
        for (block, of_id) in of_id.iter().enumerate() {
            for id in ordered.ids(block) {
                let column = of_id[id as usize];
                if column == NONE {
                    continue;
                }
                stored.documents.push(documents[column as usize]);
                let cells = self.of_column(column);
                stored.cells.push(cells.len() as u32);
                stored.classes.extend(cells.iter().map(|cell| cell.class));
                stored.weights.extend(cells.iter().map(|cell| folded(cell.steps)));
            }
        }
        StoredLinearModel { features: ordered.sorted, ..stored }
    }
}

impl StoredLinearModel {
    /// The linear model these arrays describe. Whatever [`LinearModel::stored`] could not have given is refused.
    pub(crate) fn restore(
        self,
        reading: &Reading,
        rows: u64,
        classes: usize,
    ) -> Result<LinearModel> {
        self.features.check(reading)?;
        let mut column = 0;
        let mut of_id: Vec<Vec<u32>> = Vec::new();
        for (kind, block) in reading.kinds().into_iter().zip(&self.features.blocks) {
            if reading.counts(kind) {
                of_id.push((column..).take(block.len()).collect());
                column += block.len() as u32;
            } else {
                of_id.push(vec![NONE; block.len()]);
            }
        }
        if self.documents.len() != column as usize || self.cells.len() != column as usize {
            return corrupt("the features of its linear model differ in number");
        }
        let paired = classes == 2 && self.intercepts.len() == 1;
        let models = models(classes, paired);
        if classes == 0 || self.intercepts.len() != models.len() {
            return corrupt("its linear model is not one of its classes");
        }
        if self.documents.iter().any(|documents| !(LEAST_DOCUMENTS..=rows).contains(documents)) {
            return corrupt("a feature of its linear model is in too many documents, or too few");
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
        let features = Features::stored(reading, self.features);
        let mut model =
            LinearModel::new(Columns::new(features, of_id, self.documents, rows), classes, paired);
        model.intercepts.extend(self.intercepts.iter().map(|&steps| unfolded(steps)));
        model.set(cells);
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
    use proptest::prelude::*;

    fn reading() -> Reading {
        Reading { char_ngrams: Some((2, 3)), ..Reading::word_ngrams(1, 2) }
    }

    /// The linear model of some texts, the class of each being its place modulo `classes`.
    fn formed(
        texts: &[&str],
        classes: usize,
        is_multilabel: bool,
        threads: usize,
    ) -> (LinearModel, Vec<f64>) {
        let truth: Vec<u32> = (0..texts.len()).map(|row| (row % classes) as u32).collect();
        let folds: Vec<u32> = (0..texts.len()).map(|row| (row % 3) as u32).collect();
        let order: Vec<u32> = (0..texts.len() as u32).collect();
        let counts = TextCounts::observe(&reading(), texts, &truth, classes, 1).unwrap();
        let mut learner = Learner::new(&counts, texts.len() as u64, None);
        learner.read(texts, threads).unwrap();
        let starts: Vec<u32> = (0..=texts.len() as u32).collect();
        let sets = (starts.as_slice(), truth.as_slice());
        let given = Given { classes, is_multilabel, sets, folds: &folds, order: &order };
        learner.learn(&given, threads).unwrap()
    }

    fn some_texts() -> impl Strategy<Value = Vec<String>> {
        prop::collection::vec("[a-c]{1,3}( [a-d\u{e9}]{1,3}){0,5}", 4..12)
    }

    proptest! {
        #[test]
        fn what_is_stored_says_the_same(texts in some_texts(), classes in 2usize..5, is_multilabel: bool, threads in 1usize..4) {
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            let (model, apart) = formed(&texts, classes, is_multilabel, threads);
            prop_assert_eq!(&formed(&texts, classes, is_multilabel, 1).1, &apart);
            let back = model.stored().restore(&reading(), model.rows(), classes).unwrap();
            prop_assert_eq!(back.stored(), model.stored());
            let scores = model.score(&texts, threads).unwrap();
            prop_assert_eq!(&back.score(&texts, 1).unwrap(), &scores);
            for (text, scores) in texts.iter().zip(scores.chunks(classes)) {
                let mut sums = back.intercepts();
                for said in back.contributions(text).unwrap() {
                    sums.iter_mut().zip(said.scores).for_each(|(sum, score)| *sum += score);
                }
                for (sum, score) in sums.iter().zip(scores) {
                    prop_assert!((sum - score).abs() < 1e-9);
                }
            }
        }

        #[test]
        fn altered_arrays_never_panic(texts in some_texts(), array in 2usize..7, place: prop::sample::Index, value in 0u32..70000) {
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            let (model, _) = formed(&texts, 3, false, 1);
            let mut stored = model.stored();
            let numbers = match array {
                2 => &mut stored.cells,
                3 => &mut stored.classes,
                4 => &mut stored.weights,
                5 => &mut stored.intercepts,
                _ => &mut Vec::new(),
            };
            if !numbers.is_empty() {
                let at = place.index(numbers.len());
                numbers[at] = value;
            }
            if array == 6 && !stored.documents.is_empty() {
                let at = place.index(stored.documents.len());
                stored.documents[at] = u64::from(value);
            }
            let again = stored.clone();
            if let Ok(back) = stored.restore(&reading(), model.rows(), 3) {
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
