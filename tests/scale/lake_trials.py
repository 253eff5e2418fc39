"""The faults' trials in homes whose warehouse is a lake: each copy of a home has a lake of its own."""

import shutil
import zlib
from contextlib import closing
from pathlib import Path

import duckdb
import psycopg2

from tests.faults.harness.beside import lake_beside, write_lake
from tests.faults.harness.client import Pool
from tests.faults.harness.trial import Stage, Trials
from tests.scale.conftest import EmptyLake, Postgres, move_rows
from warehouse.home import Home

_MOVED = "update ducklake_metadata set value = replace(value, ?, ?) where key = 'data_path'"


class LakeTrials(Trials):
    """Runs stages under faults; the rows of a lake lie beside its home."""

    def __init__(
        self, pool: Pool, inputs: Path, folder: Path, postgres: Postgres, begin: EmptyLake
    ) -> None:
        super().__init__(pool, inputs, folder)
        self._postgres, self._begin = postgres, begin

    def empty(self) -> Home:
        home = super().empty()
        database = self._postgres.copy_of(self._begin.postgres)
        shutil.copytree(self._begin.data, _data_of(home))
        move_rows(database, str(self._begin.data), str(_data_of(home)))
        write_lake(home, database, _data_of(home))
        return home

    def copy_of(self, before: Path, folder: Path | None = None) -> Home:
        lake = lake_beside(Home(before))
        assert lake is not None
        home = super().copy_of(before, folder)
        shutil.copytree(_data_of(Home(before)), _data_of(home))
        database = self._postgres.copy_of(lake.postgres)
        write_lake(home, database, _data_of(home))
        paths = (str(before.parent), str(home.root.parent))
        move_rows(database, *paths)
        _move_versions(home, database, paths)
        return home

    def _wrong_after_fault(self, stage: Stage, home: Home) -> list[str]:
        lake = lake_beside(home)
        assert lake is not None
        self._postgres.await_quiet(lake.postgres)
        return super()._wrong_after_fault(stage, home)

    def remove(self, home: Home) -> None:
        lake = lake_beside(home)
        super().remove(home)
        if lake is not None:
            self._postgres.drop(lake.postgres)


def _data_of(home: Home) -> Path:
    return home.root.parent / "lake"


def _move_versions(home: Home, database: str, paths: tuple[str, str]) -> None:
    with closing(psycopg2.connect(database)) as connection, connection.cursor() as cursor:
        connection.autocommit = True
        cursor.execute("select to_regclass('rostrum_published.versions') is not null")
        if cursor.fetchone() != (True,):
            return
        cursor.execute("select name, catalog from rostrum_published.versions")
        for name, catalog in cursor.fetchall():
            path = home.published / f"{name}.ducklake"
            is_local = path.exists()
            path.write_bytes(zlib.decompress(catalog))
            with duckdb.connect(str(path)) as version:
                version.execute(_MOVED, paths)
            cursor.execute(
                "update rostrum_published.versions set catalog = %s where name = %s",
                (zlib.compress(path.read_bytes()), name),
            )
            if not is_local:
                path.unlink()
