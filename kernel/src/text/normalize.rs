//! A normal form for texts: the same letters in the same bytes.
//!
//! NFKC makes one of what Unicode calls compatible: composed and decomposed accents, full-width and
//! ordinary letters, ligatures. On top of it, characters that are not there to be seen are dropped
//! (soft hyphens, zero-width spaces, byte-order marks), and the typographic apostrophe becomes the
//! plain one, so that `don’t` is `don't`. Joiners stay: emoji and the scripts of India and Iran need
//! them. So does the one sign that stands for a whole sentence, U+FDFA, since 18 letters for each would let a
//! text grow elevenfold; no other grows more than six times.

use std::borrow::Cow;
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfkc_quick};

/// The version of Unicode whose normal forms are in force.
pub(crate) const UNICODE_VERSION: (u8, u8, u8) = unicode_normalization::UNICODE_VERSION;

pub(crate) fn normal(text: &str) -> Cow<'_, str> {
    let stays = |c: char| plain(c) == Some(c);
    if text.is_ascii() {
        return Cow::Borrowed(text);
    }
    let unsettled = text.chars().filter(|&c| !is_settled(c));
    if is_nfkc_quick(unsettled) == IsNormalized::Yes && text.chars().all(stays) {
        return Cow::Borrowed(text);
    }
    // Dropping a character can bring together what composes, so dropping comes first.
    let form = |part: &str| part.chars().filter_map(plain).nfkc().collect::<String>();
    Cow::Owned(text.split(SENTENCE).map(form).collect::<Vec<_>>().join(SENTENCE))
}

/// Nothing composes with it, so what stands before and behind it has a normal form of its own.
const SENTENCE: &str = "\u{fdfa}";

/// Frequent characters that are the same in every normal form and part what is around them, so that the
/// quick check may pass them over. (What then seems out of order is put into its order, and equal.)
fn is_settled(c: char) -> bool {
    matches!(c, '\0'..='\x7f' | '\u{fffd}' | '\u{4e00}'..='\u{9fff}' | '\u{3041}'..='\u{3096}'
        | '\u{200c}' | '\u{200d}' | '\u{1f1e6}'..='\u{1f1ff}' | '\u{1f300}'..='\u{1faff}')
}

fn plain(c: char) -> Option<char> {
    match c {
        '\u{ad}' | '\u{200b}' | '\u{2060}' | '\u{feff}' => None,
        '\u{2019}' | '\u{2bc}' => Some('\''),
        c => Some(c),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn one_form_for_what_looks_alike() {
        let cases = [
            ("cafe\u{301}", "caf\u{e9}"),
            ("ＡＢＣ１２３", "ABC123"),
            ("ﬁne", "fine"),
            ("don\u{2019}t", "don't"),
            ("zero\u{200b}width\u{feff}", "zerowidth"),
            ("hy\u{ad}phen", "hyphen"),
            ("ｶﾞ", "ガ"),
            ("\u{1112}\u{1161}\u{11ab}", "한"),
            ("👩\u{200d}🚀 می\u{200c}خواهم", "👩\u{200d}🚀 می\u{200c}خواهم"),
        ];
        for (given, expected) in cases {
            assert_eq!(normal(given), expected, "{given:?}");
        }
    }

    fn defined(text: &str) -> String {
        text.chars().filter_map(plain).nfkc().collect()
    }

    #[test]
    fn no_text_grows_more_than_six_times() {
        for c in '\0'..=char::MAX {
            let text = c.to_string();
            assert!(normal(&text).len() <= 6 * text.len(), "{c:?}");
        }
        assert_eq!(normal("ＡﷺﬁA\u{301}"), "AﷺfiÁ");
    }

    #[test]
    fn settled_characters_stay() {
        for c in ('\0'..=char::MAX).filter(|&c| is_settled(c)) {
            assert_eq!(defined(&format!("a{c}b")), format!("a{c}b"));
        }
    }

    proptest! {
        #[test]
        fn quick_or_not_the_form_is_the_same(text in "([aé字の\u{fffd}]|[\u{300}-\u{330}\u{3099}ﬁＡ\u{ad}か]){0,20}") {
            prop_assert_eq!(normal(&text), defined(&text));
        }

        #[test]
        fn a_normal_text_stays_as_it_is(text: String) {
            let once = normal(&text).into_owned();
            prop_assert_eq!(normal(&once), once.as_str());
        }
    }
}
