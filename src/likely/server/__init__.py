"""A model behind an address: it predicts, learns and forgets, and loses nothing."""
