//! Close reading: words with what stands around them in mind.
//!
//! Between the words of a text and its features stand negation, stop words, stems, marks and a
//! lexicon. All of them look at one list of tokens, and each word is looked up once for the parts it
//! plays.

use crate::key::{Key, Keys, Packed};
use crate::lexicon::Phrases;
use crate::marks::{Marks, Scratch};
use crate::reading::{Negation, Reading};
use crate::stems::Stems;
use crate::tokens::{Spans, Tokenizer, Trait};
use crate::vocabulary::Vocabulary;
use std::borrow::Cow;

/// Reads texts closely: scratch space that is used again for each.
pub struct CloseReader {
    reading: Reading,
    roles: Roles,
    phrases: Phrases,
    stems: Option<Stems>,
    spans: Spans,
    /// Places of tokens that may play a part, that are negated (from, up to), that are left out.
    players: Vec<u32>,
    negated: Vec<(u32, u32)>,
    stopped: Vec<u32>,
    hits: Vec<Hit>,
    smiles: Vec<Smile>,
    scratch: Scratch,
    /// What was read of the text: its words, the marks on it, the categories of the lexicon.
    pub words: Keys,
    pub marks: Keys,
    pub categories: Keys,
}

/// An entry of the lexicon that was met.
struct Hit {
    entry: u32,
    negated: bool,
}

/// An emoticon of the lexicon, and from where to where it goes in the text.
struct Smile {
    start: usize,
    end: usize,
    entry: u32,
}

impl Smile {
    /// Whether it begins no sooner than a phrase from `start` to `end`, and is not all of it: then it is
    /// part of the phrase, or stands behind it; else the phrase is part of the emoticon, and none.
    fn is_within(&self, start: usize, end: usize) -> bool {
        self.start > start || (self.start == start && self.end < end)
    }
}

/// The negation in force: of the tokens from `start` up to `end`.
struct Scope {
    start: usize,
    end: usize,
}

impl CloseReader {
    pub fn new(reading: &Reading) -> Self {
        let mut roles = Roles::new(reading);
        let phrases = Phrases::new(reading, |token, place| roles.of_mut(token).entries = place);
        CloseReader {
            reading: reading.clone(),
            roles,
            phrases,
            stems: reading.stem.as_ref().map(Stems::new),
            spans: Spans::default(),
            players: Vec::new(),
            negated: Vec::new(),
            stopped: Vec::new(),
            hits: Vec::new(),
            smiles: Vec::new(),
            scratch: Scratch::default(),
            words: Keys::default(),
            marks: Keys::default(),
            categories: Keys::default(),
        }
    }

    pub fn read(&mut self, tokenizer: &mut Tokenizer, text: &str) {
        tokenizer.tokens(text, &mut self.words, &mut self.spans);
        self.marks.clear();
        self.hits.clear();
        self.smiles.clear();
        if self.reading.marks != Marks::default() || self.phrases.has_emoticons() {
            let (phrases, smiles) = (&self.phrases, &mut self.smiles);
            let (marks, scratch) = (&mut self.marks, &mut self.scratch);
            self.reading.marks.find(text, &self.spans, marks, scratch, |start, smile| {
                let end = start + smile.len();
                smiles.extend(phrases.emoticon(smile).map(|entry| Smile { start, end, entry }));
            });
        }
        self.clauses(text.as_bytes());
        self.keep();
        self.categories.clear();
        for hit in &self.hits {
            let Some(lexicon) = &self.reading.lexicon else { break };
            for &category in &lexicon.entries[hit.entry as usize].categories {
                let key = Key::new(lexicon.categories[category as usize].as_bytes());
                match hit.negated {
                    true => self.categories.push_negated(key),
                    false => self.categories.push_key(key),
                }
            }
        }
    }

