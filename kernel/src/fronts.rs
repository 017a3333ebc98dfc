//! Sorted keys as plain arrays. Neighbours share long beginnings, so each key is stored as the length
//! of what it shares with the one before and the bytes that follow.

use crate::error::{Result, corrupt};

/// Keys that rise, byte by byte.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Fronts {
    /// How many bytes of the key before begin this key.
    pub shared: Vec<u32>,
    /// How many bytes follow; `bytes` holds them one after another.
    pub lengths: Vec<u32>,
    pub bytes: Vec<u8>,
}

impl Fronts {
    /// Adds a key; `before` is the last one.
    pub fn push(&mut self, before: &[u8], key: &[u8]) {
        let shared = before.iter().zip(key).take_while(|(a, b)| a == b).count();
        self.shared.push(shared as u32);
        self.lengths.push((key.len() - shared) as u32);
        self.bytes.extend_from_slice(&key[shared..]);
    }

    /// Hands out each key with its place; what [`Fronts::push`] could not have made is refused.
    pub fn each(&self, mut then: impl FnMut(usize, &[u8]) -> Result<()>) -> Result<()> {
        if self.lengths.len() != self.shared.len() {
            return corrupt("its arrays of features differ in length");
        }
        let mut key = Vec::new();
        let mut bytes = self.bytes.as_slice();
        for (place, (&shared, &length)) in self.shared.iter().zip(&self.lengths).enumerate() {
            let (shared, length) = (shared as usize, length as usize);
            if shared > key.len() || length == 0 || length > bytes.len() {
                return corrupt("a feature's spelling runs over its end");
            }
            let (rest, others) = bytes.split_at(length);
            bytes = others;
            if place > 0 && key.get(shared).is_some_and(|&before| before >= rest[0]) {
                return corrupt("its features are not in order");
            }
            key.truncate(shared);
            key.extend_from_slice(rest);
            then(place, &key)?;
        }
        match bytes.is_empty() {
            true => Ok(()),
            false => corrupt("it holds more than its features"),
        }
    }
}
