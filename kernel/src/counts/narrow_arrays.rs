//! Whole numbers in the narrowest width that holds them, as a file has them.

/// Numbers of one width.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Narrow {
    U8(Vec<u8>),
    U16(Vec<u16>),
    U32(Vec<u32>),
}

impl Narrow {
    /// So many numbers, of which `largest` is the largest.
    pub(crate) fn of(numbers: impl Iterator<Item = u32>, len: usize, largest: u32) -> Self {
        fn filled<T>(numbers: impl Iterator<Item = T>, len: usize) -> Vec<T> {
            let mut filled = Vec::with_capacity(len);
            numbers.for_each(|number| filled.push(number));
            filled
        }
        match largest {
            0..=0xff => Narrow::U8(filled(numbers.map(|number| number as u8), len)),
            0x100..=0xffff => Narrow::U16(filled(numbers.map(|number| number as u16), len)),
            _ => Narrow::U32(filled(numbers, len)),
        }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        let (bytes, words, numbers): (&[u8], &[u16], &[u32]) = match self {
            Narrow::U8(bytes) => (bytes, &[], &[]),
            Narrow::U16(words) => (&[], words, &[]),
            Narrow::U32(numbers) => (&[], &[], numbers),
        };
        let narrow = bytes.iter().map(|&number| number.into());
        narrow.chain(words.iter().map(|&number| number.into())).chain(numbers.iter().copied())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_as_wide_as_the_largest() {
        for (numbers, width) in [
            (vec![], 1),
            (vec![0, 255], 1),
            (vec![256, 0], 2),
            (vec![7, 65_535], 2),
            (vec![65_536], 4),
        ] {
            let largest = numbers.iter().copied().max().unwrap_or(0);
            let narrow = Narrow::of(numbers.iter().copied(), numbers.len(), largest);
            let found = match &narrow {
                Narrow::U8(_) => 1,
                Narrow::U16(_) => 2,
                Narrow::U32(_) => 4,
            };
            assert_eq!(found, width, "{numbers:?}");
            assert_eq!(narrow.iter().collect::<Vec<_>>(), numbers);
        }
    }
}
