//! Runs of characters, chunk by chunk.
//!
//! A chunk is what stands between white space, with a space on either side. Texts repeat their words,
//! so what was found for a chunk is remembered, and most chunks cost one lookup instead of one for each
//! of their runs.

use crate::dictionary::{Lookup, look_up};
use crate::key::{Key, Keys};
use crate::vocabulary::Vocabulary;

/// So many ids are remembered before all are forgotten.
const REMEMBERED: usize = 1 << 21;

/// A longer chunk is hardly met twice.
const LONGEST: usize = 48;

/// Finds the runs of characters of texts, under one dictionary.
pub struct Chunks {
    /// Shortest and longest run.
    lengths: (usize, usize),
    lowercase: bool,
    padded: String,
    runs: Keys,
    known: Vocabulary,
    /// Where the ids of each known chunk end.
    ends: Vec<usize>,
    ids: Vec<u32>,
}

impl Chunks {
    pub fn new(lengths: (usize, usize), lowercase: bool) -> Self {
        Chunks {
            lengths,
            lowercase,
            padded: String::new(),
            runs: Keys::default(),
            known: Vocabulary::default(),
            ends: Vec::new(),
            ids: Vec::new(),
        }
    }

    /// Appends the ids of the runs of `text`, which are features of the block `place` after those of
    /// the words.
    pub fn find(
        &mut self,
        lookup: &mut impl Lookup,
        place: usize,
        text: &str,
        found: &mut Vec<u32>,
    ) {
        for chunk in text.split_whitespace() {
            if chunk.len() > LONGEST {
                self.cut(chunk);
                look_up(lookup, place, &self.runs, found);
                continue;
            }
            if self.ids.len() > REMEMBERED {
                self.known = Vocabulary::default();
                self.ends.clear();
                self.ids.clear();
            }
            let known = self.known.find_or_insert(Key::new(chunk.as_bytes())) as usize;
            if known == self.ends.len() {
                self.cut(chunk);
                look_up(lookup, place, &self.runs, &mut self.ids);
                self.ends.push(self.ids.len());
            }
            let start = if known == 0 { 0 } else { self.ends[known - 1] };
            found.extend_from_slice(&self.ids[start..self.ends[known]]);
        }
    }

    /// The runs of `text`, one after another.
    pub fn runs(&mut self, text: &str) -> Vec<Vec<u8>> {
        let mut runs = Vec::new();
        for chunk in text.split_whitespace() {
            self.cut(chunk);
            runs.extend(self.runs.iter().map(Key::to_vec));
        }
        runs
    }

    /// Puts every run of one chunk in `runs`. A chunk that is no longer than a run is given whole, once:
    /// what scikit-learn calls `char_wb`.
    fn cut(&mut self, chunk: &str) {
        let padded = &mut self.padded;
        padded.clear();
        padded.push(' ');
        match self.lowercase {
            true if chunk.is_ascii() => {
                padded.push_str(chunk);
                padded.make_ascii_lowercase();
            }
            true => padded.push_str(&chunk.to_lowercase()),
            false => padded.push_str(chunk),
        }
        padded.push(' ');
        self.runs.clear();
        let (shortest, longest) = self.lengths;
        let bytes = padded.as_bytes();
        if padded.is_ascii() {
            for n in shortest..=longest {
                if n >= bytes.len() {
                    return self.runs.push(bytes);
                }
                bytes.windows(n).for_each(|run| self.runs.push(run));
            }
            return;
        }
        let mut edges: Vec<usize> = padded.char_indices().map(|(place, _)| place).collect();
        edges.push(bytes.len());
        for n in shortest..=longest {
            if n + 1 >= edges.len() {
                return self.runs.push(bytes);
            }
            edges.windows(n + 1).for_each(|run| self.runs.push(&bytes[run[0]..run[n]]));
        }
    }
}
