//! How a text is read, and the kinds of features that come of it.

use crate::dictionary::feature_key::without_negation;
use crate::text::lexicon::Lexicon;
use crate::text::normalize::normal;
use crate::text::stems::Language;
use crate::text::surface_features::SurfaceFeatures;
use std::borrow::Cow;

/// How a text is read. Settled before the first text and stored with the counts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reading {
    /// Shortest and longest word n-gram, or none.
    pub(crate) word_ngrams: Option<(usize, usize)>,
    /// Shortest and longest character n-gram, within a word and the space around it, or none.
    pub(crate) char_ngrams: Option<(usize, usize)>,
    pub(crate) lowercase: bool,
    /// Whether the text is put into a normal form first: see [`crate::text::normalize`].
    pub(crate) normalize: bool,
    /// Whether signs are words too.
    pub(crate) punctuation: bool,
    pub(crate) surface_features: SurfaceFeatures,
    pub(crate) negation: Option<Negation>,
    /// Words that are left out, in lower case.
    pub(crate) stop_words: Vec<String>,
    pub(crate) stem: Option<Language>,
    pub(crate) lexicon: Option<Lexicon>,
}

/// The words that turn others into their opposite, and how far that reaches. All are in lower case; one
/// that begins with `*` stands for every word with that ending.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Negation {
    pub(crate) negators: Vec<String>,
    /// Words that end a negation, as the end of a clause does.
    pub(crate) ends: Vec<String>,
    /// A negator right before one of these does not negate: "not only".
    pub(crate) unless: Vec<String>,
    /// Whether only the next word is negated, instead of all to the end of the clause.
    pub(crate) one_word: bool,
}

/// What kind of feature a block holds. The byte is what files and keys begin with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum FeatureKind {
    /// So many words one after another.
    WordNgram(usize),
    CharNgram,
    /// The text as it is, if there is any: a category.
    Value,
    /// A surface feature: a link, capitals, an emoticon.
    Surface,
    /// A category of a lexicon.
    Lexicon,
}

impl FeatureKind {
    pub(crate) const LONGEST_NGRAM: usize = 8;
    const CHAR_NGRAM: u8 = 0x10;
    const VALUE: u8 = 0x20;
    const SURFACE: u8 = 0x30;
    const LEXICON: u8 = 0x40;

    pub(crate) fn byte(self) -> u8 {
        match self {
            FeatureKind::WordNgram(n) => n as u8,
            FeatureKind::CharNgram => Self::CHAR_NGRAM,
            FeatureKind::Value => Self::VALUE,
            FeatureKind::Surface => Self::SURFACE,
            FeatureKind::Lexicon => Self::LEXICON,
        }
    }

    /// What its arrays are called in a file.
    pub(crate) fn name(self) -> String {
        match self {
            FeatureKind::WordNgram(1) => "words".to_string(),
            FeatureKind::WordNgram(n) => format!("{n}-grams"),
            FeatureKind::CharNgram => "char-ngrams".to_string(),
            FeatureKind::Value => "values".to_string(),
            FeatureKind::Surface => "surface-features".to_string(),
            FeatureKind::Lexicon => "lexicon".to_string(),
        }
    }

    /// A feature as people see it: `NOT_like`, `LEX_positive`.
    pub(crate) fn shown(self, key: &[u8]) -> String {
        let token = |key: &[u8]| {
            let (word, negated) = without_negation(key);
            let lexicon = if self == FeatureKind::Lexicon { "LEX_" } else { "" };
            let not = if negated { "NOT_" } else { "" };
            format!("{not}{lexicon}{}", String::from_utf8_lossy(word))
        };
        match self {
            FeatureKind::WordNgram(_) => {
                key.split(|&byte| byte == b' ').map(token).collect::<Vec<_>>().join(" ")
            }
            FeatureKind::Lexicon => token(key),
            FeatureKind::CharNgram | FeatureKind::Value | FeatureKind::Surface => {
                String::from_utf8_lossy(key).into_owned()
            }
        }
    }
}

impl Reading {
    /// A text, or a word that is looked for in texts, in the form in which it is read.
    pub(crate) fn form<'a>(&self, text: &'a str) -> Cow<'a, str> {
        if self.normalize { normal(text) } else { Cow::Borrowed(text) }
    }

    /// Nothing but words, lower-cased.
    pub fn word_ngrams(shortest: usize, longest: usize) -> Self {
        Reading { word_ngrams: Some((shortest, longest)), lowercase: true, ..Reading::default() }
    }

    /// The blocks of a dictionary. Shorter n-grams than asked for are there too, as the first
    /// parts of longer ones; [`Reading::counts`] tells which blocks count.
    pub(crate) fn kinds(&self) -> Vec<FeatureKind> {
        let longest = self.word_ngrams.map_or(0, |(_, longest)| longest);
        let words = (1..=longest).map(FeatureKind::WordNgram);
        let others = [
            self.char_ngrams.map(|_| FeatureKind::CharNgram),
            self.is_whole().then_some(FeatureKind::Value),
            (self.surface_features != SurfaceFeatures::default()).then_some(FeatureKind::Surface),
            self.lexicon.as_ref().map(|_| FeatureKind::Lexicon),
        ];
        words.chain(others.into_iter().flatten()).collect()
    }

    /// Whether texts are read whole: nothing else is asked for.
    pub(crate) fn is_whole(&self) -> bool {
        let parts =
            self.word_ngrams.is_some() || self.char_ngrams.is_some() || self.lexicon.is_some();
        !parts && self.surface_features == SurfaceFeatures::default()
    }

    /// Whether the words are all that is asked for, just as they stand.
    pub(crate) fn is_plain(&self) -> bool {
        !self.punctuation
            && self.surface_features == SurfaceFeatures::default()
            && self.negation.is_none()
            && self.stop_words.is_empty()
            && self.stem.is_none()
            && self.lexicon.is_none()
    }

    pub(crate) fn counts(&self, kind: FeatureKind) -> bool {
        match kind {
            FeatureKind::WordNgram(n) => {
                self.word_ngrams.is_some_and(|(shortest, _)| n >= shortest)
            }
            _ => true,
        }
    }
}
