"""One file a source, or a part of one, of parliamentary debates."""
