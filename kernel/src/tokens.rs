//! From bytes to words.
//!
//! A word is a segment between Unicode word boundaries (UAX #29) that holds a letter, a digit or an
//! emoji; white space always separates. `don't`, `3.14` and `snake_case` are one word each, Han
//! characters one word apiece.
//!
//! Most text is ASCII, and for ASCII the rules of UAX #29 fit into a few bit operations: letters,
//! digits and `_` make words, `'` `.` `:` join two letters, `'` `.` `,` `;` join two digits. So ASCII
//! is read 64 bytes at a time as bit masks (`bytes.rs`). A run between ASCII spaces that holds
//! any other byte is handed, whole, to the general algorithm. Both roads give the same words on any
//! input; the tests at the foot hold them to it.

mod pattern;

use crate::bytes::{self, Edges};
use crate::key::{Key, Packed};
use unicode_properties::UnicodeEmoji;
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
    words: Words,
}

/// The words of a text, in order.
#[derive(Default)]
pub struct Words {
    /// A word that does not fit is given as [start, length] in `long`, marked by [`LONG`].
    packed: Vec<Packed>,
    long: Vec<u8>,
}

/// The mark of a long word, in the place where a short one has its length.
const LONG: u64 = 0xff << 56;

impl Words {
    /// The words as two registers each. Those of long words are like no short word's.
    pub fn packed(&self) -> &[Packed] {
        &self.packed
    }

    #[inline(always)]
    pub fn get(&self, place: usize) -> Key<'_> {
        let packed = self.packed[place];
        match packed[1] & LONG {
            LONG => {
                let (start, length) = (packed[0] as usize, (packed[1] & !LONG) as usize);
                Key::Long(&self.long[start..start + length])
            }
            _ => Key::Short(packed),
        }
    }

    fn push(&mut self, word: &[u8]) {
        match Key::new(word) {
            Key::Short(packed) => self.packed.push(packed),
            Key::Long(bytes) => {
                self.packed.push([self.long.len() as u64, LONG | bytes.len() as u64]);
                self.long.extend_from_slice(bytes);
            }
        }
    }
}

impl Tokenizer {
    pub fn new(lowercase: bool) -> Self {
        Tokenizer { lowercase, line: Vec::new(), edges: Edges::default(), words: Words::default() }
    }

    pub fn words(&mut self, text: &str) -> &Words {
        self.words.packed.clear();
        self.words.long.clear();
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
            self.ascii(&bytes[start..from]);
            // Both cuts stand beside ASCII bytes, so the slice is on character boundaries.
            self.general(&text[from..to]);
            start = to;
        }
        self.ascii(&bytes[start..]);
        &self.words
    }

    fn ascii(&mut self, bytes: &[u8]) {
        if bytes.is_empty() {
            return;
        }
        bytes::padded_line(bytes, self.lowercase, &mut self.line);
        self.edges.find(&self.line);
        for (start, end) in self.edges.pairs() {
            let length = end - start;
            let window = &self.line[start..start + 16];
            // `_` alone joins words but is none.
            if window[0] == b'_' && self.line[start..end].iter().all(|&byte| byte == b'_') {
                continue;
            }
            if length <= Key::SHORT {
                self.words.packed.push(Key::pack(window, length));
            } else if length <= LONGEST_TOKEN {
                self.words.push(&self.line[start..end]);
            }
        }
    }

    fn general(&mut self, text: &str) {
        for segment in text.split_word_bounds().filter(|segment| is_word(segment)) {
            let lowered;
            let word = if self.lowercase {
                lowered = segment.to_lowercase();
                &lowered
            } else {
                segment
            };
            if word.len() <= LONGEST_TOKEN {
                self.words.push(word.as_bytes());
            }
        }
    }
}

/// Where the first byte beyond ASCII stands. Whole blocks are passed at the speed of `is_ascii`.
fn first_wide(bytes: &[u8]) -> Option<usize> {
    let skipped = 64 * bytes.chunks(64).take_while(|block| block.is_ascii()).count();
    let rest = bytes.get(skipped..)?;
    Some(skipped + rest.iter().position(|byte| !byte.is_ascii())?)
}

fn is_word(segment: &str) -> bool {
    segment.chars().any(|c| c.is_alphanumeric() || (!c.is_ascii() && c.is_emoji_char()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn words(text: &str, lowercase: bool) -> Vec<String> {
        let mut tokenizer = Tokenizer::new(lowercase);
        let words = tokenizer.words(text);
        let spell = |place| String::from_utf8(words.get(place).to_vec()).unwrap();
        (0..words.packed().len()).map(spell).collect()
    }

    /// The definition, with no fast path: UAX #29 within each run of non-space.
    fn defined(text: &str, lowercase: bool) -> Vec<String> {
        text.split([' ', '\t', '\n', '\x0b', '\x0c', '\r'])
            .flat_map(|run| run.split_word_bounds())
            .filter(|segment| is_word(segment))
            .map(|word| if lowercase { word.to_lowercase() } else { word.to_string() })
            .filter(|word| word.len() <= LONGEST_TOKEN)
            .collect()
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
        }

        #[test]
        fn the_fast_path_equals_the_definition_on_joiners(text in "[aZ0_'.:,; ]{0,200}") {
            prop_assert_eq!(words(&text, true), defined(&text, true));
        }

        #[test]
        fn mixed_text_equals_the_definition(text in "([aZ0_'.:,; \n]|\\PC|[\u{300}-\u{310}]|[\u{200b}-\u{200d}]|[🇦-🇿👩🚀❤\u{fe0f}]){0,100}") {
            prop_assert_eq!(words(&text, true), defined(&text, true));
        }

        #[test]
        fn any_string_equals_the_definition(text: String, lowercase: bool) {
            prop_assert_eq!(words(&text, lowercase), defined(&text, lowercase));
        }
    }
}
