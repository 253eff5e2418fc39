"""The page that starts runs: what could be run, what it would cost, and the run as it goes."""
