//! Tables from files, a batch of rows at a time: CSV, TSV and JSON lines, plain or compressed.
//!
//! A batch has a column of texts for every column that is asked for. What is wrong with a file is said
//! with its line. Memory holds one batch and the longest row, whatever the size of the file.

use crate::tables::delimited::{Row, Separated};
use indexmap::IndexMap;
use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::collections::{BTreeSet, HashSet};
use std::fmt;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::marker::PhantomData;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Texts one after another: text i ends at `ends[i]`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Column {
    pub(crate) text: String,
    pub(crate) ends: Vec<usize>,
}

impl Column {
    fn with_capacity((bytes, rows): (usize, usize)) -> Self {
        Column { text: String::with_capacity(bytes), ends: Vec::with_capacity(rows) }
    }

    pub(crate) fn push(&mut self, text: &str) {
        self.text.push_str(text);
        self.ends.push(self.text.len());
    }

    pub(crate) fn get(&self, row: usize) -> &str {
        let start = if row == 0 { 0 } else { self.ends[row - 1] };
        &self.text[start..self.ends[row]]
    }

    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.len()).map(|row| self.get(row))
    }
}

/// What is wrong with a file, and where.
#[derive(Debug)]
pub(crate) enum TableError {
    Io(io::Error),
    /// A sentence about a line, counted from 1.
    Line {
        line: u64,
        what: String,
        hint: Option<String>,
    },
    /// A sentence about the file.
    File {
        what: String,
        hint: Option<String>,
    },
}

impl From<io::Error> for TableError {
    fn from(error: io::Error) -> Self {
        TableError::Io(error)
    }
}

impl fmt::Display for TableError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let hint = match self {
            TableError::Io(error) => return write!(f, "{error}"),
            TableError::Line { line, what, hint } => {
                write!(f, "line {line}: {what}")?;
                hint
            }
            TableError::File { what, hint } => {
                write!(f, "{what}")?;
                hint
            }
        };
        hint.iter().try_for_each(|hint| write!(f, "\nhint: {hint}"))
    }
}

pub(crate) type Result<T> = std::result::Result<T, TableError>;

/// A row of more bytes than this is refused: it is no row of a table, and memory holds each whole.
pub(crate) const LONGEST_ROW: usize = 1 << 26;

/// More cells in a row are refused, and more columns.
pub(crate) const MOST_CELLS: usize = 1 << 18;

/// A longer JSON value within a cell is refused: as a tree it takes up to fifty times its length.
const LONGEST_NESTED: usize = 1 << 20;

/// Compressed data of which more than so many bytes come, more than so many times its own, is refused: no
/// table is so monotonous, and a small file would keep a machine busy for days.
const INFLATED: u64 = 1 << 30;
const INFLATION: u64 = 1000;

/// How a file is laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    Separated {
        delimiter: u8,
    },
    JsonLines,
    /// fastText's: `__label__`, the label, and the text.
    LabeledLines,
}

/// How much of a file is taken at once.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limit {
    pub(crate) rows: usize,
    pub(crate) bytes: usize,
}

/// A file that is being read.
pub(crate) struct TableReader {
    header: Vec<String>,
    rows: RowSource,
    replace: bool,
    consumed: Arc<AtomicU64>,
    room: Vec<(usize, usize)>,
}

type Input = io::Chain<io::Cursor<Vec<u8>>, BufReader<Box<dyn Read + Send + Sync>>>;

enum RowSource {
    Separated(Separated<Input>),
    Lines { reader: Input, line: Vec<u8>, number: u64, cells: fn(&str, u64) -> Result<Cells> },
}

impl TableReader {
    /// Opens a file, or standard input for `-`. With `replace`, what is not UTF-8 is read with U+FFFD.
    ///
    /// JSON objects name their cells themselves, so all of them are looked at for names, unless those
    /// are given.
    pub(crate) fn open(
        path: &Path,
        format: Format,
        replace: bool,
        names: Option<Vec<String>>,
    ) -> Result<Self> {
        let names = match (format, names) {
            (Format::JsonLines, None) => Some(keys(open(path)?, replace)?),
            (_, names) => names,
        };
        Self::of(file(path)?, format, replace, names)
    }

