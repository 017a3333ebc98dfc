//! Scoring: a view estimated, as weights.
//!
//! In log space every view is linear in the counts x of a document's features,
//!
//! ```text
//! score_c(x) = constant_c + Σ_f x_f · (shared_f + idf_f · per_feature_c + weight_cf)
//! ```
//!
//! where `weight_cf` is zero unless feature f was seen in class c, and `idf_f` is one unless asked for. So scoring costs what was seen,
//! not what could have been. With a handful of classes there is nothing to save: then each feature
//! has its whole row, in which all that it adds is summed beforehand.

use crate::counts::class_counts::Count;
use crate::counts::distinct_rows::RowCodes;
use crate::counts::features::Features;
use crate::counts::text_counts::{TextCounts, check_lengths};
use crate::dictionary::distinct_features::Distinct;
use crate::error::Result;
use crate::maths::log;
use crate::naive_bayes::log_probability::{LogProbability, absent, histogram};
use crate::naive_bayes::longest_ngram::{self, Longest};
use crate::naive_bayes::many_classes::{Found, Many, Sums};
use crate::naive_bayes::smoothed_logs::Logs;
use crate::naive_bayes::views::{Classes, FEW, Model, View, ViewRows, ViewTotals, idf};
use crate::numbers::exact_sums::ExactSum;
use crate::text::feature_reader::Occurrences;
use crate::text::reading::FeatureKind;

/// What scoring needs beside the weights, used again for each text.
#[derive(Default)]
pub(crate) struct Scratch {
    distinct: Distinct,
    once: Vec<u32>,
    found: Found,
    longest: longest_ngram::Scratch,
    sums: Sums,
    zeros: Vec<i64>,
}

/// A view of some counts, ready to score.
pub(crate) struct Weights {
    features: Features,
    view: View,
    blocks: Vec<BlockWeights>,
    /// Whether nothing can be impossible: α is above zero.
    is_smooth: bool,
    /// Whether the weights are laid out for adding, after which they must stay as they are.
    is_ready: bool,
    /// Per block, its weights, laid out for adding. Only for more classes, and if smooth.
    many: Vec<Many>,
    /// Those of character n-grams, if they are found by the longest; they are not among `many` then.
    longest: Option<Longest>,
    per_feature: Vec<LogProbability>,
    constant: Vec<LogProbability>,
}

#[derive(Clone, Copy)]
struct Weight {
    class: u32,
    zeros: i32,
    log: f64,
}

/// The weights of one block, by the code of a feature: those of each from its start to the next, or its
/// whole row.
#[derive(Default)]
struct BlockWeights {
    codes: RowCodes,
    /// How many features have each code.
    users: Vec<u64>,
    starts: Vec<u32>,
    weights: Vec<Weight>,
    /// A weight for each class; once ready, what one occurrence adds. Features that take no part have
    /// zeros. Only for few classes, and if smooth.
    whole: Vec<f64>,
    /// Beside `whole`: whether each feature takes part.
    takes_part: Vec<bool>,
    /// Added for every class if the feature takes part, else zero; only complement has it.
    shared: Vec<f64>,
    /// What an occurrence counts if the feature takes part, else zero; empty where each counts one.
    idf: Vec<f64>,
}

impl BlockWeights {
    fn features(&self) -> usize {
        self.codes.len()
    }

    fn rows(&self) -> impl Iterator<Item = impl ExactSizeIterator<Item = (u32, f64)>> {
        let codes = 0..self.users.len() as u32;
        codes.map(|code| self.weights_of(code).iter().map(|weight| (weight.class, weight.log)))
    }

    #[inline(always)]
    fn weights_of(&self, code: u32) -> &[Weight] {
        let range = self.starts[code as usize] as usize..self.starts[code as usize + 1] as usize;
        &self.weights[range]
    }

    #[inline(always)]
    fn idf(&self, code: u32) -> f64 {
        self.idf.get(code as usize).copied().unwrap_or(1.0)
    }

    #[inline(always)]
    fn shared(&self, code: u32) -> f64 {
        self.shared.get(code as usize).copied().unwrap_or(0.0)
    }

