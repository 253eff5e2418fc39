"""The measurement of the ratings of debaters."""
