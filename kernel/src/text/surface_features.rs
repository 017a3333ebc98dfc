//! What is seen on the surface of a text: links, numbers, capitals, smileys, shouting.
//!
//! Each surface feature is a feature with a name of its own: `URL`, `domain example.org`, `E-MAIL`,
//! `number 9.99`, `Capitalised`, `ALL-CAPS`, `elongated`, `emoticon :)`, `emoji`, `run !!!`,
//! `words 8-15`, `paragraphs 2-3`. Nothing inside an address is a surface feature of another sort.

use crate::dictionary::feature_key::{Key, Keys, Packed};
use crate::text::ascii_masks;
use crate::text::tokens::{Spans, Trait};
use std::sync::LazyLock;

/// Which surface features are looked for: a bit for each of [`SurfaceFeatures::NAMES`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct SurfaceFeatures(u16);

impl SurfaceFeatures {
    pub(crate) const NAMES: [&'static str; 12] = [
        "url",
        "domain",
        "email",
        "number",
        "capitalised",
        "capitals",
        "elongated",
        "emoticon",
        "emoji",
        "run",
        "length",
        "paragraphs",
    ];
    const URL: u16 = 1;
    const DOMAIN: u16 = 1 << 1;
    const EMAIL: u16 = 1 << 2;
    const NUMBER: u16 = 1 << 3;
    const CAPITALISED: u16 = 1 << 4;
    const CAPITALS: u16 = 1 << 5;
    const ELONGATED: u16 = 1 << 6;
    const EMOTICON: u16 = 1 << 7;
    const EMOJI: u16 = 1 << 8;
    const RUN: u16 = 1 << 9;
    const LENGTH: u16 = 1 << 10;
    const PARAGRAPHS: u16 = 1 << 11;

    #[cfg(test)]
    const ALL: SurfaceFeatures = SurfaceFeatures((1 << Self::NAMES.len()) - 1);

    pub(crate) fn named(names: &[String]) -> Option<Self> {
        let bit = |name: &String| Self::NAMES.iter().position(|known| known == name);
        let bits = names.iter().map(|name| bit(name).map(|place| 1 << place));
        bits.sum::<Option<u16>>().map(SurfaceFeatures)
    }

