//! ASCII text as bit masks: where words start and end, 64 bytes at a time.

use wide::{i8x16, i32x4, u8x16};

/// Bytes of zero kept behind a line, so that 64 bytes can be read from any block
/// and 16 from any position.
const PADDING: usize = 64;

/// ASCII white space, the vertical tab included.
#[inline]
pub(crate) fn is_space(byte: u8) -> bool {
    byte == b' ' || (b'\t'..=b'\r').contains(&byte)
}

/// Copies ASCII `bytes` into `line`, lower-cased if asked, and pads it with zeros to whole blocks.
#[inline]
pub(crate) fn padded_line(bytes: &[u8], lowercase: bool, line: &mut Vec<u8>) {
    line.clear();
    line.extend_from_slice(bytes);
    if lowercase {
        line.make_ascii_lowercase();
    }
    line.extend_from_slice(&[0; 64 + PADDING]);
    line.truncate(bytes.len().next_multiple_of(64) + PADDING);
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
    /// `.`, with signs.
    stop: u64,
    /// What is seen but is no letter, digit or `_`. Only looked for if punctuation is wanted.
    sign: u64,
    /// The same byte follows. Only looked for with signs.
    twice: u64,
}

/// Where the words of a line start and end.
#[derive(Default)]
pub(crate) struct Edges {
    /// Words alone: starts and ends in turn. With punctuation: starts.
    positions: Vec<u32>,
    /// With punctuation: ends.
    ends: Vec<u32>,
    /// With punctuation: whether a word begins with `_`.
    underscored: bool,
    /// With punctuation: which words, by their number, hold `.`, or the same letter three times in a row.
    odd: Vec<u32>,
    /// With punctuation: whether there is a newline.
    has_lines: bool,
}

impl Edges {
    /// Finds the words of an ASCII `line` made by [`padded_line`], and if `SIGNS`, every sign that is
    /// no part of one.
    #[inline]
    pub(crate) fn find<const SIGNS: bool>(&mut self, line: &[u8]) {
        self.find_words::<SIGNS>(line, u64::MAX);
    }

    /// Finds the runs of letters, digits and `_`; nothing joins two of them.
    #[inline]
    pub(crate) fn find_runs(&mut self, line: &[u8]) {
        self.find_words::<false>(line, 0);
    }

    #[inline(always)]
    fn find_words<const SIGNS: bool>(&mut self, line: &[u8], joins: u64) {
        self.positions.clear();
        self.ends.clear();
        self.odd.clear();
        self.underscored = false;
        let mut newlines = i8x16::ZERO;
        let mut before = Masks::default();
        let mut open = 0;
        let mut here = Masks::default();
        let padded = line.len() - PADDING;
        for (index, block) in line.as_chunks::<64>().0.iter().enumerate() {
            let mut after = masks::<SIGNS>(block, &mut newlines);
            if SIGNS && 64 * index < padded {
                after.twice = twice(&line[64 * index..64 * index + 65]);
            }
            if index > 0 {
                open = self.block::<SIGNS>(index - 1, before, here, after, open, joins);
            }
            before = here;
            here = after;
        }
        self.has_lines = newlines.any();
        // The last block is padding: nothing begins there, but a token may end at its first byte.
        if open > 0 {
            let ends = if SIGNS { &mut self.ends } else { &mut self.positions };
            ends.push((line.len() - PADDING) as u32);
        }
    }

    /// The edges in one block. What is open at its end, or was before it, is a word (1), a sign (2) or
    /// nothing.
    #[inline(always)]
    fn block<const SIGNS: bool>(
        &mut self,
        index: usize,
        before: Masks,
        here: Masks,
        after: Masks,
        open: u64,
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
        let base = (index * 64) as u32;
        let after_word = (word << 1) | (open & 1);
        if !SIGNS {
            let edges = word ^ after_word;
            push_places(&mut self.positions, base, edges, edges.count_ones() as usize);
            return word >> 63;
        }
        let sign = here.sign & !word;
        let after_sign = (sign << 1) | (open >> 1);
        let starts = (word & !after_word) | sign;
        let thrice = here.twice & ((here.twice >> 1) | (after.twice << 63));
        self.underscored |= starts & here.underscore != 0;
        self.push_odd(starts, word & (here.stop | (thrice & here.letter)));
        let open_after = (word >> 63) | (sign >> 63) << 1;
        let count = starts.count_ones() as usize;
        let ended = count + usize::from(open > 0) - usize::from(open_after > 0);
        push_places(&mut self.positions, base, starts, count);
        let ends = (!word & after_word) | after_sign;
        push_places(&mut self.ends, base, ends, ended);
        open_after
    }

