//! Every training text scored by the counts without it, in closed form.
//!
//! Taking a text out of the counts changes little: the counts of its own features in its own class,
//! the totals of that class, and the vocabulary, which loses the features no other text has (or, in
//! a view that asks for more documents, enough other texts). So each text is read once, and scored
//! with those few numbers put right. The result is what retraining without the text would give.

use crate::counts::class_counts::Count;
use crate::counts::row_classes::check_classes;
use crate::counts::text_counts::{TextCounts, check_lengths};
use crate::dictionary::distinct_features::Distinct;
use crate::dictionary::feature_ids::UNKNOWN;
use crate::error::{Error, Result};
use crate::maths::log;
use crate::naive_bayes::blended_views::{BlendedView, length};
use crate::naive_bayes::log_probability::{LogProbability, absent, histogram};
use crate::naive_bayes::log_products::Products;
use crate::naive_bayes::smoothed_logs::Logs;
use crate::naive_bayes::views::{Classes, Model, Row, View, ViewRows, ViewTotals, idf};
use crate::naive_bayes::weights::Contribution;
use crate::text::feature_reader::Reader;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The texts that were counted, each with the position of its class.
pub(crate) struct Learned<'a> {
    pub(crate) texts: &'a [&'a str],
    pub(crate) classes: &'a [u32],
    /// For each text, how often it was counted in each class, if it is left out with all its duplicates;
    /// nothing if it is left out alone.
    pub(crate) duplicates: Option<&'a [Vec<(u32, u64)>]>,
    /// The texts as they are scored, if that is not as they were counted.
    pub(crate) scored: Option<&'a [&'a str]>,
}

/// The scores of one view.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct LeftOut {
    /// For each α, log P(text | class), one row per text.
    pub(crate) scores: Vec<Vec<f64>>,
    /// How many occurrences each text has in the blocks of the view.
    pub(crate) lengths: Vec<f64>,
}

/// log P(text | class) of each text, the text itself left out of the counts. All views, each with its
/// α, as many as the others have, share one reading of the texts.
pub(crate) fn leave_one_out(
    counts: &TextCounts,
    classes: &Classes,
    views: &[(View, Vec<f64>)],
    learned: &Learned<'_>,
    threads: usize,
) -> Result<Vec<LeftOut>> {
    learned.check(classes)?;
    let alphas = views.first().map_or(0, |(_, alphas)| alphas.len());
    if views.iter().any(|(_, others)| others.len() != alphas) {
        return Err(Error::Shape { what: "views that have not as many α each".to_string() });
    }
    views.iter().try_for_each(|(view, alphas)| check_smoothing(*view, alphas))?;
    let asked: Vec<View> = views.iter().map(|(view, _)| *view).collect();
    let rows = ViewRows::new(counts, classes, &asked)?;
    let pass = Pass { counts, classes, rows: &rows, views, learned, threads };
    let mut found = vec![LeftOut::default(); views.len()];
    for first in (0..alphas).step_by(4) {
        let more = match alphas - first {
            1 => pass.run::<1>(first)?,
            2 => pass.run::<2>(first)?,
            3 => pass.run::<3>(first)?,
            _ => pass.run::<4>(first)?,
        };
        for (found, more) in found.iter_mut().zip(more) {
            found.scores.extend(more.scores);
            found.lengths = more.lengths;
        }
    }
    Ok(found)
}

/// For each text, the text itself left out of the counts: what each of its features adds to the score
/// of each class, and what each class has to begin with.
pub(crate) fn contributions_left_out(
    counts: &TextCounts,
    classes: &Classes,
    parts: &[BlendedView],
    learned: &Learned<'_>,
) -> Result<Vec<(Vec<Contribution>, Vec<f64>)>> {
    learned.check(classes)?;
    parts.iter().try_for_each(|part| check_smoothing(part.view, &[part.alpha]))?;
    let views: Vec<_> = parts.iter().map(|part| (part.view, vec![part.alpha])).collect();
    let asked: Vec<View> = parts.iter().map(|part| part.view).collect();
    let rows = ViewRows::new(counts, classes, &asked)?;
    let pass = Pass { counts, classes, rows: &rows, views: &views, learned, threads: 1 };
    (0..learned.texts.len()).map(|row| pass.contributions(row, parts)).collect()
}

impl Learned<'_> {
    fn check(&self, classes: &Classes) -> Result<()> {
        check_lengths(self.texts)?;
        check_classes(self.texts.len(), self.classes, classes.len())?;
        if let Some(scored) = self.scored {
            check_lengths(scored)?;
            check_classes(scored.len(), self.classes, classes.len())?;
        }
        Ok(())
    }
}

fn check_smoothing(view: View, alphas: &[f64]) -> Result<()> {
    match view.model.is_against() && alphas.iter().any(|&alpha| alpha < 1e-100) {
        true => {
            Err(Error::Shape { what: "a class against the rest needs some smoothing".to_string() })
        }
        false => Ok(()),
    }
}

struct Pass<'a> {
    counts: &'a TextCounts,
    classes: &'a Classes,
    rows: &'a ViewRows,
    views: &'a [(View, Vec<f64>)],
    learned: &'a Learned<'a>,
    threads: usize,
}