    /// The net polarity of the text that was just read: a negated word counts the other way round.
    pub fn polarity(&self) -> f64 {
        let Some(lexicon) = &self.reading.lexicon else { return 0.0 };
        let value = |hit: &Hit| {
            let polarity = lexicon.entries[hit.entry as usize].polarity;
            if hit.negated { -polarity } else { polarity }
        };
        // The `sum` of nothing is −0.
        self.hits.iter().map(value).fold(0.0, |sum, value| sum + value)
    }

    /// Finds the words that play a part, and of them what is negated, hit and left out.
    fn clauses(&mut self, text: &[u8]) {
        self.negated.clear();
        self.stopped.clear();
        self.roles.find(self.words.packed(), self.spans.traits(), &mut self.players);
        let one_word = self.reading.negation.as_ref().is_some_and(|negation| negation.one_word);
        let mut scope: Option<Scope> = None;
        let mut phrase_until = 0;
        let mut smiles = 0;
        let mut clause_end = 0;
        for index in 0..self.players.len() {
            let place = self.players[index] as usize;
            let role = self.roles.of(self.words.get(place));
            let is_word = !self.spans.is_sign(place);
            // A negation that has ended before this token.
            if let Some(open) = scope.as_ref().filter(|open| open.end <= place) {
                self.negate(open.start, open.end);
                scope = None;
            }
            let mut negated = scope.is_some();
            if is_word
                && role.is(Role::ENDS | Role::NEGATES)
                && let Some(open) = scope.as_ref()
            {
                negated = false;
                self.negate(open.start, place);
                scope = match role.is(Role::ENDS | Role::CANCELS) {
                    true => None,
                    false => Some(Scope { start: place + 1, end: open.end }),
                };
            } else if is_word && role.is(Role::NEGATES) && !self.is_exempt(place + 1) {
                // Each clause is searched for its end once, however many negators it has.
                if clause_end <= place {
                    clause_end = self.end_of_clause(text, place + 1);
                }
                let end = match one_word {
                    true => clause_end.min(self.after_next_word(place + 1)),
                    false => clause_end,
                };
                if !(self.asks(text, clause_end) && self.begins_clause(text, place)) {
                    scope = Some(Scope { start: place + 1, end });
                }
            }
            if role.entries != Role::NONE && place >= phrase_until {
                let start = self.spans.start(place);
                smiles += self.smiles[smiles..].iter().take_while(|at| at.end <= start).count();
                if let Some((entry, more)) = self.phrase(role.entries, place)
                    && let end = self.spans.end(place + more)
                    && self.smiles.get(smiles).is_none_or(|smile| smile.is_within(start, end))
                {
                    self.hits.push(Hit { entry, negated });
                    phrase_until = place + 1 + more;
                    let covered = self.smiles[smiles..].iter_mut().take_while(|at| at.start < end);
                    covered.for_each(|smile| smile.entry = Role::NONE);
                }
            }
            if role.is(Role::STOPS) {
                self.stopped.push(place as u32);
            }
        }
        if let Some(open) = scope {
            self.negate(open.start, open.end);
        }
        let smiles = self.smiles.iter().filter(|smile| smile.entry != Role::NONE);
        self.hits.extend(smiles.map(|smile| Hit { entry: smile.entry, negated: false }));
    }

    /// The longest of the `entries` that begins at `place`, and how many more tokens it takes.
    fn phrase(&self, entries: u32, place: usize) -> Option<(u32, usize)> {
        self.phrases.longest(entries, |after, token, must_touch| {
            let next = place + 1 + after;
            next < self.spans.len()
                && (!must_touch || self.spans.end(next - 1) == self.spans.start(next))
                && self.roles.is_lowered(self.words.get(next), token)
        })
    }

    /// Whether the clause that ends at `place` is a question.
    fn asks(&self, text: &[u8], place: usize) -> bool {
        let signs = ["?", "？", "؟"];
        place < self.spans.len()
            && signs.iter().any(|sign| text[self.spans.start(place)..].starts_with(sign.as_bytes()))
    }

