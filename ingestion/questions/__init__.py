"""Debatable questions, perspectives and answers: contracts, items, loading."""
