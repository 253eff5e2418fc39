"""The sources of speeches that a user may name, one file each."""