    /// The place of the sign that ends the clause which goes on at `start`, or of what stands behind the
    /// blank line that does, or the end of the text.
    fn end_of_clause(&self, text: &[u8], start: usize) -> usize {
        let mut places = start..self.spans.len();
        let ends = |place| ends_clause(text, &self.spans, place) || self.is_parted(text, place);
        places.find(|&place| ends(place)).unwrap_or(places.end)
    }

    /// Whether a blank line parts a token from the one before.
    fn is_parted(&self, text: &[u8], place: usize) -> bool {
        let before = if place == 0 { 0 } else { self.spans.end(place - 1) };
        memchr::memchr_iter(b'\n', &text[before..self.spans.start(place)]).nth(1).is_some()
    }

    /// The place after the first word from `start` on.
    fn after_next_word(&self, start: usize) -> usize {
        let mut places = start..self.spans.len();
        places.find(|&place| !self.spans.is_sign(place)).map_or(places.end, |word| word + 1)
    }

    /// Whether the word at `place` begins its clause, as in "Isn't it nice?"; or is the `n't` of a word
    /// that does.
    fn begins_clause(&self, text: &[u8], place: usize) -> bool {
        let begins = |place: usize| {
            let mut near = (0..place).rev().map(|at| match self.spans.is_sign(at) {
                _ if self.is_parted(text, at + 1) => Some(true),
                true => ends_clause(text, &self.spans, at).then_some(true),
                false => Some(self.roles.of(self.words.get(at)).is(Role::ENDS)),
            });
            near.find_map(|found| found).unwrap_or(true)
        };
        let split = is_split_contraction(self.words.get(place));
        begins(place) || (split && place > 0 && !self.spans.is_sign(place - 1) && begins(place - 1))
    }

    /// Whether a negator right before this word does not negate.
    fn is_exempt(&self, place: usize) -> bool {
        place < self.spans.len()
            && !self.spans.is_sign(place)
            && self.roles.of(self.words.get(place)).is(Role::EXEMPTS)
    }

    fn negate(&mut self, start: usize, end: usize) {
        if start < end {
            self.negated.push((start as u32, end as u32));
        }
    }

    /// Keeps of the tokens what the reading asks for, as it asks for it.
    fn keep(&mut self) {
        if let Some(stems) = &mut self.stems {
            for place in (0..self.spans.len()).filter(|&place| !self.spans.is_sign(place)) {
                self.words.replace(place, |word| stems.of(word));
            }
        }
        for &(start, end) in &self.negated {
            for place in start as usize..end as usize {
                if !self.spans.is_sign(place) {
                    self.words.negate(place);
                }
            }
        }
        let mut stopped = self.stopped.iter().peekable();
        let mut stays = |place| stopped.next_if(|&&stop| stop as usize == place).is_none();
        let spans = &self.spans;
        match (self.reading.punctuation, self.stopped.is_empty()) {
            (true, true) => {}
            (true, false) => self.words.retain(stays),
            (false, true) => self.words.retain(|place| !spans.is_sign(place)),
            (false, false) => self.words.retain(|place| stays(place) & !spans.is_sign(place)),
        }
    }
}

/// The `n't` of treebanks, which stands apart from its verb.
fn is_split_contraction(key: Key<'_>) -> bool {
    key.read(|word| matches!(word, b"n't" | b"n\xe2\x80\x99t"))
}

/// Whether a token is a sign that ends a clause: stops, commas, brackets, dashes. A hyphen does not when
/// it is within a word, nor do quotation marks.
#[inline(always)]
fn ends_clause(text: &[u8], spans: &Spans, place: usize) -> bool {
    match spans.traits()[place] & (Trait::ENDS_CLAUSE | Trait::MAY_END_CLAUSE) {
        0 => false,
        Trait::ENDS_CLAUSE => true,
        _ => ends_clause_here(text, spans.start(place), spans.end(place)),
    }
}

