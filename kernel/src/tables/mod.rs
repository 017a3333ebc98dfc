//! Tables in files, row by row: CSV, TSV and JSON lines, plain or compressed; one spelling for equal
//! cells; a hash of each row, so that it is known which rows were learned.

pub(crate) mod cell_spelling;
pub(crate) mod decimal_commas;
pub(crate) mod delimited;
pub(crate) mod ledger;
pub(crate) mod table_reader;
