//! Ids for byte strings, given in the order of first sight.

use crate::dictionary::feature_key::{Key, Packed, joined, split};
use crate::dictionary::hash_table::{Hashed, Slot, Table};
use std::collections::HashMap;
use std::hint::select_unpredictable;

/// Byte strings and their ids. Short ones sit in a [`Table`], the rare long ones in a map of the
/// standard library, which is keyed at random as well.
#[derive(Clone, Default)]
pub(crate) struct Vocabulary {
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

/// Marks the id of a word that has a role in how a text is read. No id reaches it.
pub(crate) const HAS_ROLE: u32 = 1 << 31;

impl Slot for Word {
    type Key = Packed;
    const EMPTY: Self = Word { key: Packed::EMPTY, ids: [NONE; 2] };

    #[inline(always)]
    fn key(&self) -> Packed {
        self.key
    }
}

impl Vocabulary {
    /// One whose ids begin with `first`.
    pub(crate) fn starting_at(first: usize) -> Self {
        Vocabulary { len: first, ..Vocabulary::default() }
    }

    /// The next id: no id reaches it.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Appends the ids of keys that are not negated, with their marks: of each that is short and stands
    /// in the [`Table::first`] place looked at, else `u32::MAX`. A loop of its own keeps all it needs in
    /// registers.
    #[inline(never)]
    pub(crate) fn glance(&self, keys: &[Packed], ids: &mut Vec<u32>) {
        ids.extend(keys.iter().map(|&key| {
            let (word, is_here) = self.short.first(key);
            select_unpredictable(is_here, word.ids[0], NONE)
        }));
    }

    /// The id of the word negated, at a glance.
    #[inline(always)]
    pub(crate) fn glance_negated(&self, word: Packed) -> u32 {
        let (word, is_here) = self.short.first(word);
        select_unpredictable(is_here, word.ids[1], NONE)
    }

    #[inline(always)]
    pub(crate) fn find(&self, key: Key<'_>) -> Option<u32> {
        match key {
            Key::Short(packed) => {
                let (key, negated) = split(packed);
                let word = self.short.get(key)?;
                Some(word.ids[usize::from(negated)]).filter(|&id| id != NONE).map(unmarked)
            }
            Key::Long(bytes) => self.long.get(bytes).copied(),
        }
    }

    #[inline(always)]
    pub(crate) fn find_or_insert(&mut self, key: Key<'_>) -> u32 {
        self.enter(key, |_| false)
    }

    /// The same, and whether a short word that is new is marked. Negated words never are.
    #[inline(always)]
    pub(crate) fn enter(&mut self, key: Key<'_>, is_marked: impl FnOnce(Key<'_>) -> bool) -> u32 {
        let fresh = self.len as u32;
        let id = match key {
            Key::Short(packed) => {
                let (key, negated) = split(packed);
                let word = self.short.entry(Word { key, ids: [NONE; 2] });
                let id = &mut word.ids[usize::from(negated)];
                if *id == NONE {
                    *id = if !negated && is_marked(Key::Short(packed)) {
                        fresh | HAS_ROLE
                    } else {
                        fresh
                    };
                }
                unmarked(*id)
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

    pub(crate) fn reserve(&mut self, keys: usize) {
        self.short.reserve(keys);
    }

    /// Forgets all keys, but keeps the room they took.
    pub(crate) fn clear(&mut self) {
        self.short.clear();
        self.long.clear();
        self.len = 0;
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (Key<'_>, u32)> + '_ {
        let both = |word: &Word| {
            let key = |negated| Key::Short(joined(word.key, negated));
            [(key(false), word.ids[0]), (key(true), word.ids[1])]
        };
        let short = self.short.used().flat_map(both).filter(|&(_, id)| id != NONE);
        let short = short.map(|(key, id)| (key, unmarked(id)));
        short.chain(self.long.iter().map(|(bytes, &id)| (Key::Long(bytes), id)))
    }
}

#[inline(always)]
fn unmarked(id: u32) -> u32 {
    id & !HAS_ROLE
}
