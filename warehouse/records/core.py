"""What the subjects share: the types of columns, data sets, debates, speeches and judges.

The records are slotted and frozen: a data set of a million ratings is a million of them at once.
"""

from dataclasses import dataclass as plain_dataclass
from dataclasses import field
from datetime import date, datetime
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import AfterValidator, BeforeValidator, ConfigDict, Field, ValidationError
from pydantic.dataclasses import dataclass

from warehouse.records.bp import Role
from warehouse.records.ids import DATASET_NAME, RESERVED_PROVIDERS, SAMPLES, why_no_judge

_NOT_BLANK = r"\S"
# Built once the first of a kind is made: most commands make none of most kinds.
CONFIG = ConfigDict(extra="forbid", defer_build=True)


def no_bool(value: Any) -> Any:
    """Refuse a truth value where a number is expected."""
    # Pydantic would read True as 1.
    if isinstance(value, bool):
        raise ValueError("should be a number, not a truth value")
    return value


def check_judge(value: Any) -> Any:
    """Refuse what is no judge's `provider/model`."""
    wrong = why_no_judge(value) if isinstance(value, str) else "it is no text"
    if wrong:
        raise ValueError(f"should be provider/model, such as openai/gpt-4.1-mini: {wrong}")
    if value.split("/", 1)[0] in RESERVED_PROVIDERS:
        raise ValueError(
            "is reserved: sets of judges are 'ensemble/NAME', and people's verdicts on debates are "
            "imported with --format human-verdicts"
        )
    return value


def _is_unicode(value: str) -> str:
    # Half of a surrogate pair is valid in JSON and in no database.
    try:
        value.encode()
    except UnicodeEncodeError:
        raise ValueError("should be valid Unicode text") from None
    return value


# The lengths are those of a careless paste, not of any id seen. No control characters: a name ends
# up in terminals.
_NAME = r"[^\s\x00-\x1f\x7f](?:[^\x00-\x1f\x7f]*[^\s\x00-\x1f\x7f])?"
Name = Annotated[str, Field(min_length=1, max_length=300, pattern=rf"^{_NAME}$")]
DatasetId = Annotated[str, Field(max_length=60, pattern=rf"^{DATASET_NAME.pattern}$")]
KeyOfDataset = Annotated[str, Field(max_length=400, pattern=rf"^{DATASET_NAME.pattern}:{_NAME}$")]
AnyText = Annotated[str, AfterValidator(_is_unicode)]
Prose = Annotated[str, Field(pattern=_NOT_BLANK)]
Finite = Annotated[float, BeforeValidator(no_bool), Field(allow_inf_nan=False)]
Amount = Annotated[float, BeforeValidator(no_bool), Field(allow_inf_nan=False, ge=0)]
# More would not fit the column.
Count = Annotated[int, BeforeValidator(no_bool), Field(ge=0, lt=2**63)]
Share = Annotated[float, BeforeValidator(no_bool), Field(allow_inf_nan=False, ge=0, le=1)]
# What fits an integer column.
Int = Annotated[int, Field(lt=2**31)]
SampleNumber = Annotated[int, BeforeValidator(no_bool), Field(ge=0, lt=2**31)]
TokenCount = Annotated[int, BeforeValidator(no_bool), Field(ge=1, lt=2**31)]
JudgeId = Annotated[str, BeforeValidator(check_judge)]
Side = Literal["pro", "con"]
SpeakerRole = Literal["debater", "moderator", "host", "audience", "judge", "other"]
Winner = Literal["pro", "con", "tie"]
KEPT = "kept"


@dataclass(frozen=True, slots=True, config=CONFIG)
class Dataset:
    """One data set and whom to thank for it.

    Attributes:
        is_sample: Whether it comes with the project.
        policy: The instructions under which people gave its labels, in a name or a sentence; None
            where nobody said.
    """

    dataset_id: DatasetId
    title: Prose
    licence: Prose
    citation: AnyText | None = None
    url: AnyText | None = None
    is_sample: bool = field(init=False, default=False)
    policy: Prose | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "is_sample", self.dataset_id in SAMPLES)


@dataclass(frozen=True, slots=True, config=CONFIG)
class Debate:
    """One motion. Speeches on it belong together: it is the unit that intervals resample.

    Attributes:
        debate_id: The data set's name, a colon, and the source's own id.
        round_count: Rounds, as the source counts them.
        end_side: Which side has the last word; None where that means nothing.
        cluster_id: What it shares with the debates it belongs together with, such as a twin with
            the sides swapped or others on the same story; None where it stands alone.
        twin_id: The debate that the source declares to be this one with the sides exchanged.
        pro_name: The source's own name of the side pro, such as `A`.
    """

    debate_id: KeyOfDataset
    dataset_id: DatasetId
    motion: Prose
    format: Name
    context: AnyText | None = None
    extra: AnyText | None = None
    category: AnyText | None = None
    round_count: Annotated[int, Field(ge=0, lt=2**31)] | None = None
    end_side: Side | None = None
    start_date: date | None = None
    voter_count: Count | None = None
    cluster_id: KeyOfDataset | None = None
    twin_id: KeyOfDataset | None = None
    pro_name: Name | None = None
    con_name: Name | None = None


