"""The servers of a home: which there are, who starts, watches and ends them, who may ask them."""
