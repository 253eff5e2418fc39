"""What models could read before they answered: how many had documents, which, and from where."""

from collections.abc import Mapping, Sequence

import pandas as pd
import streamlit as st

from dashboard.core.data import Answer
from dashboard.core.findings import Row
from dashboard.core.labels import count, escape_markdown, is_missing, plural, share_in
from dashboard.core.tables import listed
from dashboard.core.widgets import table, unfolding
from dashboard.questions import text_queries as question_text_queries
from dashboard.questions.queries import Field
from warehouse.reader import Version

_WITHOUT = {
    "no_documents_count": "no document about the question",
    "no_trusted_documents_count": "none of a trusted domain",
    "nothing_found_count": "none that fits",
    "not_recorded_count": "not recorded",
    "other_questions_count": "shown documents about other questions, so counted nowhere else",
}


def retrieval(version: Version, field: Field, names: Mapping[str, str]) -> list[tuple[str, Answer]]:
    """Show what was retrieved for a way of asking, and for the answers that are looked at.

    Args:
        field: Which questions, asked in which way.
        names: The answers that are looked at, and what they are called.

    Returns:
        The queries behind it; none where nothing was retrieved.
    """
    coverage = question_text_queries.retrieved(version, field)
    if coverage.frame.empty:
        return []
    documents = question_text_queries.documents(version, list(names))
    outcomes = question_text_queries.page_outcomes(version, field)
    unfolding("What could they read?", _retrieved, coverage, documents, outcomes, names)
    return [("Retrieval", coverage), ("Documents shown", documents), ("Pages", outcomes)]


def _retrieved(
    coverage: Answer, documents: Answer, outcomes: Answer, names: Mapping[str, str]
) -> None:
    for row in coverage.rows:
        st.markdown(_coverage(row))
    shown = documents.rows
    if shown:
        table(_documents(shown, names), raw=documents, name="documents_shown")
    else:
        st.markdown("No document is known to have been shown for these answers.")
    if not outcomes.frame.empty:
        table(_outcomes(outcomes.rows), raw=outcomes, name="pages")


def _coverage(row: Row) -> str:
    """Return how many answers of a model were shown documents, and why the others were not."""
    about = f"**{escape_markdown(row['judge_id'])}**: {count(row['shown_count'])} of "
    about += f"{count(row['n_answers'])} answers were shown documents"
    if not is_missing(row["shown_share"]):
        found = share_in(row, "shown_share")
        questions = plural(int(row["n_questions"]), "question")
        about += f" ({found} of the {count(row['n_known'])} that are known, n = {questions}"
        about += ")" if is_missing(row["reason"]) else f"; no interval: {row['reason']})"
    others = [f"{count(row[name])} {text}" for name, text in _WITHOUT.items() if row[name]]
    return f"{about}; {'; '.join(others)}." if others else f"{about}."


def _documents(rows: Sequence[Row], names: Mapping[str, str]) -> pd.DataFrame:
    return listed(
        rows,
        {
            "answer": lambda row: names[row["answer_id"]],
            "place": "document_rank",
            "document": "document_id",
            "part": "chunk",
            "cosine": "similarity",
            "about this question": "is_own_question",
            "from": "url",
        },
    )


def _outcomes(rows: Sequence[Row]) -> pd.DataFrame:
    return listed(
        rows,
        {
            "pages from the web": lambda row: str(row["page_status"]).replace("_", " "),
            "pages": "n_pages",
            "answers": "n_answers",
            "one of them": "example_address",
            "why": "example_detail",
        },
    )
