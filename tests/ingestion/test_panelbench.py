"""PanelBench's debates: roles by name, house or place, and results in columns nobody documents."""

import tarfile
import zipfile
from collections.abc import Sequence
from pathlib import Path

import pytest
import yaml  # type: ignore[import-untyped]

from ingestion.errors import SourceUnreadable
from ingestion.parliamentary.batch import ParliamentaryBatch
from ingestion.parliamentary.readers.panelbench import open_panelbench
from ingestion.parliamentary.settings import TabSettings
from warehouse.home import Home

ROLES = ["pm", "lo", "dpm", "dlo", "mg", "mo", "gw", "ow"]
BY_HOUSE = ["OG", "OO", "OG", "OO", "CG", "CO", "CG", "CO"]
BY_ROLE = [
    "Prime Minister",
    "Leader of the Opposition",
    "Deputy Prime Minister",
    "Deputy Leader of the Opposition",
    "Member of Government",
    "Member of Opposition",
    "Government Whip",
    "Opposition Whip",
]
PEOPLE = ["Ann", "Cy", "Bo", "Di", "Ed", "Gus", "Flo", "Hal"]
RANKED = "id,og_rank,oo_rank,cg_rank,co_rank\n1,2,1,4,3\n"


def _folder(
    tmp_path: Path, gold: str | None = RANKED, names: Sequence[str] = BY_HOUSE, motion: str = ""
) -> Path:
    folder = tmp_path / "BP-Competition"
    for name in ("motion", "speech", "gold"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    sides = {
        "pro_side": [{"name": name} for name in dict.fromkeys(names[::2])],
        "con_side": [{"name": name} for name in dict.fromkeys(names[1::2])],
    }
    about = {"motion": "This house would open parks", "info_slide": "", "speech_order": list(names)}
    (folder / "motion" / "bp_1.yml").write_text(motion or yaml.safe_dump(about | sides))
    speeches = [
        {"debater_name": name, "content": f"Speech number {place}."}
        for place, name in enumerate(names, start=1)
    ]
    (folder / "speech" / "bp_1.yml").write_text(yaml.safe_dump(speeches))
    if gold is not None:
        (folder / "gold" / "gold.csv").write_text(gold)
    return folder


def _open(home: Home, folder: Path) -> ParliamentaryBatch:
    return open_panelbench(home, str(folder), TabSettings())


def _ranks(batch: ParliamentaryBatch) -> dict[str, int | None]:
    return {each.house: each.team_rank for each in batch.debates[0].teams}


@pytest.mark.parametrize("names", [BY_HOUSE, BY_ROLE, PEOPLE])
def test_speeches_have_their_roles_however_debaters_are_named(
    home: Home, tmp_path: Path, names: list[str]
) -> None:
    batch = _open(home, _folder(tmp_path, names=names))
    (debate,) = batch.debates
    assert [(each.role, each.text) for each in debate.speeches] == [
        (role, f"Speech number {place}.") for place, role in enumerate(ROLES, start=1)
    ]
    assert debate.removal is None
    assert debate.debate.motion == "This house would open parks"
    assert debate.debate.info_slide is None
    assert _ranks(batch) == {"og": 2, "oo": 1, "cg": 4, "co": 3}
    assert [each.status for each in batch.matches] == ["matched"]


@pytest.mark.parametrize(
    ("names", "reason"),
    [
        (BY_HOUSE[:7], "no speech of OW"),
        ([*BY_HOUSE[:7], "OO"], "a speech is there twice, or has no role"),
        (PEOPLE[:7], "7 speeches of debaters whose roles nobody names"),
        (["OO", "OG", *BY_HOUSE[2:]], "LO, PM, DPM"),
    ],
)
def test_speeches_that_are_not_the_eight_keep_the_debate_from_judges(
    home: Home, tmp_path: Path, names: list[str], reason: str
) -> None:
    (debate,) = _open(home, _folder(tmp_path, names=names)).debates
    assert debate.removal is not None
    assert debate.removal.rule == "eight_speeches"
    assert reason in debate.removal.reason


def test_people_who_do_not_take_turns_have_no_roles(home: Home, tmp_path: Path) -> None:
    folder = _folder(tmp_path, names=PEOPLE)
    path = folder / "motion" / "bp_1.yml"
    about = yaml.safe_load(path.read_text())
    about["pro_side"], about["con_side"] = about["con_side"], about["pro_side"]
    path.write_text(yaml.safe_dump(about))
    (debate,) = _open(home, folder).debates
    assert debate.speeches == []
    assert debate.removal is not None
    assert "do not go from side to side" in debate.removal.reason


@pytest.mark.parametrize(
    "gold",
    [
        RANKED,
        "debate_id,Rank OG,Rank OO,Rank CG,Rank CO\nbp_1,2,1,4,3\n",
        ",OG Score,OO Score,CG Score,CO Score\n1,240,250.5,220,230\n",
        "id,og_points,oo_points,cg_points,co_points\n1,2,3,0,1\n",
        "id,First,Second,Third,Fourth\n1,OO,OG,CO,CG\n",
        "name,opening_government_place,opening opposition place,closing_government_place,"
        "closing_opposition_place\nBP_1.yml,2,1,4,3\n",
    ],
)
def test_a_ranking_is_found_in_the_columns_it_may_stand_in(
    home: Home, tmp_path: Path, gold: str
) -> None:
    batch = _open(home, _folder(tmp_path, gold))
    assert _ranks(batch) == {"og": 2, "oo": 1, "cg": 4, "co": 3}
    assert batch.rejects == []


@pytest.mark.parametrize(
    ("gold", "won"),
    [
        ("id,winner\n1,OO\n", {"oo"}),
        ("id,winner\n1,Opening Opposition & CG\n", {"oo", "cg"}),
        ("id,og,oo,cg,co\n1,0,1,1,0\n", {"oo", "cg"}),
    ],
)
def test_a_winner_alone_is_kept_and_ranks_nobody(
    home: Home, tmp_path: Path, gold: str, won: set[str]
) -> None:
    (debate,) = _open(home, _folder(tmp_path, gold)).debates
    assert {each.house for each in debate.teams if '"is_winner": true' in (each.extra or "")} == won
    assert {each.team_rank for each in debate.teams} == {None}
    assert debate.removal is not None
    assert debate.removal.rule == "one_result"


@pytest.mark.parametrize(
    "gold",
    [
        "id,og,oo,cg,co\n1,1,2,3,4\n",
        "id,argument,clash\n1,3,4\n",
        "og_rank,oo_rank,cg_rank,co_rank\n2,1,4,3\n",
        "",
    ],
)
def test_columns_that_could_mean_two_things_are_refused_by_name(
    home: Home, tmp_path: Path, gold: str
) -> None:
    with pytest.raises(SourceUnreadable, match="has the columns") as caught:
        _open(home, _folder(tmp_path, gold))
    assert gold.partition("\n")[0].partition(",")[0] in str(caught.value)


@pytest.mark.parametrize("row", ["1,1,1,3,4", "1,0,1,2,3", "1,a,b,c,d", "1,2,1,4,", "1,2.5,1,4,3"])
def test_a_row_that_is_no_ranking_is_rejected(home: Home, tmp_path: Path, row: str) -> None:
    gold = RANKED.partition("\n")[0] + f"\n{row}\n"
    batch = _open(home, _folder(tmp_path, gold))
    assert set(_ranks(batch).values()) == {None}
    assert [each.field for each in batch.rejects] == ["ranks of the houses"]


def test_no_row_and_rows_that_differ_are_no_result(home: Home, tmp_path: Path) -> None:
    batch = _open(home, _folder(tmp_path, RANKED.replace("\n1,", "\n2,")))
    assert [(each.status, each.result_row) for each in batch.matches] == [
        ("missing", None),
        ("missing", "bp_2"),
    ]
    again = _open(home, _folder(tmp_path, RANKED + "1,1,2,4,3\n"))
    assert again.debates[0].removal == (
        "one_result",
        "2 rows of results are of this debate, and differ",
    )
    assert _ranks(_open(home, _folder(tmp_path, RANKED + "1,2,1,4,3\n")))["oo"] == 1


def test_archives_are_read_as_the_folder_is(home: Home, tmp_path: Path) -> None:
    folder = _folder(tmp_path)
    packed, zipped = tmp_path / "BP-Competition.tar.gz", tmp_path / "release.zip"
    with tarfile.open(packed, "w:gz") as tar:
        tar.add(folder, "BP-Competition")
        link = tarfile.TarInfo("BP-Competition/motion/bp_9.yml")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        tar.addfile(link)
    with zipfile.ZipFile(zipped, "w") as archive:
        for each in folder.rglob("*.*"):
            archive.write(each, each.relative_to(tmp_path))
    read = [_open(home, each).debates for each in (folder, packed, zipped)]
    assert read[0] == read[1] == read[2]
    assert len(read[0]) == 1


@pytest.mark.parametrize(
    ("motion", "reason"),
    [
        ("motion: !!python/object/apply:os.system ['true']", "is no YAML"),
        ("a: &a [x]\nb: *a\n", "has an alias"),
        ("[" * 5_000, "is no YAML"),
        ("- one\n", "should be an object"),
    ],
)
def test_a_file_that_is_no_plain_data_quarantines_its_debate(
    home: Home, tmp_path: Path, motion: str, reason: str
) -> None:
    batch = _open(home, _folder(tmp_path, motion=motion))
    assert batch.debates == []
    assert [reason in each.reason for each in batch.rejects] == [True]


def test_the_part_with_two_sides_is_refused(home: Home, tmp_path: Path) -> None:
    folder = tmp_path / "DebateArt"
    for name in ("motion/1.yml", "speech/1.yml", "gold/dimension.csv", "gold/final.csv"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("a: b\n")
    with pytest.raises(SourceUnreadable, match="DebateArt has two sides"):
        _open(home, folder)


@pytest.mark.parametrize("value", ["!!bool x", "!!timestamp x", '!!int ""', '!!float "x"'])
def test_a_value_that_is_not_what_its_tag_says_is_one_debate_less(
    home: Home, tmp_path: Path, value: str
) -> None:
    folder = _folder(tmp_path)
    (folder / "motion" / "bp_2.yml").write_text(f"motion: {value}\n")
    batch = _open(home, folder)
    assert [each.debate.debate_id for each in batch.debates] == ["panelbench:bp_1"]
    assert [each.record for each in batch.rejects] == ["bp_2"]
    assert "is no YAML that can be read" in batch.rejects[0].reason


def test_two_files_of_one_debate_are_no_debate_unless_they_are_the_same(
    home: Home, tmp_path: Path
) -> None:
    folder = _folder(tmp_path)
    one = folder / "motion" / "bp_1.yml"
    other = folder / "motion" / "bp_1.yaml"
    other.write_text(one.read_text())
    assert len(_open(home, folder).debates) == 1
    other.write_text("motion: This house would close parks\n")
    batch = _open(home, folder)
    assert batch.debates == []
    assert [each.reason for each in batch.rejects] == [
        "2 files differ: motion/bp_1.yaml, motion/bp_1.yml; keep one"
    ]


def test_a_broken_quote_in_the_results_swallows_no_row(home: Home, tmp_path: Path) -> None:
    gold = RANKED.replace("1,2,1", '"9,2,1') + "1,2,1,4,3\n"
    with pytest.raises(SourceUnreadable, match="is no CSV file"):
        _open(home, _folder(tmp_path, gold))


def test_a_winner_that_is_partly_no_house_is_rejected(home: Home, tmp_path: Path) -> None:
    batch = _open(home, _folder(tmp_path, "id,winner\n1,OG and XX\n"))
    assert [each.field for each in batch.rejects] == ["ranks of the houses"]
    assert all(each.extra is None for each in batch.debates[0].teams)
