"""Numbers and categories, beside scikit-learn: accuracy and speed."""
