//! The features of a tally: a base that is never written again, and what came since.
//!
//! Tallies that follow one another share their base, so a new one costs what is new in it. The base is
//! found by hashing where it was counted, and by halving where it came from a file; each form is made of
//! the other when it is wanted.

use crate::dictionary::feature_ids::{
    Dictionary, Find, Handing, Known, Learn, UNKNOWN, halves, pair, word_blocks,
};
use crate::dictionary::feature_key::{Key, Keys};
use crate::dictionary::sorted_features::{BlockFeatures, Halving, Sorted, Strings, Trie};
use crate::error::Result;
use crate::text::feature_reader::{Occurrences, Reader};
use crate::text::reading::{FeatureKind, Reading};
use crate::text::word_roles::WordRoles;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

/// What came since is merged with the base when it is more than this part of it.
const MERGED_SHARE: usize = 8;

/// But not before there is so much of it.
const FEW: usize = 4096;

/// To enter a feature costs about as much as to find the features of so many bytes by halving.
const BYTES_PER_FEATURE: usize = 4;

/// The features of a tally and their ids, block by block.
#[derive(Clone)]
pub(crate) struct Features {
    base: Arc<Base>,
    /// What the base does not have. Its ids go on where those of the base end.
    added: Arc<Dictionary>,
}

struct Base {
    reading: Reading,
    lengths: Vec<usize>,
    hashed: OnceLock<Dictionary>,
    sorted: OnceLock<Ordered>,
    /// How many bytes of text were read by halving.
    halved: AtomicUsize,
}

/// Features in order, and their ids, block by block.
#[derive(Clone, Default)]
pub(crate) struct Ordered {
    pub(crate) sorted: Sorted,
    ids: Vec<Ids>,
}

/// Ids in the order of their features. Those of a base from a file rise, but for what came since.
#[derive(Clone)]
enum Ids {
    Rising(Vec<Range<u32>>),
    Any(Vec<u32>),
}

impl Ids {
    fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        let (rising, any): (&[Range<u32>], &[u32]) = match self {
            Ids::Rising(ranges) => (ranges, &[]),
            Ids::Any(ids) => (&[], ids),
        };
        rising.iter().flat_map(Range::clone).chain(any.iter().copied())
    }
}

impl Ordered {
    /// Features of which none was met yet.
    fn nothing(kinds: &[FeatureKind]) -> Self {
        Ordered { sorted: Sorted::empty(kinds), ids: vec![Ids::Any(Vec::new()); kinds.len()] }
    }

    /// Features whose places are their ids.
    fn by_place(sorted: Sorted) -> Self {
        let every =
            |block: &BlockFeatures| Ids::Rising(std::iter::once(0..block.len() as u32).collect());
        let ids = sorted.blocks.iter().map(every).collect();
        Ordered { sorted, ids }
    }

    /// The ids of a block, in the order of its features.
    pub(crate) fn ids(&self, block: usize) -> impl Iterator<Item = u32> + '_ {
        self.ids[block].iter()
    }
}

impl Features {
    /// Features as they were met.
    pub(crate) fn met(reading: &Reading, dictionary: Dictionary) -> Self {
        let base = Base {
            reading: reading.clone(),
            lengths: dictionary.blocks().collect(),
            hashed: OnceLock::from(dictionary),
            sorted: OnceLock::new(),
            halved: AtomicUsize::new(0),
        };
        Self::of(base, None)
    }

    /// Features in order, as a file has them.
    pub(crate) fn stored(reading: &Reading, sorted: Sorted) -> Self {
        let base = Base {
            reading: reading.clone(),
            lengths: sorted.blocks.iter().map(BlockFeatures::len).collect(),
            hashed: OnceLock::new(),
            sorted: OnceLock::from(Ordered::by_place(sorted)),
            halved: AtomicUsize::new(0),
        };
        Self::of(base, None)
    }

