"""Models as speakers: their speeches beside those of people, as each judge scores them."""
