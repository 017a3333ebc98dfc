//! What a feature is looked up by: its bytes, held in two registers when they fit.

use crate::hash::Hashed;

/// The bytes of a feature. Up to 15 of them travel by value, so that most words are compared
/// without following a pointer.
#[derive(Clone, Copy)]
pub enum Key<'a> {
    Short(Packed),
    Long(&'a [u8]),
}

/// Up to 15 bytes and, in the last place, how many they are. All zero means nothing.
pub type Packed = [u64; 2];

impl<'a> Key<'a> {
    /// The longest key that is packed.
    pub const SHORT: usize = 15;

    #[inline]
    pub fn new(bytes: &'a [u8]) -> Self {
        if bytes.len() > Self::SHORT {
            return Key::Long(bytes);
        }
        let mut window = [0; 16];
        window[..bytes.len()].copy_from_slice(bytes);
        Key::Short(Self::pack(&window, bytes.len()))
    }

    /// Packs the first `length` bytes, at most 15, of a window of 16.
    #[inline(always)]
    pub fn pack(window: &[u8], length: usize) -> Packed {
        let window = window.first_chunk().map_or(0, |bytes| u128::from_le_bytes(*bytes));
        let [low, high] = KEEP[length & 15];
        [window as u64 & low, ((window >> 64) as u64 & high) | (length as u64) << 56]
    }

    pub fn append_to(&self, bytes: &mut Vec<u8>) {
        match self {
            Key::Short(packed) => {
                let (window, length) = unpack(packed);
                bytes.extend_from_slice(&window[..length]);
            }
            Key::Long(long) => bytes.extend_from_slice(long),
        }
    }

    pub fn to_vec(self) -> Vec<u8> {
        let mut bytes = Vec::new();
        self.append_to(&mut bytes);
        bytes
    }
}

impl Hashed for Packed {
    const EMPTY: Self = [0, 0];

    #[inline(always)]
    fn words(self) -> [u64; 2] {
        self
    }
}

fn unpack(packed: &Packed) -> ([u8; 16], usize) {
    let window = (packed[0] as u128 | (packed[1] as u128) << 64).to_le_bytes();
    (window, usize::from(window[15]))
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
            prop_assert_eq!(Key::new(&bytes).to_vec(), bytes);
        }

        #[test]
        fn different_bytes_pack_differently(a in prop::collection::vec(0u8..3, 0..16), b in prop::collection::vec(0u8..3, 0..16)) {
            if let (Key::Short(x), Key::Short(y)) = (Key::new(&a), Key::new(&b)) {
                prop_assert_eq!(x == y, a == b);
            }
        }
    }
}
