//! Views of a text tally: what each classic estimator reads off the same counts.

use crate::counts::class_counts::Count;
use crate::counts::distinct_rows::{NOTHING, RowCodes};
use crate::counts::text_counts::TextCounts;
use crate::error::{Error, Result};
use crate::maths::log;
use crate::text::reading::FeatureKind;
use std::collections::BTreeMap;

/// Which probabilities are read off the counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Model {
    /// Each class is an urn of tokens.
    Multinomial,
    /// The same, with each feature counted once per document.
    Binary,
    /// Each feature is present in a document or absent.
    Bernoulli,
    /// A class is scored by the words of all other classes.
    Complement,
    /// The same, with each feature counted once per document.
    BinaryComplement,
    /// A class against all rows that are not of it, where rows are multi-label: the last class is that
    /// of all rows, and has no score.
    Against,
    /// The same, with each feature counted once per document.
    BinaryAgainst,
}

impl Model {
    /// Whether a feature counts once per document, however often it is there.
    pub(crate) fn counts_once(self) -> bool {
        match self {
            Model::Binary | Model::Bernoulli | Model::BinaryComplement | Model::BinaryAgainst => {
                true
            }
            Model::Multinomial | Model::Complement | Model::Against => false,
        }
    }

    /// Whether a class is scored by its complement, alone or beside its own words.
    pub(crate) fn is_complement(self) -> bool {
        matches!(self, Model::Complement | Model::BinaryComplement) || self.is_against()
    }

    /// Whether the last class is that of all rows.
    pub(crate) fn is_against(self) -> bool {
        matches!(self, Model::Against | Model::BinaryAgainst)
    }

    /// How many of the classes are scored.
    pub(crate) fn scored(self, classes: usize) -> usize {
        if self.is_against() { classes.saturating_sub(1) } else { classes }
    }

    /// The sum of what each class has, where a row is counted once.
    pub(crate) fn sum<T: Copy + Default + std::iter::Sum<T>>(self, of_classes: &[T]) -> T {
        match self.is_against() {
            true => of_classes.last().copied().unwrap_or_default(),
            false => of_classes.iter().copied().sum(),
        }
    }

    /// What counts of a feature in a class: occurrences or documents.
    #[inline(always)]
    pub(crate) fn drawn(self, count: Count) -> u64 {
        if self.counts_once() { count.documents } else { count.occurrences }
    }
}

/// An estimator with its settings; α, which is added to every count, comes apart, since several are
/// often tried. Nothing here changes what is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct View {
    pub(crate) model: Model,
    /// Which blocks take part: a bit for each, the first lowest.
    pub(crate) blocks: u32,
    /// A feature takes part while at least so many documents hold it.
    pub(crate) min_documents: u64,
    /// So many of the most frequent words take no part.
    pub(crate) skip_top: usize,
    /// Whether an occurrence counts the more, the fewer documents hold its feature: as
    /// log((1 + n) / (1 + df)) + 1. Only where occurrences count.
    pub(crate) tfidf: bool,
}

#[cfg(test)]
impl View {
    /// All features, just as they were counted.
    pub(crate) fn plain(model: Model) -> Self {
        View { model, blocks: u32::MAX, min_documents: 1, skip_top: 0, tfidf: false }
    }
}

/// The classes of a caller, in its order: `rows[k]` documents of class `slots[k]`.
#[derive(Clone, Debug)]
pub(crate) struct Classes {
    pub(crate) slots: Vec<u32>,
    pub(crate) rows: Vec<u64>,
}

impl Classes {
    pub(crate) fn len(&self) -> usize {
        self.slots.len()
    }

    /// Where each slot stands in the caller's order.
    fn positions(&self, slots: usize) -> Vec<u32> {
        let mut positions = vec![u32::MAX; slots];
        for (position, &slot) in self.slots.iter().enumerate() {
            if let Some(place) = positions.get_mut(slot as usize) {
                *place = position as u32;
            }
        }
        positions
    }
}

