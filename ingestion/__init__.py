"""Sources, score files and journals, turned into validated records and loaded into raw."""
