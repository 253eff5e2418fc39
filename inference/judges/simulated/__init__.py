"""Judges with planted habits: what the metrics are checked against."""
