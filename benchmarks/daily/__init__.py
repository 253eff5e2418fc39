"""What a user waits for every day."""
