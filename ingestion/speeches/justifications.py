"""The replies whose reasons are analysed: the current ones to a prompt, as the marts count them."""

from collections.abc import Callable, Collection
from typing import Any

from ingestion.errors import UnknownSource
from warehouse.home import Home
from warehouse.waiting import say_nothing
from warehouse.writer import open_writer

# Of several replies to one question the latest answered one counts, whichever experiment asked, as
# in int_answers_pooled; one about a speech that has changed since does not.
_CURRENT = """
select
    scores.judge_id, scores.item_id, scores.request_id, scores.run_id, scores.sample,
    debates.motion, scores.response, scores.dimension, scores.request_status
from raw.scores as scores
inner join raw.speeches as speeches
    on scores.item_id = speeches.item_id and scores.item_hash = speeches.item_hash
inner join raw.debates as debates on speeches.debate_id = debates.debate_id
where
    scores.dataset_id = $dataset
    and scores.template = $template
    and coalesce(scores.item_kind, 'speech') = 'speech'
qualify row_number() over (
    partition by scores.dimension, scores.judge_id, scores.item_id, scores.sample
    order by
        case when scores.request_status = 'answered' then 0 else 1 end,
        scores.answered_at desc nulls last, scores._loaded_at desc, scores.run_id desc
) = 1
order by scores.request_id
"""


def current_replies(
    home: Home,
    dataset_id: str,
    template: str,
    *,
    dimension: str | None = None,
    judges: Collection[str] = (),
    notify: Callable[[str], None] = say_nothing,
) -> list[dict[str, Any]]:
    """Return the current replies to a prompt, one row each; requests that failed have none.

    Args:
        dimension: What was scored; may be left out where all replies are about one.
        judges: Whose replies; those of all judges when empty.

    Raises:
        UnknownSource: There are none, or none of one of the judges, or of several dimensions.
    """
    with open_writer(home, "read justifications", notify=notify) as connection:
        cursor = connection.execute(_CURRENT, {"dataset": dataset_id, "template": template})
        rows = cursor.to_arrow_table().to_pylist()
    rows = [row for row in rows if row.pop("request_status") == "answered"]
    where = f"replies to '{template}' about '{dataset_id}'"
    if not rows:
        raise UnknownSource(
            f"key points: there are no {where}; first: rostrum run speech-score-justified --judge "
            f"JUDGE --dataset {dataset_id}"
        )
    known = sorted({row["dimension"] for row in rows})
    if dimension is None and len(known) > 1:
        raise UnknownSource(
            f"key points: the {where} are about {', '.join(known)}; choose one with --dimension"
        )
    rows = [row for row in rows if row.pop("dimension") == (dimension or known[0])]
    those = sorted({row["judge_id"] for row in rows})
    if missing := sorted(set(judges) - set(those)):
        raise UnknownSource(
            f"key points: '{missing[0]}' gave no {where}; those who did are "
            f"{', '.join(those) or 'none, in this dimension'}"
        )
    return [row for row in rows if not judges or row["judge_id"] in judges]
