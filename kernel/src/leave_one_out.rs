//! Every training text scored by the counts without it, in closed form.
//!
//! Taking a text out of the counts changes little: the counts of its own features in its own class,
//! the totals of that class, and the vocabulary, which loses the features no other text has (or, in
//! a view that asks for more documents, enough other texts). So each text is read once, and scored
//! with those few numbers put right. The result is what retraining without the text would give.

use crate::cells::Count;
use crate::counts::{TextCounts, check_lengths};
use crate::dictionary::UNKNOWN;
use crate::distinct::Distinct;
use crate::error::{Error, Result};
use crate::logs::{Logs, log};
use crate::reader::{Occurrences, Reader};
use crate::rows::check_classes;
use crate::term::{Term, absent, histogram};
use crate::view::{Classes, Model, Row, Rows, View, idf};

/// The texts that were counted, each with the position of its class.
pub struct Learned<'a> {
    pub texts: &'a [&'a str],
    pub classes: &'a [u32],
}

/// log P(text | class) of each text, the text itself left out of the counts: for each α, one row per
/// text. All α share one reading of the texts.
pub fn leave_one_out(
    counts: &TextCounts,
    classes: &Classes,
    view: View,
    alphas: &[f64],
    learned: &Learned<'_>,
    threads: usize,
) -> Result<Vec<Vec<f64>>> {
    check_lengths(learned.texts)?;
    check_classes(learned.texts.len(), learned.classes, classes.len())?;
    let rows = Rows::new(counts, classes, view);
    let pass = Pass { counts, classes, rows: &rows, view, learned, threads };
    let mut scores = Vec::new();
    for some in alphas.chunks(4) {
        match *some {
            [a] => scores.extend(pass.run([a])?),
            [a, b] => scores.extend(pass.run([a, b])?),
            [a, b, c] => scores.extend(pass.run([a, b, c])?),
            [a, b, c, d] => scores.extend(pass.run([a, b, c, d])?),
            _ => {}
        }
    }
    Ok(scores)
}

struct Pass<'a> {
    counts: &'a TextCounts,
    classes: &'a Classes,
    rows: &'a Rows,
    view: View,
    learned: &'a Learned<'a>,
    threads: usize,
}

impl Pass<'_> {
    fn run<const A: usize>(&self, alphas: [f64; A]) -> Result<[Vec<f64>; A]> {
        let width = self.classes.len();
        let all: Vec<usize> = (0..self.learned.texts.len()).collect();
        let weight = |&row: &usize| self.learned.texts[row].len() + 8;
        let mut scores = [(); A].map(|_| vec![0.0; all.len() * width]);
        let mut rest = scores.each_mut().map(Vec::as_mut_slice);
        let mut work = Vec::new();
        for share in crate::parallel::shares(&all, weight, self.threads) {
            let mut ours = Vec::with_capacity(A);
            rest = rest.map(|scores| {
                let (out, others) = scores.split_at_mut(share.len() * width);
                ours.push(out);
                others
            });
            work.push((share, ours));
        }
        let parts = crate::parallel::each(work, |(share, out)| self.share(share, alphas, out));
        parts.into_iter().collect::<Result<Vec<()>>>()?;
        Ok(scores)
    }

    fn share<const A: usize>(
        &self,
        share: &[usize],
        alphas: [f64; A],
        mut scores: Vec<&mut [f64]>,
    ) -> Result<()> {
        let width = self.classes.len();
        let mut reader = Reader::new(self.counts.reading());
        let mut without = Without::new(self, alphas);
        for (place, &row) in share.iter().enumerate() {
            let occurrences = reader.known(self.counts.dictionary(), self.learned.texts[row]);
            let class = self.learned.classes[row] as usize;
            if !without.read(occurrences, class) {
                return Err(Error::NotLearned {
                    what: format!(
                        "text {row} is not among those that were counted under its class"
                    ),
                });
            }
            without.finish(class, |class, alpha, score| {
                scores[alpha][place * width + class] = score;
            });
        }
        Ok(())
    }
}

