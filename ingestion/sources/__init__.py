"""One source of data, one file: from what was fetched to a batch that can be loaded."""
