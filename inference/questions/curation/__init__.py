"""Making a data set of debatable questions: from questions of any source to partial answers."""
