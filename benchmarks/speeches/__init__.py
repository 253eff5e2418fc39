"""The measurement of the marts on speeches."""
