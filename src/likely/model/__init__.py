"""A model: what was asked for, how rows are counted, and what is estimated from the counts."""
