//! Logarithms of smoothed counts. Counts being integers, most are looked up.

/// Counts below this are tabulated.
const TABLE: usize = 1 << 13;
/// Larger counts recur (they are the frequent words), so a small memory of them does.
const MEMORY: usize = 1 << 12;

/// log(n + α) for several α at once.
///
/// A zero is counted, not computed: `log 0` is given as 0 and [`Logs::is_zero`] tells, so that sums
/// stay finite and impossible things can be added and taken away.
pub struct Logs<const A: usize> {
    alphas: [f64; A],
    table: Vec<[f64; A]>,
    memory: Vec<(u64, [f64; A])>,
}

impl<const A: usize> Logs<A> {
    pub fn new(alphas: [f64; A]) -> Self {
        Logs {
            alphas,
            table: (0..TABLE).map(|n| logs(n as u64, &alphas)).collect(),
            memory: vec![(0, [0.0; A]); MEMORY],
        }
    }

    #[inline(always)]
    pub fn of(&mut self, n: u64) -> [f64; A] {
        if let Some(logs) = self.table.get(n as usize) {
            return *logs;
        }
        let place = (n.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 52) as usize;
        let kept = &mut self.memory[place % MEMORY];
        if kept.0 != n {
            *kept = (n, logs(n, &self.alphas));
        }
        kept.1
    }

    /// Whether `n + α` is zero, as 1 or 0 for each α.
    #[inline(always)]
    pub fn is_zero(&self, n: u64) -> [i64; A] {
        self.alphas.map(|alpha| i64::from(n == 0 && alpha == 0.0))
    }
}

fn logs<const A: usize>(n: u64, alphas: &[f64; A]) -> [f64; A] {
    alphas.map(|alpha| log(n as f64 + alpha))
}

/// The natural logarithm, the same on every machine; 0 for 0, which [`Logs::is_zero`] counts.
#[inline]
pub fn log(x: f64) -> f64 {
    if x == 0.0 { 0.0 } else { libm::log(x) }
}
