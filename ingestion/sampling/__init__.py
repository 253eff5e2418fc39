"""Random samples of items: drawn and recorded, labelled by people, and read back."""
