"""The sources of parliamentary debates that a user may name, one file each."""