    /// What one occurrence of a feature adds to a class that never saw it, where each of another adds `each`.
    #[inline(always)]
    fn everywhere(&self, code: u32, each: LogProbability) -> LogProbability {
        LogProbability { log: each.log * self.idf(code) + self.shared(code), ..each }
    }
}

/// Whether so many classes are kept in whole rows.
fn is_whole(is_smooth: bool, classes: usize) -> bool {
    is_smooth && (2..=FEW).contains(&classes)
}

impl Weights {
    pub(crate) fn new(
        counts: &TextCounts,
        classes: &Classes,
        view: View,
        alpha: f64,
    ) -> Result<Self> {
        let rows = ViewRows::new(counts, classes, &[view])?;
        Ok(Self::of_rows(counts, &rows, classes, view, alpha).ready().by_longest())
    }

    /// The same, from rows that other views read as well, and not yet [`Weights::ready`] to score.
    pub(crate) fn of_rows(
        counts: &TextCounts,
        rows: &ViewRows,
        classes: &Classes,
        view: View,
        alpha: f64,
    ) -> Self {
        let totals = rows.totals(view.blocks);
        let logs = Logs::new([alpha]);
        let scored = view.model.scored(classes.len());
        let mut estimate = Estimate { view, alpha, rows, totals, classes, logs };
        let blocks = (0..rows.blocks.len()).map(|block| estimate.block(block)).collect();
        Weights {
            features: counts.features().clone(),
            view,
            blocks,
            is_smooth: alpha > 0.0,
            is_ready: false,
            many: Vec::new(),
            longest: None,
            per_feature: (0..scored).map(|class| estimate.per_feature(class)).collect(),
            constant: (0..scored).map(|class| estimate.constant(class)).collect(),
        }
    }

    /// Lays the weights out for adding.
    pub(crate) fn ready(mut self) -> Self {
        let classes = self.classes();
        if self.is_whole() {
            for block in &mut self.blocks {
                let mut rows = std::mem::take(&mut block.whole);
                for (code, row) in (0..).zip(rows.chunks_exact_mut(classes)) {
                    if block.takes_part[code as usize] {
                        let everywhere =
                            self.per_feature.iter().map(|&each| block.everywhere(code, each));
                        row.iter_mut().zip(everywhere).for_each(|(a, b)| *a += b.log);
                    }
                }
                block.whole = rows;
            }
        } else if self.is_smooth {
            self.many =
                self.blocks.iter().map(|block| Many::new(classes, block.rows(), true)).collect();
        }
        self.is_ready = true;
        self
    }

    /// Finds character n-grams by the longest, where there are many classes and each occurrence counts
    /// alike.
    fn by_longest(mut self) -> Self {
        let chars = self.features.kinds().iter().position(|&kind| kind == FeatureKind::CharNgram);
        let model = self.view.model;
        if let Some(index) = chars
            && !(model.counts_once() || model.is_complement() || self.view.tfidf)
            && let Some(many) = self.many.get_mut(index)
        {
            let block = &self.blocks[index];
            let rows = block
                .codes
                .iter()
                .map(|code| block.weights_of(code).iter().map(|weight| (weight.class, weight.log)));
            let weights = Many::new(self.constant.len(), rows, false);
            *many = Many::default();
            self.longest = Some(Longest::new(&self.features, index, weights));
        }
        self
    }

    /// Whether each feature has its whole row.
    fn is_whole(&self) -> bool {
        is_whole(self.is_smooth, self.classes())
    }

