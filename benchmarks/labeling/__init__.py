"""What the label page teaches a model, simulated."""
