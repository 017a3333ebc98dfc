//! Hand-written rules: which of them fire on a text.
//!
//! The words, senders and domains of all rules are found by one automaton in a single pass, however many
//! they are; a find counts if it stands where such a thing can stand. Patterns are regular expressions
//! without look-around and back-references, so the time a text takes grows with its length and no
//! pattern can run away.

use crate::error::{Error, Result};
use crate::parallel::{each, shares};
use aho_corasick::AhoCorasick;
use regex::{Regex, RegexBuilder};
use regex_syntax::hir::{Class, Hir, HirKind};
use regex_syntax::{ParserBuilder, is_word_character};
use unicode_segmentation::UnicodeSegmentation;

/// A rule fires on a text of its column that holds any of these.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rule {
    pub(crate) column: usize,
    /// Whole words and phrases, in any case.
    pub(crate) words: Vec<String>,
    /// Addresses, or `@` and a domain for all addresses at it.
    pub(crate) senders: Vec<String>,
    /// Domains, found in links and addresses at them or below them.
    pub(crate) domains: Vec<String>,
    pub(crate) pattern: Option<String>,
}

/// Rules that are ready to be tried, gathered by the column they read.
pub(crate) struct Rules {
    columns: Vec<Matcher>,
}

struct Matcher {
    spellings: AhoCorasick,
    /// What each spelling is, and the rule that has it.
    owners: Vec<(PhraseKind, u32)>,
    patterns: Vec<(Regex, u32)>,
}

#[derive(Clone, Copy)]
enum PhraseKind {
    Words,
    Sender,
    Domain,
}

/// The largest size of a pattern, about as many bytes as its automaton takes; the smallest; and the largest
/// of all patterns of some rules.
const LARGEST: u64 = 1 << 22;
const SMALLEST: u64 = 1 << 13;
const LARGEST_OF_ALL: u64 = 1 << 25;

/// Patterns are nested no deeper.
const DEEPEST: u32 = 64;

const TOO_LARGE: &str = "its repetitions make it too large";

/// The size of a regular expression, known before it is compiled; or a sentence about what is wrong with
/// it.
pub(crate) fn size_of(source: &str) -> std::result::Result<u64, String> {
    let parsed = ParserBuilder::new().nest_limit(DEEPEST).build().parse(source);
    let pattern = parsed.map_err(|error| {
        // The message shows the place on lines of its own; what is wrong comes last.
        let message = error.to_string();
        let what = message.lines().last().unwrap_or_default();
        what.strip_prefix("error: ").unwrap_or(what).to_string()
    })?;
    let size = SMALLEST.saturating_add(size(&pattern));
    if size > LARGEST { Err(TOO_LARGE.to_string()) } else { Ok(size) }
}

fn size(pattern: &Hir) -> u64 {
    const STATE: u64 = 32;
    let all = |parts: &[Hir]| parts.iter().map(size).fold(STATE, u64::saturating_add);
    match pattern.kind() {
        HirKind::Empty | HirKind::Look(_) => STATE,
        HirKind::Literal(literal) => STATE * literal.0.len() as u64,
        HirKind::Class(Class::Unicode(class)) => STATE * class.ranges().len().max(1) as u64,
        HirKind::Class(Class::Bytes(class)) => STATE * class.ranges().len().max(1) as u64,
        HirKind::Capture(capture) => STATE.saturating_add(size(&capture.sub)),
        HirKind::Repetition(repetition) => {
            let times = repetition.max.unwrap_or(repetition.min).max(1);
            size(&repetition.sub).saturating_add(STATE).saturating_mul(times.into())
        }
        HirKind::Concat(parts) | HirKind::Alternation(parts) => all(parts),
    }
}

/// A regular expression of some size.
fn pattern(source: &str) -> Result<Regex> {
    let compiled = RegexBuilder::new(source)
        .nest_limit(DEEPEST)
        .size_limit(2 * LARGEST as usize)
        .dfa_size_limit(LARGEST as usize)
        .build();
    compiled.map_err(|_| Error::Shape { what: TOO_LARGE.to_string() })
}

impl Rules {
    pub(crate) fn new(rules: &[Rule]) -> Result<Self> {
        let mut total = 0;
        for source in rules.iter().filter_map(|rule| rule.pattern.as_ref()) {
            total += size_of(source).map_err(|what| Error::Shape { what })?;
            if total > LARGEST_OF_ALL {
                let what = "the patterns of the rules are too many, or too large".to_string();
                return Err(Error::Shape { what });
            }
        }
        let columns = rules.iter().map(|rule| rule.column + 1).max().unwrap_or(0);
        let of_column = |column| {
            let all = rules.iter().zip(0..);
            Matcher::new(all.filter(move |(rule, _)| rule.column == column))
        };
        Ok(Rules { columns: (0..columns).map(of_column).collect::<Result<_>>()? })
    }

