"""The debate reader: a transcript with its quotes, and what judges believed."""
