"""Debatable questions: items, retrieval, perplexity, and curation of new ones."""
