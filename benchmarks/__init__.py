"""What we time, and against whom."""