    /// What one occurrence of a feature of some code adds to each class, if it takes part; `added` is the
    /// space for it.
    fn contribution<'a>(
        &self,
        block: &BlockWeights,
        code: u32,
        added: &'a mut Vec<LogProbability>,
    ) -> Option<&'a mut [LogProbability]> {
        debug_assert!(self.is_ready);
        added.clear();
        if self.is_whole() {
            let row = &block.whole[code as usize * self.classes()..][..self.classes()];
            added.extend(row.iter().map(|&log| LogProbability { log, zeros: 0 }));
            return block.takes_part[code as usize].then_some(added);
        }
        added.extend(self.per_feature.iter().map(|&each| block.everywhere(code, each)));
        let weights = block.weights_of(code);
        for weight in weights {
            let each = &mut added[weight.class as usize];
            *each = *each + LogProbability { log: weight.log, zeros: weight.zeros.into() };
        }
        (!weights.is_empty()).then_some(added)
    }

    pub(crate) fn classes(&self) -> usize {
        self.constant.len()
    }

    /// `factor` times these weights, which are not ready yet.
    pub(crate) fn scaled(mut self, factor: f64) -> Self {
        debug_assert!(!self.is_ready);
        let scale =
            |numbers: &mut Vec<f64>| numbers.iter_mut().for_each(|number| *number *= factor);
        for block in &mut self.blocks {
            block.weights.iter_mut().for_each(|weight| weight.log *= factor);
            scale(&mut block.whole);
            scale(&mut block.shared);
        }
        let added = self.per_feature.iter_mut().chain(&mut self.constant);
        added.for_each(|each| each.log *= factor);
        self
    }

    /// Adds the weights of another view of the same features that counts alike; neither is ready yet.
    pub(crate) fn add(&mut self, other: &Weights) {
        debug_assert!(!self.is_ready && !other.is_ready);
        let sum = |ours: &mut Vec<f64>, theirs: &Vec<f64>| {
            ours.resize(ours.len().max(theirs.len()), 0.0);
            ours.iter_mut().zip(theirs).for_each(|(a, b)| *a += b);
        };
        for (ours, theirs) in self.blocks.iter_mut().zip(&other.blocks) {
            for (a, b) in ours.weights.iter_mut().zip(&theirs.weights) {
                a.log += b.log;
            }
            sum(&mut ours.whole, &theirs.whole);
            sum(&mut ours.shared, &theirs.shared);
        }
        for (a, b) in self.per_feature.iter_mut().zip(&other.per_feature) {
            a.log += b.log;
        }
        for (a, b) in self.constant.iter_mut().zip(&other.constant) {
            a.log += b.log;
        }
    }

    /// What one occurrence of each feature adds to each class, a row per feature, and what each class
    /// has to begin with. `places` says in which row a feature of a block stands.
    pub(crate) fn linear(&self, places: &[Vec<u32>], rows: usize) -> (Vec<f64>, Vec<f64>) {
        let (mut weights, mut added) = (vec![0.0; rows * self.classes()], Vec::new());
        for (block, places) in self.blocks.iter().zip(places) {
            for (id, &place) in places.iter().enumerate().filter(|(_, place)| **place != u32::MAX) {
                let row = &mut weights[place as usize * self.classes()..][..self.classes()];
                let code = block.codes.get(id as u32);
                let added = self.contribution(block, code, &mut added).unwrap_or_default();
                row.iter_mut().zip(added).for_each(|(weight, each)| *weight = each.value());
            }
        }
        (weights, self.constant.iter().map(|each| each.value()).collect())
    }

    /// What all features that take part add to each class, one occurrence of each; and what each class
    /// has to begin with.
    pub(crate) fn sums(&self) -> (Vec<f64>, Vec<f64>) {
        // Ids are random, so the sum must not depend on its order.
        let (mut sums, mut added) = (vec![ExactSum::zero(); self.classes()], Vec::new());
        for block in &self.blocks {
            for (code, &users) in (0..).zip(&block.users) {
                let added = self.contribution(block, code, &mut added).unwrap_or_default();
                for (sum, one) in sums.iter_mut().zip(added) {
                    let mut each = ExactSum::zero();
                    let is_finite = each.add(one.log).is_ok();
                    debug_assert!(is_finite);
                    sum.merge(&each.repeated(users));
                }
            }
        }
        let constants = self.constant.iter().map(|each| each.value()).collect();
        (sums.iter().map(ExactSum::value).collect(), constants)
    }

    /// log P(text | class) for each text and class, one row per text.
    pub(crate) fn score(&self, texts: &[&str], threads: usize) -> Result<Vec<f64>> {
        check_lengths(texts)?;
        let mut scores = vec![0.0; texts.len() * self.classes()];
        let rows = scores.chunks_exact_mut(self.classes().max(1));
        let mut work: Vec<(&str, &mut [f64])> = texts.iter().copied().zip(rows).collect();
        let mut size: fn(&str) -> usize = str::len;
        if self.longest.is_some() {
            // Texts of one script share their n-grams, so each finds close at hand what the one before used.
            work.sort_by_cached_key(|(text, _)| text.chars().take(64).max());
            size = |text| text.chars().count();
        }
        let sizes: Vec<usize> = work.iter().map(|(text, _)| size(text) + 8).collect();
        let shares = crate::parallel::shares(&sizes, |&size| size, threads);
        let shares = crate::parallel::with_room(shares, &mut work, 1);
        let scored = crate::parallel::each(shares, |(_, share)| {
            let mut scratch = Scratch::default();
            let Some(longest) = &self.longest else {
                let texts: Vec<&str> = share.iter().map(|(text, _)| *text).collect();
                return self.features.each(&texts, |row, reader| {
                    self.score_one(&reader.occurrences, &mut scratch, share[row].1);
                });
            };
            let mut reader = self.features.reader();
            for (text, score) in share {
                let found = self.features.read_but_chars(&mut reader, text, |ngrams| {
                    longest.find(ngrams, &mut scratch.longest);
                });
                self.score_one(found, &mut scratch, score);
            }
            Ok(())
        });
        scored.into_iter().collect::<Result<()>>().map(|()| scores)
    }

    /// Writes the scores of one text, given its features.
    #[inline]
    pub(crate) fn score_one(&self, text: &Occurrences, scratch: &mut Scratch, score: &mut [f64]) {
        debug_assert!(self.is_ready);
        match (self.is_whole(), self.classes()) {
            (true, 2) => self.score_whole::<2>(text, scratch, score),
            (true, 3) => self.score_whole::<3>(text, scratch, score),
            (true, 4) => self.score_whole::<4>(text, scratch, score),
            _ if self.is_smooth => self.score_many(text, scratch, score),
            _ => self.score_rough(text, scratch, score),
        }
    }

    /// The blocks of the view, each with the features that a text has of it.
    #[inline(always)]
    fn taking_part<'a>(
        &'a self,
        text: &'a Occurrences,
    ) -> impl Iterator<Item = (&'a BlockWeights, &'a Vec<u32>)> {
        let blocks = self.blocks.iter().zip(&text.blocks).enumerate();
        blocks.filter(|(index, _)| self.view.blocks >> index & 1 == 1).map(|(_, both)| both)
    }

    /// Scoring by whole rows, `K` classes.
    #[inline(always)]
    fn score_whole<const K: usize>(
        &self,
        text: &Occurrences,
        scratch: &mut Scratch,
        score: &mut [f64],
    ) {
        let once = self.view.model.counts_once();
        for (class, score) in score.iter_mut().enumerate() {
            *score = self.constant[class].log;
        }
        for (block, ids) in self.taking_part(text) {
            let (rows, _) = block.whole.as_chunks::<K>();
            let mut sum = [0.0; K];
            let mut add = |id: u32| {
                let row = &rows[block.codes.get(id) as usize];
                for class in 0..K {
                    sum[class] += row[class];
                }
            };
            if once {
                let found = scratch.distinct.of(ids, block.features());
                found.iter().for_each(|&(id, _)| add(id));
            } else {
                ids.iter().for_each(|&id| add(id));
            }
            for class in 0..K {
                score[class] += sum[class];
            }
        }
    }

    /// Scoring many classes.
    fn score_many(&self, text: &Occurrences, scratch: &mut Scratch, score: &mut [f64]) {
        let Scratch { distinct, once, found, longest, sums, .. } = scratch;
        sums.clear(score.len());
        let (mut mass, mut shared) = (0.0, 0.0);
        for ((block, many), ids) in self.blocks.iter().zip(&self.many).zip(&text.blocks) {
            let ids = match self.view.model.counts_once() {
                false => ids,
                true => {
                    once.clear();
                    once.extend(distinct.of(ids, block.features()).iter().map(|&(id, _)| id));
                    &*once
                }
            };
            let codes = ids.iter().map(|&id| block.codes.get(id));
            found.extend(ids.len(), |room| {
                codes.clone().for_each(|code| room.push(many.place(code)))
            });
            let features = many.add_up(found, sums);
            mass += match block.idf.is_empty() {
                true => features as f64,
                false => codes.clone().map(|code| block.idf[code as usize]).sum(),
            };
            if !block.shared.is_empty() {
                shared += codes.map(|code| block.shared[code as usize]).sum::<f64>();
            }
        }
        if let Some(ngrams) = &self.longest {
            mass += ngrams.add_up(longest, sums) as f64;
        }
        for (class, (score, sum)) in score.iter_mut().zip(sums.iter()).enumerate() {
            let (each, constant) = (self.per_feature[class], self.constant[class]);
            *score = sum + shared + mass * each.log + constant.log;
        }
    }

    /// Scoring where a class can be impossible.
    fn score_rough(&self, text: &Occurrences, scratch: &mut Scratch, score: &mut [f64]) {
        let Scratch { distinct, zeros, .. } = scratch;
        score.fill(0.0);
        zeros.clear();
        zeros.resize(self.classes(), 0);
        let (mut features, mut mass, mut shared) = (0, 0.0, 0.0);
        for (block, ids) in self.blocks.iter().zip(&text.blocks) {
            for &(id, occurrences) in distinct.of(ids, block.features()) {
                let code = block.codes.get(id);
                let weights = block.weights_of(code);
                if weights.is_empty() {
                    continue;
                }
                let occurrences = if self.view.model.counts_once() { 1 } else { occurrences };
                features += i64::from(occurrences);
                mass += f64::from(occurrences) * block.idf(code);
                shared += f64::from(occurrences) * block.shared(code);
                for weight in weights {
                    score[weight.class as usize] += f64::from(occurrences) * weight.log;
                    zeros[weight.class as usize] +=
                        i64::from(occurrences) * i64::from(weight.zeros);
                }
            }
        }
        for (class, score) in score.iter_mut().enumerate() {
            let (each, constant) = (self.per_feature[class], self.constant[class]);
            *score += shared + mass * each.log + constant.log;
            if zeros[class] + features * each.zeros + constant.zeros > 0 {
                *score = f64::NEG_INFINITY;
            }
        }
    }
}

