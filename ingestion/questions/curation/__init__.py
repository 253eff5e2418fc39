"""Curated sets of questions: contracts and loading."""
