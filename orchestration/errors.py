"""Errors of orchestration."""


class OrchestrationError(Exception):
    """Base of every error this package raises on purpose."""


class BadOptions(OrchestrationError):
    """The options of an operation are not what they should be."""


class BadEnsembles(OrchestrationError):
    """The file of ensembles is not what it should be."""


class NoWriter(OrchestrationError):
    """No asset is declared to write a raw table."""


class BadInstance(OrchestrationError):
    """Dagster's instance cannot be set up as the environment asks."""


class BuildFailed(OrchestrationError):
    """dbt built or tested something that is wrong."""


class FiguresNotBuilt(OrchestrationError):
    """The build after a load failed; the load is kept."""


class BuildStopped(OrchestrationError):
    """A signal ended a command whose data were loaded already, while it built."""


class NoHome(OrchestrationError):
    """The home is not there, and the command would bring nothing into it."""


class PublicAddress(OrchestrationError):
    """Servers that ask nobody who they are would be reached from other machines."""


class UnknownRequest(OrchestrationError):
    """No published answer has this request."""


class UnknownDecision(OrchestrationError):
    """No published decision is what was asked for."""


class NoPilot(OrchestrationError):
    """Nothing is published that a plan of labels can be made from, and nothing is stated."""


class NothingCompared(OrchestrationError):
    """No printed figure of a paper had data to be compared with."""


class ReportFailed(OrchestrationError):
    """The dashboard cannot write a study of what was asked for."""
