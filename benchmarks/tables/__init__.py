"""Tables with columns of every type: beside other classifiers, reading, and large files."""
