"""Teach a model row by row: which row to ask about, what was answered, how good it is by now."""
