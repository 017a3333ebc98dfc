//! What is seen on the surface of a text: links, numbers, capitals, smileys, shouting.
//!
//! Each mark is a feature with a name of its own: `URL`, `domain example.org`, `E-MAIL`,
//! `number 9.99`, `Capitalised`, `ALL-CAPS`, `elongated`, `emoticon :)`, `emoji`, `run !!!`,
//! `words 8-15`, `paragraphs 2-3`. Nothing inside an address is a mark of another sort.

use crate::key::Keys;
use crate::tokens::Span;

/// Which marks are looked for: a bit for each of [`Marks::NAMES`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Marks(u16);

impl Marks {
    pub const NAMES: [&'static str; 12] = [
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

    pub const ALL: Marks = Marks((1 << Self::NAMES.len()) - 1);

    pub fn named(names: &[String]) -> Option<Self> {
        let bit = |name: &String| Self::NAMES.iter().position(|known| known == name);
        let bits = names.iter().map(|name| bit(name).map(|place| 1 << place));
        bits.sum::<Option<u16>>().map(Marks)
    }

    pub fn names(self) -> Vec<&'static str> {
        let here = |place: &usize| self.has(1 << place);
        (0..Self::NAMES.len()).filter(here).map(|place| Self::NAMES[place]).collect()
    }

    #[inline(always)]
    fn has(self, mark: u16) -> bool {
        self.0 & mark != 0
    }

    fn push(self, mark: u16, name: &str, found: &mut Keys) {
        if self.has(mark) {
            found.push(name.as_bytes());
        }
    }

    /// The marks of a text whose words and signs stand at `spans`. Every emoticon is also told to
    /// `smile`.
    pub fn find(
        self,
        text: &str,
        spans: &[Span],
        found: &mut Keys,
        scratch: &mut Scratch,
        mut smile: impl FnMut(&str),
    ) {
        let bytes = text.as_bytes();
        let mut words = 0;
        // First the few that may be a mark. What comes next is anyone's guess, so nothing here
        // branches on it.
        let mut places = std::mem::take(&mut scratch.places);
        places.resize(spans.len(), 0);
        let mut len = 0;
        for (place, span) in spans.iter().enumerate() {
            words += usize::from(!span.is_sign);
            let first = bytes[span.start as usize];
            places[len] = place as u32;
            len += usize::from((span.is_odd & !span.is_sign) | (UNUSUAL[first as usize] != 0));
        }
        // What begins before this byte is part of a mark that was found.
        let mut taken = 0;
        for &place in &places[..len] {
            let span = spans[place as usize];
            if (span.start as usize) < taken {
                continue;
            }
            taken = match span.is_sign {
                true => {
                    let before = place.checked_sub(1).map(|before| spans[before as usize]);
                    self.sign(text, span, before, found, &mut smile)
                }
                false => self.word(text, span, found),
            };
        }
        scratch.places = places;
        self.push_class(Self::LENGTH, "words", || words, found);
        self.push_class(Self::PARAGRAPHS, "paragraphs", || paragraphs(text.as_bytes()), found);
    }

    /// The marks of a word, and where what they cover ends.
    fn word(self, text: &str, span: Span, found: &mut Keys) -> usize {
        let word = span.of(text);
        if span.is_odd && is_host(word) {
            return self.address(text, span.start as usize, found);
        }
        if span.is_odd && is_elongated(word) {
            self.push(Self::ELONGATED, "elongated", found);
        }
        let bytes = word.as_bytes();
        if bytes[0].is_ascii_uppercase() && word.is_ascii() {
            if bytes.len() > 1 {
                match bytes.iter().any(u8::is_ascii_lowercase) {
                    true => self.push(Self::CAPITALISED, "Capitalised", found),
                    false => self.push(Self::CAPITALS, "ALL-CAPS", found),
                }
            }
            return span.end as usize;
        }
        let first = word.chars().next().unwrap_or(' ');
        if first.is_ascii_digit() {
            if self.has(Self::NUMBER)
                && let Some(shape) = shape(word)
            {
                found.push(format!("number {shape}").as_bytes());
            }
        } else if first.is_uppercase() && word.chars().nth(1).is_some() {
            match word.chars().any(char::is_lowercase) {
                true => self.push(Self::CAPITALISED, "Capitalised", found),
                false => self.push(Self::CAPITALS, "ALL-CAPS", found),
            }
        } else if !first.is_ascii() && !word.chars().any(char::is_alphanumeric) {
            self.push(Self::EMOJI, "emoji", found);
        }
        span.end as usize
    }