    /// Reads a table as its bytes come, once. Of JSON, `names` are the columns there are.
    pub(crate) fn of(
        raw: Box<dyn Read + Send + Sync>,
        format: Format,
        replace: bool,
        names: Option<Vec<String>>,
    ) -> Result<Self> {
        let consumed = Arc::new(AtomicU64::new(0));
        let bytes = decompressed(raw, Arc::clone(&consumed))?;
        let (header, rows) = match format {
            Format::Separated { delimiter } => separated(bytes, delimiter, replace)?,
            Format::LabeledLines => {
                let names = ["text", "label"].map(str::to_string).to_vec();
                (names, lines(bytes, labeled)?)
            }
            Format::JsonLines => (names.unwrap_or_default(), lines(bytes, object)?),
        };
        check_header(&header)?;
        Ok(TableReader { header, rows, replace, consumed, room: Vec::new() })
    }

    pub(crate) fn header(&self) -> &[String] {
        &self.header
    }

    /// How many places rows have: their columns, and of lines the line itself.
    pub(crate) fn places(&self) -> usize {
        self.header.len() + usize::from(matches!(self.rows, RowSource::Lines { .. }))
    }

    /// How many bytes of the file were read, as they are on disk.
    pub(crate) fn consumed(&self) -> u64 {
        self.consumed.load(Ordering::Relaxed)
    }

    /// The next rows: a column for each place in `wanted`. None at the end of the file. Of lines, the
    /// place after the last column is the line itself.
    pub(crate) fn next(&mut self, wanted: &[usize], limit: Limit) -> Result<Option<Vec<Column>>> {
        // As much room as the last batch took.
        let room = |place: usize| self.room.get(place).copied().unwrap_or_default();
        let mut columns: Vec<Column> =
            (0..wanted.len()).map(|place| Column::with_capacity(room(place))).collect();
        let (header, replace) = (&self.header, self.replace);
        let (mut rows, mut bytes) = (0, 0);
        while rows < limit.rows && bytes < limit.bytes {
            match &mut self.rows {
                RowSource::Separated(separated) => {
                    if !separated.next_row()? {
                        break;
                    }
                    let (row, line) = (&separated.row, separated.line);
                    if row.len() != header.len() {
                        // Between several columns, a blank line is no row; in one, an empty cell.
                        if row.is_blank() {
                            continue;
                        }
                        return Err(ragged(row, line, header.len()));
                    }
                    for (&place, column) in wanted.iter().zip(&mut columns) {
                        let cell = row.get(place);
                        bytes += cell.len() + 8;
                        push(column, cell, replace)
                            .map_err(|()| not_unicode(line, &format!("`{}`", header[place])))?;
                    }
                }
                RowSource::Lines { reader, line, number, cells } => {
                    if !next_line(reader, line, number)? {
                        break;
                    }
                    let Some(text) = spelled(line, *number, replace)? else { continue };
                    let cells = cells(&text, *number)?;
                    for (&place, column) in wanted.iter().zip(&mut columns) {
                        let cell = match header.get(place) {
                            Some(name) => cells.get(name).map_or("", String::as_str),
                            None => text.trim(),
                        };
                        bytes += cell.len() + 8;
                        column.push(cell);
                    }
                }
            }
            rows += 1;
        }
        self.room = columns.iter().map(|c| (c.text.len() + c.text.len() / 8, c.len())).collect();
        // A table may have no columns that anybody wants; its rows are still there.
        Ok((rows > 0).then_some(columns))
    }
}

fn push(column: &mut Column, cell: &[u8], replace: bool) -> std::result::Result<(), ()> {
    match std::str::from_utf8(cell) {
        Ok(text) => column.push(text),
        Err(_) if replace => column.push(&String::from_utf8_lossy(cell)),
        Err(_) => return Err(()),
    }
    Ok(())
}

