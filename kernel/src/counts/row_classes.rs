//! Rows and their classes.

use crate::error::{Error, Result};

/// Checks that there is one class per row and that each is below `classes`.
pub(crate) fn check_classes(rows: usize, labels: &[u32], classes: usize) -> Result<()> {
    if labels.len() != rows {
        let what = format!("there are {rows} rows but {} classes for them", labels.len());
        return Err(Error::Shape { what });
    }
    match labels.iter().position(|&label| label as usize >= classes) {
        None => Ok(()),
        Some(row) => Err(Error::Shape {
            what: format!("row {} is of class {}, but there are {classes}", row + 1, labels[row]),
        }),
    }
}

/// The classes of each multi-label row: from `starts[row]` on in `classes`, up to where the
/// next begins.
pub(crate) fn members<'a>(
    rows: usize,
    (starts, classes): (&[u32], &'a [u32]),
) -> Result<Vec<&'a [u32]>> {
    let ends = starts.get(1..).unwrap_or_default();
    let rises = starts.is_sorted() && ends.last().map_or(0, |&end| end as usize) == classes.len();
    if starts.first() != Some(&0) || ends.len() != rows || !rises {
        let what = format!("there are {rows} rows but classes for {}", ends.len());
        return Err(Error::Shape { what });
    }
    let of_row = |(&start, &end): (&u32, &u32)| &classes[start as usize..end as usize];
    Ok(starts.iter().zip(ends).map(of_row).collect())
}

/// The rows in the order of their classes.
pub(crate) fn by_class(classes: &[u32], n_classes: usize) -> Vec<u32> {
    let mut starts = vec![0; n_classes + 1];
    for &class in classes {
        starts[class as usize + 1] += 1;
    }
    for class in 0..n_classes {
        starts[class + 1] += starts[class];
    }
    let mut order = vec![0; classes.len()];
    for (row, &class) in classes.iter().enumerate() {
        order[starts[class as usize]] = row as u32;
        starts[class as usize] += 1;
    }
    order
}
