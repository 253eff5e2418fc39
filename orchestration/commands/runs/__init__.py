"""Commands that ask judges, and those that say first what it would cost and could find."""
