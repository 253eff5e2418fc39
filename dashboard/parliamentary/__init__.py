"""Pages on British Parliamentary debates."""
