"""Turns an item, an experiment and a judge into a recorded response. Knows nothing of SQL."""
