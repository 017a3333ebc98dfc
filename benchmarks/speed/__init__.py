"""Speed and memory on texts, beside others."""
