"""Pages on one judge, and on two compared."""
