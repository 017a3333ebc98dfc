//! Every training text scored by the counts without it, in closed form.
//!
//! Taking a text out of the counts changes little: the counts of its own features in its own class,
//! the totals of that class, and the vocabulary, which loses the features no other text has (or, in
//! a view that asks for more documents, enough other texts). So each text is read once, and scored
//! with those few numbers put right. The result is what retraining without the text would give.

use crate::blend::length;
use crate::cells::Count;
use crate::counts::{TextCounts, check_lengths};
use crate::dictionary::UNKNOWN;
use crate::distinct::Distinct;
use crate::error::{Error, Result};
use crate::logs::{Logs, log};
use crate::reader::Reader;
use crate::rows::check_classes;
use crate::term::{Term, absent, histogram};
use crate::view::{Classes, Model, Row, Rows, Totals, View, idf};
use std::collections::{BTreeMap, BTreeSet};

/// The texts that were counted, each with the position of its class.
pub struct Learned<'a> {
    pub texts: &'a [&'a str],
    pub classes: &'a [u32],
    /// For each text, how often it was counted in each class, if it is left out with all its copies;
    /// nothing if it is left out alone.
    pub copies: Option<&'a [Vec<(u32, u64)>]>,
}

/// The scores of one view.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LeftOut {
    /// For each α, log P(text | class), one row per text.
    pub scores: Vec<Vec<f64>>,
    /// How many occurrences each text has in the blocks of the view.
    pub lengths: Vec<f64>,
}

/// log P(text | class) of each text, the text itself left out of the counts. All views and all α
/// share one reading of the texts; the views differ in their model and their blocks only.
pub fn leave_one_out(
    counts: &TextCounts,
    classes: &Classes,
    views: &[View],
    alphas: &[f64],
    learned: &Learned<'_>,
    threads: usize,
) -> Result<Vec<LeftOut>> {
    check_lengths(learned.texts)?;
    check_classes(learned.texts.len(), learned.classes, classes.len())?;
    let Some(first) = views.first() else { return Ok(Vec::new()) };
    let blocks = views.iter().fold(0, |blocks, view| blocks | view.blocks);
    let rows = Rows::new(counts, classes, View { blocks, ..*first });
    let pass = Pass { counts, classes, rows: &rows, views, learned, threads };
    let mut found = vec![LeftOut::default(); views.len()];
    for some in alphas.chunks(4) {
        let more = match *some {
            [a] => pass.run([a])?,
            [a, b] => pass.run([a, b])?,
            [a, b, c] => pass.run([a, b, c])?,
            [a, b, c, d] => pass.run([a, b, c, d])?,
            _ => continue,
        };
        for (found, more) in found.iter_mut().zip(more) {
            found.scores.extend(more.scores);
            found.lengths = more.lengths;
        }
    }
    Ok(found)
}

struct Pass<'a> {
    counts: &'a TextCounts,
    classes: &'a Classes,
    rows: &'a Rows,
    views: &'a [View],
    learned: &'a Learned<'a>,
    threads: usize,
}

impl Pass<'_> {
    fn run<const A: usize>(&self, alphas: [f64; A]) -> Result<Vec<LeftOut>> {
        let all: Vec<usize> = (0..self.learned.texts.len()).collect();
        let weight = |&row: &usize| self.learned.texts[row].len() + 8;
        let shares = crate::parallel::shares(&all, weight, self.threads);
        let parts = crate::parallel::each(shares, |share| self.share(share, alphas));
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

    fn share<const A: usize>(&self, share: &[usize], alphas: [f64; A]) -> Result<Vec<LeftOut>> {
        let width = self.classes.len();
        let mut reader = Reader::new(self.counts.reading());
        let mut logs = Logs::new(alphas);
        let new = |&view: &View| Without::new(self, view, &mut logs, alphas);
        let mut withouts: Vec<Without<'_, A>> = self.views.iter().map(new).collect();
        let empty = LeftOut {
            scores: vec![Vec::with_capacity(share.len() * width); A],
            lengths: Vec::with_capacity(share.len()),
        };
        let mut found = vec![empty; self.views.len()];
        let mut distinct = vec![Distinct::default(); self.rows.blocks.len()];
        for &row in share {
            let occurrences = reader.known(self.counts.dictionary(), self.learned.texts[row]);
            let alone = [(self.learned.classes[row], 1)];
            let copies = self.learned.copies.map(|copies| copies[row].as_slice());
            let copies = copies.filter(|copies| !copies.is_empty()).unwrap_or(&alone);
            // What nobody knows was never counted.
            let mut learned = !occurrences.blocks.iter().any(|ids| ids.contains(&UNKNOWN));
            for (index, ids) in occurrences.blocks.iter().enumerate() {
                distinct[index].of(ids, self.rows.blocks[index].features());
            }
            for (without, found) in withouts.iter_mut().zip(&mut found) {
                learned &= without.read(&distinct, &mut logs, copies);
                without.finish(&mut logs, |alpha, score| found.scores[alpha].push(score));
                found.lengths.push(length(without.view.blocks, occurrences));
            }
            if !learned {
                return Err(Error::NotLearned {
                    what: format!(
                        "text {row} is not among those that were counted under its class"
                    ),
                });
            }
        }
        Ok(found)
    }
}

