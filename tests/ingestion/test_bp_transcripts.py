"""Tagged transcripts: what is wrong with one is said, and never mended by a guess."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingestion.errors import SourceUnreadable
from ingestion.parliamentary.tagged import (
    MAX_BYTES,
    read_tagged,
    title_key,
    transcript_text,
)
from tests.ingestion.parliamentary_files import tagged
from warehouse.records.bp import ROLES


def test_tags_are_read_in_any_case_and_with_spaces() -> None:
    assert (
        read_tagged(tagged().replace("<PM>", "< Pm >").replace("</PM>", "</ pm>")).problem is None
    )


@pytest.mark.parametrize(
    ("before", "after", "problem"),
    [
        ("<MO>\nThe mo on the case.\n</MO>", "", "no speech of MO"),
        ("</LO>", "", "LO is not closed before DPM"),
        ("</OW>", "", "OW is not closed"),
        ("</LO>", "</PM>", "LO is closed as PM"),
        ("<GW>", "", "GW is closed and not open; no speech of GW"),
        ("<GW>", "<PM>", "PM is closed as GW; PM is tagged twice; no speech of GW"),
        ("The mg on the case.", " ", "MG has no text; no speech of MG"),
    ],
)
def test_each_fault_of_the_tags_is_named(before: str, after: str, problem: str) -> None:
    text = tagged()
    assert text.count(before) == 1
    assert read_tagged(text.replace(before, after)).problem == problem


def test_of_a_role_tagged_twice_the_first_speech_is_kept() -> None:
    read = read_tagged(f"{tagged('bread')}\n<PM>Once more.</PM>")
    assert read.problem == "PM is tagged twice"
    assert [each.text for each in read.speeches if each.role == "pm"] == ["The pm on bread."]


def test_words_outside_all_tags_belong_to_nobody_and_are_counted() -> None:
    read = read_tagged(f"Round 5, room 2\n{tagged()}\nThank you")
    assert (read.problem, read.stray_words) == (None, 6)


def test_a_text_without_tags_has_no_speeches() -> None:
    read = read_tagged("Madam Speaker, there are no tags here.")
    assert not read.speeches
    assert read.problem == "no speech of PM, LO, DPM, DLO, MG, MO, GW, OW"


@given(
    st.permutations(ROLES),
    st.lists(
        st.text(st.characters(codec="utf-8", exclude_characters="<>")), min_size=8, max_size=8
    ),
)
def test_only_eight_spoken_roles_in_their_order_are_without_a_problem(
    order: list[str], texts: list[str]
) -> None:
    read = read_tagged(
        "".join(f"<{role}>{text}</{role}>" for role, text in zip(order, texts, strict=True))
    )
    is_whole = order == list(ROLES) and all(text.strip() for text in texts)
    assert (read.problem is None) == is_whole
    spoken = [(role, text.strip()) for role, text in zip(order, texts, strict=True) if text.strip()]
    assert [(each.role, each.text) for each in read.speeches] == spoken


@pytest.mark.parametrize(
    "title", ["LSE Open 2023 Round 5", "lse_open_2023_round_5", "LSE-Open 2023 – Round 5"]
)
def test_spellings_of_one_title_are_one(title: str) -> None:
    assert title_key(title) == "lse open 2023 round 5"


def test_a_transcript_in_another_encoding_or_too_large_is_refused() -> None:
    with pytest.raises(SourceUnreadable, match=r"here is not UTF-8 \(byte 3\)"):
        transcript_text("caf\xe9".encode("latin-1"), "here")
    with pytest.raises(SourceUnreadable, match="more than 8 MiB"):
        transcript_text(b"x" * (MAX_BYTES + 1), "here")
    assert transcript_text("\ufeff<PM>\r\n".encode(), "here") == "<PM>\n"