/// The first bytes of a file, decompressed, for a look at what it is.
pub(crate) fn head(path: &Path, length: u64) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open(path)?.take(length).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The bytes of a file, decompressed if they are compressed, whatever its name.
pub(crate) fn open(path: &Path) -> Result<Box<dyn Read + Send + Sync>> {
    decompressed(file(path)?, Arc::default())
}

fn file(path: &Path) -> Result<Box<dyn Read + Send + Sync>> {
    Ok(if path == Path::new("-") { Box::new(io::stdin()) } else { Box::new(File::open(path)?) })
}

/// Bytes, decompressed if they are compressed; `consumed` counts them as they were.
pub(crate) fn decompressed(
    raw: Box<dyn Read + Send + Sync>,
    consumed: Arc<AtomicU64>,
) -> Result<Box<dyn Read + Send + Sync>> {
    let mut raw = Counted { inner: raw, consumed: Arc::clone(&consumed) };
    let mut head = Vec::new();
    raw.by_ref().take(4).read_to_end(&mut head)?;
    let bytes = io::Cursor::new(head.clone()).chain(raw);
    if head.starts_with(&[0x1f, 0x8b]) {
        let inner = Gzip(flate2::read::MultiGzDecoder::new(bytes));
        return Ok(Box::new(Inflated { inner, given: 0, consumed }));
    }
    if head.starts_with(&[0x28, 0xb5, 0x2f, 0xfd]) || is_skippable(&head) {
        let bytes = BufReader::with_capacity(1 << 18, bytes);
        let frame = frame(Ahead { ahead: Vec::new(), bytes })?;
        return Ok(Box::new(Inflated { inner: Frames { frame }, given: 0, consumed }));
    }
    Ok(Box::new(bytes))
}

/// What was compressed, as long as it does not become absurdly long.
struct Inflated<R> {
    inner: R,
    given: u64,
    consumed: Arc<AtomicU64>,
}

impl<R: Read> Read for Inflated<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.given += count as u64;
        let most = INFLATION.saturating_mul(self.consumed.load(Ordering::Relaxed));
        if self.given > INFLATED && self.given > most {
            let what = format!(
                "the compressed data grows more than {INFLATION} times, which no table does\n\
                 hint: if it is meant so, decompress it first"
            );
            return Err(io::Error::new(io::ErrorKind::InvalidData, what));
        }
        Ok(count)
    }
}

/// A gzip file, whose errors a reader of tables understands.
struct Gzip<R: Read>(flate2::read::MultiGzDecoder<R>);

impl<R: Read> Read for Gzip<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read(buffer).map_err(|error| match error.kind() {
            io::ErrorKind::InvalidInput
            | io::ErrorKind::InvalidData
            | io::ErrorKind::UnexpectedEof => {
                io::Error::new(io::ErrorKind::InvalidData, "the gzip data is cut off or damaged")
            }
            _ => error,
        })
    }
}

/// A Zstandard file: one frame or several, one after another.
struct Frames<R: BufRead> {
    frame: Option<Frame<R>>,
}

type Frame<R> = ruzstd::decoding::StreamingDecoder<Ahead<R>, ruzstd::decoding::FrameDecoder>;

/// Bytes of which some were looked at ahead.
struct Ahead<R> {
    ahead: Vec<u8>,
    bytes: R,
}

impl<R: Read> Read for Ahead<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.ahead.is_empty() {
            return self.bytes.read(buffer);
        }
        let count = self.ahead.len().min(buffer.len());
        buffer[..count].copy_from_slice(&self.ahead[..count]);
        self.ahead.drain(..count);
        Ok(count)
    }
}

/// Whether a frame holds no data but something that its writer noted.
fn is_skippable(head: &[u8]) -> bool {
    matches!(head, [first, 0x2a, 0x4d, 0x18, ..] if first & 0xf0 == 0x50)
}

