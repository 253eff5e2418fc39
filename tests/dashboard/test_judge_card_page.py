"""A judge on one page, and the same as files that need nothing else."""

import re
from html.parser import HTMLParser

import pytest
from shown import headline, text, value

from dashboard.debates.queries import Bench
from dashboard.judges.card import make_card
from dashboard.judges.card_files import card_html, card_latex, latex

STRANGE = "<script>alert(1)</script><img src=x onerror=alert(2)> </table> &amp; \\input{x} $x^2$ 50% _a_ #"
DATASET, EXPERIMENT, TEMPLATE = "sample-debates", "debate-winner", "winner_vanilla"
SECOND, FAIR = "simulated/second-position", "simulated/fair"
BENCH = Bench(DATASET, EXPERIMENT, (SECOND,), (TEMPLATE,), ("winner",))
SECTIONS = 8


@pytest.fixture
def judged(demo):
    return demo


def _tested(version, judge) -> str:
    """Return how many biases of a judge are significant, as its card says it."""
    counted = "select count(*) filter (is_significant) || ' of ' || count(*) || ' tested biases'"
    return value(
        version,
        f"{counted} from rpt_bias_battery where judge_id = $judge and family = 'contrasts'"
        " and p_adjusted is not null and experiment = $experiment",
        judge=judge,
        experiment=EXPERIMENT,
    )


def _card(version, bench=BENCH, title="Sample debates"):
    return make_card(version, bench, title, {}, is_sample=True)


class _Tags(HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.tags, self.links = [], set(), []

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.links += [value for name, value in attrs if name in ("src", "href", "xlink:href")]
        if tag not in ("meta",):
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_without_a_verdict_the_page_names_the_commands(shown_page, changed):
    changed(
        *(f"delete from rpt_{mart}" for mart in ("verdict_accuracy", "order_bias", "stance_bias"))
    )
    app = shown_page("judge_card")
    assert "No judge has named the winner of a debate yet" in text(app)


def test_the_page_says_what_the_judge_does_and_offers_two_files(open_page, judged):
    app = open_page("judge_card", judge=SECOND)
    assert not app.error
    assert f"{_tested(judged, SECOND)} significant after correction" in headline(app)
    labels = {button.proto.label for button in app.get("download_button")}
    assert {"Download as HTML", "Download LaTeX tables"} <= labels
    assert len(app.subheader) == SECTIONS


def test_the_html_file_is_whole_and_needs_nothing_else(judged):
    text = card_html(_card(judged)).decode()
    parser = _Tags()
    parser.feed(text)
    assert parser.open == []
    assert "svg" in parser.tags
    assert not parser.tags & {"script", "img", "link", "iframe", "object", "image"}
    assert parser.links == []
    assert not re.search(r"url\(\s*['\"]?http", text)
    assert "default-src 'none'" in text
    assert "Sample data" in text
    assert f"{_tested(judged, SECOND)} significant after correction" in text


def test_text_of_strangers_stays_text_in_the_html_file(judged):
    text = card_html(_card(judged, title=STRANGE)).decode()
    parser = _Tags()
    parser.feed(text)
    assert parser.open == []
    assert not parser.tags & {"script", "img"}
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in text


def test_a_strange_judge_stays_text_in_charts_and_tables(judged):
    card = _card(judged)
    chart = card.sections[0].charts[0]
    chart.frames[0].loc[0, "label"] = STRANGE
    card.sections[0].table.loc[0, "asked"] = STRANGE
    parser = _Tags()
    parser.feed(card_html(card).decode())
    assert parser.open == []
    assert not parser.tags & {"script", "img"}


def test_the_latex_file_has_every_table_and_escapes_its_text(judged):
    card = _card(judged)
    card.sections[0].table.loc[0, "asked"] = STRANGE
    text = card_latex(card).decode()
    assert text.count(r"\begin{longtable}") == text.count(r"\end{longtable}") == SECTIONS
    assert r"\textbackslash{}input\{x\} \$x\textasciicircum{}2\$ 50\% \_a\_ \#" in text
    for line in text.splitlines():
        if line.endswith(r"\\") and " & " in line and "caption" not in line:
            assert len(re.findall(r"(?<!\\)&", line)) >= 1
    assert not re.search(r"(?<!\\)%(?! (Judge|Needs))", text)


def test_latex_text_prints_as_it_is():
    assert latex("a_b & 5 % − χ² [1,\u00a02] <x>\nnext") == (
        r"a\_b \& 5 \% $-$ $\chi$$^2$ [1,~2] \textless{}x\textgreater{} next"
    )


def test_a_judge_without_anything_says_what_is_missing(judged):
    card = _card(judged, Bench(DATASET, EXPERIMENT, ("gone",), (TEMPLATE,), ("winner",)))
    text = card_html(card).decode()
    assert "gone cannot be held against people&#x27;s winner; no bias could be tested." in text
    assert "No bias has been tested" in text


def test_a_judge_that_nothing_moves_says_so(judged):
    card = _card(judged, Bench(DATASET, EXPERIMENT, (FAIR,), (TEMPLATE,), ("winner",)))
    assert _tested(judged, FAIR).startswith("0 of ")
    assert f"{_tested(judged, FAIR)} significant after correction." in card.headline
