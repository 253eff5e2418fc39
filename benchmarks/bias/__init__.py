"""The measurement of the bias lab."""
