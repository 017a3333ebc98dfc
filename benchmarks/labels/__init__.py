"""Rows with any number of labels: our models beside the usual pipeline."""