    fn of(base: Base, word_roles: Option<Arc<WordRoles>>) -> Self {
        let word_roles = match (word_roles, base.hashed.get()) {
            (Some(word_roles), _) => word_roles,
            (None, Some(dictionary)) => dictionary.word_roles().clone(),
            (None, None) => Arc::new(WordRoles::new(&base.reading)),
        };
        let added = Dictionary::starting_at(base.reading.kinds(), &base.lengths, word_roles);
        Features { base: Arc::new(base), added: Arc::new(added) }
    }

    pub(crate) fn reading(&self) -> &Reading {
        &self.base.reading
    }

    pub(crate) fn kinds(&self) -> &[FeatureKind] {
        self.added.kinds()
    }

    /// How many ids each block has given.
    pub(crate) fn blocks(&self) -> impl Iterator<Item = usize> + '_ {
        self.added.blocks()
    }

    fn added(&self) -> Option<&Dictionary> {
        let grew = self.blocks().zip(&self.base.lengths).any(|(all, &base)| all > base);
        grew.then_some(&*self.added)
    }

    fn hashed(&self) -> &Dictionary {
        self.base.hashed.get_or_init(|| {
            let mut dictionary = Dictionary::starting_at(
                self.kinds().to_vec(),
                &vec![0; self.base.lengths.len()],
                self.added.word_roles().clone(),
            );
            if let Some(ordered) = self.base.sorted.get() {
                dictionary.enter_all(&ordered.sorted);
            }
            dictionary
        })
    }

    /// The features of the base in order, and their ids.
    fn ordered(&self) -> &Ordered {
        self.base.sorted.get_or_init(|| {
            let every = vec![None; self.kinds().len()];
            let nothing = Ordered::nothing(self.kinds());
            order(&nothing, self.kinds(), self.base.hashed.get(), &every)
        })
    }

    /// A reader of texts whose features are these.
    pub(crate) fn reader(&self) -> Reader {
        Reader::new(self.reading(), self.added.word_roles())
    }

    fn known(&self) -> Known<'_> {
        Known::new(self.hashed(), self.added())
    }

    /// Finds the features of a text; those that are not here are [`UNKNOWN`].
    pub(crate) fn read<'a>(&self, reader: &'a mut Reader, text: &str) -> &'a Occurrences {
        reader.read(&mut self.known(), text);
        &reader.occurrences
    }

    /// The same, but for character n-grams, of which the longest at each place are handed to `take`, many
    /// at a time.
    pub(crate) fn read_but_chars<'a>(
        &self,
        reader: &'a mut Reader,
        text: &str,
        take: impl FnMut(&Keys),
    ) -> &'a Occurrences {
        reader.read(&mut Handing(self.known(), take), text);
        &reader.occurrences
    }

    /// Whether texts of so many bytes are better read by halving: the base came from a file, and to make a
    /// hash table of it would take longer than to do without one. What is read so adds up.
    pub(crate) fn is_halved(&self, bytes: usize) -> bool {
        let features: usize = self.base.lengths.iter().sum();
        let is_free = || {
            self.base.halved.fetch_add(bytes, Ordering::Relaxed) + bytes
                <= features / BYTES_PER_FEATURE
        };
        self.base.hashed.get().is_none() && is_free()
    }

    /// Hands the features of each text to `take`, with its row. Threads are the caller's business.
    pub(crate) fn each(
        &self,
        texts: &[&str],
        mut take: impl FnMut(usize, &mut Reader),
    ) -> Result<()> {
        let mut reader = self.reader();
        if !self.is_halved(texts.iter().map(|text| text.len()).sum()) {
            for (row, text) in texts.iter().enumerate() {
                self.read(&mut reader, text);
                take(row, &mut reader);
            }
            return Ok(());
        }
        // The texts have a small dictionary of their own, and only what is in it is looked for.
        let starts = vec![0; self.kinds().len()];
        let word_roles = self.added.word_roles().clone();
        let mut own = Dictionary::starting_at(self.kinds().to_vec(), &starts, word_roles);
        for text in texts {
            reader.learn(&mut own, text)?;
        }
        let maps = self.locate_all(&own);
        for (row, text) in texts.iter().enumerate() {
            reader.learn(&mut own, text)?;
            for (ids, map) in reader.occurrences.blocks.iter_mut().zip(&maps) {
                ids.iter_mut().for_each(|id| *id = map[*id as usize]);
            }
            take(row, &mut reader);
        }
        Ok(())
    }

    /// The ids here of the features of another dictionary, block by block.
    fn locate_all(&self, other: &Dictionary) -> Vec<Vec<u32>> {
        let mut maps = other.blocks().map(|len| vec![UNKNOWN; len]).collect::<Vec<_>>();
        other.translate(&mut self.finder(other.blocks().sum()), &mut maps);
        maps
    }

    /// What finds so many features here.
    fn finder(&self, features: usize) -> Finder<'_> {
        let halving = match self.is_halved(features * BYTES_PER_FEATURE) {
            true => self.base.sorted.get(),
            false => None,
        };
        let of_words = word_blocks(self.kinds());
        match halving {
            Some(ordered) => Finder::Halving(
                Halving { sorted: &ordered.sorted, word_blocks: of_words },
                self.added(),
            ),
            None => Finder::Hashed(self.known()),
        }
    }

    /// Where the ids of `other` stand here, block by block; [`UNKNOWN`] if one is missing.
    pub(crate) fn locate(&self, other: &Features) -> Vec<Vec<u32>> {
        let mut maps = other.blocks().map(|len| vec![UNKNOWN; len]).collect::<Vec<_>>();
        let mut finder = self.finder(other.blocks().sum());
        other.hashed().translate(&mut finder, &mut maps);
        if let Some(added) = other.added() {
            added.translate(&mut finder, &mut maps);
        }
        maps
    }

    /// The same, with what is missing added: these features and more, and the ids of `other` among them.
    pub(crate) fn with(&self, other: &Features) -> Result<(Self, Vec<Vec<u32>>)> {
        let lengths: Vec<usize> = other.blocks().collect();
        let mut maps = lengths.iter().map(|&len| vec![UNKNOWN; len]).collect::<Vec<_>>();
        let here: usize = self.base.lengths.iter().sum();
        let more = self.blocks().sum::<usize>() - here + lengths.iter().sum::<usize>();
        if more > FEW.max(here / MERGED_SHARE) {
            // Enough for a new base, with the same ids.
            let mut dictionary = self.hashed().clone();
            if let Some(added) = self.added() {
                dictionary.extend(added);
            }
            dictionary.reserve(other.hashed());
            let mut learn = Learn(&mut dictionary);
            other.hashed().translate(&mut learn, &mut maps);
            if let Some(added) = other.added() {
                added.translate(&mut learn, &mut maps);
            }
            dictionary.check_size()?;
            return Ok((Self::met(self.reading(), dictionary), maps));
        }
        let mut added = (*self.added).clone();
        let finder = self.finder_of_base(lengths.iter().sum());
        let mut entering = Entering { base: finder, added: Learn(&mut added) };
        other.hashed().translate(&mut entering, &mut maps);
        if let Some(more) = other.added() {
            more.translate(&mut entering, &mut maps);
        }
        added.check_size()?;
        Ok((Features { base: self.base.clone(), added: Arc::new(added) }, maps))
    }

    fn finder_of_base(&self, features: usize) -> Finder<'_> {
        match self.finder(features) {
            Finder::Halving(halving, _) => Finder::Halving(halving, None),
            Finder::Hashed(_) => Finder::Hashed(Known::new(self.hashed(), None)),
        }
    }

    /// Marks in the first `blocks` blocks, which are not counted, what is part of a longer n-gram that is
    /// alive.
    pub(crate) fn mark_parts(&self, blocks: usize, alive: &mut [Option<Vec<bool>>]) {
        if blocks == 0 {
            return;
        }
        let lengths = self.blocks().take(blocks);
        for (alive, len) in alive.iter_mut().zip(lengths) {
            *alive = Some(vec![false; len]);
        }
        for block in (1..word_blocks(self.kinds())).rev() {
            let more = self.added().into_iter().flat_map(|added| added.pairs(block));
            for (both, id) in self.hashed().pairs(block).chain(more) {
                let (shorter, longer) = alive.split_at_mut(block);
                if longer[0].as_ref().is_none_or(|alive| alive[id as usize]) {
                    let (first, last) = halves(both);
                    for (block, id) in [(block - 1, first), (0, last)] {
                        if block < blocks
                            && let Some(alive) = &mut shorter[block]
                        {
                            alive[id as usize] = true;
                        }
                    }
                }
            }
        }
    }

    /// All features that are alive, in order, and the id of each. A block says of each id whether it is, or
    /// nothing if all are.
    pub(crate) fn in_order(&self, alive: &[Option<Vec<bool>>]) -> Ordered {
        match (self.added(), alive.iter().all(Option::is_none)) {
            (None, true) => self.ordered().clone(),
            (added, _) => order(self.ordered(), self.kinds(), added, alive),
        }
    }

    /// The spellings of some features of a block, by their ids: tokens joined by a space.
    pub(crate) fn spelled(&self, block: usize, ids: &[u32]) -> Vec<Vec<u8>> {
        let mut found = vec![Vec::new(); ids.len()];
        let mut wanted: Vec<(u32, usize)> = ids.iter().copied().zip(0..).collect();
        wanted.sort_unstable();
        let places = |id: u32| {
            let start = wanted.partition_point(|&(other, _)| other < id);
            wanted[start..]
                .iter()
                .take_while(move |&&(other, _)| other == id)
                .map(|&(_, place)| place)
        };
        // Without a hash table, the base came from a file, and places are ids.
        if let (None, Some(Ordered { sorted, .. })) =
            (self.base.hashed.get(), self.base.sorted.get())
        {
            let here = self.base.lengths[block] as u32;
            for &(id, place) in wanted.iter().take_while(|&&(id, _)| id < here) {
                found[place] = sorted.spelling(block, id as usize);
            }
        } else {
            self.spell_from(self.hashed(), block, &mut found, &places);
        }
        if let Some(added) = self.added() {
            self.spell_from(added, block, &mut found, &places);
        }
        found
    }

    fn spell_from<I: Iterator<Item = usize>>(
        &self,
        dictionary: &Dictionary,
        block: usize,
        found: &mut [Vec<u8>],
        places: &impl Fn(u32) -> I,
    ) {
        if !matches!(self.kinds()[block], FeatureKind::WordNgram(2..)) {
            for (key, id) in dictionary.spelled(block) {
                places(id).for_each(|place| found[place] = key.to_vec());
            }
            return;
        }
        let mut pairs = Vec::new();
        for (pair, id) in dictionary.pairs(block) {
            pairs.extend(places(id).map(|place| (place, halves(pair))));
        }
        let of = |half: fn((u32, u32)) -> u32| pairs.iter().map(|&(_, both)| half(both)).collect();
        let (firsts, lasts): (Vec<u32>, Vec<u32>) = (of(|both| both.0), of(|both| both.1));
        let firsts = self.spelled(block - 1, &firsts).into_iter();
        for ((&(place, _), first), last) in pairs.iter().zip(firsts).zip(self.spelled(0, &lasts)) {
            found[place] = [first, last].join(&b' ');
        }
    }

    /// The character n-grams of a block with their ids.
    pub(crate) fn chars(&self, block: usize) -> impl Iterator<Item = (Key<'_>, u32)> + '_ {
        let added = self.added().into_iter().flat_map(move |added| added.own(block).iter());
        self.hashed().own(block).iter().chain(added)
    }

    /// The id of a character n-gram, or [`UNKNOWN`].
    pub(crate) fn find_chars(&self, block: usize, key: Key<'_>) -> u32 {
        self.known().other(block - word_blocks(self.kinds()), key)
    }
}

