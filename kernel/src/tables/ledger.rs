//! Which rows were learned: a 64-bit hash of each, kept as a sorted list with repeats.
//!
//! A row's hash is a chain. It begins with the hash of the label; each column continues it with its
//! own bytes. By default the chain is XXH3, the same everywhere, so that equal rows give equal
//! files; whoever holds such a file can test whether a row they guess was learned. Under a secret
//! the chain is keyed BLAKE3, and only the secret's holder can.

use crate::error::{Error, Result};
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// How rows are hashed.
#[derive(Clone)]
pub(crate) enum Chain {
    Open,
    Keyed(Box<[u8; 32]>),
}

impl Chain {
    pub(crate) fn new(secret: Option<&[u8]>) -> Self {
        match secret {
            None => Chain::Open,
            Some(secret) => Chain::Keyed(Box::new(blake3::derive_key("likely row ledger", secret))),
        }
    }

    /// Continues the chain of each row with its text.
    pub(crate) fn rows(&self, links: &[u64], texts: &[&str], threads: usize) -> Vec<u64> {
        let rows: Vec<(u64, &str)> = links.iter().copied().zip(texts.iter().copied()).collect();
        let shares = crate::parallel::shares(&rows, |(_, text)| text.len() + 8, threads);
        let hash = |&(link, text): &(u64, &str)| self.next(link, text.as_bytes());
        crate::parallel::each(shares, |share| share.iter().map(hash).collect::<Vec<u64>>()).concat()
    }

    /// Continues the chain of each row with its numbers, `columns` of them, as their bytes.
    pub(crate) fn numbers(
        &self,
        links: &[u64],
        values: &[f64],
        columns: usize,
        threads: usize,
    ) -> Vec<u64> {
        if columns == 0 {
            return links.to_vec();
        }
        let rows: Vec<(u64, &[f64])> = links.iter().copied().zip(values.chunks(columns)).collect();
        let shares = crate::parallel::shares(&rows, |_| 1, threads);
        crate::parallel::each(shares, |share| {
            let mut bytes = vec![0; columns * 8];
            let mut hash = |&(link, row): &(u64, &[f64])| {
                for (bytes, &x) in bytes.chunks_mut(8).zip(row) {
                    // Zero has one sign here, and whatever is missing one spelling.
                    let x = if x.is_nan() { f64::NAN } else { x + 0.0 };
                    bytes.copy_from_slice(&x.to_le_bytes());
                }
                self.next(link, &bytes)
            };
            share.iter().map(&mut hash).collect::<Vec<u64>>()
        })
        .concat()
    }

    /// Continues a chain with some bytes.
    pub(crate) fn next(&self, link: u64, bytes: &[u8]) -> u64 {
        match self {
            Chain::Open => xxh3_64_with_seed(bytes, link),
            Chain::Keyed(key) => {
                let mut hasher = blake3::Hasher::new_keyed(key);
                hasher.update(&link.to_le_bytes()).update(bytes);
                let hash = hasher.finalize();
                hash.as_bytes().first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes))
            }
        }
    }
}

/// Takes `rows` out of a sorted ledger, each once. Refused, naming the place of one that is not (or
/// no longer) there.
pub(crate) fn subtract(ledger: &[u64], rows: &[u64]) -> Result<Vec<u64>> {
    let mut left = Vec::with_capacity(ledger.len().saturating_sub(rows.len()));
    each_of(ledger, rows, |before| left.extend_from_slice(before))?;
    Ok(left)
}

/// Refuses rows that are not in a sorted ledger, as often as they are given.
pub(crate) fn check(ledger: &[u64], rows: &[u64]) -> Result<()> {
    each_of(ledger, rows, |_| ())
}

/// Finds each of `rows` in a sorted ledger, and gives what stands between them to `keep`.
fn each_of(ledger: &[u64], rows: &[u64], mut keep: impl FnMut(&[u64])) -> Result<()> {
    let mut order: Vec<usize> = (0..rows.len()).collect();
    order.sort_unstable_by_key(|&row| (rows[row], row));
    let (mut rest, mut strange) = (ledger, None);
    for row in order {
        let before = rest.partition_point(|&hash| hash < rows[row]);
        keep(&rest[..before]);
        rest = &rest[before..];
        match rest.first() {
            Some(&hash) if hash == rows[row] => rest = &rest[1..],
            _ => strange = strange.into_iter().chain([row]).min(),
        }
    }
    if let Some(row) = strange {
        let what =
            format!("row {} was never learned under this label, or was forgotten already", row + 1);
        return Err(Error::NotLearned { what });
    }
    keep(rest);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_ledger_is_a_multiset(a in prop::collection::vec(0u64..20, 0..30), b in prop::collection::vec(0u64..20, 0..30)) {
            let mut first = a.clone();
            first.sort_unstable();
            let mut both = [a, b.clone()].concat();
            both.sort_unstable();
            prop_assert!(check(&both, &b).is_ok());
            prop_assert_eq!(subtract(&both, &b).unwrap(), first);
        }
    }

    #[test]
    fn a_row_is_forgotten_only_as_often_as_it_was_learned() {
        let ledger = [5, 7, 7];
        assert_eq!(subtract(&ledger, &[7, 7]), Ok(vec![5]));
        let refused = subtract(&ledger, &[7, 7, 7]);
        assert!(matches!(refused, Err(Error::NotLearned { what }) if what.starts_with("row 3 ")));
    }

    #[test]
    fn of_rows_that_were_never_learned_the_first_is_named() {
        let refused = check(&[5, 7], &[7, 9, 5, 1]);
        assert!(matches!(refused, Err(Error::NotLearned { what }) if what.starts_with("row 2 ")));
    }

    #[test]
    fn zeros_and_gaps_have_one_hash() {
        let hash = |x: f64| Chain::new(None).numbers(&[7], &[1.0, x], 2, 1);
        assert_eq!(hash(0.0), hash(-0.0));
        assert_eq!(hash(f64::NAN), hash(f64::from_bits(f64::NAN.to_bits() | 1 << 63 | 5)));
        assert_ne!(hash(f64::NAN), hash(0.0));
        assert_ne!(hash(1.0), hash(1.0f64.next_up()));
    }

    #[test]
    fn the_open_chain_is_plain_xxh3_and_the_keyed_one_depends_on_its_secret() {
        // XXH3-64 of the empty input with seed 0, from the algorithm's published test vectors.
        assert_eq!(Chain::new(None).next(0, b""), 0x2d06_8005_38d3_94c2);
        let hash = |secret: &[u8]| Chain::new(Some(secret)).next(1, b"row");
        assert_ne!(hash(b"one"), hash(b"two"));
        assert_ne!(hash(b"one"), Chain::new(None).next(1, b"row"));
        assert_ne!(hash(b"one"), Chain::new(Some(b"one")).next(2, b"row"));
    }
}
