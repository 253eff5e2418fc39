"""What every page is made of: asking the marts, choosing, charts, tables and labels."""
