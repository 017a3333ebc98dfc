"""Tables with columns of every type: accuracy, reading, and large files."""
