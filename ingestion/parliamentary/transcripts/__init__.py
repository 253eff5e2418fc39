"""Transcripts of recordings, and people's decisions about them."""
