//! From bytes to words.
//!
//! A word is a segment between Unicode word boundaries (UAX #29) that holds a letter, a digit or an
//! emoji; white space always separates. `don't`, `3.14` and `snake_case` are one word each, Han
//! characters one word apiece. What else is seen of a text are signs: punctuation and symbols, each
//! character for itself. They are found when someone asks.
//!
//! Most text is ASCII, and for ASCII the rules of UAX #29 fit into a few bit operations: letters,
//! digits and `_` make words, `'` `.` `:` join two letters, `'` `.` `,` `;` join two digits. So ASCII
//! is read 64 bytes at a time as bit masks (`bytes.rs`). A run between ASCII spaces that holds
//! any other byte is handed, whole, to the general algorithm. Both roads give the same words on any
//! input; the tests at the foot hold them to it.

mod pattern;

use crate::bytes::{self, Edges};
use crate::key::{Key, Keys};
use unicode_properties::{GeneralCategoryGroup, UnicodeEmoji, UnicodeGeneralCategory};
use unicode_segmentation::UnicodeSegmentation;

/// A longer "word" is no word (base64, a line of dashes and letters): it is left out.
pub const LONGEST_TOKEN: usize = 255;

/// The version of Unicode whose word boundaries are in force. A model file stores it.
pub const UNICODE_VERSION: (u64, u64, u64) = unicode_segmentation::UNICODE_VERSION;

/// Cuts texts into words. It owns the scratch space, so one tokenizer serves many texts.
pub struct Tokenizer {
    lowercase: bool,
    line: Vec<u8>,
    edges: Edges,
}

/// Where a token stands in its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    pub start: u32,
    pub end: u32,
    pub is_sign: bool,
    /// Whether a word may be more than it seems: it holds `.` or three equal letters in a row, or
    /// anything that is not ASCII stands near it.
    pub is_odd: bool,
}

impl Span {
    pub fn of<'a>(&self, text: &'a str) -> &'a str {
        &text[self.start as usize..self.end as usize]
    }
}

impl Tokenizer {
    pub fn new(lowercase: bool) -> Self {
        Tokenizer { lowercase, line: Vec::new(), edges: Edges::default() }
    }

    /// The words of `text`, in order.
    pub fn words(&mut self, text: &str, words: &mut Keys) {
        self.cut::<false>(text, words, &mut Vec::new());
    }

    /// The words and signs of `text`, in order, and where each stands.
    pub fn tokens(&mut self, text: &str, tokens: &mut Keys, spans: &mut Vec<Span>) {
        spans.clear();
        self.cut::<true>(text, tokens, spans);
    }

