"""Repeatable measurements, side by side with what a user would otherwise run."""