/// What one feature of a text adds to the score of each class.
#[derive(Clone, Debug)]
pub(crate) struct Contribution {
    pub(crate) kind: FeatureKind,
    pub(crate) name: String,
    /// How often it counts: its occurrences, or one where presence is all that matters.
    pub(crate) count: u32,
    pub(crate) scores: Vec<f64>,
}

impl Contribution {
    /// Joins others, among which the same feature may be, as another view sees it.
    pub(crate) fn add_to(self, found: &mut Vec<Contribution>) {
        let same = |known: &&mut Contribution| (known.kind, &known.name) == (self.kind, &self.name);
        match found.iter_mut().find(same) {
            None => found.push(self),
            Some(known) => {
                known.count = known.count.max(self.count);
                let sums = known.scores.iter_mut().zip(&self.scores);
                sums.for_each(|(sum, more)| *sum += more);
            }
        }
    }
}

impl Weights {
    /// The features of `text` that take part, in order, and what each adds; and what each class adds
    /// to begin with. Where absence was impossible and the feature is there, that takes the zero back.
    pub(crate) fn contributions(&self, text: &str) -> Result<(Vec<Contribution>, Vec<f64>)> {
        check_lengths(&[text])?;
        let mut found = Default::default();
        self.features.each(&[text], |_, reader| {
            let names = reader.names(text);
            found = self.contributions_of(&reader.occurrences, &names);
        })?;
        Ok(found)
    }

