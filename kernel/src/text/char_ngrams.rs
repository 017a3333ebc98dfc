//! Character n-grams, chunk by chunk.
//!
//! A chunk is what stands between white space, with a space on either side. Texts repeat their words,
//! so what was found for a chunk is remembered, and most chunks cost one lookup instead of one for each
//! of their n-grams. Where texts do not, nothing is remembered for a while.

use crate::dictionary::feature_ids::{Lookup, TOGETHER, look_up};
use crate::dictionary::feature_key::{Key, Keys};
use crate::dictionary::vocabulary::Vocabulary;

/// So many ids are remembered before all are forgotten.
const REMEMBERED: usize = 1 << 19;

/// So many times as many chunks as were remembered in vain are read before it is tried again.
const PAUSE: usize = 8;

/// A longer chunk is hardly met twice.
const LONGEST: usize = 48;

/// Finds the character n-grams of texts, under one dictionary.
pub(crate) struct CharNgrams {
    /// Shortest and longest n-gram.
    lengths: (usize, usize),
    lowercase: bool,
    padded: String,
    edges: Vec<usize>,
    ngrams: Keys,
    known: Vocabulary,
    /// Where the ids of each known chunk begin and end.
    spans: Vec<(u32, u32)>,
    ids: Vec<u32>,
    /// The chunks that were read and not yet given.
    waiting: Vec<u32>,
    /// How many were given since all were forgotten, and how many more nothing is remembered of.
    given: usize,
    pause: usize,
}

impl CharNgrams {
    pub(crate) fn new(lengths: (usize, usize), lowercase: bool) -> Self {
        CharNgrams {
            lengths,
            lowercase,
            padded: String::new(),
            edges: Vec::new(),
            ngrams: Keys::default(),
            known: Vocabulary::default(),
            spans: Vec::new(),
            ids: Vec::new(),
            waiting: Vec::new(),
            given: 0,
            pause: 0,
        }
    }

    /// Appends the ids of the n-grams of `text`, which are features of the block `place` after those of
    /// the words.
    pub(crate) fn find(
        &mut self,
        lookup: &mut impl Lookup,
        place: usize,
        text: &str,
        found: &mut Vec<u32>,
    ) {
        for chunk in text.split_whitespace() {
            if chunk.len() > LONGEST {
                self.settle(lookup, place, found);
                self.cut(chunk);
                look_up(lookup, place, &self.ngrams, found);
                self.ngrams.clear();
                continue;
            }
            let known = match self.pause {
                0 => self.known.find_or_insert(Key::new(chunk.as_bytes())),
                _ => self.spans.len() as u32,
            };
            if known as usize == self.spans.len() {
                let start = self.ids.len() + self.ngrams.len();
                self.cut(chunk);
                self.spans.push((start as u32, (self.ids.len() + self.ngrams.len()) as u32));
            }
            self.waiting.push(known);
            if self.ngrams.len() > TOGETHER {
                self.settle(lookup, place, found);
            }
        }
        self.settle(lookup, place, found);
    }

    /// Hands the longest n-gram at each place of `text` to `take`, many at a time: it stands for those that
    /// begin it. To remember chunks would cost more here than to look so few n-grams up.
    #[inline(always)]
    pub(crate) fn longest(&mut self, text: &str, mut take: impl FnMut(&Keys)) {
        for chunk in text.split_whitespace() {
            self.pad(chunk);
            let (shortest, longest) = self.lengths;
            let last = self.edges.len() - 1;
            for start in 0..=last.saturating_sub(shortest) {
                self.push(self.edges[start], self.edges[last.min(start + longest)]);
                if self.ngrams.len() == TOGETHER {
                    take(&self.ngrams);
                    self.ngrams.clear();
                }
            }
        }
        take(&self.ngrams);
        self.ngrams.clear();
    }

    /// Looks up the n-grams that were cut, and appends the ids of the chunks that wait.
    #[inline(always)]
    fn settle(&mut self, lookup: &mut impl Lookup, place: usize, found: &mut Vec<u32>) {
        look_up(lookup, place, &self.ngrams, &mut self.ids);
        for &chunk in &self.waiting {
            let (start, end) = self.spans[chunk as usize];
            found.extend_from_slice(&self.ids[start as usize..end as usize]);
        }
        self.ngrams.clear();
        self.given += self.waiting.len();
        if self.pause > 0 {
            self.pause = self.pause.saturating_sub(self.waiting.len());
            self.forget();
        } else if self.ids.len() > REMEMBERED {
            // CharNgrams that are met once on average, or hardly more often, are remembered in vain.
            let in_vain = self.given < 2 * self.spans.len();
            self.pause = if in_vain { PAUSE * self.spans.len() } else { 0 };
            self.known.clear();
            self.forget();
        }
        self.waiting.clear();
    }

