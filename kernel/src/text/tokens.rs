//! From bytes to words.
//!
//! A word is a segment between Unicode word boundaries (UAX #29) that holds a letter, a digit or an
//! emoji; white space always separates. `don't`, `3.14` and `snake_case` are one word each, Han
//! characters one word apiece. What else is seen of a text are signs: punctuation and symbols, each
//! character for itself. They are found when someone asks.
//!
//! Most text is ASCII, and for ASCII the rules of UAX #29 fit into a few bit operations: letters,
//! digits and `_` make words, `'` `.` `:` join two letters, `'` `.` `,` `;` join two digits. So ASCII
//! is read 64 bytes at a time as bit masks (`ascii_masks.rs`). A stretch between ASCII spaces that holds
//! any other byte is handed, whole, to the general algorithm. Both roads give the same words on any
//! input; the tests at the foot hold them to it.

mod sklearn_pattern;

use crate::dictionary::feature_key::{Key, Keys, remove};
use crate::text::ascii_masks::{self, Edges};
use unicode_properties::{GeneralCategoryGroup, UnicodeEmoji, UnicodeGeneralCategory};
use unicode_segmentation::UnicodeSegmentation;

/// A longer "word" is no word (base64, a line of dashes and letters): it is left out.
pub(crate) const LONGEST_TOKEN: usize = 255;

/// The version of Unicode whose word boundaries are in force. A model file stores it.
pub(crate) const UNICODE_VERSION: (u64, u64, u64) = unicode_segmentation::UNICODE_VERSION;

/// Cuts texts into words. It owns the scratch space, so one tokenizer serves many texts.
#[derive(Default)]
pub(crate) struct Tokenizer {
    lowercase: bool,
    line: Vec<u8>,
    /// The line as it was written.
    original: Vec<u8>,
    edges: Edges,
    /// Places of words that are none.
    refused: Vec<usize>,
}

/// Where each token of a text stands, and what can be told of it at a glance.
#[derive(Default)]
pub(crate) struct Spans {
    starts: Vec<u32>,
    ends: Vec<u32>,
    /// Those of no token stand behind the others, to fill the last block of 64.
    traits: Vec<u8>,
    /// Whether the text has more than one line.
    has_lines: bool,
}

/// What can be told of a token at a glance.
pub(crate) struct Trait;

impl Trait {
    pub(crate) const SIGN: u8 = 1;
    /// A word that may be more than it seems: it is long, begins with `_`, holds `.` or three equal
    /// letters in a row, or anything that is not ASCII stands near it.
    pub(crate) const ODD: u8 = 2;
    /// A word of ASCII that begins with a capital, whose second letter is small …
    pub(crate) const CAPITALISED: u8 = 4;
    /// … or that goes on otherwise.
    pub(crate) const CAPITAL: u8 = 8;
    /// A number, or a sign that may begin a smiley, an address or a run of signs.
    pub(crate) const UNUSUAL: u8 = 16;
    /// A sign that ends a clause, or may do so: `-`, or one that is not ASCII.
    pub(crate) const ENDS_CLAUSE: u8 = 32;
    pub(crate) const MAY_END_CLAUSE: u8 = 64;

    /// The traits of a token by its first two bytes, the first one lowest. Letters stand side by side
    /// there, so what ordinary text asks for is a few cache lines.
    const TABLE: &[u8; 1 << 16] = &{
        let mut table = [0; 1 << 16];
        let mut pair = 0;
        while pair < table.len() {
            table[pair] = Self::find(pair as u8, Self::class((pair >> 8) as u8));
            pair += 1;
        }
        table
    };

    const SMALL: u8 = 1;
    const GOES_ON: u8 = 2;
    const THREE: u8 = 3;
    const STOP: u8 = 4;
    const SHOUT: u8 = 5;
    const SLASH: u8 = 6;
    const OTHER_SIGN: u8 = 7;

    /// Bytes that tell the same of what they follow.
    const fn class(byte: u8) -> u8 {
        match byte {
            b'a'..=b'z' => Self::SMALL,
            b'3' => Self::THREE,
            b'.' => Self::STOP,
            b'!' | b'?' => Self::SHOUT,
            b'/' => Self::SLASH,
            b'A'..=b'Z' | b'0'..=b'9' | b'_' | b'\'' | b':' => Self::GOES_ON,
            _ if byte.is_ascii_punctuation() => Self::OTHER_SIGN,
            _ => 0,
        }
    }

