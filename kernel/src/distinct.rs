//! The different features of a text and how often each is there, in the order of the text.

use crate::dictionary::UNKNOWN;

/// Scratch space that is used again for each text. Between texts every count is zero.
#[derive(Clone, Default)]
pub struct Distinct {
    found: Vec<(u32, u32)>,
    counts: Vec<u32>,
}

impl Distinct {
    /// The ids below `bound`, each with its number of occurrences; unknown ones are left out.
    #[inline]
    pub fn of(&mut self, ids: &[u32], bound: usize) -> &[(u32, u32)] {
        if self.counts.len() <= bound {
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
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_come_once_in_order_with_their_number() {
        let mut distinct = Distinct::default();
        assert_eq!(distinct.of(&[3, 1, 3, UNKNOWN, 0, 3], 4), [(3, 3), (1, 1), (0, 1)]);
        assert_eq!(distinct.of(&[3], 4), [(3, 1)]);
        assert!(distinct.of(&[], 4).is_empty());
    }
}
