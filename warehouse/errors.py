"""Errors of the warehouse. Every message has the fault, the place and the next step."""


class WarehouseError(Exception):
    """Base of every error this package raises on purpose."""


class WarehouseBusy(WarehouseError):
    """Another process holds the build database for too long."""


class WarehouseDamaged(WarehouseError):
    """The build database cannot be read."""


class NothingPublished(WarehouseError):
    """No version has been published in this home yet."""


class PublishRefused(WarehouseError):
    """The audit row does not vouch for the build database."""


class NotEnoughSpace(WarehouseError):
    """The disk is too small for what is about to be written."""


class QueryFailed(WarehouseError):
    """A read-only query was refused, wrong, or over one of its limits."""


class VersionGone(QueryFailed):
    """The version was pruned after it had been looked up."""


class UnknownMart(QueryFailed):
    """No mart has this name."""


class SchemaTooNew(WarehouseError):
    """The build database was written by a later version of Rostrum."""


class LakeError(WarehouseError):
    """The lake cannot be used: it does not answer, refuses, or is of another version."""


class InboxRefused(WarehouseError):
    """A file cannot be put into the inbox under that name."""
