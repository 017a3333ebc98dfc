//! From a text to the ids of its features.

use crate::dictionary::{Dictionary, Known, Learn, Lookup, UNKNOWN, has_unknown, pair};
use crate::error::{Error, Result};
use crate::key::Key;
use crate::reading::Reading;
use crate::tokens::Tokenizer;

/// The occurrences of features in one text, block by block, in the order of the text.
#[derive(Default)]
pub struct Occurrences {
    pub blocks: Vec<Vec<u32>>,
}

/// Reads texts: scratch space that is used again for each.
pub struct Reader {
    reading: Reading,
    tokenizer: Tokenizer,
    chunk: String,
    pub occurrences: Occurrences,
}

impl Reader {
    pub fn new(reading: &Reading) -> Self {
        Reader {
            reading: reading.clone(),
            tokenizer: Tokenizer::new(reading.lowercase),
            chunk: String::new(),
            occurrences: Occurrences { blocks: vec![Vec::new(); reading.kinds().len()] },
        }
    }

    /// Finds the features of `text`; those not in the dictionary are [`UNKNOWN`].
    pub fn known(&mut self, dictionary: &Dictionary, text: &str) -> &Occurrences {
        self.read(&mut Known(dictionary), text);
        &self.occurrences
    }

    /// Finds the features of `text` and enters those that are new.
    pub fn learn(&mut self, dictionary: &mut Dictionary, text: &str) -> Result<&Occurrences> {
        self.read(&mut Learn(dictionary), text);
        let longest = dictionary.blocks().max().unwrap_or(0);
        if longest >= UNKNOWN as usize {
            return Err(Error::TooManyFeatures);
        }
        Ok(&self.occurrences)
    }

    #[inline(always)]
    fn read(&mut self, lookup: &mut impl Lookup, text: &str) {
        let blocks = &mut self.occurrences.blocks;
        blocks.iter_mut().for_each(Vec::clear);
        if self.reading.words.is_some() {
            let words = self.tokenizer.words(text);
            let dictionary = lookup.dictionary();
            let ids = &mut blocks[0];
            ids.extend(words.packed().iter().map(|&word| dictionary.words.glance(word)));
            for (place, id) in ids.iter_mut().enumerate().filter(|(_, id)| **id == UNKNOWN) {
                *id = lookup.word(words.get(place));
            }
        }
        if let Some((_, longest)) = self.reading.words {
            for n in 2..=longest {
                let (shorter, longer) = blocks.split_at_mut(n - 1);
                let (tokens, firsts, ids) = (&shorter[0], &shorter[n - 2], &mut longer[0]);
                let lasts = tokens.iter().skip(n - 1);
                let pairs = firsts.iter().zip(lasts).map(|(&first, &last)| pair(first, last));
                let runs = &lookup.dictionary().runs[n - 2];
                ids.extend(pairs.clone().map(|pair| runs.glance(pair)));
                for (id, pair) in ids.iter_mut().zip(pairs).filter(|(id, _)| **id == UNKNOWN) {
                    if !has_unknown(pair) {
                        *id = lookup.run(n, pair);
                    }
                }
            }
        }
        if let Some(lengths) = self.reading.chars {
            let mut found = self.occurrences.blocks.pop().unwrap_or_default();
            self.chunks(text, |chunk| {
                character_runs(chunk, lengths, |run| found.push(lookup.chars(Key::new(run))));
            });
            self.occurrences.blocks.push(found);
        }
        if self.reading.is_whole() && !text.is_empty() {
            self.occurrences.blocks[0].push(lookup.chars(Key::new(text.as_bytes())));
        }
    }
}

impl Reader {
    /// The features of the text that was just read, spelled out beside its occurrences.
    pub fn names(&mut self, text: &str) -> Vec<Vec<String>> {
        let mut names: Vec<Vec<String>> = Vec::new();
        if let Some((_, longest)) = self.reading.words {
            let words = self.tokenizer.words(text);
            let spell = |place| String::from_utf8_lossy(&words.get(place).to_vec()).into_owned();
            names.push((0..words.packed().len()).map(spell).collect());
            for n in 2..=longest {
                names.push(names[0].windows(n).map(|run| run.join(" ")).collect());
            }
        }
        if let Some(lengths) = self.reading.chars {
            let mut found = Vec::new();
            self.chunks(text, |chunk| {
                character_runs(chunk, lengths, |run| {
                    found.push(String::from_utf8_lossy(run).into_owned())
                });
            });
            names.push(found);
        }
        if self.reading.is_whole() {
            names.push(vec![text.to_string()]);
        }
        names
    }

