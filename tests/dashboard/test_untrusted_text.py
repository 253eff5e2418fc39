"""Motions, speeches and answers are written by strangers; none of it may act on the page."""

import re
from pathlib import Path

import pytest
import streamlit
from changes import strange, transcripts
from rooms import rooms
from shown import row, rows, value

from dashboard import app
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


ITEM = "select any_value(item_id) from fct_score where parse_status = 'unparsed'"
FAILING = "simulated/careless"


@pytest.fixture
def strangers(changed):
    """A version in which strangers have written what should act."""
    return changed(*transcripts(), *strange(STRANGE))


@pytest.mark.parametrize("name", ["start", "speech_judges", "runs"])
def test_strange_text_never_reaches_markdown_as_it_is(shown_page, strangers, name):
    app = shown_page(name, dataset="sample", item=value(strangers, ITEM), by=FAILING)
    _assert_harmless(app)


def test_strange_text_is_still_shown_whole(shown_page, strangers):
    app = shown_page("speech_judges", dataset="sample", item=value(strangers, ITEM), by=FAILING)
    assert STRANGE in [text.value for text in app.text]
    assert STRANGE in [code.value for code in app.code]


@pytest.mark.parametrize("tab", ["ensembles", "severity", "reasons", "size", "crowd", "speakers"])
def test_strange_text_of_a_tab_never_reaches_markdown_as_it_is(shown_page, strangers, tab):
    _assert_harmless(shown_page("speech_judges", dataset="sample", about=tab))


def test_strange_reasons_never_reach_markdown_as_they_are(shown_page, strangers):
    said = row(strangers, "from fct_justification_sentence where key_point_id is not null")
    app = shown_page(
        "why", judge=said["judge_id"], point=said["key_point_id"], sentence=said["sentence_id"]
    )
    _assert_harmless(app)
    assert STRANGE in [code.value for code in app.code]


@pytest.mark.parametrize("name", ["bias_lab", "judge_against_judge", "judge", "replication"])
def test_strange_debates_never_reach_markdown_as_they_are(shown_page, strangers, name):
    said = row(strangers, "from fct_verdict where is_current and winner = 'con'")
    link = {"cell": "confusion.con_con", "by": said["judge_id"], "a": said["variant_id"]}
    app = shown_page(name, bias="accuracy", debate=said["debate_id"], **link)
    _assert_harmless(app)
    if name == "bias_lab":
        turns = rows(strangers, "from dim_item where debate_id = $id", id=said["debate_id"])
        assert [text.value for text in app.text].count(STRANGE) == len(turns) > 1
        assert STRANGE in [code.value for code in app.code]


@pytest.mark.parametrize("name", ["debatable_questions", "metric_trust"])
def test_strange_questions_and_answers_never_reach_markdown_as_they_are(
    shown_page, strangers, name
):
    question = value(strangers, "select any_value(question_id) from dim_partial_answer")
    app = shown_page(name, question=question)
    _assert_harmless(app)
    if name == "debatable_questions":
        found = rows(strangers, "from dim_partial_answer where question_id = $q", q=question)
        # Two answers, and every perspective with its explanation.
        assert [text.value for text in app.text].count(STRANGE) == 2 + len(found) * 2


@pytest.mark.parametrize("view", ["speaker_scores", "house_ranks", "bias", "context", "faults"])
def test_strange_parliamentary_debates_never_reach_markdown_as_they_are(
    shown_page, strangers, view
):
    debate = value(strangers, "select min(debate_id) from dim_parliamentary_debate")
    app = shown_page("parliamentary", view=view, debate=debate)
    _assert_harmless(app)
    if view == "faults":
        assert [text.value for text in app.text].count(STRANGE) == 8
        assert STRANGE in [code.value for code in app.code]


@pytest.mark.parametrize("transcript", ["final-of-the-open", "semi-final", "quarter-final"])
def test_strange_transcripts_never_reach_markdown_as_they_are(shown_page, strangers, transcript):
    app = shown_page("transcripts", transcript=transcript)
    _assert_harmless(app)
    if transcript == "final-of-the-open":
        assert [area.value for area in app.text_area] == [STRANGE] * 8


@pytest.mark.parametrize(
    ("name", "link"),
    [
        ("oversight", {"view": "accuracy"}),
        ("oversight", {"view": "ratings"}),
        ("debate_reader", {"story": "shown"}),
    ],
)
def test_strange_stories_and_debates_never_reach_markdown_as_they_are(
    shown_page, strangers, name, link
):
    app = shown_page(name, dataset="sample-stories", **link)
    _assert_harmless(app)
    if "story" in link:
        assert STRANGE in [code.value for code in app.code]


