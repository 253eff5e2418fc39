"""What asking models for speeches brought: how many there are, why not more, and how long."""

import pandas as pd
import streamlit as st

from dashboard.core.data import Answer
from dashboard.core.labels import (
    Metric,
    count,
    escape_markdown,
    estimate_in,
    interval_in,
    share,
    share_in,
)
from dashboard.core.naming import span
from dashboard.core.widgets import ANY_SIZE, table
from dashboard.speeches.speakers import queries as asked
from warehouse.reader import Version

WRITING = Metric(
    name="speeches written",
    measure="speech_share",
    definition=(
        "Every request counts once. A speech is there where the reply had one between speech tags; "
        "one over the limit of words loses whole sentences from the end until it fits. Refused: "
        "the model declined, or its endpoint held the reply back. Unreadable: no speech could be "
        "told, such as without tags. Broke off: the reply reached its most tokens. Failed: no "
        "reply came. Stale: the motion has changed since. Shares have Wilson's intervals and words "
        "Student's, 95 %, with the topic as the unit."
    ),
    place="Section 5.3 and Figure 10 of the paper on judging debate speeches",
)
_OUTCOMES = {
    "refused_count": "refused",
    "unreadable_count": "unreadable",
    "truncated_count": "broke off",
    "failed_count": "failed",
    "stale_count": "stale",
}


def writing(version: Version, dataset_id: str) -> Answer | None:
    """Show the outcome of asking models for speeches on a data set's topics.

    Returns:
        The query asked; nothing where no model was asked.
    """
    answer = asked.writing(version, dataset_id)
    rows = answer.rows
    if not rows:
        return None
    st.subheader("What did asking for speeches bring?", anchor=False)
    st.caption(WRITING.line)
    ordered = sorted(rows, key=lambda row: float(row["speech_share"]))
    shares = dict.fromkeys(
        share(*(row[f"speech_share{end}"] for end in ("", "_low", "_high")))
        for row in (ordered[0], ordered[-1])
    )
    requests = span([int(row["n_requests"]) for row in rows], count)
    who = escape_markdown(rows[0]["judge_id"]) if len(rows) == 1 else f"{len(rows)} models"
    st.markdown(f"{who} wrote {' to '.join(shares)} of {requests} speeches asked for.")
    table(
        pd.DataFrame(
            {
                "speaker": [row["judge_id"] for row in rows],
                "prompt": [row["template"] for row in rows],
                "limit, words": [row["word_limit"] for row in rows],
                "asked for": [row["n_requests"] for row in rows],
                "topics": [row["n_units"] for row in rows],
                "written": [row["n_speeches"] for row in rows],
                "share, 95 %": [share_in(row, "speech_share") for row in rows],
                **{title: [row[name] for row in rows] for name, title in _OUTCOMES.items()},
                "cut to the limit": [row["cut_count"] for row in rows],
                "mean words": [
                    estimate_in(row, "mean_words")
                    if interval_in(row, "mean_words")
                    else row["words_reason"] or f"{row['mean_words']:.4g}"
                    for row in rows
                ],
                "before the cut": [row["mean_words_written"] for row in rows],
                "cost (USD)": [row["cost_usd"] for row in rows],
            }
        ),
        formats=dict.fromkeys(("before the cut", "cost (USD)"), ANY_SIZE),
        raw=answer,
        name="speech_writing",
    )
    return answer
