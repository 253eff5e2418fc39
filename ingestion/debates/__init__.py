"""Debates with a winner: contracts, items, loading."""
