"""One request as a trace: what the marts say of it, and what its journal and its prompt add."""

from collections.abc import Sequence
from typing import Any

import streamlit as st

from dashboard.core.commands import answer_of
from dashboard.core.data import LIFETIME, query

_SECONDS_AT_MOST = 60
_CACHED_TRACES = 50

# Every answer to a request, or the one of that name, with what was read in it.
request = query("""
with found as materialized (
    select * from dim_response where request_id = $request or response_id = $request
),
scores as (
    select response_id, string_agg(format('{:g}', value), ', ') as score,
        any_value(answer_format) as answer_format
    from fct_score
    where response_id in (select response_id from found)
    group by response_id
)
select found.*, dim_run.experiment, dim_run.parser_version, dim_run.code_version, scores.score,
    fct_verdict.winner, fct_verdict.p_pro,
    coalesce(fct_verdict.answer_format, scores.answer_format) as answer_format
from found
left join dim_run on found.run_id = dim_run.run_id
left join fct_verdict on found.response_id = fct_verdict.response_id
left join scores on found.response_id = scores.response_id
order by found.answered_at, found.response_id""")


# A journal may go on, and a prompt file change.
@st.cache_data(ttl=LIFETIME / 12, max_entries=_CACHED_TRACES, show_spinner=False)
def trace(version_name: str, root: str, response_id: str) -> dict[str, Any]:
    """Return what `rostrum request` says of an answer.

    Args:
        version_name: The version it was found in.
        root: The home's folder.
        response_id: The answer.

    Raises:
        CommandFailed: The command failed or took too long.
    """
    del version_name  # Only of the key.
    found: dict[str, Any] = answer_of(root, "request", "--", response_id, seconds=_SECONDS_AT_MOST)
    return found


def tries(lines: Sequence[dict[str, Any]]) -> tuple[list[dict[str, Any]], int]:
    """Return every try that is on record, in order, and how many are not.

    Args:
        lines: The journal's lines about a request.
    """
    rows: list[dict[str, Any]] = []
    lost = 0
    for start, line in enumerate((one for one in lines if one["kind"] == "answer"), start=1):
        retried = line.get("retried") or []
        lost += max(0, (line.get("attempts") or 0) - 1 - len(retried))
        rows += [
            {
                "start": start,
                "outcome": one.get("error_kind") or "answered",
                "error": one.get("error"),
                "seconds": one.get("latency_s"),
                "then waited (s)": one.get("wait_s"),
                "answered (UTC)": one.get("answered_at"),
                "copied from run": one.get("reused_from"),
            }
            for one in [*retried, line]
        ]
    return rows, lost
