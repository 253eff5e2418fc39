"""Tournaments played round by round: matchups, costs and results."""