/// Finds the features of a base, and then what was added to it.
enum Finder<'a> {
    Halving(Halving<'a>, Option<&'a Dictionary>),
    Hashed(Known<'a>),
}

impl Find for Finder<'_> {
    fn word(&mut self, word: Key<'_>) -> u32 {
        match self {
            Finder::Hashed(known) => known.word(word),
            Finder::Halving(base, added) => match (base.word(word), added) {
                (UNKNOWN, Some(added)) => Known::new(added, None).word(word),
                (id, _) => id,
            },
        }
    }

    fn ngram(&mut self, n: usize, pair: u64) -> u32 {
        match self {
            Finder::Hashed(known) => known.ngram(n, pair),
            Finder::Halving(base, added) => match (base.ngram(n, pair), added) {
                (UNKNOWN, Some(added)) => Known::new(added, None).ngram(n, pair),
                (id, _) => id,
            },
        }
    }

    fn other(&mut self, place: usize, key: Key<'_>) -> u32 {
        match self {
            Finder::Hashed(known) => known.other(place, key),
            Finder::Halving(base, added) => match (base.other(place, key), added) {
                (UNKNOWN, Some(added)) => Known::new(added, None).other(place, key),
                (id, _) => id,
            },
        }
    }
}

/// Finds the features of a base, and adds what it does not have.
struct Entering<'a> {
    base: Finder<'a>,
    added: Learn<'a>,
}

