//! The text tally: how often each feature was seen in each class, and in how many documents.
//!
//! A [`Counter`] counts, and is nobody else's meanwhile. What comes of it, [`TextCounts`], is a value: it
//! never changes, sums and differences are new ones, and these share with it whatever stayed the same.

use crate::counts::class_counts::{ClassCounts, Count};
use crate::counts::distinct_rows::{DistinctRows, NOTHING, RowCodes, RowWriter};
use crate::counts::features::Features;
use crate::counts::row_classes::{by_class, check_classes};
use crate::dictionary::feature_ids::{Dictionary, UNKNOWN};
use crate::error::{Error, Result};
use crate::text::feature_reader::Reader;
use crate::text::reading::{FeatureKind, Reading};

/// Token totals and document counts, per class and feature. Exact, sparse, additive.
///
/// Classes are small numbers here; what they stand for is the caller's business.
#[derive(Clone)]
pub struct TextCounts {
    features: Features,
    classes: usize,
    blocks: Vec<BlockCounts>,
}

/// The counts of one block of features.
#[derive(Clone)]
pub struct BlockCounts {
    codes: RowCodes,
    distinct_rows: DistinctRows,
    /// Per class: the occurrences of all features, and in how many documents, summed over features.
    pub occurrences: Vec<u64>,
    pub documents: Vec<u64>,
}

impl BlockCounts {
    pub(crate) fn new(codes: RowCodes, distinct_rows: DistinctRows, classes: usize) -> Self {
        let mut block = BlockCounts {
            codes,
            distinct_rows,
            occurrences: vec![0; classes],
            documents: vec![0; classes],
        };
        for (row, users) in block.distinct_rows.rows() {
            for count in row {
                block.occurrences[count.class as usize] += count.occurrences * u64::from(users);
                block.documents[count.class as usize] += count.documents * u64::from(users);
            }
        }
        block
    }

    pub(crate) fn codes(&self) -> &RowCodes {
        &self.codes
    }

    pub(crate) fn distinct_rows(&self) -> &DistinctRows {
        &self.distinct_rows
    }

    /// How many features there are, those without counts included.
    pub(crate) fn features(&self) -> usize {
        self.codes.len()
    }

    /// How many features have a count.
    pub(crate) fn live(&self) -> usize {
        self.distinct_rows.live()
    }

    /// The counts of a feature, by rising classes. Empty for a feature that is gone.
    #[inline(always)]
    pub(crate) fn row(&self, id: u32) -> &[Count] {
        self.distinct_rows.row(self.codes.get(id))
    }

    /// Makes room for features below `len`.
    fn extend_to(&mut self, len: usize) {
        let more = len.saturating_sub(self.codes.len());
        self.codes.extend_to(len);
        self.distinct_rows.users_mut()[NOTHING as usize] += more as u32;
    }

    /// Gives a feature other counts.
    fn put(&mut self, id: u32, row: &[Count]) {
        let code = self.distinct_rows.push(row);
        let before = self.codes.replace(id, code);
        let users = self.distinct_rows.users_mut();
        users[before as usize] -= 1;
        users[code as usize] += 1;
    }

    /// The same counts, with each row written down once.
    fn gathered(self) -> Self {
        let mut writer = RowWriter::default();
        let codes =
            self.codes.iter().map(|code| writer.write(self.distinct_rows.row(code))).collect();
        BlockCounts { codes, distinct_rows: writer.finish(), ..self }
    }

    /// Another view of the same features: `change` makes of each row what is kept of it.
    fn mapped(&self, classes: usize, mut change: impl FnMut(&mut Vec<Count>)) -> Self {
        let (mut writer, mut row) = (RowWriter::default(), Vec::new());
        let codes: Vec<u32> = self
            .distinct_rows
            .rows()
            .map(|(before, _)| {
                row.clear();
                row.extend_from_slice(before);
                change(&mut row);
                writer.code(&row)
            })
            .collect();
        let codes: RowCodes = self.codes.iter().map(|code| codes[code as usize]).collect();
        codes.iter().for_each(|code| writer.used(code));
        BlockCounts::new(codes, writer.finish(), classes)
    }
}

/// What one class has shown of a feature since the last flush.
#[derive(Clone, Copy, Default)]
struct Running {
    occurrences: u32,
    documents: u32,
    last_document: u32,
}

/// Counts texts, batch after batch.
pub(crate) struct Counter {
    reading: Reading,
    dictionary: Dictionary,
    blocks: Vec<ClassCounts>,
}

