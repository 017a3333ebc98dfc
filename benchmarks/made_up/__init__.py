"""Made-up texts and tables: for quick runs, and for files of any size."""