    pub(crate) fn columns(&self) -> usize {
        self.columns.len()
    }

    /// For each text of a column, the places of the rules that fire, rising.
    pub(crate) fn fired(&self, column: usize, texts: &[&str], threads: usize) -> Vec<Vec<u32>> {
        let matcher = &self.columns[column];
        let found = each(shares(texts, |text| text.len() + 1, threads), |share| {
            let mut folded = String::new();
            share.iter().map(|text| matcher.fired(text, &mut folded)).collect::<Vec<_>>()
        });
        found.into_iter().flatten().collect()
    }
}

impl Matcher {
    fn new<'a>(rules: impl Iterator<Item = (&'a Rule, u32)>) -> Result<Self> {
        let (mut spellings, mut owners, mut patterns) = (Vec::new(), Vec::new(), Vec::new());
        for (rule, place) in rules {
            let lists = [
                (PhraseKind::Words, &rule.words),
                (PhraseKind::Sender, &rule.senders),
                (PhraseKind::Domain, &rule.domains),
            ];
            for (kind, list) in lists {
                for spelling in list {
                    let mut folded = String::new();
                    fold(spelling, &mut folded);
                    spellings.push(folded);
                    owners.push((kind, place));
                }
            }
            if let Some(source) = &rule.pattern {
                patterns.push((pattern(source)?, place));
            }
        }
        let spellings = AhoCorasick::new(spellings)
            .map_err(|error| Error::Shape { what: error.to_string() })?;
        Ok(Matcher { spellings, owners, patterns })
    }

    fn fired(&self, text: &str, folded: &mut String) -> Vec<u32> {
        let mut fired = Vec::new();
        if !self.owners.is_empty() {
            fold(text, folded);
            let mut borders = Borders::of(folded);
            for found in self.spellings.find_overlapping_iter(folded.as_str()) {
                let (kind, place) = self.owners[found.pattern().as_usize()];
                let (before, after) = (&folded[..found.start()], &folded[found.end()..]);
                let stands = match kind {
                    PhraseKind::Words => borders.at(found.start()) && borders.at(found.end()),
                    PhraseKind::Sender => {
                        let any_name = folded[found.start()..].starts_with('@');
                        (any_name || !before.ends_with(in_name)) && is_end_of_host(after)
                    }
                    PhraseKind::Domain => !before.ends_with(in_label) && is_end_of_host(after),
                };
                if stands {
                    fired.push(place);
                }
            }
        }
        let matching = self.patterns.iter().filter(|(regex, _)| regex.is_match(text));
        fired.extend(matching.map(|(_, place)| place));
        fired.sort_unstable();
        fired.dedup();
        fired
    }
}

/// Lower case, and one space wherever there is white space.
fn fold(text: &str, folded: &mut String) {
    folded.clear();
    for part in text.to_lowercase().split_whitespace() {
        if !folded.is_empty() {
            folded.push(' ');
        }
        folded.push_str(part);
    }
}

/// Where words begin and end.
pub(crate) struct Borders<'a> {
    text: &'a str,
    segments: Option<Vec<usize>>,
}

impl<'a> Borders<'a> {
    pub(crate) fn of(text: &'a str) -> Self {
        Borders { text, segments: None }
    }

    /// Whether a word may begin or end here: beside a sign that is no part of words, or, for scripts
    /// that put no spaces between words, where Unicode sees a boundary.
    pub(crate) fn at(&mut self, place: usize) -> bool {
        let (before, after) = self.text.split_at(place);
        if !before.ends_with(is_word_character) || !after.starts_with(is_word_character) {
            return true;
        }
        let segments = self.segments.get_or_insert_with(|| {
            self.text.split_word_bound_indices().map(|(start, _)| start).collect()
        });
        segments.binary_search(&place).is_ok()
    }
}

/// What the name before an `@` may hold.
fn in_name(sign: char) -> bool {
    is_word_character(sign) || ".+-%".contains(sign)
}

/// What stands between the dots of a host.
fn in_label(sign: char) -> bool {
    is_word_character(sign) || sign == '-'
}

