"""The questions the page of the verification queue puts to the published marts."""

from __future__ import annotations

from dashboard.core.data import asking, query

# Every transcript; those that wait for a person first, the least alike text foremost.
queue = query("""
select *
from rpt_transcript_queue
order by
    list_position(['waiting', 'incomplete', 'rejected', 'verified'], status) nulls first,
    word_error_rate desc nulls last, title, transcript_id""")

# The segments of one transcript, in order.
segments = asking("dim_transcript_segment", "position", "transcript_id = $transcript")