    pub(crate) fn names(self) -> Vec<&'static str> {
        let here = |place: &usize| self.has(1 << place);
        (0..Self::NAMES.len()).filter(here).map(|place| Self::NAMES[place]).collect()
    }

    #[inline(always)]
    fn has(self, which: u16) -> bool {
        self.0 & which != 0
    }

    #[inline(always)]
    fn push(self, which: u16, name: Packed, found: &mut Keys) {
        if self.has(which) {
            found.push_packed(name);
        }
    }

    /// The surface features of a text whose words and signs stand at `spans`, and how often the last of them is
    /// there more than once: it stands for the capitalised words of ASCII. Every emoticon is also told to
    /// `smile`: where it begins, and as it is written.
    pub(crate) fn find(
        self,
        text: &str,
        spans: &Spans,
        found: &mut Keys,
        scratch: &mut Scratch,
        mut smile: impl FnMut(usize, &str),
    ) -> usize {
        let mut places = std::mem::take(&mut scratch.places);
        let (traits, candidates) = (spans.traits(), self.candidates());
        let (mut capitalised, mut words) = (0, spans.len());
        ascii_masks::places(spans.blocks_of_traits(), &mut places, |_, traits| {
            capitalised += ascii_masks::any_of(traits, Trait::CAPITALISED).count_ones() as usize;
            words -= ascii_masks::any_of(traits, Trait::SIGN).count_ones() as usize;
            ascii_masks::any_of(traits, candidates)
        });
        // What begins before this byte is part of a surface feature that was found.
        let mut taken = 0;
        for place in places.iter().map(|&place| place as usize) {
            let (start, end) = (spans.start(place), spans.end(place));
            if start < taken {
                continue;
            }
            if traits[place] & (Trait::SIGN | Trait::ODD) == 0 {
                self.plain_word(text, start, end, found);
                continue;
            }
            taken = match spans.is_sign(place) {
                true => self.sign(text, spans, place, found, &mut smile),
                false => self.word(text, spans, place, found),
            };
            capitalised -= usize::from(spans.is_capitalised(place));
            if place + 1 < spans.len() && spans.start(place + 1) < taken {
                let covered = (place + 1..spans.len()).take_while(|&at| spans.start(at) < taken);
                capitalised -= covered.filter(|&at| spans.is_capitalised(at)).count();
            }
        }
        scratch.places = places;
        if self.has(Self::LENGTH) {
            found.push_key(class(&LENGTHS, words));
        }
        if self.has(Self::PARAGRAPHS) {
            let paragraphs = match spans.has_lines() {
                true => paragraphs(text.as_bytes()),
                false => usize::from(!text.trim_ascii().is_empty()),
            };
            found.push_key(class(&PARAGRAPHS, paragraphs));
        }
        if capitalised > 0 && self.has(Self::CAPITALISED) {
            found.push_packed(name::CAPITALISED);
            return capitalised - 1;
        }
        0
    }

    /// The traits of tokens that may be a surface feature, or the start of one.
    fn candidates(self) -> u8 {
        let capitals = self.has(Self::CAPITALISED | Self::CAPITALS);
        (if capitals { Trait::CAPITAL } else { 0 }) | Trait::ODD | Trait::UNUSUAL
    }

    /// The surface feature of a word of ASCII that is no more than it seems.
    fn plain_word(self, text: &str, start: usize, end: usize, found: &mut Keys) {
        let text = text.as_bytes();
        match text[start] {
            b'A'..=b'Z' if end - start > 1 => {
                let (which, name) = match has_small(text, start, end) {
                    true => (Self::CAPITALISED, name::CAPITALISED),
                    false => (Self::CAPITALS, name::CAPITALS),
                };
                self.push(which, name, found);
            }
            b'0'..=b'9' if self.has(Self::NUMBER) => push_shape(&text[start..end], found),
            _ => {}
        }
    }

    /// The surface features of a word, and where what they cover ends.
    fn word(self, text: &str, spans: &Spans, place: usize, found: &mut Keys) -> usize {
        let (start, end) = (spans.start(place), spans.end(place));
        let word = &text[start..end];
        let is_odd = spans.traits()[place] & Trait::ODD != 0;
        if is_odd && is_host(word) {
            return self.address(text, start, found);
        }
        if is_odd && is_elongated(word) {
            self.push(Self::ELONGATED, name::ELONGATED, found);
        }
        let first = word.chars().next().unwrap_or(' ');
        if word.is_ascii() || first.is_ascii_digit() {
            self.plain_word(text, start, end, found);
        } else if first.is_uppercase() && word.chars().nth(1).is_some() {
            match word.chars().any(char::is_lowercase) {
                true => self.push(Self::CAPITALISED, name::CAPITALISED, found),
                false => self.push(Self::CAPITALS, name::CAPITALS, found),
            }
        } else if !first.is_ascii() && !word.chars().any(char::is_alphanumeric) {
            self.push(Self::EMOJI, name::EMOJI, found);
        }
        end
    }

    /// The surface features that begin with a sign, and where what they cover ends.
    fn sign(
        self,
        text: &str,
        spans: &Spans,
        place: usize,
        found: &mut Keys,
        mut smile: impl FnMut(usize, &str),
    ) -> usize {
        let (start, end) = (spans.start(place), spans.end(place));
        let bytes = text.as_bytes();
        let touches = place > 0 && spans.end(place - 1) == start;
        let after_word = touches && !spans.is_sign(place - 1);
        match bytes[start] {
            b'!' | b'?' | b'.' => {
                let more = |&&byte: &&u8| matches!(byte, b'!' | b'?' | b'.');
                let run = &bytes[start..start + bytes[start..].iter().take_while(more).count()];
                if run.len() > 1 && self.has(Self::RUN) {
                    push_run(run, found);
                }
                start + run.len()
            }
            b'@' if after_word => {
                let host = host_at(text, end);
                if !host.contains('.') {
                    return end;
                }
                self.push(Self::EMAIL, name::EMAIL, found);
                self.push_domain(host, found);
                end + host.len()
            }
            b':' if touches && bytes[start..].starts_with(b"://") => {
                self.address(text, start + 3, found)
            }
            b':' | b';' | b'=' | b'<' => {
                let Some((name, length)) = emoticon(&bytes[start..], after_word) else {
                    return end;
                };
                smile(start, &text[start..start + length]);
                if self.has(Self::EMOTICON) {
                    found.push(format!("emoticon {name}").as_bytes());
                }
                start + length
            }
            _ => end,
        }
    }

    /// An address whose host begins at `host`; returns its end.
    fn address(self, text: &str, host: usize, found: &mut Keys) -> usize {
        self.push(Self::URL, name::URL, found);
        let ends = |c: char| c.is_whitespace() || matches!(c, '"' | '<' | '>');
        let address = text[host..].split(ends).next().unwrap_or_default();
        // What stands before an `@` is who asks, however much it looks like a host.
        let site = address.split(['/', '?', '#', '\\']).next().unwrap_or_default();
        let name = site.rfind('@').map_or(0, |at| at + 1);
        self.push_domain(host_at(site, name), found);
        host + address.len()
    }

    fn push_domain(self, host: &str, found: &mut Keys) {
        let host = host.to_lowercase();
        let host = host.strip_prefix("www.").unwrap_or(&host);
        if self.has(Self::DOMAIN) && !host.is_empty() && host.len() < LONGEST_HOST {
            found.push(format!("domain {host}").as_bytes());
        }
    }
}