    /// Calls `emit` with each run of non-space, a space on either side.
    fn chunks(&mut self, text: &str, mut emit: impl FnMut(&str)) {
        for chunk in text.split_whitespace() {
            self.chunk.clear();
            self.chunk.push(' ');
            if self.reading.lowercase {
                self.chunk.push_str(&chunk.to_lowercase());
            } else {
                self.chunk.push_str(chunk);
            }
            self.chunk.push(' ');
            emit(&self.chunk);
        }
    }
}

/// Calls `emit` with every run of `shortest` to `longest` characters of a padded `chunk`. A chunk
/// that is no longer than a run is given whole, once: what scikit-learn calls `char_wb`.
fn character_runs(chunk: &str, (shortest, longest): (usize, usize), mut emit: impl FnMut(&[u8])) {
    let bytes = chunk.as_bytes();
    if chunk.is_ascii() {
        for n in shortest..=longest {
            if n >= bytes.len() {
                return emit(bytes);
            }
            bytes.windows(n).for_each(&mut emit);
        }
        return;
    }
    let mut edges: Vec<usize> = chunk.char_indices().map(|(place, _)| place).collect();
    edges.push(bytes.len());
    for n in shortest..=longest {
        if n + 1 >= edges.len() {
            return emit(bytes);
        }
        edges.windows(n + 1).for_each(|run| emit(&bytes[run[0]..run[n]]));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dictionary::UNKNOWN;

    fn read(reading: &Reading, text: &str) -> Vec<Vec<String>> {
        let mut dictionary = Dictionary::new(reading);
        let mut reader = Reader::new(reading);
        reader.learn(&mut dictionary, text).unwrap();
        let spellings = dictionary.spellings();
        let occurrences = &reader.occurrences.blocks;
        let spell = |(block, ids): (usize, &Vec<u32>)| {
            let name =
                |&id: &u32| String::from_utf8(spellings[block].get(id as usize).to_vec()).unwrap();
            ids.iter().map(name).collect()
        };
        occurrences.iter().enumerate().map(spell).collect()
    }

    #[test]
    fn runs_of_words_follow_the_text() {
        let reading = Reading { words: Some((1, 3)), chars: None, lowercase: true };
        let blocks = read(&reading, "To be, or not to be");
        assert_eq!(blocks[0], ["to", "be", "or", "not", "to", "be"]);
        assert_eq!(blocks[1], ["to be", "be or", "or not", "not to", "to be"]);
        assert_eq!(blocks[2], ["to be or", "be or not", "or not to", "not to be"]);
    }

    #[test]
    fn runs_of_characters_stay_within_their_chunk() {
        let reading = Reading { words: None, chars: Some((3, 4)), lowercase: true };
        let blocks = read(&reading, "Oh n\u{e9}e");
        let expected =
            [" oh", "oh ", " oh ", " n\u{e9}", "n\u{e9}e", "\u{e9}e ", " n\u{e9}e", "n\u{e9}e "];
        assert_eq!(blocks[0], expected);
    }

    #[test]
    fn a_chunk_shorter_than_a_run_is_given_once() {
        let reading = Reading { words: None, chars: Some((4, 6)), lowercase: true };
        assert_eq!(read(&reading, "a")[0], [" a "]);
    }

    #[test]
    fn what_is_not_in_the_dictionary_is_unknown() {
        let reading = Reading { words: Some((1, 2)), chars: None, lowercase: true };
        let mut dictionary = Dictionary::new(&reading);
        let mut reader = Reader::new(&reading);
        reader.learn(&mut dictionary, "a b c").unwrap();
        let found = reader.known(&dictionary, "a c b c x");
        assert_eq!(found.blocks[0], [0, 2, 1, 2, UNKNOWN]);
        assert_eq!(found.blocks[1], [UNKNOWN, UNKNOWN, 1, UNKNOWN]);
    }
}