/// The scores of one text while it is read.
struct Without<'a, const A: usize> {
    pass: &'a Pass<'a>,
    view: View,
    totals: Totals,
    alphas: [f64; A],
    /// log α, what a class has for a feature it never saw.
    nothing: [f64; A],
    has_zeros: bool,
    absence: Vec<Absence<A>>,
    /// How many copies of the text are left out of each class, and of all.
    copies: Vec<u64>,
    all_copies: u64,
    /// Per class: the evidence so far, the zeros in it, and what left the class's total.
    evidence: Vec<[f64; A]>,
    zeros: Vec<[i64; A]>,
    taken: Vec<u64>,
    /// Evidence that is the same for every class (complement).
    shared: [f64; A],
    /// Occurrences that count, and features that leave the vocabulary.
    occurrences: u64,
    gone: u64,
    /// With TF-IDF: what the occurrences count together, and per class how much the sum of
    /// `times · log(1 + df)` has lost.
    mass: f64,
    logs_taken: Vec<f64>,
    masses: Vec<f64>,
}

/// Bernoulli's evidence of an empty document: with all rows of the class, and with so many fewer, where
/// features that are in more documents of the class than remain are left out (they are in the text
/// itself).
struct Absence<const A: usize> {
    all: [Term; A],
    /// Without one row, and without as many copies as some text has.
    without: BTreeMap<u64, [Term; A]>,
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
        Without {
            pass,
            view,
            totals,
            alphas,
            nothing: logs.of(0),
            has_zeros: alphas.contains(&0.0),
            absence,
            copies: vec![0; width],
            all_copies: 0,
            evidence: vec![[0.0; A]; width],
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

    /// Gathers the evidence of one text, given its features, block by block; false if the counts do
    /// not hold its copies.
    fn read(&mut self, text: &[Distinct], logs: &mut Logs<A>, copies: &[(u32, u64)]) -> bool {
        let pass = self.pass;
        self.occurrences = 0;
        self.gone = 0;
        self.mass = 0.0;
        self.shared = [0.0; A];
        self.copies.fill(0);
        for &(class, copies) in copies {
            self.copies[class as usize] += copies;
        }
        self.all_copies = copies.iter().map(|(_, copies)| copies).sum();
        let mut learned = true;
        for (index, block) in pass.rows.blocks.iter().enumerate() {
            if self.view.blocks >> index & 1 == 0 {
                continue;
            }
            let found = text[index].found();
            block.fetch(found.iter().map(|&(id, _)| id));
            for &(id, times) in found {
                let row = block.row(id);
                if row.is_empty() {
                    continue;
                }
                let times = u64::from(times);
                let mut documents = 0;
                for &(class, copies) in copies {
                    let there = row.of_class(class as usize, pass.classes.len());
                    match there.filter(|there| there.times >= times * copies) {
                        Some(there) => documents += there.documents,
                        None => learned = false,
                    }
                }
                if !learned {
                    continue;
                }
                // Its own classes alone mostly settle that a feature stays.
                let least = self.view.min_documents + self.all_copies;
                let stays = documents >= least
                    || row.iter().map(|count| count.documents).sum::<u64>() >= least;
                match self.view.model {
                    Model::Multinomial | Model::Complement if self.view.tfidf => {
                        self.weighed(row, logs, times, stays);
                    }
                    Model::Multinomial => self.urn(row, logs, times, stays, |count| count.times),
                    Model::Binary => self.urn(row, logs, 1, stays, |count| count.documents),
                    Model::Complement => self.others(row, logs, times, stays),
                    Model::Bernoulli => self.presence(row, logs, stays),
                }
            }
        }
        learned
    }

    /// A feature drawn `times` times from the urns of the classes.
    #[inline(always)]
    fn urn(
        &mut self,
        row: Row<'_>,
        logs: &mut Logs<A>,
        times: u64,
        stays: bool,
        of: impl Fn(Count) -> u64,
    ) {
        if !stays {
            self.gone += 1;
            for count in row.iter() {
                self.taken[count.class as usize] += of(count);
            }
            return;
        }
        self.occurrences += times;
        let (nothing, drawn) = (self.nothing, times as f64);
        for count in row.iter() {
            let class = count.class as usize;
            let out = times * self.copies[class];
            let left = of(count) - out;
            self.taken[class] += out;
            let seen = logs.of(left);
            for alpha in 0..A {
                self.evidence[class][alpha] += drawn * (seen[alpha] - nothing[alpha]);
            }
            if self.has_zeros && left > 0 {
                // An occurrence counts as a zero in every class, until the class is seen to have it.
                let zero = logs.is_zero(0);
                for alpha in 0..A {
                    self.zeros[class][alpha] -= times as i64 * zero[alpha];
                }
            }
        }
    }

    /// A feature drawn from the urns of all the other classes.
    #[inline(always)]
    fn others(&mut self, row: Row<'_>, logs: &mut Logs<A>, times: u64, stays: bool) {
        if !stays {
            self.gone += 1;
            for count in row.iter() {
                self.taken[count.class as usize] += count.times;
            }
            return;
        }
        self.occurrences += times;
        let total = row.iter().map(|count| count.times).sum::<u64>() - times * self.all_copies;
        let everywhere = logs.of(total);
        for alpha in 0..A {
            self.shared[alpha] -= times as f64 * everywhere[alpha];
        }
        for count in row.iter() {
            let class = count.class as usize;
            let out = times * self.copies[class];
            self.taken[class] += out;
            let outside = logs.of(total - (count.times - out));
            for alpha in 0..A {
                self.evidence[class][alpha] += times as f64 * (everywhere[alpha] - outside[alpha]);
            }
        }
    }

    /// A feature drawn under TF-IDF, from the urns of the classes or of all the others. Fewer documents
    /// hold it, and there are fewer.
    fn weighed(&mut self, row: Row<'_>, logs: &mut Logs<A>, times: u64, stays: bool) {
        let rows = self.pass.rows.idf().map_or(0, |idf| idf.rows) - self.all_copies;
        let documents = row.iter().map(|count| count.documents).sum::<u64>();
        let before = log((1 + documents) as f64);
        if !stays {
            self.gone += 1;
            for count in row.iter() {
                self.taken[count.class as usize] += count.times;
                self.logs_taken[count.class as usize] += count.times as f64 * before;
            }
            return;
        }
        let idf = idf(rows, documents - self.all_copies);
        let after = log((1 + documents - self.all_copies) as f64);
        let drawn = times as f64 * idf;
        self.occurrences += times;
        self.mass += drawn;
        let total = row.iter().map(|count| count.times).sum::<u64>() - times * self.all_copies;
        let complement = self.view.model == Model::Complement;
        for alpha in 0..A {
            let smoothing = self.alphas[alpha];
            let term = |n: u64| log(n as f64 * idf + smoothing);
            if complement {
                self.shared[alpha] -= drawn * term(total);
            }
            for count in row.iter() {
                let class = count.class as usize;
                let left = count.times - times * self.copies[class];
                self.evidence[class][alpha] += match complement {
                    true => drawn * (term(total) - term(total - left)),
                    false => drawn * (term(left) - term(0)),
                };
                if self.has_zeros && left > 0 {
                    self.zeros[class][alpha] -= times as i64 * logs.is_zero(0)[alpha];
                }
            }
        }
        for count in row.iter() {
            let class = count.class as usize;
            let out = times * self.copies[class];
            let left = count.times - out;
            self.taken[class] += out;
            self.logs_taken[class] += count.times as f64 * before - left as f64 * after;
        }
    }

    /// What the occurrences of a class still count.
    fn mass_left(&self, class: usize, times: u64) -> f64 {
        match self.pass.rows.idf() {
            None => times as f64,
            Some(idf) => {
                let each = log((1 + idf.rows - self.all_copies) as f64) + 1.0;
                times as f64 * each - (idf.logs[class] - self.logs_taken[class])
            }
        }
    }

    /// A feature that is present, in a model where absence speaks too.
    fn presence(&mut self, row: Row<'_>, logs: &mut Logs<A>, stays: bool) {
        match stays {
            true => self.occurrences += 1,
            false => self.gone += 1,
        }
        for count in row.iter() {
            let class = count.class as usize;
            let (rows, copies) = (self.pass.classes.rows[class], self.copies[class]);
            if copies > 0 {
                let rows = rows - copies;
                if count.documents <= rows {
                    self.add(logs, class, rows - count.documents, -1);
                    self.add_total(class, rows, 1);
                }
                if stays {
                    self.add(logs, class, count.documents - copies, 1);
                    self.add_total(class, rows, -1);
                }
                continue;
            }
            // In place of a feature the class never saw: see `finish`.
            if stays {
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
            self.evidence[class][alpha] += sign as f64 * logs[alpha];
            self.zeros[class][alpha] += sign * zeros[alpha];
        }
    }

    /// Adds `sign` · log(n + 2α) to a class.
    fn add_total(&mut self, class: usize, n: u64, sign: i64) {
        for alpha in 0..A {
            self.evidence[class][alpha] += sign as f64 * log(n as f64 + 2.0 * self.alphas[alpha]);
        }
    }

    /// Writes the scores of the text, class by class, and makes ready for the next.
    fn finish(&mut self, logs: &mut Logs<A>, mut write: impl FnMut(usize, f64)) {
        let rows = self.pass.rows;
        let features = (self.totals.features - self.gone) as f64;
        let sums = match self.view.model {
            Model::Binary => &self.totals.documents,
            _ => &self.totals.times,
        };
        let left = |class: usize| sums[class] - self.taken[class];
        let mut masses = std::mem::take(&mut self.masses);
        masses.clear();
        masses.extend((0..sums.len()).map(|class| self.mass_left(class, left(class))));
        let everything: u64 = (0..sums.len()).map(left).sum();
        let occurrences = self.occurrences as f64;
        let drawn = if rows.idf().is_some() { self.mass } else { occurrences };
        for class in 0..self.evidence.len() {
            let others = match rows.idf() {
                Some(_) => (0..masses.len()).filter(|&c| c != class).map(|c| masses[c]).sum(),
                None => (everything - (sums[class] - self.taken[class])) as f64,
            };
            let mut score = self.evidence[class];
            let mut zeros = self.zeros[class];
            for alpha in 0..A {
                let smoothing = self.alphas[alpha];
                match self.view.model {
                    Model::Multinomial | Model::Binary => {
                        if self.occurrences > 0 {
                            let total = log(masses[class] + smoothing * features);
                            score[alpha] += drawn * (self.nothing[alpha] - total);
                        }
                        zeros[alpha] += self.occurrences as i64 * logs.is_zero(0)[alpha];
                    }
                    Model::Complement => {
                        score[alpha] += self.shared[alpha];
                        if self.occurrences > 0 {
                            let total = log(others + smoothing * features);
                            score[alpha] += drawn * total;
                        }
                    }
                    Model::Bernoulli if self.copies[class] > 0 => {
                        let absent = self.absence[class].without(self.copies[class]);
                        score[alpha] += absent[alpha].log;
                        zeros[alpha] += absent[alpha].zeros;
                    }
                    Model::Bernoulli => {
                        let n = self.pass.classes.rows[class];
                        let absent = logs.of(n)[alpha];
                        let total = log(n as f64 + 2.0 * smoothing);
                        score[alpha] += self.absence[class].all[alpha].log
                            + occurrences * (self.nothing[alpha] - absent)
                            - self.gone as f64 * (absent - total);
                        let (never, always) = (logs.is_zero(0)[alpha], logs.is_zero(n)[alpha]);
                        zeros[alpha] += self.absence[class].all[alpha].zeros
                            + self.occurrences as i64 * (never - always)
                            - self.gone as i64 * always;
                    }
                }
                let impossible = zeros[alpha] > 0;
                write(alpha, if impossible { f64::NEG_INFINITY } else { score[alpha] });
            }
            self.evidence[class] = [0.0; A];
            self.zeros[class] = [0; A];
        }
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
            let mut each = [Term::default(); A];
            for (alpha, sum) in each.iter_mut().enumerate() {
                let total = log(rows as f64 + 2.0 * alphas[alpha]);
                *sum = absent(histogram, features, |documents| {
                    let (log, zeros) = (logs.of(rows - documents), logs.is_zero(rows - documents));
                    Term { log: log[alpha] - total, zeros: zeros[alpha] }
                });
            }
            each
        };
        let all = sum(&histogram, features, rows);
        let here = |&&(c, _): &&(u32, u64)| c as usize == class;
        let copies = pass.learned.copies.into_iter().flatten().flatten();
        let mut asked = BTreeSet::from([1]);
        asked.extend(copies.filter(here).map(|&(_, number)| number));
        let mut features = features;
        let mut without = BTreeMap::new();
        for copies in asked.into_iter().filter(|&copies| copies <= rows) {
            features -= histogram.split_off(&(rows - copies + 1)).values().sum::<u64>();
            without.insert(copies, sum(&histogram, features, rows - copies));
        }
        Absence { all, without }
    }

    fn without(&self, copies: u64) -> &[Term; A] {
        self.without.get(&copies).unwrap_or(&self.all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reading::Reading;
    use crate::weights::Weights;
    use proptest::prelude::*;

    const MODELS: [Model; 4] =
        [Model::Multinomial, Model::Binary, Model::Bernoulli, Model::Complement];

    /// Few classes are laid out in whole rows, more in sparse ones; both are tried.
    const CLASSES: usize = 7;

    fn classes_of(labels: &[u32], classes: usize) -> Classes {
        let rows = |class: u32| labels.iter().filter(|&&label| label == class).count() as u64;
        let slots: Vec<u32> = (0..classes as u32).collect();
        Classes { rows: slots.iter().map(|&class| rows(class)).collect(), slots }
    }

    fn copies_of(text: &str, texts: &[&str], labels: &[u32]) -> Vec<(u32, u64)> {
        let mut copies = std::collections::BTreeMap::new();
        for (_, &label) in texts.iter().zip(labels).filter(|(other, _)| **other == text) {
            *copies.entry(label).or_insert(0) += 1;
        }
        copies.into_iter().collect()
    }

    /// Retrains without each text in turn, or without all its copies.
    fn brute_force(
        reading: &Reading,
        (view, alpha): (View, f64),
        (texts, labels): (&[&str], &[u32]),
        (classes, copies): (usize, bool),
    ) -> Vec<f64> {
        let mut scores = Vec::new();
        for row in 0..texts.len() {
            let stays = |&other: &usize| other != row && !(copies && texts[other] == texts[row]);
            let left: Vec<usize> = (0..texts.len()).filter(stays).collect();
            let others: Vec<&str> = left.iter().map(|&row| texts[row]).collect();
            let theirs: Vec<u32> = left.iter().map(|&row| labels[row]).collect();
            let counts = TextCounts::observe(reading, &others, &theirs, classes, 1).unwrap();
            let weights = Weights::new(&counts, &classes_of(&theirs, classes), view, alpha);
            scores.extend(weights.score(&[texts[row]], 1).unwrap());
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
            (tfidf, copies, first) in any::<(bool, bool, bool)>(),
            min_documents in 1u64..3,
            alphas in prop::sample::subsequence(vec![0.0, 0.3, 1.0, 2.5, 7.0], 1..6),
            longest in 1usize..3,
            threads in 1usize..3,
        ) {
            let texts: Vec<&str> = rows.iter().map(|row| row.0.as_str()).collect();
            let labels: Vec<u32> = rows.iter().map(|row| row.1 % classes as u32).collect();
            let reading = Reading::words(1, longest);
            let counts = TextCounts::observe(&reading, &texts, &labels, classes, 1).unwrap();
            let alphas: Vec<f64> = match model {
                Model::Complement => alphas.into_iter().map(|alpha| alpha + 0.1).collect(),
                _ => alphas,
            };
            let together: Vec<Vec<(u32, u64)>> = texts.iter().map(|text| copies_of(text, &texts, &labels)).collect();
            let learned = Learned { texts: &texts, classes: &labels, copies: copies.then_some(&together) };
            let blocks = if longest > 1 && first { 1 } else { u32::MAX };
            let view = View { model, blocks, min_documents, skip_top: 0, tfidf: tfidf && !model.counts_once() };
            let found = leave_one_out(
                &counts, &classes_of(&labels, classes), &[view], &alphas, &learned, threads,
            ).unwrap();
            for (alpha, found) in alphas.iter().zip(&found[0].scores) {
                let expected = brute_force(&reading, (view, *alpha), (&texts, &labels), (classes, copies));
                for (place, (a, b)) in found.iter().zip(&expected).enumerate() {
                    let close = (a - b).abs() <= 1e-10 * b.abs().max(1.0);
                    prop_assert!(a == b || close, "{model:?} {alpha} {place}: {a} {b}");
                }
            }
        }
    }

    #[test]
    fn a_text_that_was_not_counted_is_refused() {
        let reading = Reading::words(1, 1);
        let counts = TextCounts::observe(&reading, &["a b", "c"], &[0, 1], 2, 1).unwrap();
        let classes = Classes { slots: vec![0, 1], rows: vec![1, 1] };
        let learned = Learned { texts: &["a b", "a"], classes: &[0, 1], copies: None };
        let refused = leave_one_out(
            &counts,
            &classes,
            &[View::plain(Model::Multinomial)],
            &[1.0],
            &learned,
            1,
        );
        assert!(matches!(refused, Err(Error::NotLearned { what }) if what.contains("text 1")));
    }
}
