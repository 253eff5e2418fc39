"""From a recording, or a raw transcript, to eight speeches that a person can verify."""
