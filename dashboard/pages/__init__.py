"""One file a page: its sections and the few functions that are its own."""
