"""Documents, and the module that writes those of them that would drift."""
