import json
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from inference_fixtures import cases

from inference.parliamentary.items import ALL, HOUSE_RANKS, SPEAKER_RANKS, SPEAKER_SCORES, TASKS
from inference.parliamentary.rulings import FAULTS, Ruling, read_ruling, ruling_text
from warehouse.records.bp import HOUSES, ROLES

HOUSE_LINES = "First: OG\nSecond: CG\nThird: OO\nFourth: CO"
SCORES = dict(zip(ROLES, (79, 77, 78, 76, 80, 75, 78.5, 74), strict=True))
SCORE_LINES = ruling_text(SPEAKER_SCORES, (), SCORES, ())
BEST_FIRST = sorted(ROLES, key=lambda role: -SCORES[role])
RANK_LINES = ruling_text(SPEAKER_RANKS, (), {}, BEST_FIRST)
WHOLE = ruling_text(ALL, ("cg", "og", "oo", "co"), SCORES, BEST_FIRST)

Given = tuple[list[str], tuple[float, ...], list[str]]
Found = dict[tuple[str, str], float | None]
_rulings = st.tuples(
    st.permutations(HOUSES),
    st.tuples(*[st.integers(500, 1000).map(lambda tenths: tenths / 10)] * 8),
    st.permutations(ROLES),
)


def values(ruling: Ruling, task: str) -> dict[str, float | None]:
    return {place: each.value for (of, place), each in ruling.values.items() if of == task}


def faults(ruling: Ruling) -> list[str]:
    return [each.fault for each in ruling.faults]


def expected(houses: list[str], scores: tuple[float, ...], speakers: list[str]) -> Found:
    return (
        {(HOUSE_RANKS, house): rank for rank, house in enumerate(houses, start=1)}
        | {(SPEAKER_SCORES, role): score for role, score in zip(ROLES, scores, strict=True)}
        | {(SPEAKER_RANKS, role): rank for rank, role in enumerate(speakers, start=1)}
    )


def said(ruling: Ruling) -> Found:
    return {key: each.value for key, each in ruling.values.items()}


def test_the_stated_format_of_each_task_is_read() -> None:
    houses = read_ruling(HOUSE_LINES, HOUSE_RANKS)
    assert values(houses, HOUSE_RANKS) == {"og": 1, "cg": 2, "oo": 3, "co": 4}
    scores = read_ruling(SCORE_LINES, SPEAKER_SCORES)
    assert values(scores, SPEAKER_SCORES) == SCORES
    ranks = read_ruling(RANK_LINES, SPEAKER_RANKS)
    order = ("mg", "pm", "gw", "dpm", "lo", "dlo", "mo", "ow")
    assert values(ranks, SPEAKER_RANKS) == {role: n for n, role in enumerate(order, start=1)}
    whole = read_ruling(WHOLE, ALL)
    assert values(whole, SPEAKER_SCORES) == SCORES
    assert whole.faults == ()
    assert {each.status for each in (houses, scores, ranks, whole)} == {"parsed"}


