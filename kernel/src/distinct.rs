//! The different features of a text and how often each is there, in the order of the text.

use crate::dictionary::UNKNOWN;

/// Scratch space that is used again for each text.
#[derive(Default)]
pub struct Distinct {
    found: Vec<(u32, u32)>,
    /// Where in `found` an id stands, if the stamp is this text's.
    places: Vec<(u32, u32)>,
    stamp: u32,
}

impl Distinct {
    /// The ids below `bound`, each with its number of occurrences; unknown ones are left out.
    #[inline]
    pub fn of(&mut self, ids: &[u32], bound: usize) -> &[(u32, u32)] {
        if self.places.len() < bound {
            self.places.resize(bound, (0, 0));
        }
        if self.stamp == u32::MAX {
            self.places.fill((0, 0));
            self.stamp = 0;
        }
        self.stamp += 1;
        self.found.resize(ids.len(), (0, 0));
        let mut len = 0;
        for &id in ids.iter().filter(|&&id| id != UNKNOWN) {
            // Whether a word was there before is anyone's guess; so no branch depends on it.
            let place = &mut self.places[id as usize];
            let fresh = place.0 != self.stamp;
            let index = if fresh { len } else { place.1 as usize };
            *place = (self.stamp, index as u32);
            let count = if fresh { 0 } else { self.found[index].1 };
            self.found[index] = (id, count + 1);
            len += usize::from(fresh);
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
