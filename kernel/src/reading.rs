//! How a text is read, and the kinds of features that come of it.

/// How a text is read. Settled before the first text and stored with the counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reading {
    /// Shortest and longest run of words, or none.
    pub words: Option<(usize, usize)>,
    /// Shortest and longest run of characters, within a word and the space around it, or none.
    pub chars: Option<(usize, usize)>,
    pub lowercase: bool,
}

/// What kind of feature a block holds. The byte is what files and keys begin with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    Words(usize),
    Chars,
    /// The text as it is, if there is any: a category.
    Whole,
}

impl Kind {
    pub const LONGEST_RUN: usize = 8;
    const CHARS: u8 = 0x10;
    const WHOLE: u8 = 0x20;

    pub fn byte(self) -> u8 {
        match self {
            Kind::Words(n) => n as u8,
            Kind::Chars => Self::CHARS,
            Kind::Whole => Self::WHOLE,
        }
    }
}

impl Reading {
    /// The blocks of a dictionary. Runs of fewer words than asked for are there too, as the first
    /// parts of longer ones; [`Reading::counts`] tells which blocks count.
    pub fn kinds(&self) -> Vec<Kind> {
        let longest = self.words.map_or(0, |(_, longest)| longest);
        let words = (1..=longest).map(Kind::Words);
        let whole = self.is_whole().then_some(Kind::Whole);
        words.chain(self.chars.map(|_| Kind::Chars)).chain(whole).collect()
    }

    /// Whether texts are read whole: neither words nor characters are asked for.
    pub fn is_whole(&self) -> bool {
        self.words.is_none() && self.chars.is_none()
    }

    pub fn counts(&self, kind: Kind) -> bool {
        match kind {
            Kind::Words(n) => self.words.is_some_and(|(shortest, _)| n >= shortest),
            Kind::Chars | Kind::Whole => true,
        }
    }
}
