"""Reading a Tabbycat tournament: its saved documents, and the rooms in them."""