/// Whether a host ends where `rest` begins. A full stop may follow it, but not one more label; and
/// what an `@` follows was no host but a name.
fn is_end_of_host(rest: &str) -> bool {
    let rest = rest.strip_prefix(['.', '-']).unwrap_or(rest);
    !rest.starts_with(|sign| in_label(sign) || sign == '@')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn strings(list: &[&str]) -> Vec<String> {
        list.iter().map(|text| text.to_string()).collect()
    }

    fn fires(rule: &Rule, text: &str) -> bool {
        !Rules::new(std::slice::from_ref(rule)).unwrap().fired(0, &[text], 1)[0].is_empty()
    }

    #[track_caller]
    fn check(rule: Rule, yes: &[&str], no: &[&str]) {
        yes.iter().for_each(|text| assert!(fires(&rule, text), "{text}"));
        no.iter().for_each(|text| assert!(!fires(&rule, text), "{text}"));
    }

    #[test]
    fn words_are_whole_and_of_any_case() {
        let words = strings(&["Lottery", "wire transfer", "$100", "ΟΔΟΣ", "日本", "c++"]);
        check(
            Rule { words, ..Rule::default() },
            &[
                "the LOTTERY!",
                "won the lottery.Click",
                "a wire\n\tTransfer",
                "US$100 now",
                "ἡ οδος",
            ],
            &["lotteries", "lottery_win", "wire-transfer", "hardwire transfer", "$1000", ""],
        );
        let words = strings(&["日本", "c++"]);
        check(Rule { words, ..Rule::default() }, &["日本語", "c++11", "C++"], &["c+", "日"]);
    }

    #[test]
    fn senders_are_whole_addresses_or_all_at_a_domain() {
        let senders = strings(&["Offers@example.com", "@example.net"]);
        check(
            Rule { senders, ..Rule::default() },
            &["Bob <offers@EXAMPLE.com>", "offers@example.com.", "x@example.net", "a@example.net-"],
            &[
                "not.offers@example.com",
                "offers@example.com.org",
                "offers@example.community",
                "x@mail.example.net",
                "x@example.net.org",
                "x@example.net-org.com",
                "example.net",
            ],
        );
    }

    #[test]
    fn domains_are_found_in_links_and_addresses_and_below() {
        check(
            Rule { domains: strings(&["example.com"]), ..Rule::default() },
            &[
                "https://example.com/x?y",
                "http://www.Example.com:80",
                "a@mail.example.com",
                "See example.com.",
            ],
            &["notexample.com", "an-example.com", "example.com.org", "http://example.com@else.org"],
        );
    }

    #[test]
    fn patterns_are_tried_on_the_text_as_it_is() {
        let pattern = Some(r"(?i)\bwin\s+\$\d+".to_string());
        check(
            Rule { pattern, ..Rule::default() },
            &["Win  $5", "to win\n$10"],
            &["twin $5", "win 5"],
        );
    }

    #[test]
    fn what_is_wrong_with_a_pattern_is_one_line() {
        let what = |source| size_of(source).unwrap_err();
        assert_eq!(what("(a"), "unclosed group");
        assert_eq!(what("a\n(b"), "unclosed group");
        assert!(what("a(?=b)").starts_with("look-around"));
        assert_eq!(what(r"(a)\1"), "backreferences are not supported");
        assert_eq!(what("((a{1,999}){1,999}){1,999}"), "its repetitions make it too large");
    }

    #[test]
    fn rules_come_once_in_their_order_by_column() {
        let rule = |column, words: &[&str], pattern: Option<&str>| Rule {
            column,
            words: strings(words),
            pattern: pattern.map(str::to_string),
            ..Rule::default()
        };
        let rules =
            [rule(0, &[], Some("b")), rule(1, &["a"], None), rule(0, &["a", "b"], Some("a"))];
        let rules = Rules::new(&rules).unwrap();
        assert_eq!(rules.columns(), 2);
        assert_eq!(
            rules.fired(0, &["a b a", "a", "c", ""], 2),
            [vec![0, 2], vec![2], vec![], vec![]]
        );
        assert_eq!(rules.fired(1, &["a", "b"], 1), [vec![1], vec![]]);
        assert_eq!(Rules::new(&[]).unwrap().columns(), 0);
    }

    proptest! {
        #[test]
        fn any_text_finds_itself_whatever_the_threads(
            texts in proptest::collection::vec(any::<String>(), 1..6),
            threads in 1usize..4,
        ) {
            let rule = |word: &String| Rule { words: vec![word.clone()], ..Rule::default() };
            let words: Vec<&String> = texts.iter().filter(|text| !text.trim().is_empty()).collect();
            let rules: Vec<Rule> = words.iter().copied().map(rule).collect();
            prop_assume!(!rules.is_empty());
            let views: Vec<&str> = words.iter().map(|text| text.as_str()).collect();
            let fired = Rules::new(&rules).unwrap().fired(0, &views, threads);
            prop_assert_eq!(fired.len(), views.len());
            for (place, found) in (0..).zip(&fired) {
                prop_assert!(found.contains(&place));
            }
        }
    }
}
