//! Counts of features, and views of them.

use super::reading::PyReading;
use super::texts::Texts;
use super::{
    Slots, check_arrays, ends, lengths, narrow_array, raise, set_features, shaped, take_features,
    translate, widened,
};
use crate::counts::class_counts::Count;
use crate::counts::distinct_rows::CountRows;
use crate::counts::matrix::{Codes, matrix};
use crate::counts::stored_counts::{Stored, StoredCounts, columns};
use crate::counts::text_counts::{Counter, Kept, TextCounts};
use crate::error::Error;
use crate::naive_bayes::blended_views::{Blend, BlendedView};
use crate::naive_bayes::leave_one_out::{Learned, LeftOut, contributions_left_out, leave_one_out};
use crate::naive_bayes::top_features::{Compared, Leak, TopFeature, leaking, top_features};
use crate::naive_bayes::views::{Classes, Model, View};
use crate::naive_bayes::weights::{Contribution, Weights};
use crate::text::reading::FeatureKind;
use crate::tuning::newton::{Begin, Given, Truth, fit};
use crate::tuning::{doubt, rival_scores};
use numpy::{IntoPyArray, PyArray1, PyArray2, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::sync::{Mutex, PoisonError};

/// A view: (name, blocks, min_documents, skip_top, tfidf).
type ViewOptions = (String, u32, u64, usize, bool);

fn view(
    py: Python<'_>,
    (name, blocks, min_documents, skip_top, tfidf): ViewOptions,
) -> PyResult<View> {
    let model = match name.as_str() {
        "multinomial" => Model::Multinomial,
        "binary-multinomial" => Model::Binary,
        "bernoulli" => Model::Bernoulli,
        "complement" => Model::Complement,
        "binary complement" => Model::BinaryComplement,
        "against" => Model::Against,
        "binary against" => Model::BinaryAgainst,
        _ => {
            let message = format!("no view of a text tally is called `{name}`");
            return Err(raise(py, "ModelError", message));
        }
    };
    Ok(View { model, blocks, min_documents, skip_top, tfidf })
}

fn classes(
    slots: &PyReadonlyArray1<'_, u32>,
    rows: &PyReadonlyArray1<'_, u64>,
) -> PyResult<Classes> {
    Ok(Classes { slots: slots.as_slice()?.to_vec(), rows: rows.as_slice()?.to_vec() })
}

fn views(py: Python<'_>, views: Vec<(ViewOptions, f64, f64, f64)>) -> PyResult<Vec<BlendedView>> {
    let view = |(view, alpha, whole, rooted)| {
        Ok(BlendedView { view: self::view(py, view)?, alpha, whole, rooted })
    };
    views.into_iter().map(view).collect()
}

/// Counts texts, batch after batch; classes are slots, numbered by the caller.
#[pyclass(frozen, name = "TextCounter", module = "likely._kernel")]
pub(crate) struct PyTextCounter {
    counter: Mutex<Option<Counter>>,
}

#[pymethods]
impl PyTextCounter {
    #[new]
    fn new(reading: &PyReading) -> Self {
        PyTextCounter { counter: Mutex::new(Some(Counter::new(&reading.reading, 0))) }
    }

    /// Counts rows of `n_slots` slots.
    fn observe(
        &self,
        py: Python<'_>,
        texts: &Texts,
        slots: Slots<'_>,
        n_slots: usize,
        threads: usize,
    ) -> PyResult<()> {
        let counted = |count: &mut dyn FnMut(&mut Counter) -> crate::error::Result<()>| {
            let mut counter = self.counter.lock().unwrap_or_else(PoisonError::into_inner);
            counter.as_mut().map_or_else(finished, count)
        };
        match slots {
            Slots::Whole(slots) => {
                let slots = slots.as_slice()?;
                texts.with(py, |texts| {
                    counted(&mut |own| own.observe(texts, slots, n_slots, threads))
                })
            }
            Slots::Fractions(views) => {
                let views = views.as_slice()?;
                texts.with(py, |texts| {
                    counted(&mut |own| own.observe_fractions(texts, views, n_slots, threads))
                })
            }
            Slots::Sets((starts, slots)) => {
                let sets = (starts.as_slice()?, slots.as_slice()?);
                texts.with(py, |texts| {
                    counted(&mut |own| own.observe_sets(texts, sets, n_slots, threads))
                })
            }
        }
    }

    /// What was counted, with slot `s` as class `order[s]` of so many; the counter is used up.
    fn finish(
        &self,
        py: Python<'_>,
        order: PyReadonlyArray1<'_, u32>,
        classes: usize,
    ) -> PyResult<PyTextCounts> {
        let order = order.as_slice()?;
        PyTextCounts::of(py, py.detach(|| self.finished(order, classes)))
    }
}

impl PyTextCounter {
    fn finished(&self, order: &[u32], classes: usize) -> crate::error::Result<TextCounts> {
        let counter = self.counter.lock().unwrap_or_else(PoisonError::into_inner).take();
        counter.map_or_else(finished, |counter| counter.finish(order, classes))
    }
}

fn finished<T>() -> crate::error::Result<T> {
    Err(Error::Shape { what: "the counter is used up".to_string() })
}

/// Counts per class and feature: a value that never changes.
#[pyclass(frozen, name = "TextCounts", module = "likely._kernel")]
pub(crate) struct PyTextCounts {
    pub(crate) counts: TextCounts,
}

impl PyTextCounts {
    fn of(py: Python<'_>, counts: crate::error::Result<TextCounts>) -> PyResult<Self> {
        counts.map(|counts| PyTextCounts { counts }).map_err(|error| translate(py, error))
    }
}

#[pymethods]
impl PyTextCounts {
    /// Counts rows under their slots, which are the classes.
    #[staticmethod]
    fn observe(
        py: Python<'_>,
        reading: &PyReading,
        texts: &Texts,
        slots: Slots<'_>,
        n_slots: usize,
        threads: usize,
    ) -> PyResult<Self> {
        let counter = PyTextCounter::new(reading);
        counter.observe(py, texts, slots, n_slots, threads)?;
        let same: Vec<u32> = (0..n_slots as u32).collect();
        Self::of(py, py.detach(|| counter.finished(&same, n_slots)))
    }

    #[staticmethod]
    fn zero(reading: &PyReading, classes: usize) -> Self {
        PyTextCounts { counts: TextCounts::zero(&reading.reading, classes) }
    }

    fn plus(&self, py: Python<'_>, other: &PyTextCounts) -> PyResult<Self> {
        Self::of(py, py.detach(|| self.counts.plus(&other.counts)))
    }

    fn minus(&self, py: Python<'_>, other: &PyTextCounts) -> PyResult<Self> {
        Self::of(py, py.detach(|| self.counts.minus(&other.counts)))
    }

    /// The same counts with class `c` as class `class_map[c]` of so many; beyond these, it is left out.
    fn reclassed(
        &self,
        py: Python<'_>,
        class_map: PyReadonlyArray1<'_, u32>,
        classes: usize,
    ) -> PyResult<Self> {
        let map = class_map.as_slice()?;
        Ok(PyTextCounts { counts: py.detach(|| self.counts.reclassed(map, classes)) })
    }

    /// What scoring reads: of features that at least `min_documents` hold, block by block, "occurrences",
    /// "documents" or "both".
    #[pyo3(signature = (min_documents, kept, every=None))]
    fn reduced(
        &self,
        py: Python<'_>,
        min_documents: Vec<u64>,
        kept: &str,
        every: Option<u32>,
    ) -> Self {
        let kept = match kept {
            "occurrences" => Kept::Occurrences,
            "documents" => Kept::Documents,
            _ => Kept::Both,
        };
        PyTextCounts { counts: py.detach(|| self.counts.reduced(&min_documents, kept, every)) }
    }

    /// Refuses counts that cannot come from so many rows of each class.
    fn check_rows(
        &self,
        py: Python<'_>,
        rows: PyReadonlyArray1<'_, u64>,
        is_multilabel: bool,
    ) -> PyResult<()> {
        let rows = rows.as_slice()?;
        self.counts.check_rows(rows, is_multilabel).map_err(|error| translate(py, error))
    }

    /// The counts of the features, in their order: how many classes each has, these classes, and how
    /// often it was seen in each and in how many documents.
    #[allow(clippy::type_complexity)]
    fn cells<'py>(
        &self,
        py: Python<'py>,
    ) -> (
        Bound<'py, PyArray1<u32>>,
        Bound<'py, PyArray1<u32>>,
        Bound<'py, PyArray1<u64>>,
        Bound<'py, PyArray1<u64>>,
    ) {
        let stored = py.detach(|| Stored::of(&self.counts));
        let (mut lengths, mut cells) = (Vec::new(), Vec::new());
        for counts in &stored.counts {
            for code in counts.codes.iter() {
                let row = counts.rows.get(code as usize);
                lengths.push(row.len() as u32);
                cells.extend_from_slice(row);
            }
        }
        let classes: Vec<u32> = cells.iter().map(|count| count.class).collect();
        let numbers = |of: fn(&Count) -> u64| cells.iter().map(of).collect::<Vec<u64>>();
        (
            lengths.into_pyarray(py),
            classes.into_pyarray(py),
            numbers(|count| count.occurrences).into_pyarray(py),
            numbers(|count| count.documents).into_pyarray(py),
        )
    }

    #[allow(clippy::type_complexity)]
    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(
        Bound<'py, PyAny>,
        (PyReading, Bound<'py, PyArray1<u64>>, bool, Bound<'py, PyDict>),
    )> {
        let rows = vec![u64::MAX; self.counts.classes()].into_pyarray(py);
        let reading = PyReading { reading: self.counts.reading().clone() };
        let restore = py.get_type::<Self>().getattr("from_arrays")?;
        Ok((restore, (reading, rows, false, self.arrays(py)?)))
    }

    /// The arrays of the model file.
    fn arrays<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let stored = py.detach(|| Stored::of(&self.counts));
        let arrays = PyDict::new(py);
        let kinds = self.counts.features().kinds();
        set_features(&arrays, kinds, stored.features)?;
        for (kind, counts) in kinds.iter().zip(stored.counts) {
            let name = |what: &str| format!("{}/{what}", kind.name());
            if !self.counts.reading().counts(*kind) {
                continue;
            }
            arrays.set_item(name("codes"), narrow_array(py, counts.codes))?;
            arrays.set_item(name("cells"), lengths(&counts.rows.ends).into_pyarray(py))?;
            let counts = counts.rows.counts;
            let numbers = |of: fn(&Count) -> u64| counts.iter().map(of).collect::<Vec<_>>();
            let classes: Vec<u32> = counts.iter().map(|count| count.class).collect();
            arrays.set_item(name("classes"), classes.into_pyarray(py))?;
            arrays.set_item(
                name("occurrences"),
                numbers(|count| count.occurrences).into_pyarray(py),
            )?;
            arrays
                .set_item(name("documents"), numbers(|count| count.documents).into_pyarray(py))?;
        }
        Ok(arrays)
    }

    /// The counts that arrays of a file hold, of classes with so many rows each; where rows have any
    /// number of classes, all of them are of the last.
    #[staticmethod]
    fn from_arrays(
        py: Python<'_>,
        reading: &PyReading,
        rows: PyReadonlyArray1<'_, u64>,
        is_multilabel: bool,
        arrays: &Bound<'_, PyDict>,
    ) -> PyResult<Self> {
        let (reading, rows) = (&reading.reading, rows.as_slice()?);
        let features = take_features(py, reading, arrays)?;
        let counted = reading.kinds().into_iter().filter(|&kind| reading.counts(kind)).count();
        check_arrays(arrays, 2 * reading.kinds().len() + 5 * counted)?;
        let mut counts = Vec::new();
        for kind in reading.kinds() {
            let name = |what: &str| format!("{}/{what}", kind.name());
            if !reading.counts(kind) {
                counts.push(StoredCounts::default());
                continue;
            }
            let classes: Vec<u32> = widened(arrays, &name("classes"))?;
            let occurrences: Vec<u64> = widened(arrays, &name("occurrences"))?;
            let documents: Vec<u64> = widened(arrays, &name("documents"))?;
            let ends = ends(&widened::<u32, Vec<u32>>(arrays, &name("cells"))?);
            let lengths = [classes.len(), occurrences.len(), documents.len()];
            if lengths != [ends.last().copied().unwrap_or(0); 3] {
                let what = "its arrays of counts differ in length".to_string();
                return Err(translate(py, Error::Corrupt { what }));
            }
            let cells = classes.iter().zip(&occurrences).zip(&documents);
            let cells = cells.map(|((&class, &occurrences), &documents)| Count {
                class,
                occurrences,
                documents,
            });
            let rows = CountRows { ends, counts: cells.collect() };
            counts.push(StoredCounts { codes: widened(arrays, &name("codes"))?, rows });
        }
        let stored = Stored { features, counts };
        Self::of(py, py.detach(|| stored.restore(reading, rows, is_multilabel)))
    }

    /// How many features have a count.
    fn features(&self) -> usize {
        self.counts.counted().map(|(block, _)| self.counts.blocks()[block].live()).sum()
    }

    fn estimate(
        &self,
        py: Python<'_>,
        view: ViewOptions,
        alpha: f64,
        slots: PyReadonlyArray1<'_, u32>,
        rows: PyReadonlyArray1<'_, u64>,
    ) -> PyResult<PyTextWeights> {
        let classes = classes(&slots, &rows)?;
        let view = self::view(py, view)?;
        let weights = py
            .detach(|| Weights::new(&self.counts, &classes, view, alpha))
            .map_err(|error| translate(py, error))?;
        let classes = weights.classes();
        Ok(PyTextWeights { weights, classes })
    }

    /// Scores of the counted texts, each left out, for several views and α: for each view, a matrix
    /// per α, and the lengths. `duplicates` are, for each text, where its duplicates begin in two arrays, of
    /// slots' positions and of numbers. `scored` are the texts as they are scored, if not as counted.
    #[allow(clippy::too_many_arguments)]
    fn leave_one_out<'py>(
        &self,
        py: Python<'py>,
        views: Vec<(ViewOptions, Vec<f64>)>,
        slots: PyReadonlyArray1<'py, u32>,
        rows: PyReadonlyArray1<'py, u64>,
        texts: &Texts,
        positions: PyReadonlyArray1<'py, u32>,
        duplicates: Option<Duplicates<'py>>,
        scored: Option<&Texts>,
        threads: usize,
    ) -> PyResult<Vec<(Vec<Bound<'py, PyArray2<f64>>>, Bound<'py, PyArray1<f64>>)>> {
        let classes = classes(&slots, &rows)?;
        let view = |(view, alphas)| Ok((self::view(py, view)?, alphas));
        let views: PyResult<Vec<(View, Vec<f64>)>> = views.into_iter().map(view).collect();
        let (views, positions) = (views?, positions.as_slice()?);
        let duplicates = duplicates.map(|duplicates| listed(&duplicates)).transpose()?;
        let left_out = |texts: &[&str], scored: Option<&[&str]>| {
            let learned =
                Learned { texts, classes: positions, duplicates: duplicates.as_deref(), scored };
            leave_one_out(&self.counts, &classes, &views, &learned, threads)
        };
        let found = match scored {
            None => texts.with(py, |texts| left_out(texts, None))?,
            Some(scored) => {
                let scored = scored.tolist(py)?;
                let scored: Vec<&str> = scored.iter().map(String::as_str).collect();
                texts.with(py, |texts| left_out(texts, Some(&scored)))?
            }
        };
        let of_view = |(left_out, (view, _)): (LeftOut, &(View, Vec<f64>))| {
            let scored = view.model.scored(classes.len());
            let matrices: PyResult<Vec<_>> = left_out
                .scores
                .into_iter()
                .map(|scores| shaped(py, scores, positions.len(), scored))
                .collect();
            Ok((matrices?, left_out.lengths.into_pyarray(py)))
        };
        found.into_iter().zip(&views).map(of_view).collect()
    }

    /// Of counted texts, each left out: what each feature that takes part adds, as (kind, name, count,
    /// scores per class), and what each class has to begin with. `views` are as in `blend`, the rest as
    /// in `leave_one_out`.
    #[allow(clippy::too_many_arguments)]
    fn contributions_left_out<'py>(
        &self,
        py: Python<'py>,
        views: Vec<(ViewOptions, f64, f64, f64)>,
        slots: PyReadonlyArray1<'py, u32>,
        rows: PyReadonlyArray1<'py, u64>,
        texts: &Texts,
        positions: PyReadonlyArray1<'py, u32>,
        duplicates: Option<Duplicates<'py>>,
        scored: Option<&Texts>,
    ) -> PyResult<Vec<(Vec<Shown>, Vec<f64>)>> {
        let classes = classes(&slots, &rows)?;
        let (views, positions) = (self::views(py, views)?, positions.as_slice()?);
        let duplicates = duplicates.map(|duplicates| listed(&duplicates)).transpose()?;
        let scored = scored.map(|scored| scored.tolist(py)).transpose()?;
        let scored: Option<Vec<&str>> =
            scored.as_ref().map(|scored| scored.iter().map(String::as_str).collect());
        let found = texts.with(py, |texts| {
            let (duplicates, scored) = (duplicates.as_deref(), scored.as_deref());
            let learned = Learned { texts, classes: positions, duplicates, scored };
            contributions_left_out(&self.counts, &classes, &views, &learned)
        })?;
        let each = |(found, constants): (Vec<Contribution>, Vec<f64>)| {
            (found.into_iter().map(shown).collect(), constants)
        };
        Ok(found.into_iter().map(each).collect())
    }

    /// Views, each with its α, the weight of its score, and that of its score over the root of the
    /// length, added up and ready to score.
    fn blend(
        &self,
        py: Python<'_>,
        views: Vec<(ViewOptions, f64, f64, f64)>,
        slots: PyReadonlyArray1<'_, u32>,
        rows: PyReadonlyArray1<'_, u64>,
    ) -> PyResult<PyBlend> {
        let classes = classes(&slots, &rows)?;
        let views = self::views(py, views)?;
        let blend = py
            .detach(|| Blend::new(&self.counts, &classes, &views))
            .map_err(|error| translate(py, error))?;
        let classes = blend.classes();
        Ok(PyBlend { blend, classes })
    }

    /// For each class, the features it has more of than the rest: (name, log-odds, strength).
    #[pyo3(signature = (slots, every, documents, per_row, alpha, least, skip_top, n))]
    #[allow(clippy::too_many_arguments)]
    fn top_features(
        &self,
        py: Python<'_>,
        slots: PyReadonlyArray1<'_, u32>,
        every: Option<u32>,
        documents: bool,
        per_row: u64,
        alpha: f64,
        least: Vec<u64>,
        skip_top: usize,
        n: usize,
    ) -> PyResult<Vec<Vec<(String, f64, f64)>>> {
        let slots = slots.as_slice()?;
        let least = &least;
        let compared = Compared { slots, every, documents, per_row, alpha, least, skip_top };
        let found = py.detach(|| top_features(&self.counts, &compared, n));
        let top = |one: TopFeature| (one.name, one.log_odds, one.strength);
        Ok(found.into_iter().map(|class| class.into_iter().map(top).collect()).collect())
    }

    /// Possible target leakage: of each class that one feature nearly identifies, that feature: (place of the class, name,
    /// documents of the class that hold it, all that do).
    fn leaking(
        &self,
        py: Python<'_>,
        slots: PyReadonlyArray1<'_, u32>,
        rows: PyReadonlyArray1<'_, u64>,
        every: Option<u32>,
        least: f64,
    ) -> PyResult<Vec<(usize, String, u64, u64)>> {
        let (slots, rows) = (slots.as_slice()?, rows.as_slice()?);
        let found = py.detach(|| leaking(&self.counts, slots, rows, every, least));
        let told = |one: Leak| (one.class, one.name, one.documents, one.everywhere);
        Ok(found.into_iter().map(told).collect())
    }

    /// The features in order, and what finds them in texts that are read whole.
    fn codes(&self) -> PyCodes {
        PyCodes { codes: Codes::of(&self.counts) }
    }

    /// A view as a linear form: (names, a row of weights per feature, constants).
    fn linear<'py>(
        &self,
        py: Python<'py>,
        view: ViewOptions,
        alpha: f64,
        slots: PyReadonlyArray1<'py, u32>,
        rows: PyReadonlyArray1<'py, u64>,
    ) -> PyResult<(Vec<String>, Bound<'py, PyArray2<f64>>, Bound<'py, PyArray1<f64>>)> {
        let classes = classes(&slots, &rows)?;
        let view = self::view(py, view)?;
        let (places, names) = columns(&self.counts);
        let weights = Weights::new(&self.counts, &classes, view, alpha)
            .map_err(|error| translate(py, error))?;
        let (weights, constants) = weights.linear(&places, names.len());
        let weights = shaped(py, weights, names.len(), classes.len())?;
        Ok((names, weights, constants.into_pyarray(py)))
    }

    /// The document-term matrix: (starts, columns, counts, names).
    fn matrix<'py>(
        &self,
        py: Python<'py>,
        texts: &Texts,
        threads: usize,
    ) -> PyResult<(
        Bound<'py, PyArray1<u64>>,
        Bound<'py, PyArray1<u32>>,
        Bound<'py, PyArray1<u32>>,
        Vec<String>,
    )> {
        let found = texts.with(py, |texts| matrix(&self.counts, texts, threads))?;
        Ok((
            found.starts.into_pyarray(py),
            found.columns.into_pyarray(py),
            found.counts.into_pyarray(py),
            found.names,
        ))
    }
}

