"""`likely serve` beside FastAPI: requests per second, overload, memory."""
