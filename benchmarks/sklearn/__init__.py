"""`python -m benchmarks.sklearn`: `likely.sklearn` beside scikit-learn, in the same run."""
