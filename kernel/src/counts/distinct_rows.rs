//! Rows of counts, each written down once.
//!
//! Millions of features have the same counts: most were seen once, in one class. So a feature has a
//! small number, its code, and each different row of counts is kept once. What is estimated from a row is
//! estimated once for all features that have it.

use crate::counts::class_counts::Count;
use crate::dictionary::hash_table::mixed;
use std::sync::Arc;

/// The code of a feature that has no counts.
pub(crate) const NOTHING: u32 = 0;

/// So many codes are copied together when one of them changes.
const CHUNK: usize = 1 << 12;

/// After so many rows it shows whether they repeat.
const TRIED: usize = 1 << 14;

/// The code of each feature, by id. Copies share what has not changed since.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct RowCodes {
    chunks: Vec<Arc<[u32; CHUNK]>>,
    len: usize,
}

impl RowCodes {
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// The code of a feature; [`NOTHING`] if there is no such feature.
    #[inline(always)]
    pub(crate) fn get(&self, id: u32) -> u32 {
        let chunk = self.chunks.get(id as usize / CHUNK);
        chunk.map_or(NOTHING, |chunk| chunk[id as usize % CHUNK])
    }

    /// Makes room for ids below `len`.
    pub(crate) fn extend_to(&mut self, len: usize) {
        let nothing = Arc::new([NOTHING; CHUNK]);
        self.chunks.resize(self.chunks.len().max(len.div_ceil(CHUNK)), nothing);
        self.len = self.len.max(len);
    }

    /// Writes the code of a feature and returns the one that it had.
    pub(crate) fn replace(&mut self, id: u32, code: u32) -> u32 {
        let chunk = Arc::make_mut(&mut self.chunks[id as usize / CHUNK]);
        std::mem::replace(&mut chunk[id as usize % CHUNK], code)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.chunks.iter().flat_map(|chunk| chunk.iter().copied()).take(self.len)
    }

    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = &mut u32> {
        self.chunks.iter_mut().flat_map(Arc::make_mut).take(self.len)
    }
}

impl FromIterator<u32> for RowCodes {
    fn from_iter<I: IntoIterator<Item = u32>>(codes: I) -> Self {
        let mut made = RowCodes::default();
        let mut codes = codes.into_iter();
        loop {
            let (mut chunk, mut filled) = ([NOTHING; CHUNK], 0);
            for (place, code) in chunk.iter_mut().zip(codes.by_ref()) {
                *place = code;
                filled += 1;
            }
            if filled == 0 {
                return made;
            }
            made.len += filled;
            made.chunks.push(Arc::new(chunk));
        }
    }
}

/// Rows one after another, each with rising classes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct CountRows {
    /// Where each row ends.
    pub(crate) ends: Vec<usize>,
    pub(crate) counts: Vec<Count>,
}