    const fn find(first: u8, second: u8) -> u8 {
        let ends_here = second == 0;
        match first {
            b'A'..=b'Z' => match second {
                Self::SMALL => Self::CAPITALISED,
                Self::GOES_ON | Self::THREE | Self::STOP => Self::CAPITAL,
                _ => 0,
            },
            b'0'..=b'9' => Self::UNUSUAL,
            b'.' | b'!' | b'?' if matches!(second, Self::STOP | Self::SHOUT) => {
                Self::SIGN | Self::ENDS_CLAUSE | Self::UNUSUAL
            }
            b':' | b';' if !ends_here => Self::SIGN | Self::ENDS_CLAUSE | Self::UNUSUAL,
            b'=' if !ends_here => Self::SIGN | Self::UNUSUAL,
            b'<' if matches!(second, Self::THREE | Self::SLASH) => Self::SIGN | Self::UNUSUAL,
            b'@' => Self::SIGN | Self::UNUSUAL,
            b'.' | b'!' | b'?' | b',' | b';' | b':' | b'(' | b')' | b'[' | b']' | b'{' | b'}' => {
                Self::SIGN | Self::ENDS_CLAUSE
            }
            b'-' => Self::SIGN | Self::MAY_END_CLAUSE,
            b'_' => Self::ODD,
            _ if first.is_ascii_punctuation() => Self::SIGN,
            _ => 0,
        }
    }

    /// The traits of a token that begins with these two bytes, or is the first of them.
    #[inline(always)]
    fn of(bytes: [u8; 2]) -> u8 {
        Self::TABLE[usize::from(u16::from_le_bytes(bytes))]
    }
}

impl Spans {
    pub(crate) fn len(&self) -> usize {
        self.starts.len()
    }

    /// Whether the text has more than one line.
    pub(crate) fn has_lines(&self) -> bool {
        self.has_lines
    }

    /// The [`Trait`]s of each token.
    pub(crate) fn traits(&self) -> &[u8] {
        &self.traits[..self.len()]
    }

    /// The same in blocks, of which the last may hold those of no token.
    pub(crate) fn blocks_of_traits(&self) -> &[[u8; 64]] {
        self.traits.as_chunks().0
    }

    #[inline(always)]
    pub(crate) fn is_sign(&self, place: usize) -> bool {
        self.traits[place] & Trait::SIGN != 0
    }

    #[inline(always)]
    pub(crate) fn is_capitalised(&self, place: usize) -> bool {
        self.traits[place] & Trait::CAPITALISED != 0
    }

    #[inline(always)]
    pub(crate) fn start(&self, place: usize) -> usize {
        self.starts[place] as usize
    }

    #[inline(always)]
    pub(crate) fn end(&self, place: usize) -> usize {
        self.ends[place] as usize
    }

    fn clear(&mut self) {
        self.starts.clear();
        self.ends.clear();
        self.traits.clear();
        self.has_lines = false;
    }

    fn push(&mut self, start: usize, end: usize, traits: u8) {
        self.starts.push(start as u32);
        self.ends.push(end as u32);
        self.traits.push(traits);
    }

    /// Takes the tokens of a stretch of ASCII in, which begins at `base`, but for their traits.
    fn extend(&mut self, base: usize, edges: &mut Edges) {
        self.has_lines |= edges.has_lines();
        if base == 0 {
            return edges.swap(&mut self.starts, &mut self.ends);
        }
        let (starts, ends) = edges.with_signs();
        self.starts.extend(starts.iter().map(|&start| base as u32 + start));
        self.ends.extend(ends.iter().map(|&end| base as u32 + end));
    }

    /// The same tokens, each worth a closer look.
    #[cfg(test)]
    pub(crate) fn all_odd(&self) -> Spans {
        let odd = |traits: &u8| match traits & Trait::SIGN {
            0 => Trait::ODD,
            _ => Trait::SIGN | Trait::UNUSUAL,
        };
        let mut traits = self.traits().iter().map(odd).collect();
        ascii_masks::padded(&mut traits);
        Spans {
            starts: self.starts.clone(),
            ends: self.ends.clone(),
            traits,
            has_lines: self.has_lines,
        }
    }