impl Counter {
    pub(crate) fn new(reading: &Reading, classes: usize) -> Self {
        Counter {
            reading: reading.clone(),
            dictionary: Dictionary::new(reading),
            blocks: vec![ClassCounts::new(classes); reading.kinds().len()],
        }
    }

    pub(crate) fn from_parts(
        reading: &Reading,
        dictionary: Dictionary,
        blocks: Vec<ClassCounts>,
    ) -> Self {
        Counter { reading: reading.clone(), dictionary, blocks }
    }

    pub(crate) fn reading(&self) -> &Reading {
        &self.reading
    }

    /// Counts `texts`, each under its class.
    pub(crate) fn observe(
        &mut self,
        texts: &[&str],
        classes: &[u32],
        n_classes: usize,
        threads: usize,
    ) -> Result<()> {
        check_lengths(texts)?;
        check_classes(texts.len(), classes, n_classes)?;
        let order = by_class(classes, n_classes);
        let shares = crate::parallel::shares(&order, |&row| texts[row as usize].len() + 8, threads);
        let parts = crate::parallel::each(shares, |rows| {
            Self::observe_rows(&self.reading, texts, classes, n_classes, rows)
        });
        self.absorb_all(parts)
    }

    /// Takes in what others counted.
    pub(crate) fn absorb_all(&mut self, parts: Vec<Result<Counter>>) -> Result<()> {
        for part in parts {
            self.absorb(part?)?;
        }
        Ok(())
    }

    /// Counts the texts of `rows`, which come class by class. While a class lasts, its counts are
    /// kept in a plain array by feature id; when it ends, they move to their rows.
    fn observe_rows(
        reading: &Reading,
        texts: &[&str],
        classes: &[u32],
        n_classes: usize,
        rows: &[u32],
    ) -> Result<Self> {
        let mut dictionary = Dictionary::new(reading);
        let mut reader = Reader::new(reading, dictionary.word_roles());
        let kinds = reading.kinds();
        let mut blocks = vec![ClassCounts::new(n_classes); kinds.len()];
        let mut running: Vec<Vec<Running>> = vec![Vec::new(); kinds.len()];
        let mut touched: Vec<Vec<u32>> = vec![Vec::new(); kinds.len()];
        for run in rows.chunk_by(|&a, &b| classes[a as usize] == classes[b as usize]) {
            let class = classes[run[0] as usize];
            let mut bytes = 0;
            let mut document = 0;
            for &row in run {
                let text = texts[row as usize];
                document += 1;
                bytes += text.len();
                reader.learn(&mut dictionary, text)?;
                for (block, ids) in reader.occurrences.blocks.iter().enumerate() {
                    if !reading.counts(kinds[block]) {
                        continue;
                    }
                    let running = &mut running[block];
                    let len = dictionary.blocks().nth(block).unwrap_or(0);
                    if running.len() < len {
                        running.resize(len, Running::default());
                    }
                    for &id in ids {
                        let seen = &mut running[id as usize];
                        if seen.occurrences == 0 {
                            touched[block].push(id);
                        }
                        seen.occurrences += 1;
                        seen.documents += u32::from(seen.last_document != document);
                        seen.last_document = document;
                    }
                }
                // No 32-bit counter can overflow before this many bytes were read.
                if bytes > u32::MAX as usize / 64 {
                    flush(class, &mut blocks, &mut running, &mut touched)?;
                    bytes = 0;
                }
            }
            flush(class, &mut blocks, &mut running, &mut touched)?;
        }
        for (cells, len) in blocks.iter_mut().zip(dictionary.blocks()) {
            cells.extend_to(len);
        }
        Ok(Counter::from_parts(reading, dictionary, blocks))
    }

    /// Takes in what another counted under the same classes.
    fn absorb(&mut self, other: Counter) -> Result<()> {
        if self.blocks.iter().all(|cells| cells.features() == 0) {
            *self = other;
            return Ok(());
        }
        if self.total() + other.total() > u128::from(u64::MAX) {
            return Err(Error::Overflow);
        }
        for (ours, theirs) in self.blocks.iter().zip(&other.blocks) {
            ours.check_room(theirs)?;
        }
        let ids = self.dictionary.absorb(&other.dictionary)?;
        let lengths: Vec<usize> = self.dictionary.blocks().collect();
        for ((ours, theirs), (map, len)) in
            self.blocks.iter_mut().zip(&other.blocks).zip(ids.iter().zip(lengths))
        {
            ours.extend_to(len);
            let classes = ours.occurrences.len().max(theirs.occurrences.len());
            ours.occurrences.resize(classes, 0);
            ours.documents.resize(classes, 0);
            for (id, &place) in map.iter().enumerate() {
                ours.add_row(place as usize, theirs.row(id));
            }
        }
        Ok(())
    }