/// Where the duplicates of each text begin, their classes, and how many there are.
type Duplicates<'py> =
    (PyReadonlyArray1<'py, u32>, PyReadonlyArray1<'py, u32>, PyReadonlyArray1<'py, u64>);

fn listed(duplicates: &Duplicates<'_>) -> PyResult<Vec<Vec<(u32, u64)>>> {
    let (starts, classes, numbers) =
        (duplicates.0.as_slice()?, duplicates.1.as_slice()?, duplicates.2.as_slice()?);
    let pairs = |range: &[u32]| {
        let range = range[0] as usize..range[1] as usize;
        let (classes, numbers) = (classes.get(range.clone())?, numbers.get(range)?);
        Some(classes.iter().copied().zip(numbers.iter().copied()).collect())
    };
    let listed: Option<Vec<_>> = starts.windows(2).map(pairs).collect();
    listed.ok_or_else(|| pyo3::exceptions::PyIndexError::new_err("duplicates run over their end"))
}

/// Weighted views of some counts, ready to score.
#[pyclass(frozen, name = "TextBlend", module = "likely._kernel")]
pub(crate) struct PyBlend {
    blend: Blend,
    classes: usize,
}

#[pymethods]
impl PyBlend {
    fn score<'py>(
        &self,
        py: Python<'py>,
        texts: &Texts,
        threads: usize,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let scores = texts.with(py, |texts| self.blend.score(texts, threads))?;
        shaped(py, scores, texts.__len__(), self.classes)
    }

    /// Each feature of one text that takes part, as (kind, name, count, scores per class).
    fn contributions(&self, py: Python<'_>, text: &Texts) -> PyResult<Vec<Shown>> {
        let found = text.with(py, |texts| self.blend.contributions(texts.concat().as_str()))?;
        Ok(found.into_iter().map(shown).collect())
    }
}

