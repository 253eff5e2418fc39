"""Source `debateqa`: debatable questions, each with the perspectives an answer should show."""

from ingestion.registry import NamedSettings, declare, setting

URL = "https://github.com/pillowsofwind/DebateQA"
LICENCE = "Not stated; see the source's page"


class QuestionSettings(NamedSettings):
    """Settings of released questions."""

    split: str | None = setting(
        None, "the part of the data set a file holds, where its name does not say"
    )


declare(
    "debateqa",
    about="debatable questions, each with the perspectives an answer should show",
    where=f"fetch test.jsonl (and dev.jsonl, and the folder raw_data) from {URL} and name the "
    "file, or a folder or zip that holds them",
    reader="ingestion.questions.readers.debateqa.open_debateqa",
    settings=QuestionSettings,
    has_parts=True,
    licence=LICENCE,
)