impl Find for Entering<'_> {
    fn word(&mut self, word: Key<'_>) -> u32 {
        match self.base.word(word) {
            UNKNOWN => self.added.word(word),
            id => id,
        }
    }

    fn ngram(&mut self, n: usize, pair: u64) -> u32 {
        match self.base.ngram(n, pair) {
            UNKNOWN => self.added.ngram(n, pair),
            id => id,
        }
    }

    fn other(&mut self, place: usize, key: Key<'_>) -> u32 {
        match self.base.other(place, key) {
            UNKNOWN => self.added.other(place, key),
            id => id,
        }
    }
}

/// Puts features that were added where they belong among a base in order, and leaves out what is not alive.
/// Few are added to many, so whatever stays together is moved together.
fn order(
    base: &Ordered,
    kinds: &[FeatureKind],
    added: Option<&Dictionary>,
    alive: &[Option<Vec<bool>>],
) -> Ordered {
    let mut whole = Ordered::default();
    let mut moves: Vec<Moves> = Vec::new();
    for (block, features) in base.sorted.blocks.iter().enumerate() {
        let alive = alive[block].as_deref();
        let lives = |id: u32| alive.is_none_or(|alive| alive[id as usize]);
        let kept = kept(features.len(), base.ids(block).map(lives), alive.is_none());
        let (sorted, steps, added_ids): (BlockFeatures, Vec<Step>, Vec<u32>) = match features {
            BlockFeatures::Spelled(strings) => {
                let added = added.into_iter().flat_map(|added| added.spelled(block));
                let mut more: Vec<(Vec<u8>, u32)> = added
                    .map(|(key, id)| (key.to_vec(), id))
                    .filter(|&(_, id)| lives(id))
                    .collect();
                more.sort_unstable();
                let steps = steps(&kept, more.len(), |index| strings.place(&more[index].0));
                let sorted = BlockFeatures::Spelled(merge_strings(strings, &steps, &more));
                (sorted, steps, more.into_iter().map(|(_, id)| id).collect())
            }
            BlockFeatures::Ngrams(trie) => {
                let (firsts, words) = (&moves[block - 1], &moves[0]);
                let added = added.into_iter().flat_map(|added| added.pairs(block));
                let placed = |(both, id): (u64, u32)| {
                    let (first, last) = halves(both);
                    (pair(firsts.of_id[first as usize], words.of_id[last as usize]), id)
                };
                let mut more: Vec<(u64, u32)> =
                    added.filter(|&(_, id)| lives(id)).map(placed).collect();
                more.sort_unstable();
                let steps = steps(&kept, more.len(), |index| {
                    let (first, last) = halves(more[index].0);
                    let alike = firsts.alike(trie, first as usize);
                    let is_less = |&other: &u32| words.of_base[other as usize] < last;
                    alike.start + trie.lasts[alike].partition_point(is_less)
                });
                let sorted = merge_ngrams(trie, firsts, words, &kept, &steps, &more);
                (BlockFeatures::Ngrams(sorted), steps, more.into_iter().map(|(_, id)| id).collect())
            }
        };
        let ids = merge_ids(&base.ids[block], &steps, &added_ids);
        if matches!(kinds.get(block + 1), Some(FeatureKind::WordNgram(2..))) {
            let all = added.and_then(|added| added.blocks().nth(block));
            let all = all.unwrap_or(features.len());
            moves.push(Moves::new(features.len(), all, &ids, steps, block == 0));
        }
        whole.sorted.blocks.push(sorted);
        whole.ids.push(ids);
    }
    whole
}

