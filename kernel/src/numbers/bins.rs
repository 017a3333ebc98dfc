//! Numbers in bins: the number line is halved, and each half again, until every number is alone.
//!
//! ```text
//! P(x | c) = Π (n_c(half) + m·p) / (n_c(node) + m)        p = n(half) / n(node)
//! ```
//!
//! The product is over the halvings on the way to x, a Pólya tree. The bits of a number, from the sign
//! on, say left or right, so where the line is cut does not depend on the rows. It is halved twice over,
//! once scaled, and the two products are averaged: what one line cuts apart the other keeps together.

use crate::error::{Error, Result};
use crate::numbers::log_product::LogProduct;

const MANTISSA: u32 = 52;
const SIGN: u64 = 1 << 63;

/// What numbers are multiplied by before their bits are looked at, on either line.
const SCALES: [f64; 2] = [1.0, std::f64::consts::FRAC_1_SQRT_2];

/// Whole numbers in the order of the numbers.
fn sortable(x: f64) -> u64 {
    let bits = (x + 0.0).to_bits();
    if bits & SIGN == 0 { bits | SIGN } else { !bits }
}

/// The cell of a number on a grid of so many significant bits.
pub(crate) fn cell_of(x: f64, bits: u32) -> u64 {
    let shift = MANTISSA - bits;
    (sortable(x) + ((1 << shift) >> 1)) >> shift
}

/// The number in the middle of a cell.
pub(crate) fn number_of(cell: u64, bits: u32) -> f64 {
    let key = cell << (MANTISSA - bits);
    f64::from_bits(if key & SIGN == 0 { !key } else { key ^ SIGN })
}

/// A halving: cells `start` to `cut` are left, `cut` to `stop` right. A half of one number has no child.
struct Node {
    start: usize,
    cut: usize,
    stop: usize,
    children: [Option<usize>; 2],
}

impl Node {
    /// The cells of a half.
    fn half(&self, is_right: bool) -> (usize, usize) {
        if is_right { (self.cut, self.stop) } else { (self.start, self.cut) }
    }
}

/// A number line, halved until each cell is alone.
struct Line {
    scale: f64,
    /// Parents come before their children; the first is the root.
    nodes: Vec<Node>,
    /// Where each cell but the last ends.
    ends: Vec<u64>,
}

impl Line {
    fn of(values: &[f64], scale: f64) -> Self {
        let keys: Vec<u64> = values.iter().map(|x| sortable(x * scale)).collect();
        let mut nodes: Vec<Node> = Vec::new();
        let mut waiting = vec![(0, keys.len(), None)];
        while let Some((start, stop, parent)) = waiting.pop() {
            if stop - start < 2 || keys[start] == keys[stop - 1] {
                continue;
            }
            let edge = halving(keys[start], keys[stop - 1]);
            let cut = start + keys[start..stop].partition_point(|&key| key < edge);
            let place = nodes.len();
            if let Some((parent, side)) = parent {
                let parent: &mut Node = &mut nodes[parent];
                parent.children[side] = Some(place);
            }
            nodes.push(Node { start, cut, stop, children: [None, None] });
            waiting.push((start, cut, Some((place, 0))));
            waiting.push((cut, stop, Some((place, 1))));
        }
        let ends = keys.windows(2).map(|pair| halving(pair[0], pair[1])).collect();
        Line { scale, nodes, ends }
    }

    /// The cell that a number falls into, whether rows had it or not.
    fn cell(&self, x: f64) -> usize {
        let key = sortable(x * self.scale);
        self.ends.partition_point(|&end| end <= key)
    }
}

/// Where the smallest half line that holds both keys is cut.
fn halving(low: u64, high: u64) -> u64 {
    let bit = 63 - (low ^ high).max(1).leading_zeros();
    high >> bit << bit
}

/// The rows of one column: how many each class has in each cell, in order.
pub(crate) struct Bins {
    bits: u32,
    classes: usize,
    pub(crate) values: Vec<f64>,
    /// How many rows all classes have in each cell.
    rows: Vec<f64>,
    /// How many rows each class, and all of them, have before each cell.
    below: Vec<f64>,
    lines: [Line; 2],
}

/// The log-probability of each cell in each class, by either line.
pub(crate) struct BinTables {
    tables: [Vec<f64>; 2],
}

impl Bins {
    /// `counts` has a row per cell, a column per class; cells are in order.
    pub(crate) fn of(cells: &[u64], bits: u32, counts: &[f64], classes: usize) -> Result<Self> {
        let in_order = cells.windows(2).all(|pair| pair[0] < pair[1]);
        if !in_order || counts.len() != cells.len() * classes || !(1..=MANTISSA).contains(&bits) {
            return Err(Error::Shape { what: "cells and their counts do not match".to_string() });
        }
        let values: Vec<f64> = cells.iter().map(|&cell| number_of(cell, bits)).collect();
        let width = classes + 1;
        let mut below = vec![0.0; (cells.len() + 1) * width];
        let mut rows = Vec::with_capacity(cells.len());
        for (cell, counts) in counts.chunks(classes.max(1)).enumerate() {
            let all: f64 = counts.iter().sum();
            rows.push(all);
            for (class, count) in counts.iter().chain([&all]).enumerate() {
                below[(cell + 1) * width + class] = below[cell * width + class] + count;
            }
        }
        let lines = SCALES.map(|scale| Line::of(&values, scale));
        Ok(Bins { bits, classes, values, rows, below, lines })
    }

