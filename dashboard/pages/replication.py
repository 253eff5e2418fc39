"""Does the warehouse get what the papers print? Every printed figure beside the recomputed one."""

import re
from collections.abc import Sequence

import streamlit as st

from dashboard.app import draw
from dashboard.core.choices import choose_many, choose_one, filter_row
from dashboard.core.data import Answer, replicated_version
from dashboard.core.findings import Finding, Row
from dashboard.core.labels import Metric, code_span, count, is_missing, number, plural
from dashboard.core.panels import Panel
from dashboard.core.tables import band, formed, listed, listing
from dashboard.core.widgets import draw_chart, headline, how_computed
from dashboard.replication import charts as replication_charts
from dashboard.replication import queries as replication_queries
from dashboard.replication.charts import STATUSES
from warehouse.reader import Version

PAGE = "replication"
PAPERS = {
    "llm_debate_bias": "An Empirical Analysis on Large Language Models in Debate Evaluation",
    "debatable_intelligence": "Debatable Intelligence: Benchmarking LLM Judges via Debate Speech "
    "Evaluation",
    "debateqa": "DebateQA: Evaluating Question Answering on Debatable Knowledge",
    "debatebench": "DebateBench: A Challenging Long Context Reasoning Benchmark For Large Language "
    "Models",
    "persuasive_debate": "Debating with More Persuasive LLMs Leads to More Truthful Answers",
    "alt_test": "The Alternative Annotator Test for LLM-as-a-Judge",
}
# Papers whose printed cells can be sent through the models, in a home of their own.
REPLICATED = "llm_debate_bias"
KNOWN = ("agrees", "differs", "contradicted")
COMPARED = Metric(
    name="published against recomputed",
    definition=(
        "A figure agrees when the recomputed value rounds to the printed digits, or is on the "
        "printed side of a limit such as p < 0.001. Counts of rows that come with this project are "
        "shipped, not computed, and are left out of that count. A figure "
        "is contradicted when the paper's own figures do not fit each other; then both numbers are "
        "shown. Not published: printed counts are not enough to compute it."
    ),
    place="The printed figures are kept as seeds, exactly as printed",
)


def page(version: Version) -> None:
    """Draw the page over one published version."""
    st.header("Replication")
    replicated = replicated_version(REPLICATED)
    found = replication_queries.papers(version).frame
    # First what has something to show: the paper replicated apart, or the most recomputed one.
    known_first = [REPLICATED] if replicated else []
    papers = list(dict.fromkeys([*known_first, *found["paper_id"], REPLICATED]))
    boxes, _ = filter_row(PAGE, [5, 5])
    with boxes[0]:
        paper = choose_one(
            PAGE,
            "paper",
            "Paper",
            {one: PAPERS.get(one, one) for one in papers},
            then_forget=("status",),
        )
    source = replicated if paper == REPLICATED and replicated else version
    counts = replication_queries.counts(source, paper)
    rows = counts.rows
    with boxes[1]:
        there = list(dict.fromkeys(row["agreement_status"] for row in rows))
        statuses = choose_many(
            PAGE,
            "status",
            "Figures listed",
            [one for one in STATUSES if one in there],
            everything="All figures",
            explain="Which figures the table lists.",
        )
    headline(finding(rows))
    st.caption("Whether the models give what the paper prints, to the digits it prints.")
    if paper == REPLICATED:
        _source(replicated)
    known = [row for row in rows if row["agreement_status"] in KNOWN]
    answers = [("How the figures came out", counts)]
    if any(row["agreement_status"] in ("agrees", "differs") for row in known):
        _chart(known)
    if rows:
        figures = replication_queries.figures(source, paper, statuses)
        _figures.show(figures)
        answers.append(("Figures", figures))
    if paper == REPLICATED:
        people = replication_queries.people(version, paper)
        _people(people)
        answers.append(("People", people))
    corpora = replication_queries.corpora(version)
    _corpora(corpora)
    how_computed([COMPARED], [*answers, ("Data sets", corpora)])


def finding(rows: Sequence[Row]) -> Finding:
    """Return how many printed figures the models give, in Markdown."""
    amounts = _amounts(rows)
    agrees, differs, both = (amounts.get(one, 0) for one in KNOWN)
    known = agrees + differs + both
    said = []
    if both:
        said.append(
            f"{plural(both, 'figure')} of the paper {'contradict' if both != 1 else 'contradicts'} "
            "others that it prints: the table shows both numbers and says which."
        )
    if lacking := amounts.get("not_published", 0):
        said.append(
            f"Of {plural(lacking, 'more figure')} it does not print the counts that "
            f"{'they come' if lacking != 1 else 'it comes'} from."
        )
    rest = " ".join(said)
    # What a paper's own figures contradict is known without any of them computed again.
    if not agrees + differs:
        return Finding(
            "None of this paper's figures has been computed here yet.",
            rest or "What the printed figures are compared with is not loaded.",
        )
    headline_text = (
        f"{count(agrees)} of {plural(known, 'figure')} that can be checked "
        f"{'come' if agrees != 1 else 'comes'} out as printed"
    )
    if differs:
        headline_text += f"; ⚠ {plural(differs, 'figure')} {'do' if differs != 1 else 'does'} not"
    return Finding(f"{headline_text}.", rest)


