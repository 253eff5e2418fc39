"""A key never reaches a file under the home, a log, a Dagster event or an error."""

import json
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import duckdb
import pytest

from inference.journal import FILE_NAME, read_journal
from ingestion.load import load
from ingestion.speeches.readers.sample_speeches import sample_batch
from tests.conftest import run_rostrum
from tests.inference.batch_endpoint import BatchEndpoint, answered, failure, refused
from tests.inference.inference_fixtures import NO_HTTP, Reaction, Stub, completion
from warehouse.home import Home

KEYS = {
    "OPENAI_API_KEY": "sk-canary-openai-5f1b7c3d9e2a4860",
    "ANTHROPIC_API_KEY": "sk-canary-anthropic-77d0c1b2a3948576",
    "GEMINI_API_KEY": "canary-gemini-0912384756afbecd",
    "OPENROUTER_API_KEY": "sk-or-canary-aa55cc33ee11ff77",
}
CHAT = ("openai", "anthropic", "google", "openrouter")


def echo(stub: Stub) -> Callable[[dict[str, Any], int], Reaction]:
    """Repeat the key one was sent in every place an endpoint has for words."""

    def react(body: dict[str, Any], number: int) -> Reaction:
        key = stub.keys[-1].removeprefix("Bearer ")
        error = json.dumps(
            {"error": {"message": f"no: {key}", "code": key, "param": key, "type": key}}
        )
        reactions: list[Reaction] = [
            completion(f"your key is {key} <score>4</score>", model=key),
            (
                200,
                {"X-Key": key},
                json.dumps(
                    {
                        "model": key,
                        "choices": [
                            {"finish_reason": key, "message": {"content": f"<score>{key}</score>"}}
                        ],
                    }
                ),
            ),
            (401, {"X-Key": key, "WWW-Authenticate": key}, error),
            (400, {}, error),
            (429, {"Retry-After": key, "X-Request-Id": key}, error),
            (500, {"Content-Type": "text/html"}, f"<html>{key}</html>"),
            (200, {}, f"not JSON, but {key}"),
            (200, {}, json.dumps({"model": key, "choices": [], "note": key})),
            (1, {}, f"HTTP/1.1 200 {key}\r\nBad Header {key}\r\n\r\n{key}"),
            NO_HTTP,
        ]
        return reactions[number % len(reactions)]

    return react


def echo_batch(endpoint: BatchEndpoint) -> None:
    """Let a Batch API repeat the key in replies, errors, names and its first refusals."""

    def key() -> str:
        return next(iter(endpoint.keys)).removeprefix("Bearer ")

    def answer(custom_id: str, body: dict[str, Any]) -> dict[str, Any]:
        number = len(endpoint.calls) + int(custom_id[:4], 16)
        if number % 3 == 0:
            return refused(custom_id, 400, f"no: {key()}", code=key(), param=key())
        line = answered(custom_id, body, f"{key()} <score>4</score>")
        line["response"]["body"] |= {"model": key(), "system_fingerprint": key()}
        line["response"]["body"]["choices"][0]["finish_reason"] = key()
        return line

    endpoint.answer = answer
    endpoint.intervene = lambda _method, _path, number: (
        failure(500, f"again, {key()}", {"X-Key": key()}) if number == 1 else None
    )


@pytest.fixture
def home(home: Home) -> Home:
    """A home with the samples, and nothing built from them."""
    load(home, sample_batch())
    return home


@pytest.fixture
def stub() -> Iterator[Stub]:
    server = Stub()
    server.react = echo(server)
    yield server
    server.close()


@pytest.fixture
def batches() -> Iterator[BatchEndpoint]:
    server = BatchEndpoint()
    echo_batch(server)
    yield server
    server.close()


def drive(home: Home, commands: list[list[str]]) -> tuple[list[int], str]:
    """Run commands with all keys set, and return their exit codes and all they said."""
    done = [run_rostrum(home, *one, env=KEYS) for one in commands]
    return [one.returncode for one in done], "".join(one.stdout + one.stderr for one in done)


def leaks(home: Home) -> list[str]:
    """Name every place under a home that holds a key: bytes of files, and texts of databases."""
    files = [path for path in home.root.rglob("*") if path.is_file()]
    found = [
        path.relative_to(home.root).as_posix() for path in files if _holds_key(path.read_bytes())
    ]
    # A database may compress a text, or break it over two pages.
    for path in home.dagster.rglob("*.db"):
        found += [f"{path.name}: {place}" for place in in_sqlite(path)]
    return found + in_duckdb(home.build_db)


def _holds_key(content: bytes) -> bool:
    return any(key.encode() in content for key in KEYS.values())


def in_sqlite(path: Path) -> list[str]:
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
        tables = connection.execute(
            "select name from sqlite_master where type = 'table'"
        ).fetchall()
        return [
            table
            for (table,) in tables
            for row in connection.execute(f'select * from "{table}"')
            if any(key in str(cell) for cell in row for key in KEYS.values())
        ]


