"""Source `llm-debate-humans`: what people judged of debates of models about stories."""

import re
from dataclasses import dataclass
from datetime import date

from ingestion.registry import ANY, Settings, declare, expect, setting

URL = "https://github.com/ucl-dark/llm_debate"
_NUMBERS = re.compile(r"\d+(\s*,\s*\d+)*")
_NUMBER = re.compile(r"\d+(\.\d+)?")


@dataclass(frozen=True)
class LlmDebateSettings(Settings):
    """Which judgements are kept; `any` turns a rule off."""

    experiments: str = setting(
        "8,9",
        "numbers of the experiments; 8 is the test set, 9 the naive baseline, 10 the debates of "
        "weak debaters, 1 to 7 are from while the protocol was developed",
    )
    without_judges: str = setting(
        "11,17,20,22,29,32,34,35,36,37",
        "numbers of the judges who took part in the test phase only",
    )
    cutoff: str = setting("2024-01-24", "the last day whose judgements are analysed")
    min_context_required: str = setting(
        "1.5",
        "the smallest mean of how much must be read, for experiment 1, which chose its questions "
        "with a lower one",
    )
    scale: str = setting(
        ANY,
        "whether confidences are percent (0 to 100) or share (0 to 1); any finds out from the "
        "file: it is percent where any value is more than 1",
    )

    def __post_init__(self) -> None:
        for name, is_good, wanted in (
            ("experiments", _NUMBERS.fullmatch, "numbers such as 8,9"),
            ("without_judges", _NUMBERS.fullmatch, "numbers such as 8,9"),
            ("cutoff", _is_day, "a day such as 2024-01-24"),
            ("min_context_required", _NUMBER.fullmatch, "a number"),
            ("scale", ("percent", "share").__contains__, "percent, share"),
        ):
            value = getattr(self, name)
            expect(name, value, value == ANY or is_good(value), f"{wanted} or {ANY}")


declare(
    "llm-debate-humans",
    about="what people judged of debates of models about stories",
    where=f"fetch data/human_feedback.csv.zip from {URL} and name it",
    reader="ingestion.oversight.readers.llm_debate.open_llm_debate",
    settings=LlmDebateSettings,
)


def _is_day(text: str) -> bool:
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False