/// The next frame that holds data, if there is one.
fn frame<R: BufRead>(mut bytes: Ahead<R>) -> io::Result<Option<Frame<R>>> {
    loop {
        let mut head = Vec::new();
        bytes.by_ref().take(4).read_to_end(&mut head)?;
        if head.is_empty() {
            return Ok(None);
        }
        if is_skippable(&head) {
            let mut length = [0; 4];
            bytes.read_exact(&mut length)?;
            let length = u64::from(u32::from_le_bytes(length));
            io::copy(&mut bytes.by_ref().take(length), &mut io::sink())?;
            continue;
        }
        bytes.ahead = head;
        return ruzstd::decoding::StreamingDecoder::new(bytes).map(Some).map_err(|_| {
            io::Error::new(io::ErrorKind::InvalidData, "the Zstandard data is cut off or damaged")
        });
    }
}

impl<R: BufRead> Read for Frames<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while let Some(current) = &mut self.frame {
            let count = current.read(buffer).map_err(|_| {
                let what = "the Zstandard data is cut off or damaged";
                io::Error::new(io::ErrorKind::InvalidData, what)
            })?;
            if count > 0 || buffer.is_empty() {
                return Ok(count);
            }
            let Some(ended) = self.frame.take() else { break };
            self.frame = frame(ended.into_inner())?;
        }
        Ok(0)
    }
}

struct Counted<R> {
    inner: R,
    consumed: Arc<AtomicU64>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.consumed.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
    }
}

fn separated(
    bytes: Box<dyn Read + Send + Sync>,
    delimiter: u8,
    replace: bool,
) -> Result<(Vec<String>, RowSource)> {
    let mut rows = Separated::new(without_mark(bytes)?, delimiter);
    while rows.row.is_blank() {
        if !rows.next_row()? {
            return Err(empty());
        }
    }
    let mut header = Column::default();
    for cell in rows.row.cells() {
        push(&mut header, cell, replace).map_err(|()| not_unicode(rows.line, "the header"))?;
    }
    let header = header.iter().map(|name| name.trim().to_string()).collect();
    Ok((header, RowSource::Separated(rows)))
}

/// Bytes that are read through a buffer, without a mark of byte order.
fn without_mark(bytes: Box<dyn Read + Send + Sync>) -> Result<Input> {
    const MARK: &[u8] = b"\xef\xbb\xbf";
    let mut bytes = BufReader::with_capacity(1 << 18, bytes);
    let mut head = Vec::new();
    bytes.by_ref().take(MARK.len() as u64).read_to_end(&mut head)?;
    if head == MARK {
        head.clear();
    }
    if head.starts_with(&[0xff, 0xfe]) || head.starts_with(&[0xfe, 0xff]) {
        return Err(TableError::File {
            what: "the file is UTF-16, not UTF-8".to_string(),
            hint: Some(
                "`--encoding utf-16` reads it; in Python, `open_table(path, encoding=…)`"
                    .to_string(),
            ),
        });
    }
    Ok(io::Cursor::new(head).chain(bytes))
}

fn lines(
    bytes: Box<dyn Read + Send + Sync>,
    cells: fn(&str, u64) -> Result<Cells>,
) -> Result<RowSource> {
    let mut reader = without_mark(bytes)?;
    if reader.fill_buf()?.is_empty() {
        return Err(empty());
    }
    Ok(RowSource::Lines { reader, line: Vec::new(), number: 0, cells })
}

/// Reads the next line, up to its end; false at the end of the file.
fn next_line(reader: &mut Input, line: &mut Vec<u8>, number: &mut u64) -> Result<bool> {
    line.clear();
    *number += 1;
    reader.take(LONGEST_ROW as u64 + 1).read_until(b'\n', line)?;
    if line.len() > LONGEST_ROW {
        return Err(too_long(*number));
    }
    Ok(!line.is_empty())
}

