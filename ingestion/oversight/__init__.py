"""Questions on stories, debates about them and judgements: contracts, items, loading."""
