//! Word lists with categories: what a word is known to say, before any text is counted.

use crate::counts::check_lengths;
use crate::error::Result;
use crate::key::{Key, Keys};
use crate::reader::Reader;
use crate::reading::Reading;
use crate::tokens::Tokenizer;
use std::collections::HashMap;

/// Entries and their categories.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lexicon {
    pub categories: Vec<String>,
    pub entries: Vec<Entry>,
}

/// A word, a phrase or an emoticon, what it belongs to, and how positive it is.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    pub phrase: String,
    pub categories: Vec<u32>,
    pub polarity: f64,
}

/// The net polarity of each text, by the lexicon of `reading`.
pub fn polarity(reading: &Reading, texts: &[&str], threads: usize) -> Result<Vec<f64>> {
    check_lengths(texts)?;
    let shares = crate::parallel::shares(texts, |text| text.len() + 8, threads);
    let parts = crate::parallel::each(shares, |share| {
        let mut reader = Reader::new(reading);
        share.iter().map(|text| reader.polarity(text)).collect::<Vec<f64>>()
    });
    Ok(parts.concat())
}

/// The entries by their first word.
#[derive(Default)]
pub struct Phrases {
    /// For each first word: the words that follow, and the entry. The longest come first.
    by_first: Vec<Vec<(Vec<Vec<u8>>, u32)>>,
    emoticons: HashMap<String, u32>,
}

impl Phrases {
    /// Cuts the entries into words as a text is cut, and tells of each first word where its entries
    /// stand. An entry that is no word and no emoticon is never found.
    pub fn new(lexicon: &Lexicon, mut first: impl FnMut(&[u8], u32)) -> Self {
        let mut phrases = Phrases::default();
        let mut places: HashMap<Vec<u8>, usize> = HashMap::new();
        let (mut tokenizer, mut words) = (Tokenizer::new(true), Keys::default());
        for (index, entry) in lexicon.entries.iter().enumerate() {
            tokenizer.words(&entry.phrase, &mut words);
            let mut words = words.iter().map(Key::to_vec);
            let Some(start) = words.next().filter(|_| !crate::marks::is_emoticon(&entry.phrase))
            else {
                phrases.emoticons.insert(crate::marks::noseless(&entry.phrase), index as u32);
                continue;
            };
            let place = *places.entry(start).or_insert_with_key(|start| {
                first(start, phrases.by_first.len() as u32);
                phrases.by_first.push(Vec::new());
                phrases.by_first.len() - 1
            });
            phrases.by_first[place].push((words.collect(), index as u32));
        }
        for entries in &mut phrases.by_first {
            entries.sort_by_key(|(rest, _)| std::cmp::Reverse(rest.len()));
        }
        phrases
    }

    /// The longest entry that begins here, given the words that follow, and how many of them it takes.
    pub fn longest<'a>(
        &self,
        place: u32,
        following: impl Iterator<Item = Key<'a>> + Clone,
    ) -> Option<(u32, usize)> {
        let matches = |rest: &[Vec<u8>]| {
            let mut words = following.clone();
            rest.iter().all(|word| words.next().is_some_and(|key| key.to_vec() == *word))
        };
        let entries = self.by_first[place as usize].iter();
        let mut found = entries.filter(|(rest, _)| matches(rest));
        found.next().map(|(rest, entry)| (*entry, rest.len()))
    }

    pub fn has_emoticons(&self) -> bool {
        !self.emoticons.is_empty()
    }

    pub fn emoticon(&self, emoticon: &str) -> Option<u32> {
        self.emoticons.get(emoticon).copied()
    }
}
