"""Decisions about judges: one section of the page per topic, and a decision as one file."""
