//! Neutral terms: each is replaced by a word that nobody has ever used.
//!
//! A word outside the vocabulary adds nothing to a score, nor does any n-gram that it is part of. So a text is scored
//! alike whichever of the terms it holds, in whatever case.

use crate::error::{Error, Result};
use crate::text::rules::Borders;
use regex::{Regex, RegexBuilder};
use std::borrow::Cow;

/// A letter of Linear A, which nobody has deciphered: a word by itself, neither upper nor lower case.
const STRANGER: char = '\u{10600}';

/// So many bytes an expression may take: some ten thousand terms.
const MOST: usize = 1 << 28;

/// Terms, ready to be found in texts.
pub(crate) struct Neutral {
    terms: Regex,
}

impl Neutral {
    /// Terms are words or phrases, in any case, with any white space between their words.
    pub(crate) fn new(terms: &[String]) -> Result<Self> {
        let spelled = |term: &String| {
            term.split_whitespace().map(regex::escape).collect::<Vec<_>>().join(r"\s+")
        };
        let mut spelled: Vec<String> = terms.iter().map(spelled).collect();
        // Of terms that begin alike, the longest is found.
        spelled.sort_by_key(|term| std::cmp::Reverse(term.len()));
        let terms = RegexBuilder::new(&spelled.join("|"))
            .case_insensitive(true)
            .size_limit(MOST)
            .build()
            .map_err(|error| Error::Shape { what: format!("terms that are too many: {error}") })?;
        Ok(Neutral { terms })
    }

    /// The text with each term replaced, where it stands by itself.
    pub(crate) fn masked<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let mut borders = Borders::of(text);
        let (mut masked, mut done, mut from) = (String::new(), 0, 0);
        while let Some(found) = self.terms.find_at(text, from) {
            if !found.is_empty() && borders.at(found.start()) && borders.at(found.end()) {
                masked.push_str(&text[done..found.start()]);
                masked.push(STRANGER);
                (done, from) = (found.end(), found.end());
                continue;
            }
            match text[found.start()..].chars().next() {
                Some(first) => from = found.start() + first.len_utf8(),
                None => break,
            }
        }
        if done == 0 {
            return Cow::Borrowed(text);
        }
        masked.push_str(&text[done..]);
        Cow::Owned(masked)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn masked(terms: &[&str], text: &str) -> String {
        let terms: Vec<String> = terms.iter().map(|term| term.to_string()).collect();
        Neutral::new(&terms).unwrap().masked(text).replace(STRANGER, "·")
    }

    #[test]
    fn terms_are_found_as_whole_words_in_any_case() {
        assert_eq!(masked(&["gay"], "Gay, GAY's; gayly begay"), "·, ·'s; gayly begay");
        assert_eq!(masked(&["old man"], "An Old \n man and an old mane"), "An · and an old mane");
        assert_eq!(masked(&["old", "old age"], "old age, old"), "·, ·");
        assert_eq!(masked(&["женщина"], "Женщина и женщинам"), "· и женщинам");
        assert_eq!(masked(&["女"], "女人和男人"), "·人和男人");
        assert_eq!(masked(&["a+b"], "a+b, aab"), "·, aab");
        assert_eq!(masked(&["mum's"], "my mum's mum"), "my · mum");
    }

    #[test]
    fn a_text_without_terms_stays_as_it_is() {
        assert!(matches!(Neutral::new(&["x".into()]).unwrap().masked("abc"), Cow::Borrowed(_)));
        assert_eq!(masked(&[], "abc"), "abc");
        assert_eq!(masked(&["a"], ""), "");
    }
}
