"""One file a source of speeches."""