/// Features that stand together: so many of the base from some place there on, or so many of those that
/// were added, which come before that place.
struct Step {
    is_added: bool,
    /// The first of them, among the base or among what was added.
    first: usize,
    len: usize,
    /// Where they stand in the base, or would.
    before: usize,
    /// Where they stand now.
    now: usize,
}

/// The places of the base that stay.
fn kept(len: usize, lives: impl Iterator<Item = bool>, all: bool) -> Vec<Range<usize>> {
    let mut kept: Vec<Range<usize>> = Vec::new();
    if all {
        kept.extend((len > 0).then_some(0..len));
        return kept;
    }
    for (place, _) in lives.enumerate().filter(|&(_, lives)| lives) {
        match kept.last_mut() {
            Some(range) if range.end == place => range.end += 1,
            _ => kept.push(place..place + 1),
        }
    }
    kept
}

/// What is kept of the base, and what was added: so many, the places before which they belong rising.
fn steps(kept: &[Range<usize>], added: usize, place: impl Fn(usize) -> usize) -> Vec<Step> {
    let (mut steps, mut now): (Vec<Step>, usize) = (Vec::new(), 0);
    let mut push = |is_added: bool, first: usize, len: usize, before: usize| {
        match steps.last_mut() {
            Some(last) if is_added && last.is_added => last.len += len,
            _ if len == 0 => {}
            _ => steps.push(Step { is_added, first, len, before, now }),
        }
        now += len;
    };
    let mut more = (0..added).map(|index| (index, place(index))).peekable();
    for range in kept {
        let mut start = range.start;
        while let Some((index, place)) = more.next_if(|&(_, place)| place < range.end) {
            let end = place.max(start);
            push(false, start, end - start, start);
            push(true, index, 1, end);
            start = end;
        }
        push(false, start, range.end - start, start);
    }
    more.for_each(|(index, place)| push(true, index, 1, place));
    steps
}

