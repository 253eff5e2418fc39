import re
from collections import Counter
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from inference_fixtures import judge, own_experiment, planned, without
from parliamentary_fixtures import SENTINEL, debate, request, row, write_parliamentary

from inference.errors import BadItems, BadSettings, BadTemplate, UnknownExperiment
from inference.experiment import Experiment
from inference.experiments import load_experiment
from inference.items import find_item_sources
from inference.parliamentary.items import (
    NAMED_ORDERS,
    PARLIAMENTARY_DEBATES,
    Adjudication,
    AskedAdjudication,
    RoleSpeech,
    adjudicate,
)
from inference.parliamentary.prompts import load_manual
from inference.plan import PlannedRun, plan_runs
from inference.templates import load_template, normalised_sha256
from warehouse.records.bp import ROLES

TASK_PROMPTS = ("bp_all", "bp_house_ranks", "bp_speaker_scores", "bp_speaker_ranks")
PRINTED = """You are an experienced debate judge. You have the following judging manual context:
{judging_manual}
Below is a single text containing all 8 speeches for this round:
{all_speeches}
Use the judging manual to assign speaker scores in a fair and consistent manner.
Output the rankings in the following format:
First: <house>
Second: <house>
Third:<house>
Fourth: <house>
For example, a sample output could be:
First: OG
Second: CG
Third: OO
Fourth: CO
No additional explanation should be provided."""


def experiment(folder: Path, text: str = "") -> Experiment:
    return own_experiment(folder, f'kind = "parliamentary"\n{text}')


def own_plan(folder: Path, text: str, rows: Any = 1) -> PlannedRun:
    source = write_parliamentary(folder, rows)
    return planned(experiment(folder, text), source, prompts_folder=folder)


def task_of(template: str) -> Adjudication:
    return Adjudication(template, load_template(template).task or "")


def test_the_pointer_names_the_debates_and_no_request_holds_a_result(tmp_path: Path) -> None:
    source = write_parliamentary(tmp_path, 2)
    assert find_item_sources(tmp_path) == [source]
    first, _ = PARLIAMENTARY_DEBATES.read(source)
    assert [each.role for each in first.speeches] == list(ROLES)
    assert {each.house for each in first.speeches[:2]} == {"og", "oo"}
    for name in ("bp-adjudication", "bp-notes"):
        plan = planned(name, source)
        for each in plan.requests.values():
            assert str(SENTINEL) not in each.sent + "".join(each.note_prompts)


def test_a_data_set_without_such_debates_says_what_to_do(tmp_path: Path) -> None:
    source = without(write_parliamentary(tmp_path), "parliamentary")
    with pytest.raises(BadItems, match="no parliamentary debates to judge; ingest one"):
        planned("bp-adjudication", source)


def test_each_experiment_asks_each_debate_once_per_arm(tmp_path: Path) -> None:
    plan = planned("bp-tasks", write_parliamentary(tmp_path, 2))
    assert len(plan.requests) == 2 * 3
    for each in plan.requests.values():
        assert load_template(each.template.instrument).task == each.way(AskedAdjudication).task
        assert each.decoding["temperature"] == 0.0
    # One debate's requests stand together, so that an endpoint reads it once.
    items = [each.item.item_id for each in plan.requests.values()]
    assert items == [item for item in dict.fromkeys(items) for _ in range(3)]