impl Pass<'_> {
    /// The scores under `A` of the α of each view.
    fn run<const A: usize>(&self, first: usize) -> Result<Vec<LeftOut>> {
        let all: Vec<usize> = (0..self.learned.texts.len()).collect();
        let weight = |&row: &usize| self.learned.texts[row].len() + 8;
        let shares = crate::parallel::shares(&all, weight, self.threads);
        let parts = crate::parallel::each(shares, |share| self.share::<A>(share, first));
        let empty = LeftOut { scores: vec![Vec::new(); A], lengths: Vec::new() };
        let mut whole = vec![empty; self.views.len()];
        for part in parts {
            for (whole, part) in whole.iter_mut().zip(part?) {
                whole.lengths.extend(part.lengths);
                let scores = whole.scores.iter_mut().zip(part.scores);
                scores.for_each(|(whole, part)| whole.extend(part));
            }
        }
        Ok(whole)
    }

    fn share<const A: usize>(&self, share: &[usize], first: usize) -> Result<Vec<LeftOut>> {
        let width = self.classes.len();
        let mut reader = self.counts.features().reader();
        // Views with the same α share their logarithms.
        let mut logs: Vec<([f64; A], Logs<A>)> = Vec::new();
        let mut withouts: Vec<(usize, Without<'_, A>)> = Vec::new();
        for (view, alphas) in self.views {
            let alphas = std::array::from_fn(|place| alphas[first + place]);
            let known = logs.iter().position(|(others, _)| *others == alphas);
            let place = known.unwrap_or_else(|| {
                logs.push((alphas, Logs::new(alphas)));
                logs.len() - 1
            });
            withouts.push((place, Without::new(self, *view, &mut logs[place].1, alphas)));
        }
        let empty = LeftOut {
            scores: vec![Vec::with_capacity(share.len() * width); A],
            lengths: Vec::with_capacity(share.len()),
        };
        let mut found = vec![empty; self.views.len()];
        let mut distinct = Distinct::default();
        let mut text: Vec<Vec<Feature>> = vec![Vec::new(); self.rows.blocks.len()];
        for &row in share {
            let alone = [(self.learned.classes[row], 1)];
            let duplicates = self.duplicates(row, &alone);
            self.read(row, duplicates, &mut reader, &mut distinct, &mut text)?;
            let occurrences = &reader.occurrences;
            for ((place, without), found) in withouts.iter_mut().zip(&mut found) {
                let logs = &mut logs[*place].1;
                without.read(&text, logs, duplicates);
                without.finish(logs, |alpha, score| found.scores[alpha].push(score));
                found.lengths.push(length(without.view.blocks, occurrences));
            }
        }
        Ok(found)
    }

    /// What each feature of a text that takes part adds to each class, all views of a feature in one;
    /// and what each class has to begin with. Scores are linear in how often features are scored, so
    /// what one adds is the score with it alone less the score with none.
    fn contributions(
        &self,
        row: usize,
        parts: &[BlendedView],
    ) -> Result<(Vec<Contribution>, Vec<f64>)> {
        let mut reader = self.counts.features().reader();
        let mut text: Vec<Vec<Feature>> = vec![Vec::new(); self.rows.blocks.len()];
        let alone = [(self.learned.classes[row], 1)];
        let duplicates = self.duplicates(row, &alone);
        self.read(row, duplicates, &mut reader, &mut Distinct::default(), &mut text)?;
        let names = reader.names(self.learned.scored.unwrap_or(self.learned.texts)[row]);
        let mut silent = text.clone();
        silent.iter_mut().flatten().for_each(|feature| feature.shown = 0);
        let (mut found, mut constants) = (Vec::<Contribution>::new(), Vec::new());
        for part in parts {
            let length = length(part.view.blocks, &reader.occurrences);
            let factor = part.whole + part.rooted / libm::sqrt(length.max(1.0));
            let mut logs = Logs::new([part.alpha]);
            let mut without = Without::new(self, part.view, &mut logs, [part.alpha]);
            let mut score = |text: &[Vec<Feature>]| {
                let mut scores = Vec::new();
                without.read(text, &mut logs, duplicates);
                without.finish(&mut logs, |_, score| scores.push(score));
                scores
            };
            let nothing = score(&silent);
            constants.resize(nothing.len(), 0.0);
            constants.iter_mut().zip(&nothing).for_each(|(sum, more)| *sum += factor * more);
            for (index, features) in text.iter().enumerate() {
                if part.view.blocks >> index & 1 == 0 {
                    continue;
                }
                let kind = self.counts.features().kinds()[index];
                let ids = &reader.occurrences.blocks[index];
                for (place, feature) in features.iter().enumerate() {
                    if feature.shown == 0 || !feature.stays {
                        continue;
                    }
                    silent[index][place].shown = feature.shown;
                    let scores = score(&silent);
                    silent[index][place].shown = 0;
                    let scores = scores.iter().zip(&nothing);
                    let scores = scores.map(|(score, nothing)| match nothing.is_finite() {
                        true => factor * (score - nothing),
                        false => 0.0,
                    });
                    let count = if part.view.model.counts_once() { 1 } else { feature.shown };
                    let first = ids.iter().position(|&id| id == feature.id).unwrap_or(0);
                    let name = names[index][first].clone();
                    Contribution { kind, name, count, scores: scores.collect() }.add_to(&mut found);
                }
            }
        }
        Ok((found, constants))
    }

    /// How often a text was counted in each class, of all that leave with it.
    fn duplicates<'c>(&'c self, row: usize, alone: &'c [(u32, u64)]) -> &'c [(u32, u64)] {
        let duplicates = self.learned.duplicates.map(|duplicates| duplicates[row].as_slice());
        duplicates.filter(|duplicates| !duplicates.is_empty()).unwrap_or(alone)
    }

    /// Reads a text into its features, block by block.
    fn read(
        &self,
        row: usize,
        duplicates: &[(u32, u64)],
        reader: &mut Reader,
        distinct: &mut Distinct,
        text: &mut [Vec<Feature>],
    ) -> Result<()> {
        let occurrences = self.counts.features().read(reader, self.learned.texts[row]);
        // What nobody knows was never counted.
        let mut learned = !occurrences.blocks.iter().any(|ids| ids.contains(&UNKNOWN));
        for (index, ids) in occurrences.blocks.iter().enumerate() {
            let there = distinct.of(ids, self.rows.blocks[index].features());
            learned = learned && self.find(index, there, duplicates, &mut text[index]);
        }
        if !learned {
            return Err(Error::NotLearned {
                what: format!(
                    "text {} is not among those that were counted under its class",
                    row + 1
                ),
            });
        }
        if let Some(scored) = self.learned.scored {
            let occurrences = self.counts.features().read(reader, scored[row]);
            for (index, ids) in occurrences.blocks.iter().enumerate() {
                let there = distinct.of(ids, self.rows.blocks[index].features());
                self.show(index, there, &mut text[index]);
            }
        }
        Ok(())
    }

    /// Finds what all views of a block need of the features of a text; false if the counts do not hold
    /// its duplicates.
    fn find(
        &self,
        index: usize,
        there: &[(u32, u32)],
        duplicates: &[(u32, u64)],
        features: &mut Vec<Feature>,
    ) -> bool {
        features.clear();
        let block = &self.rows.blocks[index];
        let mut views = self.views.iter().map(|(view, _)| view);
        let Some(view) = views.find(|view| view.blocks >> index & 1 == 1) else { return true };
        let least = view.min_documents + rows_of(*view, duplicates, self.classes.len());
        block.fetch(there.iter().map(|&(id, _)| id));
        for &(id, occurrences) in there {
            let row = block.row(id);
            if row.is_empty() {
                continue;
            }
            let held = |&(class, duplicates): &(u32, u64)| {
                let counted = row.of_class(class as usize, self.classes.len());
                counted.is_some_and(|counted| {
                    counted.occurrences >= u64::from(occurrences) * duplicates
                        && counted.documents >= duplicates
                })
            };
            if !duplicates.iter().all(held) {
                return false;
            }
            let everywhere = row.everywhere(view.model, self.classes.len());
            let stays = everywhere.documents >= least;
            features.push(Feature { id, occurrences, shown: occurrences, stays, everywhere });
        }
        true
    }

    /// Puts right how often each feature is scored, where the text is scored otherwise than counted.
    fn show(&self, index: usize, there: &[(u32, u32)], features: &mut Vec<Feature>) {
        features.iter_mut().for_each(|feature| feature.shown = 0);
        let mut views = self.views.iter().map(|(view, _)| view);
        let Some(view) = views.find(|view| view.blocks >> index & 1 == 1) else { return };
        let counted = features.iter().enumerate().map(|(place, feature)| (feature.id, place));
        let counted: HashMap<u32, usize> = counted.collect();
        for &(id, shown) in there {
            let row = self.rows.blocks[index].row(id);
            match counted.get(&id) {
                Some(&place) => features[place].shown = shown,
                None if row.is_empty() => {}
                None => {
                    let everywhere = row.everywhere(view.model, self.classes.len());
                    features.push(Feature { id, occurrences: 0, shown, stays: true, everywhere });
                }
            }
        }
    }
}

