"""Motions, speeches and answers are written by strangers; none of it may act on the page."""

import re

import pytest
from published_stub import publish_stub
from stub_oversight import transcript_id
from stub_questions import question_id
from stub_verdicts import DATASET, SECOND, TEMPLATE, variant_id
from stub_why import WHY_JUDGES

from dashboard.core.labels import escape_markdown
from dashboard.parliamentary.transcripts.diff import diff_markdown, word_diff
from warehouse.home import PROJECT_ROOT

STRANGE = (
    "<script>alert(1)</script><img src=x onerror=alert(2)> [click](http://evil.example/a) "
    "![pic](http://evil.example/b.png) $x^2$ :red[red] :smile: `tick` **bold** "
    "www.evil.example me@evil.example"
)
DANGEROUS = ("<script", "<img", "[click](", "![pic](", "$x^2$", ":red[", ":smile:", "**bold**")
# Elements whose text Streamlit reads as Markdown.
MARKDOWN = ("markdown", "caption", "subheader", "header", "title", "info", "warning", "error")


def _dangerous(markdown: str) -> list[str]:
    """Return what would be more than text, outside inline code and with no backslash before it."""
    bare = re.sub(r"(?<!\\)(`+).+?(?<!`)\1(?!`)|\\.", "", markdown)
    return [part for part in DANGEROUS if part in bare]


def test_the_check_itself_finds_what_is_dangerous():
    assert _dangerous(STRANGE) == list(DANGEROUS)
    assert _dangerous(r"\[click](http://evil.example)") == []
    assert _dangerous("`` <script ` `` and <img") == ["<img"]


@pytest.mark.parametrize("name", ["overview", "speech_judges", "runs"])
def test_strange_text_never_reaches_markdown_as_it_is(open_page, home, name):
    publish_stub(home, strange=STRANGE)
    app = open_page(name, dataset="sample", item="sample:00-0", by="lab/small-model")
    _assert_harmless(app)


def test_strange_reasons_never_reach_markdown_as_they_are(open_page, home):
    publish_stub(home, strange=STRANGE, why=True)
    app = open_page("why", judge=WHY_JUDGES[0], point="con/1", sentence="r4-0/1")
    _assert_harmless(app)
    assert STRANGE in [code.value for code in app.code]
    names = ("analysis", "judge", "with", "point", "sentence")
    _assert_harmless(open_page("why", **dict.fromkeys(names, STRANGE)))


@pytest.mark.parametrize("name", ["bias_lab", "judge_against_judge", "judge_card", "replication"])
def test_strange_debates_never_reach_markdown_as_they_are(open_page, home, name):
    publish_stub(home, strange=STRANGE, verdicts=True)
    variant = variant_id(TEMPLATE, "A/B", "pro_first")
    link = {"cell": "confusion.con_unparsed", "by": SECOND, "a": variant}
    app = open_page(name, bias="accuracy", debate=f"{DATASET}:001", **link)
    _assert_harmless(app)
    if name == "bias_lab":
        assert [text.value for text in app.text].count(STRANGE) == 4
        assert STRANGE in [code.value for code in app.code]


@pytest.mark.parametrize("name", ["bias_lab", "judge_against_judge", "judge_card", "replication"])
def test_strange_parameters_of_a_link_to_debates_are_shown_as_code(open_page, home, name):
    publish_stub(home, verdicts=True)
    names = (
        "dataset",
        "experiment",
        "template",
        "outcome",
        "judge",
        "row",
        "comparison",
        "pair",
        "cell",
        "by",
        "with",
        "a",
        "b",
        "debate",
        "answer",
        "bias",
        "paper",
        "status",
    )
    app = open_page(name, **dict.fromkeys(names, STRANGE))
    _assert_harmless(app)


@pytest.mark.parametrize("name", ["debatable_questions", "metric_trust"])
def test_strange_questions_and_answers_never_reach_markdown_as_they_are(open_page, home, name):
    publish_stub(home, strange=STRANGE, questions=True)
    app = open_page(name, question=question_id(1))
    _assert_harmless(app)
    if name == "debatable_questions":
        # Two answers, four perspectives with their explanations.
        assert [text.value for text in app.text].count(STRANGE) == 2 + 4 * 2


@pytest.mark.parametrize("name", ["debatable_questions", "metric_trust"])
def test_strange_parameters_of_a_link_to_questions_are_shown_as_code(open_page, home, name):
    publish_stub(home, questions=True)
    names = (
        "dataset",
        "condition",
        "pd",
        "da",
        "k",
        "effect",
        "question",
        "first",
        "second",
        "method",
    )
    app = open_page(name, **dict.fromkeys(names, STRANGE))
    _assert_harmless(app)


@pytest.mark.parametrize("view", ["speaker_scores", "house_ranks", "bias", "context", "faults"])
def test_strange_parliamentary_debates_never_reach_markdown_as_they_are(open_page, home, view):
    publish_stub(home, strange=STRANGE, parliamentary=True)
    debate = "sample-parliamentary:01"
    app = open_page("parliamentary", view=view, debate=debate)
    _assert_harmless(app)
    if view == "faults":
        assert [text.value for text in app.text].count(STRANGE) == 8
        assert STRANGE in [code.value for code in app.code]