    /// The marks that begin with a sign, and where what they cover ends.
    fn sign(
        self,
        text: &str,
        span: Span,
        before: Option<Span>,
        found: &mut Keys,
        mut smile: impl FnMut(&str),
    ) -> usize {
        let (start, end) = (span.start as usize, span.end as usize);
        let bytes = text.as_bytes();
        let touches = before.is_some_and(|before| before.end == span.start);
        match bytes[start] {
            b'!' | b'?' | b'.' => {
                let more = |&&byte: &&u8| matches!(byte, b'!' | b'?' | b'.');
                let run = &bytes[start..start + bytes[start..].iter().take_while(more).count()];
                if run.len() > 1 && self.has(Self::RUN) {
                    found.push(format!("run {}", run_name(run)).as_bytes());
                }
                start + run.len()
            }
            b'@' if touches && before.is_some_and(|before| !before.is_sign) => {
                let host = host_at(text, end);
                if !host.contains('.') {
                    return end;
                }
                self.push(Self::EMAIL, "E-MAIL", found);
                self.push_domain(host, found);
                end + host.len()
            }
            b':' if touches && bytes[start..].starts_with(b"://") => {
                self.address(text, start + 3, found)
            }
            b':' | b';' | b'=' | b'<' => {
                let after_word = touches && before.is_some_and(|before| !before.is_sign);
                let Some((name, length)) = emoticon(&bytes[start..], after_word) else {
                    return end;
                };
                smile(&name);
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
        self.push(Self::URL, "URL", found);
        self.push_domain(host_at(text, host), found);
        let ends = |c: char| c.is_whitespace() || matches!(c, '"' | '<' | '>');
        text[host..].find(ends).map_or(text.len(), |length| host + length)
    }

    fn push_domain(self, host: &str, found: &mut Keys) {
        let host = host.to_lowercase();
        let host = host.strip_prefix("www.").unwrap_or(&host);
        if self.has(Self::DOMAIN) && !host.is_empty() && host.len() < LONGEST_HOST {
            found.push(format!("domain {host}").as_bytes());
        }
    }

    fn push_class(self, mark: u16, name: &str, n: impl Fn() -> usize, found: &mut Keys) {
        if self.has(mark) {
            let n = n();
            let from = if n == 0 { 0 } else { 1 << n.ilog2() };
            let range =
                if from < 2 { from.to_string() } else { format!("{from}-{}", 2 * from - 1) };
            found.push(format!("{name} {range}").as_bytes());
        }
    }
}

/// Scratch space that is used again for each text.
#[derive(Default)]
pub struct Scratch {
    places: Vec<u32>,
}

/// The first bytes of tokens that may be a mark, or the start of one: capitals, digits, signs that
/// smileys and addresses have, whatever is not ASCII.
const UNUSUAL: [u8; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let first = byte as u8;
        let sign = matches!(first, b'!' | b'?' | b'.' | b'@' | b':' | b';' | b'=' | b'<');
        table[byte] =
            (sign | first.is_ascii_uppercase() | first.is_ascii_digit() | !first.is_ascii()) as u8;
        byte += 1;
    }
    table
};

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
    let mut before = (' ', ' ');
    word.chars().flat_map(char::to_lowercase).any(|c| {
        let found = c.is_alphabetic() && before == (c, c);
        before = (before.1, c);
        found
    })
}

/// A number with 9 for each digit; five digits or more in a row are five and a plus.
fn shape(word: &str) -> Option<String> {
    let mut shape = String::new();
    let mut run = 0;
    for byte in word.bytes() {
        run = if byte.is_ascii_digit() { run + 1 } else { 0 };
        match byte {
            b'0'..=b'9' if run <= 5 => shape.push('9'),
            b'0'..=b'9' if run == 6 => shape.push('+'),
            b'0'..=b'9' => {}
            b'.' | b',' | b';' | b'\'' => shape.push(byte.into()),
            _ => return None,
        }
    }
    (shape.len() <= 24).then_some(shape)
}

