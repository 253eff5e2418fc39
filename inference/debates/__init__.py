"""Debates with a winner: items, ways of asking, and reading a verdict."""