/// Up to this many classes, rows are kept whole: to know where a class stands is worth more than to
/// leave its zeros out.
pub(crate) const FEW: usize = 4;

/// The counts of a view's features, laid out for reading: a row per feature, its classes as the
/// caller orders them.
pub(crate) struct ViewRows {
    pub(crate) blocks: Vec<BlockRows>,
    idf: Option<Idf>,
}

/// Sums over the features of some blocks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ViewTotals {
    /// How many features take part.
    pub(crate) features: u64,
    /// Per class.
    pub(crate) occurrences: Vec<u64>,
    pub(crate) documents: Vec<u64>,
}

impl ViewTotals {
    /// What counts, per class: occurrences or documents.
    pub(crate) fn drawn(&self, model: Model) -> &[u64] {
        if model.counts_once() { &self.documents } else { &self.occurrences }
    }
}

/// What an occurrence counts under TF-IDF.
#[derive(Clone, Debug)]
pub(crate) struct Idf {
    pub(crate) rows: u64,
    /// Per class, the sum of `occurrences · log(1 + df)`.
    pub(crate) logs: Vec<f64>,
}

/// log((1 + n) / (1 + df)) + 1.
pub(crate) fn idf(rows: u64, documents: u64) -> f64 {
    log((1 + rows) as f64) - log((1 + documents) as f64) + 1.0
}

/// One block of [`ViewRows`]. A feature that takes no part has an empty row.
pub(crate) struct BlockRows {
    totals: ViewTotals,
    /// Which row each feature has, and how many features have each.
    codes: RowCodes,
    users: Vec<u32>,
    /// Where each row begins; left out where all rows are as wide as there are classes.
    starts: Vec<u32>,
    width: usize,
    cells: Vec<Cell>,
    large: Vec<u64>,
}

/// A [`Count`] in half the space, since rows are read at random and the cache is small. A number that
/// does not fit is kept in `large`, and its place there, marked, in the cell.
#[derive(Clone, Copy)]
struct Cell {
    class: u32,
    occurrences: u32,
    documents: u32,
}

const LARGE: u32 = 1 << 31;

/// The counts of one feature. With few classes they stand in the order of the classes, zeros included.
#[derive(Clone, Copy)]
pub(crate) struct Row<'a> {
    cells: &'a [Cell],
    large: &'a [u64],
}

impl<'a> Row<'a> {
    /// Whether the feature takes no part.
    #[inline(always)]
    pub(crate) fn is_empty(&self) -> bool {
        self.cells.iter().all(|cell| cell.occurrences == 0)
    }

    #[inline(always)]
    pub(crate) fn iter(self) -> impl Iterator<Item = Count> + 'a {
        self.cells.iter().map(move |&cell| self.unpack(cell))
    }

    /// The counts in all classes together, or where that is the last class, there.
    #[inline(always)]
    pub(crate) fn everywhere(self, model: Model, classes: usize) -> Count {
        if model.is_against() {
            return self.of_class(classes - 1, classes).unwrap_or_default();
        }
        let mut all = Count::default();
        for count in self.iter() {
            all.occurrences += count.occurrences;
            all.documents += count.documents;
        }
        all
    }

    /// The count of a class, wherever it stands.
    #[inline(always)]
    pub(crate) fn of_class(self, class: usize, classes: usize) -> Option<Count> {
        if classes <= FEW {
            return self.cells.get(class).map(|&cell| self.unpack(cell));
        }
        self.iter().find(|count| count.class as usize == class)
    }

    /// Each class, and what counts there: documents if a feature counts once, or occurrences.
    #[inline(always)]
    pub(crate) fn drawn(self, once: bool) -> impl Iterator<Item = (usize, f64)> + Clone + 'a {
        self.cells.iter().map(move |cell| {
            let number = if once { cell.documents } else { cell.occurrences };
            let drawn = match number < LARGE {
                true => f64::from(number),
                false => self.wide(number) as f64,
            };
            (cell.class as usize, drawn)
        })
    }

    #[inline(always)]
    fn unpack(self, cell: Cell) -> Count {
        let (occurrences, documents) = (self.wide(cell.occurrences), self.wide(cell.documents));
        Count { class: cell.class, occurrences, documents }
    }

    #[inline(always)]
    fn wide(self, number: u32) -> u64 {
        match number < LARGE {
            true => u64::from(number),
            false => self.large[(number - LARGE) as usize],
        }
    }
}

