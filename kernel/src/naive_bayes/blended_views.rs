//! Several views of one text tally, each with its weight, added.
//!
//! ```text
//! score_c(x) = Σ_v ( whole_v + rooted_v / √length_v(x) ) · s_v(x, c)
//! ```
//!
//! The length is how many occurrences the text has in the blocks of the view. Each s_v is linear in
//! the counts of x, so views of the same features that count alike are added up beforehand: scoring
//! costs what two views cost, however many there are.

use crate::counts::features::Features;
use crate::counts::text_counts::{TextCounts, check_lengths};
use crate::error::Result;
use crate::naive_bayes::views::{Classes, View, ViewRows};
use crate::naive_bayes::weights::{Contribution, Scratch, Weights};
use crate::text::feature_reader::Occurrences;

/// A view with its smoothing, above zero, and its weights.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct BlendedView {
    pub(crate) view: View,
    pub(crate) alpha: f64,
    /// The weight of its score, and of its score over the root of the length.
    pub(crate) whole: f64,
    pub(crate) rooted: f64,
}

/// Weighted views, ready to score.
pub(crate) struct Blend {
    features: Features,
    classes: usize,
    groups: Vec<Group>,
}

/// The views of some blocks that count alike, added up.
struct Group {
    blocks: u32,
    counts_once: bool,
    whole: Option<Weights>,
    rooted: Option<Weights>,
}

impl Blend {
    pub(crate) fn new(
        counts: &TextCounts,
        classes: &Classes,
        parts: &[BlendedView],
    ) -> Result<Self> {
        let mut blend = Blend {
            features: counts.features().clone(),
            classes: parts
                .first()
                .map_or(classes.len(), |part| part.view.model.scored(classes.len())),
            groups: Vec::new(),
        };
        let views: Vec<View> = parts.iter().map(|part| part.view).collect();
        let rows = ViewRows::new(counts, classes, &views)?;
        for part in parts {
            let (blocks, counts_once) = (part.view.blocks, part.view.model.counts_once());
            let alike = |group: &Group| (group.blocks, group.counts_once) == (blocks, counts_once);
            let known = blend.groups.iter().position(alike);
            let place = known.unwrap_or(blend.groups.len());
            if known.is_none() {
                blend.groups.push(Group { blocks, counts_once, whole: None, rooted: None });
            }
            let group = &mut blend.groups[place];
            for (sum, weight) in [(&mut group.whole, part.whole), (&mut group.rooted, part.rooted)]
            {
                if weight != 0.0 {
                    let weights = Weights::of_rows(counts, &rows, classes, part.view, part.alpha);
                    let weights = weights.scaled(weight);
                    match sum {
                        Some(sum) => sum.add(&weights),
                        None => *sum = Some(weights),
                    }
                }
            }
        }
        for group in &mut blend.groups {
            group.whole = group.whole.take().map(Weights::ready);
            group.rooted = group.rooted.take().map(Weights::ready);
        }
        Ok(blend)
    }

    /// How many classes are scored.
    pub(crate) fn classes(&self) -> usize {
        self.classes
    }

    /// The score of each text and class, one row per text.
    pub(crate) fn score(&self, texts: &[&str], threads: usize) -> Result<Vec<f64>> {
        check_lengths(texts)?;
        let shares = crate::parallel::shares(texts, |text| text.len() + 8, threads);
        let parts = crate::parallel::each(shares, |share| {
            let mut scratch = Scratch::default();
            let mut one = vec![0.0; self.classes];
            let mut scores = vec![0.0; share.len() * self.classes];
            self.features.each(share, |row, reader| {
                let found = &reader.occurrences;
                let total = &mut scores[row * self.classes..][..self.classes];
                for group in &self.groups {
                    for (weights, factor) in group.parts(found) {
                        weights.score_one(found, &mut scratch, &mut one);
                        total.iter_mut().zip(&one).for_each(|(sum, one)| *sum += factor * one);
                    }
                }
            })?;
            Ok(scores)
        });
        parts.into_iter().collect::<Result<Vec<_>>>().map(|parts| parts.concat())
    }