    /// How many rows a class has in a span of cells; after the last class, all of them.
    fn within(&self, (start, stop): (usize, usize), class: usize) -> f64 {
        let width = self.classes + 1;
        self.below[stop * width + class] - self.below[start * width + class]
    }

    /// The share of each class that goes to one half of a node: an m-estimate, drawn to the share of all
    /// classes. `own` is a class with one row less.
    fn shares(
        &self,
        node: &Node,
        is_right: bool,
        m: f64,
        own: Option<usize>,
    ) -> impl Iterator<Item = f64> {
        let (half, whole) = (node.half(is_right), (node.start, node.stop));
        let gone = f64::from(u8::from(own.is_some()));
        let all = (self.within(whole, self.classes) - gone).max(0.0);
        let there = (self.within(half, self.classes) - gone).max(0.0);
        let p = if all > 0.0 { there / all } else { 0.0 };
        (0..self.classes).map(move |class| {
            let gone = f64::from(u8::from(own == Some(class)));
            let n = (self.within(whole, class) - gone).max(0.0);
            let k = (self.within(half, class) - gone).max(0.0);
            match () {
                // Where nobody is, nothing is said.
                () if p <= 0.0 => 1.0,
                () if n + m > 0.0 => (k + m * p) / (n + m),
                () => p,
            }
        })
    }

    pub(crate) fn estimate(&self, m: f64) -> BinTables {
        let tables = self.lines.each_ref().map(|line| {
            let mut table = vec![0.0; self.values.len() * self.classes];
            let mut reached = vec![LogProduct::default(); line.nodes.len() * self.classes];
            for (place, node) in line.nodes.iter().enumerate() {
                for (is_right, child) in [false, true].into_iter().zip(node.children) {
                    let shares = self.shares(node, is_right, m, None).enumerate();
                    let (start, stop) = node.half(is_right);
                    for (class, share) in shares {
                        let mut product = reached[place * self.classes + class];
                        product.multiply(share);
                        match child {
                            Some(child) => reached[child * self.classes + class] = product,
                            None => (start..stop).for_each(|cell| {
                                table[cell * self.classes + class] = product.log();
                            }),
                        }
                    }
                }
            }
            table
        });
        BinTables { tables }
    }

    /// log P(x | c) of each number, a row per number; nothing is said of a missing one.
    pub(crate) fn score(&self, weights: &BinTables, values: &[f64]) -> Vec<f64> {
        let mut scores = vec![0.0; values.len() * self.classes];
        if self.values.is_empty() {
            return scores;
        }
        for (&x, scores) in values.iter().zip(scores.chunks_mut(self.classes.max(1))) {
            if x.is_nan() {
                continue;
            }
            let x = self.rounded(x);
            let [first, second] = [0, 1].map(|line: usize| {
                &weights.tables[line][self.lines[line].cell(x) * self.classes..][..self.classes]
            });
            let both = first.iter().zip(second);
            scores.iter_mut().zip(both).for_each(|(score, (&a, &b))| *score = mean_log(a, b));
        }
        scores
    }

    fn rounded(&self, x: f64) -> f64 {
        number_of(cell_of(x, self.bits), self.bits)
    }

    /// log P(cell | c), a row per cell.
    pub(crate) fn of_cells(&self, weights: &BinTables) -> Vec<f64> {
        let [first, second] = &weights.tables;
        first.iter().zip(second).map(|(&a, &b)| mean_log(a, b)).collect()
    }

    /// `score` of numbers that were counted, each without itself; `own` has the class of each.
    pub(crate) fn left_out(
        &self,
        m: f64,
        values: &[f64],
        own: &[u32],
        threads: usize,
    ) -> Result<Vec<f64>> {
        let unknown = || Error::Shape { what: "a number that was not counted".to_string() };
        let mut of_row = Vec::with_capacity(values.len());
        for (&x, &class) in values.iter().zip(own) {
            if x.is_nan() {
                of_row.push(None);
                continue;
            }
            let x = self.rounded(x);
            let cell = self.values.partition_point(|&value| value < x);
            if self.values.get(cell) != Some(&x) || class as usize >= self.classes {
                return Err(unknown());
            }
            of_row.push(Some((cell, class as usize)));
        }
        // Rows of one class and cell are left out alike.
        let mut pairs: Vec<(usize, usize)> = of_row.iter().flatten().copied().collect();
        pairs.sort_unstable();
        pairs.dedup();
        let shares = crate::parallel::shares(&pairs, |_| 1, threads);
        let parts = crate::parallel::each(shares, |share| {
            let score = |&(cell, own): &(usize, usize)| self.left_out_of(m, cell, own);
            share.iter().flat_map(score).collect::<Vec<f64>>()
        });
        let found = parts.concat();
        let mut scores = vec![0.0; values.len() * self.classes];
        for (pair, scores) in of_row.iter().zip(scores.chunks_mut(self.classes.max(1))) {
            if let Some(pair) = pair {
                let place = pairs.binary_search(pair).map_err(|_| unknown())?;
                scores.copy_from_slice(&found[place * self.classes..][..self.classes]);
            }
        }
        Ok(scores)
    }

