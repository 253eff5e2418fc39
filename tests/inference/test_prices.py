from datetime import date
from pathlib import Path
from typing import Any

import pytest
from inference_fixtures import judge as spec

from inference.errors import BadSettings
from inference.prices import Price, base_name, load_prices


def own(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "prices.toml"
    path.write_text(text)
    return path


def price_of(
    tmp_path: Path, judge_id: str, text: str | None = None, **settings: Any
) -> Price | None:
    prices = load_prices(None if text is None else own(tmp_path, text))
    return prices.price_for(spec(tmp_path, judge_id, **settings))


def test_every_shipped_price_is_complete_dated_and_says_where_it_is_from() -> None:
    shipped = load_prices().shipped
    assert load_prices(Path("nothing.toml")).own == {}
    assert len(shipped) > 30
    assert {provider for provider, _ in shipped} == {"anthropic", "google", "openai"}
    for name, entry in shipped.items():
        price = entry.price
        assert price.as_of is not None, name
        assert date(2024, 1, 1) < date.fromisoformat(price.as_of) < date.today(), name
        assert price.source.startswith("https://"), name
        assert price.context_window is not None, name
        assert price.context_window > 4000, name
        assert price.usd_per_million_tokens_cached is not None, name
        assert (
            0
            < price.usd_per_million_tokens_cached
            <= price.usd_per_million_tokens_in
            < price.usd_per_million_tokens_out
        ), name
        assert entry.batch_factor == 0.5, name


def test_a_cost_counts_cached_tokens_at_their_own_price() -> None:
    price = Price(2.0, 0.5, 8.0, None, "here")
    # 600 x 2 + 400 x 0.5 + 100 x 8 = 2,200 dollars a million
    assert price.cost(1000, 100, 400) == pytest.approx(2200e-6)
    assert price.cost(1000, 100) == pytest.approx(2800e-6)
    assert Price(2.0, None, 8.0, None, "here").cost(1000, 100, 400) == pytest.approx(2800e-6)


def test_a_cost_is_unknown_where_a_count_is_or_the_price_does_not_hold(tmp_path: Path) -> None:
    price = Price(2.0, 0.5, 8.0, None, "here")
    assert (price.cost(None, 100), price.cost(1000, None)) == (None, None)
    short = price_of(tmp_path, "google/gemini-2.5-pro")
    assert short is not None
    assert short.cost(200_000, 0) == pytest.approx(0.25)
    assert short.cost(200_001, 0) is None


@pytest.mark.parametrize(
    ("model", "base"),
    [
        ("gpt-4.1-mini-2025-04-14", "gpt-4.1-mini"),
        ("claude-3-5-sonnet-20241022", "claude-3-5-sonnet"),
        ("gpt-4.1-mini", None),
        ("gpt-4.1-mini-2025-13-14", None),
        ("claude-3-5-sonnet-20241322", None),
        ("gpt-4-0613", None),
        ("gpt-4.1-mini-2025-04-14-tuned", None),
        ("gpt-4.1-mini-preview", None),
        ("2025-04-14", None),
    ],
)
def test_only_a_date_makes_a_name_a_snapshot(model: str, base: str | None) -> None:
    assert base_name(model) == base


def test_a_snapshot_has_its_models_price_unless_it_has_its_own(tmp_path: Path) -> None:
    mini = price_of(tmp_path, "openai/gpt-4.1-mini")
    assert mini is not None
    assert price_of(tmp_path, "openai/gpt-4.1-mini-2025-04-14") == mini
    assert price_of(tmp_path, "openai/gpt-4.1-mini-tuned") is None
    first = price_of(tmp_path, "openai/gpt-4o-2024-05-13")
    later = price_of(tmp_path, "openai/gpt-4o-2024-11-20")
    assert (first and first.usd_per_million_tokens_in) == 5.0
    assert (later and later.usd_per_million_tokens_in) == 2.5


@pytest.mark.parametrize(
    ("judge_id", "settings"),
    [
        ("openai/nobody-knows", {}),
        ("openai/gpt-4.1", {"base_url": "http://127.0.0.1:8000/v1"}),
        ("batch/gpt-4.1", {"base_url": "http://127.0.0.1:8000/v1"}),
        ("openrouter/openai/gpt-4.1", {}),
        ("openai/nobody-knows", {"usd_per_million_tokens_in": 1.0}),
        ("openai/nobody-knows", {"usd_per_million_tokens_out": 1.0}),
    ],
)
def test_an_unknown_price_is_none(tmp_path: Path, judge_id: str, settings: dict[str, Any]) -> None:
    assert price_of(tmp_path, judge_id, **settings) is None


@pytest.mark.parametrize("judge_id", ["local/gpt-4.1", "rule/length"])
def test_what_answers_on_this_machine_is_no_charge(tmp_path: Path, judge_id: str) -> None:
    price = price_of(tmp_path, judge_id)
    assert price is not None
    assert price.cost(1000, 1000) == 0.0


def test_batches_cost_half_and_a_users_factor_holds(tmp_path: Path) -> None:
    half = price_of(tmp_path, "batch/gpt-4.1-mini-2025-04-14")
    assert half is not None
    assert half.usd_per_million_tokens_in == pytest.approx(0.2)
    assert half.usd_per_million_tokens_cached == pytest.approx(0.05)
    assert half.usd_per_million_tokens_out == pytest.approx(0.8)
    text = (
        '[openai."gpt-4.1"]\nusd_per_million_tokens_in = 1\nusd_per_million_tokens_out = 2\n'
        "batch_factor = 0.25\n"
    )
    quarter = price_of(tmp_path, "batch/gpt-4.1", text)
    assert (quarter and quarter.usd_per_million_tokens_out) == 0.5


OWN = """
[openai."gpt-4.1"]
usd_per_million_tokens_in = 1.5
usd_per_million_tokens_out = 6
as_of = 2026-01-02

[openrouter."meta/llama"]
usd_per_million_tokens_in = 0.1
usd_per_million_tokens_out = 0.2
"""


def test_the_users_file_comes_before_the_shipped_one_model_by_model(tmp_path: Path) -> None:
    changed = price_of(tmp_path, "openai/gpt-4.1", OWN)
    assert changed == Price(1.5, None, 6.0, "2026-01-02", str(tmp_path / "prices.toml"))
    assert price_of(tmp_path, "openrouter/meta/llama", OWN) is not None
    assert price_of(tmp_path, "openai/gpt-4o", OWN) == price_of(tmp_path, "openai/gpt-4o")
    # It also has prices of other endpoints.
    elsewhere = price_of(tmp_path, "openai/gpt-4.1", OWN, base_url="http://127.0.0.1:8000/v1")
    assert elsewhere == changed


def test_a_judges_own_settings_come_first_and_are_not_halved(tmp_path: Path) -> None:
    settings = {"usd_per_million_tokens_in": 3, "usd_per_million_tokens_out": 4}
    for judge_id in ("openai/gpt-4.1", "batch/gpt-4.1"):
        price = price_of(tmp_path, judge_id, OWN, context_window=99, **settings)
        assert price is not None
        assert (price.usd_per_million_tokens_in, price.usd_per_million_tokens_out) == (3.0, 4.0)
        assert (price.as_of, price.context_window) == (None, 99)


PRICE = "usd_per_million_tokens_in = 1\nusd_per_million_tokens_out = 2\n"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[openai."m"]\nusd_in = 1', ['[openai."m"]', "'usd_in'", "usd_per_million_tokens_in"]),
        ('[openai."m"]\nusd_per_million_tokens_in = -1', ['[openai."m"]', "_in is -1"]),
        ('[openai."m"]\nusd_per_million_tokens_out = nan', ["_out is nan"]),
        ('[openai."m"]\nusd_per_million_tokens_out = inf', ["_out is inf"]),
        ('[openai."m"]\nusd_per_million_tokens_cached = true', ["_cached is True"]),
        (
            '[openai."m"]\nusd_per_million_tokens_in = 1',
            ["lacks the key 'usd_per_million_tokens_out'"],
        ),
        (f'[openai."m"]\n{PRICE}as_of = "2025-01-01"', ["as_of", "date"]),
        (f'[openai."m"]\n{PRICE}context_window = 0', ["context_window is 0"]),
        (f'[openai."m"]\n{PRICE}batch_factor = 2', ["batch_factor is 2"]),
        (f'[batch."m"]\n{PRICE}', ["'batch'", "openai"]),
        (f'[nobody."m"]\n{PRICE}', ["'nobody'", "anthropic"]),
        ("openai = 3", ["'openai'"]),
        ("[openai]\nm = 3", ['[openai."m"]', "a table"]),
        ("[", ["TOML"]),
    ],
)
def test_a_wrong_price_names_file_table_and_key(tmp_path: Path, text: str, said: list[str]) -> None:
    path = own(tmp_path, text)
    with pytest.raises(BadSettings) as caught:
        load_prices(path)
    for words in (str(path), *said):
        assert words in str(caught.value)