/// The surface features that have one name each, ready to be looked up.
mod name {
    use crate::dictionary::feature_key::{Key, Packed};

    pub(crate) const URL: Packed = Key::short(b"URL");
    pub(crate) const EMAIL: Packed = Key::short(b"E-MAIL");
    pub(crate) const CAPITALISED: Packed = Key::short(b"Capitalised");
    pub(crate) const CAPITALS: Packed = Key::short(b"ALL-CAPS");
    pub(crate) const ELONGATED: Packed = Key::short(b"elongated");
    pub(crate) const EMOJI: Packed = Key::short(b"emoji");
}

type Classes = LazyLock<Keys>;

static LENGTHS: Classes = LazyLock::new(|| classes("words"));
static PARAGRAPHS: Classes = LazyLock::new(|| classes("paragraphs"));

/// The names of numbers by the powers of two between which they are: none, 1, 2-3, 4-7 …
fn classes(what: &str) -> Keys {
    let named = |bits: u32| match 1u64 << bits {
        1 => format!("{what} 1"),
        from => format!("{what} {from}-{}", 2 * from - 1),
    };
    let mut names = Keys::default();
    names.push(format!("{what} 0").as_bytes());
    (0..usize::BITS - 1).for_each(|bits| names.push(named(bits).as_bytes()));
    names
}

fn class(names: &Keys, n: usize) -> Key<'_> {
    names.get(n.checked_ilog2().map_or(0, |bits| bits as usize + 1))
}

/// Scratch space that is used again for each text.
#[derive(Default)]
pub(crate) struct Scratch {
    places: Vec<u32>,
}

/// No host name is longer.
const LONGEST_HOST: usize = 254;

/// Whether a word is a host as people write them: `www.example.org`, `example.com`.
fn is_host(word: &str) -> bool {
    let known = [".com", ".org", ".net", ".edu", ".gov", ".biz"];
    let ends = |ending: &&str| {
        let start = word.len().wrapping_sub(ending.len());
        word.get(start..).is_some_and(|end| end.eq_ignore_ascii_case(ending))
    };
    word.get(..4).is_some_and(|start| start.eq_ignore_ascii_case("www.")) || known.iter().any(ends)
}

