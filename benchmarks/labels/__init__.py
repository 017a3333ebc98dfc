"""Rows with any number of labels: our default model beside the usual pipeline."""