/// How many rows leave with a text, given of each class those that do.
fn rows_of(view: View, duplicates: &[(u32, u64)], classes: usize) -> u64 {
    let counts =
        |&&(class, _): &&(u32, u64)| !view.model.is_against() || class as usize == classes - 1;
    duplicates.iter().filter(counts).map(|(_, duplicates)| duplicates).sum()
}

/// A feature of the text that is left out.
#[derive(Clone, Copy)]
struct Feature {
    id: u32,
    /// How often it was counted, and how often it is scored.
    occurrences: u32,
    shown: u32,
    /// Whether enough other texts hold it.
    stays: bool,
    /// Its counts in all classes together.
    everywhere: Count,
}

/// The scores of one text while it is read.
struct Without<'a, const A: usize> {
    pass: &'a Pass<'a>,
    view: View,
    totals: ViewTotals,
    alphas: [f64; A],
    smoothings: [Smoothing; A],
    absence: Vec<Absence<A>>,
    /// How many duplicates of the text are left out of each class, and of all.
    duplicates: Vec<u64>,
    all_duplicates: u64,
    /// The same, as `drawn` reads it.
    leaving: Vec<f64>,
    /// Per class: the log-likelihood so far, how often α alone is in it though it is counted apart, and
    /// what left the class's total.
    log_likelihood: Vec<[f64; A]>,
    zeros: Vec<[i64; A]>,
    taken: Vec<u64>,
    /// The log-likelihood of draws. After the classes comes what all of them share (complement).
    products: Products<A>,
    /// Log-likelihood that is the same for every class (complement).
    shared: [f64; A],
    /// Occurrences that count, and features that leave the vocabulary.
    occurrences: u64,
    gone: u64,
    /// With TF-IDF: what the occurrences count together, and per class how much the sum of
    /// `occurrences · log(1 + df)` has lost.
    mass: f64,
    logs_taken: Vec<f64>,
    masses: Vec<f64>,
}

/// From which urns a feature is drawn: a class's own, that of the others, or both.
const OWN: u8 = 0;
const OTHERS: u8 = 1;
const BOTH: u8 = 2;

/// Whether a view is of plain draws from urns.
fn is_drawn(view: View) -> bool {
    view.model != Model::Bernoulli && !view.tfidf
}

/// How α is added to a count n and compared with α alone, as a factor that stays within range:
/// `(n + α) / α`. Of an α that is zero or nearly, that is no number. Then the factor is n itself, or 1
/// for 0, and how often α stands alone is counted.
#[derive(Clone, Copy)]
struct Smoothing {
    added: f64,
    least: f64,
    over: f64,
    counted: i64,
    /// The logarithm of α, unless it is counted.
    nothing: f64,
}

