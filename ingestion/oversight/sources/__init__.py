"""The sources of stories and debates about them that a user may name, one file each."""
