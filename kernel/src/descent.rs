//! Linear models of sparse rows by dual coordinate descent, several at once.
//!
//! ```text
//! min_w  ½ ‖w‖² + C · Σ_i max(0, 1 − y_i · w·x_i)²
//! ```
//!
//! One model tells a class (y = 1) from the rest (y = −1), learned with all rows or without those of a
//! fold. All of them go through the same rows in the same order, so `T` of them share a walk: a row
//! is read once, and the weights of a column stand side by side. None of them notices the others,
//! so how they are dealt out to walks and threads does not show. Sums go along a row as its entries
//! come; whoever wants a result that no order of rows shows in puts the rows in order first.

/// Row `i` has the entries `starts[i]..starts[i + 1]`.
#[derive(Clone, Debug, PartialEq)]
pub struct Sparse {
    pub starts: Vec<usize>,
    pub columns: Vec<u32>,
    pub values: Vec<f32>,
}

impl Default for Sparse {
    fn default() -> Self {
        Sparse { starts: vec![0], columns: Vec::new(), values: Vec::new() }
    }
}

impl Sparse {
    pub fn rows(&self) -> usize {
        self.starts.len() - 1
    }

    pub fn push(&mut self, entries: impl IntoIterator<Item = (u32, f32)>) {
        for (column, value) in entries {
            self.columns.push(column);
            self.values.push(value);
        }
        self.starts.push(self.columns.len());
    }

    pub fn append(&mut self, other: Sparse) {
        let before = self.columns.len();
        self.starts.extend(other.starts[1..].iter().map(|end| before + end));
        self.columns.extend(other.columns);
        self.values.extend(other.values);
    }

    #[inline(always)]
    pub fn row(&self, row: usize) -> impl Iterator<Item = (usize, f32)> + Clone + '_ {
        let range = self.starts[row]..self.starts[row + 1];
        let columns = self.columns[range.clone()].iter().map(|&column| column as usize);
        columns.zip(self.values[range].iter().copied())
    }
}

/// What is learned: a class against the rest, from all rows or from those outside a fold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lane {
    pub class: u32,
    pub without: Option<u32>,
}

/// Rows to learn from, with the class and the fold of each.
pub struct Rows<'a> {
    pub sparse: &'a Sparse,
    /// How many columns there are.
    pub width: usize,
    pub truth: &'a [u32],
    pub folds: &'a [u32],
    /// In which order rows are first taken.
    pub order: &'a [u32],
}

/// C, and when to stop: no slope is steeper than this.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    pub cost: f32,
    pub tolerance: f32,
}

/// Past this many rounds a model is as good as it gets.
const MOST_ROUNDS: usize = 1000;

/// The weights of a few models: a row for each column, and last the intercepts.
pub fn learn<const T: usize>(rows: &Rows<'_>, lanes: &[Lane], settings: Settings) -> Vec<[f32; T]> {
    let mut weights = vec![[0.0f32; T]; rows.width + 1];
    let mut alphas = vec![[0.0f32; T]; rows.sparse.rows()];
    let give = 0.5 / settings.cost;
    let hold = |row: usize| {
        let square: f32 = rows.sparse.row(row).map(|(_, value)| value * value).sum();
        1.0 / (square + 1.0 + give)
    };
    let holds: Vec<f32> = (0..rows.sparse.rows()).map(hold).collect();
    let mut learns = [false; T];
    learns[..lanes.len()].fill(true);
    let mut order = rows.order.to_vec();
    let mut random = Random(0);
    for _ in 0..MOST_ROUNDS {
        random.shuffle(&mut order);
        let (mut highest, mut lowest) = ([f32::NEG_INFINITY; T], [f32::INFINITY; T]);
        for &row in &order {
            let row = row as usize;
            let sides = sides::<T>(lanes, &learns, rows.truth[row], rows.folds[row]);
            let mut margins = weights[rows.width];
            for (column, value) in rows.sparse.row(row) {
                let weights = &weights[column];
                for lane in 0..T {
                    margins[lane] += weights[lane] * value;
                }
            }
            let alphas = &mut alphas[row];
            let mut steps = [0.0f32; T];
            for lane in 0..T {
                let (alpha, side) = (alphas[lane], sides[lane]);
                let slope = side * margins[lane] - 1.0 + alpha * give;
                let free = if alpha > 0.0 { slope } else { slope.min(0.0) };
                let next = (alpha - slope * holds[row]).max(0.0);
                if side != 0.0 {
                    highest[lane] = highest[lane].max(free);
                    lowest[lane] = lowest[lane].min(free);
                    alphas[lane] = next;
                    steps[lane] = (next - alpha) * side;
                }
            }
            if steps != [0.0; T] {
                for lane in 0..T {
                    weights[rows.width][lane] += steps[lane];
                }
                for (column, value) in rows.sparse.row(row) {
                    let weights = &mut weights[column];
                    for lane in 0..T {
                        weights[lane] += steps[lane] * value;
                    }
                }
            }
        }
        for lane in 0..T {
            learns[lane] &= highest[lane] - lowest[lane] > settings.tolerance;
        }
        if learns == [false; T] {
            break;
        }
    }
    weights
}

