"""Parliamentary debates: items, manuals, rulings, and transcription of recordings."""