    /// Leaves out the tokens at `places`, which rise.
    fn remove(&mut self, places: &[usize]) {
        remove(&mut self.starts, places);
        remove(&mut self.ends, places);
        remove(&mut self.traits, places);
    }
}

impl Tokenizer {
    pub(crate) fn new(lowercase: bool) -> Self {
        Tokenizer { lowercase, ..Tokenizer::default() }
    }

    /// The words of `text`, in order.
    pub(crate) fn words(&mut self, text: &str, words: &mut Keys) {
        self.cut::<false>(text, words, &mut Spans::default());
    }

    /// The words and signs of `text`, in order, and where each stands.
    pub(crate) fn tokens(&mut self, text: &str, tokens: &mut Keys, spans: &mut Spans) {
        spans.clear();
        self.cut::<true>(text, tokens, spans);
        ascii_masks::padded(&mut spans.traits);
    }

    #[inline(always)]
    fn cut<const SIGNS: bool>(&mut self, text: &str, tokens: &mut Keys, spans: &mut Spans) {
        tokens.clear();
        let bytes = text.as_bytes();
        let mut start = 0;
        while let Some(wide) = first_wide(&bytes[start..]) {
            let wide = start + wide;
            let from = bytes[start..wide]
                .iter()
                .rposition(|&byte| ascii_masks::is_space(byte))
                .map_or(start, |space| start + space + 1);
            let to = bytes[wide..]
                .iter()
                .position(|&byte| ascii_masks::is_space(byte))
                .map_or(bytes.len(), |space| wide + space);
            self.ascii::<SIGNS>(&bytes[start..from], start, tokens, spans);
            // Both cuts stand beside ASCII bytes, so the slice is on character boundaries.
            self.general::<SIGNS>(&text[from..to], from, tokens, spans);
            start = to;
        }
        self.ascii::<SIGNS>(&bytes[start..], start, tokens, spans);
    }

    fn ascii<const SIGNS: bool>(
        &mut self,
        bytes: &[u8],
        base: usize,
        tokens: &mut Keys,
        spans: &mut Spans,
    ) {
        if bytes.is_empty() {
            return;
        }
        ascii_masks::padded_line(bytes, self.lowercase, &mut self.line);
        self.edges.find::<SIGNS>(&self.line);
        let line = &self.line;
        if !SIGNS {
            self.edges.pairs().for_each(|(start, end)| take(line, start, end, tokens));
            return;
        }
        let first = spans.len();
        ascii_masks::padded_line(bytes, false, &mut self.original);
        let (starts, ends) = self.edges.with_signs();
        spans.traits.resize(first + starts.len(), 0);
        let traits = &mut spans.traits[first..];
        let longest = look(line, &self.original, (starts, ends), tokens, traits);
        self.edges.odd().iter().for_each(|&number| traits[number as usize] |= Trait::ODD);
        self.refused.clear();
        if longest > Key::SHORT || self.edges.underscored() {
            for (number, (&start, &end)) in starts.iter().zip(ends).enumerate() {
                let token = &line[start as usize..end as usize];
                if token.len() <= Key::SHORT && token[0] != b'_' {
                    continue;
                }
                traits[number] |= Trait::ODD;
                if !is_token(token) {
                    self.refused.push(first + number);
                } else if token.len() > Key::SHORT {
                    tokens.put(first + number, token);
                }
            }
        }
        spans.extend(base, &mut self.edges);
        if !self.refused.is_empty() {
            spans.remove(&self.refused);
            tokens.remove(&self.refused);
        }
    }

