//! A hash table of small keys and what stands under them, keyed by the operating system's randomness.
//!
//! Open addressing, linear probing, the key inside the slot: one lookup is usually one cache line.
//! The secret makes it impossible to prepare words that collide. It is drawn once per process, so
//! that two tables walk in the same order and merging one into another runs forward through memory.
//! Nothing of the order ever shows: files are sorted.

use std::hint::select_unpredictable;
use std::sync::LazyLock;

/// A key of a table: two words of bits, and one value that never occurs as a key.
pub(crate) trait Hashed: Copy + Eq {
    const EMPTY: Self;
    fn words(self) -> [u64; 2];
}

/// Two 32-bit ids side by side; `u64::MAX` never occurs, since no id is `u32::MAX`.
impl Hashed for u64 {
    const EMPTY: Self = u64::MAX;

    #[inline(always)]
    fn words(self) -> [u64; 2] {
        [self, self.rotate_left(32)]
    }
}

/// 128 secret bits. Should the operating system have no randomness to give, the addresses of this
/// process (themselves random on any current system) stand in: worse, but still no constant.
static SECRET: LazyLock<[u64; 2]> = LazyLock::new(|| {
    let mut bytes = [0; 16];
    if getrandom::fill(&mut bytes).is_err() {
        let here = &raw const bytes as u64;
        return [here.wrapping_mul(0x9e37_79b9_7f4a_7c15), here.rotate_left(32) | 1];
    }
    let bits = u128::from_le_bytes(bytes);
    [bits as u64, (bits >> 64) as u64]
});

/// Two words of bits in one, by the secret of this process: a folded multiplication, mixed once more (for
/// some secrets, ids side by side would line up after the first).
#[inline(always)]
fn mixed_by(secret: [u64; 2], [a, b]: [u64; 2]) -> u64 {
    let product = u128::from(a ^ secret[0]) * u128::from(b ^ secret[1]);
    let folded = product as u64 ^ (product >> 64) as u64;
    folded.wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// The same, from its highest bits on.
pub(crate) fn mixed(words: [u64; 2]) -> u64 {
    mixed_by(*SECRET, words).swap_bytes()
}

/// What a table keeps under a key, the key included.
pub(crate) trait Slot: Copy {
    type Key: Hashed;
    const EMPTY: Self;
    fn key(&self) -> Self::Key;
}

/// A key and its id, `u32::MAX` excluded.
#[derive(Clone, Copy)]
pub(crate) struct Id<K> {
    key: K,
    id: u32,
}

impl<K: Hashed> Slot for Id<K> {
    type Key = K;
    const EMPTY: Self = Id { key: K::EMPTY, id: u32::MAX };

    #[inline(always)]
    fn key(&self) -> K {
        self.key
    }
}

/// Ids of keys.
pub(crate) type Ids<K> = Table<Id<K>>;

/// Slots that are found by their keys.
#[derive(Clone)]
pub(crate) struct Table<S> {
    slots: Vec<S>,
    used: usize,
    secret: [u64; 2],
}

impl<S: Slot> Default for Table<S> {
    fn default() -> Self {
        Table { slots: vec![S::EMPTY; 16], used: 0, secret: *SECRET }
    }
}

impl<S: Slot> Table<S> {
    pub(crate) fn len(&self) -> usize {
        self.used
    }

    /// Where the probe for `key` begins: the highest bits of what is mixed.
    #[inline(always)]
    fn home(&self, key: S::Key) -> usize {
        let mixed = mixed_by(self.secret, key.words());
        (mixed >> (64 - self.slots.len().trailing_zeros())) as usize
    }

    /// The first place looked at for `key`, and whether the key is there.
    ///
    /// Most keys are. Without a branch, the processor fetches the slots of many keys at once; what is
    /// left over is then looked up in full.
    #[inline(always)]
    pub(crate) fn first(&self, key: S::Key) -> (&S, bool) {
        let slot = &self.slots[self.home(key) & (self.slots.len() - 1)];
        let ([a, b], [c, d]) = (key.words(), slot.key().words());
        (slot, (a ^ c) | (b ^ d) == 0)
    }

    #[inline(always)]
    pub(crate) fn get(&self, key: S::Key) -> Option<&S> {
        let last = self.slots.len() - 1;
        let mut place = self.home(key);
        loop {
            let slot = &self.slots[place & last];
            if slot.key() == key {
                return Some(slot);
            }
            if slot.key() == S::Key::EMPTY {
                return None;
            }
            place += 1;
        }
    }

    /// The slot of the key of `fresh`, which becomes `fresh` if the key is new.
    #[inline(always)]
    pub(crate) fn entry(&mut self, fresh: S) -> &mut S {
        let last = self.slots.len() - 1;
        let mut place = self.home(fresh.key()) & last;
        loop {
            let key = self.slots[place].key();
            if key == fresh.key() {
                return &mut self.slots[place];
            }
            if key == S::Key::EMPTY {
                break;
            }
            place = (place + 1) & last;
        }
        if self.used * 4 >= self.slots.len() * 3 {
            self.resize(self.slots.len() * 2);
            place = self.free(fresh.key());
        }
        self.used += 1;
        self.slots[place] = fresh;
        &mut self.slots[place]
    }

    /// The place of a key that is not there yet.
    fn free(&self, key: S::Key) -> usize {
        let last = self.slots.len() - 1;
        let mut place = self.home(key) & last;
        while self.slots[place].key() != S::Key::EMPTY {
            place = (place + 1) & last;
        }
        place
    }

    /// Makes room for `keys` keys in all.
    pub(crate) fn reserve(&mut self, keys: usize) {
        let wanted = (keys * 4 / 3 + 1).next_power_of_two();
        if wanted > self.slots.len() {
            self.resize(wanted);
        }
    }

    /// Empties every slot.
    pub(crate) fn clear(&mut self) {
        self.slots.fill(S::EMPTY);
        self.used = 0;
    }

    /// The slots that are used, in the table's own order.
    pub(crate) fn used(&self) -> impl Iterator<Item = &S> + '_ {
        self.slots.iter().filter(|slot| slot.key() != S::Key::EMPTY)
    }

    #[cold]
    fn resize(&mut self, slots: usize) {
        let old = std::mem::replace(&mut self.slots, vec![S::EMPTY; slots]);
        for slot in old.into_iter().filter(|slot| slot.key() != S::Key::EMPTY) {
            let place = self.free(slot.key());
            self.slots[place] = slot;
        }
    }
}