    /// The same, of a text that was read, and whose features were spelled out.
    pub(crate) fn contributions_of(
        &self,
        text: &Occurrences,
        names: &[Vec<String>],
    ) -> (Vec<Contribution>, Vec<f64>) {
        let (mut found, mut added) = (Vec::new(), Vec::new());
        let mut constant = self.constant.clone();
        for (index, (block, ids)) in self.blocks.iter().zip(&text.blocks).enumerate() {
            let mut place = 0;
            for &(id, occurrences) in Distinct::default().of(ids, block.features()) {
                let Some(added) = self.contribution(block, block.codes.get(id), &mut added) else {
                    continue;
                };
                let count = if self.view.model.counts_once() { 1 } else { occurrences };
                // Features come in the order of their first occurrence.
                place += ids[place..].iter().position(|&other| other == id).unwrap_or(0);
                for (constant, each) in constant.iter_mut().zip(added.iter_mut()) {
                    constant.zeros += each.zeros.min(0);
                    each.zeros = each.zeros.max(0);
                }
                found.push(Contribution {
                    kind: self.features.kinds()[index],
                    name: names[index][place].clone(),
                    count,
                    scores: added.iter().map(|&each| (each * count.into()).value()).collect(),
                });
            }
        }
        (found, constant.iter().map(|constant| constant.value()).collect())
    }
}

