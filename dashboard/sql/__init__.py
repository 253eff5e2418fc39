"""The editor of the SQL page, saved queries, and a chart of a result."""
