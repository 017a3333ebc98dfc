//! The features of a tally: a base that is never written again, and what came since.
//!
//! Tallies that follow one another share their base, so a new one costs what is new in it. The base is
//! found by hashing where it was counted, and by halving where it came from a file; each form is made of
//! the other when it is wanted.

use crate::cast::Cast;
use crate::dictionary::{
    Dictionary, Find, Handing, Known, Learn, UNKNOWN, halves, pair, word_blocks,
};
use crate::error::Result;
use crate::key::{Key, Keys};
use crate::reader::{Occurrences, Reader};
use crate::reading::{Kind, Reading};
use crate::sorted::{Block, Halving, Sorted, Strings, Trie};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

/// What came since is merged with the base when it is more than this part of it.
const PART: usize = 8;

/// But not before there is so much of it.
const FEW: usize = 4096;

/// To enter a feature costs about as much as to find the features of so many bytes by halving.
const BYTES_PER_FEATURE: usize = 4;

/// The features of a tally and their ids, block by block.
#[derive(Clone)]
pub struct Features {
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

/// Features in order, and the id of each; places are ids where `ids` is empty.
#[derive(Clone)]
pub struct Ordered {
    pub sorted: Sorted,
    ids: Vec<Vec<u32>>,
}

impl Ordered {
    pub fn id(&self, block: usize, place: usize) -> u32 {
        self.ids.get(block).map_or(place as u32, |ids| ids[place])
    }
}

impl Features {
    /// Features as they were met.
    pub fn met(reading: &Reading, dictionary: Dictionary) -> Self {
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
    pub fn stored(reading: &Reading, sorted: Sorted) -> Self {
        let base = Base {
            reading: reading.clone(),
            lengths: sorted.blocks.iter().map(Block::len).collect(),
            hashed: OnceLock::new(),
            sorted: OnceLock::from(Ordered { sorted, ids: Vec::new() }),
            halved: AtomicUsize::new(0),
        };
        Self::of(base, None)
    }

    fn of(base: Base, cast: Option<Arc<Cast>>) -> Self {
        let cast = match (cast, base.hashed.get()) {
            (Some(cast), _) => cast,
            (None, Some(dictionary)) => dictionary.cast().clone(),
            (None, None) => Arc::new(Cast::new(&base.reading)),
        };
        let added = Dictionary::starting_at(base.reading.kinds(), &base.lengths, cast);
        Features { base: Arc::new(base), added: Arc::new(added) }
    }

    pub fn reading(&self) -> &Reading {
        &self.base.reading
    }

    pub fn kinds(&self) -> &[Kind] {
        self.added.kinds()
    }

    /// How many ids each block has given.
    pub fn blocks(&self) -> impl Iterator<Item = usize> + '_ {
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
                self.added.cast().clone(),
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
            let nothing = Ordered { sorted: Sorted::empty(self.kinds()), ids: Vec::new() };
            let every = vec![None; self.kinds().len()];
            order(&nothing, self.kinds(), self.base.hashed.get(), &every)
        })
    }

    /// A reader of texts whose features are these.
    pub fn reader(&self) -> Reader {
        Reader::new(self.reading(), self.added.cast())
    }

    fn known(&self) -> Known<'_> {
        Known::new(self.hashed(), self.added())
    }

    /// Finds the features of a text; those that are not here are [`UNKNOWN`].
    pub fn read<'a>(&self, reader: &'a mut Reader, text: &str) -> &'a Occurrences {
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
    pub fn is_halved(&self, bytes: usize) -> bool {
        let features: usize = self.base.lengths.iter().sum();
        let is_free = || {
            self.base.halved.fetch_add(bytes, Ordering::Relaxed) + bytes
                <= features / BYTES_PER_FEATURE
        };
        self.base.hashed.get().is_none() && is_free()
    }

    /// Hands the features of each text to `take`, with its row. Threads are the caller's business.
    pub fn each(&self, texts: &[&str], mut take: impl FnMut(usize, &mut Reader)) -> Result<()> {
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
        let cast = self.added.cast().clone();
        let mut own = Dictionary::starting_at(self.kinds().to_vec(), &starts, cast);
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
    pub fn locate(&self, other: &Features) -> Vec<Vec<u32>> {
        let mut maps = other.blocks().map(|len| vec![UNKNOWN; len]).collect::<Vec<_>>();
        let mut finder = self.finder(other.blocks().sum());
        other.hashed().translate(&mut finder, &mut maps);
        if let Some(added) = other.added() {
            added.translate(&mut finder, &mut maps);
        }
        maps
    }

    /// The same, with what is missing added: these features and more, and the ids of `other` among them.
    pub fn with(&self, other: &Features) -> Result<(Self, Vec<Vec<u32>>)> {
        let lengths: Vec<usize> = other.blocks().collect();
        let mut maps = lengths.iter().map(|&len| vec![UNKNOWN; len]).collect::<Vec<_>>();
        let here: usize = self.base.lengths.iter().sum();
        let more = self.blocks().sum::<usize>() - here + lengths.iter().sum::<usize>();
        if more > FEW.max(here / PART) {
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
    pub fn mark_parts(&self, blocks: usize, alive: &mut [Option<Vec<bool>>]) {
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
    pub fn in_order(&self, alive: &[Option<Vec<bool>>]) -> Ordered {
        match (self.added(), alive.iter().all(Option::is_none)) {
            (None, true) => self.ordered().clone(),
            (added, _) => order(self.ordered(), self.kinds(), added, alive),
        }
    }

    /// The spellings of some features of a block, by their ids: tokens joined by a space.
    pub fn spelled(&self, block: usize, ids: &[u32]) -> Vec<Vec<u8>> {
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
        if let (None, Some(Ordered { sorted, ids: of_base })) =
            (self.base.hashed.get(), self.base.sorted.get())
            && of_base.is_empty()
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
        if !matches!(self.kinds()[block], Kind::Words(2..)) {
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
fn order(
    base: &Ordered,
    kinds: &[Kind],
    added: Option<&Dictionary>,
    alive: &[Option<Vec<bool>>],
) -> Ordered {
    let mut whole = Ordered { sorted: Sorted::default(), ids: Vec::new() };
    let mut places: Vec<Places> = Vec::new();
    for (block, features) in base.sorted.blocks.iter().enumerate() {
        let lives = |id: u32| alive[block].as_ref().is_none_or(|alive| alive[id as usize]);
        let here = |place: usize| Some(base.id(block, place)).filter(|&id| lives(id));
        let mut ids = Vec::with_capacity(features.len());
        let mut from = Vec::with_capacity(features.len());
        let mut take = |id: u32, place: u32| {
            ids.push(id);
            from.push(place);
        };
        let sorted = match features {
            Block::Spelled(strings) => {
                let added = added.into_iter().flat_map(|added| added.spelled(block));
                let mut more: Vec<(Vec<u8>, u32)> = added
                    .map(|(key, id)| (key.to_vec(), id))
                    .filter(|&(_, id)| lives(id))
                    .collect();
                more.sort_unstable();
                Block::Spelled(merge_strings(strings, here, &more, &mut take))
            }
            Block::Ngrams(trie) => {
                let (firsts, words) = (&places[block - 1], &places[0]);
                let added = added.into_iter().flat_map(|added| added.pairs(block));
                let placed = |(both, id): (u64, u32)| {
                    let (first, last) = halves(both);
                    (pair(firsts.of_id[first as usize], words.of_id[last as usize]), id)
                };
                let mut more: Vec<(u64, u32)> =
                    added.filter(|&(_, id)| lives(id)).map(placed).collect();
                more.sort_unstable();
                Block::Ngrams(merge_ngrams(trie, firsts, words, here, &more, &mut take))
            }
        };
        let is_word = matches!(kinds[block], Kind::Words(_));
        places.push(if is_word {
            Places::new(&ids, from, features.len())
        } else {
            Places::default()
        });
        whole.sorted.blocks.push(sorted);
        whole.ids.push(ids);
    }
    whole
}

/// Where the features of a block stand now.
#[derive(Default)]
struct Places {
    /// By id.
    of_id: Vec<u32>,
    /// By where they stood in the base.
    of_base: Vec<u32>,
    /// Where each stood in the base, or [`UNKNOWN`].
    from: Vec<u32>,
}

impl Places {
    fn new(ids: &[u32], from: Vec<u32>, base: usize) -> Self {
        let mut of_id = vec![UNKNOWN; ids.iter().max().map_or(0, |&id| id as usize + 1)];
        let mut of_base = vec![UNKNOWN; base];
        for (place, (&id, &before)) in (0..).zip(ids.iter().zip(&from)) {
            of_id[id as usize] = place;
            if before != UNKNOWN {
                of_base[before as usize] = place;
            }
        }
        Places { of_id, of_base, from }
    }
}

fn merge_strings(
    base: &Strings,
    here: impl Fn(usize) -> Option<u32>,
    more: &[(Vec<u8>, u32)],
    mut take: impl FnMut(u32, u32),
) -> Strings {
    let mut strings = Strings {
        bytes: Vec::with_capacity(base.bytes.len()),
        ends: Vec::with_capacity(base.len() + more.len()),
    };
    let mut more = more.iter().peekable();
    for place in 0..base.len() {
        let string = base.get(place);
        while let Some((added, id)) = more.next_if(|(added, _)| added.as_slice() < string) {
            strings.push(added);
            take(*id, UNKNOWN);
        }
        if let Some(id) = here(place) {
            strings.push(string);
            take(id, place as u32);
        }
    }
    for (added, id) in more {
        strings.push(added);
        take(*id, UNKNOWN);
    }
    strings
}

fn merge_ngrams(
    base: &Trie,
    firsts: &Places,
    words: &Places,
    here: impl Fn(usize) -> Option<u32>,
    more: &[(u64, u32)],
    mut take: impl FnMut(u32, u32),
) -> Trie {
    let mut trie = Trie {
        starts: Vec::with_capacity(firsts.from.len() + 1),
        lasts: Vec::with_capacity(base.lasts.len() + more.len()),
    };
    trie.starts.push(0);
    let mut more = more.iter().peekable();
    for (first, &before) in (0u32..).zip(&firsts.from) {
        let alike = match before {
            UNKNOWN => 0..0,
            _ => base.starts[before as usize] as usize..base.starts[before as usize + 1] as usize,
        };
        for place in alike {
            let Some(id) = here(place) else { continue };
            let last = words.of_base[base.lasts[place] as usize];
            while let Some(&(both, id)) = more.next_if(|&&(both, _)| both < pair(first, last)) {
                trie.lasts.push(both as u32);
                take(id, UNKNOWN);
            }
            trie.lasts.push(last);
            take(id, place as u32);
        }
        while let Some(&(both, id)) = more.next_if(|&&(both, _)| halves(both).0 == first) {
            trie.lasts.push(both as u32);
            take(id, UNKNOWN);
        }
        trie.starts.push(trie.lasts.len() as u32);
    }
    trie
}