/// (kind, name, count, scores per class)
pub(crate) type Shown = (String, String, u32, Vec<f64>);

pub(crate) fn shown(found: Contribution) -> Shown {
    (shown_kind(found.kind), found.name, found.count, found.scores)
}

/// The name of a kind of features in explanations.
pub(crate) fn shown_kind(kind: FeatureKind) -> String {
    match kind {
        FeatureKind::WordNgram(1) => "word".to_string(),
        FeatureKind::WordNgram(2) => "bigram".to_string(),
        FeatureKind::WordNgram(3) => "trigram".to_string(),
        FeatureKind::WordNgram(n) => format!("{n}-gram"),
        FeatureKind::CharNgram => "char n-gram".to_string(),
        FeatureKind::Value => "value".to_string(),
        FeatureKind::Surface => "surface feature".to_string(),
        FeatureKind::Lexicon => "lexicon".to_string(),
    }
}

type Scores<'py> = Vec<PyReadonlyArray2<'py, f64>>;

/// λ for each view, a bias for each class, the log-probability of a label, and the evidence.
type Fitted = (Vec<f64>, Vec<f64>, f64, f64);

/// λ and biases that make the labels most probable.
#[pyfunction]
#[pyo3(signature = (scores, truth, log_prior, start, has_bias, threads, begin=None))]
#[allow(clippy::too_many_arguments)]
pub(crate) fn fit_weights<'py>(
    py: Python<'py>,
    scores: Scores<'py>,
    truth: PyReadonlyArray1<'py, u32>,
    log_prior: PyReadonlyArray1<'py, f64>,
    start: Vec<f64>,
    has_bias: bool,
    threads: usize,
    begin: Option<Begin>,
) -> PyResult<Fitted> {
    let truth = Truth::Class(truth.as_slice()?);
    fitted(py, scores, truth, log_prior, (start, has_bias, begin), threads)
}

