"""`likely serve`: beside FastAPI with scikit-learn, under too much load, and for a long time."""
