"""Readers of sources of debatable questions, and their sample."""
