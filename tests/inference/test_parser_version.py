import json

from inference.parsing import PARSER_VERSION
from tests.inference.record_parsing import READERS, RECORDED, changed

RECORD = json.loads(RECORDED.read_text(encoding="utf-8"))
ADVICE = (
    "raise PARSER_VERSION in inference/parsing.py, then: python -m tests.inference.record_parsing"
)


def test_no_reply_is_read_differently_under_the_same_version() -> None:
    assert changed(RECORD) == [], ADVICE


def test_the_record_is_of_this_version_and_whole() -> None:
    assert RECORD["version"] == PARSER_VERSION, ADVICE
    assert all(all(RECORD[kind].values()) for kind in READERS), ADVICE