/// One sign, at most three times; or the different ones, each once.
fn run_name(run: &[u8]) -> String {
    let all = |sign: u8| run.iter().all(|&byte| byte == sign);
    if all(run[0]) {
        return char::from(run[0]).to_string().repeat(run.len().min(3));
    }
    [b'.', b'!', b'?']
        .iter()
        .filter(|sign| run.contains(sign))
        .map(|&sign| char::from(sign))
        .collect()
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

/// Whether the whole of `text` is one emoticon.
pub fn is_emoticon(text: &str) -> bool {
    emoticon(text.as_bytes(), false).is_some_and(|(_, length)| length == text.len())
}

/// An emoticon as marks call it; any other text as it is.
pub fn noseless(text: &str) -> String {
    match emoticon(text.as_bytes(), false) {
        Some((name, length)) if length == text.len() => name,
        _ => text.to_string(),
    }
}

/// How many stretches of text blank lines leave.
fn paragraphs(bytes: &[u8]) -> usize {
    let is_blank = |line: &[u8]| line.iter().all(u8::is_ascii_whitespace);
    let ends = memchr::memchr_iter(b'\n', bytes).chain([bytes.len()]);
    let (mut start, mut after_blank, mut paragraphs) = (0, true, 0);
    for end in ends {
        let blank = is_blank(&bytes[start..end]);
        paragraphs += usize::from(after_blank && !blank);
        after_blank = blank;
        start = end + 1;
    }
    paragraphs
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tokens::Tokenizer;
    use proptest::prelude::*;

    fn marks(text: &str) -> Vec<String> {
        let (mut tokens, mut spans, mut found) = (Keys::default(), Vec::new(), Keys::default());
        Tokenizer::new(true).tokens(text, &mut tokens, &mut spans);
        let only = Marks(Marks::ALL.0 & !Marks::LENGTH & !Marks::PARAGRAPHS);
        only.find(text, &spans, &mut found, &mut Scratch::default(), |_| {});
        found.spellings()
    }

    #[test]
    fn each_mark_has_its_name() {
        let cases: [(&str, &[&str]); 22] = [
            ("see https://www.Example.org/a?b=1 now", &["URL", "domain example.org"]),
            ("go to www.shop.co.uk", &["URL", "domain shop.co.uk"]),
            ("only at example.com!", &["URL", "domain example.com"]),
            ("mail ann.b@my-site.com.", &["E-MAIL", "domain my-site.com"]),
            ("@ann is no address, a@b neither", &[]),
            ("1,000.50 and 1234567 and 2nd", &["number 9,999.99", "number 99999+"]),
            ("I met Ann in ROMA, USA", &["Capitalised", "ALL-CAPS", "ALL-CAPS"]),
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
            assert_eq!(marks(text), expected, "{text:?}");
        }
    }

    #[test]
    fn length_comes_in_classes() {
        let classes = |text: &str| {
            let (mut tokens, mut spans, mut found) = (Keys::default(), Vec::new(), Keys::default());
            Tokenizer::new(true).tokens(text, &mut tokens, &mut spans);
            let both = Marks(Marks::LENGTH | Marks::PARAGRAPHS);
            both.find(text, &spans, &mut found, &mut Scratch::default(), |_| {});
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
            let (mut tokens, mut spans) = (Keys::default(), Vec::new());
            Tokenizer::new(true).tokens(&text, &mut tokens, &mut spans);
            for span in spans.iter().filter(|span| !span.is_sign) {
                let word = span.of(&text);
                prop_assert!(span.is_odd || !(is_elongated(word) || is_host(word)), "{word}");
            }
        }

        #[test]
        fn any_text_has_marks(text in "([a-cA-C0-3:;=/.@!?<)(' \n-]|www|http|//|com|é|👍){0,60}") {
            marks(&text);
        }
    }
}
