"""Speeches and their human scores: sources, reasons and written speeches."""