def test_strange_stories_to_judge_never_reach_markdown_as_they_are(shown_page, changed):
    changed(*rooms(STRANGE))
    app = shown_page("judge_yourself", task="story", person=STRANGE[:60])
    _assert_harmless(app)
    assert app.number_input
    gone = shown_page("judge_yourself", task="story", person=STRANGE[:60], dataset=STRANGE)
    _assert_harmless(gone)
    assert any("Not found: dataset" in one.value for one in gone.markdown)
    assert not gone.number_input


# Every parameter that a page's address may have.
LINKS = {
    "speech_judges": "dataset judge item",
    "why": "analysis judge with point sentence",
    **dict.fromkeys(
        ("bias_lab", "judge_against_judge", "judge", "replication"),
        "dataset experiment template outcome judge row comparison pair cell by with a b debate"
        " answer bias paper status with",
    ),
    **dict.fromkeys(
        ("debatable_questions", "metric_trust"),
        "dataset condition pd da k effect question first second method",
    ),
    **dict.fromkeys(
        ("parliamentary", "transcripts"),
        "dataset asked judge view outcome error debate answer transcript",
    ),
    **dict.fromkeys(
        ("oversight", "debate_reader"),
        "dataset judge debater protocol rooms view field tournament question transcript answer"
        " story",
    ),
}


@pytest.mark.parametrize("name", LINKS)
def test_strange_parameters_of_a_link_are_shown_as_code(shown_page, demo, name):
    _assert_harmless(shown_page(name, **dict.fromkeys(LINKS[name].split(), STRANGE)))


def test_strange_words_of_a_diff_mark_nothing():
    gone, came = word_diff(STRANGE, ""), word_diff("", STRANGE)
    assert _dangerous(diff_markdown(gone)) == _dangerous(diff_markdown(came)) == []
    assert diff_markdown(gone) == f":orange-background[~~{escape_markdown(STRANGE)}~~]"
    assert diff_markdown(came) == f":blue-background[**{escape_markdown(STRANGE)}**]"


def _assert_harmless(app):
    assert not app.exception
    values = [element.value for kind in MARKDOWN for element in app.get(kind)]
    values += [metric.label for metric in app.metric] + [box.label for box in app.selectbox]
    values += [expander.label for expander in app.expander]
    for shown in values:
        assert not _dangerous(shown), shown


SOURCES = [
    path
    for folder in ("dashboard", "orchestration", "ingestion", "inference", "warehouse")
    for path in sorted((PROJECT_ROOT / folder).rglob("*.py"))
]


def test_no_file_hands_html_to_the_browser():
    # The exceptions: constants, and the first page's table, whose tests are beside its own.
    assert app._STYLE == (
        "<style>.stMainBlockContainer { padding-top: 4rem; }"
        ".stSelectbox input { text-overflow: ellipsis; }"
        ".stHorizontalBlock > :only-child > .stVerticalBlock:has(.stMetric) {"
        " flex-flow: row wrap; align-items: baseline; gap: 0 1rem; border: none; padding: 0;"
        " > * { width: auto; } }</style>"
    )
    banned = re.compile(
        r"unsafe_allow_html|st\.html\((?!_?STYLE\)|matrix\()|components\.v1|st\.iframe\(|st\.write\("
    )
    found = [path.name for path in SOURCES if banned.search(path.read_text(encoding="utf-8"))]
    assert SOURCES
    assert found == []


def test_the_dashboard_computes_no_statistic():
    banned = re.compile(
        r"\.(mean|std|var|corr|median|quantile|agg|groupby|describe)\(|import (scipy|numpy|statistics)"
    )
    pages = [path for path in SOURCES if path.is_relative_to(PROJECT_ROOT / "dashboard")]
    found = [path.name for path in pages if banned.search(path.read_text(encoding="utf-8"))]
    assert found == []


def test_the_dashboard_fetches_nothing_from_outside():
    # The font of icons comes with Streamlit.
    static = Path(streamlit.__file__).parent / "static" / "static" / "media"
    assert list(static.glob("MaterialSymbols*"))
    settings = (PROJECT_ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8")
    assert "gatherUsageStats = false" in settings
    assert 'address = "127.0.0.1"' in settings