impl CountRows {
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    #[inline(always)]
    pub(crate) fn get(&self, place: usize) -> &[Count] {
        let start = place.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.counts[start..self.ends[place]]
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &[Count]> {
        (0..self.len()).map(|place| self.get(place))
    }

    pub(crate) fn push(&mut self, row: impl IntoIterator<Item = Count>) {
        self.counts.extend(row);
        self.ends.push(self.counts.len());
    }
}

/// The rows of counts that features have: [`NOTHING`] is the empty row, and rows may stand more than once.
#[derive(Clone)]
pub(crate) struct DistinctRows {
    base: Arc<CountRows>,
    /// Rows that came since.
    added: CountRows,
    /// How many features have each row.
    users: Vec<u32>,
}

impl Default for DistinctRows {
    fn default() -> Self {
        let mut base = CountRows::default();
        base.push([]);
        DistinctRows { base: Arc::new(base), added: CountRows::default(), users: vec![0] }
    }
}

impl DistinctRows {
    /// These rows, which nobody has yet, from code 1 on.
    pub(crate) fn of(rows: CountRows) -> Self {
        let mut base = CountRows { ends: vec![0], counts: rows.counts };
        base.ends.extend_from_slice(&rows.ends);
        DistinctRows {
            users: vec![0; base.len()],
            base: Arc::new(base),
            added: CountRows::default(),
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.users.len()
    }

    #[inline(always)]
    pub(crate) fn row(&self, code: u32) -> &[Count] {
        let code = code as usize;
        match code.checked_sub(self.base.len()) {
            None => self.base.get(code),
            Some(added) => self.added.get(added),
        }
    }

    /// Every row, with how many features have it.
    pub(crate) fn rows(&self) -> impl Iterator<Item = (&[Count], u32)> {
        self.base.iter().chain(self.added.iter()).zip(self.users.iter().copied())
    }

    /// How many features have a row that is not empty.
    pub(crate) fn live(&self) -> usize {
        self.users.iter().skip(1).map(|&users| users as usize).sum()
    }

    /// How many features have each row.
    pub(crate) fn users(&self) -> &[u32] {
        &self.users
    }

    pub(crate) fn users_mut(&mut self) -> &mut [u32] {
        &mut self.users
    }

    /// Adds a row, which nobody has yet, and returns its code.
    pub(crate) fn push(&mut self, row: &[Count]) -> u32 {
        if row.is_empty() {
            return NOTHING;
        }
        self.added.push(row.iter().copied());
        self.users.push(0);
        self.users.len() as u32 - 1
    }

    /// Whether so much came since that it is time to [`DistinctRows::gather`].
    pub(crate) fn is_long(&self) -> bool {
        self.added.len() > TRIED.max(self.base.len() / 4)
    }
}

/// Writes rows down, each once, and gives them codes.
pub(crate) struct RowWriter {
    distinct_rows: DistinctRows,
    rows: CountRows,
    /// RowCodes by the hash of their rows; [`NOTHING`] where there is none.
    slots: Vec<u32>,
    asked: usize,
}

impl Default for RowWriter {
    fn default() -> Self {
        let mut rows = CountRows::default();
        rows.push([]);
        RowWriter {
            distinct_rows: DistinctRows::default(),
            rows,
            slots: vec![NOTHING; 1 << 10],
            asked: 0,
        }
    }
}

impl RowWriter {
    /// The code of a row, which one feature more has now.
    pub(crate) fn write(&mut self, row: &[Count]) -> u32 {
        let code = self.code(row);
        self.used(code);
        code
    }

    /// The code of a row; that somebody has it is noted by [`RowWriter::used`].
    pub(crate) fn code(&mut self, row: &[Count]) -> u32 {
        if row.is_empty() { NOTHING } else { self.find_or_push(row) }
    }

    pub(crate) fn used(&mut self, code: u32) {
        self.distinct_rows.users[code as usize] += 1;
    }

    fn find_or_push(&mut self, row: &[Count]) -> u32 {
        self.asked += 1;
        // Of rows of fractional counts hardly two are alike: then it is not worth the while to look.
        let repeats = self.asked < TRIED || self.rows.len() < self.asked - self.asked / 16;
        let mut place = self.place(row);
        while repeats && self.slots[place] != NOTHING {
            if self.rows.get(self.slots[place] as usize) == row {
                return self.slots[place];
            }
            place = (place + 1) & (self.slots.len() - 1);
        }
        let code = self.rows.len() as u32;
        self.rows.push(row.iter().copied());
        self.distinct_rows.users.push(0);
        if repeats {
            self.slots[place] = code;
            if self.rows.len() * 2 > self.slots.len() {
                self.grow();
            }
        }
        code
    }

    fn place(&self, row: &[Count]) -> usize {
        let mix = |hash: u64, count: &Count| {
            let both = [hash ^ count.occurrences, count.documents << 32 ^ u64::from(count.class)];
            mixed(both)
        };
        row.iter().fold(row.len() as u64, mix) as usize & (self.slots.len() - 1)
    }

    fn grow(&mut self) {
        self.slots = vec![NOTHING; self.slots.len() * 4];
        for code in 1..self.rows.len() {
            let mut place = self.place(self.rows.get(code));
            while self.slots[place] != NOTHING {
                place = (place + 1) & (self.slots.len() - 1);
            }
            self.slots[place] = code as u32;
        }
    }

    pub(crate) fn finish(self) -> DistinctRows {
        DistinctRows { base: Arc::new(self.rows), ..self.distinct_rows }
    }
}
