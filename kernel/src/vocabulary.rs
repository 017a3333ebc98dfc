//! Ids for byte strings, given in the order of first sight.

use crate::hash::{Hashed, Slot, Table};
use crate::key::{Key, Packed, joined, split};
use std::collections::HashMap;

/// Byte strings and their ids. Short ones sit in a [`Table`], the rare long ones in a map of the
/// standard library, which is keyed at random as well.
#[derive(Clone, Default)]
pub struct Vocabulary {
    short: Table<Word>,
    long: HashMap<Box<[u8]>, u32>,
    len: usize,
}

/// A word and its ids: as it is, and negated. So what is negated lies where the word does, and takes no
/// room in a cache.
#[derive(Clone, Copy)]
struct Word {
    key: Packed,
    ids: [u32; 2],
}

const NONE: u32 = u32::MAX;

impl Slot for Word {
    type Key = Packed;
    const EMPTY: Self = Word { key: Packed::EMPTY, ids: [NONE; 2] };

    #[inline(always)]
    fn key(&self) -> Packed {
        self.key
    }
}

impl Vocabulary {
    pub fn len(&self) -> usize {
        self.len
    }

    /// The id of a short key that is not negated if it stands in the [`Table::first`] place looked at,
    /// else `u32::MAX`.
    #[inline(always)]
    pub fn glance(&self, key: Packed) -> u32 {
        let (word, is_here) = self.short.first(key);
        word.ids[0] | u32::from(is_here).wrapping_sub(1)
    }

    /// The same of a short key, negated or not.
    #[inline(always)]
    pub fn glance_either(&self, packed: Packed) -> u32 {
        let (key, negated) = split(packed);
        let (word, is_here) = self.short.first(key);
        word.ids[usize::from(negated)] | u32::from(is_here).wrapping_sub(1)
    }

    #[inline(always)]
    pub fn find(&self, key: Key<'_>) -> Option<u32> {
        match key {
            Key::Short(packed) => {
                let (key, negated) = split(packed);
                let word = self.short.get(key)?;
                Some(word.ids[usize::from(negated)]).filter(|&id| id != NONE)
            }
            Key::Long(bytes) => self.long.get(bytes).copied(),
        }
    }

    #[inline(always)]
    pub fn find_or_insert(&mut self, key: Key<'_>) -> u32 {
        let fresh = self.len as u32;
        let id = match key {
            Key::Short(packed) => {
                let (key, negated) = split(packed);
                let word = self.short.entry(Word { key, ids: [NONE; 2] });
                let id = &mut word.ids[usize::from(negated)];
                if *id == NONE {
                    *id = fresh;
                }
                *id
            }
            Key::Long(bytes) => self.find_or_insert_long(bytes, fresh),
        };
        self.len += usize::from(id == fresh);
        id
    }

    #[cold]
    fn find_or_insert_long(&mut self, bytes: &[u8], fresh: u32) -> u32 {
        match self.long.get(bytes) {
            Some(&id) => id,
            None => *self.long.entry(bytes.into()).or_insert(fresh),
        }
    }

    pub fn reserve(&mut self, keys: usize) {
        self.short.reserve(keys);
    }

    pub fn iter(&self) -> impl Iterator<Item = (Key<'_>, u32)> + '_ {
        let both = |word: &Word| {
            let key = |negated| Key::Short(joined(word.key, negated));
            [(key(false), word.ids[0]), (key(true), word.ids[1])]
        };
        let short = self.short.used().flat_map(both).filter(|&(_, id)| id != NONE);
        short.chain(self.long.iter().map(|(bytes, &id)| (Key::Long(bytes), id)))
    }
}