fn ends_clause_here(text: &[u8], start: usize, end: usize) -> bool {
    match &text[start..end] {
        b"-" => {
            let joins = |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric());
            !(joins(start.checked_sub(1).and_then(|before| text.get(before)))
                && joins(text.get(end)))
        }
        wide => std::str::from_utf8(wide)
            .is_ok_and(|sign| "—–…。，、；：！？（）「」।॥،؛؟۔".contains(sign)),
    }
}

/// The parts a word plays.
#[derive(Clone, Copy, Debug)]
struct Role {
    flags: u8,
    /// Where the entries of the lexicon that begin with it stand.
    entries: u32,
}

impl Role {
    const NEGATES: u8 = 1;
    const CANCELS: u8 = 2;
    const ENDS: u8 = 4;
    const EXEMPTS: u8 = 8;
    const STOPS: u8 = 16;
    const NONE: u32 = u32::MAX;

    const PLAIN: Role = Role { flags: 0, entries: Role::NONE };

    #[inline(always)]
    fn is(self, flag: u8) -> bool {
        self.flags & flag != 0
    }
}

/// The parts of every word that plays one. Words are known in lower case.
struct Roles {
    lowercase: bool,
    words: Vocabulary,
    roles: Vec<Role>,
    /// Endings that play a part, longest first.
    endings: Vec<(Vec<u8>, u8)>,
    filter: Filter,
}

impl Roles {
    fn new(reading: &Reading) -> Self {
        let mut roles = Roles {
            lowercase: reading.lowercase,
            words: Vocabulary::default(),
            roles: Vec::new(),
            endings: Vec::new(),
            filter: Filter::new(),
        };
        let mut enter = |words: &[String], flags| {
            let words: Vec<_> = words.iter().map(|word| reading.form(word)).collect();
            roles.enter(&words, flags);
        };
        if let Some(Negation { negators, cancels, ends, unless, one_word: _ }) = &reading.negation {
            enter(negators, Role::NEGATES);
            enter(cancels, Role::NEGATES | Role::CANCELS);
            enter(ends, Role::ENDS);
            enter(unless, Role::EXEMPTS);
        }
        enter(&reading.stop_words, Role::STOPS);
        roles
    }

    fn enter(&mut self, words: &[Cow<'_, str>], flags: u8) {
        for word in words {
            match word.strip_prefix('*') {
                Some(ending) if !ending.is_empty() => {
                    self.filter.enter_ending(ending);
                    self.endings.push((ending.as_bytes().to_vec(), flags));
                }
                _ => self.of_mut(word.as_bytes()).flags |= flags,
            }
        }
        self.endings.sort_by_key(|(ending, _)| std::cmp::Reverse(ending.len()));
    }

    fn of_mut(&mut self, word: &[u8]) -> &mut Role {
        self.filter.enter(Key::new(word));
        let id = self.words.find_or_insert(Key::new(word)) as usize;
        if id == self.roles.len() {
            self.roles.push(Role::PLAIN);
        }
        &mut self.roles[id]
    }

    /// The places of the keys that may play a part. A word that is odd or has an
    /// apostrophe, or whose case was kept, always may. What comes next is anyone's guess, so nothing here branches on it.
    fn find(&self, keys: &[Packed], traits: &[u8], places: &mut Vec<u32>) {
        places.clear();
        if self.roles.is_empty() && self.endings.is_empty() {
            return;
        }
        let all = !self.lowercase | self.filter.passes_all;
        let (bits, always) = (&self.filter.bits[..], Trait::ODD | Trait::QUOTED);
        places.resize(keys.len(), 0);
        let (room, mut len) = (&mut places[..], 0);
        for (place, (&key, traits)) in keys.iter().zip(traits).enumerate() {
            room[len] = place as u32;
            len += usize::from(all | (traits & always != 0) | Filter::passes(bits, key));
        }
        places.truncate(len);
    }

    fn of(&self, key: Key<'_>) -> Role {
        match self.lowercase {
            true => self.of_lower(key),
            false => self.of_lower(Key::new(self.lowered(key).as_bytes())),
        }
    }

    /// Whether a word, in lower case, is this one.
    fn is_lowered(&self, key: Key<'_>, word: &[u8]) -> bool {
        match self.lowercase {
            true => key.read(|own| own == word),
            false => self.lowered(key).as_bytes() == word,
        }
    }

    /// A word whose case was kept, in lower case.
    fn lowered(&self, key: Key<'_>) -> String {
        key.read(|bytes| String::from_utf8_lossy(bytes).to_lowercase())
    }

    fn of_lower(&self, key: Key<'_>) -> Role {
        let found = self.words.find(key);
        let mut role = found.map_or(Role::PLAIN, |id| self.roles[id as usize]);
        let ends = key.read(|word| {
            // Few words end in the same letter; the others need no call to compare.
            let ends = |ending: &[u8]| word.last() == ending.last() && word.ends_with(ending);
            self.endings.iter().find(|(ending, _)| ends(ending))
        });
        role.flags |= ends.map_or(0, |(_, flags)| *flags);
        role
    }
}

/// Most words play no part, and a few bits are enough to tell: what does not pass plays none, unless
/// it is odd.
struct Filter {
    /// A power of two of bits, one set for each word.
    bits: Vec<u64>,
    keys: Vec<Packed>,
    passes_all: bool,
}

impl Filter {
    fn new() -> Self {
        Filter { bits: vec![0], keys: Vec::new(), passes_all: false }
    }

