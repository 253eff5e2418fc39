"""Pages on transcripts that a person verifies."""