    #[inline(always)]
    fn cut<const SIGNS: bool>(&mut self, text: &str, tokens: &mut Keys, spans: &mut Vec<Span>) {
        tokens.clear();
        let bytes = text.as_bytes();
        let mut start = 0;
        while let Some(wide) = first_wide(&bytes[start..]) {
            let wide = start + wide;
            let from = bytes[start..wide]
                .iter()
                .rposition(|&byte| bytes::is_space(byte))
                .map_or(start, |space| start + space + 1);
            let to = bytes[wide..]
                .iter()
                .position(|&byte| bytes::is_space(byte))
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
        spans: &mut Vec<Span>,
    ) {
        if bytes.is_empty() {
            return;
        }
        bytes::padded_line(bytes, self.lowercase, &mut self.line);
        self.edges.find::<SIGNS>(&self.line);
        let (line, first) = (&self.line, spans.len());
        match SIGNS {
            true => {
                let pairs = self.edges.pairs_with_signs();
                tokens.reserve(pairs.len());
                spans.reserve(pairs.len());
                for (start, end) in pairs {
                    if take(line, start, end, tokens) {
                        let is_sign = IS_SIGN[line[start] as usize];
                        let (start, end) = ((base + start) as u32, (base + end) as u32);
                        spans.push(Span { start, end, is_sign, is_odd: false });
                    }
                }
            }
            false => self.edges.pairs().for_each(|(start, end)| {
                take(line, start, end, tokens);
            }),
        }
        let mut spans = &mut spans[first..];
        for &place in self.edges.odd() {
            let past = |span: &Span| span.end as usize <= base + place as usize;
            let (_, rest) = spans.split_at_mut(spans.partition_point(past));
            spans = rest;
            if let Some(span) = spans.first_mut() {
                span.is_odd |= (span.start as usize) <= base + place as usize;
            }
        }
    }

    fn general<const SIGNS: bool>(
        &mut self,
        text: &str,
        base: usize,
        tokens: &mut Keys,
        spans: &mut Vec<Span>,
    ) {
        let mut take = |start: usize, token: &str, is_sign: bool| {
            let lowered;
            let spelling = if self.lowercase && !is_sign {
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
                let (start, end) = ((base + start) as u32, (base + start + token.len()) as u32);
                spans.push(Span { start, end, is_sign, is_odd: true });
            }
        };
        for (start, segment) in text.split_word_bound_indices() {
            if is_word(segment) {
                take(start, segment, false);
            } else if SIGNS {
                for (place, sign) in segment.char_indices().filter(|&(_, c)| is_sign(c)) {
                    let place = start + place;
                    take(place, &text[place..place + sign.len_utf8()], true);
                }
            }
        }
    }
}

/// Appends the token from `start` to `end` of a padded line, unless it is none.
#[inline(always)]
fn take(line: &[u8], start: usize, end: usize, tokens: &mut Keys) -> bool {
    let length = end - start;
    let window = &line[start..start + 16];
    // `_` alone joins words but is none.
    if window[0] == b'_' && line[start..end].iter().all(|&byte| byte == b'_') {
        return false;
    }
    if length <= Key::SHORT {
        tokens.push_packed(Key::pack(window, length));
    } else if length <= LONGEST_TOKEN {
        tokens.push(&line[start..end]);
    } else {
        return false;
    }
    true
}

/// Which ASCII bytes are signs.
const IS_SIGN: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = (byte as u8).is_ascii_punctuation() && byte as u8 != b'_';
        byte += 1;
    }
    table
};

/// Where the first byte beyond ASCII stands. Whole blocks are passed at the speed of `is_ascii`.
fn first_wide(bytes: &[u8]) -> Option<usize> {
    let skipped = 64 * bytes.chunks(64).take_while(|block| block.is_ascii()).count();
    let rest = bytes.get(skipped..)?;
    Some(skipped + rest.iter().position(|byte| !byte.is_ascii())?)
}

fn is_word(segment: &str) -> bool {
    segment.chars().any(|c| c.is_alphanumeric() || (!c.is_ascii() && c.is_emoji_char()))
}

fn is_sign(c: char) -> bool {
    match c.is_ascii() {
        true => c.is_ascii_punctuation() && c != '_',
        false => matches!(
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
        let (mut tokens, mut spans) = (Keys::default(), Vec::new());
        Tokenizer::new(lowercase).tokens(text, &mut tokens, &mut spans);
        let spellings = tokens.spellings();
        assert_eq!(spans.len(), spellings.len());
        let shown = |(spelling, span): (&String, &Span)| {
            let there = span.of(text);
            let lowered = lowercase && !span.is_sign;
            assert_eq!(*spelling, if lowered { there.to_lowercase() } else { there.to_string() });
            format!("{}{spelling}", if span.is_sign { "\0" } else { "" })
        };
        spellings.iter().zip(&spans).map(shown).collect()
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
        fn mixed_text_equals_the_definition(text in "([aZ0_'.:,; \n]|\\PC|[\u{300}-\u{310}]|[\u{200b}-\u{200d}]|[🇦-🇿👩🚀❤\u{fe0f}]){0,100}") {
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
