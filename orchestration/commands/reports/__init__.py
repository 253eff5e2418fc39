"""Commands that show what is there: tables, comparisons, decisions, exports, a study as a file."""
