"""Judging a debate in person."""
