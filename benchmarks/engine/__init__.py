"""The engine's measurements."""