    /// The occurrences of everything in every class: each sum in an estimate is at most this.
    fn total(&self) -> u128 {
        self.blocks
            .iter()
            .flat_map(|cells| &cells.occurrences)
            .map(|&occurrences| u128::from(occurrences))
            .sum()
    }

    /// What was counted, with class `c` as `class_map[c]` of `classes`.
    pub(crate) fn finish(self, class_map: &[u32], classes: usize) -> Result<TextCounts> {
        if self.total() > u128::from(u64::MAX) {
            return Err(Error::Overflow);
        }
        let block = |(cells, len): (&ClassCounts, usize)| {
            let (mut writer, mut row) = (RowWriter::default(), Vec::new());
            let codes = (0..len)
                .map(|id| {
                    row.clear();
                    row.extend(cells.row(id).map(|count| mapped(count, class_map)));
                    row.sort_unstable_by_key(|count| count.class);
                    writer.write(&row)
                })
                .collect();
            BlockCounts::new(codes, writer.finish(), classes)
        };
        let blocks = self.blocks.iter().zip(self.dictionary.blocks()).map(block).collect();
        Ok(TextCounts { features: Features::met(&self.reading, self.dictionary), classes, blocks })
    }
}

impl TextCounts {
    pub(crate) fn zero(reading: &Reading, classes: usize) -> Self {
        let (dictionary, kinds) = (Dictionary::new(reading), reading.kinds().len());
        let block = BlockCounts::new(RowCodes::default(), DistinctRows::default(), classes);
        TextCounts {
            features: Features::met(reading, dictionary),
            classes,
            blocks: vec![block; kinds],
        }
    }

    /// Counts `texts`, each under its class.
    pub fn observe(
        reading: &Reading,
        texts: &[&str],
        classes: &[u32],
        n_classes: usize,
        threads: usize,
    ) -> Result<Self> {
        let mut counter = Counter::new(reading, n_classes);
        counter.observe(texts, classes, n_classes, threads)?;
        counter.finish(&same(n_classes), n_classes)
    }

    /// Counts put together from outside; too large a total is refused.
    pub(crate) fn from_parts(
        features: Features,
        classes: usize,
        blocks: Vec<BlockCounts>,
    ) -> Result<Self> {
        let counts = TextCounts { features, classes, blocks };
        match counts.total() > u128::from(u64::MAX) {
            true => Err(Error::Overflow),
            false => Ok(counts),
        }
    }

    pub(crate) fn reading(&self) -> &Reading {
        self.features.reading()
    }

    pub(crate) fn features(&self) -> &Features {
        &self.features
    }

    pub fn blocks(&self) -> &[BlockCounts] {
        &self.blocks
    }

    pub(crate) fn classes(&self) -> usize {
        self.classes
    }