impl<K: Hashed> Ids<K> {
    /// The id of `key` if it stands in the [`Table::first`] place looked at, else `u32::MAX`.
    #[inline(always)]
    pub(crate) fn glance(&self, key: K) -> u32 {
        let (slot, is_here) = self.first(key);
        select_unpredictable(is_here, slot.id, u32::MAX)
    }

    #[inline(always)]
    pub(crate) fn find(&self, key: K) -> Option<u32> {
        self.get(key).map(|slot| slot.id)
    }

    /// The id of `key`, which becomes `fresh` if the key is new.
    #[inline(always)]
    pub(crate) fn find_or_insert(&mut self, key: K, fresh: u32) -> u32 {
        self.entry(Id { key, id: fresh }).id
    }

    /// Every key with its id, in the table's own order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (K, u32)> + '_ {
        self.used().map(|slot| (slot.key, slot.id))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashMap;

    proptest! {
        #[test]
        fn a_table_is_a_map(keys in prop::collection::vec(0u64..500, 0..1000)) {
            let mut table = Ids::<u64>::default();
            let mut map = HashMap::new();
            for key in keys {
                let fresh = table.len() as u32;
                let id = table.find_or_insert(key, fresh);
                prop_assert_eq!(id, *map.entry(key).or_insert(fresh));
            }
            prop_assert_eq!(table.len(), map.len());
            for key in 0..500 {
                prop_assert_eq!(table.find(key), map.get(&key).copied());
            }
            prop_assert_eq!(table.iter().collect::<HashMap<_, _>>(), map);
        }
    }

    #[test]
    fn patterned_keys_spread() {
        // Ids side by side make patterned keys; a weak hash would line them up.
        let mut table = Ids::<u64>::default();
        for a in 0..300u64 {
            for b in 0..300 {
                let fresh = table.len() as u32;
                table.find_or_insert(a << 32 | b, fresh);
            }
        }
        let last = table.slots.len() - 1;
        let longest = table
            .iter()
            .map(|(key, id)| {
                let home = table.home(key);
                (0..).find(|step| {
                    let slot = &table.slots[(home + step) & last];
                    slot.key == key && slot.id == id
                })
            })
            .max();
        // At this load a perfect hash has its longest probe at 60 to 150.
        assert!(longest < Some(Some(400)), "{longest:?}");
    }
}