impl Smoothing {
    fn new(alpha: f64, tiny: f64) -> Self {
        match alpha <= tiny {
            true => Smoothing { added: 0.0, least: 1.0, over: 1.0, counted: 1, nothing: 0.0 },
            false => {
                let nothing = log(alpha);
                Smoothing { added: alpha, least: 0.0, over: 1.0 / alpha, counted: 0, nothing }
            }
        }
    }

    #[inline(always)]
    fn smoothed(&self, n: f64) -> f64 {
        (n + self.added).max(self.least)
    }

    /// How many powers of two a factor may have, if no count is larger than `n`.
    fn bits(&self, n: f64) -> f64 {
        libm::log2(self.smoothed(n) * self.over) + 1.0
    }
}

/// Bernoulli's log-likelihood of an empty document: with all rows of the class, and with so many fewer, where
/// features that are in more documents of the class than remain are left out (they are in the text
/// itself).
struct Absence<const A: usize> {
    all: [LogProbability; A],
    /// Without one row, and without as many duplicates as some text has.
    without: BTreeMap<u64, [LogProbability; A]>,
}

impl<'a, const A: usize> Without<'a, A> {
    fn new(pass: &'a Pass<'a>, view: View, logs: &mut Logs<A>, alphas: [f64; A]) -> Self {
        let width = pass.classes.len();
        let totals = pass.rows.totals(view.blocks);
        let absence = match view.model {
            Model::Bernoulli => {
                let new = |class| Absence::new(pass, view, totals.features, class, logs, &alphas);
                (0..width).map(new).collect()
            }
            _ => Vec::new(),
        };
        let tiny = if is_drawn(view) { 1e-200 } else { 0.0 };
        let smoothings = alphas.map(|alpha| Smoothing::new(alpha, tiny));
        let everything = view.model.sum(totals.drawn(view.model)) as f64;
        // A class against the rest has two factors at once.
        let twice = if view.model.is_against() { 2.0 } else { 1.0 };
        let bits = smoothings.iter().map(|smoothing| twice * smoothing.bits(everything));
        let products = Products::new(width + 1, bits.fold(1.0, f64::max));
        Without {
            pass,
            view,
            totals,
            alphas,
            smoothings,
            absence,
            duplicates: vec![0; width],
            all_duplicates: 0,
            leaving: vec![0.0; width],
            products,
            log_likelihood: vec![[0.0; A]; width],
            zeros: vec![[0; A]; width],
            taken: vec![0; width],
            shared: [0.0; A],
            occurrences: 0,
            gone: 0,
            mass: 0.0,
            logs_taken: vec![0.0; width],
            masses: Vec::new(),
        }
    }

    /// Gathers the log-likelihood of one text, given its features, block by block.
    fn read(&mut self, text: &[Vec<Feature>], logs: &mut Logs<A>, duplicates: &[(u32, u64)]) {
        self.occurrences = 0;
        self.gone = 0;
        self.mass = 0.0;
        self.shared = [0.0; A];
        self.duplicates.fill(0);
        for &(class, duplicates) in duplicates {
            self.duplicates[class as usize] += duplicates;
        }
        self.leaving
            .iter_mut()
            .zip(&self.duplicates)
            .for_each(|(real, &duplicates)| *real = duplicates as f64);
        self.all_duplicates = rows_of(self.view, duplicates, self.duplicates.len());
        for (index, block) in self.pass.rows.blocks.iter().enumerate() {
            if self.view.blocks >> index & 1 == 0 {
                continue;
            }
            for &feature in &text[index] {
                let row = block.row(feature.id);
                match self.view.model {
                    Model::Multinomial | Model::Complement if self.view.tfidf => {
                        self.by_idf(row, feature);
                    }
                    Model::Multinomial => self.drawn::<false, OWN>(row, feature, duplicates),
                    Model::Binary => self.drawn::<true, OWN>(row, feature, duplicates),
                    Model::Complement => self.drawn::<false, OTHERS>(row, feature, duplicates),
                    Model::BinaryComplement => self.drawn::<true, OTHERS>(row, feature, duplicates),
                    Model::Against => self.drawn::<false, BOTH>(row, feature, duplicates),
                    Model::BinaryAgainst => self.drawn::<true, BOTH>(row, feature, duplicates),
                    Model::Bernoulli => self.presence(row, logs, feature),
                }
            }
        }
    }

    /// A feature drawn from the urns of the classes, each from the urn of all the others, or one against
    /// the other; as often as it is there, or once.
    #[inline(always)]
    fn drawn<const ONCE: bool, const URNS: u8>(
        &mut self,
        row: Row<'_>,
        feature: Feature,
        duplicates: &[(u32, u64)],
    ) {
        if !feature.stays {
            self.gone += 1;
            for count in row.iter() {
                self.taken[count.class as usize] += self.view.model.drawn(count);
            }
            return;
        }
        let counted =
            |occurrences: u32| u64::from(if ONCE { occurrences.min(1) } else { occurrences });
        let (occurrences, shown) = (counted(feature.occurrences), counted(feature.shown));
        self.occurrences += shown;
        for &(class, duplicates) in duplicates {
            self.taken[class as usize] += occurrences * duplicates;
        }
        if shown == 0 {
            return;
        }
        let everywhere =
            self.view.model.drawn(feature.everywhere) - occurrences * self.all_duplicates;
        let (smoothings, leaving) = (&self.smoothings, &self.leaving);
        let (everywhere, occurrences_each) = (everywhere as f64, occurrences as f64);
        let left = row.drawn(ONCE).map(|(class, n)| (class, n - occurrences_each * leaving[class]));
        if URNS != OWN {
            let over = smoothings.map(|smoothing| 1.0 / smoothing.smoothed(everywhere));
            let factors = left.clone().map(|(class, left)| {
                let outside = everywhere - left;
                (
                    class,
                    std::array::from_fn(|alpha| {
                        let smoothing = smoothings[alpha];
                        let factor = smoothing.smoothed(outside) * over[alpha];
                        match URNS {
                            BOTH => factor / (smoothing.smoothed(left) * smoothing.over),
                            _ => factor,
                        }
                    }),
                )
            });
            let shared =
                smoothings.map(|smoothing| smoothing.smoothed(everywhere) * smoothing.over);
            let shared = std::iter::once((leaving.len(), shared));
            self.products.multiply(shown, factors.chain(shared));
        } else {
            let factors = left.clone().map(|(class, left)| {
                (
                    class,
                    std::array::from_fn(|alpha| {
                        smoothings[alpha].smoothed(left) * smoothings[alpha].over
                    }),
                )
            });
            self.products.multiply(shown, factors);
        }
        if smoothings.iter().all(|smoothing| smoothing.counted == 0) {
            return;
        }
        // α alone, which is counted: in every class, until it is seen to have the feature; of the
        // others, where none has it.
        let seen =
            |&(_, left): &(usize, f64)| if URNS == OWN { left > 0.0 } else { left == everywhere };
        for (class, _) in left.filter(seen) {
            for alpha in 0..A {
                self.zeros[class][alpha] -= shown as i64 * smoothings[alpha].counted;
            }
        }
    }

