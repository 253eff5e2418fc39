"""What judges and people answered: journals and files of answers into rows of raw."""
