import re
from pathlib import Path

from debating_fixtures import STORY, chosen, experiment, go, write_reading
from hypothesis import given, settings
from hypothesis import strategies as st
from inference_fixtures import answers

from inference.journal import read_journal
from inference.judges.simulated.oversight import persuasion
from inference.oversight.debating.quotes import Story, mark, normalised
from inference.oversight.debating.writing import count_words, cut
from inference.oversight.items import DebatePlan
from inference.registry import spec_for

WORDS = STORY.split()
INDEXED = Story(STORY)
TAGS = (
    *(
        "<quote>",
        "</quote>",
        "<v_quote>",
        "</v_quote>",
        "<u_quote>",
        "</ QUOTE >",
        "<turn>",
        "&lt;",
    ),
    *("<", ">", "a. ", "storm ", "Mara kept ", "\n", "</turn x='y'>", "<!--"),
)


@given(
    st.integers(0, len(WORDS) - 1),
    st.integers(1, 12),
    st.sampled_from([",", " -", "!", "\u2014"]),
    st.booleans(),
)
@settings(deadline=None)
def test_any_run_of_the_storys_words_is_verified_where_it_stands(
    start: int, length: int, mark_between: str, is_loud: bool
) -> None:
    taken = WORDS[start : start + length]
    quote = f"{mark_between} ".join(taken)
    is_verified, similarity, where = INDEXED.look_up(quote.upper() if is_loud else quote)
    assert is_verified
    assert similarity == 1.0
    assert where is not None
    assert normalised(STORY[slice(*where)]) == normalised(" ".join(taken))


@given(st.lists(st.sampled_from([*WORDS, "gold", "never", "err", "the"]), min_size=1, max_size=6))
@settings(deadline=None)
def test_a_quote_is_verified_only_where_its_words_follow_each_other(quote: list[str]) -> None:
    story, wanted = normalised(STORY).split(), normalised(" ".join(quote)).split()
    runs = [story[place : place + len(wanted)] for place in range(len(story))]
    is_verified, similarity, where = INDEXED.look_up(" ".join(quote))
    assert is_verified == (wanted in runs)
    assert 0 <= similarity <= 1
    assert (similarity == 1) == is_verified
    assert where is not None or similarity < 0.6


@given(st.lists(st.sampled_from(TAGS), max_size=14).map("".join))
@settings(deadline=None)
def test_no_tag_is_left_but_pairs_of_marked_quotes(text: str) -> None:
    marked = mark(text, INDEXED)
    tags = re.findall(r"<\s*[/!?]?\s*[A-Za-z_][^>]*>?", marked.shown)
    pairs = [f"<{'v' if quote.is_verified else 'u'}_quote>" for quote in marked.quotes]
    assert tags == [tag for pair in pairs for tag in (pair, pair.replace("<", "</"))]
    opened = len(re.findall(r"<\s*/?\s*(?:quote|[vu]_quote)", text, re.IGNORECASE))
    # Every tag either makes one of a pair, or the text is malformed.
    assert marked.is_malformed or opened == 2 * len(marked.quotes)


@given(
    st.lists(
        st.sampled_from(["a", "b.", "<quote>c", "d</quote>", "e!", "<quote>f</quote>"]),
        min_size=1,
        max_size=40,
    ).map(" ".join),
    st.integers(1, 20),
)
@settings(deadline=None)
def test_a_cut_text_keeps_its_beginning_and_its_limit(text: str, limit: int) -> None:
    kept = cut(text, limit)
    assert count_words(kept) <= limit
    assert 2 * count_words(kept) >= min(limit, count_words(text))
    words = normalised(re.sub(r"</?quote>", " ", kept)).split()
    assert words == normalised(re.sub(r"</?quote>", " ", text)).split()[: len(words)]
    if count_words(text) <= limit:
        assert kept == text


def test_simulated_debaters_have_the_strength_their_settings_say(tmp_path: Path) -> None:
    asked = experiment(DebatePlan("ov_debater", rounds=2, word_limit=300))
    source = write_reading(tmp_path, 30, right=0)
    found = {}
    for name in ("strong", "weak", "misquoting", "conceding"):
        spec = spec_for(f"simulated/debater-{name}", None, {})
        told = answers(tmp_path, go(tmp_path, asked, spec, source).run_ids[0])
        turns = [
            (turn, each) for line in told for turn in line["turns"] for each in turn["candidates"]
        ]
        quotes = [quote for _, each in turns for quote in each["quotes"]]
        said = [(turn["argued_answer"], persuasion(each["shown_text"])) for turn, each in turns]
        found[name] = [sum(strength for side, strength in said if side == own) for own in (0, 1)]
        share = sum(quote["is_verified"] for quote in quotes) / len(quotes)
        # Three standard errors of a share of so many quotes.
        limit = 3 * (0.25 / len(quotes)) ** 0.5
        assert abs(share - spec.settings["verified"]) < limit
        conceded = sum(each["is_concession"] for _, each in turns) / len(turns)
        assert abs(conceded - spec.settings["concession_rate"]) < 3 * (0.25 / len(turns)) ** 0.5
    # The right side of a pair is stronger unless it misquotes more often than not, and so is the stronger debater on either side.
    assert all(right > wrong for right, wrong in (found["strong"], found["weak"]))
    assert all(strong > weak for strong, weak in zip(found["strong"], found["weak"], strict=True))


def test_the_same_seed_says_the_same(tmp_path: Path) -> None:
    spec, source = spec_for("simulated/debater-weak", None, {}), write_reading(tmp_path)
    summary = go(tmp_path, experiment(), spec, source)
    again = go(tmp_path, experiment(), spec, source, is_fresh=True)
    assert [chosen(line) for line in answers(tmp_path, summary.run_ids[0])] == [
        chosen(line) for line in answers(tmp_path, again.run_ids[0])
    ]
    path = tmp_path / "journal" / again.run_ids[0] / "responses.jsonl"
    steps = [line for line in read_journal(path) if line["kind"] == "step"]
    assert {step["model_id"] for step in steps} == {spec.judge_id}