    /// The kinds of features that count, with the block of each.
    pub(crate) fn counted(&self) -> impl Iterator<Item = (usize, FeatureKind)> + '_ {
        let kinds = self.features.kinds().iter().copied().enumerate();
        kinds.filter(|&(_, kind)| self.reading().counts(kind))
    }

    /// The same counts of other classes: class `c` is `class_map[c]` of `classes`. One that is mapped beyond
    /// them is left out.
    pub(crate) fn reclassed(&self, class_map: &[u32], classes: usize) -> Self {
        if classes == self.classes && class_map.iter().copied().eq(0..classes as u32) {
            return self.clone();
        }
        let blocks = self.blocks.iter().map(|block| {
            block.mapped(classes, |row| {
                row.iter_mut().for_each(|count| count.class = class_map[count.class as usize]);
                row.retain(|count| (count.class as usize) < classes);
                row.sort_unstable_by_key(|count| count.class);
            })
        });
        TextCounts { features: self.features.clone(), classes, blocks: blocks.collect() }
    }

    /// What both have seen together, of the same classes.
    pub fn plus(&self, other: &TextCounts) -> Result<Self> {
        self.check_match(other)?;
        if self.total() + other.total() > u128::from(u64::MAX) {
            return Err(Error::Overflow);
        }
        // What is more is the base of what is less.
        if self.blocks.iter().map(BlockCounts::live).sum::<usize>()
            < other.blocks.iter().map(BlockCounts::live).sum()
        {
            return other.plus_fewer(self);
        }
        self.plus_fewer(other)
    }

    fn plus_fewer(&self, other: &TextCounts) -> Result<Self> {
        let (features, ids) = self.features.with(&other.features)?;
        let lengths: Vec<usize> = features.blocks().collect();
        let mut blocks = self.blocks.clone();
        let mut row = Vec::new();
        for (((ours, theirs), ids), len) in
            blocks.iter_mut().zip(&other.blocks).zip(&ids).zip(lengths)
        {
            ours.extend_to(len);
            for (&place, code) in ids.iter().zip(theirs.codes.iter()) {
                if code == NOTHING {
                    continue;
                }
                row.clear();
                add_rows(ours.row(place), theirs.distinct_rows.row(code), &mut row);
                ours.put(place, &row);
            }
            sum(&mut ours.occurrences, &theirs.occurrences, u64::wrapping_add);
            sum(&mut ours.documents, &theirs.documents, u64::wrapping_add);
        }
        let gather = |block: BlockCounts| {
            if block.distinct_rows.is_long() { block.gathered() } else { block }
        };
        let blocks = blocks.into_iter().map(gather).collect();
        Ok(TextCounts { features, classes: self.classes, blocks })
    }

    /// What is left without what `other` has seen. What was never added is refused.
    pub fn minus(&self, other: &TextCounts) -> Result<Self> {
        self.check_match(other)?;
        let ids = self.features.locate(&other.features);
        let mut blocks = self.blocks.clone();
        let mut row = Vec::new();
        for (block, (ours, theirs)) in blocks.iter_mut().zip(&other.blocks).enumerate() {
            for (id, (&place, code)) in (0..).zip(ids[block].iter().zip(theirs.codes.iter())) {
                if code == NOTHING {
                    continue;
                }
                row.clear();
                let is_there = place != UNKNOWN
                    && take_rows(ours.row(place), theirs.distinct_rows.row(code), &mut row);
                if !is_there {
                    let spelling = other.features.spelled(block, &[id]).concat();
                    return Err(Error::NotLearned {
                        what: format!(
                            "`{}` was not learned as often as it is to be forgotten",
                            self.features.kinds()[block].shown(&spelling)
                        ),
                    });
                }
                ours.put(place, &row);
            }
            sum(&mut ours.occurrences, &theirs.occurrences, u64::wrapping_sub);
            sum(&mut ours.documents, &theirs.documents, u64::wrapping_sub);
        }
        let gather = |block: BlockCounts| {
            if block.distinct_rows.is_long() { block.gathered() } else { block }
        };
        let blocks = blocks.into_iter().map(gather).collect();
        Ok(TextCounts { features: self.features.clone(), classes: self.classes, blocks })
    }

    /// Whether these counts could come from so many rows of each class; multi-label rows are
    /// all of the last.
    pub(crate) fn check_rows(&self, rows: &[u64], is_multilabel: bool) -> Result<()> {
        let fits = |count: &Count| {
            rows.get(count.class as usize).is_some_and(|&rows| count.documents <= rows)
        };
        let makes_sense = |(row, users): (&[Count], u32)| {
            users == 0 || row.iter().all(fits) && (!is_multilabel || is_within(row, rows.len()))
        };
        match self.blocks.iter().all(|block| block.distinct_rows.rows().all(makes_sense)) {
            true => Ok(()),
            false => Err(Error::NotLearned {
                what: "more rows are to be forgotten than can have been learned".to_string(),
            }),
        }
    }

    /// What scoring reads of these counts: of features that at least `min_documents` hold, block by block,
    /// and of occurrences and documents those that are `kept`. The others are as few as can be.
    pub(crate) fn reduced(&self, min_documents: &[u64], kept: Kept, every: Option<u32>) -> Self {
        let blocks = self.blocks.iter().enumerate().map(|(block, counts)| {
            let least = min_documents.get(block).copied().unwrap_or(1);
            counts.mapped(self.classes, |row| {
                let of_rows = |count: &&Count| every.is_none_or(|class| count.class == class);
                let documents: u64 = row.iter().filter(of_rows).map(|count| count.documents).sum();
                if documents < least {
                    row.clear();
                }
                for count in row {
                    match kept {
                        Kept::Both => {}
                        Kept::Occurrences => count.documents = 1,
                        Kept::Documents => count.occurrences = count.documents,
                    }
                }
            })
        });
        TextCounts {
            features: self.features.clone(),
            classes: self.classes,
            blocks: blocks.collect(),
        }
    }

    /// The occurrences of everything in every class: each sum in an estimate is at most this.
    fn total(&self) -> u128 {
        self.blocks
            .iter()
            .flat_map(|block| &block.occurrences)
            .map(|&occurrences| u128::from(occurrences))
            .sum()
    }

    fn check_match(&self, other: &TextCounts) -> Result<()> {
        let what = if self.reading() != other.reading() {
            "the texts were read differently".to_string()
        } else if self.classes != other.classes {
            format!("there are {} classes here and {} there", self.classes, other.classes)
        } else {
            return Ok(());
        };
        Err(Error::Shape { what })
    }
}

