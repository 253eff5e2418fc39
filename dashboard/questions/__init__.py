"""Pages on debatable questions: perspective diversity and dispute awareness."""
