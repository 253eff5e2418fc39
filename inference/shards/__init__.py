"""Runs that are split: each shard with a journal of its own, answered by workers elsewhere."""
