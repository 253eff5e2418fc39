"""The typed records of each subject: every column of the raw tables, written once."""
