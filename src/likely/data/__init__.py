"""Data in: files and frames become tables with typed columns and labels, checked once."""