    fn left_out_of(&self, m: f64, cell: usize, own: usize) -> Vec<f64> {
        let [first, second] = self.lines.each_ref().map(|line| {
            let mut products = vec![LogProduct::default(); self.classes];
            let mut multiply = |node: &Node, is_right: bool, own: Option<usize>| {
                let shares = self.shares(node, is_right, m, own);
                products
                    .iter_mut()
                    .zip(shares)
                    .for_each(|(product, share)| product.multiply(share));
            };
            let mut cell = cell;
            let (mut own, mut at) = (Some(own), (!line.nodes.is_empty()).then_some(0));
            while let Some(node) = at.map(|place| &line.nodes[place]) {
                let mut is_right = cell >= node.cut;
                let (start, stop) = node.half(is_right);
                if own.is_some() && stop - start == 1 && self.rows[cell] <= 1.0 {
                    // The last of its half is gone with it: the node is then that of the other half,
                    // whose nearest cell is where the number falls.
                    cell = if is_right { node.cut - 1 } else { node.cut };
                    (is_right, own) = (!is_right, None);
                } else {
                    multiply(node, is_right, own);
                }
                at = node.children[usize::from(is_right)];
            }
            products.iter().map(|product| product.log()).collect::<Vec<f64>>()
        });
        first.iter().zip(&second).map(|(&a, &b)| mean_log(a, b)).collect()
    }
}

/// The log of the mean of two probabilities, given their logs.
fn mean_log(a: f64, b: f64) -> f64 {
    let (low, high) = if a < b { (a, b) } else { (b, a) };
    if high == f64::NEG_INFINITY {
        return high;
    }
    high + libm::log1p(libm::exp(low - high)) - std::f64::consts::LN_2
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::collection::vec;
    use proptest::prelude::*;

    const BITS: u32 = 16;

    fn bins(rows: &[(f64, u32)]) -> Bins {
        let mut cells: Vec<u64> = rows.iter().map(|row| cell_of(row.0, BITS)).collect();
        cells.sort_unstable();
        cells.dedup();
        let mut counts = vec![0.0; cells.len() * 3];
        for &(x, class) in rows {
            let place = cells.binary_search(&cell_of(x, BITS)).unwrap();
            counts[place * 3 + class as usize] += 1.0;
        }
        Bins::of(&cells, BITS, &counts, 3).unwrap()
    }

    proptest! {
        #[test]
        fn leaving_out_is_training_without(
            rows in vec((prop_oneof![3 => -4.0..4.0f64, 2 => (-3..3i32).prop_map(f64::from), 1 => Just(1e300), 1 => Just(0.0)], 0..3u32), 1..40),
            m in prop_oneof![Just(0.0), 0.5..20.0], threads in 1usize..3,
        ) {
            let (values, own): (Vec<f64>, Vec<u32>) = rows.iter().copied().unzip();
            let fast = bins(&rows).left_out(m, &values, &own, threads).unwrap();
            for row in 0..rows.len() {
                let mut rest = rows.clone();
                rest.remove(row);
                let rest = bins(&rest);
                let slow = rest.score(&rest.estimate(m), &values[row..=row]);
                for (fast, slow) in fast[row * 3..][..3].iter().zip(&slow) {
                    prop_assert!(fast == slow || (fast - slow).abs() < 1e-10 * (1.0 + slow.abs()), "{} {}", fast, slow);
                }
            }
        }

        #[test]
        fn a_cell_holds_its_number(x in prop_oneof![-1e9..1e9f64, -1e-300..1e-300f64, Just(0.0)], bits in 1u32..=52) {
            let middle = number_of(cell_of(x, bits), bits);
            prop_assert_eq!(cell_of(middle, bits), cell_of(x, bits));
            prop_assert!(x.abs() < 1e-300 || (middle / x - 1.0).abs() <= 1.0 / (1u64 << bits) as f64);
        }
    }

    #[test]
    fn cells_are_in_the_order_of_numbers() {
        let numbers = [-1e9, -2.0, -1.5, -1e-9, 0.0, 1e-9, 0.5, 1.0, 3.0, 1e300];
        let cells = numbers.map(|x| cell_of(x, BITS));
        assert!(cells.windows(2).all(|pair| pair[0] < pair[1]));
        assert_eq!(cell_of(-0.0, BITS), cell_of(0.0, BITS));
    }
}
