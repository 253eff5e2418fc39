"""One file a source of debatable questions."""
