//! The logarithm of a product, with few logarithms taken.

#[derive(Clone, Copy)]
pub(crate) struct LogProduct {
    product: f64,
    log: f64,
}

impl Default for LogProduct {
    fn default() -> Self {
        LogProduct { product: 1.0, log: 0.0 }
    }
}

impl LogProduct {
    pub(crate) fn multiply(&mut self, factor: f64) {
        let product = self.product * factor;
        if (1e-200..1e200).contains(&product) {
            self.product = product;
        } else {
            self.log += libm::log(self.product) + libm::log(factor);
            self.product = 1.0;
        }
    }

    pub(crate) fn log(&self) -> f64 {
        self.log + if self.product == 1.0 { 0.0 } else { libm::log(self.product) }
    }
}
