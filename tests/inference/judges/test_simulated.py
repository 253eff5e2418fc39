from pathlib import Path

import inference_fixtures
import numpy as np
import pytest
from inference_fixtures import write_items

from inference.errors import BadItems
from inference.items import ItemSource, iter_items
from inference.judges import make_judge
from inference.judges.base import Reply
from inference.judges.request import Request
from inference.kinds import KIND
from inference.parsing import ParsedScore, parse_score
from inference.templates import load_template


def replies(
    folder: Path,
    source: ItemSource,
    settings: dict[str, object],
    sample: int = 0,
    prompt: str = "speech_score",
) -> list[Reply]:
    # A name of its own needs a setting; this one is the default.
    spec = inference_fixtures.judge(folder, "simulated/mine", **{"slope": 1.0, **settings})
    template = load_template(prompt)
    requests = [
        Request(KIND["speech"], item, item.rating, template, sample, "", {})
        for item in iter_items(source)
    ]
    return inference_fixtures.replies(make_judge(spec, source.file("reference")), *requests)


def scores(*args: object, **kwargs: object) -> list[ParsedScore]:
    return [parse_score(reply.response or "") for reply in replies(*args, **kwargs)]  # type: ignore[arg-type]


def test_without_noise_the_score_is_the_stated_function(tmp_path: Path) -> None:
    # Centre 3. h = 1: 3 + 1*(1-3) = 1. h = 2.5: 2.5, halves up, 3. h = 3.49: 3. h = 4.5: 5. h = 5: 5.
    source = write_items(tmp_path, 5, means=[1.0, 2.5, 3.49, 4.5, 5.0])
    assert [s.value for s in scores(tmp_path, source, {"noise_sd": 0})] == [1, 3, 3, 5, 5]
    # Slope 0.5, shift -1: h = 1: 3 - 1 - 1 = 1. 2.5: 1.75 -> 2. 3.49: 2.245 -> 2. 4.5: 2.75 -> 3. 5: 3.
    settings: dict[str, object] = {"noise_sd": 0, "slope": 0.5, "shift": -1}
    assert [s.value for s in scores(tmp_path, source, settings)] == [1, 2, 2, 3, 3]
    assert [s.value for s in scores(tmp_path, source, {"noise_sd": 0, "shift": -9})] == [1] * 5
    assert [s.value for s in scores(tmp_path, source, {"noise_sd": 0, "slope": 0})] == [3] * 5


def test_noise_has_the_stated_size(tmp_path: Path) -> None:
    source = write_items(tmp_path, 2000, texts=["t"] * 2000, means=[3.0] * 2000)
    values = np.array([s.value for s in scores(tmp_path, source, {"noise_sd": 0.8})])
    # P(score = 3) = P(|N(0, 0.8)| < 0.5) = 0.4680, standard error 0.011.
    assert abs((values == 3).mean() - 0.4680) < 0.04
    assert abs(values.mean() - 3) < 0.07


def test_the_stated_share_of_replies_cannot_be_parsed(tmp_path: Path) -> None:
    source = write_items(tmp_path, 2000, texts=["t"] * 2000)
    parsed = scores(tmp_path, source, {"failure_rate": 0.08})
    share = sum(s.status == "unparsed" for s in parsed) / len(parsed)
    assert abs(share - 0.08) < 0.025
    assert len({s.reason for s in parsed if s.reason}) >= 5
    assert all(s.status == "unparsed" for s in scores(tmp_path, source, {"failure_rate": 1}))


def test_an_answer_depends_on_seed_item_template_and_sample_alone(tmp_path: Path) -> None:
    source = write_items(tmp_path, 200)
    settings: dict[str, object] = {"noise_sd": 1.5}
    first = scores(tmp_path, source, settings)
    assert first == scores(tmp_path, source, settings)
    assert first != scores(tmp_path, source, settings, sample=1)
    assert first != scores(tmp_path, source, {**settings, "seed": 2})
    assert first != scores(tmp_path, source, settings, prompt="speech_score_justified")
    fewer = write_items(tmp_path / "fewer", 20)
    assert scores(tmp_path, fewer, settings) == first[:20]


def test_reasons_come_where_the_prompt_or_the_setting_asks(tmp_path: Path) -> None:
    source = write_items(tmp_path, 3)
    for settings, prompt in (
        ({"justification": True}, "speech_score"),
        ({}, "speech_score_justified"),
    ):
        for reply in replies(tmp_path, source, settings, prompt=prompt):
            assert reply.response is not None
            assert reply.response.startswith("<scratchpad>")
            assert parse_score(reply.response).status == "parsed"
    assert all("scratchpad" not in str(reply.response) for reply in replies(tmp_path, source, {}))


def test_an_item_nobody_rated_is_scored_by_what_its_text_does(tmp_path: Path) -> None:
    rated, unrated = write_items(tmp_path, 1), write_items(tmp_path, 2, dataset="other")
    mixed = ItemSource("other", unrated.items_file, rated.files)
    for reply in replies(tmp_path, mixed, {"noise_sd": 0.0}):
        # None of the moves that are worth a point each.
        assert parse_score(str(reply.response)).value == 1


def test_a_missing_or_damaged_reference_file_is_named(tmp_path: Path) -> None:
    source = write_items(tmp_path, 1)
    with pytest.raises(BadItems, match="people rated"):
        replies(tmp_path, ItemSource("made-up", source.items_file), {})
    assert source.file("reference") is not None
    source.file("reference").write_bytes(source.file("reference").read_bytes()[:50])
    with pytest.raises(BadItems, match="cannot read"):
        replies(tmp_path, source, {})
