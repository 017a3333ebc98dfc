"""Multi-label texts, beside the usual pipeline."""