    /// Notes the tokens that hold the bits of `odd`, given where tokens start in a block.
    #[inline(always)]
    fn push_odd(&mut self, starts: u64, mut odd: u64) {
        while odd != 0 {
            let up_to = odd ^ (odd - 1);
            let begun = self.positions.len() as u32 + (starts & up_to).count_ones();
            self.odd.push(begun - 1);
            odd &= !up_to;
        }
    }

    /// Start and end of each word.
    #[inline]
    pub(crate) fn pairs(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        let (pairs, _) = self.positions.as_chunks::<2>();
        pairs.iter().map(|&[start, end]| (start as usize, end as usize))
    }

    /// With signs: where each word and sign starts, and where it ends.
    pub(crate) fn with_signs(&self) -> (&[u32], &[u32]) {
        (&self.positions, &self.ends)
    }

    /// Gives away where words and signs start and end, and takes the room of these lists.
    pub(crate) fn swap(&mut self, starts: &mut Vec<u32>, ends: &mut Vec<u32>) {
        std::mem::swap(&mut self.positions, starts);
        std::mem::swap(&mut self.ends, ends);
    }

    /// With signs: whether there is a newline.
    pub(crate) fn has_lines(&self) -> bool {
        self.has_lines
    }

    /// With signs: whether a word begins with `_`.
    pub(crate) fn underscored(&self) -> bool {
        self.underscored
    }

    /// With signs: the numbers of words that hold `.`, or the same letter three times in a row.
    pub(crate) fn odd(&self) -> &[u32] {
        &self.odd
    }
}

/// A list as blocks of 64; it grows to whole ones.
#[inline(always)]
pub(crate) fn padded<T: Copy + Default>(list: &mut Vec<T>) -> &[[T; 64]] {
    let length = list.len().next_multiple_of(64);
    list.extend_from_slice(&[T::default(); 64]);
    list.truncate(length);
    list.as_chunks().0
}

/// The places whose bits are set. `bits` gives those of a block, told by its number.
#[inline(always)]
pub(crate) fn places<T>(
    blocks: &[[T; 64]],
    places: &mut Vec<u32>,
    mut bits: impl FnMut(usize, &[T; 64]) -> u64,
) {
    places.clear();
    for (number, block) in blocks.iter().enumerate() {
        let bits = bits(number, block);
        push_places(places, 64 * number as u32, bits, bits.count_ones() as usize);
    }
}

/// A bit for each byte that has any of `bits`.
#[inline(always)]
pub(crate) fn any_of(bytes: &[u8; 64], bits: u8) -> u64 {
    let mut mask = 0;
    for (part, bytes) in bytes.as_chunks::<16>().0.iter().enumerate() {
        let none = (u8x16::new(*bytes) & u8x16::splat(bits)).simd_eq(u8x16::ZERO);
        mask |= u64::from(!none.to_bitmask() as u16) << (16 * part);
    }
    mask
}

/// A bit for each number whose highest bit is set.
#[inline(always)]
pub(crate) fn highest(numbers: &[u32; 64]) -> u64 {
    let mut mask = 0;
    for (part, four) in numbers.as_chunks::<4>().0.iter().enumerate() {
        let four = i32x4::new(four.map(|number| number as i32));
        mask |= u64::from(four.to_bitmask()) << (4 * part);
    }
    mask
}

/// Appends `base` + the place of every bit, of which there are `count`. Writing eight at a time and cutting
/// back spares a branch per bit.
#[inline(always)]
fn push_places(places: &mut Vec<u32>, base: u32, mut bits: u64, count: usize) {
    let length = places.len() + count;
    while places.len() < length {
        let eight: [u32; 8] = std::array::from_fn(|_| {
            let place = base + bits.trailing_zeros();
            bits &= bits.wrapping_sub(1);
            place
        });
        places.extend_from_slice(&eight);
    }
    places.truncate(length);
}

