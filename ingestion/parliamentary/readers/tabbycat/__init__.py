"""Reading a Tabbycat tournament: its documents, saved or fetched, and the rooms in them."""
