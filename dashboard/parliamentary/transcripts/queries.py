"""The questions the page of the verification queue puts to the published marts."""

from __future__ import annotations

from dashboard.core.data import Answer, ask, asking
from warehouse.reader import Version


def queue(version: Version) -> Answer:
    """Every transcript; those that wait for a person first, the least alike text foremost."""
    sql = """
select *
from rpt_transcript_queue
order by
    list_position(['waiting', 'incomplete', 'rejected', 'verified'], status) nulls first,
    word_error_rate desc nulls last, title, transcript_id"""
    return ask(version, sql)


# The segments of one transcript, in order.
segments = asking("dim_transcript_segment", "position", "transcript_id = $transcript")