impl BlockRows {
    fn new(classes: usize) -> Self {
        let width = if classes <= FEW { classes } else { 0 };
        let sums = vec![0; classes];
        let totals = ViewTotals { features: 0, occurrences: sums.clone(), documents: sums };
        let (codes, users) = (RowCodes::default(), Vec::new());
        BlockRows {
            totals,
            codes,
            users,
            starts: vec![0],
            width,
            cells: Vec::new(),
            large: Vec::new(),
        }
    }

    pub(crate) fn features(&self) -> usize {
        self.codes.len()
    }

    pub(crate) fn codes(&self) -> &RowCodes {
        &self.codes
    }

    /// How many rows there are; each is that of any number of features.
    pub(crate) fn len(&self) -> usize {
        self.users.len()
    }

    pub(crate) fn cells(&self) -> usize {
        self.cells.len()
    }

    #[inline(always)]
    pub(crate) fn row(&self, id: u32) -> Row<'_> {
        self.row_of(self.codes.get(id))
    }

    #[inline(always)]
    fn row_of(&self, code: u32) -> Row<'_> {
        let code = code as usize;
        let range = match self.width {
            0 => self.starts[code] as usize..self.starts[code + 1] as usize,
            width => code * width..(code + 1) * width,
        };
        Row { cells: &self.cells[range], large: &self.large }
    }

    /// Reads a little of each row ahead of its use. Nothing in this loop waits for anything, so the
    /// processor fetches many rows at once; later, one by one, it could not.
    #[inline(always)]
    pub(crate) fn fetch(&self, ids: impl Iterator<Item = u32>) {
        let first = |id| self.row(id).cells.first().map_or(0, |cell| cell.occurrences);
        std::hint::black_box(ids.map(first).fold(0, u32::wrapping_add));
    }

    /// Every row, and how many features have it.
    pub(crate) fn rows(&self) -> impl Iterator<Item = (Row<'_>, u64)> + '_ {
        self.users.iter().zip(0..).map(|(&users, code)| (self.row_of(code), users.into()))
    }

    fn push(&mut self, row: &[Count]) {
        let mut narrow = |number: u64| match u32::try_from(number) {
            Ok(number) if number < LARGE => number,
            _ => {
                self.large.push(number);
                LARGE + (self.large.len() - 1) as u32
            }
        };
        self.cells.extend(row.iter().map(|count| Cell {
            class: count.class,
            occurrences: narrow(count.occurrences),
            documents: narrow(count.documents),
        }));
        if self.width == 0 {
            self.starts.push(self.cells.len() as u32);
        }
    }
}

