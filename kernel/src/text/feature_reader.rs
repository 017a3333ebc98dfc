//! From a text to the ids of its features.

use crate::dictionary::feature_ids::{
    Dictionary, Learn, Lookup, TOGETHER, UNKNOWN, has_unknown, look_up, missed, pair, settle,
};
use crate::dictionary::feature_key::{Key, Keys};
use crate::error::Result;
use crate::text::char_ngrams::CharNgrams;
use crate::text::normalize::normal;
use crate::text::preprocessing::Preprocessor;
use crate::text::reading::{FeatureKind, Reading};
use crate::text::tokens::Tokenizer;
use crate::text::word_roles::WordRoles;
use std::sync::Arc;

/// The occurrences of features in one text, block by block, in the order of the text.
#[derive(Default)]
pub(crate) struct Occurrences {
    pub(crate) blocks: Vec<Vec<u32>>,
}

/// Reads texts: scratch space that is used again for each. A reader keeps to one dictionary: it
/// remembers ids.
pub(crate) struct Reader {
    reading: Reading,
    tokenizer: Tokenizer,
    words: Keys,
    missed: Vec<u32>,
    close: Option<Preprocessor>,
    chunks: CharNgrams,
    pub(crate) occurrences: Occurrences,
}

impl Reader {
    /// A reader of texts whose words have the roles of `word_roles`: those of the dictionary.
    pub(crate) fn new(reading: &Reading, word_roles: &Arc<WordRoles>) -> Self {
        Reader {
            reading: reading.clone(),
            tokenizer: Tokenizer::new(reading.lowercase),
            words: Keys::default(),
            missed: Vec::new(),
            close: (!reading.is_plain()).then(|| Preprocessor::new(reading, word_roles)),
            chunks: CharNgrams::new(reading.char_ngrams.unwrap_or_default(), reading.lowercase),
            occurrences: Occurrences { blocks: vec![Vec::new(); reading.kinds().len()] },
        }
    }

    /// Finds the features of `text` and enters those that are new.
    pub(crate) fn learn(
        &mut self,
        dictionary: &mut Dictionary,
        text: &str,
    ) -> Result<&Occurrences> {
        self.read(&mut Learn(dictionary), text);
        dictionary.check_size().map(|()| &self.occurrences)
    }

    /// The net polarity of `text` by the lexicon of the reading.
    pub(crate) fn polarity(&mut self, text: &str) -> f64 {
        let Some(close) = &mut self.close else { return 0.0 };
        close.read(&mut self.tokenizer, &self.reading.form(text));
        close.polarity()
    }

    #[inline(always)]
    pub(crate) fn read(&mut self, lookup: &mut impl Lookup, text: &str) {
        let normal = self.reading.normalize.then(|| normal(text));
        let text = normal.as_deref().unwrap_or(text);
        let blocks = &mut self.occurrences.blocks;
        blocks.iter_mut().for_each(Vec::clear);
        let longest = self.reading.word_ngrams.map_or(0, |(_, longest)| longest);
        match &mut self.close {
            Some(close) if longest > 0 => {
                close.read_words(&mut self.tokenizer, text, lookup, &mut blocks[0]);
            }
            Some(close) => close.read(&mut self.tokenizer, text),
            None if longest > 0 => {
                self.tokenizer.words(text, &mut self.words);
                let (known, ids) = (&lookup.dictionary().words, &mut blocks[0]);
                known.glance(self.words.packed(), ids);
                missed(ids, &mut self.missed);
                settle(lookup, &self.words, ids, &self.missed);
            }
            None => {}
        }
        for n in 2..=longest {
            let (shorter, longer) = blocks.split_at_mut(n - 1);
            let (firsts, ids) = (&shorter[n - 2], &mut longer[0]);
            let lasts = shorter[0].get(n - 1..).unwrap_or_default();
            for (firsts, lasts) in firsts.chunks(TOGETHER).zip(lasts.chunks(TOGETHER)) {
                let pairs = firsts.iter().zip(lasts).map(|(&first, &last)| pair(first, last));
                let (ngrams, start) = (&lookup.dictionary().ngrams[n - 2], ids.len());
                ids.extend(pairs.clone().map(|pair| ngrams.glance(pair)));
                let glanced = ids[start..].iter_mut().zip(pairs);
                for (id, pair) in glanced.filter(|(id, _)| **id == UNKNOWN) {
                    if !has_unknown(pair) {
                        *id = lookup.ngram(n, pair);
                    }
                }
            }
        }
        let (_, others) = blocks.split_at_mut(longest);
        if others.is_empty() {
            return;
        }
        for (place, ids) in others.iter_mut().enumerate() {
            match (lookup.dictionary().kinds()[longest + place], &self.close) {
                (FeatureKind::CharNgram, _) => lookup.chars(&mut self.chunks, place, text, ids),
                (FeatureKind::Value, _) if !text.is_empty() => {
                    ids.push(lookup.other(place, Key::new(text.as_bytes())));
                }
                (FeatureKind::Surface, Some(close)) => {
                    look_up(lookup, place, &close.surface_features, ids);
                    let last = ids.last().copied().unwrap_or(UNKNOWN);
                    ids.extend(std::iter::repeat_n(last, close.more_surface_features));
                }
                (FeatureKind::Lexicon, Some(close)) => {
                    look_up(lookup, place, &close.categories, ids)
                }
                _ => {}
            }
        }
    }

