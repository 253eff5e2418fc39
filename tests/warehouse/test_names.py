"""A name's passphrase brings its owner back, and nobody else."""

import json

import pytest

from warehouse.home import Home
from warehouse.names import give_passphrase, has_passphrase, is_passphrase


@pytest.fixture
def home(tmp_path):
    return Home(tmp_path)


def test_only_the_passphrase_that_was_given_is_the_right_one(home):
    assert not has_passphrase(home, "Ada")
    assert give_passphrase(home, "Ada", "correct horse")
    assert has_passphrase(home, "Ada")
    assert is_passphrase(home, "Ada", "correct horse")
    assert not is_passphrase(home, "Ada", "correct horse ")
    assert not is_passphrase(home, "Ada", "")
    assert not is_passphrase(home, "Grace", "correct horse")


def test_a_second_passphrase_changes_nothing(home):
    give_passphrase(home, "Ada", "first")
    assert not give_passphrase(home, "Ada", "second")
    assert is_passphrase(home, "Ada", "first")


def test_the_passphrase_lies_nowhere_and_equal_ones_look_different(home):
    for name in ("Ada", "Grace", "Zoë 🙂"):
        give_passphrase(home, name, "correct horse")
    text = (home.root / "names.json").read_text()
    assert "horse" not in text
    assert len({each["scrypt"] for each in json.loads(text).values()}) == 3
    assert is_passphrase(home, "Zoë 🙂", "correct horse")
