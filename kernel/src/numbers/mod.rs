//! The tally of numbers: exact sums and moments, and the Gaussians estimated from them.

pub(crate) mod exact_sums;
pub(crate) mod fractional_moments;
pub(crate) mod gaussian;
pub(crate) mod moments;