    /// A feature drawn under TF-IDF, from the urns of the classes or of all the others. Fewer documents
    /// hold it, and there are fewer.
    fn by_idf(&mut self, row: Row<'_>, feature: Feature) {
        let (occurrences, shown) = (u64::from(feature.occurrences), u64::from(feature.shown));
        let leaving = if occurrences > 0 { self.all_duplicates } else { 0 };
        let rows = self.pass.rows.idf().map_or(0, |idf| idf.rows) - self.all_duplicates;
        let documents = row.iter().map(|count| count.documents).sum::<u64>();
        let before = log((1 + documents) as f64);
        if !feature.stays {
            self.gone += 1;
            for count in row.iter() {
                self.taken[count.class as usize] += count.occurrences;
                self.logs_taken[count.class as usize] += count.occurrences as f64 * before;
            }
            return;
        }
        let idf = idf(rows, documents - leaving);
        let after = log((1 + documents - leaving) as f64);
        let drawn = shown as f64 * idf;
        self.occurrences += shown;
        self.mass += drawn;
        let total = row.iter().map(|count| count.occurrences).sum::<u64>()
            - occurrences * self.all_duplicates;
        let complement = self.view.model == Model::Complement;
        for alpha in 0..A {
            let smoothing = self.alphas[alpha];
            let smoothed = |n: u64| log(n as f64 * idf + smoothing);
            if complement {
                self.shared[alpha] -= drawn * smoothed(total);
            }
            for count in row.iter() {
                let class = count.class as usize;
                let left = count.occurrences - occurrences * self.duplicates[class];
                self.log_likelihood[class][alpha] += match complement {
                    true => drawn * (smoothed(total) - smoothed(total - left)),
                    false => drawn * (smoothed(left) - smoothed(0)),
                };
                if left > 0 {
                    self.zeros[class][alpha] -= shown as i64 * self.smoothings[alpha].counted;
                }
            }
        }
        for count in row.iter() {
            let class = count.class as usize;
            let out = occurrences * self.duplicates[class];
            let left = count.occurrences - out;
            self.taken[class] += out;
            self.logs_taken[class] += count.occurrences as f64 * before - left as f64 * after;
        }
    }

    /// What the occurrences of a class still count.
    fn mass_left(&self, class: usize, occurrences: u64) -> f64 {
        match self.pass.rows.idf() {
            None => occurrences as f64,
            Some(idf) => {
                let each = log((1 + idf.rows - self.all_duplicates) as f64) + 1.0;
                occurrences as f64 * each - (idf.logs[class] - self.logs_taken[class])
            }
        }
    }

    /// A feature that is present, in a model where absence counts too.
    fn presence(&mut self, row: Row<'_>, logs: &mut Logs<A>, feature: Feature) {
        let shown = feature.shown > 0;
        match feature.stays {
            true => self.occurrences += u64::from(shown),
            false => self.gone += 1,
        }
        for class in 0..self.duplicates.len() {
            let duplicates = self.duplicates[class];
            if duplicates == 0 {
                continue;
            }
            let rows = self.pass.classes.rows[class] - duplicates;
            let documents =
                row.of_class(class, self.duplicates.len()).map_or(0, |one| one.documents);
            if documents <= rows {
                self.add(logs, class, rows - documents, -1);
                self.add_total(class, rows, 1);
            }
            if feature.stays {
                let left = if feature.occurrences > 0 { documents - duplicates } else { documents };
                self.add(logs, class, if shown { left } else { rows - left }, 1);
                self.add_total(class, rows, -1);
            }
        }
        for count in row.iter() {
            let class = count.class as usize;
            let rows = self.pass.classes.rows[class];
            if self.duplicates[class] > 0 || (feature.stays && !shown) {
                continue;
            }
            // In place of a feature the class never saw: see `finish`.
            if feature.stays {
                self.add(logs, class, count.documents, 1);
                self.add(logs, class, rows - count.documents, -1);
                self.add(logs, class, 0, -1);
                self.add(logs, class, rows, 1);
            } else {
                self.add(logs, class, rows - count.documents, -1);
                self.add(logs, class, rows, 1);
            }
        }
    }

    /// Adds `sign` · log(n + α) to a class.
    fn add(&mut self, logs: &mut Logs<A>, class: usize, n: u64, sign: i64) {
        let (logs, zeros) = (logs.of(n), logs.is_zero(n));
        for alpha in 0..A {
            self.log_likelihood[class][alpha] += sign as f64 * logs[alpha];
            self.zeros[class][alpha] += sign * zeros[alpha];
        }
    }

