"""Disagreements of judges, and what people decide about them."""
