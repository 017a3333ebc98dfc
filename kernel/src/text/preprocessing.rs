//! Preprocessing: negation marking, stop-word removal, stemming, surface features, lexicon features.
//!
//! All of them work on one list of tokens. Most words need no more than their ids, by which a dictionary
//! tells whether they have a role: whether they negate, are stop words, or begin an entry of the lexicon.

use crate::dictionary::feature_ids::{Lookup, UNKNOWN, missed, settle};
use crate::dictionary::feature_key::{Key, Keys};
use crate::dictionary::vocabulary::{HAS_ROLE, Vocabulary};
use crate::text::ascii_masks;
use crate::text::reading::Reading;
use crate::text::stems::Stems;
use crate::text::surface_features::{Scratch, SurfaceFeatures};
use crate::text::tokens::{Spans, Tokenizer, Trait};
use crate::text::word_roles::{Role, WordRoles};
use std::sync::Arc;

/// Preprocesses texts, with scratch space that is used again for each. It keeps to one dictionary, for it
/// remembers ids.
pub(crate) struct Preprocessor {
    reading: Reading,
    word_roles: Arc<WordRoles>,
    stems: Option<Stems>,
    /// What the text was cut into; words that are negated are so here.
    tokens: Keys,
    spans: Spans,
    role_tokens: Vec<RoleToken>,
    /// The roles of words that were met, each at a place that its id tells.
    met: Vec<(u32, Role)>,
    /// Places of tokens that are negated (from, up to), that are left out, that are looked at again, whose
    /// ids a glance did not give.
    negated: Vec<(u32, u32)>,
    stopped: Vec<u32>,
    places: Vec<u32>,
    missed: Vec<u32>,
    hits: Vec<Hit>,
    smiles: Vec<Smile>,
    scratch: Scratch,
    /// What was read of the text beside words: surface features, categories of the lexicon.
    pub(crate) surface_features: Keys,
    pub(crate) categories: Keys,
    /// How often the last surface feature is there more than once.
    pub(crate) more_surface_features: usize,
}

/// So many roles are remembered.
const MET: usize = 256;

/// A token that has a role.
struct RoleToken {
    place: u32,
    role: Role,
}

/// An entry of the lexicon that was met.
#[derive(Debug, PartialEq)]
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

impl Preprocessor {
    pub(crate) fn new(reading: &Reading, word_roles: &Arc<WordRoles>) -> Self {
        Preprocessor {
            reading: reading.clone(),
            word_roles: word_roles.clone(),
            stems: reading.stem.as_ref().map(Stems::new),
            tokens: Keys::default(),
            spans: Spans::default(),
            role_tokens: Vec::new(),
            met: vec![(UNKNOWN, Role::PLAIN); MET],
            negated: Vec::new(),
            stopped: Vec::new(),
            places: Vec::new(),
            missed: Vec::new(),
            hits: Vec::new(),
            smiles: Vec::new(),
            scratch: Scratch::default(),
            surface_features: Keys::default(),
            categories: Keys::default(),
            more_surface_features: 0,
        }
    }

    /// Reads what is no word: surface features and lexicon features.
    pub(crate) fn read(&mut self, tokenizer: &mut Tokenizer, text: &str) {
        self.cut(tokenizer, text);
        self.find_role_tokens();
        self.clauses(text.as_bytes());
    }

    /// Reads a text and appends the ids of its words.
    #[inline(always)]
    pub(crate) fn read_words(
        &mut self,
        tokenizer: &mut Tokenizer,
        text: &str,
        lookup: &mut impl Lookup,
        ids: &mut Vec<u32>,
    ) {
        self.cut(tokenizer, text);
        let known = &lookup.dictionary().words;
        if self.stems.is_some() {
            self.find_role_tokens();
            self.clauses(text.as_bytes());
            self.stem();
            known.glance(self.tokens.packed(), ids);
        } else {
            known.glance(self.tokens.packed(), ids);
            self.meet_role_tokens(ids);
            self.clauses(text.as_bytes());
        }
        self.negate_words(known, ids);
        if self.stems.is_some() {
            missed(ids, &mut self.missed);
        }
        let leaves_out = !(self.reading.punctuation && self.stopped.is_empty());
        if leaves_out {
            let mut places = std::mem::take(&mut self.missed);
            places.retain(|&place| self.is_kept(place as usize));
            self.missed = places;
        }
        settle(lookup, &self.tokens, ids, &self.missed);
        if leaves_out {
            self.leave_out(ids);
        }
    }