/// The same for multi-label rows; `truth` says of each row and label whether it is there.
#[pyfunction]
#[pyo3(signature = (scores, truth, log_odds, start, has_bias, threads, begin=None))]
#[allow(clippy::too_many_arguments)]
pub(crate) fn fit_label_weights<'py>(
    py: Python<'py>,
    scores: Scores<'py>,
    truth: PyReadonlyArray2<'py, bool>,
    log_odds: PyReadonlyArray1<'py, f64>,
    start: Vec<f64>,
    has_bias: bool,
    threads: usize,
    begin: Option<Begin>,
) -> PyResult<Fitted> {
    let truth = Truth::Labels(truth.as_slice()?);
    fitted(py, scores, truth, log_odds, (start, has_bias, begin), threads)
}

fn fitted<'py>(
    py: Python<'py>,
    scores: Scores<'py>,
    truth: Truth<'_>,
    log_prior: PyReadonlyArray1<'py, f64>,
    (start, has_bias, begin): (Vec<f64>, bool, Option<Begin>),
    threads: usize,
) -> PyResult<Fitted> {
    let scores: Result<Vec<&[f64]>, _> = scores.iter().map(|scores| scores.as_slice()).collect();
    let log_prior = log_prior.as_slice()?;
    let given = Given { scores: scores?, truth, log_prior, start, has_bias, begin };
    let found = py.detach(|| fit(&given, threads)).map_err(|error| translate(py, error))?;
    Ok((found.lambda, found.bias, found.log_likelihood, found.evidence))
}

