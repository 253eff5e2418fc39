"""The OpenAI Batch API: the judge, its files, what it notes in the journal, and the endpoint."""