    /// Adds `sign` · log(n + 2α) to a class.
    fn add_total(&mut self, class: usize, n: u64, sign: i64) {
        for alpha in 0..A {
            self.log_likelihood[class][alpha] +=
                sign as f64 * log(n as f64 + 2.0 * self.alphas[alpha]);
        }
    }

    /// Takes the log-likelihood of draws out of their products.
    fn add_products(&mut self) {
        let sign = if self.view.model.is_complement() { -1.0 } else { 1.0 };
        let shared = self.products.take(self.log_likelihood.len());
        for alpha in 0..A {
            let nothing = self.occurrences as f64 * self.smoothings[alpha].nothing;
            self.shared[alpha] -= shared[alpha] + nothing;
        }
        for (class, log_likelihood) in self.log_likelihood.iter_mut().enumerate() {
            let drawn = self.products.take(class);
            for alpha in 0..A {
                log_likelihood[alpha] += sign * drawn[alpha];
            }
        }
    }

    /// Writes the scores of the text, class by class, and makes ready for the next.
    fn finish(&mut self, logs: &mut Logs<A>, mut write: impl FnMut(usize, f64)) {
        if is_drawn(self.view) {
            self.add_products();
        }
        let rows = self.pass.rows;
        let features = (self.totals.features - self.gone) as f64;
        let sums = self.totals.drawn(self.view.model);
        let left = |class: usize| sums[class] - self.taken[class];
        let mut masses = std::mem::take(&mut self.masses);
        masses.clear();
        masses.extend((0..sums.len()).map(|class| self.mass_left(class, left(class))));
        let everything = match self.view.model.is_against() {
            true => left(sums.len() - 1),
            false => (0..sums.len()).map(left).sum(),
        };
        let occurrences = self.occurrences as f64;
        let drawn = if rows.idf().is_some() { self.mass } else { occurrences };
        for class in 0..self.view.model.scored(self.log_likelihood.len()) {
            let others = match rows.idf() {
                Some(_) => (0..masses.len()).filter(|&c| c != class).map(|c| masses[c]).sum(),
                None => (everything - (sums[class] - self.taken[class])) as f64,
            };
            let mut score = self.log_likelihood[class];
            let mut zeros = self.zeros[class];
            for alpha in 0..A {
                let smoothing = self.alphas[alpha];
                match self.view.model {
                    Model::Multinomial | Model::Binary => {
                        if self.occurrences > 0 {
                            let total = log(masses[class] + smoothing * features);
                            score[alpha] += drawn * (self.smoothings[alpha].nothing - total);
                        }
                        zeros[alpha] += self.occurrences as i64 * self.smoothings[alpha].counted;
                    }
                    Model::Complement | Model::BinaryComplement => {
                        score[alpha] += self.shared[alpha];
                        if self.occurrences > 0 {
                            let total = log(others + smoothing * features);
                            score[alpha] += drawn * total;
                        }
                    }
                    Model::Against | Model::BinaryAgainst => {
                        score[alpha] += self.shared[alpha];
                        if self.occurrences > 0 {
                            let total = log(others + smoothing * features)
                                - log(masses[class] + smoothing * features);
                            score[alpha] += drawn * (self.smoothings[alpha].nothing + total);
                        }
                    }
                    Model::Bernoulli if self.duplicates[class] > 0 => {
                        let absent = self.absence[class].without(self.duplicates[class]);
                        score[alpha] += absent[alpha].log;
                        zeros[alpha] += absent[alpha].zeros;
                    }
                    Model::Bernoulli => {
                        let n = self.pass.classes.rows[class];
                        let absent = logs.of(n)[alpha];
                        let total = log(n as f64 + 2.0 * smoothing);
                        score[alpha] += self.absence[class].all[alpha].log
                            + occurrences * (self.smoothings[alpha].nothing - absent)
                            - self.gone as f64 * (absent - total);
                        let (never, always) = (logs.is_zero(0)[alpha], logs.is_zero(n)[alpha]);
                        zeros[alpha] += self.absence[class].all[alpha].zeros
                            + self.occurrences as i64 * (never - always)
                            - self.gone as i64 * always;
                    }
                }
                if smoothing == 0.0 && zeros[alpha] > 0 {
                    score[alpha] = f64::NEG_INFINITY;
                } else if zeros[alpha] != 0 {
                    score[alpha] += zeros[alpha] as f64 * log(smoothing);
                }
                write(alpha, score[alpha]);
            }
        }
        self.log_likelihood.fill([0.0; A]);
        self.zeros.fill([0; A]);
        self.masses = masses;
        self.taken.fill(0);
        self.logs_taken.fill(0.0);
    }
}

impl<const A: usize> Absence<A> {
    fn new(
        pass: &Pass<'_>,
        view: View,
        features: u64,
        class: usize,
        logs: &mut Logs<A>,
        alphas: &[f64; A],
    ) -> Self {
        let mut histogram = histogram(pass.rows, view.blocks, class);
        let rows = pass.classes.rows[class];
        let mut sum = |histogram: &_, features, rows: u64| {
            let mut each = [LogProbability::default(); A];
            for (alpha, sum) in each.iter_mut().enumerate() {
                let total = log(rows as f64 + 2.0 * alphas[alpha]);
                *sum = absent(histogram, features, |documents| {
                    let (log, zeros) = (logs.of(rows - documents), logs.is_zero(rows - documents));
                    LogProbability { log: log[alpha] - total, zeros: zeros[alpha] }
                });
            }
            each
        };
        let all = sum(&histogram, features, rows);
        let here = |&&(c, _): &&(u32, u64)| c as usize == class;
        let duplicates = pass.learned.duplicates.into_iter().flatten().flatten();
        let mut asked = BTreeSet::from([1]);
        asked.extend(duplicates.filter(here).map(|&(_, number)| number));
        let mut features = features;
        let mut without = BTreeMap::new();
        for duplicates in asked.into_iter().filter(|&duplicates| duplicates <= rows) {
            features -= histogram.split_off(&(rows - duplicates + 1)).values().sum::<u64>();
            without.insert(duplicates, sum(&histogram, features, rows - duplicates));
        }
        Absence { all, without }
    }

