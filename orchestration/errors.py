"""What can go wrong between the parts."""

from __future__ import annotations


class OrchestrationError(Exception):
    """Base of every error this package raises on purpose."""


class BadEnsembles(OrchestrationError):
    """The file of ensembles is not what it should be."""


class BuildFailed(OrchestrationError):
    """dbt built or tested something that is wrong."""