@pytest.mark.parametrize(
    "text",
    [
        "1: OG\n2: CG\n3: OO\n4: CO",
        "First: Opening Government\nSecond: Closing Government (CG)\nThird: opening opposition\n"
        "FOURTH: co.",
        "**First:** OG\n- Second: `CG`\n* __Third__: **OO**\n\u2022 fourth :  [CO]",
        "<think>First: CO</think>The motion stands.\nFirst: OG\nSecond: CG\nThird: OO\nFourth: CO\n"
        "That was close.",
        'Reasons: {"houses": []}\n```json\n{"houses": ["og", "CG", "Opening Opposition", "co"]}\n```',
        f'{HOUSE_LINES}\n{{"houses": ["og", "cg", "oo", "co"]}}',
        f"First: the burden of proof was on the bench.\n{HOUSE_LINES}",
        f"{HOUSE_LINES}\n{HOUSE_LINES}",
    ],
)
def test_what_stands_around_a_ranking_is_passed_over(text: str) -> None:
    found = read_ruling(text, HOUSE_RANKS)
    assert values(found, HOUSE_RANKS) == {"og": 1, "oo": 3, "cg": 2, "co": 4}
    assert (found.status, found.reason, found.faults) == ("parsed", None, ())


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("First: OG\nSecond: OG\nThird: OO\nFourth: CO", ["house_twice", "house_missing"]),
        ("First: OG\nSecond: CG\nThird: OO", ["house_missing"]),
        (f"{HOUSE_LINES}\nFirst: CO", ["not_a_ranking", "house_twice"]),
        (f"{HOUSE_LINES}\nFifth: CO", ["not_a_ranking", "house_twice"]),
        (
            "First: OG and CG\nThird: OO\nFourth: CO",
            ["unknown_place", "house_missing", "house_missing"],
        ),
        (f"{HOUSE_LINES}\nFirst: CO or OG", ["unknown_place"]),
        (f"{HOUSE_LINES}\n1: CO or OG", ["unknown_place"]),
        ("First: red\nSecond: blue\nThird: green\nFourth: brown", ["unknown_place"] * 4),
        ('{"houses": ["og", "og", "oo", "co"]}', ["house_twice", "house_missing"]),
        ('{"houses": ["og", "pm", "oo", "co"]}', ["unknown_place", "house_missing"]),
        ('{"houses": "og, cg, oo, co"}', ["not_a_ranking"]),
        ('{"houses": ["og"], "houses": ["co"]}', ["not_a_ranking"]),
        ("First: OG, Second: CG, Third: OO, Fourth: CO", ["unknown_place"]),
        ("OG wins, then CG, OO and CO.", ["missing_section"]),
        ("1. OG\n2. OO\n3. CG\n4. CO", ["missing_section"]),
        (RANK_LINES, ["missing_section"]),
    ],
)
def test_a_ranking_that_is_no_permutation_gives_nothing(text: str, found: list[str]) -> None:
    ruling = read_ruling(text, HOUSE_RANKS)
    assert faults(ruling) == found
    assert set(said(ruling).values()) == {None}
    assert {each.reason for each in ruling.values.values()} == {found[0]}
    assert (ruling.status, ruling.reason) == ("unparsed", found[0])


@pytest.mark.parametrize("line", ["First: GW and OW", "1: GW and OW"])
def test_two_speakers_in_one_place_spoil_the_ranking_of_speakers(line: str) -> None:
    ruling = read_ruling(f"{RANK_LINES}\n{line}", SPEAKER_RANKS)
    assert faults(ruling) == ["unknown_place"]
    assert set(said(ruling).values()) == {None}


@pytest.mark.parametrize(
    ("content", "score"),
    cases({50: "50", 100: "100", 78: "78/100|78.", 78.5: "78.5 / 100", 81: "**81**|[81]"}),
)
def test_a_score_is_a_number_of_the_scale(content: str, score: float) -> None:
    text = SCORE_LINES.replace("LO: 77", f"Leader of the Opposition (LO): {content}")
    ruling = read_ruling(text, SPEAKER_SCORES)
    assert values(ruling, SPEAKER_SCORES) == SCORES | {"lo": score}
    assert ruling.status == "parsed"


@pytest.mark.parametrize(
    ("line", "fault"),
    cases(
        {
            "score_not_a_number": "LO: seventy-seven|LO: 77 or 78|LO: 77-78|LO: 77/80|LO: 77,5"
            "|LO: 7.7e1|LO: \u0667\u0667|LO: |LO: 77\nLO: 78-79",
            "score_out_of_range": "LO: 49.9|LO: 101|LO: -77",
            "score_missing": "LO (MG): 77|The LO: 77|",
            "conflicting_scores": "LO: 77\nLO: 78",
        }
    ),
)
def test_a_score_that_cannot_be_read_takes_itself_away_alone(line: str, fault: str) -> None:
    ruling = read_ruling(SCORE_LINES.replace("LO: 77", line, 1), SPEAKER_SCORES)
    assert values(ruling, SPEAKER_SCORES) == SCORES | {"lo": None}
    assert (faults(ruling), ruling.status, ruling.reason) == ([fault], "partly", fault)