/// The host name that begins at `start`.
fn host_at(text: &str, start: usize) -> &str {
    let ends = |c: char| !(c.is_alphanumeric() || matches!(c, '.' | '-'));
    let rest = &text[start..];
    rest[..rest.find(ends).unwrap_or(rest.len())].trim_end_matches(['.', '-'])
}

fn is_elongated(word: &str) -> bool {
    if word.is_ascii() {
        let is_one = |three: &[u8]| {
            three[0].is_ascii_alphabetic()
                && three.iter().all(|c| c.eq_ignore_ascii_case(&three[0]))
        };
        return word.as_bytes().windows(3).any(is_one);
    }
    let mut before = (' ', ' ');
    word.chars().flat_map(char::to_lowercase).any(|c| {
        let found = c.is_alphabetic() && before == (c, c);
        before = (before.1, c);
        found
    })
}

/// Whether the word of ASCII from `start` to `end` has a small letter. Of what a word is made of, small
/// letters alone have both these bits, which most words are short enough to be asked for at once.
#[inline(always)]
fn has_small(text: &[u8], start: usize, end: usize) -> bool {
    match text[start..].first_chunk() {
        Some(eight) if end - start <= 8 => {
            let word = u64::from_le_bytes(*eight) << (8 * (8 - (end - start)));
            word & (word << 1) & 0x4040_4040_4040_4040 != 0
        }
        _ => text[start..end].iter().any(u8::is_ascii_lowercase),
    }
}

/// Pushes the shape of a number: a 9 for each digit; five digits or more in a row are five and a plus.
fn push_shape(word: &[u8], found: &mut Keys) {
    if word.len() <= 5 && word.iter().all(u8::is_ascii_digit) {
        found.push_packed(Key::pack(b"number 99999    ", NUMBER.len() + word.len()));
        return;
    }
    let mut name = [0; LONGEST_SHAPE + NUMBER.len()];
    name[..NUMBER.len()].copy_from_slice(NUMBER);
    let mut length = NUMBER.len();
    let mut run = 0;
    for &byte in word {
        run = if byte.is_ascii_digit() { run + 1 } else { 0 };
        let shown = match byte {
            b'0'..=b'9' if run <= 5 => b'9',
            b'0'..=b'9' if run == 6 => b'+',
            b'0'..=b'9' => continue,
            b'.' | b',' | b';' | b'\'' => byte,
            _ => return,
        };
        let Some(place) = name.get_mut(length) else { return };
        *place = shown;
        length += 1;
    }
    found.push(&name[..length]);
}

const NUMBER: &[u8] = b"number ";

/// A longer one says nothing.
const LONGEST_SHAPE: usize = 24;

/// Pushes the name of a run: one sign, at most three times; or the different ones, each once.
fn push_run(run: &[u8], found: &mut Keys) {
    let mut name = *b"run ...         ";
    let all = |sign: u8| run.iter().all(|&byte| byte == sign);
    let length = match all(run[0]) {
        true => {
            name[4..7].fill(run[0]);
            run.len().min(3)
        }
        false => {
            let signs = b".!?".iter().filter(|sign| run.contains(sign));
            name[4..].iter_mut().zip(signs).map(|(place, &sign)| *place = sign).count()
        }
    };
    found.push_packed(Key::pack(&name, 4 + length));
}

