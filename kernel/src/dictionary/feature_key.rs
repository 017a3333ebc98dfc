//! What a feature is looked up by: its bytes, held in two registers when they fit.

use crate::dictionary::hash_table::Hashed;
use std::hint::select_unpredictable;

/// The bytes of a feature. Up to 15 of them travel by value, so that most words are compared
/// without following a pointer.
#[derive(Clone, Copy)]
pub(crate) enum Key<'a> {
    Short(Packed),
    Long(&'a [u8]),
}

/// Up to 15 bytes and, in the last place, how many they are and whether the word is negated. All zero
/// means nothing.
pub(crate) type Packed = [u64; 2];

/// What tells a negated word from the word itself, in its second half.
const NOT: u64 = 1 << 60;

/// The word of a key, and whether it is negated.
#[inline(always)]
pub(crate) fn split([low, high]: Packed) -> (Packed, bool) {
    ([low, high & !NOT], high & NOT != 0)
}

/// The key of a word, negated or not.
#[inline(always)]
pub(crate) fn joined([low, high]: Packed, negated: bool) -> Packed {
    [low, high | if negated { NOT } else { 0 }]
}

impl<'a> Key<'a> {
    /// The longest key that is packed.
    pub(crate) const SHORT: usize = 15;

    #[inline]
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        if bytes.len() > Self::SHORT {
            return Key::Long(bytes);
        }
        let mut window = [0; 16];
        window[..bytes.len()].copy_from_slice(bytes);
        Key::Short(Self::pack(&window, bytes.len()))
    }

    /// The key of a word as it is spelled, negated or not.
    pub(crate) fn of_word(bytes: &'a [u8]) -> Self {
        let (word, negated) = without_negation(bytes);
        match Key::new(word) {
            Key::Short(word) => Key::Short(joined(word, negated)),
            Key::Long(_) => Key::new(bytes),
        }
    }

    /// The key of a name of at most 15 bytes, made when the program is.
    pub(crate) const fn short(name: &[u8]) -> Packed {
        assert!(name.len() <= Self::SHORT);
        let mut window = [0; 16];
        window.split_at_mut(name.len()).0.copy_from_slice(name);
        window[Self::SHORT] = name.len() as u8;
        let bits = u128::from_le_bytes(window);
        [bits as u64, (bits >> 64) as u64]
    }

    /// Packs the first `length` bytes, at most 15, of a window of 16.
    #[inline(always)]
    pub(crate) fn pack(window: &[u8], length: usize) -> Packed {
        let window = window.first_chunk().map_or(0, |bytes| u128::from_le_bytes(*bytes));
        let [low, high] = KEEP[length & 15];
        [window as u64 & low, ((window >> 64) as u64 & high) | (length as u64) << 56]
    }

    /// What `read` makes of the bytes.
    pub(crate) fn read<R>(&self, read: impl FnOnce(&[u8]) -> R) -> R {
        match self {
            Key::Short(packed) => {
                let (window, negated) = unpack(packed);
                let length = usize::from(window[16]);
                read(&window[usize::from(!negated)..length])
            }
            Key::Long(long) => read(long),
        }
    }

    /// The last byte.
    #[inline(always)]
    pub(crate) fn last(&self) -> Option<u8> {
        match self {
            Key::Short(packed) => {
                let ([low, high], _) = split(*packed);
                let before = (high >> 56).checked_sub(1)?;
                let half = select_unpredictable(before < 8, low, high);
                Some((half >> (8 * (before & 7))) as u8)
            }
            Key::Long(bytes) => bytes.last().copied(),
        }
    }

    /// The key without its last character, if it has more than one.
    pub(crate) fn beginning(self) -> Option<Key<'a>> {
        let length = |bytes: &[u8]| bytes.iter().rposition(|byte| byte & 0xc0 != 0x80).unwrap_or(0);
        let length = self.read(length);
        match self {
            _ if length == 0 => None,
            Key::Short([low, high]) => {
                let [keep_low, keep_high] = KEEP[length & 15];
                Some(Key::Short([low & keep_low, high & keep_high | (length as u64) << 56]))
            }
            Key::Long(bytes) => Some(Key::new(&bytes[..length])),
        }
    }

    pub(crate) fn append_to(&self, bytes: &mut Vec<u8>) {
        self.read(|own| bytes.extend_from_slice(own));
    }

    pub(crate) fn to_vec(self) -> Vec<u8> {
        let mut bytes = Vec::new();
        self.append_to(&mut bytes);
        bytes
    }
}

/// Keys one after another.
#[derive(Clone, Default)]
pub(crate) struct Keys {
    /// A key that does not fit is given as [start, length] in `long`, marked by [`LONG`].
    packed: Vec<Packed>,
    long: Vec<u8>,
}

/// The mark of a long key, in the place where a short one has its length.
const LONG: u64 = 0xff << 56;

/// What begins a negated word as it is spelled. No word has such a byte.
const NEGATED: u8 = 1;

impl Keys {
    /// The keys as two registers each. Those of long keys are like no short key's.
    pub(crate) fn packed(&self) -> &[Packed] {
        &self.packed
    }

    pub(crate) fn len(&self) -> usize {
        self.packed.len()
    }

    #[inline(always)]
    pub(crate) fn get(&self, place: usize) -> Key<'_> {
        let packed = self.packed[place];
        match packed[1] & LONG {
            LONG => {
                let (start, length) = (packed[0] as usize, (packed[1] & !LONG) as usize);
                Key::Long(&self.long[start..start + length])
            }
            _ => Key::Short(packed),
        }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = Key<'_>> + '_ {
        (0..self.len()).map(|place| self.get(place))
    }

