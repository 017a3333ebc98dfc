//! The tally of numbers: exact sums and moments, and the Gaussians estimated from them; numbers in bins; vectors.

pub(crate) mod bins;
pub(crate) mod exact_sums;
pub(crate) mod fractional_moments;
pub(crate) mod gaussian;
mod log_product;
pub(crate) mod moments;
pub(crate) mod vectors;
