"""Readers of sources of stories and of debates about them, and their sample."""
