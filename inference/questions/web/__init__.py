"""Pages from the web as documents: searched, fetched from public addresses only, kept, read."""