    /// The features of the text that was just read, as people see them, beside its occurrences.
    pub(crate) fn names(&mut self, text: &str) -> Vec<Vec<String>> {
        let normal = self.reading.normalize.then(|| normal(text));
        let text = normal.as_deref().unwrap_or(text);
        let shown = |kind: FeatureKind, keys: &Keys| -> Vec<String> {
            keys.iter().map(|key| kind.shown(&key.to_vec())).collect()
        };
        let mut names: Vec<Vec<String>> = Vec::new();
        for kind in self.reading.kinds() {
            names.push(match (kind, &self.close) {
                (FeatureKind::WordNgram(1), Some(close)) => {
                    close.words().map(|key| kind.shown(&key.to_vec())).collect()
                }
                (FeatureKind::WordNgram(1), None) => shown(kind, &self.words),
                (FeatureKind::WordNgram(n), _) => {
                    names[0].windows(n).map(|ngram| ngram.join(" ")).collect()
                }
                (FeatureKind::CharNgram, _) => {
                    self.chunks.ngrams(text).iter().map(|ngram| kind.shown(ngram)).collect()
                }
                (FeatureKind::Value, _) => vec![text.to_string()],
                (FeatureKind::Surface, Some(close)) => {
                    let mut surface_features = shown(kind, &close.surface_features);
                    let last = surface_features.last().cloned().unwrap_or_default();
                    surface_features.extend(std::iter::repeat_n(last, close.more_surface_features));
                    surface_features
                }
                (FeatureKind::Lexicon, Some(close)) => shown(kind, &close.categories),
                (FeatureKind::Surface | FeatureKind::Lexicon, None) => Vec::new(),
            });
        }
        names
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counts::features::Features;
    use crate::dictionary::feature_ids::UNKNOWN;

    fn read(reading: &Reading, text: &str) -> Vec<Vec<String>> {
        let mut dictionary = Dictionary::new(reading);
        let mut reader = Reader::new(reading, dictionary.word_roles());
        reader.learn(&mut dictionary, text).unwrap();
        let features = Features::met(reading, dictionary);
        let occurrences = &reader.occurrences.blocks;
        let spell = |(block, ids): (usize, &Vec<u32>)| {
            let spelled = features.spelled(block, ids).into_iter();
            spelled.map(|name| String::from_utf8(name).unwrap()).collect()
        };
        occurrences.iter().enumerate().map(spell).collect()
    }

    #[test]
    fn runs_of_words_follow_the_text() {
        let reading = Reading::word_ngrams(1, 3);
        let blocks = read(&reading, "To be, or not to be");
        assert_eq!(blocks[0], ["to", "be", "or", "not", "to", "be"]);
        assert_eq!(blocks[1], ["to be", "be or", "or not", "not to", "to be"]);
        assert_eq!(blocks[2], ["to be or", "be or not", "or not to", "not to be"]);
    }

    #[test]
    fn runs_of_characters_stay_within_their_chunk() {
        let reading = Reading { char_ngrams: Some((3, 4)), lowercase: true, ..Reading::default() };
        let blocks = read(&reading, "Oh n\u{e9}e");
        let expected =
            [" oh", "oh ", " oh ", " n\u{e9}", "n\u{e9}e", "\u{e9}e ", " n\u{e9}e", "n\u{e9}e "];
        assert_eq!(blocks[0], expected);
    }

    #[test]
    fn a_chunk_shorter_than_a_run_is_given_once() {
        let reading = Reading { char_ngrams: Some((4, 6)), lowercase: true, ..Reading::default() };
        assert_eq!(read(&reading, "a")[0], [" a "]);
    }

    #[test]
    fn what_is_not_in_the_dictionary_is_unknown() {
        let reading = Reading::word_ngrams(1, 2);
        let mut dictionary = Dictionary::new(&reading);
        let mut reader = Reader::new(&reading, dictionary.word_roles());
        reader.learn(&mut dictionary, "a b c").unwrap();
        let features = Features::met(&reading, dictionary);
        let found = features.read(&mut reader, "a c b c x");
        assert_eq!(found.blocks[0], [0, 2, 1, 2, UNKNOWN]);
        assert_eq!(found.blocks[1], [UNKNOWN, UNKNOWN, 1, UNKNOWN]);
    }
}
