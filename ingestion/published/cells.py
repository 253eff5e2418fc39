"""The printed cells of the bias paper as numbers of verdicts, by setting.

The paired tables (5 to 8) print the debates on which two settings differ and not those on which
they agree; the totals (10, 11, 16, 17) do not print which debate had which verdict. Nothing that
needs the missing verdicts is computed.
"""

import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Literal

Side = Literal["pro", "con"]
PAPER = "llm_debate_bias"
_FOLDER = Path(__file__).with_name(PAPER)
_SIDES: tuple[Side, Side] = ("pro", "con")
# Orders of the two sides: names of the tables and of experiments.
_POSITIONS = {
    "fixed": "pro_first",
    "con_second": "pro_first",
    "pro_second": "con_first",
    "shuffled": "shuffled",
}
# Pro's share of wins in the sample of Table 3: 500 debates of each round count, with the shares of
# section 3.
_PRO_SHARE = Fraction(369 + 449 + 379, 3000)
_READ_BY_PEOPLE = 75
# Appendix A.2: GPT-4 on the debates that people read, in percent.
_GPT_4_AMONG_PEOPLE = "84.00"


@dataclass(frozen=True)
class Cell:
    """A printed number of verdicts; what is not printed is None.

    Attributes:
        judge: Without a provider.
        verbalizer: Labels of the two sides, Pro's first.
        position: The side that the prompt named first.
        debates: Settings of one table with the same word here have the same debates, in the order
            of their cells.
        said: The side of the verdicts.
        closes: The side that spoke last.
        won: The winner according to people.
    """

    table: str
    judge: str
    verbalizer: str | None
    position: str | None
    debates: str
    count: int
    said: Side
    closes: Side | None = None
    won: Side | None = None


@dataclass(frozen=True)
class Confusion:
    """Counts of winner and verdict, in this order."""

    pro_pro: int
    pro_con: int
    con_pro: int
    con_con: int


def printed_cells() -> Iterator[Cell]:
    """Yield every printed cell that counts verdicts, table by table."""
    yield from _people()
    yield from _accuracies()
    for number in (4, 9, 18):
        for row in printed_table(number):
            closes: Side = "pro" if row["end_side"] == "Pro" else "con"
            for said in _SIDES:
                name, count = row["verbalizer"], int(row[f"n_pred_{said}"])
                yield Cell(
                    f"Table {number}", row["model"], name, "pro_first", name, count, said, closes
                )
    for number in (5, 7):
        for row in printed_table(number):
            name = row["verbalizer"]
            counts = row["f_fixed_shuffled"], row["f_shuffled_fixed"]
            yield from _pair(number, row, (name, "fixed"), (name, "shuffled"), counts)
    for number in (6, 8):
        for row in printed_table(number):
            first, second = (
                (row[f"verbalizer_{which}"], row["position_setting"]) for which in (1, 2)
            )
            yield from _pair(number, row, first, second, (row["f12"], row["f21"]))
    for number in (10, 11):
        for row in printed_table(number):
            counts = row["n_pred_pro"], row["n_pred_con"]
            setting = row["verbalizer"], row["position_setting"]
            yield from _counts(number, row["model"], setting, "all", counts)
    for number in (16, 17):
        for row in printed_table(number):
            size = int(row["n_sample"])
            con = whole(row["pred_con_proportion"], size)
            setting = row["verbalizer"], row["position"]
            yield from _counts(number, row["model"], setting, "all", (size - con, con))


