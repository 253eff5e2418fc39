"""Speeches: the topics models write on, what they wrote, and the key points in reasons."""
