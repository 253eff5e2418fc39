"""Commands that bring data in: sources, files of answers, samples to label, another warehouse."""
