"""The estimators of `likely.sklearn` beside scikit-learn's own."""
