"""Random samples of items for people to label: what was drawn from what, and the labels."""

from dataclasses import dataclass as plain_dataclass
from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field
from pydantic.dataclasses import dataclass

from warehouse.records.core import CONFIG, DatasetId, Finite, Int, KeyOfDataset, Name

SampleId = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_-]*-[0-9a-f]{8}$")]
PositiveInt = Annotated[Int, Field(ge=1)]


@dataclass(frozen=True, slots=True, config=CONFIG)
class Sample:
    """One random sample of items and what it was drawn from.

    Attributes:
        sample_id: The data set's name and a hash of all that decides which items are drawn.
        task: What people say of an item: a speech's score, a debate's winner, or whether an answer
            is aware of a dispute.
        dimension: What is scored; `winner` for debates.
        sources: The speakers, or models, whose speeches or answers the frame has; all if none are
            named. In a raw table, a JSON list.
        strata: What divides the frame; every stratum has its share of the sample.
        labels: Whose labels count: those of the data set's own people, or those given for the
            sample.
        size: How many of the frame's items are drawn.
        policy: The instructions under which people label it, where they are not the page's or the
            data set's. Such labels come from its sheet alone.
        raters: How many people are wanted for each item.
        drawn_at: When, UTC.
        closed_at: When no more labels were asked for. Items that had not been handed out by then
            are not part of the sample.
    """

    sample_id: SampleId
    task: Literal["speeches", "debates", "questions"]
    dataset_id: DatasetId
    dimension: Name
    size: PositiveInt
    seed: Annotated[Int, Field(ge=0)]
    drawn_at: datetime
    sources: tuple[Name, ...] = ()
    strata: Literal["source", "category"] | None = None
    labels: Literal["people", "campaign"] = "campaign"
    raters: PositiveInt = 1
    closed_at: datetime | None = None
    policy: Name | None = None


@plain_dataclass(frozen=True, slots=True)
class SampledItem:
    """One item of a sample's frame.

    Attributes:
        position: Its place in the order drawn, from 1. The sample is the first `size` of them.
        stratum: Its part of the frame; `all` where it is not divided.
    """

    sample_id: str
    item_id: str
    position: Int
    stratum: str


@dataclass(frozen=True, slots=True, config=CONFIG)
class SampleLabel:
    """What one person says of one item of a sample.

    Attributes:
        value: The score, or for a debate 1 where Con won, 0 where Pro did and 0.5 for a tie; None
            where the person declined.
    """

    sample_id: SampleId
    item_id: KeyOfDataset
    annotator_id: Name
    value: Finite | None
