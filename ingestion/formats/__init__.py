"""The formats that judges' answers come in, one a file, each read into typed rows with a place.

Their names are here, where the command line finds them without importing the readers.
"""

# Rostrum's own, which `own.OWN` declares.
OWN_NAMES = (
    "scores",
    "verdicts",
    "rulings",
    "oversight",
    "answers",
    "preferences",
    "dispute-labels",
    "human-verdicts",
)
FOREIGN_NAMES = ("debateqa", "inspect", "lm-eval", "judgebench", "fastchat")
FORMATS = (*OWN_NAMES, *FOREIGN_NAMES)