    /// Cuts a text into tokens and finds its surface features.
    fn cut(&mut self, tokenizer: &mut Tokenizer, text: &str) {
        tokenizer.tokens(text, &mut self.tokens, &mut self.spans);
        self.surface_features.clear();
        self.smiles.clear();
        let phrases = &self.word_roles.phrases;
        if self.reading.surface_features != SurfaceFeatures::default() || phrases.has_emoticons() {
            let (surface_features, scratch, smiles) =
                (&mut self.surface_features, &mut self.scratch, &mut self.smiles);
            let smile = |start: usize, smile: &str| {
                let end = start + smile.len();
                smiles.extend(phrases.emoticon(smile).map(|entry| Smile { start, end, entry }));
            };
            self.more_surface_features = self.reading.surface_features.find(
                text,
                &self.spans,
                surface_features,
                scratch,
                smile,
            );
        }
    }

    /// Finds the words that have a role by how they are spelled.
    fn find_role_tokens(&mut self) {
        self.role_tokens.clear();
        if self.word_roles.is_empty() {
            return;
        }
        let role = |(place, word)| Some(RoleToken { place, role: *self.word_roles.role(word)? });
        self.role_tokens.extend((0..).zip(self.tokens.iter()).filter_map(role));
    }

    /// Finds the words that have a role by their ids, which a dictionary marks; those that a glance did
    /// not find there, by how they are spelled.
    fn meet_role_tokens(&mut self, ids: &mut Vec<u32>) {
        self.role_tokens.clear();
        self.missed.clear();
        let no_words = match self.reading.punctuation || self.word_roles.has_signs() {
            true => 0,
            false => Trait::SIGN,
        };
        let traits = self.spans.blocks_of_traits();
        ascii_masks::places(
            ascii_masks::padded(ids),
            &mut self.places,
            |number, ids| match no_words {
                0 => ascii_masks::highest(ids),
                _ => ascii_masks::highest(ids) & !ascii_masks::any_of(&traits[number], no_words),
            },
        );
        ids.truncate(self.spans.len());
        // Whether a word was missed is anyone's guess, so no branch depends on it.
        self.missed.resize(self.places.len(), 0);
        let (mut marked, mut missed) = (0, 0);
        for index in 0..self.places.len() {
            let place = self.places[index];
            let was_missed = ids[place as usize] == UNKNOWN;
            self.missed[missed] = place;
            self.places[marked] = place;
            missed += usize::from(was_missed);
            marked += usize::from(!was_missed);
        }
        self.missed.truncate(missed);
        for &place in &self.places[..marked] {
            let id = &mut ids[place as usize];
            *id &= !HAS_ROLE;
            let met = &mut self.met[*id as usize % MET];
            if met.0 != *id {
                let role = self.word_roles.role(self.tokens.get(place as usize));
                *met = (*id, *role.unwrap_or(&Role::PLAIN));
            }
            self.role_tokens.push(RoleToken { place, role: met.1 });
        }
        let role = |&place: &u32| {
            let role = *self.word_roles.role(self.tokens.get(place as usize))?;
            Some(RoleToken { place, role })
        };
        self.role_tokens.extend(self.missed.iter().filter_map(role));
        if self.role_tokens.len() > marked {
            self.role_tokens.sort_unstable_by_key(|token| token.place);
        }
    }

    /// The net polarity of the text that was just read: a negated word counts the other way round.
    pub(crate) fn polarity(&self) -> f64 {
        let Some(lexicon) = &self.reading.lexicon else { return 0.0 };
        let value = |hit: &Hit| {
            let polarity = lexicon.entries[hit.entry as usize].polarity;
            if hit.negated { -polarity } else { polarity }
        };
        // The `sum` of nothing is −0.
        self.hits.iter().map(value).fold(0.0, |sum, value| sum + value)
    }

    /// Finds what is negated, hit and left out by the words that have a role.
    fn clauses(&mut self, text: &[u8]) {
        self.negated.clear();
        self.stopped.clear();
        self.hits.clear();
        self.categories.clear();
        if let Some(negation) = &self.reading.negation {
            self.find_negated(text, negation.one_word);
        }
        self.find_hits(text);
        if !self.reading.stop_words.is_empty() {
            let stops = self.role_tokens.iter().filter(|token| token.role.is(Role::STOPS));
            self.stopped.extend(stops.map(|token| token.place));
        }
    }

