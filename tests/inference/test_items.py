from pathlib import Path

import pyarrow.parquet as pq
import pytest
from inference_fixtures import write_items

from inference.errors import BadItems
from inference.items import ItemSource, dimensions_of, find_item_sources, iter_items, sampling_key


def test_current_items_are_found_by_data_set(tmp_path: Path) -> None:
    first, second = write_items(tmp_path, dataset="a"), write_items(tmp_path, dataset="b")
    assert find_item_sources(tmp_path) == [first, second]
    assert find_item_sources(tmp_path, ["b"]) == [second]
    with pytest.raises(BadItems, match=r"'c'.*there are a, b"):
        find_item_sources(tmp_path, ["a", "c"])
    with pytest.raises(BadItems, match="rostrum ingest"):
        find_item_sources(tmp_path / "nothing")


@pytest.mark.parametrize("content", ["", "{", "[]", "{}", '{"items": 3}'])
def test_a_damaged_pointer_is_named(tmp_path: Path, content: str) -> None:
    write_items(tmp_path)
    (tmp_path / "made-up" / "current.json").write_text(content)
    with pytest.raises(BadItems, match=r"current\.json is damaged"):
        find_item_sources(tmp_path)


def test_items_come_whole_and_by_dimension(tmp_path: Path) -> None:
    source = write_items(tmp_path, 3, dimensions=("clarity", "quality"))
    assert len(list(iter_items(source))) == 6
    items = list(iter_items(source, "clarity"))
    assert [item.item_id for item in items] == ["made-up:000", "made-up:001", "made-up:002"]
    assert (items[1].scale_min, items[1].scale_max, items[1].motion) == (
        1,
        5,
        "We should do thing 0",
    )
    assert list(iter_items(source, "wit")) == []
    assert dimensions_of(source) == ["clarity", "quality"]


def test_a_missing_cut_or_foreign_file_is_refused(tmp_path: Path) -> None:
    source = write_items(tmp_path)
    with pytest.raises(BadItems, match="cannot read"):
        list(iter_items(ItemSource("made-up", tmp_path / "none.parquet")))
    assert source.file("reference") is not None
    with pytest.raises(BadItems):
        list(iter_items(ItemSource("made-up", source.file("reference"))))
    source.items_file.write_bytes(source.items_file.read_bytes()[:200])
    with pytest.raises(BadItems, match="cannot read"):
        list(iter_items(source))


def test_a_scale_that_is_not_of_whole_numbers_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadItems, match=r"0\.0 to 1\.5"):
        list(iter_items(write_items(tmp_path, scale=(0.0, 1.5))))


def test_columns_that_judges_may_not_see_are_not_read(tmp_path: Path) -> None:
    source = write_items(tmp_path)
    table = pq.read_table(source.items_file)
    pq.write_table(table.append_column("mean_value", [[4.5] * len(table)]), source.items_file)
    assert "4.5" not in repr(list(iter_items(source)))


def test_the_order_depends_on_the_seed_and_the_id() -> None:
    ids = [f"d:{number}" for number in range(100)]
    first = sorted(ids, key=lambda item_id: sampling_key(1, item_id))
    fewer = sorted(ids[::-2], key=lambda item_id: sampling_key(1, item_id))
    assert fewer == [item_id for item_id in first if item_id in fewer]
    assert first != sorted(ids, key=lambda item_id: sampling_key(2, item_id))
    assert first != ids