/// On which side of each model a row is; 0 where it takes no part.
#[inline(always)]
fn sides<const T: usize>(lanes: &[Lane], learns: &[bool; T], truth: u32, fold: u32) -> [f32; T] {
    let mut sides = [0.0; T];
    for ((side, lane), learns) in sides.iter_mut().zip(lanes).zip(learns) {
        if *learns && lane.without != Some(fold) {
            *side = if lane.class == truth { 1.0 } else { -1.0 };
        }
    }
    sides
}

/// SplitMix64: the same numbers everywhere.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn shuffle(&mut self, items: &mut [u32]) {
        for last in (1..items.len()).rev() {
            let place = (u128::from(self.next()) * (last as u128 + 1)) >> 64;
            items.swap(last, place as usize);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const STRICT: Settings = Settings { cost: 1.0, tolerance: 1e-4 };

    /// Entries of each row, in three columns, its class and its fold.
    type Some = Vec<(Vec<(u32, f32)>, u32, u32)>;

    fn some_rows() -> impl Strategy<Value = Some> {
        let entries = prop::collection::vec((0u32..3, -1.0..1.0f32), 0..4);
        prop::collection::vec((entries, 0u32..3, 0u32..2), 1..20)
    }

    fn lanes() -> Vec<Lane> {
        let folds = [None, Some(0), Some(1)];
        let of_class = |class| folds.map(|without| Lane { class, without });
        (0..3).flat_map(of_class).collect()
    }

    /// The weights of every model, dealt out to walks of `T`.
    fn learned<const T: usize>(rows: &Some, settings: Settings) -> Vec<Vec<f32>> {
        let mut sparse = Sparse::default();
        rows.iter().for_each(|row| sparse.push(row.0.iter().copied()));
        let truth: Vec<u32> = rows.iter().map(|row| row.1).collect();
        let folds: Vec<u32> = rows.iter().map(|row| row.2).collect();
        let order: Vec<u32> = (0..rows.len() as u32).collect();
        let given = Rows { sparse: &sparse, width: 3, truth: &truth, folds: &folds, order: &order };
        let walk = |lanes: &[Lane]| {
            let weights = learn::<T>(&given, lanes, settings);
            let of_lane = |lane| weights.iter().map(|column| column[lane]).collect();
            (0..lanes.len()).map(of_lane).collect::<Vec<Vec<f32>>>()
        };
        lanes().chunks(T).flat_map(walk).collect()
    }

    fn objective(rows: &Some, lane: Lane, weights: &[f64]) -> f64 {
        let mut sum: f64 = weights.iter().map(|weight| weight * weight).sum::<f64>() / 2.0;
        for (entries, class, fold) in rows {
            let entries = entries.iter().map(|&(c, value)| weights[c as usize] * f64::from(value));
            let margin = weights[3] + entries.sum::<f64>();
            let side = if *class == lane.class { 1.0 } else { -1.0 };
            if lane.without != Some(*fold) {
                sum += (1.0 - side * margin).max(0.0).powi(2);
            }
        }
        sum
    }

    proptest! {
        #[test]
        fn nothing_near_is_better(rows in some_rows(), nudge in -0.2..0.2f64, which in 0usize..4) {
            for (lane, weights) in lanes().into_iter().zip(learned::<4>(&rows, STRICT)) {
                let at: Vec<f64> = weights.iter().map(|&weight| f64::from(weight)).collect();
                let mut near = at.clone();
                near[which] += nudge;
                prop_assert!(objective(&rows, lane, &at) <= objective(&rows, lane, &near) + 1e-5);
            }
        }

        #[test]
        fn models_do_not_notice_each_other(rows in some_rows()) {
            let settings = Settings { tolerance: 0.1, ..STRICT };
            prop_assert_eq!(learned::<1>(&rows, settings), learned::<16>(&rows, settings));
        }
    }
}
