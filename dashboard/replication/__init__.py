"""Pages on the papers' printed figures beside those computed here."""
