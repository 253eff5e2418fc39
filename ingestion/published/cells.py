"""The printed cells of the bias paper as numbers of verdicts, one setting at a time.

Only what the paper prints is here. Its paired tables (5 to 8) print the debates on which two
settings differ and not those on which they agree; its totals (10, 11, 16, 17) do not say which
debate had which verdict. No row stands for what is missing, and nothing that needs it is computed.
"""

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Literal

Side = Literal["pro", "con"]
PAPER = "llm_debate_bias"
_FOLDER = Path(__file__).with_name(PAPER)
_SIDES: tuple[Side, Side] = ("pro", "con")
# What the tables call the order of the two sides, and what experiments call it.
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
    """A printed number of verdicts.

    Attributes:
        table: The table it is printed in.
        judge: Who judged, without a provider.
        verbalizer: Labels of the two sides, Pro's first; None where none is printed.
        position: Which side the prompt named first; None where that is not printed.
        debates: Settings of one table with the same word here read the same debates, in the order
            of their cells.
        count: How many verdicts.
        said: The side they were for.
        closes: The side that spoke last in their debates; None where that is not printed.
        won: The side people held for the winner; None where that is not printed.
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
    """Winners by verdicts: the first word of a name is who won, the second who was named."""

    pro_pro: int
    pro_con: int
    con_pro: int
    con_con: int


def printed_cells() -> Iterator[Cell]:
    """Return every printed cell that counts verdicts, table by table."""
    yield from _people()
    yield from _accuracies()
    for number in (4, 9, 18):
        yield from _by_closing_side(number)
    for number in (5, 7):
        for row in printed_table(number):
            yield from _pair(
                number,
                row["model"],
                (row["verbalizer"], "fixed"),
                (row["verbalizer"], "shuffled"),
                row["f_fixed_shuffled"],
                row["f_shuffled_fixed"],
            )
    for number in (6, 8):
        for row in printed_table(number):
            yield from _pair(
                number,
                row["model"],
                (row["verbalizer_1"], row["position_setting"]),
                (row["verbalizer_2"], row["position_setting"]),
                row["f12"],
                row["f21"],
            )
    for number in (10, 11):
        for row in printed_table(number):
            yield from _counts(
                number, row, row["position_setting"], int(row["n_pred_pro"]), int(row["n_pred_con"])
            )
    for number in (16, 17):
        for row in printed_table(number):
            size = int(row["n_sample"])
            con = whole(row["pred_con_proportion"], size)
            yield from _counts(number, row, row["position"], size - con, con)


def printed_table(number: int) -> list[dict[str, str]]:
    """Return the rows of one of the paper's tables, as printed."""
    with (_FOLDER / f"table_{number}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def printed_files() -> list[Path]:
    """Return the files the cells are read from."""
    return sorted(_FOLDER.glob("*.csv"))


def whole(percent: str, size: int) -> int:
    """Return the whole number that a printed percentage of `size` stands for."""
    return round(Fraction(percent) * size / 100)


def confusion_of(said_pro: int, said_con: int, accuracy: str, weighted_f1: str) -> Confusion:
    """Return the table of winners by verdicts that printed figures imply.

    The paper prints how many verdicts each side had, the accuracy and the weighted F1, not how many
    debates each side had won. Of the tables that give both figures as printed, it is the one whose
    share of Pro wins is nearest to the sample's.

    Args:
        said_pro: Verdicts for Pro.
        said_con: Verdicts for Con.
        accuracy: In percent, as printed.
        weighted_f1: In percent, as printed: the F1 of both sides, weighted by their wins.

    Raises:
        ValueError: No table gives both figures.
    """
    size = said_pro + said_con
    right = whole(accuracy, size)
    found: list[tuple[Fraction, Confusion]] = []
    for pro_pro in range(max(0, right - said_con), min(said_pro, right) + 1):
        con_con = right - pro_pro
        table = Confusion(pro_pro, said_con - con_con, said_pro - pro_pro, con_con)
        won = table.pro_pro + table.pro_con
        if _prints_as(weighted_f1, _weighted_f1(table)):
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
    parts = (
        (table.pro_pro + table.pro_con, table.pro_pro),
        (table.con_con + table.con_pro, table.con_con),
    )
    size = sum(won for won, _ in parts)
    # A side that nobody won has no weight.
    return sum(
        (
            Fraction(won, size) * Fraction(2 * right, 2 * right + wrong)
            for won, right in parts
            if won
        ),
        Fraction(0),
    )


def _prints_as(printed: str, share: Fraction) -> bool:
    return abs(share * 100 - Fraction(printed)) <= Fraction(5, 1000)


def _people() -> Iterator[Cell]:
    # Which side had won is not printed: a right verdict is written as Con's, who won.
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
        figures = printed[row["model"], row["verbalizer"]]
        table = confusion_of(
            int(row["n_pred_pro"]),
            int(row["n_pred_con"]),
            figures["accuracy"],
            figures["weighted_f1"],
        )
        for won in _SIDES:
            for said in _SIDES:
                yield Cell(
                    "Table 3",
                    row["model"],
                    row["verbalizer"],
                    "pro_first",
                    row["verbalizer"],
                    getattr(table, f"{won}_{said}"),
                    said,
                    won=won,
                )


def _by_closing_side(number: int) -> Iterator[Cell]:
    for row in printed_table(number):
        for said in _SIDES:
            yield Cell(
                f"Table {number}",
                row["model"],
                row["verbalizer"],
                "pro_first",
                row["verbalizer"],
                int(row[f"n_pred_{said}"]),
                said,
                closes="pro" if row["end_side"] == "Pro" else "con",
            )


def _pair(
    number: int,
    judge: str,
    first: tuple[str, str],
    second: tuple[str, str],
    pro_then_con: str,
    con_then_pro: str,
) -> Iterator[Cell]:
    for (verbalizer, position), sides in ((first, _SIDES), (second, _SIDES[::-1])):
        for said, count in zip(sides, (pro_then_con, con_then_pro), strict=True):
            yield Cell(
                f"Table {number}",
                judge,
                verbalizer,
                _POSITIONS[position],
                first[0],
                int(count),
                said,
            )


def _counts(number: int, row: dict[str, str], position: str, pro: int, con: int) -> Iterator[Cell]:
    for said, count in zip(_SIDES, (pro, con), strict=True):
        yield Cell(
            f"Table {number}",
            row["model"],
            row["verbalizer"],
            _POSITIONS[position],
            "all",
            count,
            said,
        )
