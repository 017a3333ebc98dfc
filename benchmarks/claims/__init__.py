"""Ten common claims about Naive Bayes, each measured and judged by one rule."""