/// The keys of all JSON objects: in the order of an object that has them all, if such objects agree,
/// else sorted, so that the order of the lines does not show.
fn keys(bytes: Box<dyn Read + Send + Sync>, replace: bool) -> Result<Vec<String>> {
    let RowSource::Lines { mut reader, mut line, mut number, .. } = lines(bytes, object)? else {
        return Ok(Vec::new());
    };
    let (mut longest, mut agreed) = (Vec::new(), true);
    let mut all = BTreeSet::new();
    while next_line(&mut reader, &mut line, &mut number)? {
        if let Some(text) = spelled(&line, number, replace)? {
            let Object::<IgnoredAny>(found) = parsed(&text, number)?;
            if !found.keys().eq(longest.iter()) {
                all.extend(found.keys().cloned());
                if all.len() > MOST_CELLS {
                    return Err(too_many(number));
                }
                agreed &= found.len() != longest.len();
                if found.len() > longest.len() {
                    (longest, agreed) = (found.into_keys().collect(), true);
                }
            }
        }
    }
    match all.len() {
        0 => Err(empty()),
        count if agreed && count == longest.len() => Ok(longest),
        _ => Ok(all.into_iter().collect()),
    }
}

fn parsed<'a, T: serde::Deserialize<'a>>(line: &'a str, number: u64) -> Result<T> {
    serde_json::from_str(line)
        .map_err(|error| wrong(number, format!("the line is no JSON object ({error})")))
}

/// The cells of one line, by name.
type Cells = IndexMap<String, String>;

/// A JSON object that does not have too many keys.
struct Object<T>(IndexMap<String, T>);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        deserializer.deserialize_map(Entries(PhantomData))
    }
}

struct Entries<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for Entries<T> {
    type Value = Object<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> std::result::Result<Object<T>, A::Error> {
        let mut entries = IndexMap::new();
        while let Some((key, value)) = map.next_entry()? {
            entries.insert(key, value);
            if entries.len() > MOST_CELLS {
                return Err(serde::de::Error::custom(format!("more than {MOST_CELLS} keys")));
            }
        }
        Ok(Object(entries))
    }
}

/// A line as text; none if it is blank.
fn spelled(line: &[u8], number: u64, replace: bool) -> Result<Option<Cow<'_, str>>> {
    let text = match std::str::from_utf8(line) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) if replace => String::from_utf8_lossy(line),
        Err(_) => return Err(not_unicode(number, "the line")),
    };
    Ok((!text.trim().is_empty()).then_some(text))
}

/// The cells of a JSON object.
fn object(line: &str, number: u64) -> Result<Cells> {
    let Object::<&RawValue>(object) = parsed(line, number)?;
    object
        .into_iter()
        .map(|(name, value)| {
            let nested = value.get().starts_with(['[', '{']);
            if nested && value.get().len() > LONGEST_NESTED {
                let what = format!("`{name}` has more than {} MiB of JSON", LONGEST_NESTED >> 20);
                return Err(wrong(number, what));
            }
            Ok((name, cell(parsed(value.get(), number)?)))
        })
        .collect()
}

fn cell(value: serde_json::Value) -> String {
    match value {
        serde_json::Value::Null => String::new(),
        serde_json::Value::String(text) => text,
        serde_json::Value::Bool(true) => "True".to_string(),
        serde_json::Value::Bool(false) => "False".to_string(),
        serde_json::Value::Number(number) => plain(&number),
        other => other.to_string(),
    }
}

/// A number in one spelling, with all its digits: 3.0 is 3, and 1.50 is 1.5, as elsewhere.
fn plain(number: &serde_json::Number) -> String {
    let spelled = number.to_string();
    match spelled.parse::<f64>() {
        Ok(value) if spelled.contains(['.', 'e', 'E']) && (1e-4..1e15).contains(&value.abs()) => {
            value.to_string()
        }
        Ok(0.0) => "0".to_string(),
        _ => spelled,
    }
}

