//! The words of scikit-learn's default pattern, `(?u)\b\w\w+\b`: runs of two or more letters, digits
//! and `_`. Only its vectorizer's twin reads so (`crate::sklearn::vectorizer`).

use super::{Tokenizer, first_wide};
use crate::dictionary::feature_key::{Key, Keys};
use crate::text::ascii_masks;
use unicode_properties::{GeneralCategoryGroup, UnicodeGeneralCategory};

impl Tokenizer {
    /// The words of `text`, in order.
    pub(crate) fn pattern_words(&mut self, text: &str, words: &mut Keys) {
        words.clear();
        let mut rest = text;
        while let Some(wide) = first_wide(rest.as_bytes()) {
            // A stretch between ASCII spaces with any other byte in it takes the slow road.
            let from = rest[..wide].rfind(is_ascii_space).map_or(0, |space| space + 1);
            let to = rest[wide..].find(is_ascii_space).map_or(rest.len(), |space| wide + space);
            self.ascii_runs(&rest[..from], words);
            self.wide_runs(&rest[from..to], words);
            rest = &rest[to..];
        }
        self.ascii_runs(rest, words);
    }

    fn ascii_runs(&mut self, text: &str, words: &mut Keys) {
        ascii_masks::padded_line(text.as_bytes(), self.lowercase, &mut self.line);
        self.edges.find_runs(&self.line);
        for (start, end) in self.edges.pairs() {
            match end - start {
                1 => {}
                length @ ..=Key::SHORT => {
                    words.push_packed(Key::pack(&self.line[start..start + 16], length));
                }
                _ => words.push(&self.line[start..end]),
            }
        }
    }

    fn wide_runs(&mut self, text: &str, words: &mut Keys) {
        let lowered;
        let text = if self.lowercase {
            lowered = text.to_lowercase();
            &lowered
        } else {
            text
        };
        let runs = text.split(|c| !is_word_character(c));
        for run in runs.filter(|run| run.chars().nth(1).is_some()) {
            words.push(run.as_bytes());
        }
    }
}

fn is_ascii_space(c: char) -> bool {
    u8::try_from(c).is_ok_and(ascii_masks::is_space)
}

/// What `\w` matches in Python: letters and numbers of any script, and `_`. Marks are neither.
fn is_word_character(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_alphanumeric() || c == '_';
    }
    let group = c.general_category_group();
    matches!(group, GeneralCategoryGroup::Letter | GeneralCategoryGroup::Number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn pattern_words(text: &str) -> Vec<String> {
        let mut words = Keys::default();
        Tokenizer::new(true).pattern_words(text, &mut words);
        words.spellings()
    }

    #[test]
    fn runs_are_what_the_pattern_finds() {
        assert_eq!(
            pattern_words("Don't be a snake_case: __ 3.14 e.g."),
            ["don", "be", "snake_case", "__", "14"]
        );
        assert_eq!(pattern_words("l'Été à Genève"), ["été", "genève"]);
        assert_eq!(pattern_words(&"x".repeat(300)), ["x".repeat(300)]);
        assert!(pattern_words(" a ").is_empty());
    }

    proptest! {
        #[test]
        fn both_roads_give_the_same_words(text in "([ -~\t\n\u{0}]|[éΣσ़ि५]){0,300}") {
            let mut words = Keys::default();
            Tokenizer::new(true).wide_runs(&text, &mut words);
            prop_assert_eq!(words.spellings(), pattern_words(&text));
        }
    }
}