/// Where the features of a block went, of which longer ones are made.
struct Moves {
    steps: Vec<Step>,
    /// The new place of each id.
    of_id: Vec<u32>,
    /// The new place of each place in the base; of one that is gone, that of the next.
    of_base: Vec<u32>,
}

impl Moves {
    fn new(base: usize, all: usize, ids: &Ids, steps: Vec<Step>, are_words: bool) -> Self {
        let mut of_id = vec![UNKNOWN; all];
        (0..).zip(ids.iter()).for_each(|(place, id)| of_id[id as usize] = place);
        let mut of_base = Vec::new();
        for step in steps.iter().filter(|step| are_words && !step.is_added) {
            of_base.resize(step.first, step.now as u32);
            of_base.extend(step.now as u32..(step.now + step.len) as u32);
        }
        let len = steps.last().map_or(0, |step| step.now + step.len);
        of_base.resize(if are_words { base } else { 0 }, len as u32);
        Moves { steps, of_id, of_base }
    }

    /// Where n-grams stand in the base whose first words have this place now; none, if these were added.
    fn alike(&self, trie: &Trie, first: usize) -> Range<usize> {
        let step = &self.steps[self.steps.partition_point(|step| step.now <= first) - 1];
        let before = step.before + if step.is_added { 0 } else { first - step.now };
        let after = before + usize::from(!step.is_added);
        trie.starts[before] as usize..trie.starts[after] as usize
    }
}

