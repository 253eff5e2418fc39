"""What the sample is called and what its raters were asked."""

from dataclasses import dataclass


@dataclass(frozen=True)
class SampleDataset:
    """The sample's entry in the list of data sets."""

    dataset_id: str
    title: str
    licence: str
    citation: str
    is_sample: bool


@dataclass(frozen=True)
class SampleDimension:
    """One question put to the raters, with the ends of its answer scale."""

    dimension: str
    question: str
    scale_min: int
    scale_max: int


SAMPLE_DATASET = SampleDataset(
    dataset_id="sample",
    title="Rostrum sample (written for this project, not real data)",
    licence="Apache-2.0",
    citation="Sample speeches and simulated ratings written for the Rostrum project.",
    is_sample=True,
)

SAMPLE_DIMENSION = SampleDimension(
    dimension="goodopeningspeech",
    question=(
        "How well would this speech do as the first speech in favour of the motion? "
        "Answer from 1 (very poorly) to 5 (very well)."
    ),
    scale_min=1,
    scale_max=5,
)
