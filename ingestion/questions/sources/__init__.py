"""The sources of debatable questions that a user may name, one file each."""
