//! From a text to the ids of its features.

use super::feature_ids::Find;
use super::{Analyzer, Options};
use crate::dictionary::feature_ids::{UNKNOWN, has_unknown, pair};
use crate::dictionary::feature_key::Keys;
use crate::dictionary::vocabulary::Vocabulary;
use crate::text::tokens::Tokenizer;

/// Scratch space for reading texts.
pub(crate) struct Reader<'a> {
    options: &'a Options,
    stop: &'a Vocabulary,
    tokenizer: Tokenizer,
    text: String,
    words: Keys,
    /// The ids of a text's features, block by block, in the order of the text.
    pub(crate) blocks: Vec<Vec<u32>>,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(options: &'a Options, stop: &'a Vocabulary) -> Self {
        Reader {
            options,
            stop,
            tokenizer: Tokenizer::new(options.lowercase),
            text: String::new(),
            words: Keys::default(),
            blocks: vec![Vec::new(); options.blocks()],
        }
    }

    pub(crate) fn read(&mut self, text: &str, mut find: impl Find) {
        self.blocks.iter_mut().for_each(Vec::clear);
        let words = &mut self.words;
        match self.options.analyzer {
            Analyzer::Words => self.tokenizer.words(text, words),
            Analyzer::Pattern => self.tokenizer.pattern_words(text, words),
            Analyzer::CharsWithin | Analyzer::Chars => {
                words.clear();
                let text = prepared(self.options, text, &mut self.text);
                character_ngrams(self.options, text, |ngram| words.push(ngram));
            }
        }
        let ids = &mut self.blocks[0];
        let known = &find.feature_ids().single;
        if self.stop.len() == 0 {
            // All first looks at once: the processor fetches many slots at a time.
            known.glance(words.packed(), ids);
            for (place, id) in ids.iter_mut().enumerate().filter(|(_, id)| **id == UNKNOWN) {
                *id = find.single(words.get(place));
            }
        } else {
            let kept = words.iter().filter(|&word| self.stop.find(word).is_none());
            ids.extend(kept.map(|word| find.single(word)));
        }
        for n in 2..=self.options.blocks() {
            let (shorter, longer) = self.blocks.split_at_mut(n - 1);
            let (tokens, firsts, ids) = (&shorter[0], &shorter[n - 2], &mut longer[0]);
            let lasts = tokens.iter().skip(n - 1);
            let pairs = firsts.iter().zip(lasts).map(|(&first, &last)| pair(first, last));
            let ngrams = &find.feature_ids().ngrams[n - 2];
            ids.extend(pairs.clone().map(|pair| ngrams.glance(pair)));
            for (id, pair) in ids.iter_mut().zip(pairs).filter(|(id, _)| **id == UNKNOWN) {
                if !has_unknown(pair) {
                    *id = find.ngram(n, pair);
                }
            }
        }
    }
}

/// White space as Python sees it: what Unicode calls so, and the four ASCII separators.
fn is_space(c: char) -> bool {
    c.is_whitespace() || ('\x1c'..='\x1f').contains(&c)
}

/// A text to take character n-grams from: lower-cased if asked; where n-grams may cross words, each
/// stretch of white space one space.
fn prepared<'a>(options: &Options, text: &'a str, scratch: &'a mut String) -> &'a str {
    scratch.clear();
    match options.lowercase {
        true if text.is_ascii() => {
            scratch.push_str(text);
            scratch.make_ascii_lowercase();
        }
        true => scratch.push_str(&text.to_lowercase()),
        false => scratch.push_str(text),
    }
    if options.analyzer == Analyzer::Chars {
        let mut squeezed = String::with_capacity(scratch.len());
        let mut characters = scratch.chars().peekable();
        while let Some(c) = characters.next() {
            let mut stretch = false;
            while is_space(c) && characters.next_if(|&next| is_space(next)).is_some() {
                stretch = true;
            }
            squeezed.push(if stretch { ' ' } else { c });
        }
        *scratch = squeezed;
    }
    scratch
}

/// Calls `emit` with each character n-gram.
fn character_ngrams(options: &Options, text: &str, mut emit: impl FnMut(&[u8])) {
    if options.analyzer == Analyzer::Chars {
        return windows(text, options.lengths, false, &mut emit);
    }
    let mut padded = String::new();
    for word in text.split(is_space).filter(|word| !word.is_empty()) {
        padded.clear();
        padded.push(' ');
        padded.push_str(word);
        padded.push(' ');
        windows(&padded, options.lengths, true, &mut emit);
    }
}

/// Calls `emit` with each n-gram of so many characters; a text that is shorter is given whole, once, if
/// asked.
fn windows(
    text: &str,
    (shortest, longest): (usize, usize),
    short: bool,
    emit: &mut impl FnMut(&[u8]),
) {
    let bytes = text.as_bytes();
    // An ASCII character is its byte; elsewhere the edges of characters are found first.
    let mut edges = Vec::new();
    if !text.is_ascii() {
        edges.extend(text.char_indices().map(|(place, _)| place));
        edges.push(bytes.len());
    }
    let length = edges.len().checked_sub(1).unwrap_or(bytes.len());
    for n in shortest..=longest {
        if n > length || short && n == length {
            if short {
                emit(bytes);
            }
            return;
        }
        if edges.is_empty() {
            bytes.windows(n).for_each(&mut *emit);
        } else {
            edges.windows(n + 1).for_each(|ngram| emit(&bytes[ngram[0]..ngram[n]]));
        }
    }
}
