"""Rows without labels: EM, mixtures, data selection."""
