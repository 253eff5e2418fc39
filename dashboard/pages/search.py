"""Where does a phrase occur? Full-text search over what was said, written and answered."""

from typing import Any

import pandas as pd
import streamlit as st

from dashboard.app import draw
from dashboard.core.choices import change_url, choose_many
from dashboard.core.findings import Finding
from dashboard.core.labels import code_span, count, escape_markdown, is_missing, plural
from dashboard.core.widgets import headline, how_computed, unfolding
from dashboard.search import queries
from dashboard.search.passage import passage_markdown
from dashboard.search.queries import Wanted
from warehouse.reader import Version

PAGE = "search"
AT_FIRST, MORE, MOST = 10, 20, 200
LONGEST = 300
KINDS = {
    "motion": "motion",
    "speech": "speech",
    "story": "story",
    "question": "question",
    "transcript": "turn of a transcript",
    "reply": "reply of a model",
    "comment": "comment of a person",
}
# Where a text is opened: the page, the parameter that names it there, and what the link says.
_OPENS = {
    "speech": ("pages/speech_judges.py", "item", "Open the speech"),
    "debate": ("pages/bias_lab.py", "debate", "Open the debate"),
    "parliamentary": ("pages/parliamentary.py", "debate", "Open the debate"),
    "transcript": ("pages/debate_reader.py", "transcript", "Open the debate"),
    "question": ("pages/debatable_questions.py", "question", "Open the question"),
    "recording": ("pages/transcripts.py", "transcript", "Open the transcript"),
    "reply": ("pages/request.py", "request", "Open the request"),
    "review": ("pages/review.py", "open", "Open the review"),
}


def page(version: Version) -> None:
    """Draw the page over one published version."""
    st.header("Search")
    if not queries.is_indexed(version):
        st.markdown(
            "**This version has no full-text index.** It was published before there was one, or "
            "where the package `duckdb-extension-fts` is not installed. This command writes it:"
        )
        st.code("rostrum build --full", language="shell")
        return
    contents = queries.contents(version)
    text = _asked_for()
    kinds, datasets, judges = _filters(contents.frame)
    _left_out(contents.frame)
    if not text:
        kinds_there = queries.kinds(version)
        headline(_what_there_is(kinds_there.rows))
        st.markdown(
            'Type words, or a phrase in quotation marks: `"school uniforms"`. Word forms count as '
            "one word: *ban* finds *banned*."
        )
        how_computed([], [("What there is", kinds_there)])
        return
    wanted = queries.wanted(version, text)
    if not wanted.words:
        headline(Finding("Nothing can be searched for in these words alone."))
        st.markdown(
            f"{_listed(wanted.common)}: too common to be searched for. Add another word."
            if wanted.common
            else "There is no letter or digit in them."
        )
        return
    limit = _limit()
    chosen: dict[str, Any] = {"kinds": kinds, "datasets": datasets, "judges": judges}
    answer = queries.hits(version, wanted, **chosen, every_word=True, limit=limit)
    is_every = bool(len(answer.frame)) or len(wanted.words) == 1 or bool(wanted.quoted)
    if not is_every:
        answer = queries.hits(version, wanted, **chosen, every_word=False, limit=limit)
    rows = answer.rows
    headline(_finding(rows, wanted, is_every=is_every))
    for row in rows:
        _hit(row)
    if rows and rows[0]["hit_count"] > len(rows):
        _more(len(rows), int(rows[0]["hit_count"]), limit)
    how_computed([], [("Hits", answer), ("What there is", contents)])


def _asked_for() -> str:
    """Return what the reader searches for; the URL holds it."""
    key = f"{PAGE}_q"
    st.session_state[key] = st.query_params.get("q", "")[:LONGEST]

    def keep() -> None:
        change_url({"q": st.session_state[key].strip() or None, "upto": None})

    return st.text_input(
        "Words, or a phrase in quotation marks", key=key, on_change=keep, max_chars=LONGEST
    ).strip()


