"""Texts of one label each: how often each system is right, and how long it trains."""
