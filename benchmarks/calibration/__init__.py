"""The study that shows whether the battery's intervals and tests keep what they promise."""