/// The text and the label of a line that begins with its label.
fn labeled(line: &str, number: u64) -> Result<Cells> {
    const MARK: &str = "__label__";
    let Some(rest) = line.trim().strip_prefix(MARK) else {
        return Err(wrong(number, format!("the line does not begin with `{MARK}`")));
    };
    let (label, text) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    if text.trim_start().starts_with(MARK) {
        return Err(wrong(number, "the line has more than one label".to_string()));
    }
    let cells = [("text", text.trim()), ("label", label)];
    Ok(cells.into_iter().map(|(name, cell)| (name.to_string(), cell.to_string())).collect())
}

fn wrong(line: u64, what: String) -> TableError {
    TableError::Line { line, what, hint: None }
}

fn check_header(header: &[String]) -> Result<()> {
    let mut seen = HashSet::new();
    match header.iter().find(|name| !seen.insert(*name)) {
        None => Ok(()),
        Some(name) => Err(TableError::File {
            what: format!("two columns are called `{name}`"),
            hint: Some("the first line names the columns; give each its own name".to_string()),
        }),
    }
}

fn empty() -> TableError {
    TableError::File { what: "the file is empty".to_string(), hint: None }
}

pub(crate) fn never_closed(line: u64) -> TableError {
    TableError::Line {
        line,
        what: "a quotation mark is opened in this row and never closed".to_string(),
        hint: Some("a quotation mark within a quoted cell is written twice".to_string()),
    }
}

pub(crate) fn too_many(line: u64) -> TableError {
    wrong(line, format!("there are more than {MOST_CELLS} columns"))
}

pub(crate) fn too_long(line: u64) -> TableError {
    TableError::Line {
        line,
        what: format!(
            "the row has more than {} MiB, which is no row of a table",
            LONGEST_ROW >> 20
        ),
        hint: Some("is a quotation mark or a line end missing?".to_string()),
    }
}

fn ragged(row: &Row, line: u64, columns: usize) -> TableError {
    let what = format!("the row has {} cells, the header {columns}", row.len());
    let long = row.cells().any(|cell| cell.len() > 1 << 16 && cell.contains(&b'\n'));
    let hint = match long {
        true => "is a quotation mark missing? A cell runs over many lines",
        false => "a cell with the separator in it is quoted: \"Smith, Ada\"",
    };
    TableError::Line { line, what, hint: Some(hint.to_string()) }
}