    fn general<const SIGNS: bool>(
        &mut self,
        text: &str,
        base: usize,
        tokens: &mut Keys,
        spans: &mut Spans,
    ) {
        let mut take = |start: usize, token: &str, traits: u8| {
            let lowered;
            let has_case = traits & Trait::SIGN == 0 && !token.starts_with(is_caseless);
            let spelling = if self.lowercase && has_case {
                lowered = token.to_lowercase();
                &lowered
            } else {
                token
            };
            if spelling.len() > LONGEST_TOKEN {
                return;
            }
            tokens.push(spelling.as_bytes());
            if SIGNS {
                spans.push(base + start, base + start + token.len(), traits);
            }
        };
        let mut rest = 0;
        let mut characters = text.char_indices().peekable();
        while let Some((place, character)) = characters.next() {
            let Some(traits) = alone(character) else { continue };
            let next = characters.peek().map_or('\0', |&(_, next)| next);
            if next.is_ascii() || alone(next).is_some() {
                segments::<SIGNS>(&text[rest..place], rest, &mut take);
                rest = place + character.len_utf8();
                if SIGNS || traits & Trait::SIGN == 0 {
                    take(place, &text[place..rest], traits);
                }
            }
        }
        segments::<SIGNS>(&text[rest..], rest, &mut take);
    }
}

/// Hands over the tokens between the word boundaries of a text, which begins at `base`.
fn segments<const SIGNS: bool>(text: &str, base: usize, take: &mut impl FnMut(usize, &str, u8)) {
    for (start, segment) in text.split_word_bound_indices() {
        if is_word(segment) {
            take(base + start, segment, Trait::ODD);
        } else if SIGNS {
            for (place, sign) in segment.char_indices().filter(|&(_, c)| is_sign(c)) {
                let place = start + place;
                let traits = match text.as_bytes()[place..] {
                    [first, ..] if !first.is_ascii() => Trait::SIGN | Trait::MAY_END_CLAUSE,
                    [first, second, ..] => Trait::of([first, second]),
                    [first] => Trait::of([first, 0]),
                    [] => Trait::SIGN,
                };
                take(base + place, &text[place..place + sign.len_utf8()], traits);
            }
        }
    }
}

/// The traits of frequent characters that make a token by themselves, wherever they stand, unless
/// something follows that joins what is before it. To know them spares the search for boundaries, and
/// broken texts are full of U+FFFD.
#[inline(always)]
fn alone(c: char) -> Option<u8> {
    match c {
        '\u{4e00}'..='\u{9fff}' | '\u{3041}'..='\u{3096}' => Some(Trait::ODD),
        '\u{fffd}' | '“' | '”' | '—' | '–' | '…' | '«' | '»' | '。' | '、' => {
            Some(Trait::SIGN | Trait::MAY_END_CLAUSE)
        }
        _ => None,
    }
}

/// Whether no word that begins with this character has case: it makes one alone, or is an emoji.
fn is_caseless(c: char) -> bool {
    alone(c).is_some() || matches!(c, '\u{1f300}'..='\u{1faff}')
}

/// Appends the key of each token of a padded line, finds what the line as it was written tells of it, and
/// returns a length that is at least the longest, but not much. A loop of its own keeps all it needs in
/// registers.
#[inline(never)]
fn look(
    line: &[u8],
    original: &[u8],
    (starts, ends): (&[u32], &[u32]),
    tokens: &mut Keys,
    traits: &mut [u8],
) -> usize {
    let original = &original[..line.len()];
    let mut lengths = 0;
    let edges = starts.iter().zip(ends);
    tokens.extend_short(edges.zip(traits).map(|((&start, &end), traits)| {
        let (start, length) = (start as usize, (end - start) as usize);
        let (window, near) = (&line[start..start + 16], &original[start..start + 16]);
        *traits = near.first_chunk().map_or(0, |pair| Trait::of(*pair));
        lengths |= length;
        Key::pack(window, length)
    }));
    lengths
}

/// Appends the token from `start` to `end` of a padded line, unless it is none.
#[inline(always)]
fn take(line: &[u8], start: usize, end: usize, tokens: &mut Keys) {
    let length = end - start;
    let window = &line[start..start + 16];
    if (length > Key::SHORT) | (window[0] == b'_') {
        let token = &line[start..end];
        if is_token(token) {
            tokens.push(token);
        }
        return;
    }
    tokens.push_packed(Key::pack(window, length));
}

/// Whether what looks like a token is one. `_` alone joins words but is none.
fn is_token(token: &[u8]) -> bool {
    token.len() <= LONGEST_TOKEN && token.iter().any(|&byte| byte != b'_')
}

/// Where the first byte beyond ASCII stands. Whole blocks are passed at the speed of `is_ascii`.
fn first_wide(bytes: &[u8]) -> Option<usize> {
    let skipped = 64 * bytes.chunks(64).take_while(|block| block.is_ascii()).count();
    let rest = bytes.get(skipped..)?;
    Some(skipped + rest.iter().position(|byte| !byte.is_ascii())?)
}