    /// Finds what is negated: from behind a negator to the end of its clause, or to a word that ends the
    /// negation or negates anew.
    fn find_negated(&mut self, text: &[u8], one_word: bool) {
        let mut clause_end = 0;
        for (index, token) in self.role_tokens.iter().enumerate() {
            let (place, rest) = (token.place as usize, &self.role_tokens[index + 1..]);
            let negates = token.role.is(Role::NEGATES) && !self.spans.is_sign(place);
            if !negates || self.is_exempt(index + 1, place + 1) {
                continue;
            }
            // Each clause is searched for its end once, however many negators it has.
            if clause_end <= place {
                clause_end = self.end_of_clause(text, place + 1);
            }
            if self.asks(text, clause_end) && self.begins_clause(text, place) {
                continue;
            }
            let reach = match one_word {
                true => clause_end.min(after_next_word(&self.spans, place + 1)),
                false => clause_end,
            };
            let stops = |token: &&RoleToken| {
                token.role.is(Role::ENDS | Role::NEGATES)
                    && !self.spans.is_sign(token.place as usize)
            };
            let mut within = rest.iter().take_while(|token| (token.place as usize) < reach);
            let end = within.find(stops).map_or(reach, |token| token.place as usize);
            negate(&mut self.negated, place + 1, end);
        }
    }

    /// Finds the entries of the lexicon, and the categories they belong to.
    fn find_hits(&mut self, text: &[u8]) {
        let Some(lexicon) = &self.reading.lexicon else { return };
        let (mut phrase_until, mut smiles) = (0, 0);
        let mut negated = self.negated.iter().peekable();
        for &RoleToken { place, role } in &self.role_tokens {
            while negated.next_if(|&&(_, end)| end <= place).is_some() {}
            let is_negated = negated.peek().is_some_and(|&&(start, _)| start <= place);
            let place = place as usize;
            if role.entries == Role::NONE || place < phrase_until {
                continue;
            }
            let start = self.spans.start(place);
            smiles += self.smiles[smiles..].iter().take_while(|at| at.end <= start).count();
            if let Some((entry, more)) = self.phrase(text, role.entries, place)
                && let end = self.spans.end(place + more)
                && self.smiles.get(smiles).is_none_or(|smile| smile.is_within(start, end))
            {
                self.hits.push(Hit { entry, negated: is_negated });
                phrase_until = place + 1 + more;
                let covered = self.smiles[smiles..].iter_mut().take_while(|at| at.start < end);
                covered.for_each(|smile| smile.entry = Role::NONE);
            }
        }
        let smiles = self.smiles.iter().filter(|smile| smile.entry != Role::NONE);
        self.hits.extend(smiles.map(|smile| Hit { entry: smile.entry, negated: false }));
        for hit in &self.hits {
            for &category in &lexicon.entries[hit.entry as usize].categories {
                let key = Key::new(lexicon.categories[category as usize].as_bytes());
                match hit.negated {
                    true => self.categories.push_negated(key),
                    false => self.categories.push_key(key),
                }
            }
        }
    }

