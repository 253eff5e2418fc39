"""Full-text search over the texts of a published version."""