def _filters(contents: pd.DataFrame) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """Let the reader narrow the search; an empty tuple of data sets or judges is all of them."""
    here = [kind for kind in KINDS if kind in set(contents["text_kind"])]
    datasets = sorted(contents["dataset_id"].dropna().unique())
    judges = sorted(contents["judge_id"].dropna().unique())
    left, middle, right = st.columns(3)
    with left:
        kinds = choose_many(
            PAGE, "kind", "Kind of text", here, everything="All kinds", explain=", ".join(KINDS)
        )
    with middle:
        chosen = choose_many(PAGE, "dataset", "Data set", datasets, everything="All data sets")
    with right:
        by = choose_many(
            PAGE,
            "judge",
            "Judge",
            judges,
            everything="Anybody",
            explain="Who wrote a reply, or whom a comment is about.",
        )
    return (
        kinds,
        () if len(chosen) == len(datasets) else chosen,
        () if len(by) == len(judges) else by,
    )


def _left_out(contents: pd.DataFrame) -> None:
    lacking = contents[contents["indexed_count"] < contents["text_count"]]
    if len(lacking):
        st.info(
            "Too much text for one index: not searched are "
            f"{_listed(sorted({KINDS[one] for one in lacking['text_kind']}))}."
        )


def _what_there_is(rows: list[dict[str, Any]]) -> Finding:
    if not rows:
        return Finding("There is no text to search yet.")
    by_kind = {row["text_kind"]: row["indexed_count"] for row in rows}
    parts = [f"{name}: {count(by_kind[kind])}" for kind, name in KINDS.items() if kind in by_kind]
    return Finding(f"{count(rows[0]['whole_count'])} texts can be searched.", " · ".join(parts))


def _listed(words: Any) -> str:
    return ", ".join(code_span(word) for word in words)


def _finding(rows: list[dict[str, Any]], wanted: Wanted, *, is_every: bool) -> Finding:
    words = _listed(wanted.words)
    common = (
        f"Too common to be searched for, and left out: {_listed(wanted.common)}."
        if wanted.common and not wanted.quoted
        else ""
    )
    if not rows:
        return Finding(
            f"No text in this selection holds {words}.",
            f"{common} Try fewer or other words, or remove a filter above.".strip(),
        )
    found = plural(int(rows[0]["hit_count"]), "text")
    if wanted.quoted:
        return Finding(f"{found} with the very words {_listed(wanted.quoted)}.", common)
    if is_every:
        which = words if len(wanted.words) == 1 else f"all of {words}"
        return Finding(f"{found} with {which}.", common)
    return Finding(
        f"No text holds all of these words; {found} with one of {words} or more.", common
    )


def _hit(row: dict[str, Any]) -> None:
    with st.container(border=True):
        title = "" if is_missing(row["title"]) else escape_markdown(row["title"])
        st.markdown(f"**{title or 'Untitled'}**")
        said = [KINDS[row["text_kind"]]]
        said += [code_span(row[one]) for one in ("dataset_id", "judge_id") if row[one]]
        st.caption(" · ".join([*said, *(["the very phrase"] if row["holds_phrase"] else [])]))
        st.markdown(passage_markdown(row["text"], set(row["found_words"])))
        _link(row)
        unfolding("The whole text", st.text, row["text"], key=f"{PAGE}_{row['text_id']}")


def _link(row: dict[str, Any]) -> None:
    if row["opens"] not in _OPENS:
        return
    where, name, label = _OPENS[row["opens"]]
    st.page_link(where, label=label, query_params=_address(row, name))


def _address(row: dict[str, Any], name: str) -> dict[str, str]:
    # Other pages find a text by its name alone.
    needs_dataset = row["opens"] == "speech"
    dataset = {"dataset": str(row["dataset_id"])} if needs_dataset else {}
    return {**dataset, name: str(row["opens_id"])}


def _limit() -> int:
    asked = st.query_params.get("upto", "")
    return min(MOST, int(asked)) if asked.isdecimal() and int(asked) > AT_FIRST else AT_FIRST


def _more(shown: int, whole: int, limit: int) -> None:
    st.caption(f"The best {count(shown)} of {count(whole)} are shown.")
    if shown < MOST:
        st.button(
            "Show more",
            key=f"{PAGE}_more",
            on_click=change_url,
            args=({"upto": str(min(MOST, limit + MORE))},),
        )
    else:
        st.caption("Add a word or a filter to see others.")


if __name__ == "__main__":
    draw(page)