    pub(crate) fn spellings(&self) -> Vec<String> {
        self.iter().map(|key| String::from_utf8_lossy(&key.to_vec()).into_owned()).collect()
    }

    pub(crate) fn clear(&mut self) {
        self.packed.clear();
        self.long.clear();
    }

    #[inline(always)]
    pub(crate) fn extend_short(&mut self, keys: impl Iterator<Item = Packed>) {
        self.packed.extend(keys);
    }

    pub(crate) fn push(&mut self, key: &[u8]) {
        match Key::new(key) {
            Key::Short(packed) => self.packed.push(packed),
            Key::Long(bytes) => {
                self.packed.push([self.long.len() as u64, LONG | bytes.len() as u64]);
                self.long.extend_from_slice(bytes);
            }
        }
    }

    #[inline(always)]
    pub(crate) fn push_packed(&mut self, key: Packed) {
        self.packed.push(key);
    }

    pub(crate) fn push_key(&mut self, key: Key<'_>) {
        match key {
            Key::Short(packed) => self.packed.push(packed),
            Key::Long(bytes) => self.push(bytes),
        }
    }

    /// Pushes the key of the negated word.
    pub(crate) fn push_negated(&mut self, key: Key<'_>) {
        self.push_key(key);
        self.negate(self.len() - 1);
    }

    /// Leaves out the keys at `places`, which rise.
    pub(crate) fn remove(&mut self, places: &[usize]) {
        remove(&mut self.packed, places);
    }

    /// Makes of a word the negated word, and gives the registers that it had before.
    #[inline(always)]
    pub(crate) fn negate(&mut self, place: usize) -> Packed {
        let before = self.packed[place];
        match before[1] & LONG {
            LONG => self.negate_long(place),
            _ => self.packed[place] = joined(before, true),
        }
        before
    }

    #[cold]
    fn negate_long(&mut self, place: usize) {
        let mut negated = vec![NEGATED];
        self.get(place).append_to(&mut negated);
        self.put(place, &negated);
    }

    /// Puts another spelling in place of a key.
    pub(crate) fn replace<'a>(&mut self, place: usize, other: impl FnOnce(&[u8]) -> &'a [u8]) {
        let bytes = self.get(place).to_vec();
        let other = other(&bytes);
        if other != bytes {
            self.put(place, other);
        }
    }

    /// Puts another key in place of the one there.
    pub(crate) fn put(&mut self, place: usize, key: &[u8]) {
        self.push(key);
        self.packed.swap_remove(place);
    }
}

/// Leaves out what stands at `places`, which rise. What stands before the first of them is not touched.
pub(crate) fn remove<T: Copy>(list: &mut Vec<T>, places: &[usize]) {
    let mut gone = places.iter().copied().peekable();
    let first = gone.peek().copied().unwrap_or(list.len());
    let mut kept = first;
    for place in first..list.len() {
        if gone.next_if_eq(&place).is_none() {
            list[kept] = list[place];
            kept += 1;
        }
    }
    list.truncate(kept);
}

/// The bytes of a word that may be negated, and whether it is.
pub(crate) fn without_negation(key: &[u8]) -> (&[u8], bool) {
    match key.split_first() {
        Some((&NEGATED, word)) => (word, true),
        _ => (key, false),
    }
}

impl Hashed for Packed {
    const EMPTY: Self = [0, 0];

    #[inline(always)]
    fn words(self) -> [u64; 2] {
        self
    }
}

/// The mark of negation and the bytes of a word, with the end of both in the last place; and whether the
/// mark is in force.
fn unpack(packed: &Packed) -> ([u8; 17], bool) {
    let ([low, high], negated) = split(*packed);
    let mut window = [NEGATED; 17];
    window[1..].copy_from_slice(&(u128::from(low) | u128::from(high) << 64).to_le_bytes());
    window[16] += 1;
    (window, negated)
}

/// Masks that keep the first `length` bytes of a window, `length` from 0 to 15.
const KEEP: [[u64; 2]; 16] = {
    let mut masks = [[0, 0]; 16];
    let mut length = 1;
    while length < 16 {
        let mask = (1u128 << (8 * length)) - 1;
        masks[length] = [mask as u64, (mask >> 64) as u64];
        length += 1;
    }
    masks
};

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_key_gives_its_bytes_back(bytes in prop::collection::vec(any::<u8>(), 1..40)) {
            prop_assert_eq!(Key::new(&bytes).last(), bytes.last().copied());
            prop_assert_eq!(Key::new(&bytes).to_vec(), bytes);
        }

        #[test]
        fn a_beginning_lacks_the_last_character(text in "[aß語🦀]{1,8}") {
            let mut shorter = text.clone();
            shorter.pop();
            let beginning = Key::new(text.as_bytes()).beginning().map(Key::to_vec);
            prop_assert_eq!(beginning, (!shorter.is_empty()).then(|| shorter.into_bytes()));
        }

        #[test]
        fn different_bytes_pack_differently(a in prop::collection::vec(0u8..3, 0..16), b in prop::collection::vec(0u8..3, 0..16)) {
            if let (Key::Short(x), Key::Short(y)) = (Key::new(&a), Key::new(&b)) {
                prop_assert_eq!(x == y, a == b);
            }
        }

        #[test]
        fn a_negated_key_is_the_word_behind_a_mark(words in prop::collection::vec("[a-zß]{1,20}", 1..5)) {
            let mut keys = Keys::default();
            for word in &words {
                keys.push_negated(Key::new(word.as_bytes()));
            }
            for (place, word) in words.iter().enumerate() {
                let bytes = keys.get(place).to_vec();
                prop_assert_eq!(without_negation(&bytes), (word.as_bytes(), true));
                prop_assert_eq!(Key::of_word(&bytes).to_vec(), bytes);
            }
        }
    }
}