impl ViewRows {
    /// What several views read together. They may differ in their models and, unless they count by
    /// TF-IDF, in their blocks; the views of a block ask for as many documents.
    pub(crate) fn new(counts: &TextCounts, classes: &Classes, views: &[View]) -> Result<Self> {
        let mut rows = ViewRows { blocks: Vec::new(), idf: None };
        let Some(&view) = views.first() else { return Ok(rows) };
        let alike = |other: &View| {
            (other.skip_top, other.tfidf) == (view.skip_top, view.tfidf)
                && other.model.is_against() == view.model.is_against()
                && (!view.tfidf || other.blocks == view.blocks)
        };
        if !views.iter().all(alike) {
            return Err(differ());
        }
        if view.model.is_against() && (view.tfidf || view.skip_top > 0 || classes.len() == 0) {
            let what = "a class against the rest counts plainly, and all rows are the last class";
            return Err(Error::Shape { what: what.to_string() });
        }
        let positions = classes.positions(counts.classes());
        let skipped = most_frequent(counts, view.skip_top);
        // Sums go by the number of documents, in order: ids are random.
        let mut by_documents: BTreeMap<u64, Vec<u64>> = BTreeMap::new();
        for (index, counted) in counts.blocks().iter().enumerate() {
            let mut block = BlockRows::new(classes.len());
            block.codes = counted.codes().clone();
            block.users = counted.distinct_rows().users().to_vec();
            for &id in skipped.iter().filter(|_| index == 0) {
                let before = block.codes.replace(id, NOTHING);
                block.users[before as usize] -= 1;
                block.users[NOTHING as usize] += 1;
            }
            let of_block = views.iter().filter(|view| view.blocks >> index & 1 == 1);
            let mut asked = of_block.map(|view| view.min_documents);
            let min_documents = asked.next();
            if asked.any(|other| Some(other) != min_documents) {
                return Err(differ());
            }
            let mut row = Vec::new();
            for code in 0..block.users.len() {
                row.clear();
                row.extend_from_slice(counted.distinct_rows().row(code as u32));
                row.iter_mut().for_each(|count| count.class = positions[count.class as usize]);
                let each = row.iter().filter(|count| {
                    !view.model.is_against() || count.class as usize == classes.len() - 1
                });
                let documents = each.map(|count| count.documents).sum::<u64>();
                if min_documents.is_none_or(|least| documents < least) {
                    row.clear();
                }
                let (totals, users) = (&mut block.totals, u64::from(block.users[code]));
                totals.features += if row.is_empty() { 0 } else { users };
                for count in &row {
                    totals.occurrences[count.class as usize] += count.occurrences * users;
                    totals.documents[count.class as usize] += count.documents * users;
                    if view.tfidf {
                        let sums = by_documents.entry(documents).or_insert(vec![0; classes.len()]);
                        sums[count.class as usize] += count.occurrences * users;
                    }
                }
                if block.width > 0 {
                    complete(&mut row, block.width);
                }
                block.push(&row);
            }
            rows.blocks.push(block);
        }
        if view.tfidf {
            let mut logs = vec![0.0; classes.len()];
            for (documents, sums) in by_documents {
                let each = log((1 + documents) as f64);
                logs.iter_mut().zip(sums).for_each(|(log, sum)| *log += sum as f64 * each);
            }
            rows.idf = Some(Idf { rows: classes.rows.iter().sum(), logs });
        }
        Ok(rows)
    }

    /// The blocks that `mask` has bits for.
    pub(crate) fn of(&self, mask: u32) -> impl Iterator<Item = &BlockRows> + '_ {
        let here = move |(index, _): &(usize, &BlockRows)| mask >> index & 1 == 1;
        self.blocks.iter().enumerate().filter(here).map(|(_, block)| block)
    }

    /// The sums over the blocks that `mask` has bits for.
    pub(crate) fn totals(&self, mask: u32) -> ViewTotals {
        let classes = self.blocks.first().map_or(0, |block| block.totals.occurrences.len());
        let mut sums =
            ViewTotals { features: 0, occurrences: vec![0; classes], documents: vec![0; classes] };
        for totals in self.of(mask).map(|block| &block.totals) {
            sums.features += totals.features;
            sums.occurrences
                .iter_mut()
                .zip(&totals.occurrences)
                .for_each(|(sum, more)| *sum += more);
            sums.documents.iter_mut().zip(&totals.documents).for_each(|(sum, more)| *sum += more);
        }
        sums
    }

    pub(crate) fn idf(&self) -> Option<&Idf> {
        self.idf.as_ref()
    }
}

fn differ() -> Error {
    Error::Shape {
        what: "views that are read together differ in which features take part".to_string(),
    }
}

