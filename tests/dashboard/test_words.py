"""Everything that Rostrum ships and a page names has words, and nothing else has."""

import tomllib

from dashboard.core.words import EXPERIMENTS, PROMPTS, worded
from warehouse.home import PROJECT_ROOT

SHIPPED = PROJECT_ROOT / "inference"


def test_every_experiment_that_ships_has_words() -> None:
    files = [path.read_bytes() for path in (SHIPPED / "experiments").rglob("*.toml")]
    assert set(EXPERIMENTS) == {tomllib.loads(each.decode())["name"] for each in files}


def test_every_prompt_of_an_experiment_has_words() -> None:
    # What stands in folders is asked within a longer job, and no page offers it.
    assert set(PROMPTS) == {path.stem for path in (SHIPPED / "prompts").glob("*.txt")}


def test_words_tell_experiments_and_prompts_apart() -> None:
    assert len(set(EXPERIMENTS.values())) == len(EXPERIMENTS)
    assert len(set(PROMPTS.values())) == len(PROMPTS)


def test_the_code_stands_behind_the_words_and_a_users_name_alone() -> None:
    assert worded("winner_vanilla", PROMPTS) == "Who won? (plain prompt) · winner_vanilla"
    assert worded("my_prompt", PROMPTS) == "my_prompt"