/// Scores of a view, doubted: one of the rows may have come from any class. With `own`, the class of each
/// row, they are those of rows left out.
#[pyfunction]
#[pyo3(signature = (scores, class_rows, own=None))]
pub(crate) fn doubted<'py>(
    py: Python<'py>,
    scores: PyReadonlyArray2<'py, f64>,
    class_rows: PyReadonlyArray1<'py, f64>,
    own: Option<PyReadonlyArray1<'py, u32>>,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let n = scores.as_array().nrows();
    let (classes, scores) = super::cells(&scores)?;
    let class_rows = class_rows.as_slice()?;
    let own = own.as_ref().map(|own| own.as_slice()).transpose()?;
    if class_rows.len() != classes || own.is_some_and(|own| own.len() != n) {
        let message = "scores, classes and rows do not match".to_string();
        return Err(super::raise(py, "DataError", message));
    }
    let mut found = scores.to_vec();
    py.detach(|| doubt::doubted(&mut found, class_rows, own));
    shaped(py, found, n, classes)
}

/// Of each row and label, log Σ exp(score) over the other labels.
#[pyfunction]
pub(crate) fn rivals<'py>(
    py: Python<'py>,
    scores: PyReadonlyArray2<'py, f64>,
    threads: usize,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let rows = scores.as_array().nrows();
    let (labels, scores) = super::cells(&scores)?;
    let found = py.detach(|| rival_scores::rivals(scores, labels, threads));
    shaped(py, found, rows, labels)
}

