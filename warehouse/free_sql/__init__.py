"""Free SQL: how a query that anybody wrote is run, and the process of its own that runs it."""
