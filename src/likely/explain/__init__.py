"""Looking inside a model: explanations, importance, leakage, the computation by hand."""