@pytest.mark.parametrize("transcript", ["final-of-the-open", "semi-final", "quarter-final"])
def test_strange_transcripts_never_reach_markdown_as_they_are(open_page, home, transcript):
    publish_stub(home, strange=STRANGE, transcripts=True)
    app = open_page("transcripts", transcript=transcript)
    _assert_harmless(app)
    if transcript == "final-of-the-open":
        assert [area.value for area in app.text_area] == [STRANGE] * 8


def test_strange_stories_never_reach_markdown_as_they_are(open_page, home):
    publish_stub(home, strange=STRANGE, judging=True)
    app = open_page("judge_yourself", task="story", person=STRANGE[:60])
    _assert_harmless(app)
    assert app.number_input
    gone = open_page("judge_yourself", task="story", person=STRANGE[:60], dataset=STRANGE)
    _assert_harmless(gone)
    assert any("Not found: dataset" in one.value for one in gone.markdown)
    assert not gone.number_input


def test_strange_words_of_a_diff_mark_nothing():
    gone, came = word_diff(STRANGE, ""), word_diff("", STRANGE)
    assert _dangerous(diff_markdown(gone)) == _dangerous(diff_markdown(came)) == []
    assert diff_markdown(gone) == f":orange-background[~~{escape_markdown(STRANGE)}~~]"
    assert diff_markdown(came) == f":blue-background[**{escape_markdown(STRANGE)}**]"


@pytest.mark.parametrize("name", ["parliamentary", "transcripts"])
def test_strange_parameters_of_a_link_to_parliamentary_debates_are_shown_as_code(
    open_page, home, name
):
    publish_stub(home, parliamentary=True, transcripts=True)
    names = (
        "dataset",
        "asked",
        "judge",
        "view",
        "outcome",
        "error",
        "debate",
        "answer",
        "transcript",
    )
    app = open_page(name, **dict.fromkeys(names, STRANGE))
    _assert_harmless(app)


@pytest.mark.parametrize(
    ("name", "link"),
    [
        ("oversight", {"view": "questions"}),
        ("debate_reader", {"transcript": transcript_id(1), "story": "shown"}),
        ("debate_reader", {"transcript": transcript_id(5)}),
    ],
)
def test_strange_stories_and_debates_never_reach_markdown_as_they_are(open_page, home, name, link):
    publish_stub(home, strange=STRANGE, oversight=True)
    app = open_page(name, dataset="sample-stories", **link)
    _assert_harmless(app)
    if "story" in link:
        assert STRANGE in [code.value for code in app.code]
        assert STRANGE in [text.value for text in app.text]


@pytest.mark.parametrize("name", ["oversight", "debate_reader"])
def test_strange_parameters_of_a_link_to_oversight_are_shown_as_code(open_page, home, name):
    publish_stub(home, oversight=True)
    names = (
        "dataset",
        "judge",
        "debater",
        "protocol",
        "rooms",
        "view",
        "field",
        "tournament",
        "question",
        "transcript",
        "answer",
        "story",
    )
    app = open_page(name, **dict.fromkeys(names, STRANGE))
    _assert_harmless(app)


def _assert_harmless(app):
    assert not app.exception
    values = [element.value for kind in MARKDOWN for element in app.get(kind)]
    values += [metric.label for metric in app.metric] + [box.label for box in app.selectbox]
    values += [expander.label for expander in app.expander]
    for value in values:
        assert not _dangerous(value), value


def test_strange_text_is_still_shown_whole(open_page, home):
    publish_stub(home, strange=STRANGE)
    app = open_page("speech_judges", dataset="sample", item="sample:00-0", by="lab/small-model")
    assert STRANGE in [text.value for text in app.text]
    assert STRANGE in [code.value for code in app.code]


def test_strange_parameters_of_a_link_are_shown_as_code(open_page, published):
    app = open_page("speech_judges", dataset=STRANGE, judge=STRANGE, item=STRANGE)
    assert not app.exception
    for value in [caption.value for caption in app.caption]:
        assert not _dangerous(value), value


SOURCES = [
    path
    for folder in ("dashboard", "orchestration", "ingestion", "inference", "warehouse")
    for path in sorted((PROJECT_ROOT / folder).rglob("*.py"))
]


def test_no_file_hands_html_to_the_browser():
    banned = re.compile(r"unsafe_allow_html|st\.html\(|components\.v1|st\.iframe\(|st\.write\(")
    found = [path.name for path in SOURCES if banned.search(path.read_text(encoding="utf-8"))]
    assert SOURCES
    assert found == []


def test_the_dashboard_computes_no_statistic():
    banned = re.compile(
        r"\.(mean|std|var|corr|median|quantile|agg|groupby|describe)\(|import (scipy|numpy|statistics)"
    )
    pages = [path for path in SOURCES if "dashboard" in path.parts]
    found = [path.name for path in pages if banned.search(path.read_text(encoding="utf-8"))]
    assert found == []


def test_the_dashboard_fetches_nothing_from_outside():
    pages = [path for path in SOURCES if "dashboard" in path.parts]
    found = [path.name for path in pages if ":material/" in path.read_text(encoding="utf-8")]
    settings = (PROJECT_ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8")
    assert found == []
    assert "gatherUsageStats = false" in settings
    assert 'address = "127.0.0.1"' in settings
