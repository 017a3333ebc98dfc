//! Rows and their classes.

use crate::error::{Error, Result};

/// Checks that there is one class per row and that each is below `classes`.
pub fn check_classes(rows: usize, labels: &[u32], classes: usize) -> Result<()> {
    if labels.len() != rows {
        let what = format!("there are {rows} rows but {} classes for them", labels.len());
        return Err(Error::Shape { what });
    }
    match labels.iter().position(|&label| label as usize >= classes) {
        None => Ok(()),
        Some(row) => Err(Error::Shape {
            what: format!("row {row} is of class {}, but there are {classes}", labels[row]),
        }),
    }
}

/// The rows in the order of their classes.
pub fn by_class(classes: &[u32], n_classes: usize) -> Vec<u32> {
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