    fn without(&self, duplicates: u64) -> &[LogProbability; A] {
        self.without.get(&duplicates).unwrap_or(&self.all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counts::text_counts::Counter;
    use crate::naive_bayes::weights::Weights;
    use crate::text::reading::Reading;
    use proptest::prelude::*;

    const MODELS: [Model; 5] = [
        Model::Multinomial,
        Model::Binary,
        Model::Bernoulli,
        Model::Complement,
        Model::BinaryComplement,
    ];

    /// Few classes are laid out in whole rows, more in sparse ones; both are tried.
    const CLASSES: usize = 7;

    fn classes_of(labels: &[u32], classes: usize) -> Classes {
        let rows = |class: u32| labels.iter().filter(|&&label| label == class).count() as u64;
        let slots: Vec<u32> = (0..classes as u32).collect();
        Classes { rows: slots.iter().map(|&class| rows(class)).collect(), slots }
    }

    fn duplicates_of(text: &str, texts: &[&str], labels: &[u32]) -> Vec<(u32, u64)> {
        let mut duplicates = std::collections::BTreeMap::new();
        for (_, &label) in texts.iter().zip(labels).filter(|(other, _)| **other == text) {
            *duplicates.entry(label).or_insert(0) += 1;
        }
        duplicates.into_iter().collect()
    }

    /// Retrains without each text in turn, or without all its duplicates, and scores it as it is to be.
    fn brute_force(
        reading: &Reading,
        (view, alpha): (View, f64),
        (texts, labels, scored): (&[&str], &[u32], &[&str]),
        (classes, duplicates): (usize, bool),
    ) -> Vec<f64> {
        let mut scores = Vec::new();
        for row in 0..texts.len() {
            let stays =
                |&other: &usize| other != row && !(duplicates && texts[other] == texts[row]);
            let left: Vec<usize> = (0..texts.len()).filter(stays).collect();
            let others: Vec<&str> = left.iter().map(|&row| texts[row]).collect();
            let theirs: Vec<u32> = left.iter().map(|&row| labels[row]).collect();
            let counts = TextCounts::observe(reading, &others, &theirs, classes, 1).unwrap();
            let weights =
                Weights::new(&counts, &classes_of(&theirs, classes), view, alpha).unwrap();
            scores.extend(weights.score(&[scored[row]], 1).unwrap());
        }
        scores
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]

        #[test]
        fn equals_retraining_without_the_text(
            rows in prop::collection::vec(("[a-e]( [a-h]){0,6}||a|a b", 0u32..CLASSES as u32), 1..9),
            classes in 1..=CLASSES,
            model in prop::sample::select(&MODELS[..]),
            (tfidf, duplicates, first, otherwise) in any::<(bool, bool, bool, bool)>(),
            min_documents in 1u64..3,
            alphas in prop::sample::subsequence(vec![0.0, 1e-250, 1e-3, 0.3, 1.0, 7.0], 1..7),
            longest in 1usize..3,
            threads in 1usize..3,
        ) {
            let texts: Vec<&str> = rows.iter().map(|row| row.0.as_str()).collect();
            let labels: Vec<u32> = rows.iter().map(|row| row.1 % classes as u32).collect();
            // Some words are scored as others, known and unknown.
            let shown: Vec<String> =
                texts.iter().map(|text| text.replace(['b', 'c'], "x").replace('d', "e e")).collect();
            let scored: Vec<&str> = match otherwise {
                true => shown.iter().map(String::as_str).collect(),
                false => texts.clone(),
            };
            let reading = Reading::word_ngrams(1, longest);
            let counts = TextCounts::observe(&reading, &texts, &labels, classes, 1).unwrap();
            // By TF-IDF a class that is left with nothing keeps a rounding error, which α must outweigh.
            let alphas = alphas.into_iter().filter(|&alpha| !tfidf || alpha != 1e-250);
            let alphas: Vec<f64> = alphas.collect();
            let alphas: Vec<f64> = match model {
                _ if model.is_complement() => alphas.into_iter().map(|alpha| if alpha > 0.0 { alpha } else { 0.1 }).collect(),
                _ => alphas,
            };
            let together: Vec<Vec<(u32, u64)>> = texts.iter().map(|text| duplicates_of(text, &texts, &labels)).collect();
            let learned = Learned { texts: &texts, classes: &labels, duplicates: duplicates.then_some(&together), scored: otherwise.then_some(&scored) };
            let blocks = if longest > 1 && first { 1 } else { u32::MAX };
            let view = View { model, blocks, min_documents, skip_top: 0, tfidf: tfidf && !model.counts_once() };
            // Another view, read at the same time, changes nothing.
            let other = if view.tfidf { blocks } else { !blocks };
            let beside = (View { blocks: other, ..view }, alphas.iter().map(|_| 0.7).collect());
            let found = leave_one_out(
                &counts, &classes_of(&labels, classes), &[beside, (view, alphas.clone())], &learned, threads,
            ).unwrap();
            for (alpha, found) in alphas.iter().zip(&found[1].scores) {
                let expected = brute_force(&reading, (view, *alpha), (&texts, &labels, &scored), (classes, duplicates));
                for (place, (a, b)) in found.iter().zip(&expected).enumerate() {
                    let close = (a - b).abs() <= 1e-10 * b.abs().max(1.0);
                    prop_assert!(a == b || close, "{model:?} {alpha} {place}: {a} {b}");
                }
            }
        }
    }

    /// Multi-label texts, and all of them in one more class.
    fn sets(rows: &[(String, Vec<u32>)], all: u32) -> (Vec<&str>, Vec<u32>, Vec<u32>, Classes) {
        let mut found = (Vec::new(), vec![0], Vec::new());
        let mut rows_of = vec![0; all as usize + 1];
        for (text, classes) in rows {
            found.0.push(text.as_str());
            found.2.extend(classes.iter().chain(&[all]));
            classes.iter().chain(&[all]).for_each(|&class| rows_of[class as usize] += 1);
            found.1.push(found.2.len() as u32);
        }
        (found.0, found.1, found.2, Classes { slots: (0..=all).collect(), rows: rows_of })
    }

    proptest! {
        #[test]
        fn a_multilabel_text_leaves_all_its_classes(
            rows in prop::collection::vec(
                ("[a-e]( [a-h]){0,6}||a|a b", prop::sample::subsequence(vec![0u32, 1, 2, 3, 4], 0..4)), 1..9,
            ),
            labels in 1u32..6,
            once in any::<bool>(),
            together in any::<bool>(),
            min_documents in 1u64..3,
            alphas in prop::sample::subsequence(vec![1e-3, 0.3, 1.0, 7.0], 1..5),
            threads in 1usize..3,
        ) {
            let rows: Vec<(String, Vec<u32>)> = rows
                .into_iter()
                .map(|(text, set)| (text, set.into_iter().filter(|&class| class < labels).collect()))
                .collect();
            let reading = Reading::word_ngrams(1, 2);
            let model = if once { Model::BinaryAgainst } else { Model::Against };
            let view = View { blocks: 1, min_documents, ..View::plain(model) };
            let observe = |rows: &[(String, Vec<u32>)]| {
                let (texts, starts, slots, classes) = sets(rows, labels);
                let n = labels as usize + 1;
                let mut counter = Counter::new(&reading, n);
                counter.observe_sets(&texts, (&starts, &slots), n, 1).unwrap();
                let same: Vec<u32> = (0..n as u32).collect();
                (counter.finish(&same, n).unwrap(), classes)
            };
            let (counts, classes) = observe(&rows);
            let (texts, starts, slots, _) = sets(&rows, labels);
            let is_duplicate = |row: usize, other: usize| row == other || (together && texts[row] == texts[other]);
            let of_row = |row: usize| &slots[starts[row] as usize..starts[row + 1] as usize];
            let duplicates: Vec<Vec<(u32, u64)>> = (0..rows.len()).map(|row| {
                let mut duplicates = BTreeMap::new();
                for other in (0..rows.len()).filter(|&other| is_duplicate(row, other)) {
                    of_row(other).iter().for_each(|&class| *duplicates.entry(class).or_insert(0) += 1);
                }
                duplicates.into_iter().collect()
            }).collect();
            let all = vec![labels; rows.len()];
            let learned = Learned { texts: &texts, classes: &all, duplicates: Some(&duplicates), scored: None };
            let found = leave_one_out(&counts, &classes, &[(view, alphas.clone())], &learned, threads).unwrap();
            for (alpha, found) in alphas.iter().zip(&found[0].scores) {
                for row in 0..rows.len() {
                    let left: Vec<_> = (0..rows.len()).filter(|&other| !is_duplicate(row, other)).map(|other| rows[other].clone()).collect();
                    let (counts, classes) = observe(&left);
                    let weights = Weights::new(&counts, &classes, view, *alpha).unwrap();
                    let expected = weights.score(&texts[row..=row], 1).unwrap();
                    // By hand, too: the label's own counts against those of all rows without it.
                    let with = |label: u32, has: bool| {
                        let (texts, labels): (Vec<&str>, Vec<u32>) = left.iter().map(|(text, set)| (text.as_str(), u32::from(set.contains(&label) != has))).unzip();
                        let counts = TextCounts::observe(&reading, &texts, &labels, 2, 1).unwrap();
                        let view = View { model: if once { Model::Binary } else { Model::Multinomial }, ..view };
                        let weights = Weights::new(&counts, &classes_of(&labels, 2), view, *alpha).unwrap();
                        weights.score(&[texts_of(&rows, row)], 1).unwrap()
                    };
                    for label in 0..labels {
                        let (a, b) = (found[row * labels as usize + label as usize], expected[label as usize]);
                        let apart = with(label, true);
                        let c = apart[0] - apart[1];
                        prop_assert!((a - b).abs() <= 1e-10 * b.abs().max(1.0), "{a} {b}");
                        prop_assert!((a - c).abs() <= 1e-10 * c.abs().max(1.0), "{a} {c}");
                    }
                }
            }
        }
    }

    fn texts_of(rows: &[(String, Vec<u32>)], row: usize) -> &str {
        rows[row].0.as_str()
    }

    #[test]
    fn a_text_that_was_not_counted_is_refused() {
        let reading = Reading::word_ngrams(1, 1);
        let counts = TextCounts::observe(&reading, &["a b", "c"], &[0, 1], 2, 1).unwrap();
        let classes = Classes { slots: vec![0, 1], rows: vec![1, 1] };
        let learned =
            Learned { texts: &["a b", "a"], classes: &[0, 1], duplicates: None, scored: None };
        let refused = leave_one_out(
            &counts,
            &classes,
            &[(View::plain(Model::Multinomial), vec![1.0])],
            &learned,
            1,
        );
        assert!(matches!(refused, Err(Error::NotLearned { what }) if what.contains("text 2")));
    }
}
