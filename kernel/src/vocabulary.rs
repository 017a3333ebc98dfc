//! Ids for byte strings, given in the order of first sight.

use crate::hash::Ids;
use crate::key::{Key, Packed};
use std::collections::HashMap;

/// Byte strings and their ids. Short ones sit in a [`Ids`], the rare long ones in a map of the
/// standard library, which is keyed at random as well.
#[derive(Clone, Default)]
pub struct Vocabulary {
    short: Ids<Packed>,
    long: HashMap<Box<[u8]>, u32>,
}

impl Vocabulary {
    pub fn len(&self) -> usize {
        self.short.len() + self.long.len()
    }

    /// See [`Ids::glance`].
    #[inline(always)]
    pub fn glance(&self, packed: Packed) -> u32 {
        self.short.glance(packed)
    }

    #[inline(always)]
    pub fn find(&self, key: Key<'_>) -> Option<u32> {
        match key {
            Key::Short(packed) => self.short.find(packed),
            Key::Long(bytes) => self.long.get(bytes).copied(),
        }
    }

    #[inline(always)]
    pub fn find_or_insert(&mut self, key: Key<'_>) -> u32 {
        let fresh = self.len() as u32;
        match key {
            Key::Short(packed) => self.short.find_or_insert(packed, fresh),
            Key::Long(bytes) => self.find_or_insert_long(bytes, fresh),
        }
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
        let short = self.short.iter().map(|(packed, id)| (Key::Short(packed), id));
        short.chain(self.long.iter().map(|(bytes, &id)| (Key::Long(bytes), id)))
    }
}