def printed_table(number: int) -> list[dict[str, str]]:
    """Return the rows of one of the paper's tables, as printed."""
    with (_FOLDER / f"table_{number}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def printed_files() -> list[Path]:
    """Return the files of the tables."""
    return sorted(_FOLDER.glob("*.csv"))


def whole(percent: str, size: int) -> int:
    """Return the whole number behind a printed percentage of `size`."""
    return round(Fraction(percent) * size / 100)


def confusion_of(said_pro: int, said_con: int, accuracy: str, weighted_f1: str) -> Confusion:
    """Return the table of winners by verdicts that printed figures imply.

    The paper prints how many verdicts each side had, the accuracy and the weighted F1 (the F1 of
    both sides, weighted by their wins), not how many debates each side had won. Of the tables with
    both figures as printed, this is the one whose share of Pro wins is nearest to the sample's.

    Raises:
        ValueError: No table has both figures.
    """
    size = said_pro + said_con
    right = whole(accuracy, size)
    found: list[tuple[Fraction, Confusion]] = []
    for pro_pro in range(max(0, right - said_con), min(said_pro, right) + 1):
        con_con = right - pro_pro
        table = Confusion(pro_pro, said_con - con_con, said_pro - pro_pro, con_con)
        if _prints_as(weighted_f1, _weighted_f1(table)):
            won = table.pro_pro + table.pro_con
            found.append((abs(Fraction(won, size) - _PRO_SHARE), table))
    if not found or not _prints_as(accuracy, Fraction(right, size)):
        raise ValueError(
            f"published: no table of {said_pro} verdicts for Pro and {said_con} for Con has an "
            f"accuracy of {accuracy} % and a weighted F1 of {weighted_f1} %; compare the figures "
            "with the paper"
        )
    return min(found, key=lambda each: each[0])[1]


def _weighted_f1(table: Confusion) -> Fraction:
    wrong = table.pro_con + table.con_pro
    sides = (
        (table.pro_pro + table.pro_con, table.pro_pro),
        (table.con_con + table.con_pro, table.con_con),
    )
    size = sum(won for won, _ in sides)
    # A side without wins has no weight.
    parts = (
        Fraction(won, size) * Fraction(2 * right, 2 * right + wrong) for won, right in sides if won
    )
    return sum(parts, Fraction(0))


def _prints_as(printed: str, share: Fraction) -> bool:
    return abs(share * 100 - Fraction(printed)) <= Fraction(5, 1000)


def _people() -> Iterator[Cell]:
    # Which side had won is not printed: a right verdict is written as Con's, the winner.
    rows = [
        (row["evaluator"], row["accuracy"])
        for row in printed_table(2)
        if row["evaluator"].startswith("Human")
    ]
    for name, accuracy in [*rows, ("GPT-4 on human subset", _GPT_4_AMONG_PEOPLE)]:
        judge, right = name.lower().replace(" ", "-"), whole(accuracy, _READ_BY_PEOPLE)
        for said, count in zip(_SIDES, (_READ_BY_PEOPLE - right, right), strict=True):
            yield Cell("Table 2", judge, None, None, judge, count, said, won="con")


def _accuracies() -> Iterator[Cell]:
    printed = {
        (row["model_version"], row["verbalizer"]): row
        for row in printed_table(3)
        if row["outcome"] == "Winner"
    }
    for row in printed_table(10):
        if row["position_setting"] != "fixed":
            continue
        judge, name = row["model"], row["verbalizer"]
        figures = printed[judge, name]
        counts = int(row["n_pred_pro"]), int(row["n_pred_con"])
        table = confusion_of(*counts, figures["accuracy"], figures["weighted_f1"])
        for won, said in product(_SIDES, _SIDES):
            count = getattr(table, f"{won}_{said}")
            yield Cell("Table 3", judge, name, "pro_first", name, count, said, won=won)


def _pair(
    number: int,
    row: dict[str, str],
    first: tuple[str, str],
    second: tuple[str, str],
    counts: tuple[str, str],
) -> Iterator[Cell]:
    """Yield the cells of two settings, verbalizer and position, on the debates they differ on."""
    yield from _counts(number, row["model"], first, first[0], counts)
    pro_then_con, con_then_pro = counts
    yield from reversed(
        list(_counts(number, row["model"], second, first[0], (con_then_pro, pro_then_con)))
    )


def _counts(
    number: int, judge: str, setting: tuple[str, str], debates: str, counts: Sequence[str | int]
) -> Iterator[Cell]:
    verbalizer, position = setting[0], _POSITIONS[setting[1]]
    for said, count in zip(_SIDES, counts, strict=True):
        yield Cell(f"Table {number}", judge, verbalizer, position, debates, int(count), said)
