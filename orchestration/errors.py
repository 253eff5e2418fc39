"""What can go wrong between the parts."""

from __future__ import annotations


class OrchestrationError(Exception):
    """Base of every error this package raises on purpose."""


class BadEnsembles(OrchestrationError):
    """The file of ensembles is not what it should be."""


class BuildFailed(OrchestrationError):
    """dbt built or tested something that is wrong."""


class FiguresNotBuilt(OrchestrationError):
    """What was loaded is kept, and the build that follows every load failed."""


class BuildStopped(OrchestrationError):
    """A signal ended a command whose data were loaded already, while it built."""


class UnknownSubject(OrchestrationError):
    """No part of the project has this name."""


class UnknownRequest(OrchestrationError):
    """No published answer has this request."""


class ReportFailed(OrchestrationError):
    """The dashboard cannot write a study of what was asked for."""
