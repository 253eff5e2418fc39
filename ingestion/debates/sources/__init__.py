"""The sources of debates that a user may name, one file each."""
