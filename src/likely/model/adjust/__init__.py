"""Adjustments of a fitted model: prior, rules, neutral words, weights and thresholds by group."""