def in_duckdb(path: Path) -> list[str]:
    found = []
    is_there = " or ".join('contains("{0}", ?)' for _ in KEYS)
    with duckdb.connect(str(path), read_only=True) as connection:
        for schema, table, column in connection.execute(
            "select schema_name, table_name, column_name from duckdb_columns() "
            "where data_type = 'VARCHAR' and not internal"
        ).fetchall():
            query = f'select bool_or({is_there.format(column)}) from "{schema}"."{table}"'
            row = connection.execute(query, list(KEYS.values())).fetchone()
            if row and row[0]:
                found.append(f"{schema}.{table}.{column}")
    return found


def add(judge_id: str, url: str, *settings: str) -> list[str]:
    pairs = [f"base_url={url}", "timeout_s=5", *settings]
    return ["judges", "add", judge_id, *(part for pair in pairs for part in ("--set", pair))]


def test_no_key_is_kept_of_what_endpoints_repeat_whoever_the_provider(
    home: Home, stub: Stub, batches: BatchEndpoint
) -> None:
    run = ["run", "speech-score", "--no-build", "--limit", "12", "--dataset", "sample", "--judge"]
    commands = [
        *(add(f"{name}/echo", stub.url, "max_retries=0", "concurrency=1") for name in CHAT),
        add("batch/echo", batches.url, "poll_s=0.05"),
        ["plan", "speech-score", "--judge", "openai/echo"],
        ["run", "speech-score", "--judge", "google/echo", "--dry-run"],
        *([*run, f"{name}/echo"] for name in (*CHAT, "batch")),
        [*run, "openai/echo"],
        ["judges"],
        ["doctor"],
        ["status"],
    ]
    codes, said = drive(home, commands)
    assert codes[:7] == [0] * 7
    assert codes[-3:] == [0] * 3
    # Each provider sent the key of its own preset, and no other.
    assert {f"Bearer {key}" for key in KEYS.values()} == set(stub.keys)
    assert batches.keys == {f"Bearer {KEYS['OPENAI_API_KEY']}"}
    lines = [
        line
        for path in home.journal.glob(f"*echo--*/{FILE_NAME}")
        for line in read_journal(path)
        if line["kind"] == "answer"
    ]
    kinds = {line["error_kind"] for line in lines}
    assert {
        None,
        "authentication",
        "bad_request",
        "rate_limited",
        "server",
        "malformed",
        "empty_choices",
    } <= kinds
    struck = {name for line in lines for name, value in line.items() if "[key]" in str(value)}
    assert {"response", "error", "finish_reason", "model_version"} <= struck
    assert [name for name, key in KEYS.items() if key in said] == []
    assert leaks(home) == []


def test_a_key_among_settings_is_refused_without_being_repeated(home: Home) -> None:
    home.judges_file.write_text("")
    key, before = KEYS["ANTHROPIC_API_KEY"], home.judges_file.read_text()
    codes, said = drive(
        home,
        [
            ["judges", "add", "openai/a", "--set", f'extra_body={{a = [{{b = "Bearer {key}"}}]}}'],
            ["judges", "add", "openai/a", "--set", f"system_prompt={key}"],
            ["judges", "add", "openai/a", "--set", f"base_url=http://127.0.0.1:9/{key}/v1"],
            ["judges", "add", "openai/a", "--set", f"api_key_env={key}"],
            ["judges", "add", "openai/a", "--set", f"api_key={key}"],
            ["run", "speech-score", "--judge", f"openai/{key}"],
            ["plan", "speech-score", "--judge", f"openai/{key}"],
        ],
    )
    assert codes == [2] * 7
    assert said.count("environment variable ANTHROPIC_API_KEY") == 5
    assert key not in said
    assert home.judges_file.read_text() == before
    assert leaks(home) == []


def test_a_key_written_into_the_file_of_judges_by_hand_goes_no_further(home: Home) -> None:
    key = KEYS["OPENAI_API_KEY"]
    with home.judges_file.open("a") as file:
        file.write(f'\n[judges."openai/b".settings]\nextra_body = {{ token = "{key}" }}\n')
    codes, said = drive(home, [["run", "speech-score", "--judge", "openai/b"], ["judges"]])
    assert codes == [2, 2]
    assert "stands in the extra_body of a judge" in said
    assert key not in said
    assert leaks(home) == ["judges.toml"]


def test_a_missing_key_is_named_and_nothing_is_written(home: Home) -> None:
    before = sorted(path.name for path in home.journal.iterdir())
    done = run_rostrum(home, "run", "speech-score", "--judge", "openai/gpt-4.1-mini")
    assert done.returncode == 1
    assert "OPENAI_API_KEY" in done.stderr
    assert "Traceback" not in done.stderr
    assert sorted(path.name for path in home.journal.iterdir()) == before