fn not_unicode(line: u64, what: &str) -> TableError {
    TableError::Line {
        line,
        what: format!("{what} is not UTF-8 there"),
        hint: Some(
            "`--encoding latin-1` reads it, if that is what it is; in Python, \
             `open_table(path, encoding=…)`, or `Text(invalid=\"replace\")`, which reads U+FFFD there"
                .to_string(),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn file(content: &[u8]) -> tempfile::NamedTempFile {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(content).unwrap();
        file
    }

    const CSV: Format = Format::Separated { delimiter: b',' };
    const FEW: Limit = Limit { rows: 2, bytes: 1 << 20 };

    fn read(content: &[u8], format: Format) -> std::result::Result<Vec<Vec<String>>, String> {
        let file = file(content);
        let mut reader = TableReader::open(file.path(), format, false, None)
            .map_err(|error| error.to_string())?;
        let wanted: Vec<usize> = (0..reader.header().len()).collect();
        let mut rows = vec![reader.header().to_vec()];
        while let Some(batch) = reader.next(&wanted, FEW).map_err(|error| error.to_string())? {
            for row in 0..batch[0].len() {
                rows.push(batch.iter().map(|column| column.get(row).to_string()).collect());
            }
        }
        Ok(rows)
    }

    #[test]
    fn quotes_newlines_and_marks_of_byte_order_are_understood() {
        let content = "\u{feff}text,label\r\n\"a, \"\"b\"\"\nc\",x\r\n\r\nd,\n".as_bytes();
        let rows = read(content, CSV).unwrap();
        assert_eq!(rows, [["text", "label"], ["a, \"b\"\nc", "x"], ["d", ""]]);
        let tabs = read(b"a\tb\n1,5\t2\n", Format::Separated { delimiter: b'\t' }).unwrap();
        assert_eq!(tabs, [["a", "b"], ["1,5", "2"]]);
    }

    #[test]
    fn a_blank_line_is_an_empty_cell_of_a_single_column() {
        let rows = read(b"text\ncheap\n\n\"a\nb\"\n\n\nlunch", CSV).unwrap();
        assert_eq!(rows.concat(), ["text", "cheap", "", "a\nb", "", "", "lunch"]);
    }

    #[test]
    fn a_mark_of_inches_is_no_quotation() {
        assert_eq!(read(b"a,b\n5\" pipe,1\nx,2\n", CSV).unwrap()[1], ["5\" pipe", "1"]);
    }

    #[test]
    fn json_lines_may_lack_keys_and_have_any_values() {
        let content =
            b"{\"a\": \"x\\ny\", \"n\": 1.50}\n\n{\"n\": null, \"b\": true}\n{\"a\": \"z\"}";
        let rows = read(content, Format::JsonLines).unwrap();
        // No line has all keys, so they are sorted.
        assert_eq!(rows[0], ["a", "b", "n"]);
        assert_eq!(rows[1..], [["x\ny", "", "1.5"], ["", "True", ""], ["z", "", ""]]);
    }

    #[test]
    fn labeled_lines_have_one_label_each() {
        let rows = read(b"__label__spam buy  now\n\n__label__ham\n", Format::LabeledLines).unwrap();
        assert_eq!(rows, [["text", "label"], ["buy  now", "spam"], ["", "ham"]]);
        for (line, sentence) in [
            (&b"hello\n"[..], "line 1: the line does not begin with `__label__`"),
            (b"__label__a __label__b x", "line 1: the line has more than one label"),
        ] {
            assert_eq!(read(line, Format::LabeledLines).unwrap_err(), sentence);
        }
    }

    #[test]
    fn compressed_files_are_read_as_they_are() {
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        gzip.write_all(b"a,b\n1,2\n").unwrap();
        let zipped = gzip.finish().unwrap();
        assert_eq!(read(&zipped, CSV).unwrap(), [["a", "b"], ["1", "2"]]);
        for end in 4..zipped.len() {
            let cut = read(&zipped[..end], CSV).unwrap_err();
            assert_eq!(cut, "the gzip data is cut off or damaged", "after {end} bytes");
        }
        let zstd = ruzstd::encoding::compress_to_vec(
            &b"a,b\n1,2\n"[..],
            ruzstd::encoding::CompressionLevel::Fastest,
        );
        assert_eq!(read(&zstd, CSV).unwrap(), [["a", "b"], ["1", "2"]]);
    }

    #[test]
    fn what_is_wrong_is_said_with_its_line() {
        for (content, sentence) in [
            (&b""[..], "the file is empty"),
            (b"a,b\n1,2\n3\n", "line 3: the row has 1 cells, the header 2"),
            (b"a,a\n", "two columns are called `a`"),
            (b"a,b\n1,\xff\n", "line 2: `b` is not UTF-8 there"),
            (b"a,b\n\"x,y\n", "line 2: a quotation mark is opened in this row and never closed"),
            (b"a\n\"x\ny\n", "line 2: a quotation mark is opened in this row and never closed"),
            (b"\xff\xfea\0", "the file is UTF-16"),
        ] {
            let error = read(content, CSV).unwrap_err();
            assert!(error.starts_with(sentence), "{error}");
        }
        for (content, sentence) in [
            (&b"\n"[..], "the file is empty"),
            (b"{\"a\": 1}\n[1]\n", "line 2: the line is no JSON object"),
            (b"{\"a\": 1}\n{\"a\": \xff}\n", "line 2: the line is not UTF-8"),
        ] {
            let error = read(content, Format::JsonLines).unwrap_err();
            assert!(error.starts_with(sentence), "{error}");
        }
    }
}
