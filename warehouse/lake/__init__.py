"""The warehouse past one machine: a DuckLake with its catalog in Postgres, on a folder or in S3."""
