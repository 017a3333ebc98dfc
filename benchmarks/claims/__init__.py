"""Sixteen common claims about Naive Bayes, each measured and decided by one rule."""