def test_a_limit_takes_whole_debates_that_a_larger_limit_continues(tmp_path: Path) -> None:
    source = write_parliamentary(tmp_path, 9)

    def drawn(limit: int) -> list[str]:
        plan = planned("bp-tasks", source, limit=limit)
        return [each.item.item_id for each in plan.requests.values()]

    assert len(drawn(4)) == 12
    assert set(drawn(4)) < set(drawn(6))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('[adjudication]\ntask = ["winner"]', "one of house_ranks"),
        ('[adjudication]\nhouse_order = ["og-og-cg-co"]', "or shuffled"),
        ('[adjudication]\nhouse_order = ["og-oo-cg"]', "or shuffled"),
        ("[adjudication]\nmotion = [0]", "true or false"),
        ('[adjudication]\nstrategy = ["chunks"]', "one of whole, notes"),
        ('[adjudication]\ntask = ["all", "all"]', "twice"),
        ('template = "bp_all"\n[adjudication]\ntask = ["all", "house_ranks"]', "several"),
        ('[adjudication]\nstrategy = ["notes"]\ntask = ["house_ranks"]', "from notes"),
        ('[variants]\nlabels = ["A/B"]', "'variants'"),
        ("[sampling]\nmax_words = 3", "'sampling.max_words'"),
    ],
)
def test_a_wrong_file_is_refused_by_name(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(UnknownExperiment) as raised:
        experiment(tmp_path, text)
    assert words in str(raised.value)


@pytest.mark.parametrize(
    ("arms", "words"),
    [
        ('task = ["all"]\ntemplate = ["bp_house_ranks"]', "and prompt 'bp_house_ranks' for"),
        ('template = ["bp_notes"]', "shows notes"),
        ('template = ["bp_all"]\nstrategy = ["notes"]', "shows the speeches"),
        ('template = ["winner_vanilla"]', "asks about a parliamentary debate, and prompt"),
        ('template = ["plain"]\nhouse_order = ["co-cg-oo-og"]', "none of the slots {houses}"),
        ('template = ["blind"]', "no {manual} slot"),
        ('template = ["above"]', "in one place"),
        ('template = ["twice"]', "in one place"),
        ('manual = ["nowhere"]', "no judging manual named 'nowhere'"),
        ('manual = ["../secret"]', "no manual's name"),
        ('manual = ["blank"]', "is empty"),
    ],
)
def test_unfit_prompts_and_manuals_are_refused(tmp_path: Path, arms: str, words: str) -> None:
    (tmp_path / "manuals").mkdir()
    (tmp_path / "manuals" / "blank.md").write_text(" \n")
    for name, text in {
        "plain": "{manual} {speeches}",
        "blind": "{speeches}",
        "above": "{manual} {speeches}\n=== user ===\nRule.",
        "twice": "{manual} {speeches} {all_speeches}",
    }.items():
        (tmp_path / f"{name}.txt").write_text(text)
    with pytest.raises(BadTemplate) as raised:
        own_plan(tmp_path, f"[adjudication]\n{arms}")
    assert words in str(raised.value)


def test_a_motion_nobody_knows_and_one_that_is_hidden_ask_the_same(tmp_path: Path) -> None:
    arms = "[adjudication]\nmotion = [true, false]"

    def shown(rows: Any) -> list[bool]:
        made = own_plan(tmp_path, arms, rows).requests.values()
        return [each.way(AskedAdjudication).has_motion for each in made]

    assert shown(1) == [True, False]
    # Two debates, and no debate twice with nothing to tell its two requests apart.
    assert shown([row(motion=None), row(1, motion="  ")]) == [False, False]


def test_the_order_of_houses_is_drawn_from_the_seed_and_the_id_alone() -> None:
    way = Adjudication("bp_all", house_order="shuffled")
    many = [debate(item_id=f"d:{number}") for number in range(960)]

    def orders(seed: int, **changes: Any) -> list[str]:
        found = (adjudicate(way, seed, replace(each, **changes), "m") for each in many)
        return ["-".join(each.named_order) for each in found]

    drawn = orders(7)
    assert drawn == orders(7, motion="", speeches=())
    counts = Counter(drawn)
    assert set(counts) == set(NAMED_ORDERS)
    # 40 of each are expected; four standard deviations of a binomial count are 25.
    assert all(15 <= count <= 65 for count in counts.values())
    assert drawn != orders(8)


def test_the_named_order_decides_how_houses_and_speakers_are_listed() -> None:
    said = request(way=Adjudication("bp_all", house_order="co-og-cg-oo")).prompt
    assert "CO: MO, OW\nOG: PM, DPM\nCG: MG, GW\nOO: LO, DLO" in said
    assert "Rank the four houses, CO, OG, CG, OO;" in said
    scores = [line for line in said.splitlines() if line.endswith(": <number>")]
    assert " ".join(line.split(":")[0] for line in scores) == "MO OW PM DPM MG GW LO DLO"


@pytest.mark.parametrize("has_motion", [True, False])
def test_what_is_sent_is_the_same_up_to_the_task(has_motion: bool) -> None:
    """An endpoint caches what prompts begin with: the manual, and then the debate."""
    # Tags that only some of the prompts have are made harmless in all of them.
    slide = "<house> <speaker> <motion> <number>"
    about = debate(motion="THW plant trees" if has_motion else "", info_slide=slide)
    ways = [
        replace(task_of(template), house_order=order)
        for template, order in product(TASK_PROMPTS, ("og-oo-cg-co", "co-cg-oo-og"))
    ]
    made = [request(about, way) for way in ways]
    assert len({each.system for each in made}) == 1
    end = "</debate>\n\n"
    prefixes = {each.prompt.partition(end)[0] for each in made}
    assert len(prefixes) == 1
    assert all(f"{role} speaks." in prefixes.pop() for role in ROLES[:1])
    tasks = [each.prompt.partition(end)[2] for each in made]
    assert len(set(tasks)) == len(ways)
    # Another debate begins with the same manual.
    other = request(debate(motion="Other"), ways[0])
    assert other.system == made[0].system
    assert load_manual("bp_manual").text in (other.system or "")


def test_paragraphs_of_what_is_not_there_are_left_out() -> None:
    whole = request().prompt
    assert whole.startswith("<motion>\nTHW plant trees\n</motion>\n\n<info_slide>\nTrees are tall.")
    bare = request(debate(motion="", info_slide=" ")).prompt
    assert bare.startswith('<debate>\n<speech by="PM (OG)">\npm speaks.\n</speech>\n\n<speech by=')
    hidden = request(way=Adjudication("bp_all", shows_motion=False, shows_info_slide=False)).prompt
    assert hidden == bare


_PIECES = "<~>~/~=~{manual}~</speech>~</ debate >~<Speech~a~\n\n~==="


# Each example fills both prompts twice.
@settings(deadline=None, max_examples=15)
@given(text=st.lists(st.sampled_from(_PIECES.split("~")), max_size=8).map("".join))
def test_no_text_ends_a_tag_of_its_prompt_or_fills_a_slot(text: str) -> None:
    def made(text: str, way: Adjudication) -> list[str]:
        speeches = tuple(RoleSpeech(role, text) for role in ROLES)
        found = request(debate(speeches=speeches, motion=text, info_slide=text), way)
        return [found.prompt, *found.note_prompts]

    for way in (Adjudication("bp_all"), Adjudication("bp_notes", strategy="notes")):
        for prompt, plain in zip(made(f"x{text}", way), made("x", way), strict=True):
            tags = set(re.findall(r"</(\w+)>", plain))
            assert {"motion", "info_slide"} <= tags
            for tag in tags:
                ends = re.compile(rf"<\s*/\s*{tag}\b", re.IGNORECASE)
                assert len(ends.findall(prompt)) == len(ends.findall(plain))
            assert load_manual("bp_manual").text not in prompt


def test_the_printed_prompt_is_recognised_and_filled(tmp_path: Path) -> None:
    (tmp_path / "bp_house_ranks.txt").write_text(PRINTED)
    template = load_template("bp_house_ranks", tmp_path)
    assert (template.label, template.wording) == ("bp_house_ranks@verbatim", "verbatim")
    made = request(way=Adjudication("bp_house_ranks", "house_ranks"), prompts_folder=tmp_path)
    assert made.system is None
    assert load_manual("bp_manual").text in made.prompt
    assert made.prompt.index("pm speaks.") < made.prompt.index("ow speaks.")
    # The example names the houses in its own order, and there is no slot for another.
    with pytest.raises(BadTemplate, match="none of the slots"):
        own_plan(tmp_path, '[adjudication]\ntask = ["house_ranks"]\nhouse_order = ["shuffled"]')


def test_a_users_manual_is_filed_by_its_text_and_makes_other_requests(tmp_path: Path) -> None:
    folder = tmp_path / "manuals"
    folder.mkdir()
    (folder / "house_rules.txt").write_text("The louder wins.\n")
    loud = load_manual("house_rules", tmp_path)
    assert loud.label == f"house_rules@{normalised_sha256('The louder wins.')[:8]}"
    assert loud.text == "The louder wins."
    arms = '[adjudication]\nmanual = ["bp_manual", "house_rules"]'
    plan = own_plan(tmp_path, arms)
    first, second = plan.requests.values()
    assert "The louder wins." in (second.system or "")
    labels = [each.way(AskedAdjudication).manual_label for each in (first, second)]
    assert labels == ["bp_manual", loud.label]
    (folder / "house_rules.txt").write_text("The quieter wins.\n")
    changed = own_plan(tmp_path, arms)
    assert changed.run_id != plan.run_id
    assert len(set(plan.requests) & set(changed.requests)) == 1
    # A copy of the shipped one is the shipped one.
    (folder / "bp_manual.md").write_text(load_manual("bp_manual").text.replace("\n", "\r\n"))
    assert load_manual("bp_manual", tmp_path).label == "bp_manual"


def test_a_manual_longer_than_the_window_is_refused(tmp_path: Path) -> None:
    spec = judge(tmp_path, "openai/mini", context_window=500)
    source = write_parliamentary(tmp_path, 1)
    with pytest.raises(BadSettings, match=r"'bp_manual' has [\d,]+ characters, .* is 500; name a"):
        plan_runs(load_experiment("bp-adjudication"), spec, [source])