    fn forget(&mut self) {
        self.spans.clear();
        self.ids.clear();
        self.given = 0;
    }

    /// The n-grams of `text`, one after another.
    pub(crate) fn ngrams(&mut self, text: &str) -> Vec<Vec<u8>> {
        let mut ngrams = Vec::new();
        for chunk in text.split_whitespace() {
            self.cut(chunk);
            ngrams.extend(self.ngrams.iter().map(Key::to_vec));
            self.ngrams.clear();
        }
        ngrams
    }

    /// Appends every n-gram of one chunk to `ngrams`. A chunk that is no longer than an n-gram is given whole,
    /// once: what scikit-learn calls `char_wb`.
    fn cut(&mut self, chunk: &str) {
        self.pad(chunk);
        let (shortest, longest) = self.lengths;
        for n in shortest..=longest {
            let last = self.edges.len() - 1;
            if n >= last {
                return self.push(0, self.edges[last]);
            }
            for start in 0..=last - n {
                self.push(self.edges[start], self.edges[start + n]);
            }
        }
    }

    /// Puts a chunk between spaces, as it is read, and finds where its characters begin and end.
    #[inline(always)]
    fn pad(&mut self, chunk: &str) {
        let CharNgrams { padded, edges, .. } = self;
        padded.clear();
        padded.push(' ');
        let is_ascii = chunk.is_ascii();
        match self.lowercase {
            true if is_ascii => {
                padded.push_str(chunk);
                padded.make_ascii_lowercase();
            }
            true => padded.push_str(&chunk.to_lowercase()),
            false => padded.push_str(chunk),
        }
        padded.push(' ');
        let len = padded.len();
        edges.clear();
        match is_ascii {
            true => edges.extend(0..=len),
            false => edges.extend(padded.char_indices().map(|(place, _)| place).chain([len])),
        }
        padded.push_str(ROOM);
    }

    /// Appends the n-gram from byte `start` of the chunk up to `end`.
    #[inline(always)]
    fn push(&mut self, start: usize, end: usize) {
        let bytes = self.padded.as_bytes();
        match end - start {
            short @ ..=Key::SHORT => {
                self.ngrams.push_packed(Key::pack(&bytes[start..start + 16], short));
            }
            _ => self.ngrams.push(&bytes[start..end]),
        }
    }
}

/// What follows a chunk, so that a key can be read off as a window of 16 bytes.
const ROOM: &str = "                ";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dictionary::feature_ids::{Dictionary, Learn};
    use crate::text::reading::Reading;

    #[test]
    fn what_is_remembered_changes_nothing() {
        // Enough to remember in vain, to pause, and to remember again.
        let new = (0..400_000).map(|number| format!("{number:x}"));
        let again = (0..400_000).map(|number| format!("{:x}é", number % 20_000));
        let text = new.chain(again).collect::<Vec<_>>().join(" ");
        let reading = Reading { char_ngrams: Some((3, 4)), ..Reading::default() };
        let mut dictionary = Dictionary::new(&reading);
        let (mut chunks, mut found) = (CharNgrams::new((3, 4), false), Vec::new());
        let mut pauses = Vec::new();
        for part in text.as_bytes().chunks(1000) {
            chunks.find(&mut Learn(&mut dictionary), 0, &String::from_utf8_lossy(part), &mut found);
            pauses.push(chunks.pause > 0);
        }
        pauses.dedup();
        assert_eq!(pauses, [false, true, false]);
        let cut =
            |part: &[u8]| CharNgrams::new((3, 4), false).ngrams(&String::from_utf8_lossy(part));
        let id = |ngram: Vec<u8>| dictionary.other(0).find(Key::new(&ngram));
        let plain = text.as_bytes().chunks(1000).flat_map(cut).map(id);
        assert!(found.into_iter().map(Some).eq(plain));
    }
}
