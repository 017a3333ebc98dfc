//! ASCII text as bit masks: where words start and end, 64 bytes at a time.

use wide::u8x16;

/// Bytes of zero kept behind a line, so that 64 bytes can be read from any block
/// and 16 from any position.
const PADDING: usize = 64;

/// ASCII white space, the vertical tab included.
#[inline]
pub fn is_space(byte: u8) -> bool {
    byte == b' ' || (b'\t'..=b'\r').contains(&byte)
}

/// Copies ASCII `bytes` into `line`, lower-cased if asked, and pads it with zeros to whole blocks.
#[inline]
pub fn padded_line(bytes: &[u8], lowercase: bool, line: &mut Vec<u8>) {
    line.clear();
    line.extend_from_slice(bytes);
    if lowercase {
        line.make_ascii_lowercase();
    }
    line.resize(bytes.len().next_multiple_of(64) + PADDING, 0);
}

/// One bit per byte of a 64-byte block, the first byte lowest.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Masks {
    letter: u64,
    digit: u64,
    underscore: u64,
    /// `'` `.` `:` make one word of the two letters around them.
    joins_letters: u64,
    /// `'` `.` `,` `;` make one number of the two digits around them.
    joins_digits: u64,
}

/// The alternating starts and ends of the words of a line.
#[derive(Default)]
pub struct Edges {
    positions: Vec<u32>,
}

impl Edges {
    /// Finds the words of an ASCII `line` made by [`padded_line`].
    #[inline]
    pub fn find(&mut self, line: &[u8]) {
        self.find_words(line, u64::MAX);
    }

    /// Finds the runs of letters, digits and `_`; nothing joins two of them.
    #[inline]
    pub fn find_runs(&mut self, line: &[u8]) {
        self.find_words(line, 0);
    }

    #[inline(always)]
    fn find_words(&mut self, line: &[u8], joins: u64) {
        self.positions.clear();
        let mut before = Masks::default();
        let mut in_word = 0;
        let mut here = Masks::default();
        for (index, block) in line.as_chunks::<64>().0.iter().enumerate() {
            let after = masks(block);
            if index > 0 {
                in_word = self.block(index - 1, before, here, after, in_word, joins);
            }
            before = here;
            here = after;
        }
        // The last block is padding: no word begins there, but one may end at its first byte.
        if in_word == 1 {
            self.positions.push((line.len() - PADDING) as u32);
        }
    }

    #[inline(always)]
    fn block(
        &mut self,
        index: usize,
        before: Masks,
        here: Masks,
        after: Masks,
        in_word: u64,
        joins: u64,
    ) -> u64 {
        let between = |mask: fn(&Masks) -> u64| {
            let previous = (mask(&here) << 1) | (mask(&before) >> 63);
            let next = (mask(&here) >> 1) | (mask(&after) << 63);
            previous & next
        };
        let word = here.letter
            | here.digit
            | here.underscore
            | (here.joins_letters & between(|masks| masks.letter) & joins)
            | (here.joins_digits & between(|masks| masks.digit) & joins);
        let mut edges = word ^ ((word << 1) | in_word);
        let base = (index * 64) as u32;
        let count = edges.count_ones() as usize;
        // Writing eight at a time and cutting back spares a branch per edge.
        let length = self.positions.len();
        self.positions.resize(length + count.next_multiple_of(8), 0);
        for eight in self.positions[length..].as_chunks_mut::<8>().0 {
            for position in eight {
                *position = base + edges.trailing_zeros();
                edges &= edges.wrapping_sub(1);
            }
        }
        self.positions.truncate(length + count);
        word >> 63
    }

    /// Start and end of each word.
    #[inline]
    pub fn pairs(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        let (pairs, _) = self.positions.as_chunks::<2>();
        pairs.iter().map(|&[start, end]| (start as usize, end as usize))
    }
}

#[inline(always)]
fn masks(block: &[u8; 64]) -> Masks {
    let mut all = Masks::default();
    for (part, bytes) in block.as_chunks::<16>().0.iter().enumerate() {
        let text = u8x16::new(*bytes);
        let bits = |hits: u8x16| u64::from(hits.to_bitmask()) << (16 * part);
        let is = |byte: u8| text.simd_eq(u8x16::splat(byte));
        let within = |value: u8x16, first: u8, last: u8| {
            let offset = value - u8x16::splat(first);
            offset.min(u8x16::splat(last - first)).simd_eq(offset)
        };
        let both = is(b'\'') | is(b'.');
        all.letter |= bits(within(text | u8x16::splat(0x20), b'a', b'z'));
        all.digit |= bits(within(text, b'0', b'9'));
        all.underscore |= bits(is(b'_'));
        all.joins_letters |= bits(both | is(b':'));
        all.joins_digits |= bits(both | is(b',') | is(b';'));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The same masks, a byte at a time.
    fn plain_masks(block: &[u8; 64]) -> Masks {
        let bits = |test: fn(u8) -> bool| {
            (0..64).fold(0, |mask, place| mask | u64::from(test(block[place])) << place)
        };
        Masks {
            letter: bits(|byte| byte.is_ascii_alphabetic()),
            digit: bits(|byte| byte.is_ascii_digit()),
            underscore: bits(|byte| byte == b'_'),
            joins_letters: bits(|byte| matches!(byte, b'\'' | b'.' | b':')),
            joins_digits: bits(|byte| matches!(byte, b'\'' | b'.' | b',' | b';')),
        }
    }

    proptest! {
        #[test]
        fn vector_masks_equal_plain_masks(block in prop::collection::vec(0u8..128, 64)) {
            let block: [u8; 64] = block.try_into().unwrap();
            let (fast, plain) = (masks(&block), plain_masks(&block));
            prop_assert_eq!(fast, plain);
        }
    }
}
