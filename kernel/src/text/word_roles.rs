//! The words that have a role in how a text is read: negators, stop words, the entries of a lexicon.
//!
//! A dictionary knows of each of its words whether it is among them, so that a text whose words are
//! looked up anyway is not searched for them.

use crate::dictionary::feature_key::Key;
use crate::dictionary::vocabulary::Vocabulary;
use crate::text::lexicon::Phrases;
use crate::text::reading::{Negation, Reading};
use std::borrow::Cow;

/// The roles of a word.
#[derive(Clone, Copy)]
pub(crate) struct Role {
    flags: u8,
    /// Where the entries of the lexicon that begin with it stand.
    pub(crate) entries: u32,
}

impl Role {
    pub(crate) const NEGATES: u8 = 1;
    pub(crate) const ENDS: u8 = 2;
    pub(crate) const EXEMPTS: u8 = 4;
    pub(crate) const STOPS: u8 = 8;
    pub(crate) const NONE: u32 = u32::MAX;

    pub(crate) const PLAIN: Role = Role { flags: 0, entries: Role::NONE };

    #[inline(always)]
    pub(crate) fn is(self, flag: u8) -> bool {
        self.flags & flag != 0
    }
}

/// The roles of every word that has one. Words are known in lower case.
#[derive(Default)]
pub(crate) struct WordRoles {
    lowercase: bool,
    words: Vocabulary,
    roles: Vec<Role>,
    /// A bit for each word, at a place that its letters tell: most words without a role have none.
    hints: Vec<u64>,
    /// Endings that have a role, longest first, and a bit for each byte that is the last of one.
    endings: Vec<(Vec<u8>, Role)>,
    last_bytes: [u64; 4],
    has_signs: bool,
    /// Whether the words that are looked up are other words, their stems.
    has_stems: bool,
    pub(crate) phrases: Phrases,
}

impl WordRoles {
    pub(crate) fn new(reading: &Reading) -> Self {
        let has_stems = reading.stem.is_some();
        let mut word_roles =
            WordRoles { lowercase: reading.lowercase, has_stems, ..WordRoles::default() };
        let mut enter = |words: &[String], flags| {
            let words: Vec<_> = words.iter().map(|word| reading.form(word)).collect();
            word_roles.enter(&words, flags);
        };
        if let Some(Negation { negators, ends, unless, one_word: _ }) = &reading.negation {
            enter(negators, Role::NEGATES);
            enter(ends, Role::ENDS);
            enter(unless, Role::EXEMPTS);
        }
        enter(&reading.stop_words, Role::STOPS);
        word_roles.phrases =
            Phrases::new(reading, |token, place| word_roles.of_mut(token).entries = place);
        word_roles.settle();
        word_roles
    }

    /// Lets each word have the roles of its ending too, and leaves its hint.
    fn settle(&mut self) {
        self.hints = vec![0; self.words.len().next_power_of_two()];
        for (word, id) in self.words.iter() {
            self.roles[id as usize].flags |= self.by_ending(word).map_or(0, |role| role.flags);
            let (place, bit) = self.hint(word);
            self.hints[place] |= bit;
        }
    }

    /// Where the hint of a word is.
    #[inline(always)]
    fn hint(&self, word: Key<'_>) -> (usize, u64) {
        let Key::Short([low, high]) = word else { return (0, u64::MAX) };
        let mixed = (low ^ high.rotate_left(29)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        ((mixed >> 32) as usize & (self.hints.len() - 1), 1 << (mixed >> 58))
    }

    fn enter(&mut self, words: &[Cow<'_, str>], flags: u8) {
        for word in words {
            match word.strip_prefix('*') {
                Some(ending) if !ending.is_empty() => {
                    let (ending, role) = (ending.as_bytes(), Role { flags, ..Role::PLAIN });
                    self.has_signs |= may_be_sign(ending);
                    let last = ending.last().map_or(0, |&last| usize::from(last));
                    self.last_bytes[last / 64] |= 1 << (last % 64);
                    match self.endings.iter_mut().find(|(known, _)| known == ending) {
                        Some((_, known)) => known.flags |= flags,
                        None => self.endings.push((ending.to_vec(), role)),
                    }
                }
                _ => self.of_mut(word.as_bytes()).flags |= flags,
            }
        }
        self.endings.sort_by_key(|(ending, _)| std::cmp::Reverse(ending.len()));
    }

    fn of_mut(&mut self, word: &[u8]) -> &mut Role {
        self.has_signs |= may_be_sign(word);
        let id = self.words.find_or_insert(Key::new(word)) as usize;
        if id == self.roles.len() {
            self.roles.push(Role::PLAIN);
        }
        &mut self.roles[id]
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.roles.is_empty() && self.endings.is_empty()
    }

    /// Whether a sign may have a role.
    pub(crate) fn has_signs(&self) -> bool {
        self.has_signs
    }

    /// Whether a dictionary notes that this word has a role.
    pub(crate) fn has_role(&self, word: Key<'_>) -> bool {
        !self.has_stems && !self.is_empty() && self.role(word).is_some()
    }

    /// The roles of a word, if any.
    #[inline]
    pub(crate) fn role(&self, key: Key<'_>) -> Option<&Role> {
        match self.lowercase {
            true => self.of_lower(key),
            false => self.of_lower(Key::new(lowered(key).as_bytes())),
        }
    }

    /// Whether a word has one of the roles in `flags`.
    pub(crate) fn is(&self, key: Key<'_>, flags: u8) -> bool {
        self.role(key).is_some_and(|role| role.is(flags))
    }

    /// Whether a word, in lower case, is this one.
    pub(crate) fn is_lowered(&self, key: Key<'_>, word: &[u8]) -> bool {
        match self.lowercase {
            true => key.read(|own| own == word),
            false => lowered(key).as_bytes() == word,
        }
    }

    #[inline]
    fn of_lower(&self, key: Key<'_>) -> Option<&Role> {
        let (place, bit) = self.hint(key);
        if self.hints[place] & bit != 0
            && let Some(id) = self.words.find(key)
        {
            return Some(&self.roles[id as usize]);
        }
        self.by_ending(key)
    }

    #[inline]
    fn by_ending(&self, key: Key<'_>) -> Option<&Role> {
        // Few words end in the same letter; the others need no look at their letters.
        let last = usize::from(key.last()?);
        match self.last_bytes[last / 64] >> (last % 64) & 1 {
            0 => None,
            _ => self.by_letters(key),
        }
    }

    #[cold]
    fn by_letters(&self, key: Key<'_>) -> Option<&Role> {
        let ends = |word: &[u8]| self.endings.iter().find(|(ending, _)| word.ends_with(ending));
        key.read(ends).map(|(_, role)| role)
    }
}

/// A word whose case was kept, in lower case.
fn lowered(key: Key<'_>) -> String {
    key.read(|bytes| String::from_utf8_lossy(bytes).to_lowercase())
}

/// Whether this is one character that belongs to no word.
fn may_be_sign(word: &[u8]) -> bool {
    let mut characters = std::str::from_utf8(word).unwrap_or_default().chars();
    characters.next().is_some_and(|c| !c.is_alphanumeric()) && characters.next().is_none()
}