def _amounts(rows: Sequence[Row]) -> dict[str, int]:
    amounts: dict[str, int] = {}
    for row in rows:
        status = row["agreement_status"]
        amounts[status] = amounts.get(status, 0) + int(row["figure_count"])
    return amounts


def _source(replicated: Version | None) -> None:
    if replicated is None:
        st.markdown(
            "This command turns the paper's printed counts into verdicts and sends them through "
            "the same models as yours. It asks no judge, and leaves your data as they are:"
        )
        st.code(f"rostrum replicate {REPLICATED}", language="shell")
        return
    st.caption(
        f"From the replication's own warehouse, {code_span(replicated.name)}, "
        f"{replicated.published_at:%Y-%m-%d %H:%M} UTC. Your data sets are not touched by it."
    )


def _chart(rows: Sequence[Row]) -> None:
    amounts = _amounts(rows)
    odd = {str(row["location"]) for row in rows if row["agreement_status"] != "agrees"}
    places = {str(row["location"]) for row in rows}
    draw_chart(
        replication_charts.statuses,
        listed(
            rows,
            {
                "location": "location",
                "status": lambda row: STATUSES[row["agreement_status"]][0],
                "figures": "figure_count",
            },
        ),
        sorted(places, key=_place),
        title=(
            f"All figures of {len(places) - len(odd)} of {plural(len(places), 'table')} come out "
            "as printed"
        ),
        note=f"{count(sum(amounts.values()))} figures that could be recomputed, by where they are "
        "printed.",
    )


def _place(text: str) -> tuple[object, ...]:
    return tuple(int(one) if one.isdigit() else one for one in re.split(r"(\d+)", text))


_figures = Panel(
    "published_comparison",
    {
        "where": "location",
        "what": lambda row: str(row["statistic"]).replace("_", " "),
        "of what": "qualifier",
        "published": lambda row: (
            number(row["published_value"])
            if is_missing(row["published_text"])
            else row["published_text"]
        ),
        "recomputed": formed("warehouse_value", "%.4g"),
        "95 % interval": band("warehouse"),
        "result": lambda row: STATUSES[row["agreement_status"]][0],
        "by": "method_variant",
        "beside it": formed("other_value", "%.4g"),
        "which is": "other_variant",
        "n": "n",
        "unit": "unit",
        "note": "note",
    },
    tall=(15, 560),
)


def _people(answer: Answer) -> None:
    """List people whose verdicts are imported beside the paper's two, or say how to import them."""
    rows = answer.rows
    st.subheader("Do people here judge as the paper's two?", anchor=False)
    if not rows:
        st.markdown(
            "The paper prints how often two people named the winner of 75 debates. Nobody's "
            "verdicts on debates are here to stand beside them. Load the debates, then import one "
            "row per person and debate with the columns item, annotator and winner:"
        )
        st.code(
            "rostrum ingest ddo --from debates.json\n"
            "rostrum import verdicts.csv --format human-verdicts",
            language="shell",
        )
        return
    st.caption(rows[0]["note"])
    listing(
        rows,
        {
            "person, data set": "qualifier",
            "right (%)": formed("warehouse_value"),
            "95 % interval": band("warehouse"),
            "debates": "n",
            "published (%)": "published_text",
        },
        raw=answer,
        name="people_beside_published",
    )


def _corpora(answer: Answer) -> None:
    rows = answer.rows
    st.subheader("Are these the debates the paper describes?", anchor=False)
    if not rows:
        st.markdown(
            "No data set of debates is loaded yet. With a copy of debate.org's debates, the "
            "paper's statistics of them are computed on it:"
        )
        st.code("rostrum ingest ddo --from debates.json", language="shell")
        return
    printed = [row for row in rows if not is_missing(row["published_value"])]
    if not printed:
        st.caption("The paper prints no figure of the data sets loaded here.")
    listing(
        rows,
        {
            "data set": "title",
            "what": lambda row: str(row["statistic"]).replace("_", " "),
            "rounds": _rounds,
            "published": formed("published_value"),
            "here": formed("value"),
            "95 % interval": band("value"),
            "debates": "n_debates",
            "why unknown": "reason",
        },
        raw=answer,
        name="corpus_statistics",
        tall=(9, 380),
    )


def _rounds(row: Row) -> str:
    return "all" if is_missing(row["round_count"]) else count(row["round_count"])


if __name__ == "__main__":
    draw(page)