fn is_word(segment: &str) -> bool {
    segment.chars().any(makes_word)
}

/// Whether this is a letter, a digit or an emoji. Frequent faces and joiners are spared the search.
fn makes_word(c: char) -> bool {
    match c {
        '\u{200b}'..='\u{200f}' => false,
        '\u{1f600}'..='\u{1f64f}' => true,
        _ => c.is_alphanumeric() || (!c.is_ascii() && c.is_emoji_char()),
    }
}

fn is_sign(c: char) -> bool {
    match c {
        '\0'..='\x7f' => c.is_ascii_punctuation() && c != '_',
        '\u{200b}'..='\u{200f}' => false,
        _ => matches!(
            c.general_category_group(),
            GeneralCategoryGroup::Punctuation | GeneralCategoryGroup::Symbol
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn words(text: &str, lowercase: bool) -> Vec<String> {
        let mut words = Keys::default();
        Tokenizer::new(lowercase).words(text, &mut words);
        words.spellings()
    }

    /// Words and signs; a sign comes with a mark before it.
    fn tokens(text: &str, lowercase: bool) -> Vec<String> {
        let (mut tokens, mut spans) = (Keys::default(), Spans::default());
        Tokenizer::new(lowercase).tokens(text, &mut tokens, &mut spans);
        let spellings = tokens.spellings();
        assert_eq!(spans.len(), spellings.len());
        let shown = |(place, spelling): (usize, &String)| {
            let there = &text[spans.start(place)..spans.end(place)];
            let lowered = lowercase && !spans.is_sign(place);
            assert_eq!(*spelling, if lowered { there.to_lowercase() } else { there.to_string() });
            format!("{}{spelling}", if spans.is_sign(place) { "\0" } else { "" })
        };
        spellings.iter().enumerate().map(shown).collect()
    }

    /// The definition, with no fast path: UAX #29 within each run of non-space.
    fn defined(text: &str, lowercase: bool) -> Vec<String> {
        let words = defined_tokens(text, lowercase).into_iter();
        words.filter(|token| !token.starts_with('\0')).collect()
    }

    fn defined_tokens(text: &str, lowercase: bool) -> Vec<String> {
        let cased = |word: &str| if lowercase { word.to_lowercase() } else { word.to_string() };
        let mut tokens = Vec::new();
        let runs = text.split([' ', '\t', '\n', '\x0b', '\x0c', '\r']);
        for segment in runs.flat_map(|run| run.split_word_bounds()) {
            match is_word(segment) {
                true => tokens.push(cased(segment)),
                false => {
                    tokens.extend(segment.chars().filter(|&c| is_sign(c)).map(|c| format!("\0{c}")))
                }
            }
        }
        tokens.into_iter().filter(|token| token.len() <= LONGEST_TOKEN).collect()
    }

    #[test]
    fn reads_words_as_people_write_them() {
        let cases = [
            ("Don't panic!", vec!["don't", "panic"]),
            ("pi is 3.14, or 3,14", vec!["pi", "is", "3.14", "or", "3,14"]),
            ("snake_case __ _x_ a", vec!["snake_case", "_x_", "a"]),
            ("end.Start e.g. a:b 1:2", vec!["end.start", "e.g", "a:b", "1", "2"]),
            ("x' 'y rock'n'roll 5'6", vec!["x", "y", "rock'n'roll", "5'6"]),
            ("", vec![]),
            (" \t\n ", vec![]),
            ("Caf\u{e9} au lait", vec!["caf\u{e9}", "au", "lait"]),
            ("मुझे यह पसंद है", vec!["मुझे", "यह", "पसंद", "है"]),
            ("我爱你", vec!["我", "爱", "你"]),
            ("great 👍🏽 🇮🇹!", vec!["great", "👍🏽", "🇮🇹"]),
            ("\u{130}stanbul \u{212a}elvin", vec!["i\u{307}stanbul", "kelvin"]),
            ("don\u{2019}t", vec!["don\u{2019}t"]),
        ];
        for (text, expected) in cases {
            assert_eq!(words(text, true), expected, "{text:?}");
        }
    }

    #[test]
    fn a_word_across_the_edge_of_a_block_stays_whole() {
        for shift in 0..130 {
            let text = format!("{}don't 3.14 ab", " ".repeat(shift));
            assert_eq!(words(&text, true), ["don't", "3.14", "ab"], "shift {shift}");
        }
    }

    #[test]
    fn an_overlong_run_is_left_out() {
        let text = format!("a {} b {}", "x".repeat(256), "y".repeat(255));
        assert_eq!(words(&text, true), ["a", "b", &"y".repeat(255)]);
    }

    #[test]
    fn case_is_kept_when_asked() {
        assert_eq!(words("Hello ÉCOLE", false), ["Hello", "ÉCOLE"]);
    }

    #[test]
    fn signs_stand_for_themselves() {
        let expected = ["wait", "\0.", "\0.", "\0.", "what", "\0?", "\0!", "don't", "\0$", "3.50"];
        assert_eq!(tokens("Wait... what?! Don't, $3.50".replace(',', "").as_str(), true), expected);
        assert_eq!(
            tokens("«Sì», 5€—ok", true),
            ["\0«", "sì", "\0»", "\0,", "5", "\0€", "\0—", "ok"]
        );
        assert_eq!(tokens("我爱你！👍", true), ["我", "爱", "你", "\0！", "👍"]);
    }

    #[test]
    fn splitting_at_white_space_first_changes_no_word() {
        // The definition cuts at ASCII white space before it segments; on ordinary text that is
        // what UAX #29 does by itself.
        let text = "Ελλάδα, dal '68: l'été — naïve co-op 3.000,50 €  日本語テスト\tनमस्ते\n🇫🇷👩‍🚀 ok";
        let whole: Vec<String> = text
            .split_word_bounds()
            .filter(|segment| is_word(segment))
            .map(str::to_lowercase)
            .collect();
        assert_eq!(words(text, true), whole);
    }

    #[test]
    fn frequent_characters_are_what_they_are_searched_for_as() {
        for c in '\0'..=char::MAX {
            let is_emoji = !c.is_ascii() && c.is_emoji_char();
            assert_eq!(makes_word(c), c.is_alphanumeric() || is_emoji, "{c:?}");
            let group = c.general_category_group();
            let is_seen =
                matches!(group, GeneralCategoryGroup::Punctuation | GeneralCategoryGroup::Symbol);
            assert_eq!(is_sign(c), is_seen && c != '_', "{c:?}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn the_fast_path_equals_the_definition_on_ascii(text in "[ -~\t\n\r\u{0}]{0,300}", lowercase: bool) {
            prop_assert_eq!(words(&text, lowercase), defined(&text, lowercase));
            prop_assert_eq!(tokens(&text, lowercase), defined_tokens(&text, lowercase));
        }

        #[test]
        fn the_fast_path_equals_the_definition_on_joiners(text in "[aZ0_'.:,; ]{0,200}") {
            prop_assert_eq!(words(&text, true), defined(&text, true));
            prop_assert_eq!(tokens(&text, true), defined_tokens(&text, true));
        }

        #[test]
        fn mixed_text_equals_the_definition(text in "([aZ0_'.:,; \n]|\\PC|[\u{300}-\u{310}]|[\u{200b}-\u{200d}]|[🇦-🇿👩🚀😀❤\u{fe0f}]){0,100}") {
            prop_assert_eq!(words(&text, true), defined(&text, true));
            prop_assert_eq!(tokens(&text, true), defined_tokens(&text, true));
        }

        #[test]
        fn characters_that_stand_alone_equal_the_definition(text in "([一字のぁ\u{fffd}“”—–…«»。、]|[aZ0_'.:,; ]|[\u{300}-\u{303}\u{3099}\u{200d}\u{ad}\u{fe0f}アー👩🇦é’]){0,60}") {
            prop_assert_eq!(words(&text, true), defined(&text, true));
            prop_assert_eq!(tokens(&text, true), defined_tokens(&text, true));
        }

        #[test]
        fn any_string_equals_the_definition(text: String, lowercase: bool) {
            prop_assert_eq!(words(&text, lowercase), defined(&text, lowercase));
            prop_assert_eq!(tokens(&text, lowercase), defined_tokens(&text, lowercase));
        }
    }
}
