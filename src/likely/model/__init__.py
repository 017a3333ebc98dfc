"""A model: its options, how rows are counted, and what is estimated from the counts."""
