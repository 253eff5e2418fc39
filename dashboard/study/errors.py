"""Why a study cannot be written."""

from __future__ import annotations


class StudyFailed(Exception):
    """A study cannot be written; the message says why, and what to do."""