/// The emoticon at the start of `bytes`, without its nose, and its length: eyes `:` `;` `=`, a nose or
/// none, a mouth; or a heart.
fn emoticon(bytes: &[u8], after_word: bool) -> Option<(String, usize)> {
    let eyes = *bytes.first()?;
    if eyes == b'<' {
        let broken = bytes.get(1) == Some(&b'/');
        let three = 1 + usize::from(broken);
        let ends = !bytes.get(three + 1).is_some_and(u8::is_ascii_alphanumeric);
        let heart = if broken { "</3" } else { "<3" };
        return (bytes.get(three) == Some(&b'3') && ends).then(|| (heart.to_string(), three + 1));
    }
    if !matches!(eyes, b':' | b';' | b'=') {
        return None;
    }
    let tear = bytes.get(1) == Some(&b'\'');
    let nose = usize::from(matches!(bytes.get(1)?, b'-' | b'\'' | b'^' | b'~'));
    let mouth = *bytes.get(1 + nose)?;
    let next = bytes.get(2 + nose);
    let fits = match mouth {
        b')' | b'(' | b']' | b'[' | b'}' | b'{' | b'|' | b'*' => true,
        b'/' | b'\\' => !after_word && next != Some(&b'/'),
        b'D' | b'P' | b'p' | b'O' | b'o' | b'3' => {
            !after_word && !next.is_some_and(u8::is_ascii_alphanumeric)
        }
        _ => false,
    };
    let name = || {
        let tear = if tear { "'" } else { "" };
        format!("{}{tear}{}", char::from(eyes), char::from(mouth.to_ascii_uppercase()))
    };
    fits.then(|| (name(), 2 + nose))
}

/// What surface features call a text that is one emoticon: the same without its nose.
pub(crate) fn noseless(text: &str) -> Option<String> {
    let (name, length) = emoticon(text.as_bytes(), false)?;
    (length == text.len()).then_some(name)
}