@pytest.mark.parametrize(
    ("value", "fault"),
    cases(
        {
            None: '"77"|77.0',
            "score_not_a_number": "true|null|[77]",
            "score_out_of_range": "770",
            "conflicting_scores": '77, "lo": 78|77, "Leader of Opposition": 78',
            "unknown_place": '77, "leader": 78',
        }
    ),
)
def test_scores_in_an_object_are_held_to_the_same_rules(value: str, fault: str | None) -> None:
    whole = json.dumps({"scores": SCORES}).replace('"lo": 77', f'"lo": {value}')
    ruling = read_ruling(f"My scores:\n{whole}", SPEAKER_SCORES, "json_schema")
    assert faults(ruling) == ([fault] if fault else [])
    lost = fault is not None and fault != "unknown_place"
    assert values(ruling, SPEAKER_SCORES) == SCORES | ({"lo": None} if lost else {})


def test_remarks_that_begin_as_scores_do_are_no_scores() -> None:
    remarks = "PM: sets the debate up well.\nLO: answers it.\n"
    found = read_ruling(remarks + SCORE_LINES, SPEAKER_SCORES)
    assert said(found) == said(read_ruling(SCORE_LINES, SPEAKER_SCORES))
    assert faults(read_ruling(remarks, SPEAKER_SCORES)) == ["missing_section"]


def test_what_is_missing_is_explained_by_how_the_reply_ended() -> None:
    cut = WHOLE[: WHOLE.index("MO: 75") + len("MO: 7")]
    ruling = read_ruling(cut, ALL, finish_reason="length")
    assert ruling.status == "partly"
    assert set(values(ruling, HOUSE_RANKS).values()) == {1, 2, 3, 4}
    scores = values(ruling, SPEAKER_SCORES)
    assert {role for role, score in scores.items() if score is None} == {"mo", "gw", "ow"}
    reasons = {each.reason for each in ruling.values.values()}
    assert reasons == {None, "truncated"}
    # The last score may have been 78.5; one with a line end behind it is whole.
    text = SCORE_LINES.replace("74", "78")
    assert values(read_ruling(text, SPEAKER_SCORES, None, "length"), SPEAKER_SCORES)["ow"] is None
    assert values(read_ruling(text + "\n", SPEAKER_SCORES, None, "length"), SPEAKER_SCORES)["ow"]
    refused = read_ruling("I will not judge this.", ALL, finish_reason="refusal")
    assert (refused.status, refused.reason) == ("unparsed", "refused")
    assert read_ruling(None, ALL).reason == "empty_response"
    assert read_ruling("<think>First: OG", HOUSE_RANKS).reason == "empty_response"


def test_contradictions_between_tasks_are_told_and_take_nothing_away() -> None:
    # LO, ranked above the PM with fewer points; OG and CO swapped; OO and CO have one sum.
    scores = SCORES | {"mo": 77, "ow": 76}
    speakers = ["lo", *(role for role in BEST_FIRST if role != "lo")]
    text = ruling_text(ALL, ("cg", "co", "oo", "og"), scores, speakers)
    ruling = read_ruling(text, ALL)
    assert ruling.status == "parsed"
    assert None not in said(ruling).values()
    told = {(each.fault, each.detail) for each in ruling.faults}
    assert ("ranks_contradict_scores", "LO with 77 is above PM with 79") in told
    assert ("houses_contradict_scores", "CO with 153 is above OG with 157") in told
    assert ("houses_tied_on_scores", "OO and CO both have 153") in told
    # By hand: LO above MG, PM, GW and DPM, and DLO with 76 above OW with 76 is none; MO with 77 is
    # below DLO with 76.
    assert sum(fault == "ranks_contradict_scores" for fault, _ in told) == 5
    assert sum(fault == "houses_contradict_scores" for fault, _ in told) == 2
    assert sum(fault == "houses_tied_on_scores" for fault, _ in told) == 1