/// The ids of the `k` most frequent words, rising. Of equals, those that come first in the alphabet.
pub(crate) fn most_frequent(counts: &TextCounts, k: usize) -> Vec<u32> {
    if k == 0 || counts.features().kinds().first() != Some(&FeatureKind::WordNgram(1)) {
        return Vec::new();
    }
    let words = &counts.blocks()[0];
    let occurrences = |id: u32| words.row(id).iter().map(|count| count.occurrences).sum::<u64>();
    let mut ids: Vec<u32> =
        (0..words.features() as u32).filter(|&id| occurrences(id) > 0).collect();
    ids.sort_by_cached_key(|&id| std::cmp::Reverse(occurrences(id)));
    // The last that is left out may equal others, whose spellings decide.
    let last = ids.get(k - 1).map_or(0, |&id| occurrences(id));
    let equals = ids.partition_point(|&id| occurrences(id) > last)
        ..ids.partition_point(|&id| occurrences(id) >= last);
    let spellings = counts.features().spelled(0, &ids[equals.clone()]);
    let mut spelled: Vec<_> = spellings.into_iter().zip(ids[equals.clone()].to_vec()).collect();
    spelled.sort_unstable();
    ids[equals].iter_mut().zip(spelled).for_each(|(id, (_, first))| *id = first);
    ids.truncate(k);
    ids.sort_unstable();
    ids
}

/// Fills a row up with zeros and puts it in the order of the classes.
fn complete(row: &mut Vec<Count>, classes: usize) {
    let mut whole = [Count::default(); FEW];
    for (class, count) in whole.iter_mut().enumerate() {
        count.class = class as u32;
    }
    for &count in row.iter() {
        whole[count.class as usize] = count;
    }
    row.clear();
    row.extend_from_slice(&whole[..classes]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::reading::Reading;

    #[test]
    fn counts_beyond_31_bits_are_kept() {
        let numbers = [3, u64::from(LARGE) - 1, u64::from(LARGE), u64::MAX];
        let counts =
            numbers.map(|occurrences| Count { class: 7, occurrences, documents: occurrences });
        let mut block = BlockRows::new(9);
        block.push(&counts);
        assert!(block.row(0).iter().eq(counts));
    }

    #[test]
    fn a_feature_of_too_few_documents_takes_no_part() {
        let reading = Reading::word_ngrams(1, 1);
        let texts = ["a b", "a c c"];
        let counts = TextCounts::observe(&reading, &texts, &[0, 1], 2, 1).unwrap();
        let view = View { min_documents: 2, ..View::plain(Model::Multinomial) };
        let rows =
            ViewRows::new(&counts, &Classes { slots: vec![1, 0], rows: vec![1, 1] }, &[view])
                .unwrap();
        let totals = rows.totals(view.blocks);
        assert_eq!((totals.features, totals.occurrences), (1, vec![1, 1]));
        assert!(rows.blocks[0].row(1).is_empty());
    }

    #[test]
    fn the_most_frequent_words_take_no_part() {
        let reading = Reading::word_ngrams(1, 2);
        let counts = TextCounts::observe(&reading, &["b a b", "c a"], &[0, 1], 2, 1).unwrap();
        let view = View { skip_top: 2, ..View::plain(Model::Multinomial) };
        let rows =
            ViewRows::new(&counts, &Classes { slots: vec![0, 1], rows: vec![1, 1] }, &[view])
                .unwrap();
        let takes_part = |id| !rows.blocks[0].row(id).is_empty();
        assert_eq!([0, 1, 2].map(takes_part), [false, false, true]);
        assert_eq!(rows.totals(view.blocks).features, 1 + 3); // `c` and every bigram
    }

    #[test]
    fn views_that_disagree_are_not_read_together() {
        let counts =
            TextCounts::observe(&Reading::word_ngrams(1, 2), &["a b"], &[0], 1, 1).unwrap();
        let classes = Classes { slots: vec![0], rows: vec![1] };
        let plain = View::plain(Model::Binary);
        let (words, pairs) = (View { blocks: 1, ..plain }, View { blocks: 2, ..plain });
        let both = |other: View| ViewRows::new(&counts, &classes, &[words, other]).is_ok();
        assert!(both(View { min_documents: 2, ..pairs }));
        assert!(!both(View { min_documents: 2, ..words }));
        assert!(!both(View { tfidf: true, ..pairs }));
    }
}
