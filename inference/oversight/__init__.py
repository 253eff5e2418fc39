"""Questions on stories: items, debates about them, judgements and tournaments."""