fn merge_ids(base: &Ids, steps: &[Step], added: &[u32]) -> Ids {
    match base {
        Ids::Any(ids) => {
            let of = |step: &Step| if step.is_added { added } else { ids };
            let parts = steps.iter().map(|step| &of(step)[step.first..step.first + step.len]);
            Ids::Any(parts.collect::<Vec<_>>().concat())
        }
        // In a base that came from a file, places are ids.
        Ids::Rising(_) => {
            let mut ranges = Vec::new();
            for step in steps {
                let (start, end) = (step.first as u32, (step.first + step.len) as u32);
                match step.is_added {
                    true => ranges
                        .extend(added[start as usize..end as usize].iter().map(|&id| id..id + 1)),
                    false => ranges.push(start..end),
                }
            }
            Ids::Rising(ranges)
        }
    }
}

fn merge_strings(base: &Strings, steps: &[Step], more: &[(Vec<u8>, u32)]) -> Strings {
    let mut strings = Strings {
        bytes: Vec::with_capacity(base.bytes.len()),
        ends: Vec::with_capacity(base.len() + more.len()),
    };
    for step in steps {
        let range = step.first..step.first + step.len;
        if step.is_added {
            more[range].iter().for_each(|(string, _)| strings.push(string));
        } else {
            strings.extend(base, range);
        }
    }
    strings
}

fn merge_ngrams(
    base: &Trie,
    firsts: &Moves,
    words: &Moves,
    kept: &[Range<usize>],
    steps: &[Step],
    more: &[(u64, u32)],
) -> Trie {
    let mut lasts = Vec::with_capacity(base.lasts.len() + more.len());
    for step in steps {
        let range = step.first..step.first + step.len;
        match step.is_added {
            true => lasts.extend(more[range].iter().map(|&(both, _)| both as u32)),
            false => {
                let before = base.lasts[range].iter();
                lasts.extend(before.map(|&last| words.of_base[last as usize]));
            }
        }
    }
    // Before the n-grams of some first words stand as many of the base as did, but for those that are gone,
    // and those that were added with earlier ones.
    let mut starts = Vec::with_capacity(firsts.of_id.len() + 1);
    let (mut ranges, mut gone_until, mut gone) = (kept.iter().peekable(), 0, 0);
    let mut left = |start: u32| {
        while let Some(range) = ranges.next_if(|range| range.start < start as usize) {
            gone += range.start - gone_until;
            gone_until = range.end;
        }
        start - (gone + (start as usize).saturating_sub(gone_until)) as u32
    };
    let mut earlier = 0;
    for step in &firsts.steps {
        for first in 0..step.len {
            let now = (step.now + first) as u32;
            while more.get(earlier).is_some_and(|&(both, _)| halves(both).0 < now) {
                earlier += 1;
            }
            let before = step.before + if step.is_added { 0 } else { first };
            starts.push(left(base.starts[before]) + earlier as u32);
        }
    }
    starts.push(lasts.len() as u32);
    Trie { starts, lasts }
}
