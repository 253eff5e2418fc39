"""Pages on runs: progress, failures and cost."""
