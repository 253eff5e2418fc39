"""The crowd: how many people a judge is worth, and what people are like as raters."""
