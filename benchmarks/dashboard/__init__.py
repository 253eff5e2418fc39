"""How long the dashboard keeps a reader waiting, and what memory it takes."""