/// Which feature each text is, for texts that are read whole.
#[pyclass(frozen, name = "Codes", module = "likely._kernel")]
pub(crate) struct PyCodes {
    codes: Codes,
}

#[pymethods]
impl PyCodes {
    /// The place of each text among the features; −1 if it is none of them.
    fn of<'py>(
        &self,
        py: Python<'py>,
        texts: &Texts,
        threads: usize,
    ) -> PyResult<Bound<'py, PyArray1<i32>>> {
        let codes = texts.with(py, |texts| self.codes.find(texts, threads))?;
        Ok(codes.into_pyarray(py))
    }

    /// How often each feature is in each text: (starts, columns, counts).
    #[allow(clippy::type_complexity)]
    fn matrix<'py>(
        &self,
        py: Python<'py>,
        texts: &Texts,
        threads: usize,
    ) -> PyResult<(Bound<'py, PyArray1<u64>>, Bound<'py, PyArray1<u32>>, Bound<'py, PyArray1<u32>>)>
    {
        let found = texts.with(py, |texts| self.codes.matrix(texts, threads))?;
        Ok((
            found.starts.into_pyarray(py),
            found.columns.into_pyarray(py),
            found.counts.into_pyarray(py),
        ))
    }

    #[getter]
    fn names(&self) -> Vec<String> {
        self.codes.names.clone()
    }

    #[getter]
    fn sizes(&self) -> Vec<usize> {
        self.codes.sizes()
    }
}

/// A view of some counts, ready to score.
#[pyclass(frozen, name = "TextWeights", module = "likely._kernel")]
pub(crate) struct PyTextWeights {
    weights: Weights,
    classes: usize,
}

#[pymethods]
impl PyTextWeights {
    fn score<'py>(
        &self,
        py: Python<'py>,
        texts: &Texts,
        threads: usize,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let scores = texts.with(py, |texts| self.weights.score(texts, threads))?;
        shaped(py, scores, texts.__len__(), self.classes)
    }

    /// What all features together add to each class, and what each class adds to begin with.
    fn sums<'py>(&self, py: Python<'py>) -> (Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<f64>>) {
        let (sums, constants) = py.detach(|| self.weights.sums());
        (sums.into_pyarray(py), constants.into_pyarray(py))
    }

    /// Each feature of one text that takes part, as (kind, name, count, scores per class), and what
    /// each class adds to begin with.
    fn contributions(&self, py: Python<'_>, text: &Texts) -> PyResult<(Vec<Shown>, Vec<f64>)> {
        let (found, constants) =
            text.with(py, |texts| self.weights.contributions(texts.concat().as_str()))?;
        Ok((found.into_iter().map(shown).collect(), constants))
    }
}