/// How many stretches of text blank lines leave.
fn paragraphs(text: &[u8]) -> usize {
    let mut rest = text.trim_ascii_start();
    let mut paragraphs = usize::from(!rest.is_empty());
    while let Some(end) = memchr::memchr(b'\n', rest) {
        let line = rest[end + 1..].trim_ascii_start();
        let between = &rest[end + 1..rest.len() - line.len()];
        paragraphs += usize::from(!line.is_empty() && between.contains(&b'\n'));
        rest = line;
    }
    paragraphs
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::tokens::Tokenizer;
    use proptest::prelude::*;

    fn surface_features(text: &str) -> Vec<String> {
        let (mut tokens, mut spans, mut found) =
            (Keys::default(), Spans::default(), Keys::default());
        Tokenizer::new(true).tokens(text, &mut tokens, &mut spans);
        let only = SurfaceFeatures(
            SurfaceFeatures::ALL.0 & !SurfaceFeatures::LENGTH & !SurfaceFeatures::PARAGRAPHS,
        );
        let more = only.find(text, &spans, &mut found, &mut Scratch::default(), |_, _| {});
        let mut names = found.spellings();
        names.extend(names.last().cloned().into_iter().cycle().take(more));
        names
    }

    #[test]
    fn each_mark_has_its_name() {
        let cases: [(&str, &[&str]); 23] = [
            ("see https://www.Example.org/a?b=1 now", &["URL", "domain example.org"]),
            ("http://bank.com@Evil.org:80/@x", &["URL", "domain evil.org"]),
            ("go to www.shop.co.uk", &["URL", "domain shop.co.uk"]),
            ("only at example.com!", &["URL", "domain example.com"]),
            ("mail ann.b@my-site.com.", &["E-MAIL", "domain my-site.com"]),
            ("@ann is no address, a@b neither", &[]),
            ("1,000.50 and 1234567 and 2nd", &["number 9,999.99", "number 99999+"]),
            ("I met Ann in ROMA, USA", &["ALL-CAPS", "ALL-CAPS", "Capitalised"]),
            ("Élodie ÇA", &["Capitalised", "ALL-CAPS"]),
            ("sooo goooood, well", &["elongated", "elongated"]),
            ("niiice ééé", &["elongated", "elongated"]),
            ("nice :-) or :)", &["emoticon :)", "emoticon :)"]),
            (":'( ;P =D", &["emoticon :'(", "emoticon ;P", "emoticon =D"]),
            ("I <3 you </3", &["emoticon <3", "emoticon </3"]),
            ("note:/ and at 8:30, a:b", &["number 9", "number 99"]),
            ("great:)", &["emoticon :)"]),
            ("love 👍🏽 ❤️", &["emoji", "emoji"]),
            ("what?! no!!! hm... ok.. fine.", &["run !?", "run !!!", "run ...", "run .."]),
            ("wow!!!!!!!", &["run !!!"]),
            ("1000 dash www", &["number 9999", "elongated"]),
            ("(http://a.io) x", &["URL", "domain a.io"]),
            ("end.Start e.g. done", &[]),
            ("", &[]),
        ];
        for (text, expected) in cases {
            assert_eq!(surface_features(text), expected, "{text:?}");
        }
    }

    #[test]
    fn length_comes_in_classes() {
        let classes = |text: &str| {
            let (mut tokens, mut spans, mut found) =
                (Keys::default(), Spans::default(), Keys::default());
            Tokenizer::new(true).tokens(text, &mut tokens, &mut spans);
            let both = SurfaceFeatures(SurfaceFeatures::LENGTH | SurfaceFeatures::PARAGRAPHS);
            both.find(text, &spans, &mut found, &mut Scratch::default(), |_, _| {});
            found.spellings()
        };
        assert_eq!(classes(""), ["words 0", "paragraphs 0"]);
        assert_eq!(classes("one."), ["words 1", "paragraphs 1"]);
        assert_eq!(classes("a b c\nd\n \n\ne"), ["words 4-7", "paragraphs 2-3"]);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn no_odd_word_is_missed(words in prop::collection::vec("[a-c.']{1,20}|www.a|b.com|aaab", 1..30)) {
            let text = words.join(" ");
            let (mut tokens, mut spans) = (Keys::default(), Spans::default());
            Tokenizer::new(true).tokens(&text, &mut tokens, &mut spans);
            for place in (0..spans.len()).filter(|&place| !spans.is_sign(place)) {
                let word = &text[spans.start(place)..spans.end(place)];
                let is_odd = spans.traits()[place] & Trait::ODD != 0;
                prop_assert!(is_odd || !(is_elongated(word) || is_host(word)), "{word}");
            }
        }

        #[test]
        fn a_small_letter_is_seen(before in "[a-c ]{0,3}", word in "[A-Za-z0-9_'.:]{1,12}", after in "[a-c ]{0,9}") {
            let text = format!("{before}{word}{after}");
            let (start, end) = (before.len(), before.len() + word.len());
            let plain = word.bytes().any(|byte| byte.is_ascii_lowercase());
            prop_assert_eq!(has_small(text.as_bytes(), start, end), plain);
        }

        #[test]
        fn blank_lines_part_paragraphs(text in "[aé. \t\n\r]{0,12}") {
            let is_blank = |line: &&str| line.trim_ascii().is_empty();
            let lines: Vec<&str> = text.split('\n').collect();
            let plain = lines.split(is_blank).filter(|lines| !lines.is_empty()).count();
            let (mut tokens, mut spans, mut found) = (Keys::default(), Spans::default(), Keys::default());
            Tokenizer::new(true).tokens(&text, &mut tokens, &mut spans);
            SurfaceFeatures(SurfaceFeatures::PARAGRAPHS).find(&text, &spans, &mut found, &mut Scratch::default(), |_, _| {});
            prop_assert_eq!(found.get(0).to_vec(), class(&PARAGRAPHS, plain).to_vec());
        }

        #[test]
        fn no_token_without_a_mark_was_worth_a_look(text in "([a-cA-C0-3:;=/.@!?<)(' \n_DPo-]|www|http|//|com|é|É|👍){0,60}") {
            let (mut tokens, mut spans, mut found) = (Keys::default(), Spans::default(), Keys::default());
            Tokenizer::new(true).tokens(&text, &mut tokens, &mut spans);
            let only = SurfaceFeatures(SurfaceFeatures::ALL.0 & !SurfaceFeatures::LENGTH & !SurfaceFeatures::PARAGRAPHS);
            let scratch = &mut Scratch::default();
            let more = only.find(&text, &spans.all_odd(), &mut found, scratch, |_, _| {});
            prop_assert_eq!(more, 0);
            let sorted = |mut surface_features: Vec<String>| {
                surface_features.sort_unstable();
                surface_features
            };
            prop_assert_eq!(sorted(surface_features(&text)), sorted(found.spellings()));
        }
    }
}
