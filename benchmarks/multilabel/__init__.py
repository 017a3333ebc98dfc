"""Texts with several labels each, beside the usual pipeline."""
