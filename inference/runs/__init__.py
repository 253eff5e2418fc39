"""A run on its way: its requests, how fast and on which terms they are asked, what is kept."""
