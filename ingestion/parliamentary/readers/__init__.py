"""Readers of sources of parliamentary debates, and their sample."""
