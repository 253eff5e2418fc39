"""What can go wrong while judges are asked. Every message says what, where, and what to do next."""

# Why a request has no reply. Stored with it and counted by it.
ERROR_KINDS = (
    "authentication",
    "bad_request",
    "billing",
    "connection",
    "context_overflow",
    "empty_answer",
    "empty_choices",
    "expired",
    "filtered",
    "malformed",
    "no_partial_answers",
    "no_recording",
    "no_reference",
    "overloaded",
    "rate_limited",
    "redirected",
    "server",
    "timeout",
    "too_large",
)
# What may pass: asked again within the run, after a wait, and by the next run.
TRANSIENT_KINDS = frozenset(
    {
        "connection",
        "empty_choices",
        "malformed",
        "overloaded",
        "rate_limited",
        "server",
        "timeout",
    }
)
# What the same request will always bring: it stands as the request's outcome, and is not paid for
# again. All other kinds are asked again by the next run.
FINAL_KINDS = frozenset(
    {"context_overflow", "empty_answer", "filtered", "no_partial_answers", "no_recording"}
)
# What an endpoint refuses before it has done anything, and so never bills.
UNBILLED_KINDS = frozenset(
    {
        "authentication",
        "bad_request",
        "billing",
        "context_overflow",
        "overloaded",
        "rate_limited",
        "redirected",
    }
)
# Failures after which the endpoint may send a bill: nobody knows how far it came.
DOUBTFUL_KINDS = frozenset(
    {"connection", "empty_choices", "filtered", "malformed", "server", "timeout", "too_large"}
)


class InferenceError(Exception):
    """Base of every error this package raises on purpose."""


class UnknownJudge(InferenceError):
    """A judge id breaks the naming rule, is reserved, or names a provider or model nobody knows."""


class UnknownExperiment(InferenceError):
    """No experiment file carries this name, or the file is wrong."""


class BadSettings(InferenceError):
    """A setting is unknown, has the wrong type or range, or changes what a judge id stands for."""


class BadTemplate(InferenceError):
    """A prompt file is missing, unreadable, or uses slots that do not exist."""


class BadItems(InferenceError):
    """An items or reference file is missing, damaged, or does not fit the experiment."""


class EmbeddingFailed(InferenceError):
    """A text has no embedding: it is blank, or what embeds it does not answer as it should."""


class SearchFailed(InferenceError):
    """A search service is out of reach, or does not answer as it should."""


class CurationFailed(InferenceError):
    """A step of curation cannot be done with what it was given, or with what a model replied."""


class NoReplyYet(InferenceError):
    """A model has not replied to a prompt of a step; doing the step again asks it again."""


class StepWaits(InferenceError):
    """A step needs answers of people that are not there yet."""


class StepNotKept(InferenceError):
    """The result of a step cannot be written."""


class TranscriptionFailed(InferenceError):
    """A recording or transcript cannot be read, or a step of its transcription cannot be done."""


class KeyPointsFailed(InferenceError):
    """An analysis of key points cannot be made with what it was given."""


class MissingKey(InferenceError):
    """The environment variable that should hold a judge's key is not set."""


class JudgeUnavailable(InferenceError):
    """The endpoint refused the key or was out of reach so often that asking on is pointless.

    Attributes:
        judge_id: Whose endpoint it is; None where that is not known.
    """

    judge_id: str | None = None


class ModelUnavailable(InferenceError):
    """A local model cannot be loaded: it, a package or the hardware it needs is not there."""


class RunBusy(InferenceError):
    """Another process is writing this run's journal."""


class RunInterrupted(InferenceError):
    """A signal stopped the run. Its journal is whole, and the same command goes on with it."""


class JournalCorrupt(InferenceError):
    """A journal was written by a later version, so that appending to it could harm it."""


class JournalWriteFailed(InferenceError):
    """The disk did not take a line. What was acknowledged before stays."""


class LeaseHeld(RunBusy):
    """Another process runs a shard of this run. Names it, and since when."""


class LeaseLost(JournalWriteFailed):
    """A shard is another worker's by now, so that nothing may be added to its journal."""


class StoreUnavailable(InferenceError):
    """What runs share, the journals' store or the rates' Postgres, cannot be reached or refuses."""


class WorkersUnavailable(InferenceError):
    """Workers cannot be started where they should be, or die before they have answered."""


class BadTournament(InferenceError):
    """A tournament's file is wrong, or it was begun with another plan."""


class UnknownTournament(BadTournament):
    """No tournament has this name."""