    fn enter(&mut self, key: Key<'_>) {
        let Key::Short(packed) = key else { return };
        self.keys.push(packed);
        if self.bits.len() < self.keys.len() {
            self.bits = vec![0; (4 * self.keys.len()).next_power_of_two()];
            for place in 0..self.keys.len() - 1 {
                self.set(self.keys[place]);
            }
        }
        self.set(packed);
    }

    fn set(&mut self, packed: Packed) {
        let (word, bit) = Self::place(&self.bits, packed);
        self.bits[word] |= bit;
    }

    /// Any word may have this ending, but one with an apostrophe or beyond ASCII makes its word odd.
    fn enter_ending(&mut self, ending: &str) {
        self.passes_all |= ending.is_ascii() && !ending.contains('\'');
    }

    #[inline(always)]
    fn place(bits: &[u64], packed: Packed) -> (usize, u64) {
        let mixed = (packed[0] ^ packed[1].rotate_left(23)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (((mixed >> 32) as usize) & (bits.len() - 1), 1 << (mixed >> 58))
    }

    #[inline(always)]
    fn passes(bits: &[u64], packed: Packed) -> bool {
        let (word, bit) = Self::place(bits, packed);
        bits[word] & bit != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lexicon::{Entry, Lexicon};
    use crate::reading::Kind;
    use proptest::prelude::*;

    fn list(words: &str) -> Vec<String> {
        words.split(' ').filter(|word| !word.is_empty()).map(String::from).collect()
    }

    fn english() -> Reading {
        let negation = Negation {
            negators: list("nor no never *n't"),
            cancels: list("not *n't"),
            ends: list("but"),
            unless: list("only"),
            one_word: false,
        };
        Reading { negation: Some(negation), ..Reading::words(1, 1) }
    }

    fn read(reading: &Reading, text: &str) -> String {
        let mut reader = CloseReader::new(reading);
        reader.read(&mut Tokenizer::new(reading.lowercase), text);
        let shown = |key: Key<'_>| Kind::Words(1).shown(&key.to_vec());
        reader.words.iter().map(shown).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn a_negation_reaches_to_the_end_of_its_clause() {
        let cases = [
            (
                "I did not like this movie, but I loved it",
                "i did not NOT_like NOT_this NOT_movie but i loved it",
            ),
            ("did not like it but loved", "did not NOT_like NOT_it but loved"),
            ("I didn't see a well-made film", "i didn't NOT_see NOT_a NOT_well NOT_made NOT_film"),
            ("not good - really", "not NOT_good really"),
            ("No, I loved it", "no i loved it"),
            ("not only good, it is great", "not only good it is great"),
            ("I can't not love it", "i can't not love it"),
            ("not good nor bad", "not NOT_good nor NOT_bad"),
            ("Isn't it great? Yes", "isn't it great yes"),
            ("is n't it great ?", "is n't it great"),
            ("You don't like it?", "you don't NOT_like NOT_it"),
            ("He said \u{201c}not good\u{201d} twice", "he said not NOT_good NOT_twice"),
            ("不 not 好。好", "不 not NOT_好 好"),
            ("not", "not"),
        ];
        for (text, expected) in cases {
            assert_eq!(read(&english(), text), expected, "{text:?}");
        }
    }

    #[test]
    fn a_million_negators_are_no_trouble() {
        let text = "not ".repeat(1_000_000);
        assert_eq!(read(&english(), &text), text.trim_end());
    }

    proptest! {
        #[test]
        fn words_that_are_passed_over_play_no_part(words in prop::collection::vec("not|No|never|but|only|n't|don't|it’s|good|a|[.,?!_-]|x{14,18}|é", 0..40)) {
            let text = words.join(" ");
            let mut every = CloseReader::new(&english());
            every.roles.filter.passes_all = true;
            every.read(&mut Tokenizer::new(true), &text);
            let shown = |key: Key<'_>| Kind::Words(1).shown(&key.to_vec());
            let plain = every.words.iter().map(shown).collect::<Vec<_>>().join(" ");
            prop_assert_eq!(read(&english(), &text), plain);
        }
    }

    #[test]
    fn one_word_is_negated_if_asked() {
        let mut reading = english();
        reading.negation.as_mut().unwrap().one_word = true;
        assert_eq!(read(&reading, "did not like this"), "did not NOT_like this");
    }

    #[test]
    fn the_case_that_is_kept_hides_no_negator() {
        let reading = Reading { lowercase: false, ..english() };
        assert_eq!(read(&reading, "Not Good"), "Not NOT_Good");
    }

    #[test]
    fn stop_words_go_after_negation() {
        let reading = Reading { stop_words: list("not the"), ..english() };
        assert_eq!(read(&reading, "not the best"), "NOT_best");
    }

    #[test]
    fn signs_are_words_if_asked() {
        let reading = Reading { punctuation: true, ..english() };
        assert_eq!(read(&reading, "Not good! Bad."), "not NOT_good ! bad .");
    }

    #[test]
    fn a_lexicon_adds_its_categories() {
        let entry = |phrase: &str, category, polarity| Entry {
            phrase: phrase.to_string(),
            categories: vec![category],
            polarity,
        };
        let lexicon = Lexicon {
            categories: list("positive negative"),
            entries: vec![
                entry("good", 0, 2.0),
                entry("good grief", 1, -1.0),
                entry(":-)", 0, 1.5),
                entry("bad", 1, -2.0),
            ],
        };
        let reading = Reading { lexicon: Some(lexicon), ..english() };
        let mut reader = CloseReader::new(&reading);
        let mut said = |text: &str| {
            reader.read(&mut Tokenizer::new(true), text);
            let shown = |key: Key<'_>| Kind::Lexicon.shown(&key.to_vec());
            (reader.categories.iter().map(shown).collect::<Vec<_>>(), reader.polarity())
        };
        assert_eq!(said("Good :)"), (list("LEX_positive LEX_positive"), 3.5));
        assert_eq!(said("good grief"), (list("LEX_negative"), -1.0));
        assert_eq!(said("not bad"), (list("NOT_LEX_negative"), 2.0));
        assert_eq!(said("isn't it good?"), (list("LEX_positive"), 2.0));
        assert_eq!(said("nothing"), (vec![], 0.0));
    }
}
