"""A model that judges.toml marks takes the place of the rules, unless the user names another."""

import pytest

from inference.errors import BadSettings
from inference.speeches.keypoints.polarity import RULES
from orchestration.commands.pipelines import KeyPoints
from warehouse.home import Home

MARKED = '[judges."openai/m"]\nkey_points = true\n'


def _who(home: Home, **named: str) -> tuple[str, str]:
    task = KeyPoints(name="a", dataset="d", **named).task_in(home)
    return task.rephraser, task.polarity_by


def test_a_marked_model_divides_and_sorts_sentences_unless_another_is_named(home: Home) -> None:
    home.ensure()
    assert _who(home) == (RULES, RULES)
    home.judges_file.write_text(MARKED)
    assert _who(home) == ("openai/m", "openai/m")
    assert _who(home, rephraser=RULES, polarity="openai/n") == (RULES, "openai/n")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (MARKED + '[judges."openai/n"]\nkey_points = true\n', "openai/m and openai/n"),
        ('[judges."openai/m"]\nkey_points = "yes"\n', "key_points is .yes."),
    ],
)
def test_a_mark_that_cannot_be_followed_is_refused(home: Home, text: str, words: str) -> None:
    home.ensure()
    home.judges_file.write_text(text)
    with pytest.raises(BadSettings, match=words):
        _who(home)