/// The scores of one text while it is read.
struct Without<'a, const A: usize> {
    pass: &'a Pass<'a>,
    alphas: [f64; A],
    logs: Logs<A>,
    /// log α, what a class has for a feature it never saw.
    nothing: [f64; A],
    has_zeros: bool,
    distinct: Distinct,
    absence: Vec<Absence<A>>,
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

/// Bernoulli's evidence of an empty document: with all rows of the class, and with one fewer, where
/// features that are in every document of the class are left out (they are in the text itself).
struct Absence<const A: usize> {
    all: [Term; A],
    without_one: [Term; A],
}

impl<'a, const A: usize> Without<'a, A> {
    fn new(pass: &'a Pass<'a>, alphas: [f64; A]) -> Self {
        let width = pass.classes.len();
        let mut logs = Logs::new(alphas);
        let absence = match pass.view.model {
            Model::Bernoulli => {
                (0..width).map(|class| Absence::new(pass, class, &mut logs, &alphas)).collect()
            }
            _ => Vec::new(),
        };
        Without {
            pass,
            alphas,
            nothing: logs.of(0),
            logs,
            has_zeros: alphas.contains(&0.0),
            distinct: Distinct::default(),
            absence,
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

    /// Gathers the evidence of one text of class `own`; false if the counts do not hold the text.
    fn read(&mut self, occurrences: &Occurrences, own: usize) -> bool {
        let pass = self.pass;
        self.occurrences = 0;
        self.gone = 0;
        self.mass = 0.0;
        self.shared = [0.0; A];
        let mut distinct = std::mem::take(&mut self.distinct);
        let mut learned = true;
        for (block, ids) in pass.rows.blocks.iter().zip(&occurrences.blocks) {
            // What nobody knows was never counted.
            learned &= !ids.contains(&UNKNOWN);
            let found = distinct.of(ids, block.features());
            block.fetch(found.iter().map(|&(id, _)| id));
            for &(id, times) in found {
                let row = block.row(id);
                if row.is_empty() {
                    continue;
                }
                let times = u64::from(times);
                let ours = row.of_class(own, pass.classes.len());
                let Some(ours) = ours.filter(|ours| ours.times >= times) else {
                    learned = false;
                    continue;
                };
                // Its own class alone mostly settles that a feature stays.
                let stays = ours.documents > pass.view.min_documents
                    || row.iter().map(|count| count.documents).sum::<u64>()
                        > pass.view.min_documents;
                match pass.view.model {
                    Model::Multinomial | Model::Complement if pass.view.tfidf => {
                        self.weighed(row, own, times, stays);
                    }
                    Model::Multinomial => self.urn(row, own, times, stays, |count| count.times),
                    Model::Binary => self.urn(row, own, 1, stays, |count| count.documents),
                    Model::Complement => self.others(row, own, times, stays),
                    Model::Bernoulli => self.presence(row, own, stays),
                }
            }
        }
        self.distinct = distinct;
        learned
    }

    /// A feature drawn `times` times from the urns of the classes.
    #[inline(always)]
    fn urn(
        &mut self,
        row: Row<'_>,
        own: usize,
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
        self.taken[own] += times;
        let (nothing, drawn) = (self.nothing, times as f64);
        for count in row.iter() {
            let class = count.class as usize;
            let left = if class == own { of(count) - times } else { of(count) };
            let logs = self.logs.of(left);
            for alpha in 0..A {
                self.evidence[class][alpha] += drawn * (logs[alpha] - nothing[alpha]);
            }
            if self.has_zeros && left > 0 {
                // An occurrence counts as a zero in every class, until the class is seen to have it.
                let zero = self.logs.is_zero(0);
                for alpha in 0..A {
                    self.zeros[class][alpha] -= times as i64 * zero[alpha];
                }
            }
        }
    }

    /// A feature drawn from the urns of all the other classes.
    #[inline(always)]
    fn others(&mut self, row: Row<'_>, own: usize, times: u64, stays: bool) {
        if !stays {
            self.gone += 1;
            for count in row.iter() {
                self.taken[count.class as usize] += count.times;
            }
            return;
        }
        self.occurrences += times;
        self.taken[own] += times;
        let total = row.iter().map(|count| count.times).sum::<u64>() - times;
        let everywhere = self.logs.of(total);
        for alpha in 0..A {
            self.shared[alpha] -= times as f64 * everywhere[alpha];
        }
        for count in row.iter() {
            let class = count.class as usize;
            let inside = if class == own { count.times - times } else { count.times };
            let outside = self.logs.of(total - inside);
            for alpha in 0..A {
                self.evidence[class][alpha] += times as f64 * (everywhere[alpha] - outside[alpha]);
            }
        }
    }

    /// A feature drawn under TF-IDF, from the urns of the classes or of all the others. One document
    /// fewer holds it, and there is one document fewer.
    fn weighed(&mut self, row: Row<'_>, own: usize, times: u64, stays: bool) {
        let rows = self.pass.rows.idf().map_or(0, |idf| idf.rows) - 1;
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
        let idf = idf(rows, documents - 1);
        let after = log(documents as f64);
        let drawn = times as f64 * idf;
        self.occurrences += times;
        self.mass += drawn;
        self.taken[own] += times;
        let total = row.iter().map(|count| count.times).sum::<u64>() - times;
        let complement = self.pass.view.model == Model::Complement;
        for alpha in 0..A {
            let smoothing = self.alphas[alpha];
            let term = |n: u64| log(n as f64 * idf + smoothing);
            if complement {
                self.shared[alpha] -= drawn * term(total);
            }
            for count in row.iter() {
                let class = count.class as usize;
                let left = if class == own { count.times - times } else { count.times };
                self.evidence[class][alpha] += match complement {
                    true => drawn * (term(total) - term(total - left)),
                    false => drawn * (term(left) - term(0)),
                };
                if self.has_zeros && left > 0 {
                    self.zeros[class][alpha] -= times as i64 * self.logs.is_zero(0)[alpha];
                }
            }
        }
        for count in row.iter() {
            let class = count.class as usize;
            let left = if class == own { count.times - times } else { count.times };
            self.logs_taken[class] += count.times as f64 * before - left as f64 * after;
        }
    }

    /// What the occurrences of a class still count.
    fn mass_left(&self, class: usize, times: u64) -> f64 {
        match self.pass.rows.idf() {
            None => times as f64,
            Some(idf) => {
                let each = log(idf.rows as f64) + 1.0;
                times as f64 * each - (idf.logs[class] - self.logs_taken[class])
            }
        }
    }

    /// A feature that is present, in a model where absence speaks too.
    fn presence(&mut self, row: Row<'_>, own: usize, stays: bool) {
        match stays {
            true => self.occurrences += 1,
            false => self.gone += 1,
        }
        for count in row.iter() {
            let class = count.class as usize;
            let rows = self.pass.classes.rows[class];
            if class == own {
                let rows = rows - 1;
                if count.documents <= rows {
                    self.add(class, rows - count.documents, -1);
                    self.add_total(class, rows, 1);
                }
                if stays {
                    self.add(class, count.documents - 1, 1);
                    self.add_total(class, rows, -1);
                }
                continue;
            }
            // In place of a feature the class never saw: see `finish`.
            if stays {
                self.add(class, count.documents, 1);
                self.add(class, rows - count.documents, -1);
                self.add(class, 0, -1);
                self.add(class, rows, 1);
            } else {
                self.add(class, rows - count.documents, -1);
                self.add(class, rows, 1);
            }
        }
    }

    /// Adds `sign` · log(n + α) to a class.
    fn add(&mut self, class: usize, n: u64, sign: i64) {
        let (logs, zeros) = (self.logs.of(n), self.logs.is_zero(n));
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
    fn finish(&mut self, own: usize, mut write: impl FnMut(usize, usize, f64)) {
        let rows = self.pass.rows;
        let features = (rows.features - self.gone) as f64;
        let sums = match self.pass.view.model {
            Model::Binary => &rows.documents,
            _ => &rows.times,
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
                match self.pass.view.model {
                    Model::Multinomial | Model::Binary => {
                        if self.occurrences > 0 {
                            let total = log(masses[class] + smoothing * features);
                            score[alpha] += drawn * (self.nothing[alpha] - total);
                        }
                        zeros[alpha] += self.occurrences as i64 * self.logs.is_zero(0)[alpha];
                    }
                    Model::Complement => {
                        score[alpha] += self.shared[alpha];
                        if self.occurrences > 0 {
                            let total = log(others + smoothing * features);
                            score[alpha] += drawn * total;
                        }
                    }
                    Model::Bernoulli if class == own => {
                        score[alpha] += self.absence[class].without_one[alpha].log;
                        zeros[alpha] += self.absence[class].without_one[alpha].zeros;
                    }
                    Model::Bernoulli => {
                        let n = self.pass.classes.rows[class];
                        let absent = self.logs.of(n)[alpha];
                        let total = log(n as f64 + 2.0 * smoothing);
                        score[alpha] += self.absence[class].all[alpha].log
                            + occurrences * (self.nothing[alpha] - absent)
                            - self.gone as f64 * (absent - total);
                        let (never, always) =
                            (self.logs.is_zero(0)[alpha], self.logs.is_zero(n)[alpha]);
                        zeros[alpha] += self.absence[class].all[alpha].zeros
                            + self.occurrences as i64 * (never - always)
                            - self.gone as i64 * always;
                    }
                }
                let impossible = zeros[alpha] > 0;
                write(class, alpha, if impossible { f64::NEG_INFINITY } else { score[alpha] });
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
    fn new(pass: &Pass<'_>, class: usize, logs: &mut Logs<A>, alphas: &[f64; A]) -> Self {
        let mut histogram = histogram(pass.rows, class);
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
        let features = pass.rows.features;
        let all = sum(&histogram, features, rows);
        let always = histogram.remove(&rows).unwrap_or(0);
        let without_one = sum(&histogram, features - always, rows.saturating_sub(1));
        Absence { all, without_one }
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

    /// Retrains without each text in turn.
    fn brute_force(
        reading: &Reading,
        (view, alpha): (View, f64),
        (texts, labels): (&[&str], &[u32]),
        classes: usize,
    ) -> Vec<f64> {
        let mut scores = Vec::new();
        for row in 0..texts.len() {
            let (mut others, mut theirs) = (texts.to_vec(), labels.to_vec());
            others.remove(row);
            theirs.remove(row);
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
            rows in prop::collection::vec(("[a-e]( [a-h]){0,6}|", 0u32..CLASSES as u32), 1..9),
            classes in 1..=CLASSES,
            model in prop::sample::select(&MODELS[..]),
            tfidf: bool,
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
            let learned = Learned { texts: &texts, classes: &labels };
            let view = View { model, min_documents, skip_top: 0, tfidf: tfidf && !model.counts_once() };
            let found = leave_one_out(
                &counts, &classes_of(&labels, classes), view, &alphas, &learned, threads,
            ).unwrap();
            for (alpha, found) in alphas.iter().zip(found) {
                let expected = brute_force(&reading, (view, *alpha), (&texts, &labels), classes);
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
        let learned = Learned { texts: &["a b", "a"], classes: &[0, 1] };
        let refused =
            leave_one_out(&counts, &classes, View::plain(Model::Multinomial), &[1.0], &learned, 1);
        assert!(matches!(refused, Err(Error::NotLearned { what }) if what.contains("text 1")));
    }
}