@dataclass(frozen=True, slots=True, config=CONFIG)
class Speech:
    """One text that people or judges score.

    Attributes:
        item_id: The data set's name, a colon, and the source's own id.
        extra: The source's other columns, as a JSON object; None when there are none.
        speech_order: Which turn of its debate it is, from 1; None for a speech that stands alone.
        speaker_role: As what: a debater, or one of the others who have no side.
        role: Which of the eight speeches of a British Parliamentary debate it is; these have no
            side of pro or con.
        start_s: Seconds into the recording at which it begins.
    """

    item_id: KeyOfDataset
    dataset_id: DatasetId
    debate_id: KeyOfDataset
    source: Name
    text: Prose
    extra: AnyText | None = None
    speech_order: Annotated[int, Field(ge=1, lt=2**31)] | None = None
    round: Name | None = None
    side: Side | None = None
    speaker: Name | None = None
    speaker_role: SpeakerRole | None = None
    role: Role | None = None
    start_s: Amount | None = None
    end_s: Amount | None = None

    @property
    def word_count(self) -> int:
        """Words of the text."""
        return len(self.text.split())


@dataclass(frozen=True, slots=True, config=CONFIG, kw_only=True)
class OfDebate:
    """What is known of one debate, beside the debate itself."""

    debate_id: KeyOfDataset
    dataset_id: DatasetId


@dataclass(frozen=True, slots=True, config=CONFIG)
class FilterRule:
    """One rule that removes debates, applied in the order of its data set's rules.

    Attributes:
        setting: The value it was used with; None where it has none.
    """

    rule: Name
    description: Prose
    setting: AnyText | None = None


class Removal(NamedTuple):
    """The first rule that a debate breaks, and how."""

    rule: str
    reason: str


@plain_dataclass(frozen=True, slots=True)
class AppliedRule:
    """A filter rule of a data set, with its place among them, from 1."""

    dataset_id: str
    rule_order: Int
    rule: str
    description: str
    setting: str | None


@plain_dataclass(frozen=True, slots=True)
class DebateFilter:
    """Which rule keeps a debate from judges; `kept` comes after the last."""

    debate_id: str
    dataset_id: str
    rule_order: Int
    rule: str
    is_removed: bool
    reason: str | None


@dataclass(frozen=True, slots=True, config=CONFIG)
class JudgeRow:
    """One judge as the warehouse keeps it; `settings` is a JSON object."""

    judge_id: JudgeId
    provider: Name
    model: Name
    settings: AnyText
    settings_hash: Name
    family: AnyText | None = None
    size_b_params: Amount | None = None


@dataclass(frozen=True, slots=True, config=CONFIG, kw_only=True)
class Review:
    """What one person decided about one disagreement of a judge.

    Attributes:
        disagreement_id: Its id in `rpt_disagreements`.
        disagreement_kind: With whom the judge disagrees: people, the other judges, or itself; or
            that it is unsure.
        unit_kind: What was judged: a speech, a debate, an answer to a question, a parliamentary
            debate, or the transcript of a debate about a story.
        unit_id: Which of them.
        template: The prompt.
        dimension: What was asked of it.
        response_id: The answer that the person looked at.
        decision: Who is right.
        tags: The person's own words for what went wrong; in a raw table, a JSON list.
        comment: What else the person says.
        decided_at: When, UTC.
    """

    disagreement_id: Annotated[str, Field(pattern=r"^[0-9a-f]{16}$")]
    disagreement_kind: Literal["people", "judges", "itself", "unsure"]
    unit_kind: Literal["speech", "debate", "answer", "parliamentary", "transcript"]
    unit_id: KeyOfDataset
    dataset_id: DatasetId
    judge_id: Name
    template: Name
    dimension: Name
    response_id: Name
    decision: Literal["others", "judge", "both"]
    person: Annotated[Name, Field(max_length=60)]
    decided_at: datetime
    tags: tuple[Annotated[Name, Field(max_length=60)], ...] = ()
    comment: Annotated[AnyText, Field(max_length=5_000)] | None = None


@dataclass(frozen=True, slots=True, config=CONFIG, kw_only=True)
class Annotation:
    """What one person or model said of one instance, whose text is not here.

    Attributes:
        dimension: What was asked about each instance.
        instance_id: One thing that was labelled or scored.
        text_id: The text it belongs to; instances of one text are not independent.
        annotator_id: The person, with the data set's name; of a model its `provider/model`.
        is_judge: Whether it is a model.
        label: The label, where labels were given.
        value: The score, where scores were given. A model that failed has neither.
    """

    dataset_id: DatasetId
    dimension: Name
    instance_id: KeyOfDataset
    text_id: KeyOfDataset
    annotator_id: Name
    is_judge: bool
    label: Name | None = None
    value: Finite | None = None


def first_problem(error: ValidationError) -> tuple[str, str]:
    """Return the field and the reason of the first broken rule, in words for a user."""
    detail = error.errors(include_url=False)[0]
    field = str(detail["loc"][0]) if detail["loc"] else ""
    reason = detail["msg"].removeprefix("Value error, ").removeprefix("Input ")
    if detail["type"] == "string_pattern_mismatch":
        reason = "should not be blank"
        if detail["ctx"]["pattern"] != _NOT_BLANK:
            reason += ", nor begin or end with white space, nor hold control characters"
    elif detail["type"] == "string_unicode":
        reason = "should be valid Unicode text"
    shown = repr(detail["input"])
    return field, f"{reason}; found {shown if len(shown) <= 80 else shown[:77] + '...'}"
