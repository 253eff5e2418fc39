"""What Rostrum needs as it grows."""
