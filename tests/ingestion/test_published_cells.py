"""Printed cells as rows: which settings share debates, and what a percentage stands for."""

from collections import defaultdict
from fractions import Fraction

import pytest

from ingestion.errors import UnknownSource
from ingestion.published.cells import Confusion, confusion_of, printed_cells, whole
from ingestion.published.load import DATASET, load_published, verdicts_of
from warehouse.home import Home
from warehouse.raw import append_rows
from warehouse.writer import open_writer


def test_two_settings_of_a_paired_table_differ_on_exactly_the_printed_debates() -> None:
    said: dict[tuple[str | None, str | None], dict[str, str]] = defaultdict(dict)
    for verdict in verdicts_of(printed_cells()):
        cell = verdict.cell
        if cell.table == "Table 8":
            said[cell.verbalizer, cell.position][verdict.debate_id] = cell.said
    one, other = said["A/B", "shuffled"], said["B/A", "shuffled"]
    assert set(one) == set(other)
    both = sorted((one[debate], other[debate]) for debate in one)
    # Printed: 4 debates for Pro under A/B and Con under B/A, 36 the other way round.
    assert both == [("con", "pro")] * 36 + [("pro", "con")] * 4


def test_no_row_stands_for_a_debate_on_which_paired_settings_agree() -> None:
    count = sum(cell.count for cell in printed_cells() if cell.table == "Table 5")
    assert count == 2 * (25 + 86 + 16 + 205 + 38 + 124 + 34 + 79)


def test_debates_know_who_closes_them_only_where_that_is_printed() -> None:
    known = {cell.table for cell in printed_cells() if cell.closes}
    assert known == {"Table 4", "Table 9", "Table 18"}
    assert {cell.table for cell in printed_cells() if cell.won} == {"Table 2", "Table 3"}


@pytest.mark.parametrize(
    ("percent", "size", "count"), [("94.23", 52, 49), ("3.85", 52, 2), ("77.33", 75, 58)]
)
def test_a_percentage_stands_for_a_whole_number(percent: str, size: int, count: int) -> None:
    assert whole(percent, size) == count


def test_the_confusion_gives_both_printed_figures() -> None:
    # 4 of 10 verdicts for Pro, 8 right. 2, 3 and 4 right for Pro are possible:
    # 2: Pro won 2, F1 4/6 and 12/14, weighted 0.8190
    # 3: Pro won 4, F1 6/8 and 10/12, weighted 0.8
    # 4: Pro won 6, F1 8/10 and 8/10, weighted 0.8
    # Won 4 of 10 is nearer to 0.399.
    assert confusion_of(4, 6, "80.00", "80.00") == Confusion(3, 1, 1, 5)
    assert confusion_of(4, 6, "80.00", "81.90") == Confusion(2, 0, 2, 6)


@pytest.mark.parametrize(("accuracy", "f1"), [("85.00", "80.00"), ("80.00", "70.00")])
def test_figures_that_no_table_gives_are_refused(accuracy: str, f1: str) -> None:
    with pytest.raises(ValueError, match="compare the figures with the paper"):
        confusion_of(4, 6, accuracy, f1)


def test_the_confusion_of_table_3_has_the_samples_share_of_pro_wins() -> None:
    won: dict[str | None, list[int]] = defaultdict(lambda: [0, 0])
    for cell in printed_cells():
        if cell.table == "Table 3":
            won[cell.verbalizer][cell.won == "con"] += cell.count
    assert set(won) == {"A/B", "P/C", "1/-1", "Pro/Con"}
    for pro, con in won.values():
        assert abs(Fraction(pro, pro + con) - Fraction(399, 1000)) < Fraction(1, 500)


def test_loading_twice_changes_nothing_and_what_is_no_longer_printed_goes(home: Home) -> None:
    home.ensure()
    first = load_published(home, "llm_debate_bias")
    assert first.new > 0
    with open_writer(home, "test") as connection:
        append_rows(
            connection,
            "debates",
            "select *, 'm' as motion, 'f' as format, 's' as _source_file, now() as _loaded_at "
            "from (values ('x', ?), ('y', 'mine')) as made_up (debate_id, dataset_id)",
            [DATASET],
        )
    assert load_published(home, "llm_debate_bias").updated == 1
    again = load_published(home, "llm_debate_bias")
    assert (again.new, again.updated, again.load_id) == (0, 0, None)
    with open_writer(home, "test") as connection:
        rows = connection.execute(
            "select dataset_id from raw.debates where debate_id in ('x', 'y')"
        ).fetchall()
    assert rows == [("mine",)]


def test_a_paper_without_printed_cells_is_named_with_those_that_have_them(home: Home) -> None:
    with pytest.raises(
        UnknownSource, match=r"debateqa prints no cells of verdicts; expected llm_debate_bias"
    ):
        load_published(home, "debateqa")
