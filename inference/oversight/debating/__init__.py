"""Having a question about a story debated: who says what when, and the records of it."""
