"""Pages on winner verdicts: accuracy, and the biases that fool a judge."""
