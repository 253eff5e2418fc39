"""Models that run on this machine: finding, loading, writing with and scoring with them."""
