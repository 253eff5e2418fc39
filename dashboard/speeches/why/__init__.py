"""Pages on the key points in judges' reasons."""
