//! The different features of a text and how often each is there, in the order of the text.

use crate::dictionary::feature_ids::UNKNOWN;
use crate::dictionary::hash_table::mixed;

/// To clear a place for each of so many features costs about as much as to find one in a small table.
const PLACES_PER_ID: usize = 8;

/// Scratch space that is used again for each text. Between texts every count and place is zero.
#[derive(Clone, Default)]
pub(crate) struct Distinct {
    found: Vec<(u32, u32)>,
    /// A count for each feature there is, once enough texts have come to pay for it.
    counts: Vec<u32>,
    /// Until then, a small table: places in `found`, counted from 1, by the hash of their ids.
    places: Vec<u32>,
    /// How many ids were found there.
    looked_up: usize,
}

impl Distinct {
    /// The ids below `bound`, each with its number of occurrences; unknown ones are left out.
    #[inline]
    pub(crate) fn of(&mut self, ids: &[u32], bound: usize) -> &[(u32, u32)] {
        if self.counts.len() <= bound {
            self.looked_up += ids.len();
            if self.looked_up < bound / PLACES_PER_ID {
                return self.of_few(ids);
            }
            self.counts.resize(bound + 1, 0);
        }
        // Unknown ids share the last place. Whether a word was there before is anyone's guess, so no
        // branch depends on it: all occurrences are counted, and the first of each takes the count.
        let last = self.counts.len() - 1;
        for &id in ids {
            self.counts[(id as usize).min(last)] += 1;
        }
        self.found.resize(ids.len(), (0, 0));
        let mut len = 0;
        for &id in ids {
            let count = std::mem::take(&mut self.counts[(id as usize).min(last)]);
            self.found[len] = (id, count);
            len += usize::from((count != 0) & (id != UNKNOWN));
        }
        self.found.truncate(len);
        &self.found
    }

    /// The same, at a cost that depends on the text alone.
    #[inline(never)]
    fn of_few(&mut self, ids: &[u32]) -> &[(u32, u32)] {
        let size = (ids.len() * 2).next_power_of_two();
        self.places.resize(self.places.len().max(size), 0);
        let places = &mut self.places[..size];
        self.found.clear();
        for &id in ids.iter().filter(|&&id| id != UNKNOWN) {
            let mut home = mixed([id.into(), 0]) as usize;
            loop {
                let place = &mut places[home & (size - 1)];
                match self.found.get_mut((*place as usize).wrapping_sub(1)) {
                    None => {
                        self.found.push((id, 1));
                        *place = self.found.len() as u32;
                        break;
                    }
                    Some((other, count)) if *other == id => {
                        *count += 1;
                        break;
                    }
                    Some(_) => home += 1,
                }
            }
        }
        places.fill(0);
        &self.found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn ids_come_once_in_order_with_their_number() {
        let mut distinct = Distinct::default();
        assert_eq!(distinct.of(&[3, 1, 3, UNKNOWN, 0, 3], 4), [(3, 3), (1, 1), (0, 1)]);
        assert_eq!(distinct.of(&[3], 4), [(3, 1)]);
        assert!(distinct.of(&[], 4).is_empty());
    }

    proptest! {
        #[test]
        fn few_texts_and_many_are_told_alike(texts in prop::collection::vec(prop::collection::vec(0u32..70, 0..99), 1..9)) {
            let (mut few, mut many) = (Distinct::default(), Distinct::default());
            for text in texts {
                let ids: Vec<u32> = text.iter().map(|&id| if id > 64 { UNKNOWN } else { id }).collect();
                prop_assert_eq!(few.of(&ids, usize::MAX / 2), many.of(&ids, 65));
            }
        }
    }
}
