"""The questions the page of the verification queue puts to the published marts."""

from __future__ import annotations

from dashboard.core.data import Answer, ask
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


def segments(version: Version, transcript_id: str) -> Answer:
    """The segments of one transcript, in order."""
    sql = """
select *
from dim_transcript_segment
where transcript_id = $transcript
order by position"""
    return ask(version, sql, transcript=transcript_id)