/// The closed forms, one view at a time.
struct Estimate<'a> {
    view: View,
    alpha: f64,
    rows: &'a ViewRows,
    totals: ViewTotals,
    classes: &'a Classes,
    logs: Logs<1>,
}

impl Estimate<'_> {
    fn smoothed_log(&mut self, n: u64) -> LogProbability {
        LogProbability { log: self.logs.of(n)[0], zeros: self.logs.is_zero(n)[0] }
    }

    fn block(&mut self, index: usize) -> BlockWeights {
        let source = &self.rows.blocks[index];
        let block_takes_part = self.view.blocks >> index & 1 == 1;
        let model = self.view.model;
        let scored = model.scored(self.classes.len());
        let is_whole = is_whole(self.alpha > 0.0, scored);
        let mut block = BlockWeights { codes: source.codes().clone(), ..BlockWeights::default() };
        if is_whole {
            block.takes_part.reserve_exact(source.len());
            block.whole = vec![0.0; source.len() * scored];
        } else {
            block.weights.reserve_exact(source.cells());
            block.starts.reserve_exact(source.len() + 1);
            block.starts.push(0);
        }
        for (code, (row, users)) in source.rows().enumerate() {
            block.users.push(users);
            let takes_part = block_takes_part && !row.is_empty();
            let total = match model.is_complement() {
                true => model.drawn(row.everywhere(model, self.classes.len())),
                false => 0,
            };
            let idf = self.rows.idf().map(|all| {
                let documents = row.iter().map(|count| count.documents).sum();
                idf(all.rows, documents)
            });
            for count in row.iter().take_while(|_| takes_part) {
                // What counts all rows has no score.
                let class = count.class as usize;
                let LogProbability { log, zeros } = match idf {
                    _ if class >= scored => continue,
                    None => self.weight(count, total),
                    Some(idf) => self.weight_idf(count, total, idf),
                };
                match is_whole {
                    true => block.whole[code * scored + class] = log,
                    false => {
                        block.weights.push(Weight { class: count.class, zeros: zeros as i32, log })
                    }
                }
            }
            if is_whole {
                block.takes_part.push(takes_part);
            } else {
                // A feature that takes part has a weight, even where no class that is scored has seen it.
                let alone = block.starts.last() == Some(&(block.weights.len() as u32));
                if takes_part && alone && scored > 0 {
                    block.weights.push(Weight { class: 0, zeros: 0, log: 0.0 });
                }
                block.starts.push(block.weights.len() as u32);
            }
            block.idf.extend(idf.map(|idf| if takes_part { idf } else { 0.0 }));
            if model.is_complement() {
                let shared = match idf {
                    None => self.smoothed_log(total).log,
                    Some(idf) => idf * self.smoothed_log_idf(total, idf).log,
                };
                block.shared.push(if takes_part { -shared } else { 0.0 });
            }
        }
        block
    }

    /// [`Estimate::smoothed_log`], with occurrences that count `idf` each.
    fn smoothed_log_idf(&self, n: u64, idf: f64) -> LogProbability {
        let sum = n as f64 * idf + self.alpha;
        LogProbability { log: log(sum), zeros: i64::from(sum == 0.0) }
    }

    /// [`Estimate::weight`], with occurrences that count `idf` each.
    fn weight_idf(&self, count: Count, total: u64, idf: f64) -> LogProbability {
        let each = match self.view.model {
            Model::Complement => {
                self.smoothed_log_idf(total, idf)
                    - self.smoothed_log_idf(total - count.occurrences, idf)
            }
            _ => self.smoothed_log_idf(count.occurrences, idf) - self.smoothed_log_idf(0, idf),
        };
        LogProbability { log: idf * each.log, ..each }
    }

    /// What the occurrences of a class count together.
    fn mass(&self, class: usize) -> f64 {
        let occurrences = self.totals.drawn(self.view.model)[class] as f64;
        match self.rows.idf() {
            None => occurrences,
            Some(idf) => occurrences * (log((1 + idf.rows) as f64) + 1.0) - idf.logs[class],
        }
    }

    /// What a seen feature adds beyond what an unseen one would.
    fn weight(&mut self, count: Count, total: u64) -> LogProbability {
        let drawn = self.view.model.drawn(count);
        match self.view.model {
            Model::Multinomial | Model::Binary => self.smoothed_log(drawn) - self.smoothed_log(0),
            Model::Bernoulli => {
                let rows = self.classes.rows[count.class as usize];
                let seen =
                    self.smoothed_log(count.documents) - self.smoothed_log(rows - count.documents);
                seen - (self.smoothed_log(0) - self.smoothed_log(rows))
            }
            Model::Complement | Model::BinaryComplement => {
                self.smoothed_log(total) - self.smoothed_log(total - drawn)
            }
            Model::Against | Model::BinaryAgainst => {
                let own = self.smoothed_log(drawn) - self.smoothed_log(0);
                own + self.smoothed_log(total) - self.smoothed_log(total - drawn)
            }
        }
    }

    /// What each feature of a document adds to a class that never saw it.
    fn per_feature(&mut self, class: usize) -> LogProbability {
        let smoothing = self.alpha * self.totals.features as f64;
        let smoothed = |sum: f64| log(sum + smoothing);
        match self.view.model {
            Model::Multinomial | Model::Binary => self.smoothed_log(0) - smoothed(self.mass(class)),
            Model::Bernoulli => self.smoothed_log(0) - self.smoothed_log(self.classes.rows[class]),
            Model::Complement | Model::BinaryComplement => {
                let others = match self.rows.idf() {
                    None => {
                        let drawn = self.totals.drawn(self.view.model);
                        (drawn.iter().sum::<u64>() - drawn[class]) as f64
                    }
                    Some(_) => {
                        let others = (0..self.classes.len()).filter(|&other| other != class);
                        others.map(|other| self.mass(other)).sum()
                    }
                };
                LogProbability { log: smoothed(others), zeros: 0 }
            }
            Model::Against | Model::BinaryAgainst => {
                let drawn = self.totals.drawn(self.view.model);
                let others = (self.view.model.sum(drawn) - drawn[class]) as f64;
                self.smoothed_log(0) - smoothed(self.mass(class))
                    + LogProbability { log: smoothed(others), zeros: 0 }
            }
        }
    }

    /// What a class adds to every document: for Bernoulli, that all features are absent.
    fn constant(&mut self, class: usize) -> LogProbability {
        match self.view.model {
            Model::Bernoulli => {}
            _ => return LogProbability::default(),
        }
        let rows = self.classes.rows[class];
        let every = log(rows as f64 + 2.0 * self.alpha);
        absent(&histogram(self.rows, self.view.blocks, class), self.totals.features, |documents| {
            self.smoothed_log(rows - documents) - every
        })
    }
}
