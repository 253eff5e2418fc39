"""One file a source of debates."""