    /// The features of `text` that take part and what each adds, all views of a feature in one.
    pub(crate) fn contributions(&self, text: &str) -> Result<Vec<Contribution>> {
        check_lengths(&[text])?;
        let mut found: Vec<Contribution> = Vec::new();
        self.features.each(&[text], |_, reader| {
            let names = reader.names(text);
            self.add_contributions(&reader.occurrences, &names, &mut found);
        })?;
        Ok(found)
    }

    fn add_contributions(
        &self,
        text: &Occurrences,
        names: &[Vec<String>],
        found: &mut Vec<Contribution>,
    ) {
        for group in &self.groups {
            for (weights, factor) in group.parts(text) {
                for mut more in weights.contributions_of(text, names).0 {
                    more.scores.iter_mut().for_each(|score| *score *= factor);
                    more.add_to(found);
                }
            }
        }
    }
}

impl Group {
    /// The weights of the group, each with what its scores are multiplied by.
    fn parts(&self, text: &Occurrences) -> impl Iterator<Item = (&Weights, f64)> {
        let root = libm::sqrt(length(self.blocks, text).max(1.0));
        let whole = self.whole.as_ref().map(|weights| (weights, 1.0));
        whole.into_iter().chain(self.rooted.as_ref().map(|weights| (weights, 1.0 / root)))
    }
}

/// How many occurrences a text has in some blocks.
pub(crate) fn length(blocks: u32, text: &Occurrences) -> f64 {
    let here = |(index, _): &(usize, &Vec<u32>)| blocks >> index & 1 == 1;
    text.blocks.iter().enumerate().filter(here).map(|(_, ids)| ids.len()).sum::<usize>() as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::naive_bayes::views::Model;
    use crate::text::reading::Reading;

    #[test]
    fn it_is_the_weighted_sum_of_its_views() {
        let texts = ["a b a c", "b c d", "a a d e", "c d", "b b a", "e a", "f a b", "b f"];
        let new = ["a b c", "d d d e", "", "z", "b a b a a"];
        let reading = Reading::word_ngrams(1, 2);
        for n in [2, 3, 7] {
            let labels: Vec<u32> = (0..texts.len() as u32).map(|row| row % n).collect();
            let counts = TextCounts::observe(&reading, &texts, &labels, n as usize, 1).unwrap();
            let rows = (0..n).map(|class| labels.iter().filter(|l| **l == class).count() as u64);
            let classes = Classes { rows: rows.collect(), slots: (0..n).collect() };
            let part = |model, blocks, alpha, whole, rooted| BlendedView {
                view: View { blocks, ..View::plain(model) },
                alpha,
                whole,
                rooted,
            };
            let parts = [
                part(Model::Multinomial, 1, 0.5, 0.25, 1.5),
                part(Model::Complement, 1, 1.0, 0.0, 0.75),
                part(Model::Binary, 1, 0.1, 0.5, 0.0),
                part(Model::Multinomial, 2, 0.2, 0.0, 2.0),
                part(Model::Complement, 2, 0.2, 0.3, 0.0),
            ];
            let blend = Blend::new(&counts, &classes, &parts).unwrap();
            let found = blend.score(&new, 2).unwrap();
            let mut expected = vec![0.0; found.len()];
            for part in parts {
                let weights = Weights::new(&counts, &classes, part.view, part.alpha).unwrap();
                let scores = weights.score(&new, 1).unwrap();
                let mut reader = counts.features().reader();
                for (row, text) in new.iter().enumerate() {
                    let length =
                        length(part.view.blocks, counts.features().read(&mut reader, text));
                    let factor = part.whole + part.rooted / length.max(1.0).sqrt();
                    for class in 0..n as usize {
                        let place = row * n as usize + class;
                        expected[place] += factor * scores[place];
                    }
                }
            }
            for (a, b) in found.iter().zip(&expected) {
                assert!((a - b).abs() < 1e-9, "{found:?} {expected:?}");
            }
            for (row, text) in new.iter().enumerate() {
                let contributions = blend.contributions(text).unwrap();
                for class in 0..n as usize {
                    let sum: f64 =
                        contributions.iter().map(|contribution| contribution.scores[class]).sum();
                    assert!((sum - found[row * n as usize + class]).abs() < 1e-9);
                }
            }
        }
    }
}
