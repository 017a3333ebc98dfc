//! Words cut back to their stems, by the algorithms of the Snowball project.

use snowball_stemmers_rs::{Algorithm, Stemmer};
use std::collections::HashMap;

/// The stems of another version of the crate may be others. A model file stores it.
pub(crate) const VERSION: &str = "snowball_stemmers_rs 1.0";

/// A language whose words can be stemmed, by its English name in lower case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Language(String);

const LANGUAGES: &[(&str, Algorithm)] = &[
    ("arabic", Algorithm::Arabic),
    ("armenian", Algorithm::Armenian),
    ("basque", Algorithm::Basque),
    ("catalan", Algorithm::Catalan),
    ("danish", Algorithm::Danish),
    ("dutch", Algorithm::Dutch),
    ("english", Algorithm::English),
    ("estonian", Algorithm::Estonian),
    ("finnish", Algorithm::Finnish),
    ("french", Algorithm::French),
    ("german", Algorithm::German),
    ("greek", Algorithm::Greek),
    ("hindi", Algorithm::Hindi),
    ("hungarian", Algorithm::Hungarian),
    ("indonesian", Algorithm::Indonesian),
    ("irish", Algorithm::Irish),
    ("italian", Algorithm::Italian),
    ("lithuanian", Algorithm::Lithuanian),
    ("nepali", Algorithm::Nepali),
    ("norwegian", Algorithm::Norwegian),
    ("portuguese", Algorithm::Portuguese),
    ("romanian", Algorithm::Romanian),
    ("russian", Algorithm::Russian),
    ("serbian", Algorithm::Serbian),
    ("spanish", Algorithm::Spanish),
    ("swedish", Algorithm::Swedish),
    ("tamil", Algorithm::Tamil),
    ("turkish", Algorithm::Turkish),
    ("yiddish", Algorithm::Yiddish),
];

impl Language {
    pub(crate) fn named(name: &str) -> Option<Self> {
        LANGUAGES.iter().any(|(known, _)| *known == name).then(|| Language(name.to_string()))
    }

    pub(crate) fn name(&self) -> &str {
        &self.0
    }

    pub(crate) fn names() -> Vec<&'static str> {
        LANGUAGES.iter().map(|(name, _)| *name).collect()
    }
}

/// So many stems are remembered before all are forgotten.
const REMEMBERED: usize = 1 << 18;

/// A stemmer that remembers.
pub(crate) struct Stems {
    stemmer: Stemmer,
    known: HashMap<Vec<u8>, Vec<u8>>,
}

impl Stems {
    pub(crate) fn new(language: &Language) -> Self {
        let found = LANGUAGES.iter().find(|(name, _)| *name == language.0);
        let algorithm = found.map_or(Algorithm::English, |(_, algorithm)| *algorithm);
        Stems { stemmer: Stemmer::create(algorithm), known: HashMap::new() }
    }

    /// The stem of a word, itself if nothing is left of it.
    pub(crate) fn of(&mut self, word: &[u8]) -> &[u8] {
        if self.known.len() >= REMEMBERED {
            self.known.clear();
        }
        if !self.known.contains_key(word) {
            let stem = match std::str::from_utf8(word) {
                Ok(text) => self.stemmer.stem(text).into_owned().into_bytes(),
                Err(_) => word.to_vec(),
            };
            let stem = if stem.is_empty() { word.to_vec() } else { stem };
            self.known.insert(word.to_vec(), stem);
        }
        &self.known[word]
    }
}
