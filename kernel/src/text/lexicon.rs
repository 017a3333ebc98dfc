//! Word lists with categories: what a word is known to mean, before any text is counted.

use crate::counts::text_counts::check_lengths;
use crate::dictionary::feature_key::Keys;
use crate::error::Result;
use crate::text::feature_reader::Reader;
use crate::text::reading::Reading;
use crate::text::tokens::{Spans, Tokenizer};
use crate::text::word_roles::WordRoles;
use std::collections::HashMap;
use std::sync::Arc;

/// Entries and their categories.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Lexicon {
    pub(crate) categories: Vec<String>,
    pub(crate) entries: Vec<Entry>,
}

/// A word, a phrase or an emoticon, what it belongs to, and how positive it is.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Entry {
    pub(crate) phrase: String,
    pub(crate) categories: Vec<u32>,
    pub(crate) polarity: f64,
}

/// The net polarity of each text, by the lexicon of `reading`.
pub(crate) fn polarity(reading: &Reading, texts: &[&str], threads: usize) -> Result<Vec<f64>> {
    check_lengths(texts)?;
    let word_roles = Arc::new(WordRoles::new(reading));
    let shares = crate::parallel::shares(texts, |text| text.len() + 8, threads);
    let parts = crate::parallel::each(shares, |share| {
        let mut reader = Reader::new(reading, &word_roles);
        share.iter().map(|text| reader.polarity(text)).collect::<Vec<f64>>()
    });
    Ok(parts.concat())
}

/// The entries by their first token.
#[derive(Default)]
pub(crate) struct Phrases {
    /// For each first token: what follows, whether it touches the one before, and the entry. The longest
    /// come first.
    by_first: Vec<Vec<(Vec<(Vec<u8>, bool)>, u32)>>,
    emoticons: HashMap<String, u32>,
}

impl Phrases {
    /// Cuts the entries into words and signs as a text is cut, and tells of each first one where its
    /// entries stand.
    pub(crate) fn new(reading: &Reading, mut first: impl FnMut(&[u8], u32)) -> Self {
        let mut phrases = Phrases::default();
        let mut places: HashMap<Vec<u8>, usize> = HashMap::new();
        let (mut tokenizer, mut tokens) = (Tokenizer::new(true), Keys::default());
        let mut spans = Spans::default();
        let entries = reading.lexicon.iter().flat_map(|lexicon| &lexicon.entries);
        let mut noseless = Vec::new();
        for (index, entry) in entries.enumerate() {
            let phrase = reading.form(&entry.phrase);
            if let Some(name) = crate::text::surface_features::noseless(&phrase) {
                noseless.push((name, index as u32));
                phrases.emoticons.insert(phrase.into_owned(), index as u32);
                continue;
            }
            tokenizer.tokens(&phrase, &mut tokens, &mut spans);
            let touches = |place: usize| place > 0 && spans.end(place - 1) == spans.start(place);
            let following = tokens.iter().enumerate();
            let mut tokens = following.map(|(place, token)| (token.to_vec(), touches(place)));
            let Some((start, _)) = tokens.next() else { continue };
            let place = *places.entry(start).or_insert_with_key(|start| {
                first(start, phrases.by_first.len() as u32);
                phrases.by_first.push(Vec::new());
                phrases.by_first.len() - 1
            });
            phrases.by_first[place].push((tokens.collect(), index as u32));
        }
        // A smiley with another nose than any entry has is as good as the one without.
        for (name, index) in noseless {
            phrases.emoticons.entry(name).or_insert(index);
        }
        for entries in &mut phrases.by_first {
            entries.sort_by_key(|(rest, _)| std::cmp::Reverse(rest.len()));
        }
        phrases
    }

    /// The longest entry that begins here, and how many more tokens it takes. `follows` tells whether
    /// so many tokens after the first there is this one, and touches the one before if it must.
    pub(crate) fn longest(
        &self,
        place: u32,
        follows: impl Fn(usize, &[u8], bool) -> bool,
    ) -> Option<(u32, usize)> {
        let matches = |rest: &[(Vec<u8>, bool)]| {
            let mut rest = rest.iter().enumerate();
            rest.all(|(after, (token, touches))| follows(after, token, *touches))
        };
        let entries = self.by_first[place as usize].iter();
        let mut found = entries.filter(|(rest, _)| matches(rest));
        found.next().map(|(rest, entry)| (*entry, rest.len()))
    }

    pub(crate) fn has_emoticons(&self) -> bool {
        !self.emoticons.is_empty()
    }

    pub(crate) fn emoticon(&self, emoticon: &str) -> Option<u32> {
        let noseless = || {
            crate::text::surface_features::noseless(emoticon)
                .and_then(|name| self.emoticons.get(&name))
        };
        self.emoticons.get(emoticon).or_else(noseless).copied()
    }
}
