"""Source `llm-debate-humans`: what people judged of debates of models about stories."""

import re
from datetime import date
from typing import Annotated

from ingestion.registry import ANY, Settings, declare, setting, setting_of

URL = "https://github.com/ucl-dark/llm_debate"
LICENCE = "MIT"


def _is_day(text: str) -> bool:
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


_Numbers = Annotated[
    str, setting_of(re.compile(r"\d+(\s*,\s*\d+)*").fullmatch, "numbers such as 8,9")
]


class LlmDebateSettings(Settings):
    """Rules that judgements must pass to be kept; `any` turns one off."""

    experiments: _Numbers = setting(
        "8,9",
        "numbers of the experiments; 8 is the test set, 9 the naive baseline, 10 the "
        "debates of weak debaters, 1 to 7 are from while the protocol was developed",
    )
    without_judges: _Numbers = setting(
        "11,17,20,22,29,32,34,35,36,37",
        "numbers of the judges who took part in the test phase only",
    )
    cutoff: Annotated[str, setting_of(_is_day, "a day such as 2024-01-24")] = setting(
        "2024-01-24", "the last day whose judgements are analysed"
    )
    min_context_required: Annotated[
        str, setting_of(re.compile(r"\d+(\.\d+)?").fullmatch, "a number")
    ] = setting(
        "1.5",
        "the smallest mean of how much must be read, for experiment 1, which chose its "
        "questions with a lower one",
    )
    scale: Annotated[str, setting_of(("percent", "share").__contains__, "percent, share")] = (
        setting(
            ANY,
            "whether confidences are percent (0 to 100) or share (0 to 1); any finds out "
            "from the file: it is percent where any value is more than 1",
        )
    )


declare(
    "llm-debate-humans",
    about="what people judged of debates of models about stories",
    where=f"fetch data/human_feedback.csv.zip from {URL} and name it",
    reader="ingestion.oversight.readers.llm_debate.open_llm_debate",
    settings=LlmDebateSettings,
    has_parts=True,
    licence=LICENCE,
)
