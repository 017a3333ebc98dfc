"""Hidden data: what unlabelled rows bring, mixtures beside scikit-learn's, selection."""
