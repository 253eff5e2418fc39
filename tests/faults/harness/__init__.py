"""The faults' own machinery. None of it is in the product."""
