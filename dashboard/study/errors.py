"""Why a study cannot be written."""


class StudyFailed(Exception):
    """A study cannot be written; the message says why, and what to do."""
