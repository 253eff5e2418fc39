"""The DuckDB file: its schema, its one writer, its read-only readers, and what SQL lacks."""
