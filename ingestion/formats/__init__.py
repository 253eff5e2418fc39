"""Formats of answer files. The command line reads their names here, without importing readers."""

# Rostrum's own (`own.OWN`), and those of other programs (`detect.FOREIGN`).
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