    /// The longest of the `entries` that begins at `place`, and how many more tokens it takes.
    fn phrase(&self, text: &[u8], entries: u32, place: usize) -> Option<(u32, usize)> {
        self.word_roles.phrases.longest(entries, |after, token, must_touch| {
            let next = place + 1 + after;
            next < self.spans.len()
                && (!must_touch || self.spans.end(next - 1) == self.spans.start(next))
                && self.word_roles.is_lowered(self.tokens.get(next), token)
                && !self.is_parted(text, next)
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
        let ends = |place| ends_clause(text, &self.spans, place);
        let end = match self.spans.has_lines() {
            true => places.find(|&place| ends(place) || self.is_parted(text, place)),
            false => places.find(|&place| ends(place)),
        };
        end.unwrap_or(places.end)
    }

    /// Whether a blank line parts a token from the one before.
    fn is_parted(&self, text: &[u8], place: usize) -> bool {
        if !self.spans.has_lines() {
            return false;
        }
        let before = if place == 0 { 0 } else { self.spans.end(place - 1) };
        let start = self.spans.start(place);
        start - before > 1 && memchr::memchr_iter(b'\n', &text[before..start]).nth(1).is_some()
    }

    /// Whether the word at `place` begins its clause, as in "Isn't it nice?"; or is the `n't` of a word
    /// that does.
    fn begins_clause(&self, text: &[u8], place: usize) -> bool {
        let begins = |place: usize| {
            let mut near = (0..place).rev().map(|at| match self.spans.is_sign(at) {
                _ if self.is_parted(text, at + 1) => Some(true),
                true => ends_clause(text, &self.spans, at).then_some(true),
                false => Some(self.word_roles.is(self.tokens.get(at), Role::ENDS)),
            });
            near.find_map(|found| found).unwrap_or(true)
        };
        let split = is_split_contraction(self.tokens.get(place));
        begins(place) || (split && place > 0 && !self.spans.is_sign(place - 1) && begins(place - 1))
    }

    /// Whether a negator right before this place does not negate, for the next token with a role is there.
    fn is_exempt(&self, token: usize, place: usize) -> bool {
        let next = self.role_tokens.get(token).filter(|next| next.place as usize == place);
        next.is_some_and(|next| next.role.is(Role::EXEMPTS)) && !self.spans.is_sign(place)
    }

    fn stem(&mut self) {
        let Some(stems) = &mut self.stems else { return };
        for place in (0..self.spans.len()).filter(|&place| !self.spans.is_sign(place)) {
            self.tokens.replace(place, |word| stems.of(word));
        }
    }

    /// Gives negated words other keys and ids, and lists those that only now are missed.
    fn negate_words(&mut self, known: &Vocabulary, ids: &mut [u32]) {
        for &(start, end) in &self.negated {
            let places = start as usize..end as usize;
            let traits = &self.spans.traits()[places.clone()];
            for (place, (id, traits)) in places.clone().zip(ids[places].iter_mut().zip(traits)) {
                if traits & Trait::SIGN != 0 {
                    continue;
                }
                let was_missed = *id == UNKNOWN;
                *id = known.glance_negated(self.tokens.negate(place));
                if *id == UNKNOWN && !was_missed {
                    self.missed.push(place as u32);
                }
            }
        }
    }

    /// The words that were just read, in order.
    pub(crate) fn words(&self) -> impl Iterator<Item = Key<'_>> {
        let places = (0..self.tokens.len()).filter(|&place| self.is_kept(place));
        places.map(|place| self.tokens.get(place))
    }

    /// Whether a token is a word here.
    fn is_kept(&self, place: usize) -> bool {
        (self.reading.punctuation || !self.spans.is_sign(place))
            && self.stopped.binary_search(&(place as u32)).is_err()
    }

    /// Leaves out the ids of the tokens that are no words here.
    fn leave_out(&self, ids: &mut Vec<u32>) {
        let no_words = if self.reading.punctuation { 0 } else { Trait::SIGN };
        let mut stopped = self.stopped.iter().peekable();
        let mut kept = 0;
        for (place, traits) in self.spans.traits().iter().enumerate() {
            ids[kept] = ids[place];
            let stops = stopped.next_if(|&&stop| stop as usize == place).is_some();
            kept += usize::from(!stops & (traits & no_words == 0));
        }
        ids.truncate(kept);
    }
}

/// The place after the first word from `start` on.
fn after_next_word(spans: &Spans, start: usize) -> usize {
    let mut places = start..spans.len();
    places.find(|&place| !spans.is_sign(place)).map_or(places.end, |word| word + 1)
}

/// Notes that the tokens from `start` up to `end` are negated, if there are any.
fn negate(negated: &mut Vec<(u32, u32)>, start: usize, end: usize) {
    if start < end {
        negated.push((start as u32, end as u32));
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dictionary::feature_ids::{Dictionary, Learn};
    use crate::text::lexicon::{Entry, Lexicon};
    use crate::text::reading::{FeatureKind, Negation};
    use proptest::prelude::*;

    fn list(words: &str) -> Vec<String> {
        words.split(' ').filter(|word| !word.is_empty()).map(String::from).collect()
    }

    fn english() -> Reading {
        let negation = Negation {
            negators: list("not nor no never *n't"),
            ends: list("but"),
            unless: list("only"),
            one_word: false,
        };
        Reading { negation: Some(negation), ..Reading::word_ngrams(1, 1) }
    }

    fn read(reading: &Reading, text: &str) -> String {
        read_with(&mut Dictionary::new(reading), reading, text)
    }

    /// The words of a text under a dictionary, which learns them.
    fn read_with(dictionary: &mut Dictionary, reading: &Reading, text: &str) -> String {
        let mut reader = Preprocessor::new(reading, dictionary.word_roles());
        let (mut tokenizer, mut ids) = (Tokenizer::new(reading.lowercase), Vec::new());
        reader.read_words(&mut tokenizer, text, &mut Learn(dictionary), &mut ids);
        let found = |key: Key<'_>| dictionary.words.find(key).unwrap();
        assert_eq!(ids, reader.words().map(found).collect::<Vec<_>>());
        let shown = |key: Key<'_>| FeatureKind::WordNgram(1).shown(&key.to_vec());
        reader.words().map(shown).collect::<Vec<_>>().join(" ")
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
            ("I can't not love it", "i can't not NOT_love NOT_it"),
            ("no reason not to see it", "no NOT_reason not NOT_to NOT_see NOT_it"),
            (
                "it isn't fun and it isn't clever",
                "it isn't NOT_fun NOT_and NOT_it isn't NOT_clever",
            ),
            ("isn't dull and not only clever", "isn't NOT_dull NOT_and not only clever"),
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
        assert_eq!(read(&english(), &"not\n\n".repeat(1_000_000)), text.trim_end());
    }

    proptest! {
        #[test]
        fn what_a_dictionary_knows_changes_no_part(
            before in token_list(),
            words in token_list(),
            punctuation: bool,
            lowercase: bool,
            stops in prop::sample::select(vec!["", "a good", "a . no"]),
            phrases in prop::sample::select(vec!["", "good|never|not good", "a|. not|a good|no ,"]),
        ) {
            let stop_words = list(stops);
            let lexicon = Some(lexicon(phrases)).filter(|_| !phrases.is_empty());
            let reading = Reading { punctuation, lowercase, stop_words, lexicon, ..english() };
            let (before, text) = (before.join(" "), words.join(" "));
            let mut dictionary = Dictionary::new(&reading);
            read_with(&mut dictionary, &reading, &before);
            prop_assert_eq!(read_with(&mut dictionary, &reading, &text), read(&reading, &text));
            let mut by_spelling = Preprocessor::new(&reading, dictionary.word_roles());
            by_spelling.read(&mut Tokenizer::new(lowercase), &text);
            let mut by_id = Preprocessor::new(&reading, dictionary.word_roles());
            let mut tokenizer = Tokenizer::new(lowercase);
            by_id.read_words(&mut tokenizer, &text, &mut Learn(&mut dictionary), &mut Vec::new());
            prop_assert_eq!(by_id.hits, by_spelling.hits);
            prop_assert_eq!((by_id.negated, by_id.stopped), (by_spelling.negated, by_spelling.stopped));
        }
    }

    fn lexicon(phrases: &str) -> Lexicon {
        let entry =
            |phrase: &str| Entry { phrase: phrase.to_string(), categories: vec![0], polarity: 1.0 };
        Lexicon { categories: list("any"), entries: phrases.split('|').map(entry).collect() }
    }

    fn token_list() -> impl Strategy<Value = Vec<String>> {
        let token = "not|No|never|but|only|n't|don't|it’s|good|a|[.,?!_-]|x{14,18}|é|[a-z]";
        prop::collection::vec(token, 0..40)
    }

    #[test]
    fn one_word_is_negated_if_asked() {
        let mut reading = english();
        reading.negation.as_mut().unwrap().one_word = true;
        assert_eq!(read(&reading, "did not like this"), "did not NOT_like this");
        assert_eq!(read(&reading, "never never good at all"), "never never NOT_good at all");
        assert_eq!(read(&reading, "I can't not love it"), "i can't not NOT_love it");
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
        let mut reader = Preprocessor::new(&reading, &Arc::new(WordRoles::new(&reading)));
        let mut said = |text: &str| {
            reader.read(&mut Tokenizer::new(true), text);
            let shown = |key: Key<'_>| FeatureKind::Lexicon.shown(&key.to_vec());
            (reader.categories.iter().map(shown).collect::<Vec<_>>(), reader.polarity())
        };
        assert_eq!(said("Good :)"), (list("LEX_positive LEX_positive"), 3.5));
        assert_eq!(said("good grief"), (list("LEX_negative"), -1.0));
        assert_eq!(said("good\n\ngrief"), (list("LEX_positive"), 2.0));
        assert_eq!(said("not bad"), (list("NOT_LEX_negative"), 2.0));
        assert_eq!(said("isn't it good?"), (list("LEX_positive"), 2.0));
        assert_eq!(said("nothing"), (vec![], 0.0));
    }
}
