"""The sample's debates: composed from hand-written points by seeded draws, with made-up votes."""
