"""Pages on speeches: agreement of scores with people, and what changes it."""
