//! Rows of cells with a separator between them: CSV, TSV and their like.
//!
//! A row ends at `\n`, `\r\n` or `\r`. A cell that begins with a quotation mark goes on to the next one
//! that is not written twice, over line ends too. What is found does not depend on how the bytes come.

use crate::tables::table_reader::{
    LONGEST_ROW, MOST_CELLS, Result, never_closed, too_long, too_many,
};
use std::io::BufRead;

/// The cells of a row, one after another: cell i ends at `ends[i]`.
#[derive(Default)]
pub(crate) struct Row {
    bytes: Vec<u8>,
    ends: Vec<usize>,
    has_quotes: bool,
}

impl Row {
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    pub(crate) fn get(&self, place: usize) -> &[u8] {
        let start = if place == 0 { 0 } else { self.ends[place - 1] };
        &self.bytes[start..self.ends[place]]
    }

    pub(crate) fn cells(&self) -> impl Iterator<Item = &[u8]> {
        (0..self.len()).map(|place| self.get(place))
    }

    /// Whether its line has nothing on it.
    pub(crate) fn is_blank(&self) -> bool {
        self.bytes.is_empty() && self.len() <= 1 && !self.has_quotes
    }

    fn clear(&mut self) {
        self.bytes.clear();
        self.ends.clear();
        self.has_quotes = false;
    }

    fn end_cell(&mut self) {
        self.ends.push(self.bytes.len());
    }
}

/// Where in a cell the next byte stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Start,
    Plain,
    Quoted,
    /// Behind a quotation mark within a quoted cell: its end, or the first of two.
    Mark,
}

/// Reads rows, one at a time.
pub(crate) struct Separated<R> {
    bytes: R,
    delimiter: u8,
    /// The last row that was read, and the line on which it begins.
    pub(crate) row: Row,
    pub(crate) line: u64,
    next_line: u64,
    /// Whether the last row ended at `\r`, to which a `\n` may belong.
    after_return: bool,
}

impl<R: BufRead> Separated<R> {
    pub(crate) fn new(bytes: R, delimiter: u8) -> Self {
        let row = Row::default();
        Separated { bytes, delimiter, row, line: 1, next_line: 1, after_return: false }
    }

    /// Reads the next row; false at the end of the file.
    pub(crate) fn next_row(&mut self) -> Result<bool> {
        let Separated { bytes, delimiter, row, next_line, after_return, .. } = self;
        row.clear();
        self.line = *next_line;
        let mut place = Place::Start;
        loop {
            let given = bytes.fill_buf()?;
            if given.is_empty() {
                return match place {
                    Place::Start if row.ends.is_empty() => Ok(false),
                    Place::Quoted => Err(never_closed(self.line)),
                    _ => {
                        row.end_cell();
                        Ok(true)
                    }
                };
            }
            let (mut rest, mut ended) = (given, false);
            if std::mem::take(after_return) && rest[0] == b'\n' {
                rest = &rest[1..];
            }
            while let (false, Some(&first)) = (ended, rest.first()) {
                match place {
                    Place::Start if first == b'"' => {
                        row.has_quotes = true;
                        place = Place::Quoted;
                        rest = &rest[1..];
                    }
                    Place::Mark if first == b'"' => {
                        row.bytes.push(b'"');
                        place = Place::Quoted;
                        rest = &rest[1..];
                    }
                    Place::Quoted => {
                        let end = memchr::memchr(b'"', rest).unwrap_or(rest.len());
                        row.bytes.extend_from_slice(&rest[..end]);
                        *next_line += memchr::memchr_iter(b'\n', &rest[..end]).count() as u64;
                        if end < rest.len() {
                            place = Place::Mark;
                        }
                        rest = rest.get(end + 1..).unwrap_or_default();
                    }
                    Place::Start | Place::Mark | Place::Plain => {
                        let end = memchr::memchr3(*delimiter, b'\n', b'\r', rest);
                        row.bytes.extend_from_slice(&rest[..end.unwrap_or(rest.len())]);
                        place = Place::Plain;
                        if let Some(end) = end {
                            row.end_cell();
                            place = Place::Start;
                            ended = rest[end] != *delimiter;
                            *after_return = rest[end] == b'\r';
                        }
                        rest = end.map_or(&[][..], |end| &rest[end + 1..]);
                    }
                }
            }
            let read = given.len() - rest.len();
            bytes.consume(read);
            if row.bytes.len() > LONGEST_ROW {
                return Err(too_long(self.line));
            }
            if row.ends.len() > MOST_CELLS {
                return Err(too_many(self.line));
            }
            if ended {
                *next_line += 1;
                return Ok(true);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::io::BufReader;

    /// The rows of `content`, read through a buffer of so many bytes.
    fn rows(content: &[u8], buffer: usize) -> Option<Vec<(u64, Vec<Vec<u8>>)>> {
        let mut separated = Separated::new(BufReader::with_capacity(buffer, content), b',');
        let mut rows = Vec::new();
        while separated.next_row().ok()? {
            rows.push((separated.line, separated.row.cells().map(<[u8]>::to_vec).collect()));
        }
        Some(rows)
    }

    #[test]
    fn rows_end_at_any_line_end_and_know_their_lines() {
        let content = b"a,\"b\r\nb\"\r\n\r\rc\n\n\"\",d\"e";
        let expected: [(u64, &[&str]); 6] = [
            (1, &["a", "b\r\nb"]),
            (3, &[""]),
            (4, &[""]),
            (5, &["c"]),
            (6, &[""]),
            (7, &["", "d\"e"]),
        ];
        for ((line, cells), (expected_line, expected)) in
            rows(content, 4).unwrap().iter().zip(expected)
        {
            assert_eq!(*line, expected_line);
            assert!(
                cells.iter().map(Vec::as_slice).eq(expected.iter().map(|cell| cell.as_bytes()))
            );
        }
    }

    #[test]
    fn a_separator_at_the_end_of_the_file_opens_a_cell() {
        assert_eq!(rows(b"a,", 8).unwrap()[0].1, [&b"a"[..], b""]);
    }

    proptest! {
        #[test]
        fn the_size_of_the_buffer_does_not_show(content in "[a,\"\n\r]{0,40}", buffer in 1usize..9) {
            prop_assert_eq!(rows(content.as_bytes(), buffer), rows(content.as_bytes(), 64));
        }
    }
}
