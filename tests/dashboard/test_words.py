"""Titles of experiments and prompts."""

from dashboard.core.words import PROMPTS, worded
from warehouse.home import PROJECT_ROOT


def test_every_prompt_that_a_page_offers_has_a_title() -> None:
    # Prompts in subfolders belong to longer jobs, and no page offers them.
    shipped = (PROJECT_ROOT / "inference" / "prompts").glob("*.txt")
    assert set(PROMPTS) == {path.stem for path in shipped}


def test_a_label_is_the_title_and_the_code_and_a_users_name_stays() -> None:
    assert worded("winner_vanilla", PROMPTS) == "Who won? (plain prompt) · winner_vanilla"
    assert worded("my_prompt", PROMPTS) == "my_prompt"