/// A bit for each byte that is followed by itself; the block comes with the byte after it.
#[inline(always)]
fn twice(block: &[u8]) -> u64 {
    let mut twice = 0;
    for part in 0..4 {
        let (Some(here), Some(next)) =
            (block[16 * part..].first_chunk(), block[16 * part + 1..].first_chunk())
        else {
            continue;
        };
        let same = u8x16::new(*here).simd_eq(u8x16::new(*next));
        twice |= u64::from(same.to_bitmask()) << (16 * part);
    }
    twice
}

/// The masks of a block. Newlines are added to those that were seen, if signs are looked for.
#[inline(always)]
fn masks<const SIGNS: bool>(block: &[u8; 64], newlines: &mut i8x16) -> Masks {
    let mut all = Masks::default();
    for (part, bytes) in block.as_chunks::<16>().0.iter().enumerate() {
        let text = i8x16::new(bytes.map(|byte| byte as i8));
        let bits = |hits: i8x16| u64::from(hits.to_bitmask()) << (16 * part);
        let is = |byte: u8| text.simd_eq(i8x16::splat(byte as i8));
        // Of ASCII, what is above `last` turns negative when `last` is made the highest number.
        let within = |text: i8x16, first: u8, last: u8| {
            let lift = i8::MAX - last as i8;
            (text + i8x16::splat(lift)).simd_gt(i8x16::splat(first as i8 + lift - 1))
        };
        let stop = is(b'.');
        let both = is(b'\'') | stop;
        all.letter |= bits(within(text | i8x16::splat(0x20), b'a', b'z'));
        all.digit |= bits(within(text, b'0', b'9'));
        all.underscore |= bits(is(b'_'));
        all.joins_letters |= bits(both | is(b':'));
        all.joins_digits |= bits(both | is(b',') | is(b';'));
        if SIGNS {
            *newlines |= is(b'\n');
            all.stop |= bits(stop);
            all.sign |= bits(within(text, b'!', b'~'));
        }
    }
    all.sign &= !(all.letter | all.digit | all.underscore);
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
            stop: bits(|byte| byte == b'.'),
            sign: bits(|byte| byte.is_ascii_punctuation() && byte != b'_'),
            twice: 0,
        }
    }

    proptest! {
        #[test]
        fn vector_masks_equal_plain_masks(block in prop::collection::vec(0u8..128, 64)) {
            let block: [u8; 64] = block.try_into().unwrap();
            let plain = plain_masks(&block);
            let mut newlines = i8x16::ZERO;
            prop_assert_eq!(masks::<true>(&block, &mut newlines), plain);
            prop_assert_eq!(newlines.any(), block.contains(&b'\n'));
            prop_assert_eq!(masks::<false>(&block, &mut newlines), Masks { stop: 0, sign: 0, ..plain });
        }

        #[test]
        fn places_of_bits_are_found(bytes in prop::collection::vec(0u8..8, 0..200), bits in 0u8..8) {
            let mut found = vec![7];
            places(padded(&mut bytes.clone()), &mut found, |_, block| any_of(block, bits));
            let plain = (0..bytes.len() as u32).filter(|&place| bytes[place as usize] & bits != 0);
            prop_assert_eq!(found, plain.collect::<Vec<u32>>());
        }

        #[test]
        fn places_of_high_numbers_are_found(numbers in prop::collection::vec(any::<u32>(), 0..200)) {
            let mut found = Vec::new();
            places(padded(&mut numbers.clone()), &mut found, |_, block| highest(block));
            let plain = (0..numbers.len() as u32).filter(|&place| numbers[place as usize] >> 31 == 1);
            prop_assert_eq!(found, plain.collect::<Vec<u32>>());
        }

        #[test]
        fn a_byte_twice_is_seen(block in prop::collection::vec(0u8..3, 65)) {
            let plain = |place: usize| u64::from(block[place] == block[place + 1]) << place;
            prop_assert_eq!(twice(&block), (0..64).map(plain).sum::<u64>());
        }
    }
}
