"""British Parliamentary debates: contracts, items, loading."""
