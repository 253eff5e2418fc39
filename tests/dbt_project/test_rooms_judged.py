"""Rooms of people from their file to figures: stories kept, models asked, both beside each other."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from inference.experiments import load_experiment
from inference.items import find_item_sources
from inference.registry import add_judge_text, spec_for
from inference.runner import run
from ingestion.ingest import ingest
from ingestion.journals import load_journals
from tests.dbt_project.compiled_models import Compiled, over_home
from tests.inference.inference_fixtures import Reaction, Stub, completion
from tests.ingestion.debate_files import belief, room, rooms_file, said
from warehouse.home import Home

STORIES = 6
# What people said between rounds and at the end, and which answer is right: nothing for judges.
HIDDEN = ("I lean to the second", "B it is", "correct", "right_answer", "0.37", "37 %")


@pytest.fixture
def stub() -> Iterator[Stub]:
    server = Stub()
    yield server
    server.close()


def made_up_rooms() -> dict[str, Any]:
    """Two rooms a story, the second with the answers the other way round; one consultancy."""
    rooms: dict[str, Any] = {}
    for number in range(STORIES):
        for name, answers, right in (("a", ["Ice", "Water"], 1), ("b", ["Water", "Ice"], 0)):
            p_right = 0.63 if name == "a" else 0.8
            toward = [
                p_right if right == 0 else round(1 - p_right, 9) for p_right in (0.4, p_right)
            ]
            happened = [
                {"JudgeFeedback": belief(0.5)},
                {
                    "SimultaneousSpeeches": {
                        "speeches": {
                            "0": said("Ann", "It says ", (0, 3), ", B is wrong."),
                            "1": said("Ben", "No."),
                        }
                    }
                },
                {"JudgeFeedback": belief(toward[0], why="I lean to the second, 37 %.")},
                {
                    "SequentialSpeeches": {
                        "speeches": {"0": said("Ann", "More <b>."), "1": said("Ben", "Less.")}
                    }
                },
                {"JudgeFeedback": belief(toward[1], ends=True, why="B it is.")},
            ]
            made = room(happened, answers=answers, correctAnswerIndex=right)
            (story,) = made["setup"]["sourceMaterial"].values()
            story.update(
                articleId=str(number),
                title=f"Tale {number}",
                contents=[
                    "The",
                    "lake",
                    "was",
                    f"no{number}",
                    ",",
                    "it",
                    "did",
                    "n't",
                    "freeze",
                    ".",
                ],
            )
            rooms[f"tale-{number}-{name}"] = made
    alone = room(
        [
            {"JudgeFeedback": belief(0.5)},
            {"SequentialSpeeches": {"speeches": {"1": said("Ben", "Water, surely.")}}},
            {"JudgeFeedback": belief(0.2, ends=True)},
        ],
        answers=["Ice", "Water"],
        roles={"Debater B": "Ben", "Judge": "Judy"},
    )
    (story,) = alone["setup"]["sourceMaterial"].values()
    story.update(articleId="0", contents=["The", "lake", "was", "no0", "."])
    rooms["zz-alone"] = alone
    return rooms


def told(body: dict[str, Any]) -> str:
    return "\n".join(message["content"] for message in body["messages"])


def react(body: dict[str, Any], _: int) -> Reaction:
    """Give Water 0.5 on the question alone, 0.9 with the story, 0.7 after what was said."""
    prompt = told(body)
    first = re.search(r'<answer letter="A">\n(.*)\n', prompt)
    assert first is not None
    p = 0.9 if "freeze" in prompt else 0.7 if "<turn" in prompt else 0.5
    return completion(f"Probability that A is right: {p if first[1] == 'Water' else 1 - p:.2f}")


def judged(home: Home, stub: Stub, *experiments: str) -> None:
    stub.react = react
    judges = home.root / "judges.toml"
    judges.write_text(add_judge_text("", "openai/one", {"base_url": stub.url, "concurrency": 4}))
    for name in experiments:
        run(
            load_experiment(name),
            spec_for("openai/one", judges, {}),
            find_item_sources(home.items, ["nyu-debates"]),
            journal_root=home.journal,
            environ={"OPENAI_API_KEY": "sk-made-up-0123456789"},
            judges_file=judges,
        )
    load_journals(home)


def test_rooms_are_debated_judged_and_stand_beside_the_people_who_judged_them(
    compiled: Compiled, home: Home, tmp_path: Path, stub: Stub
) -> None:
    ingest(home, "nyu-debates", rooms_file(tmp_path, made_up_rooms()))
    judged(home, stub, "story-baselines", "story-judgement-steps")
    prompts = [told(body) for body in stub.bodies]
    of_judges = [prompt for prompt in prompts if "<turn" in prompt]
    # Six questions, each in both orders; twelve debates after one round and at the end; one alone.
    assert (len(prompts) - len(of_judges), len(of_judges)) == (2 * 2 * STORIES, 25)
    for prompt in of_judges:
        assert "freeze" not in prompt
        assert not [hidden for hidden in HIDDEN if hidden in prompt]
    assert "It says <v_quote>The lake was</v_quote>, B is wrong." in of_judges[0]
    assert any("More &lt;b>." in prompt for prompt in of_judges)
    models = over_home(compiled, home)
    for judge, mode, accuracy in (("openai/one", "read", 1.0), ("human", "live", 1.0)):
        assert models.execute(
            "select n_units, n_clusters, accuracy from rpt_protocol_accuracy where judge_id = ? and "
            "mode = ? and protocol = 'debate' and selection = 'all'",
            [judge, mode],
        ).fetchall() == [(2 * STORIES, STORIES, accuracy)]
    # (1 - 0.5) / (1 - 0.5) in every resample of stories: a share without an interval is withheld.
    assert models.execute(
        "select naive_accuracy, expert_accuracy, gap_accuracy, gap_n_units, gap_closed, gap_reason "
        "from rpt_protocol_accuracy where judge_id = 'openai/one' and protocol = 'debate'"
    ).fetchall() == [
        (
            0.5,
            1.0,
            1.0,
            STORIES,
            None,
            "the share has no interval: it is the same in every resample",
        )
    ]
    # Of the verdicts 0.7 against 0.63 and 0.8; after one round 0.7 against 0.4.
    found = models.execute(
        "select moment, measure, n_units, n_clusters, n_people, judge_value, people_value, difference "
        "from rpt_judge_against_people where protocol = 'debate' and people_mode = 'live' "
        "and measure = 'brier' order by moment"
    ).fetchall()
    assert [row[:5] for row in found] == [
        (moment, "brier", 2 * STORIES, STORIES, 1) for moment in ("round 1", "round 2", "verdict")
    ]
    assert [row[5:] for row in found] == [
        pytest.approx((0.09, people, 0.09 - people))
        for people in (0.36, (0.37**2 + 0.2**2) / 2, (0.37**2 + 0.2**2) / 2)
    ]
    assert models.execute(
        "select n_units, honesty from rpt_judge_against_people where protocol = 'consultancy' "
        "and measure = 'accuracy' and moment = 'verdict' order by 2"
    ).fetchall() == [(1, "all"), (1, "honest")]


def test_figures_of_people_are_the_same_with_and_without_the_stories(
    compiled: Compiled, home: Home, tmp_path: Path
) -> None:
    ingest(home, "nyu-debates", rooms_file(tmp_path, made_up_rooms()))
    figures = "from rpt_protocol_accuracy order by all"
    with_stories = over_home(compiled, home).execute(figures).fetchall()
    models = over_home(compiled, home)
    models.execute("delete from raw.items where kind in ('story', 'reading_question')")
    assert models.execute(figures).fetchall() == with_stories


def test_a_quote_outside_its_story_is_flagged_and_costs_no_room(
    compiled: Compiled, home: Home, tmp_path: Path
) -> None:
    rooms = made_up_rooms()
    said_there = rooms["tale-0-a"]["rounds"][1]["SimultaneousSpeeches"]["speeches"]["0"]
    said_there["content"][1]["Quote"]["span"] = [7, 11]
    report = ingest(home, "nyu-debates", rooms_file(tmp_path, rooms))
    assert report.quarantined == 0
    assert "quotes that reach outside their story, kept as far as it goes: 1" in report.notes
    models = over_home(compiled, home)
    assert models.execute(
        "select transcript_id, quotes_outside_count from dim_oversight_transcript "
        "where has_quote_outside"
    ).fetchall() == [("nyu-debates:tale-0-a", 1)]
    assert models.execute(
        "select text, quote_count, quotes_outside_count from dim_oversight_turn "
        "where quotes_outside_count > 0"
    ).fetchall() == [("It says <quote>n't freeze .</quote>, B is wrong.", 1, 1)]
    assert models.execute(
        "select n_units from rpt_protocol_accuracy where is_pooled and protocol = 'debate'"
    ).fetchall() == [(2 * STORIES,)]
