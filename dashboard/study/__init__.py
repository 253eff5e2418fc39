"""What pages show as one file: findings, charts, tables, methods, versions and citation."""
