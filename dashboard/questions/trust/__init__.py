"""Pages on whether a metric of answers deserves trust."""