/// Whether the last of the classes has all that any of them has of a feature: it has all rows.
pub(crate) fn is_within(row: &[Count], classes: usize) -> bool {
    row.last().is_none_or(|every| {
        let within = |count: &Count| {
            count.occurrences <= every.occurrences && count.documents <= every.documents
        };
        every.class as usize + 1 == classes && row.iter().all(within)
    })
}

/// Which counts are kept for scoring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kept {
    Both,
    Occurrences,
    Documents,
}

fn same(classes: usize) -> Vec<u32> {
    (0..classes as u32).collect()
}

fn sum(ours: &mut [u64], theirs: &[u64], add: fn(u64, u64) -> u64) {
    ours.iter_mut().zip(theirs).for_each(|(ours, &theirs)| *ours = add(*ours, theirs));
}

/// Appends the sum of two rows. The caller has checked that the sum of all counts fits in 64 bits.
fn add_rows(ours: &[Count], theirs: &[Count], row: &mut Vec<Count>) {
    let mut more = theirs.iter().peekable();
    for count in ours {
        row.extend(std::iter::from_fn(|| more.next_if(|other| other.class < count.class)));
        let added = more.next_if(|other| other.class == count.class).copied().unwrap_or_default();
        row.push(Count {
            class: count.class,
            occurrences: count.occurrences + added.occurrences,
            documents: count.documents + added.documents,
        });
    }
    row.extend(more);
}

/// Appends what a row leaves of another, if it leaves something that could have been counted: as many
/// documents as occurrences at the most, and none of one without the other.
fn take_rows(ours: &[Count], theirs: &[Count], row: &mut Vec<Count>) -> bool {
    let mut fewer = theirs.iter().peekable();
    for count in ours {
        let gone = fewer.next_if(|other| other.class == count.class).copied().unwrap_or_default();
        let left = (
            count.occurrences.checked_sub(gone.occurrences),
            count.documents.checked_sub(gone.documents),
        );
        match left {
            (Some(0), Some(0)) => {}
            (Some(occurrences), Some(documents)) if 0 < documents && documents <= occurrences => {
                row.push(Count { class: count.class, occurrences, documents });
            }
            _ => return false,
        }
    }
    fewer.next().is_none()
}

fn mapped(count: Count, class_map: &[u32]) -> Count {
    Count { class: class_map[count.class as usize], ..count }
}

/// Texts are measured in 32 bits inside the kernel.
pub(crate) fn check_lengths(texts: &[&str]) -> Result<()> {
    match texts.iter().position(|text| text.len() > crate::LONGEST_TEXT) {
        None => Ok(()),
        Some(row) => Err(Error::TextTooLong { row, bytes: texts[row].len() }),
    }
}

fn flush(
    class: u32,
    blocks: &mut [ClassCounts],
    running: &mut [Vec<Running>],
    touched: &mut [Vec<u32>],
) -> Result<()> {
    for ((cells, running), touched) in blocks.iter_mut().zip(running).zip(touched) {
        cells.extend_to(running.len());
        if cells.features() as u64 + touched.len() as u64 >= u64::from(UNKNOWN) {
            return Err(Error::TooManyFeatures);
        }
        for id in touched.drain(..) {
            let seen = std::mem::take(&mut running[id as usize]);
            let count = Count {
                class,
                occurrences: u64::from(seen.occurrences),
                documents: u64::from(seen.documents),
            };
            cells.add_row(id as usize, [count]);
        }
    }
    Ok(())
}