def test_sums_of_tenths_are_compared_as_people_add_them() -> None:
    scores = SCORES | {"pm": 78.1, "dpm": 77.2, "lo": 78.2, "dlo": 77.1}
    ruling = read_ruling(ruling_text(SPEAKER_SCORES, (), scores, ()), SPEAKER_SCORES)
    assert faults(ruling) == ["houses_tied_on_scores"]


@pytest.mark.parametrize(
    "text",
    [
        "\ud800: 3",
        '{"scores": 1e999}',
        "PM:" * 50_000,
        "{" * 5_000,
        '{"houses": [' + "9" * 400 + "]}",
        "First:\x00",
    ],
)
def test_nothing_a_model_writes_is_an_error(text: str) -> None:
    for task in (*TASKS, ALL):
        ruling = read_ruling(text, task)
        assert set(said(ruling).values()) == {None}
        assert set(faults(ruling)) <= set(FAULTS)


_NOISE: tuple[Callable[[str], str], ...] = (
    str,
    str.lower,
    str.upper,
    lambda line: f"- {line}",
    lambda line: f"**{line}**",
    lambda line: f"  {line}\t",
    lambda line: line.replace(":", " :  "),
    lambda line: f"{line}.",
    lambda line: f"**{line.replace(':', ':**')}",
    lambda line: f"{line}\n\nWell argued.",
)


@settings(deadline=None)
@given(_rulings, st.lists(st.sampled_from(_NOISE), min_size=30, max_size=30))
def test_rulings_are_read_through_noise(ruling: Given, noise: list[Callable[[str], str]]) -> None:
    houses, scores, speakers = ruling
    text = ruling_text(ALL, houses, dict(zip(ROLES, scores, strict=True)), speakers)
    noisy = "\n".join(change(line) for change, line in zip(noise, text.splitlines(), strict=False))
    assert said(read_ruling(noisy, ALL)) == expected(*ruling)
    by_role = dict(zip(ROLES, scores, strict=True))
    fields = {"houses": houses, "speakers": speakers, "scores": by_role}
    as_json = f"Reasons.\n```json\n{json.dumps(fields)}\n```"
    assert said(read_ruling(as_json, ALL)) == expected(*ruling)


@settings(deadline=None)
@given(_rulings, st.data())
def test_one_damaged_line_never_changes_a_value(ruling: Given, data: st.DataObject) -> None:
    houses, scores, speakers = ruling
    text = ruling_text(ALL, houses, dict(zip(ROLES, scores, strict=True)), speakers)
    lines = text.splitlines()
    number = data.draw(st.sampled_from([i for i, line in enumerate(lines) if ": " in line]))
    name, _, content = lines[number].partition(": ")
    other = data.draw(st.sampled_from([line.partition(": ") for line in lines if ": " in line]))
    lines[number] = data.draw(
        st.sampled_from(
            [
                "",
                name,
                content,
                f"{name}:",
                f"{name}: {content[:-1]}x",
                f"{name}: {content} or",
                f"{name}: not {content}",
                f"{name}x: {content}",
                f"{name}: {content}\n{name}: 99.99",
                f"{name}: {content}\n{name}: {content}?",
                f"{name} {content}",
                f"{other[0]} {content}",
                f"-{content}",
                f"{name}: -{content}",
                f"{name}: {content}{content}",
            ]
        )
    )
    whole = expected(*ruling)
    for key, value in said(read_ruling("\n".join(lines), ALL)).items():
        assert value in (whole[key], None)
