"""The measurement of the marts on British Parliamentary debates."""
